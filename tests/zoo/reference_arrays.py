"""What the scripts that run reference programs share: arrays as JSON, and the time of a call."""
import time

import numpy as np


def encoded(array):
    """An array as {dtype, shape, values}, with strings in hexadecimal."""
    array = np.asarray(array)
    if array.dtype == object or array.dtype.kind in 'SU':
        flat = [v.encode() if isinstance(v, str) else v for v in array.reshape(-1).tolist()]
        return {'dtype': 'string', 'shape': list(array.shape), 'values': [v.hex() for v in flat]}
    values = array.reshape(-1).astype(np.float64 if array.dtype.kind == 'f' or array.dtype.name == 'bfloat16' else array.dtype)
    return {'dtype': array.dtype.name, 'shape': list(array.shape), 'values': values.tolist()}


def least(run):
    """Returns the least time of ten runs, in milliseconds."""
    times = []
    for _ in range(10):
        started = time.perf_counter()
        run()
        times.append(1000 * (time.perf_counter() - started))
    return min(times)
