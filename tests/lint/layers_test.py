#!/usr/bin/env python3
"""cmake/layers.py and cmake/budgets.py say no when they should, and yes when they should."""
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# (script, file, text, what the complaint must contain; None: no complaint)
ROWS = [
    ('layers', 'runtime/graph/a.cc', '#include "runtime/core/status.h"\n', None),
    ('layers', 'runtime/graph/a.cc', '#include "runtime/plan/prune.h"\n', 'not below this layer'),
    ('layers', 'runtime/graph/a.cc', '#include "status.h"\n', 'paths from the root'),
    ('layers', 'ops/math/a.cc', '#include "runtime/graph/graph.h"\n', 'not below this layer'),
    ('layers', 'ops/math/a.cc', '#include "devices/cpu/cpu_device.h"\n', 'not below this layer'),
    ('layers', 'devices/cpu/a.cc', '#include "ops/op_file.h"\n', 'not below this layer'),
    ('layers', 'runtime/core/a.cc', '#include "runtime/graph/graph.h"\n', 'not below this layer'),
    ('layers', 'shell/client.cc', '#include "runtime/api/tensh.h"\n', None),
    ('layers', 'shell/repl.cc', '#include "runtime/api/tensh.h"\n', 'not below this layer'),
    ('layers', 'samples/embed.c', '#include "runtime/session/session.h"\n', 'not below this layer'),
    ('layers', 'ops/support/gemm.cc', '#include <Eigen/Core>\n', None),
    ('layers', 'ops/math/a.cc', '#include <Eigen/Core>\n', 'Eigen stays in'),
    ('layers', 'ops/support/gemm.h', '#pragma once\n#include <Eigen/Core>\n', 'Eigen stays in'),
    ('layers', 'ops/support/t.cc', '#include <unsupported/Eigen/CXX11/Tensor>\n', 'banned'),
    ('layers', 'runtime/exec/step.cc', '#include <nlohmann/json.hpp>\n', 'nlohmann/json has one'),
    ('layers', 'shell/repl.h', '#pragma once\n#include <iostream>\n', 'too heavy'),
    ('layers', 'shell/repl.h', '#include <string>\n', '#pragma once'),
    ('layers', 'ops/math/a.cc', 'void F() { throw 1; }\n', 'no throw'),
    ('layers', 'ops/math/a.cc', '// a throw in a comment, and "throw" in a string\n', None),
    ('layers', 'shell/repl.cc', 'void F() { throw 1; }\n', None),
    ('budgets', 'shell/a.cc', 'int x;\n' * 600, None),
    ('budgets', 'shell/a.cc', 'int x;\n' * 601, 'the cap is 600'),
    ('budgets', 'shell/a.cc', 'int x; \n', 'trailing space'),
]

# What the rows include, so that only the layer can be wrong.
HEADERS = ['runtime/core/status.h', 'runtime/graph/graph.h', 'runtime/plan/prune.h',
           'runtime/session/session.h', 'runtime/api/tensh.h', 'ops/op_file.h',
           'devices/cpu/cpu_device.h']


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as f:
        f.write(text)


class LintTest(unittest.TestCase):
    def test_rows(self):
        for script, path, text, want in ROWS:
            with self.subTest(script=script, path=path, text=text[:60]):
                self.check(script, path, text, want)

    def check(self, script, path, text, want):
        with tempfile.TemporaryDirectory() as root:
            for name in HEADERS:
                write(os.path.join(root, name), '#pragma once\n')
            write(os.path.join(root, path), text)
            done = subprocess.run(
                [sys.executable, os.path.join(ROOT, 'cmake', script + '.py'), root],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if want is None:
            self.assertEqual(done.returncode, 0, done.stdout)
        else:
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(want, done.stdout)
            self.assertIn(path + ':', done.stdout)


if __name__ == '__main__':
    unittest.main()
