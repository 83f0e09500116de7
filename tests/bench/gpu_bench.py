#!/usr/bin/env python3
"""Benchmark of GPU steps in tensh and, if they are installed, PyTorch (eager, CUDA graphs, torch.compile) and JAX.

    python3 tests/bench/gpu_bench.py [--tensh build/tensh] [--only TEXT] [--json FILE]

Each side is one process, which runs all workloads of tests/bench/gpu on the same inputs and prints the median time of
their steps in microseconds. Beside a time stands the largest error of some numbers of the result, relative to the
largest of them on tensh's CPU. A step ends with a value on the host. Without a GPU, the benchmark prints a message and
exits with 77.
"""
import argparse
import json
import os
import subprocess
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'gpu')
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REFERENCE = 'tensh CPU'


def side_text(file, **names):
    parts = ['%s = %r' % item for item in names.items()]
    for name in ('inputs.py', file):
        with open(os.path.join(FOLDER, name), encoding='utf-8') as f:
            parts.append(f.read())
    return '\n'.join(parts)


def results_of(command, text, timeout):
    """Runs a side. Returns its results by workload; where it ended too early, those so far and the reason."""
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=timeout)
        out, why = done.stdout, done.stderr.strip().split('\n')[-1] if done.returncode else ''
    except subprocess.TimeoutExpired as late:
        out, why = (late.stdout or b'').decode(), 'no answer in %d s' % timeout
    found = {}
    for line in out.split('\n'):
        if line.startswith('{'):
            result = json.loads(line)
            found[result.pop('name')] = result
    return found, why


def has_gpu_module(name):
    probe = {'torch': 'import torch, sys; sys.exit(not torch.cuda.is_available())',
             'jax': 'import jax, sys; sys.exit(jax.default_backend() != "gpu")'}[name]
    return subprocess.run([sys.executable, '-c', probe], capture_output=True).returncode == 0


def describe():
    """Returns the GPU, its driver and its clocks, as nvidia-smi says them."""
    fields = ('name', 'driver_version', 'clocks.sm', 'clocks.max.sm', 'clocks.mem', 'power.limit')
    try:
        done = subprocess.run(['nvidia-smi', '--query-gpu=' + ','.join(fields), '--format=csv,noheader'],
                              capture_output=True, text=True, timeout=30)
        values = [value.strip() for value in done.stdout.split('\n')[0].split(',')]
    except (OSError, subprocess.TimeoutExpired):
        values = []
    return dict(zip(fields, values)) if len(values) == len(fields) else {'name': 'unknown: nvidia-smi does not answer'}


def sides_of(options):
    steps = {'STEPS': options.steps, 'SMALL': options.small, 'ONLY': options.only}
    tensh = [options.tensh, '/dev/stdin']
    yield 'tensh', tensh, side_text('tensh_side.py', **steps)
    if has_gpu_module('torch'):
        for how in ('eager', 'graphs', 'compile'):
            yield 'torch ' + how, [sys.executable, '-'], side_text('torch_side.py', HOW=how, DEVICE='cuda', **steps)
    if has_gpu_module('jax'):
        yield 'jax jit', [sys.executable, '-'], side_text('jax_side.py', **steps)
    on_cpu = dict(steps, STEPS=1)
    yield REFERENCE, tensh, side_text('tensh_side.py', **on_cpu).replace(
        'tf.Session()', "tf.Session(config=tf.ConfigProto(device_count={'GPU': 0}))")


def error_of(got, wanted):
    if not got or not wanted:
        return None
    return max(abs(a - b) for a, b in zip(got, wanted)) / (max(map(abs, wanted)) or 1)


def add_errors(results):
    for side, found in results.items():
        for name, result in found.items():
            reference = results.get(REFERENCE, {}).get(name, {}).get('value')
            result['error_of_value'] = None if side == REFERENCE else error_of(result.pop('value', None), reference)


def cell(result):
    if 'us' not in result:
        return 'failed' if 'error' in result else '-'
    error = result.get('error_of_value')
    return '%.1f%s' % (result['us'], '' if error is None else ' ±%.0e' % error)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--tensh', default=os.path.join(ROOT, 'build', 'tensh'))
    parser.add_argument('--only', default='', metavar='TEXT', help='run the workloads whose name contains this text')
    parser.add_argument('--steps', type=int, default=200, help='time at most so many steps of a workload')
    parser.add_argument('--timeout', type=int, default=600, help='seconds for one side')
    parser.add_argument('--json', metavar='FILE', help='also write the results to a file')
    parser.add_argument('--small', action='store_true', help='small sizes, to test the benchmark itself')
    options = parser.parse_args()
    found = subprocess.run([options.tensh, '-c', 'devices'], capture_output=True, text=True)
    if 'device:GPU:0' not in found.stdout:
        why = subprocess.run([options.tensh, '-c', 'devices --verbose'], capture_output=True, text=True)
        print('gpu_bench: skipped:', why.stdout.strip().split('\n')[-1] or 'tensh does not start')
        return 77
    before = describe()
    results, ended = {}, {}
    for side, command, text in sides_of(options):
        results[side], why = results_of(command, text, options.timeout)
        if why:
            ended[side] = why
    add_errors(results)
    after = describe()
    print('; '.join('%s %s' % item for item in before.items()), '; afterwards clocks.sm', after.get('clocks.sm', '-'))
    names = list(dict.fromkeys(name for found in results.values() for name in found))
    print('%-32s' % 'µs a step ± error of a result', *('%16s' % side for side in results))
    for name in names:
        print('%-32s' % name, *('%16s' % cell(found.get(name, {})) for found in results.values()))
    failed = [(side, name, result['error']) for side, found in results.items() for name, result in found.items()
              if 'error' in result]
    for side, name, why in failed:
        print('%s: %s: %s' % (side, name, why))
    for side, why in ended.items():
        print('%s ended: %s' % (side, why))
    if options.json:
        with open(options.json, 'w', encoding='utf-8') as f:
            json.dump({'device': before, 'afterwards': after, 'sides': results, 'ended': ended}, f, indent=1)
    return 1 if failed or ended else 0


if __name__ == '__main__':
    sys.exit(main())
