#!/usr/bin/env python3
"""Benchmark of GPU steps in tensh and, if they are installed, PyTorch (eager and with CUDA graphs) and JAX (jit).

    python3 tests/bench/gpu_bench.py [--tensh build/tensh]

Each workload is one short program per side, which runs in a separate process and prints the median time of its steps
in microseconds. Without a GPU, the benchmark prints a message and exits with 77.
"""
import argparse
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# On every side, each step ends with one value on the host, so that all of them wait for the GPU.
TENSH = '''
import time
import numpy as np
{build}
s = tf.Session()
s.run(tf.global_variables_initializer())
step = s.make_callable(out)
times = []
for i in range({steps}):
    t = time.time()
    step()
    times.append(time.time() - t)
print(sorted(times)[len(times) // 2] * 1e6)
'''
TORCH = '''
import time, torch
torch.backends.cuda.matmul.allow_tf32 = False
{build}
for i in range(10): step().item()
run = step
if {graph}:
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g): out = step()
    def run():
        g.replay()
        return out
times = []
for i in range({steps}):
    t = time.time()
    run().item()
    times.append(time.time() - t)
print(sorted(times)[len(times) // 2] * 1e6)
'''
JAX = '''
import time, jax, jax.numpy as jnp
jax.config.update("jax_default_matmul_precision", "float32")
{build}
f = jax.jit(step)
float(f())
times = []
for i in range({steps}):
    t = time.time()
    float(f())
    times.append(time.time() - t)
print(sorted(times)[len(times) // 2] * 1e6)
'''


def chain(n, size):
    return {
        'name': '%d adds of %d floats' % (n, size),
        'tensh': 'x = tf.Variable(tf.ones([%d]))\ny = x\nfor i in range(%d): y = y + 1.\nout = y[0]' % (size, n),
        'torch': 'x = torch.ones(%d, device="cuda")\ndef step():\n    y = x\n    for i in range(%d): y = y + 1.\n'
                 '    return y[0]' % (size, n),
        'jax': 'x = jnp.ones(%d)\ndef step():\n    y = x\n    for i in range(%d): y = y + 1.\n    return y[0]' % (size, n),
    }


def gemm(n):
    return {
        'name': 'product of %d x %d' % (n, n),
        'tensh': 'a = tf.Variable(tf.ones([%d, %d]))\nout = tf.matmul(a, a)[0, 0]' % (n, n),
        'torch': 'a = torch.ones(%d, %d, device="cuda")\ndef step(): return (a @ a)[0, 0]' % (n, n),
        'jax': 'a = jnp.ones((%d, %d))\ndef step(): return (a @ a)[0, 0]' % (n, n),
    }


def mlp(batch):
    return {
        'name': 'MLP 784-128-10 step, batch %d' % batch,
        'tensh': '''
x = tf.Variable(tf.random_normal([{b}, 784]), trainable=False)
labels = tf.Variable(tf.zeros([{b}], tf.int64), trainable=False)
w1 = tf.Variable(tf.random_normal([784, 128]) * 0.05)
w2 = tf.Variable(tf.random_normal([128, 10]) * 0.05)
h = tf.nn.relu(tf.matmul(x, w1))
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=tf.matmul(h, w2)))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.control_dependencies([train]): out = tf.identity(loss)'''.format(b=batch),
        'torch': '''
x = torch.randn({b}, 784, device="cuda")
labels = torch.zeros({b}, dtype=torch.int64, device="cuda")
w1 = (torch.randn(784, 128, device="cuda") * 0.05).requires_grad_()
w2 = (torch.randn(128, 10, device="cuda") * 0.05).requires_grad_()
def step():
    loss = torch.nn.functional.cross_entropy(torch.relu(x @ w1) @ w2, labels)
    g1, g2 = torch.autograd.grad(loss, [w1, w2])
    with torch.no_grad():
        w1.sub_(g1, alpha=0.1)
        w2.sub_(g2, alpha=0.1)
    return loss.detach()'''.format(b=batch),
        'jax': None,
    }


WORKLOADS = [chain(1, 16), chain(10, 16), chain(100, 16), chain(10, 64 << 20), gemm(4096), mlp(32), mlp(1024)]


def measure(command, program, steps, **parts):
    text = program.format(steps=steps, **parts)
    done = subprocess.run(command + ['-'] if command[0] == sys.executable else command + ['/dev/stdin'], input=text,
                          capture_output=True, text=True, timeout=600)
    try:
        return float(done.stdout.split()[-1])
    except (IndexError, ValueError):
        return None


def has_module(name):
    return subprocess.run([sys.executable, '-c', 'import ' + name], capture_output=True).returncode == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', default=os.path.join(ROOT, 'build', 'tensh'))
    options = parser.parse_args()
    found = subprocess.run([options.tensh, '-c', 'devices'], capture_output=True, text=True)
    if 'device:GPU:0' not in found.stdout:
        why = subprocess.run([options.tensh, '-c', 'devices --verbose'], capture_output=True, text=True)
        print('gpu_bench: skipped:', why.stdout.strip().split('\n')[-1] or 'tensh does not start')
        return 77
    sides = [('tensh', [options.tensh], TENSH, {})]
    if has_module('torch'):
        sides += [('torch eager', [sys.executable], TORCH, {'graph': 'False'}),
                  ('torch graphs', [sys.executable], TORCH, {'graph': 'True'})]
    if has_module('jax'):
        sides.append(('jax jit', [sys.executable], JAX, {}))
    print('%-32s' % 'microseconds a step', *('%14s' % side[0] for side in sides))
    for work in WORKLOADS:
        row = []
        for name, command, program, parts in sides:
            build = work[name.split()[0]]
            value = measure(command, program, 200, build=build, **parts) if build else None
            row.append('%14s' % ('-' if value is None else '%.1f' % value))
        print('%-32s' % work['name'], *row, flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
