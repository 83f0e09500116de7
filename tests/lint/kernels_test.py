#!/usr/bin/env python3
"""Checks that cmake/kernels.py reports kernels over their budget, and nothing else. Needs no nvcc."""
import contextlib
import importlib.util
import io
import os
import stat
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
spec = importlib.util.spec_from_file_location('kernels', os.path.join(ROOT, 'cmake', 'kernels.py'))
kernels = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kernels)


def entry(name, registers, frame, shared=0, arch='sm_90'):
    return '''ptxas info    : Compiling entry function '%s' for '%s'
ptxas info    : Function properties for %s
    %d bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used %d registers, used 1 barriers%s
ptxas info    : Compile time = 3.000 ms
''' % (name, arch, name, frame, registers, ', %d bytes smem' % shared if shared else '')


class Kernels(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = self.folder.name
        kernels.ROOT = self.root
        kernels.BUDGET = self.file('budget', 'nvcc 13.0\n# file kernels\nops/a.cu 2 40 64 1 8\n')
        self.file('ops/a.cu', '')
        nvcc = self.file('nvcc', '#!/bin/sh\necho Cuda compilation tools, release 13.0, V13.0.88\n')
        os.chmod(nvcc, stat.S_IRWXU)
        self.file('build/CMakeCache.txt', 'NVCC:FILEPATH=%s\n' % nvcc)
        self.file('build/cuda/ops_a.cu.o.d', 'ops_a.o: %s/ops/a.cu \\\n x.h\n' % self.root)

    def tearDown(self):
        self.folder.cleanup()

    def file(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        return path

    def check(self, *entries):
        self.file('build/cuda/ops_a.cu.ptxas', ''.join(entries))
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = kernels.check(os.path.join(self.root, 'build'))
        return code, out.getvalue()

    def test_within_the_budget(self):
        code, text = self.check(entry('f', 40, 8), entry('g', 12, 0, 64), entry('f', 255, 99, arch='sm_80'))
        self.assertEqual((code, text), (0, 'kernels: 1 files compiled for sm_90, 0 problems\n'))

    def test_a_kernel_with_a_new_stack_frame(self):
        code, text = self.check(entry('f', 40, 8), entry('g', 12, 8))
        self.assertEqual(code, 1)
        self.assertIn('ops/a.cu: framed: 2, the budget is 1\n', text)

    def test_each_column(self):
        for over, name in ((entry('f', 41, 0), 'registers'), (entry('f', 1, 16), 'frame'), (entry('f', 1, 0, 65), 'shared')):
            code, text = self.check(over)
            self.assertEqual(code, 1)
            self.assertIn('ops/a.cu: %s: ' % name, text)

    def test_a_file_without_a_budget(self):
        kernels.BUDGET = self.file('budget', 'nvcc 13.0\n')
        code, text = self.check(entry('f', 40, 8))
        self.assertEqual(code, 1)
        self.assertIn('add: ops/a.cu 1 40 0 1 8\n', text)

    def test_another_compiler_is_not_compared(self):
        kernels.BUDGET = self.file('budget', 'nvcc 12.4\nops/a.cu 1 1 0 0 0\n')
        code, text = self.check(entry('f', 40, 8))
        self.assertEqual(code, 0)
        self.assertIn('not checked: the budget is for nvcc 12.4, and this is 13.0', text)

    def test_what_is_written_is_what_is_checked(self):
        self.check(entry('f', 77, 16, 128))
        kernels.write(os.path.join(self.root, 'build'))
        self.assertEqual(self.check(entry('f', 77, 16, 128))[0], 0)
        self.assertEqual(self.check(entry('f', 78, 16, 128))[0], 1)

    def test_what_ptxas_says_is_kept_and_the_rest_is_shown(self):
        log = os.path.join(self.root, 'log')
        says = 'import sys; sys.stderr.write("ptxas info    : Used 4 registers\\nwarning: w\\n"); sys.exit(3)'
        shown = io.StringIO()
        with contextlib.redirect_stderr(shown):
            self.assertEqual(kernels.compile_file(log, [sys.executable, '-c', says]), 3)
        self.assertEqual(shown.getvalue(), 'warning: w\n')
        with open(log, encoding='utf-8') as f:
            self.assertIn('Used 4 registers', f.read())


if __name__ == '__main__':
    unittest.main()
