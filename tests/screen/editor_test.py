#!/usr/bin/env python3
"""The prompt as a user sees it: keys go to a pseudo-terminal, and a terminal emulator shows the screen.

    editor_test.py --tensh build/tensh [NAME ...]

Needs Debian's python3-pyte and python3-pexpect, and is skipped without them.
"""
import os
import re
import signal
import subprocess
import sys
import termios
import tempfile
import time
import unittest

try:
    import pexpect
    import pyte
except ImportError:
    if sys.executable != '/usr/bin/python3' and os.path.exists('/usr/bin/python3'):
        os.execv('/usr/bin/python3', ['/usr/bin/python3'] + sys.argv)
    print('editor: skipped, python3-pyte or python3-pexpect is not installed')
    sys.exit(77)

TENSH = ''
UP, DOWN, RIGHT, LEFT = '\x1b[A', '\x1b[B', '\x1b[C', '\x1b[D'
PROMPT = re.compile(r'\[\d+\]>')


class Terminal:
    """A program on a pseudo-terminal with the screen of an emulator."""

    def __init__(self, command=None, columns=80, rows=24, args=(), **env):
        base = {k: v for k, v in os.environ.items() if not k.startswith('TENSH_') and k not in ('COLUMNS', 'LINES', 'NO_COLOR', 'COLORTERM')}
        base.update(TERM='xterm-256color', LC_ALL='C.UTF-8', HOME='/dev/null', XDG_STATE_HOME='/dev/null/x', TENSH_HISTORY='')
        base.update(env)
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b''
        self.child = pexpect.spawn(command or TENSH, list(args), dimensions=(rows, columns), env=base, timeout=60)

    def read(self, seconds=0.05):
        """Reads until nothing arrives for a while. Returns false at the end of the output."""
        while True:
            try:
                got = self.child.read_nonblocking(65536, seconds)
            except pexpect.TIMEOUT:
                return True
            except pexpect.EOF:
                return False
            self.raw += got
            self.stream.feed(got)

    def until(self, condition, what):
        end = time.monotonic() + 60
        while not condition():
            if time.monotonic() > end or not self.read():
                if condition():
                    return self
                raise AssertionError('no %s; the screen:\n%s' % (what, self.text()))
        return self

    def lines(self):
        lines = [line.rstrip() for line in self.screen.display]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def text(self):
        return '\n'.join(self.lines())

    def shows(self, text):
        return self.until(lambda: text in self.text(), repr(text))

    def cursor_row(self):
        return self.screen.display[self.screen.cursor.y].rstrip()

    def prompt(self):
        return self.until(lambda: PROMPT.fullmatch(self.cursor_row()), 'prompt')

    def keys(self, keys):
        self.child.send(keys)
        return self

    def run(self, line):
        """Types a line at an empty prompt and waits for the next one."""
        before = self.prompt().cursor_row()
        self.keys(line + '\r')
        return self.until(lambda: PROMPT.fullmatch(self.cursor_row()) and self.cursor_row() != before, 'prompt after ' + line)

    def row_of(self, text):
        return next(i for i, line in enumerate(self.screen.display) if text in line)

    def colour_of(self, text):
        y = self.row_of(text)
        return self.screen.buffer[y][self.screen.display[y].index(text)].fg

    def close(self):
        try:
            self.child.close(force=True)
        except pexpect.ExceptionPexpect:  # it waits a tenth of a second after SIGKILL, which a busy machine may take
            self.child.wait()


def paste(text):
    return '\x1b[200~' + text + '\x1b[201~'


