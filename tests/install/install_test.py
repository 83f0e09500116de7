#!/usr/bin/env python3
"""Installs a build into a scratch folder, moves it elsewhere, and builds and runs programs against it.

    install_test.py --build build/dev [NAME ...]

$CC and $CXX name the compilers (cc, c++). Checks that need pkg-config or the plug-in for gRPC are skipped where these are
missing.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CC, CXX = os.environ.get('CC', 'cc'), os.environ.get('CXX', 'c++')
BUILD = ''
EMBED_CPP = '4 10 18 \n3 3 \nbad: '
# The whole tree, except documentation and samples; * stands for a version.
FILES = '''bin/tensh
include/tensh/tensh.h
include/tensh/tensh.hpp
include/tensh/tensh_handles.hpp
include/tensh/tensh_import.h
include/tensh/tensh_op.h
include/tensh/tensh_server.h
include/tensh/tensh_tensor.hpp
include/tensh/tensh_trace.h
LIB/cmake/tensh/tenshConfig.cmake
LIB/cmake/tensh/tenshConfigVersion.cmake
LIB/cmake/tensh/tenshTargets.cmake
LIB/libtensh.so
LIB/libtensh.so.0
LIB/libtensh.so.0.*
LIB/pkgconfig/tensh.pc'''.split()


def run(*command, env=None, cwd=None):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env, cwd=cwd, timeout=300)
    text = done.stdout.decode()
    if done.returncode != 0:
        raise AssertionError('%s: exit code %d\n%s' % (' '.join(command), done.returncode, text))
    return text


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.mkdtemp(prefix='tensh_install_')
        first = os.path.join(cls.work, 'first')
        run('cmake', '--install', BUILD, '--prefix', first)
        # no file may contain the original path
        cls.prefix = os.path.join(cls.work, 'moved', 'here')
        os.makedirs(os.path.dirname(cls.prefix))
        os.rename(first, cls.prefix)
        cls.lib = next(os.path.relpath(folder, cls.prefix) for folder, _, files in os.walk(cls.prefix)
                       if 'libtensh.so' in files)
        env = {k: v for k, v in os.environ.items() if not k.startswith('TENSH_')}
        env.update(LD_LIBRARY_PATH=os.path.join(cls.prefix, cls.lib), NO_COLOR='1', TERM='dumb', no_proxy='*',
                   PKG_CONFIG_PATH=os.path.join(cls.prefix, cls.lib, 'pkgconfig'))
        cls.env = env
        cls.tensh = os.path.join(cls.prefix, 'bin', 'tensh')
        cls.samples = os.path.join(cls.prefix, 'share', 'tensh', 'samples')
        cls.flags = ['-I' + os.path.join(cls.prefix, 'include'), '-L' + os.path.join(cls.prefix, cls.lib), '-ltensh']

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work)

    def build(self, compiler, source, name, *flags):
        out = os.path.join(self.work, name)
        run(compiler, '-Wall', '-Wextra', '-Werror', '-pedantic', os.path.join(self.samples, source), '-o', out, *flags)
        return out

    def go(self, *command):
        return run(*command, env=self.env, cwd=self.work)

    def test_tree(self):
        found = []
        for folder, _, files in os.walk(self.prefix):
            found += [os.path.relpath(os.path.join(folder, name), self.prefix) for name in files]
        for want in FILES:
            pattern = re.escape(want.replace('LIB', self.lib)).replace(r'\*', '.*')
            self.assertTrue(any(re.fullmatch(pattern, name) for name in found), want)
        self.assertNotIn('include/tensh/tensh_plugin.h', found)
        self.assertIn('share/doc/tensh/embedding.md', found)
        self.assertIn('share/tensh/samples/embed.c', found)

    def test_each_header_alone(self):
        folder = os.path.join(self.prefix, 'include', 'tensh')
        for name in sorted(os.listdir(folder)):
            source = '#include "tensh/%s"\n' % name
            for compiler, language, standard in ((CC, 'c', 'c99'), (CXX, 'c++', 'c++17'), (CXX, 'c++', 'c++20')):
                if language == 'c' and name.endswith('.hpp'):
                    continue
                for more in ([], ['-fno-exceptions'] if language == 'c++' else []):
                    subprocess.run([compiler, '-x', language, '-std=' + standard, '-Wall', '-Wextra', '-Werror',
                                    '-pedantic', '-fsyntax-only', *more, self.flags[0], '-'],
                                   input=source.encode(), check=True)

    def test_samples_by_pkg_config(self):
        if not shutil.which('pkg-config'):
            self.skipTest('no pkg-config')
        flags = self.go('pkg-config', '--cflags', '--libs', 'tensh').split()
        version = self.go('pkg-config', '--modversion', 'tensh').strip()
        self.assertEqual(self.go(self.tensh, '--version').strip(), 'tensh ' + version)
        c = self.build(CC, 'embed.c', 'embed_c', '-std=c99', *flags)
        self.assertTrue(self.go(c).startswith('[3, 5]\n{'))
        cpp = self.build(CXX, 'embed.cpp', 'embed_cpp', '-std=c++17', *flags)
        self.assertTrue(self.go(cpp).startswith(EMBED_CPP), self.go(cpp))
        op = self.build(CXX, 'custom_op.cc', 'custom_op', '-std=c++17', *flags)
        self.assertEqual(self.go(op), '-1.5 0 0.5 \n')

    def test_find_package(self):
        folder = os.path.join(self.work, 'project')
        os.makedirs(folder)
        with open(os.path.join(folder, 'CMakeLists.txt'), 'w') as f:
            f.write('cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES C CXX)\n'
                    'find_package(tensh 0.1 REQUIRED)\nset(CMAKE_CXX_STANDARD 17)\n')
            for name, source in (('c', 'embed.c'), ('cpp', 'embed.cpp')):
                f.write('add_executable(%s %s)\ntarget_link_libraries(%s tensh::tensh)\n'
                        % (name, os.path.join(self.samples, source), name))
        self.go('cmake', '-S', folder, '-B', folder, '-DCMAKE_PREFIX_PATH=' + self.prefix)
        self.go('cmake', '--build', folder)
        self.assertTrue(self.go(os.path.join(folder, 'c')).startswith('[3, 5]\n'))
        self.assertTrue(self.go(os.path.join(folder, 'cpp')).startswith(EMBED_CPP))
        # A version that is too new is refused.
        with open(os.path.join(folder, 'CMakeLists.txt')) as f:
            text = f.read().replace('tensh 0.1 ', 'tensh 0.99 ')
        with open(os.path.join(folder, 'CMakeLists.txt'), 'w') as f:
            f.write(text)
        with self.assertRaisesRegex(AssertionError, '0.99'):
            self.go('cmake', '-S', folder, '-B', os.path.join(folder, 'b'), '-DCMAKE_PREFIX_PATH=' + self.prefix)

    def test_library_of_ops(self):
        library = self.build(CXX, 'custom_op.cc', 'custom_op.so', '-std=c++17', '-shared', '-fPIC', self.flags[0])
        load = 'my = tf.load_op_library("./custom_op.so")'
        self.assertEqual(self.go(self.tensh, '-c', load + '\neval my.soft_threshold([-3., .5, 2.])'), '[-2.  0.  1.]\n')
        twice = load + '\n' + load + '\neval my.soft_threshold([2.], limit=.5)\nprint(sorted(n for n in dir(my)))'
        self.assertIn("'soft_threshold'", self.go(self.tensh, '-c', twice))
        # A process that loaded libtensh.so without making its symbols global, as ctypes does.
        code = ('import ctypes\n'
                't = ctypes.CDLL("libtensh.so.0")\n'
                'names = ctypes.c_char_p()\n'
                'assert t.tsh_load_library(b"%s", ctypes.byref(names), None)\n'
                'print(names.value.decode().strip())\n' % library)
        self.assertEqual(self.go(sys.executable, '-c', code), 'SoftThreshold\n')

    def test_packages_of_python(self):
        if not os.path.exists(os.path.join(self.prefix, self.lib, 'tensh', 'libtensh_python.so')):
            self.skipTest('built without the plug-in for CPython')
        env = dict(self.env, TENSH_PYTHON=os.environ.get('TENSH_TF_PYTHON') or sys.executable)
        out = run(self.tensh, '-c', 'try: import ipaddress\nexcept ImportError as e: print(e)\nelse: print(ipaddress.ip_address(1))',
                  env=env, cwd='/')
        self.assertIn(out.strip(), ('0.0.0.1', "No module named 'ipaddress'"), out)
        if out.strip() != '0.0.0.1':  # only a Python without a shared library cannot be used
            text = subprocess.run([self.tensh, '-c', 'import ipaddress'], stderr=subprocess.PIPE, env=env).stderr.decode()
            self.assertIn('it has no shared library', text)

    def test_plugin_is_found(self):
        if not os.path.exists(os.path.join(self.prefix, self.lib, 'tensh', 'libtensh_dist.so')):
            self.skipTest('built without the gRPC plug-in')
        link = os.path.join(self.work, 'link')
        os.symlink(self.tensh, link)
        server = subprocess.Popen([link, 'serve', '--port', '0'], stdout=subprocess.PIPE, env=self.env, cwd='/')
        try:
            target = server.stdout.readline().decode().split()[-1]
            self.assertTrue(target.startswith('grpc://'), target)
            moved = "import os\nos.chdir('/')\nconnect %s\neval tf.add(1, 2)" % target
            done = run(os.path.join('.', 'tensh'), '-c', moved, env=self.env, cwd=os.path.dirname(self.tensh))
            self.assertEqual(done.split()[-1], '3')
            cpp = self.build(CXX, 'embed.cpp', 'embed_remote', '-std=c++17', *self.flags)
            self.assertTrue(self.go(cpp, target).startswith(EMBED_CPP))
        finally:
            server.terminate()
            server.wait(30)
            server.stdout.close()


if __name__ == '__main__':
    at = sys.argv.index('--build')
    BUILD = sys.argv[at + 1]
    del sys.argv[at:at + 2]
    unittest.main()
