#!/usr/bin/env python3
"""Prints the state of the house, one line for each room, and fails if a limit is exceeded.

    python3 cmake/house.py [--check]      --check prints only what exceeds a limit

A room is a folder of the table in docs/ARCHITECTURE.md. The columns:

  files, lines   C, C++ and CUDA sources, without tests
  comments       share of comment lines: in headers (.h, .hpp) and in bodies (.cc, .cu)
  clauses        sentences of comments that begin with a clause used as a noun ("What is fed is ...")
  long, complex  functions over 60 lines, and functions with a cyclomatic complexity over 25; needs lizard
                 (`./dev lint` installs it from PyPI into build/tools)
  tests          lines of unit tests for each line of source
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import layers  # noqa: E402  (a module beside this file)

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOMS = ['runtime/base', 'runtime/core', 'runtime/graph', 'runtime/plan', 'runtime/exec', 'runtime/session', 'runtime/dist', 'runtime/api',
         'runtime/include', 'ops', 'devices', 'shell/text', 'shell/python', 'shell/client', 'shell/print', 'shell/numpy',
         'shell/tensorflow', 'shell/session', 'shell/explain', 'shell/plot', 'shell/edit', 'shell/live', 'shell/commands', 'shell']
PUBLIC_HEADER = 'runtime/include/tensh/tensh.h'
LONG, COMPLEX = 60, 25
CLAUSE_SHARE = 1.5     # percent of all sentences
TEST_SHARE = 0.15      # lines of unit tests for each line of source
# Rooms with other tests than unit tests.
TESTED_ELSEWHERE = {
    'ops': 'the examples in their files, the recordings of tests/oracle and the fuzzers call every op',
    'runtime/include': 'tests/unit/api, the samples and the shell use the headers',
    'shell': 'tests/cli, tests/screen and tests/dist run the program, its prompt and its server',
}
# Functions that may exceed a limit, with the reason.
EXEMPT = {
    'TENSH_OPS': 'a list of registrations, one after the other',
    'Vm::Loop': 'one dispatch loop with one case for each instruction, so that the registers stay in registers',
}
CLAUSE = re.compile(r'^(What|Who|Whom|Whose|Where|Whether|How|Whatever|Whoever|Wherever)\b(?!.*\?$)')
COMMENT = re.compile(r'^\s*//')
TRAILING = re.compile(r'\s\s// (.*)$')
HEADERS = ('.h', '.hpp')


def room_of(path):
    return max((room for room in ROOMS if path.startswith(room + '/')), key=len, default=None)


def as_line_comments(lines):
    """Replaces the block comments of C headers by // comments."""
    inside = False
    for line in lines:
        begins = re.match(r'\s*/\*', line)
        if inside or begins:
            inside = '*/' not in line
            text = re.sub(r'^\s*/?\*+/?|\*/\s*$', '', line)
            yield '// ' + text.strip()
        else:
            yield line


def sentences(lines):
    """The sentences of the // comments of a file."""
    block = []
    for line in lines + ['']:
        if COMMENT.match(line):
            block.append(line.strip()[2:].strip())
            continue
        if block:
            yield from split(' '.join(block))
            block = []
        match = TRAILING.search(line)
        if match and '://' not in line:
            yield from split(match.group(1))


def split(text):
    for sentence in re.split(r'(?<=[.;:])\s+(?=[A-Z])', text):
        if re.search('[A-Za-z]{2}', sentence):
            yield sentence.strip()


def closure(path, seen=None):
    """The headers of ours that a header includes, directly or not, with itself."""
    seen = seen if seen is not None else set()
    if path in seen or not os.path.exists(os.path.join(ROOT, path)):
        return seen
    seen.add(path)
    for line in read(path):
        match = layers.INCLUDE.match(line)
        if match and match.group(1) == '"':
            closure(match.group(2), seen)
    return seen


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8', errors='replace') as f:
        return f.read().split('\n')


