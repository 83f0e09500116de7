#!/usr/bin/env python3
"""Tests `./dev` on machines that differ from this one: other distributions, proxies, read-only checkouts.

    dev_test.py BUILD [NAME ...]     BUILD has tensh, for `./dev bench`

The programs that it would install packages with are replaced by scripts that write down how they were called.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NOBODY = 65534
TOOLS = ['bash', 'dirname', 'env', 'grep', 'realpath', 'sh', 'sleep', 'true']


class Dev(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='tensh_dev_')
        self.log = os.path.join(self.folder, 'log')
        self.bin = os.path.join(self.folder, 'bin')
        os.mkdir(self.bin)
        os.chmod(self.folder, 0o777)
        for name in TOOLS:
            os.symlink(shutil.which(name), os.path.join(self.bin, name))
        shutil.copy(os.path.join(ROOT, 'dev'), self.folder)

    def tearDown(self):
        shutil.rmtree(self.folder)

    def program(self, name, script):
        path = os.path.join(self.bin, name)
        with open(path, 'w', encoding='utf-8') as f:
            f.write('#!/bin/sh\n' + script)
        os.chmod(path, 0o755)

    def dev(self, *args, **env):
        """Runs dev as a user who is not root. Returns its messages."""
        user = {'user': NOBODY, 'group': NOBODY, 'extra_groups': []} if os.geteuid() == 0 else {}
        done = subprocess.run([os.path.join(self.folder, 'dev'), *args], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={'PATH': self.bin, **env}, **user)
        self.assertNotEqual(done.returncode, 0)  # none of these machines can build
        return done.stdout.decode()

    def debian(self, foreign='', installed=''):
        self.program('dpkg-query', "printf '%s'\n" % installed)
        self.program('dpkg', 'case $1 in --print-architecture) echo amd64 ;; --print-foreign-architectures) echo "%s" ;;\n'
                             '*) echo "dpkg $*" >>%s ;; esac\n' % (foreign, self.log))
        self.program('apt-get', 'echo "apt-get $* proxy=$http_proxy secure=$https_proxy" >>%s\n' % self.log)

    def lines(self):
        with open(self.log, encoding='utf-8') as f:
            return f.read().splitlines()

    def test_proxy_and_lock(self):
        self.debian()
        self.program('sudo', '[ "$1" != -n ] || shift\nexec env -i PATH="$PATH" "$@"\n')
        for proxies in ({'http_proxy': 'http://127.0.0.1:1', 'https_proxy': 'http://127.0.0.1:2'},
                        {'HTTP_PROXY': 'http://127.0.0.1:1', 'HTTPS_PROXY': 'http://127.0.0.1:2'}):
            if os.path.exists(self.log):
                os.remove(self.log)
            self.dev('run', **proxies)
            update, install = self.lines()
            self.assertIn(' update ', update)
            self.assertRegex(install, r' install .* g\+\+ cmake .* zlib1g-dev ')
            for line in (update, install):
                self.assertIn('-o DPkg::Lock::Timeout=600', line)
                self.assertTrue(line.endswith('proxy=http://127.0.0.1:1 secure=http://127.0.0.1:2'), line)

    def test_lists_are_locked(self):
        self.debian()
        self.program('sudo', '[ "$1" != -n ] || shift\nexec "$@"\n')
        with open(os.path.join(self.bin, 'apt-get'), encoding='utf-8') as f:
            works = f.read().split('\n', 1)[1]
        self.program('apt-get', works + '[ $(grep -c " update " %s) != 1 ] || '
                     '{ echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt)" >&2; exit 100; }\n' % self.log)
        self.assertIn('dev: waiting for another apt process\n', self.dev('run'))
        self.assertEqual([' update ' in line for line in self.lines()], [True, True, False])

    def test_without_sudo(self):
        self.debian(installed='installed=g++:amd64 installed=zlib1g-dev:arm64 installed=python3:amd64 ')
        out = self.dev('run')
        self.assertIn('as root, run:\n  apt-get update && apt-get install -y', out)
        self.assertNotIn(' g++ ', out)
        self.assertNotIn(' python3 ', out)
        self.assertIn(' zlib1g-dev', out)  # that of another architecture does not count
        self.assertFalse(os.path.exists(self.log))

    def test_cross(self):
        self.debian(installed='installed=zlib1g-dev:amd64 installed=libre2-dev:arm64 installed=cmake:amd64 ')
        out = self.dev('cross')
        self.assertIn('run:\n  dpkg --add-architecture arm64 && apt-get update && apt-get install', out)
        self.assertIn(' zlib1g-dev:arm64', out)
        self.assertNotIn('libre2-dev', out)
        self.debian(foreign='arm64')
        self.program('sudo', '[ "$1" != -n ] || shift\nexec "$@"\n')
        self.dev('cross')
        self.assertFalse([line for line in self.lines() if line.startswith('dpkg ')])
        self.debian()
        self.dev('cross')
        self.assertIn('dpkg --add-architecture arm64', self.lines())

    def test_other_distributions(self):
        release = os.path.join(self.folder, 'os-release')
        for text, command in (('ID=fedora', 'sudo dnf install /usr/bin/g++ /usr/bin/cmake /usr/bin/ninja'),
                              ('ID="rocky"\nID_LIKE="rhel centos fedora"', 'sudo dnf install /usr/bin/g++'),
                              ('ID=opensuse-leap\nID_LIKE="suse opensuse"', 'sudo zypper install /usr/bin/g++'),
                              ('ID=arch', 'pacman -Fq /usr/bin/g++'), ('ID=alpine', 'apk add cmd:g++ cmd:cmake cmd:ninja'),
                              ('ID=other', None)):
            with open(release, 'w', encoding='utf-8') as f:
                f.write(text + '\n')
            with self.subTest(text):
                out = self.dev('run', TENSH_OS_RELEASE=release)
                self.assertRegex(out, r'(?m)^  g\+\+ +the command g\+\+$')
                self.assertRegex(out, r'(?m)^  libsqlite3-dev +the header sqlite3.h$')
                self.assertEqual('This may do it:\n  ' in out, command is not None, out)
                self.assertIn(command or '', out)
                if command and 'apk' not in command:
                    self.assertIn(' /usr/include/sqlite3.h', out)


class Filter(unittest.TestCase):
    """`./dev test FILTER` builds what the chosen tests need. ninja, ctest and python3 are scripts that write down their calls."""

    TARGETS = {'unit.ops': 'ops_test', 'unit.core': 'core_test', 'dist': 'tensh tensh_dist', 'lint.layers': ''}

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='tensh_dev_')
        self.log = os.path.join(self.folder, 'log')
        self.bin = os.path.join(self.folder, 'bin')
        for name in ('bin', 'build', 'ops/array'):
            os.makedirs(os.path.join(self.folder, name))
        for name in TOOLS + ['awk', 'find', 'sed', 'sort']:
            os.symlink(shutil.which(name), os.path.join(self.bin, name))
        shutil.copy(os.path.join(ROOT, 'dev'), self.folder)
        self.write('ops/array/one_hot.cc', '{.name = "OneHot",')
        self.write('build/build.ninja', '')
        self.write('build/CMakeCache.txt', 'TENSH_TESTS:BOOL=ON\nTENSH_FAKE_GPU:BOOL=ON\n')
        self.write('build/test_targets.txt', ''.join('%s %s\n' % item for item in self.TARGETS.items()))
        for name in ('ninja', 'python3'):
            self.program(name, '')
        self.program('ctest', 'case " $* " in *" -N "*)\n  for name in %s; do\n'
                              '    ! echo $name | grep -Eq -- "$5" || echo "  Test #1: $name"\n  done\nesac\n' % ' '.join(self.TARGETS))

    def tearDown(self):
        shutil.rmtree(self.folder)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), 'w', encoding='utf-8') as f:
            f.write(text)

    def program(self, name, script):
        self.write('bin/' + name, '#!/bin/sh\necho "%s $*" >>%s\n%s' % (name, self.log, script))
        os.chmod(os.path.join(self.bin, name), 0o755)

    def run_verb(self, *filters):
        """Returns the exit code, the targets that were built, and the calls of the tests."""
        self.write('log', '')
        done = subprocess.run([os.path.join(self.folder, 'dev'), 'test', *filters], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={'PATH': self.bin})
        with open(self.log, encoding='utf-8') as f:
            calls = [line for line in f.read().splitlines() if ' -N ' not in line]
        builds = [line.split()[3:] for line in calls if line.startswith('ninja ')]
        self.assertEqual(builds.pop(0), ['build.ninja'], done.stdout.decode())
        return done.returncode, sum(builds, []), [line for line in calls if not line.startswith('ninja ')]

    def test_builds_what_the_tests_need(self):
        for filters, targets, expression in ((['unit.ops'], ['ops_test'], 'unit.ops'), (['dist'], ['tensh', 'tensh_dist'], 'dist'),
                                             (['^unit'], ['core_test', 'ops_test'], '^unit'), (['lint'], [], 'lint'),
                                             (['unit.core', 'lint'], ['core_test'], 'unit.core|lint')):
            with self.subTest(filters):
                code, built, calls = self.run_verb(*filters)
                self.assertEqual((code, built), (0, targets))
                self.assertEqual(len(calls), 1)
                self.assertTrue(calls[0].startswith('ctest ') and calls[0].endswith(' -R ' + expression), calls)

    def test_ops(self):
        for name in ('OneHot', 'one_hot', 'ops/array/one_hot.cc', 'ops/array'):
            with self.subTest(name):
                self.assertEqual(self.run_verb(name), (0, ['tensh', 'oracle_test', 'ops_test'],
                                                        ['python3 tests/op_test.py --build build ' + name]))

    def test_unknown(self):
        self.assertEqual(self.run_verb('onehot'), (1, [], []))


class ReadOnly(unittest.TestCase):
    def test_build_elsewhere(self):
        if os.geteuid() != 0:
            self.skipTest('only root can be another user, who may not write')
        with tempfile.TemporaryDirectory(prefix='tensh_dev_') as folder:
            os.chmod(folder, 0o755)
            checkout, build = os.path.join(folder, 'checkout'), os.path.join(folder, 'elsewhere')
            shutil.copytree(ROOT, checkout, ignore=shutil.ignore_patterns('build', '.git', '__pycache__'))
            subprocess.run(['chmod', '-R', 'a+rX', checkout], check=True)
            os.mkdir(build)
            os.chown(build, NOBODY, NOBODY)

            def listing():
                return sorted(os.path.join(at, name) for at, _, names in os.walk(checkout) for name in names)
            before = listing()
            done = subprocess.run([os.path.join(checkout, 'dev'), '-B', build, 'build-preset', 'release', 'tensh_base'],
                                  cwd='/', stdout=subprocess.PIPE, stderr=subprocess.STDOUT, user=NOBODY, group=NOBODY,
                                  extra_groups=[], env={**os.environ, 'HOME': build, 'CCACHE_DIR': build + '/ccache'})
            self.assertEqual(done.returncode, 0, done.stdout.decode())
            self.assertTrue(os.path.exists(os.path.join(build, 'libtensh_base.a')))
            self.assertEqual(listing(), before)


class Bench(unittest.TestCase):
    def test_checkout_stays_clean(self):
        with tempfile.TemporaryDirectory(prefix='tensh_dev_') as folder:
            for name in ('tests/bench', 'docs'):
                shutil.copytree(os.path.join(ROOT, name), os.path.join(folder, name))
            shutil.copy(os.path.join(ROOT, '.gitignore'), folder)

            def git(*args):
                return subprocess.run(['git', '-C', folder, '-c', 'user.name=x', '-c', 'user.email=x@x', *args],
                                      check=True, stdout=subprocess.PIPE).stdout.decode()
            git('init', '--quiet')
            git('add', '.')
            git('commit', '--quiet', '-m', 'x')
            tools = os.path.join(folder, '.git', 'tools')  # the program is built already
            os.mkdir(tools)
            os.symlink(shutil.which('true'), os.path.join(tools, 'ninja'))
            subprocess.run([sys.executable, 'tests/bench/bench.py', '--no-tensorflow', '--rounds', '1', 'startup', 'classic'],
                           cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env={**os.environ, 'TENSH_BUILD': BUILD, 'PATH': tools + ':' + os.environ['PATH']})
            self.assertEqual(git('status', '--porcelain'), '')


if __name__ == '__main__':
    BUILD = os.path.abspath(sys.argv.pop(1))
    unittest.main()
