# The part that all sides of gpu_bench.py share: the inputs, which are the same numbers everywhere, and the clock. The
# benchmark puts STEPS, SMALL and ONLY before it.
import json
import time

import numpy as np


def size(full, small):
    return small if SMALL else full


def numbers(seed, *shape):
    n = 1
    for extent in shape:
        n *= extent
    some = np.random.RandomState(seed).uniform(-1, 1, min(n, 1 << 20)).astype(np.float32)
    return np.concatenate([some] * -(-n // len(some)))[:n].reshape(shape)


def indices(seed, n, below):
    return np.random.RandomState(seed).randint(0, below, n).astype(np.int32)


CHAIN = size(64 << 20, 1000)
GEMM = size(4096, 64)
ROWS = size(1 << 20, 500)
BATCH = size(128, 8)
IMAGE = size(32, 6)
CHANNELS = size(64, 8)
WORDS, WIDTH, NAMED = size(100000, 300), 64, size(100000, 500)
COPY = size(64 << 20, 5000)


def measure(name, step, value=None):
    """Prints the median time of a step in microseconds, and some numbers of the result."""
    for _ in range(5):
        step()
    times = []
    end = time.time() + 3
    while len(times) < STEPS and (len(times) < 5 or time.time() < end):
        start = time.time()
        step()
        times.append(time.time() - start)
    times.sort()
    value = None if value is None else [float(x) for x in np.reshape(value, [-1])[:64]]
    print(json.dumps({'name': name, 'us': times[len(times) // 2] * 1e6, 'best': times[0] * 1e6, 'value': value}))


def run(workloads):
    for name, workload in workloads.items():
        if ONLY and ONLY not in name:
            continue
        try:
            workload(name)
        except Exception as error:
            print(json.dumps({'name': name, 'error': '%s: %s' % (type(error).__name__, str(error)[:300])}))