class Room:
    """The counts of one room. Rooms can be added, for the last line of the table."""

    def __init__(self):
        self.files = self.lines = self.tests = self.sentences = self.clauses = self.functions = 0
        self.header = [0, 0]  # comment lines, lines
        self.body = [0, 0]
        self.long, self.complex = [], []

    def __iadd__(self, other):
        for name, value in vars(other).items():
            mine = getattr(self, name)
            both = [sum(pair) for pair in zip(mine, value)] if name in ('header', 'body') else mine + value
            setattr(self, name, both)
        return self

    def add(self, path):
        lines = list(as_line_comments(read(path)))
        kind = self.header if path.endswith(HEADERS) else self.body
        kind[0] += sum(bool(COMMENT.match(line)) for line in lines)
        kind[1] += len(lines)
        self.files += 1
        self.lines += len(lines)
        for sentence in sentences(lines):
            self.sentences += 1
            self.clauses += bool(CLAUSE.match(sentence))


def add_functions(rooms, paths):
    """Counts functions with lizard. Returns False if it is not installed."""
    try:
        import lizard
    except ImportError:
        return False
    for analysed in lizard.analyze_files([os.path.join(ROOT, path) for path in paths], threads=1):
        path = os.path.relpath(analysed.filename, ROOT)
        room = rooms[room_of(path)]
        for function in analysed.function_list:
            room.functions += 1
            name = '%s:%d %s' % (path, function.start_line, function.name.split('shell::')[-1])
            if any(name.endswith(exempt) for exempt in EXEMPT):
                continue
            if function.length > LONG:
                room.long.append('%s has %d lines; the limit is %d' % (name, function.length, LONG))
            if function.cyclomatic_complexity > COMPLEX:
                room.complex.append('%s has complexity %d; the limit is %d' % (name, function.cyclomatic_complexity, COMPLEX))
    return True


def share(part, whole):
    return 100 * part / whole if whole else 0


def main():
    rooms = {room: Room() for room in ROOMS}
    paths = [path for path in layers.sources(ROOT) if path.endswith(HEADERS + ('.cc', '.cu')) and room_of(path)]
    for path in paths:
        rooms[room_of(path)].add(path)
    for folder, _, files in os.walk(os.path.join(ROOT, 'tests', 'unit')):
        for name in files:
            if name.endswith('.cc'):
                path = os.path.relpath(os.path.join(folder, name), os.path.join(ROOT, 'tests', 'unit'))
                room = room_of(path) or room_of('runtime/' + path)
                if room:
                    rooms[room].tests += len(read(os.path.join('tests/unit', path)))
    counted = add_functions(rooms, paths)
    circles = layers.circles(layers.folder_graph(ROOT, paths))
    present = {name: room for name, room in rooms.items() if room.files}
    total = Room()
    for room in present.values():
        total += room
    if '--check' not in sys.argv:
        print('%-18s %6s %7s %16s %9s %6s %8s %6s' %
              ('room', 'files', 'lines', 'comments h / cc', 'clauses', 'long', 'complex', 'tests'))
        for name, room in list(present.items()) + [('all', total)]:
            print('%-18s %6d %7d %6.1f %% / %4.1f %% %7.1f %% %6s %8s %6.2f' % (
                name, room.files, room.lines, share(*room.header), share(*room.body), share(room.clauses, room.sentences),
                len(room.long) if counted else '-', len(room.complex) if counted else '-', room.tests / room.lines))
    clauses = share(total.clauses, total.sentences)
    over, tangled, functions = total.long, total.complex, total.functions
    headers = len(closure(PUBLIC_HEADER))
    print('circles between folders: %d; clauses used as nouns: %.1f %%; functions over %d lines: %s; complexity over %d: %s; '
          'headers that %s needs: %d' %
          (len(circles), clauses, LONG, '%d (%.2f %%)' % (len(over), share(len(over), functions)) if counted else 'not counted',
           COMPLEX, len(tangled) if counted else 'not counted', PUBLIC_HEADER, headers))
    problems = []
    if circles:
        problems += ['a circle of folders: ' + ' '.join(circle) for circle in circles]
    if clauses > CLAUSE_SHARE:
        problems.append('%.1f %% of the sentences begin with a clause used as a noun; the limit is %.1f %%' % (clauses, CLAUSE_SHARE))
    problems += over + tangled
    for name, room in present.items():
        if room.tests < TEST_SHARE * room.lines and name not in TESTED_ELSEWHERE:
            problems.append('%s has %.2f lines of unit tests for each line of source; the least is %.2f' %
                            (name, room.tests / room.lines, TEST_SHARE))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
