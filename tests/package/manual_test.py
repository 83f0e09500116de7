#!/usr/bin/env python3
"""Tests the man pages and completions: they are complete, and the programs that read them accept them.

    manual_test.py --tensh build/tensh --manual build/manual [NAME ...]

Programs that are not installed (mandoc, groff, zsh, fish) are skipped, and named.
"""
import os
import re
import shutil
import subprocess
import sys
import unittest

TENSH = MANUAL = ''
# Completes the words "$@" with the last one unfinished, and prints the candidates.
BASH = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tensh; printf "%s\\n" "${COMPREPLY[@]}"'


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    return done.returncode, done.stdout.decode()


def read(name):
    with open(os.path.join(MANUAL, name), encoding='utf-8') as f:
        return f.read()


def options(*command):
    """Returns the options that a usage text lists."""
    text = run(TENSH, *command, '--help')[1]
    rows = re.findall(r'^  (-.*)$', text, re.M)
    # Descriptions follow two spaces. Some mention other options.
    return {name for row in rows for name in re.findall(r'(?<![\w-])--?[a-zA-Z][a-z0-9-]*', row.split('   ')[0])}


class Manual(unittest.TestCase):
    def test_every_option(self):
        for command, page in (([], 'tensh.1'), (['serve'], 'tensh-serve.1')):
            found = options(*command)
            self.assertGreater(len(found), 10)
            text = read(page).replace('\\-', '-')
            for name in found:
                self.assertIn(name, text)
                self.assertIn(name, read('tensh.bash'))
                self.assertIn("'%s[" % name, read('_tensh'))
                self.assertIn(('-l ' + name[2:] if name.startswith('--') else '-s ' + name[1:]) + ' ', read('tensh.fish'))

    def test_every_verb(self):
        verbs = re.findall(r'^## (\S+)\n\n`', run(TENSH, '--dump-docs', 'commands')[1], re.M)
        self.assertGreater(len(verbs), 40)
        for verb in verbs:
            self.assertRegex(read('tensh.1'), r'(?m)^\.B ' + re.escape(verb) + r'\b')

    def test_pages_render(self):
        programs = {'mandoc': ['mandoc', '-T', 'lint', '-W', 'warning,stop'], 'groff': ['groff', '-ww', '-man', '-Tutf8', '-z']}
        for name, command in programs.items():
            if not shutil.which(name):
                print('manual: no', name)
                continue
            for page in ('tensh.1', 'tensh-serve.1'):
                self.assertEqual(run(*command, os.path.join(MANUAL, page)), (0, ''), page)

    def complete(self, *words):
        code, out = run('bash', '-c', BASH, os.path.join(MANUAL, 'tensh.bash'), *words, cwd=MANUAL)
        self.assertEqual(code, 0, out)
        return out.split()

    def test_bash(self):
        self.assertEqual(self.complete('tensh', '--keep'), ['--keep-going'])
        self.assertEqual(self.complete('tensh', 'ser'), ['serve'])
        self.assertEqual(self.complete('tensh', 'serve', '--po'), ['--port'])
        self.assertEqual(self.complete('tensh', 'serve', '--tls-ca', 'tensh.f'), ['tensh.fish'])
        self.assertEqual(self.complete('tensh', 'tensh.f'), ['tensh.fish'])
        self.assertEqual(self.complete('tensh', '--cpus', ''), [])  # a number, not a file
        self.assertEqual(self.complete('tensh', 'serve', '--port', ''), [])

    def test_descriptions(self):
        """Every option has one in the menus of zsh and fish, and it is cut between words."""
        about = re.findall(r"^    '[^\[]+\[(.*?)(?<!\\)\]", read('_tensh'), re.M) + re.findall(r" -d '(.*)'$", read('tensh.fish'), re.M)
        self.assertGreater(len(about), 40)
        for text in about:
            self.assertRegex(text, r'^[a-zA-Z].*([a-zA-Z0-9)]| …)$')
        self.assertIn(r'grpc\://', read('_tensh'))  # an unescaped colon would end the description

    def test_other_shells(self):
        for shell, flag, name in (('zsh', '-n', '_tensh'), ('fish', '--no-execute', 'tensh.fish')):
            if shutil.which(shell):
                self.assertEqual(run(shell, flag, os.path.join(MANUAL, name)), (0, ''))
            else:
                print('manual: no', shell)


if __name__ == '__main__':
    for option in ('--tensh', '--manual'):
        at = sys.argv.index(option)
        if option == '--tensh':
            TENSH = os.path.abspath(sys.argv[at + 1])
        else:
            MANUAL = os.path.abspath(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    unittest.main()
