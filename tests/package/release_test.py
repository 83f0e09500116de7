#!/usr/bin/env python3
"""Tests `./dev release`: what it stamps and what it refuses, in a repository of copies of the files that it needs."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FILES = ['dev', 'CHANGELOG.md', 'runtime/include/tensh/tensh.h', 'cmake/release.py', 'cmake/changelog.py', 'cmake/files.py']
HEADER = 'runtime/include/tensh/tensh.h'
NOTES = '''# Changelog

## Unreleased

### The shell

* An entry of
  [two lines](docs/x.md).

## 0.0.9 (2025-02-03)

* Older.
'''


class Release(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='tensh_release_')
        for path in FILES:
            os.makedirs(os.path.join(self.folder, os.path.dirname(path)), exist_ok=True)
            shutil.copy(os.path.join(ROOT, path), os.path.join(self.folder, path))
        self.write('CHANGELOG.md', NOTES)
        self.write('.gitignore', '__pycache__\n')
        self.git('init', '-q')
        self.commit()

    def tearDown(self):
        shutil.rmtree(self.folder)

    def git(self, *args):
        subprocess.run(['git', '-c', 'user.name=t', '-c', 'user.email=t@t.example', *args], cwd=self.folder, check=True)

    def commit(self):
        self.git('add', '-A')
        self.git('commit', '-qm', 'x')

    def write(self, path, text):
        with open(os.path.join(self.folder, path), 'w', encoding='utf-8') as f:
            f.write(text)

    def read(self, path):
        with open(os.path.join(self.folder, path), encoding='utf-8') as f:
            return f.read()

    def run_in(self, *command):
        done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout.decode()

    def refused(self, why, *args):
        code, out = self.run_in('./dev', 'release', '--dry-run', *args)
        self.assertEqual(code, 1, out)
        self.assertIn(why, out)

    def test_dry_run(self):
        header = self.read(HEADER)
        code, out = self.run_in('./dev', 'release', '1.22.333', '--dry-run')
        self.assertEqual(code, 0, out)
        for line in ('+#define TENSH_VERSION_MAJOR 1', '+#define TENSH_VERSION_MINOR 22', '+#define TENSH_VERSION_PATCH 333',
                     '+#define TENSH_VERSION "1.22.333"', "git tag -a v1.22.333"):
            self.assertIn(line, out)
        self.assertRegex(out, r'(?m)^\+## 1\.22\.333 \(\d{4}-\d\d-\d\d\)$')
        self.assertEqual((self.read(HEADER), self.read('CHANGELOG.md')), (header, NOTES))

    def test_stamps(self):
        code, out = self.run_in(sys.executable, 'cmake/release.py', '1.22.333')
        self.assertEqual(code, 0, out)
        self.assertEqual(re.findall(r'#define TENSH_VERSION\S* (\S+)', self.read(HEADER)), ['1', '22', '333', '"1.22.333"'])
        notes = re.sub(r'\d{4}-\d\d-\d\d', 'DATE', self.read('CHANGELOG.md'))
        self.assertEqual(notes, NOTES.replace('2025-02-03', 'DATE').replace(
            '## Unreleased\n', '## Unreleased\n\nNothing yet.\n\n## 1.22.333 (DATE)\n'))
        # Now there is nothing to release.
        self.commit()
        self.refused('no entries below', '1.23.0')

    def test_refuses(self):
        self.refused('three numbers', '1.2')
        self.refused('lower than', '0.0.1')
        self.git('tag', 'v7.0.0')
        self.refused('the tag v7.0.0 exists', '7.0.0')
        self.write('new', '')
        self.refused('?? new', '8.0.0')

    def test_failure_restores(self):
        # This copy cannot be built.
        header = self.read(HEADER)
        code, out = self.run_in('env', 'PATH=' + self.tools(), './dev', 'release', '9.0.0')
        self.assertNotEqual(code, 0)
        self.assertIn('its stamps are undone', out)
        self.assertEqual((self.read(HEADER), self.read('CHANGELOG.md')), (header, NOTES))

    def test_size_of_the_archive(self):
        archive = os.path.join(self.folder, 'tensh-1.0.0-linux-x86_64.tar.xz')
        for size, refused in ((12_000_000, False), (12_000_001, True)):
            with open(archive, 'wb') as f:
                f.truncate(size)
            code, out = self.run_in(sys.executable, 'cmake/release.py', '--sizes', self.folder)
            self.assertEqual(code != 0, refused, out)
        self.assertIn('12.0 MB, more than 12', out)

    def tools(self):
        """Returns a folder of the programs that may run: neither apt-get nor dpkg-query is among them."""
        folder = os.path.join(self.folder, '.git', 'tools')
        os.makedirs(folder)
        for name in ('bash', 'dirname', 'env', 'git', 'grep', 'realpath', 'tput'):
            os.symlink(shutil.which(name), os.path.join(folder, name))
        os.symlink(sys.executable, os.path.join(folder, 'python3'))
        return folder

    def test_debian_changelog(self):
        sys.path.insert(0, os.path.join(ROOT, 'cmake'))
        import changelog
        with open(os.path.join(ROOT, 'CHANGELOG.md'), encoding='utf-8') as f:
            changelog.parse(f.read())  # raises ValueError if it cannot parse the text
        text = changelog.debian(changelog.parse(NOTES), '0.1.0~dev-1', 86400, 'A <a@b.example>')
        self.assertEqual(text, '''tensh (0.1.0~dev-1) UNRELEASED; urgency=medium

  [ The shell ]
  * An entry of two lines.

 -- A <a@b.example>  Fri, 02 Jan 1970 00:00:00 +0000

tensh (0.0.9-1) unstable; urgency=medium

  * Older.

 -- A <a@b.example>  Mon, 03 Feb 2025 12:00:00 +0000
''')


if __name__ == '__main__':
    unittest.main()
