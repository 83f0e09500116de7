#!/usr/bin/env python3
"""Checks how nvcc's code rounds: denormals are flushed, and a*b+c is one instruction unless that is turned off.

    numbers_test.py --nvcc NVCC FLAG...
"""
import os
import subprocess
import sys
import tempfile

KERNEL = '__global__ void k(float* x) { x[0] = x[1] * x[2] + x[3]; }\n'


def ptx(nvcc, flags):
    with tempfile.TemporaryDirectory() as folder:
        source, out = os.path.join(folder, 'k.cu'), os.path.join(folder, 'k.ptx')
        with open(source, 'w') as f:
            f.write(KERNEL)
        subprocess.run([nvcc] + flags + ['-arch=compute_90', '-ptx', source, '-o', out], check=True)
        with open(out) as f:
            return f.read()


def main():
    nvcc, given = sys.argv[2], sys.argv[3:]
    flags = [flag for i, flag in enumerate(given) if '-gencode' not in given[max(i - 1, 0):i + 1] and not flag.startswith('-I')]
    fused = '--fmad=false' not in flags
    text = ptx(nvcc, flags)
    wanted = 'fma.rn.ftz.f32' if fused else 'mul.rn.ftz.f32'
    if wanted not in text and wanted.replace('.rn', '') not in text:
        print("no %s in\n%s" % (wanted, text))
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
