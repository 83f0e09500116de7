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


def run(products, begin=lambda: None):
    """Runs the workloads, which a side defines, after `begin` each. The precisions of products differ between sides."""
    workloads = {
        '1 add of 16 floats': chain(1, 16),
        '10 adds of 16 floats': chain(10, 16),
        '100 adds of 16 floats': chain(100, 16),
        '10 adds of 64M floats': chain(10, CHAIN),
        'sum of 64M floats': total,
        'softmax of 1M x 10': softmax(10),
        'softmax of 1M x 100': softmax(100),
        **products,
        'MLP step, batch 32': mlp(32),
        'MLP step, batch 1024': mlp(1024),
        'MLP step, 128x784 fed': mlp(128, fed=True),
        'MLP step, dropout': mlp(128, dropout=True),
        'conv train step, 2 x 3x3x64': convolution,
        'embedding update, 100k of 64': embedding,
        'copy of 256 MB to the GPU': to_device,
        'copy of 256 MB from the GPU': to_host,
    }
    for name, workload in workloads.items():
        if ONLY and ONLY not in name:
            continue
        begin()
        try:
            workload(name)
        except Exception as error:
            print(json.dumps({'name': name, 'error': '%s: %s' % (type(error).__name__, str(error)[:300])}))
