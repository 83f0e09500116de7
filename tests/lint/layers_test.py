#!/usr/bin/env python3
"""Checks that cmake/layers.py and cmake/budgets.py report violations, and nothing else."""
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# (script, file, text, required part of the message, or None if it is correct)
ROWS = [
    ('layers', 'runtime/graph/a.cc', '#include "runtime/core/status.h"\n', None),
    ('layers', 'runtime/graph/a.cc', '#include "runtime/plan/prune.h"\n', 'not below this layer'),
    ('layers', 'runtime/graph/a.cc', '#include "status.h"\n', 'paths from the root'),
    ('layers', 'ops/math/a.cc', '#include "runtime/graph/graph.h"\n', 'not below this layer'),
    ('layers', 'ops/math/a.cc', '#include "devices/cpu/cpu_device.h"\n', 'not below this layer'),
    ('layers', 'devices/cpu/a.cc', '#include "ops/op_file.h"\n', 'not below this layer'),
    ('layers', 'runtime/core/a.cc', '#include "runtime/graph/graph.h"\n', 'not below this layer'),
    ('layers', 'shell/client/client.h', '#pragma once\n#include "tensh/tensh.hpp"\n', None),
    ('layers', 'runtime/include/tensh/a.h', '#include "runtime/core/status.h"\n', 'not below this layer'),
    ('layers', 'shell/repl.cc', '#include "tensh/tensh.h"\n', 'not below this layer'),
    ('layers', 'shell/python/vm/a.cc', '#include "shell/numpy/array.h"\n', 'not below this layer'),
    ('layers', 'shell/numpy/a.cc', '#include "shell/tensorflow/graph/graph.h"\n', 'not below this layer'),
    ('layers', 'shell/tensorflow/nn/a.cc', '#include "shell/commands/base/shell.h"\n', 'not below this layer'),
    ('layers', 'samples/embed.c', '#include "runtime/session/session.h"\n', 'not below this layer'),
    ('layers', 'ops/linalg/eigen_lu.cc', '#include <Eigen/Core>\n', None),
    ('layers', 'ops/math/a.cc', '#include <Eigen/Core>\n', 'Eigen stays in'),
    ('layers', 'ops/linalg/lu.h', '#pragma once\n#include <Eigen/Core>\n', 'Eigen stays in'),
    ('layers', 'ops/linalg/eigen_t.cc', '#include <unsupported/Eigen/CXX11/Tensor>\n', 'banned'),
    ('layers', 'runtime/core/files/files.cc', '#include <filesystem>\n', None),
    ('layers', 'shell/repl.cc', '#include <filesystem>\n', None),
    ('layers', 'runtime/exec/a.cc', '#include <filesystem>\n', 'runtime/core/files/files.h'),
    ('layers', 'ops/io/a.cc', '#include <fstream>\n', 'runtime/core/files/files.h'),
    ('layers', 'ops/io/a.cc', 'auto* f = std::fopen(path, "r");\n', 'runtime/core/files/files.h'),
    ('layers', 'runtime/exec/step.cc', '#include <nlohmann/json.hpp>\n', 'nlohmann/json has one'),
    ('layers', 'shell/repl.h', '#pragma once\n#include <iostream>\n', 'too heavy'),
    ('layers', 'shell/repl.h', '#include <string>\n', '#pragma once'),
    ('layers', 'ops/math/a.cc', 'void F() { throw 1; }\n', 'no throw'),
    ('layers', 'ops/math/a.cc', '// a throw in a comment, and "throw" in a string\n', None),
    ('layers', 'shell/repl.cc', 'void F() { throw 1; }\n', None),
    ('layers', 'runtime/plan/a.cc', 'bool c = op.name == "Const";\n', 'no comparison with an op name'),
    ('layers', 'runtime/graph/a.cc', 'bool c = "_Send" != op_name();\n', 'no comparison with an op name'),
    ('layers', 'runtime/api/a.cc', 'bool c = name.rfind("Placeholder", 0) == 0;\n', 'no comparison with an op name'),
    ('layers', 'runtime/exec/a.cc', 'bool c = op.name.starts_with("Resource");\n', 'no comparison with an op name'),
    ('layers', 'runtime/plan/a.cc', 'bool c = type == "CPU";  // not == "Const"\n', None),
    ('layers', 'runtime/graph/a.cc', 'auto n = Add("Const", name == "loc:@");\n', None),
    ('layers', 'runtime/dist/wire/metadata.cc', 'bool c = node.op() == "_Send";\n', None),
    ('layers', 'shell/tf/a.cc', 'bool c = op == "Const";\n', None),
    ('layers', 'shell/commands/a.cc', 'auto n = tsh_node_num_inputs(graph.get(), node);\n', 'through GraphHandle'),
    ('layers', 'shell/client/client.cc', 'auto n = tsh_node_num_inputs(graph.get(), node);\n', None),
    ('layers', 'shell/repl.cc', 'auto* v = std::getenv("TENSH_X");\n', 'options travel in structs'),
    ('layers', 'runtime/api/a.cc', '::setenv("TENSH_X", "1", 1);\n', 'options travel in structs'),
    ('layers', 'shell/tls.cc', 'auto* v = std::getenv("TENSH_TLS_CA");\n', None),
    ('layers', 'shell/commands/a.cc', 'if (error.Message().rfind("Input", 0) == 0) {}\n', 'no code parses a message'),
    ('layers', 'shell/commands/a.cc', 'if (e.exception().hint.text.starts_with("feed ")) {}\n', 'no code parses a message'),
    ('layers', 'shell/python/vm/a.cc', 'if (e.Message() != "unsupported operand: " + types) throw;\n', 'no code parses a message'),
    ('layers', 'runtime/exec/fetches.cc', 'if (status.message().find("uninitialized") != npos) {}\n', 'no code parses a message'),
    ('layers', 'runtime/dist/cluster.cc', 'if (message.starts_with("From /job:")) {}\n', None),
    ('layers', 'shell/commands/a.cc', 'if (text.starts_with("feed ")) {}\n', None),
    ('budgets', 'shell/a.cc', 'int x;\n' * 600, None),
    ('budgets', 'shell/a.cc', 'int x;\n' * 601, 'the cap is 600'),
    ('budgets', 'shell/a.cc', 'int x; \n', 'trailing space'),
]

