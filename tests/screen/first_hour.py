#!/usr/bin/env python3
"""Types the sessions of docs/first-hour.md into a terminal, and compares or rewrites the screens in it.

    first_hour.py --tensh build/tensh [--update]

Each block with the info string `tensh` is what one terminal shows: lines that begin with `$ ` start a session, cells
follow their prompts, and the rest is output. `tensh paste` sends the cells as one paste. `tensh varies` is
rewritten, but compared only by its cells, because what it shows depends on the machine. Durations, dates and the
memory addresses of other blocks may differ.
"""
import difflib
import os
import re
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import editor_test  # noqa: E402  (exits with 77 without pexpect and pyte)

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(ROOT, 'docs', 'first-hour.md')
BLOCK = re.compile(r'^```tensh([^\n]*)\n(.*?)^```$', re.M | re.S)
CELL = re.compile(r'^(?:\[\d+\]> |\.\.+> ?)(.*)$')
COLUMNS, ROWS = 100, 400
VARIES = [(re.compile(r'\d[\d.,]* (?:ns|µs|ms|s)\b'), '# s'), (re.compile(r'\d+ \w{3} \d{4}, \d\d:\d\d'), 'DATE'),
          (re.compile(r'0x[0-9a-f]+'), '0x#'), (re.compile(r'\s+'), ' ')]


class Page:
    """The terminal that all blocks share. It is high enough to never scroll."""

    def __init__(self, home):
        self.home, self.terminal = home, None

    def start(self, arguments):
        self.leave()
        self.terminal = editor_test.Terminal(columns=COLUMNS, rows=ROWS, args=arguments, HOME=self.home, NO_COLOR='1',
                                             TENSH_HISTORY=os.path.join(self.home, 'history'), PAGER='cat',
                                             XDG_STATE_HOME=os.path.join(self.home, 'state'),
                                             XDG_CONFIG_HOME=os.path.join(self.home, 'config'))
        self.terminal.prompt()

    def leave(self):
        if self.terminal:
            self.terminal.close()
        self.terminal = None

    def row(self):
        return self.terminal.screen.cursor.y

    def settle(self, before):
        """Waits for the next prompt."""
        t = self.terminal
        t.until(lambda: self.row() > before and editor_test.PROMPT.fullmatch(t.cursor_row()), 'prompt')
        t.read(0.1)

    def show(self, block, pasted):
        """Types the cells of a block. Returns what the screen shows from the first one to the next prompt."""
        lines = block.rstrip('\n').split('\n')
        head = []
        first = 0
        if lines[0].startswith('$ '):
            self.start(lines[0][2:].split()[1:])
            head = [lines.pop(0)]
        else:
            first = self.row()
        cells = self.cells(lines)
        if pasted:
            self.terminal.keys(editor_test.paste('\n'.join('\n'.join(cell) for cell in cells) + '\n'))
            before = self.row()
            self.terminal.read(0.3)
            if editor_test.PROMPT.fullmatch(self.terminal.cursor_row()) is None:
                self.terminal.keys('\r')
            self.settle(before)
        else:
            for cell in cells:
                before = self.row()
                for line in cell:  # the editor indents by itself: start each line at its beginning
                    self.terminal.keys('\x15' + line + '\r')
                    self.terminal.read(0.05)
                if len(cell) > 1 and not editor_test.PROMPT.fullmatch(self.terminal.cursor_row()):
                    self.terminal.keys('\x15\r')
                self.settle(before)
        shown = [line.rstrip() for line in self.terminal.screen.display[first:self.row()]]
        return '\n'.join(head + shown) + '\n'

    @staticmethod
    def cells(lines):
        cells = []
        for line in lines:
            match = CELL.match(line)
            if match and line.startswith('['):
                cells.append([match.group(1)])
            elif match and cells:
                cells[-1].append(match.group(1))
        return cells


def same(text):
    lines = []
    for line in text.split('\n'):
        for pattern, by in VARIES:
            line = pattern.sub(by, line)
        lines.append(line.rstrip())
    return lines


def main():
    arguments = sys.argv[1:]
    editor_test.TENSH = os.path.abspath(arguments[arguments.index('--tensh') + 1])
    update = '--update' in arguments
    with open(PAGE, encoding='utf-8') as f:
        text = f.read()
    home = tempfile.mkdtemp()
    page = Page(home)
    differences = []

    def replace(match):
        kind, block = match.group(1).split(), match.group(2)
        shown = page.show(block, 'paste' in kind)
        was, now = same(block), same(shown)
        if 'varies' in kind:
            was, now = ([line for line in lines if CELL.match(line)] for lines in (was, now))
        if was != now:
            differences.extend(difflib.unified_diff(was, now, 'docs/first-hour.md', 'the screen', lineterm=''))
        return '```tensh%s\n%s```' % (match.group(1), shown)

    os.chdir(os.path.join(ROOT))
    try:
        result = BLOCK.sub(replace, text)
    finally:
        page.leave()
        shutil.rmtree(home, ignore_errors=True)
    if update:
        with open(PAGE, 'w', encoding='utf-8') as f:
            f.write(result)
    elif differences:
        print('\n'.join(differences))
        print('docs/first-hour.md differs from what tensh shows; look, then rewrite it:')
        print('  python3 tests/screen/first_hour.py --tensh build/tensh --update')
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