class Editor(unittest.TestCase):
    def setUp(self):
        self.t = Terminal()
        self.t.prompt()

    def tearDown(self):
        self.t.close()

    def test_output_of_a_thread_stands_above_the_line_that_is_typed(self):
        self.t.run('import threading; tick = threading.Event()')
        self.t.run('def work(): tick.wait(); print("from the thread")').keys('\r')
        self.t.run('threading.Thread(target=work).start(); threading.Timer(1.5, tick.set).start()')
        self.t.keys('for i in range(2):\r').keys('print(i)').shows('from the thread')
        self.t.until(lambda: self.t.lines()[-3:] == ['from the thread', '[4]> for i in range(2):', '...>     print(i)'],
                     'the output above the cell')
        self.t.keys('\r\r').shows('\n0\n1\n')

    def test_a_paste_is_one_cell(self):
        """The gaps 1 and B.1 of a review: blank lines in functions and classes."""
        self.t.keys(paste('def f(x):\n    y = x + 1\n\n    z = y * 2\n\n    return z\nprint(f(3))\n'))
        self.t.shows('\n8\n').prompt()
        self.assertEqual(self.t.cursor_row(), '[2]>')
        self.t.keys(paste('class A:\n    def one(self):\n        return 1\n\n    def two(self):\n        return 2\n\nprint(A().one() + A().two(), "sum")\n'))
        self.t.shows('\n3 sum').prompt()
        self.t.keys(paste('if False:\n    print("yes")\n\nelse:\n    print("no" + "pe")\n')).keys('\r')
        self.t.shows('\nnope').prompt()
        self.t.keys(paste('        q = 6\n        print(q * 7)\n'))
        self.t.shows('\n42').prompt()
        self.assertNotIn('Error', self.t.text())

    def test_an_error_stops_the_rest_of_a_paste(self):
        self.t.keys(paste('print("fi" + "rst")\n1 / 0\nprint("ne" + "ver")\n'))
        self.t.shows('ZeroDivisionError').prompt()
        self.assertIn('\nfirst', self.t.text())
        self.assertNotIn('never', self.t.text())
        self.t.keys(paste('print("al" + "so")\nx = = 1\n'))  # a mistake in the last line: nothing runs
        self.t.shows('SyntaxError').prompt()
        self.assertNotIn('also', self.t.text())

    def test_a_pasted_session(self):
        for text in ('>>> n = 20\n>>> n + 1\n21\n>>> for i in [n]:\n...     print(i * 2 + 2)\n...\n42\n',
                     'In [1]: n = 20\n\nIn [2]: for i in [n]:\n   ...:     print(i * 2 + 2)\n   ...:\n42\n',
                     '[1]> n = 20\n[2]> for i in [n]:\n...>     print(i * 2 + 2)\n...>\n42\n'):
            self.t.keys('\x0c' + paste(text))
            self.t.shows('\n42').prompt()
            self.assertNotIn('Error', self.t.text())

    def test_a_paste_that_the_terminal_does_not_mark(self):
        self.t.keys('def f(x):\n    y = x + 1\n\n    return y\n\nprint(f(41))\n')
        self.t.shows('\n42').prompt()
        self.assertNotIn('Error', self.t.text())

    def test_lines_of_a_cell(self):
        for line in ('def f(x):', 'if x > 1:', 'return "large"', 'else:', 'return "small"'):
            self.t.keys(line + '\r').read()
        self.assertEqual(self.t.lines()[1:6], ['[1]> def f(x):', '...>     if x > 1:', '...>         return "large"', '...>     else:',
                                               '...>         return "small"'])
        self.t.keys('\r')
        self.t.prompt().run('f(0)').shows("\n'small'")
        # The whole cell comes back, its second line is changed, and it runs.
        self.t.keys(UP).keys(UP).read()
        self.t.keys(UP * 3 + '\x05\x7f and x < 5:\r')
        self.t.prompt().run('f(7)')
        self.assertEqual(self.t.lines()[-2:], ["'small'", '[5]>'])

    def test_history(self):
        for line in ('alpha = 1', 'beta = 2', 'alpha + beta'):
            self.t.run(line)
        self.t.keys('be' + UP).shows('[4]> beta = 2')
        self.t.keys('\x15\x12pha +').shows('search: pha +').shows('[4]> alpha + beta')
        self.t.keys('\x07').read()
        self.assertEqual(self.t.cursor_row(), '[4]>')
        self.t.keys('al').shows('[4]> alpha + beta')  # the suggestion
        self.assertEqual(self.t.screen.cursor.x, 7)
        self.t.keys(RIGHT + '\r').prompt()
        self.assertEqual(self.t.lines()[-2:], ['3', '[5]>'])
        self.t.keys('one two\x1f').read()
        self.assertEqual(self.t.cursor_row(), '[5]> one')

    def test_cells_of_another_session(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, 'history')
            for keys in (('def f():\r', 'return 42\r', '\r'), (UP, '\r')):
                self.t.close()
                self.t = Terminal(TENSH_HISTORY=file)
                self.t.prompt()
                for key in keys:
                    self.t.keys(key).read(0.1)
                self.t.until(lambda: self.t.cursor_row() == '[2]>', 'a second prompt')
            self.assertIn('[1]> def f():\n...>     return 42', self.t.text())

    def test_numbers(self):
        self.t.run('6 * 7').run('x = 1')
        self.t.run('In[1], Out[1]').shows("('6 * 7', 42)")

    def test_menu(self):
        self.t.keys('tf.\t').shows('scroll with the arrows')
        columns = [line for line in self.t.lines() if line.startswith(' ') and len(line.split()) > 2]
        self.assertGreater(len(columns), 5)  # several columns
        number = re.search(r'(\d+), scroll', self.t.text()).group(1)
        self.t.keys('\x1b[Z')  # the last one
        self.t.shows(' %s/%s ' % (number, number))
        self.t.keys('\x07').read()
        self.assertEqual(self.t.cursor_row(), '[1]> tf.')
        self.t.keys('\t').shows('scroll').keys('reduce_m').shows('reduce_mean')
        self.assertNotIn('reduce_sum', self.t.text())
        self.t.keys('\t').shows('1/').shows('tf.reduce_')
        self.t.keys('\r').read()
        self.assertRegex(self.t.text(), r'\[1\]> tf\.reduce_m\w+$')

    def completes(self, typed, *want, absent=()):
        """Types, presses Tab twice at most, and expects the texts on the screen."""
        self.t.keys('\x0c' + typed + '\t')
        for text in want:
            self.t.shows(text)
        for text in absent:
            self.assertNotIn(text, self.t.text())
        self.t.keys('\x03')
        self.t.prompt()

    def test_completion_by_position(self):
        """Gap 11 of the review."""
        self.t.run('alpha = tf.constant([1., 2.], name="scope/alpha"); x = tf.placeholder(tf.float32, [2], name="x"); w = tf.placeholder(tf.float32, [2], name="w")')
        self.t.run('y = x + w + alpha; d = {"first": 1, "second": 2}')
        self.completes('place alpha on ', 'cpu:0', 'cpu:1', absent=('on on',))
        self.completes('place ', 'alpha', 'scope/alpha')
        self.completes('eval y feed ', 'w=', 'x=')
        self.completes('eval y feed x=[1., 2.], ', 'w=')
        self.completes('eval y f', 'eval y feed')
        self.completes('nodes where ', 'device', 'inputs', 'name', 'op')
        self.completes('nodes where op ', '==', 'like')
        self.completes('eval scope/alpha:', 'scope/alpha:0')
        self.completes('set color ', 'off', 'on')
        self.completes('set theme ', 'dark', 'light', 'mono')
        self.completes('learn ', 'check', 'feeds')
        self.completes("d['", 'first', 'second')
        self.completes('help MatM', 'help MatMul')
        self.completes('import mat', 'math')
        self.completes('from math import s', 'sin', 'sqrt', absent=('sorted',))
        self.completes('at @', '@1', '@2')
        self.completes('tf.constant(1.).', 'dtype', 'shape')
        self.completes('tf.nn.conv2d(x, w, padding="', 'SAME', 'VALID')
        self.completes('tf.zeros([2], dtype=', 'tf.float32')
        self.completes('tf.matmul(x, transpose_b=True, tr', 'transpose_a=')
        self.completes('s = "abc".', 'upper')
        self.completes('for i in range(3): expla', 'explain')

    def test_colours(self):
        self.t.run('a = tf.constant([1.], name="node")')
        self.t.keys('\x0cif a: b = "text" + nope; # why').shows('why')
        colours = [self.t.colour_of(text) for text in ('if', 'a:', '"text"', 'nope', '# why')]
        self.assertEqual(len(set(colours)), 5, colours)
        self.assertNotIn('default', colours)
        self.t.keys('\x03').prompt().keys('\x0ceval node + nodf').shows('nodf')
        colours = [self.t.colour_of(text) for text in ('eval', 'node', 'nodf')]
        self.assertEqual(len(set(colours)), 3, colours)
        self.t.keys('\x15set theme mono\r').until(lambda: self.t.cursor_row() == '[3]>', 'prompt')
        self.t.keys('\x0cif a: b = "text"').shows('text')
        self.assertEqual(self.t.colour_of('"text"'), 'default')

    def test_plain_terminals(self):
        for env in ({'NO_COLOR': '1'}, {'TERM': 'dumb'}, {'LC_ALL': 'C'}):
            with self.subTest(env):
                t = Terminal(**env)
                t.prompt().run('a = tf.constant([1., 2.], name="a")').run('nodes').run('1 / 0')
                t.keys('if a: 1').read(0.2)
                self.assertNotRegex(t.raw, rb'\x1b\[[0-9;]*m')
                if 'LC_ALL' in env:
                    self.assertTrue(t.raw.isascii(), t.raw)
                if 'TERM' in env:
                    self.assertNotIn(b'\x1b', t.raw)
                t.close()

    def test_long_lines_and_wide_characters(self):
        line = 'x = "' + '日本 ' * 20 + '"'
        self.t.keys(line).read(0.2)
        self.assertEqual(re.sub(r'\n +', ' ', self.t.text().split('> ', 1)[1]).count('日本'), 20)
        self.t.keys('\x01y\x05\r').prompt()
        self.t.run('yx.count("日")').shows('\n20')
        self.t.keys('"e\u0301\u4e2d👨‍👩‍👧"' + LEFT + '\x7f\x7f').read(0.2)
        self.assertIn('"e\u0301"', self.t.cursor_row().replace('é', 'e\u0301'))

    def test_resizing(self):
        self.t.run('1 + 1')
        self.t.keys('"a line of some length that is typed while the window changes"').read(0.2)
        for columns in (120, 70, 90):
            self.t.screen.resize(24, columns)
            self.t.child.setwinsize(24, columns)
            self.t.read(0.3)
        self.assertEqual(self.t.text().count('a line of some length'), 1, self.t.text())
        self.t.keys('\r').prompt()

    def test_tiny_windows(self):
        for columns, rows in ((1, 1), (2, 2), (5, 3), (8, 1)):
            t = Terminal(columns=columns, rows=rows)
            t.read(1)
            t.keys('x = 40\r' + 'x + 2\r' + 'tf.\t\t\x1b').read(0.5)
            t.keys('\x03print("al" + "ive")\r').read(0.5)
            self.assertTrue(t.child.isalive())
            self.assertIn('alive', re.sub(r'\s|\x1b\[[0-9;?]*\w', '', t.raw.decode()))
            t.close()

    def test_external_editor(self):
        with tempfile.NamedTemporaryFile('w', suffix='.sh') as script:
            script.write('echo "print(40 + 2)" >> "$1"\n')
            script.flush()
            self.t.close()
            self.t = Terminal(EDITOR='sh ' + script.name, VISUAL='')
            self.t.prompt().keys('x = 1\x18\x05').shows('...> print(40 + 2)')
            self.t.keys('\r').shows('\n42')

    def test_vi_keys(self):
        self.t.run('set editor vi')
        self.t.keys('1 + 1 + 5\x1b').read(0.2)
        self.t.keys('xi6\r').shows('\n8')


