#!/usr/bin/env python3
"""Types the cells of docs/labs into terminals, and compares the pages with what tensh prints.

    labs_test.py --tensh build/tensh [--update] [PAGE ...]      --update writes the output into the pages

A block that begins with ```tensh NAME is typed into the terminal NAME. `$ COMMAND` starts a program in it. The output of a block that is marked
with `varies` is not compared. Times differ from run to run and are compared as <time>.
"""
import argparse
import glob
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

import student

FENCE = re.compile(r'^```tensh (\w+)( varies)?\n(.*?)^```$', re.S | re.M)
PORTS = ('2221', '2222', '2223')


def free_ports():
    sockets = [socket.socket() for _ in PORTS]
    for each in sockets:
        each.bind(('127.0.0.1', 0))
    ports = [str(each.getsockname()[1]) for each in sockets]
    for each in sockets:
        each.close()
    return dict(zip(PORTS, ports))


def cells(block):
    """Yields the lines of each command or cell, and the lines of its output."""
    typed, printed = [], []
    for line in block.split('\n')[:-1]:
        if re.match(r'\$ |\[\d+\]> ', line):
            if typed:
                yield typed, printed
            typed, printed = [line], []
        elif line.startswith('....>'):
            typed.append(line)
        else:
            printed.append(line)
    if typed:
        yield typed, printed


def alike(lines):
    text = re.sub(r'\d+(\.\d+)? (ns|µs|ms|s)\b', '<time>', '\n'.join(lines))
    return re.sub(r'[ ]+', ' ', re.sub(r'^tensh [0-9.]+', 'tensh', text)).strip()


class Page:
    def __init__(self, tensh, path):
        self.tensh, self.path, self.home = tensh, path, tempfile.mkdtemp(prefix='tensh-lab-')
        self.terminals, self.wrong = {}, []
        self.ports = free_ports()

    def there(self, text):
        for port, used in self.ports.items():
            text = text.replace(':' + port, ':' + used)
        return text

    def back(self, text):
        for port, used in self.ports.items():
            text = text.replace(':' + used, ':' + port)
        return text

    def type(self, name, typed):
        """Returns the lines that are printed."""
        if typed[0].startswith('$ '):
            words = shlex.split(self.there(typed[0][2:]))
            assert words[0] == 'tensh'
            serves = words[1:2] == ['serve']
            t = student.Student(self.tensh, self.home, *words[1:], ready=r'serving grpc.*\n' if serves else student.PROMPT)
            self.terminals[name] = t
            said = t.banner
        else:
            lines = [typed[0].split('> ', 1)[1]] + [line[5:].removeprefix(' ') for line in typed[1:]]
            number = typed[0].split('>')[0]
            t = self.terminals[name]
            if t.prompt != number:
                self.wrong.append('%s: %s is typed at the prompt %s' % (self.path, typed[0], t.prompt))
            said = t.type(self.there('\n'.join(lines)))
        said = re.sub(r'\[\d+\]> $', '', self.back(said))
        return [line.rstrip() for line in said.split('\n') if line.rstrip() and not re.match(r'\.\.\.+>', line)]

    def block(self, match):
        name, varies, text = match.groups()
        out = '```tensh %s%s\n' % (name, varies or '')
        for typed, printed in cells(text):
            said = self.type(name, typed)
            out += '\n'.join(typed + said) + '\n'
            if alike(said) != alike(printed) and not varies:
                self.wrong.append('%s: %s\nthe page has\n%s\ntensh prints\n%s\n' % (self.path, typed[0], alike(printed), alike(said)))
        # Times and the like stay as they are, so that an update changes only what differs.
        return out + '```' if alike(out.split('\n')) != alike(match.group(0).split('\n')) and not (varies and '\n' in text and not self.empty(text)) else match.group(0)

    @staticmethod
    def empty(text):
        return not any(printed for _, printed in cells(text))

    def play(self):
        with open(self.path, encoding='utf-8') as f:
            return FENCE.sub(self.block, f.read())

    def hand_in(self):
        """The README asks for the script of `dump`, which must run."""
        for name, t in self.terminals.items():
            if not t.prompt.startswith('['):
                continue  # a server
            script = os.path.join(self.home, name + '.tsh')
            t.type('dump > ' + script)
            done = subprocess.run([self.tensh, script], cwd=self.home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
            if done.returncode:
                self.wrong.append('%s: the script of the terminal %s fails:\n%s' % (self.path, name, done.stderr.decode()))

    def close(self):
        for each in self.terminals.values():
            each.end(signal.SIGKILL)
        shutil.rmtree(self.home)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--update', action='store_true')
    parser.add_argument('pages', nargs='*')
    args = parser.parse_args()
    tensh = os.path.abspath(args.tensh)
    pages = args.pages or sorted(glob.glob(os.path.join(student.ROOT, 'docs', 'labs', '[0-9]*.md')))
    wrong = []
    for path in pages:
        with open(path, encoding='utf-8') as f:
            if 'tensh serve' in f.read() and not os.path.exists(os.path.join(os.path.dirname(tensh), 'libtensh_dist.so')):
                print('%s is left out: libtensh_dist.so is not built' % path)
                continue
        page = Page(tensh, path)
        try:
            text = page.play()
            page.hand_in()
        finally:
            page.close()
        if args.update:
            with open(path, 'w', encoding='utf-8') as f:
                f.write(text)
        else:
            wrong += page.wrong
    if wrong:
        sys.exit('\n'.join(wrong) + '\nif this is right: labs_test.py --update')
    print('labs: %d pages as a terminal shows them' % len(pages))


if __name__ == '__main__':
    main()