# Headers that the rows include, so that only the layer can be wrong.
HEADERS = ['runtime/core/status.h', 'runtime/graph/graph.h', 'runtime/plan/prune.h',
           'runtime/session/session.h', 'tensh/tensh.h', 'runtime/include/tensh/tensh.hpp', 'ops/op_file.h',
           'devices/cpu/cpu_device.h', 'shell/numpy/array.h', 'shell/tensorflow/graph/graph.h', 'shell/commands/base/shell.h']


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as f:
        f.write(text)


class LintTest(unittest.TestCase):
    def test_rows(self):
        for script, path, text, want in ROWS:
            with self.subTest(script=script, path=path, text=text[:60]):
                self.check(script, path, text, want)

    def test_circle(self):
        with tempfile.TemporaryDirectory() as root:
            write(os.path.join(root, 'shell/explain/a.h'), '#pragma once\n#include "shell/text/b.h"\n')
            write(os.path.join(root, 'shell/text/b.h'), '#pragma once\n')
            self.assertEqual(self.lint(root).returncode, 0)
            write(os.path.join(root, 'shell/text/b.cc'), '#include "shell/explain/a.h"\n')
            done = self.lint(root)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn('shell/text/ and shell/explain/ are in a circle: shell/text/b.cc includes shell/explain/a.h', done.stdout)

    def lint(self, root):
        return subprocess.run([sys.executable, os.path.join(ROOT, 'cmake', 'layers.py'), root],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

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