class JobsAndSignals(unittest.TestCase):
    def test_suspend_and_continue(self):
        """Gap 10 of the review: Ctrl-Z and fg under a shell with job control."""
        t = Terminal('/bin/bash', args=['--norc', '--noprofile', '-i'], PS1='$ ')
        t.until(lambda: t.cursor_row().endswith('$'), 'shell')
        t.keys(TENSH + '\r').prompt()
        t.keys('1 + half').shows('[1]> 1 + half').keys('\x1a').shows('Stopped')
        t.until(lambda: t.cursor_row().endswith('$'), 'shell')
        t.keys('fg\r').until(lambda: t.cursor_row() == '[1]> 1 + half', 'line after fg')
        t.keys(LEFT * 4 + '\x0b41\r').shows('\n42').prompt()
        t.close()

    def test_stop_by_another_process(self):
        """SIGTSTP from elsewhere: the shell gets the terminal in its mode, and fg draws the line again."""
        t = Terminal('/bin/sh', args=['-i'], PS1='$ ')
        t.until(lambda: t.cursor_row().endswith('$'), 'shell')
        t.keys(TENSH + '\r').prompt()
        pid = int(subprocess.run(['pgrep', '-P', str(t.child.pid), '-n'], stdout=subprocess.PIPE, text=True).stdout)
        t.keys('1 + half').shows('[1]> 1 + half')
        os.kill(pid, signal.SIGCONT)
        t.read(0.2)
        self.assertEqual(t.cursor_row(), '[1]> 1 + half')
        os.kill(pid, signal.SIGTSTP)
        t.until(lambda: t.cursor_row().endswith('$'), 'shell')
        mode = termios.tcgetattr(t.child.child_fd)[3]
        self.assertTrue(mode & termios.ICANON and mode & termios.ECHO, mode)
        t.keys('fg\r').until(lambda: t.cursor_row() == '[1]> 1 + half', 'line after fg')
        t.keys(LEFT * 4 + '\x0b41\r').shows('\n42').prompt()
        t.close()

    def test_the_terminal_is_restored(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGABRT):
            with self.subTest(number):
                t = Terminal('/bin/bash', args=['--norc', '--noprofile', '-i'], PS1='$ ')
                t.until(lambda: t.cursor_row().endswith('$'), 'shell')
                t.keys('ulimit -c 0; ' + TENSH + '\r').prompt()
                pid = int(subprocess.run(['pgrep', '-P', str(t.child.pid), '-n'], stdout=subprocess.PIPE, text=True).stdout)
                t.keys('half').read(0.2)
                os.kill(pid, number)
                t.until(lambda: t.cursor_row().endswith('$'), 'shell after the signal')
                t.keys('stty -a\r').shows(' icanon').shows(' echo ')
                self.assertIn(b'\x1b[?2004l', t.raw)
                t.close()


if __name__ == '__main__':
    at = sys.argv.index('--tensh')
    TENSH = os.path.abspath(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    unittest.main()
