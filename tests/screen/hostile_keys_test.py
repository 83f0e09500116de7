#!/usr/bin/env python3
"""Types hostile key sequences at the prompt of a pseudo-terminal. Afterwards, the shell must still respond.

    hostile_keys_test.py --tensh build/tensh [CASE ...]

After each case, `print("alive", 6*7)` must work and the process must be alive. When it ends, the terminal's mode must
be as before. Uses only the standard library.
"""
import argparse
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import sys
import tempfile
import termios
import time

HOME = tempfile.mkdtemp()  # also the working folder
LIMIT = 60.0  # seconds to wait for a response on a loaded machine
CONTROL = re.compile(rb'[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]')
CSI = re.compile(rb'\x1b\[[0-9;?]*[A-Za-z]')


class Terminal:
    def __init__(self, tensh, columns=80, term='xterm'):
        self.text = b''
        self.term = term
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            # Random keys can type `> FILE`.
            os.chdir(HOME)
            os.environ.update(TERM=term, LC_ALL='C.UTF-8', TENSH_HISTORY='', PAGER='cat', EDITOR='true', VISUAL='', HOME=HOME,
                              XDG_STATE_HOME='', XDG_CONFIG_HOME='')
            os.execv(tensh, [tensh, '--no-color'])
        self.resize(24, columns)
        self.wait_for(b']> ')

    def resize(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
        if self.pid:
            os.kill(self.pid, signal.SIGWINCH)

    def read(self, seconds):
        end = time.monotonic() + seconds
        while select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
            try:
                got = os.read(self.fd, 65536)
            except OSError:
                got = b''
            if not got:
                return False
            self.text += got
            if time.monotonic() > end:
                break
        return True

    def wait_for(self, what, seconds=LIMIT):
        end = time.monotonic() + seconds
        while what not in self.text:
            if time.monotonic() > end:
                raise AssertionError('no %r within %d s; the end of what came: %r' % (what, seconds, self.text[-600:]))
            if not self.read(0.1) and what not in self.text:
                raise AssertionError('the shell ended before %r: %r' % (what, self.text[-600:]))

    def send(self, data):
        """Writes in pieces and reads in between, because a pseudo-terminal buffers 4 KiB."""
        data = data.encode() if isinstance(data, str) else data
        end = time.monotonic() + LIMIT
        while data:
            _, ready, _ = select.select([], [self.fd], [], 0.2)
            if ready:
                data = data[os.write(self.fd, data[:512]):]
            self.read(0)
            assert time.monotonic() < end, 'the shell does not read'

    def alive(self):
        self.text = b''
        self.send('print("al" + "ive", 6*7)\n')
        self.wait_for(b'alive 42')

    def end(self):
        self.text = b''
        self.send(b'\x04')
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                os.close(self.fd)
                return status
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        raise AssertionError('Ctrl-D does not end it: %r' % self.text[-300:])


def clean(text):
    """Allows only control characters that move the cursor."""
    rest = CSI.sub(b'', text)
    found = CONTROL.search(rest)
    assert not found, 'a control character reached the terminal: %r' % rest[max(0, found.start() - 40):found.end() + 40]


def control_characters(t):
    for code in list(range(1, 32)) + [127]:
        if code in (3, 4, 26, 28):  # interrupt, end, stop and quit are handled by the kernel
            continue
        t.send(bytes([code]))
    t.send(b'\r\n\x03')
    t.read(0.2)
    t.send('"' + 'x\x01\x02\x0e\x1b' * 20 + '"\n')
    t.read(0.2)
    t.send(b'\x03')


def escape_sequences(t):
    for keys in (b'\x1b[A\x1b[B\x1b[C\x1b[D', b'\x1b[999999999999999999A', b'\x1b[200~pasted\x1b[201~\n', b'\x1bOP\x1b[15~', b'\x1b[', b'\x1b\x1b\x1b[[[[', b'\x1b]0;title\x07',
                 b'\x1b[1;5D\x1b[H\x1b[F\x1b[3~', b'\x1bP+q544e\x1b\\'):
        t.send(keys)
        t.read(0.05)
    t.send(b'\x03\n')


def invalid_utf8(t):
    for keys in (b'\xff\xfe', b'"\xc3"\n', b'print("\xe2\x82")\n', b'\xf0\x9f\n', b'x = "\xed\xa0\x80"\n', b'\x80\x80\x80\n', b'\xc0\xaf = 1\n'):
        t.send(keys)
        t.read(0.1)
    t.send(b'\x03\n')
    t.text = b''
    t.send('print("caf\u00e9 \u65e5\u672c")\n')
    t.wait_for('caf\u00e9 \u65e5\u672c\r'.encode())


def values_with_control_characters(t):
    t.text = b''
    t.send('chr(27) + "[2J" + chr(7) + chr(0)\n')
    t.wait_for(b'\\x07')
    t.send('raise ValueError("a" + chr(27) + "[31mb" + chr(0) + "c")\n')
    t.wait_for(b'ValueError')
    t.send('{chr(1): chr(8)}[chr(2)]\n')
    t.wait_for(b'KeyError')
    t.send('getattr(1, chr(27) + "]0;x" + chr(7))\n')
    t.wait_for(b'AttributeError')
    t.send('tf.constant(1, name=chr(27) + "c")\n')
    t.wait_for(b'ValueError')
    t.read(0.3)
    clean(t.text)


def long_lines(t):
    long = 1000 if t.term == 'dumb' else 20000  # a terminal in line mode ends lines at 4095 bytes
    t.send('x = "' + 'y' * long + '"\n')
    t.text = b''
    t.send('print(len(x) + 1)\n')
    t.wait_for(b'%d' % (long + 1))
    t.send('z = [' + '1, ' * (long // 4) + ']\n')
    t.text = b''
    t.send('print(len(z) + 1)\n')
    t.wait_for(b'%d' % (long // 4 + 1))
    t.send('\u65e5' * (long // 7) + '\n')
    t.wait_for(b'NameError')


def deep_nesting(t):
    t.send('(' * 2000 + ')' * 2000 + '\n')
    t.wait_for(b'rror')
    t.text = b''
    t.send('[' * 300 + ']' * 300 + '\n')
    t.wait_for(b'[[[[[')
    t.send('-' * 5000 + '1\n')
    t.read(0.3)
    t.send('x' + '.a' * 3000 + '\n')
    t.wait_for(b'NameError')
    t.send('def f(n): return f(n + 1)\n\nf(0)\n')
    t.wait_for(b'RecursionError')


def ask_to_stop(t, source, started=b'going\r'):
    t.text = b''
    t.send(source)
    t.wait_for(started)
    time.sleep(0.05)
    t.text = b''
    t.send(b'\x03')
    t.wait_for(b'KeyboardInterrupt')
    t.alive()


def interrupts(t):
    go = 'import sys; print("go" + "ing"); sys.stdout.flush(); '
    t.send('import time, itertools\n')
    for what in ('while True: pass', 'n = [i for i in itertools.count()]', 'sum(1 for i in itertools.count())', 'time.sleep(1000)',
                 'list(map(lambda i: i, itertools.count()))', 'sorted(range(10**7), key=lambda i: -i)', '{i: i for i in itertools.count()}', 'max(itertools.count())',
                 'input()', '[[j for j in range(10**9) if j < 0] for i in range(10)]', 'any(i < 0 for i in itertools.count())',
                 'import threading; threading.Event().wait()', 'threading.Thread(target=lambda: time.sleep(1000), daemon=True).start() or time.sleep(1000)',
                 'with tf.Session() as s: s.run(tf.FIFOQueue(1, tf.float32).dequeue())', 'with tf.Session() as s: s.run(tf.while_loop(lambda i: i >= 0, lambda i: i * 0, [0]))'):
        if what.startswith('while') or what.startswith('with'):
            t.send('def f():\n    ' + go + '\n    ' + what + '\n\n')
            ask_to_stop(t, 'f()\n')
        else:
            ask_to_stop(t, go + what + '\n')
    for _ in range(5):
        t.send(b'half a li\x03')
        t.read(0.05)


def interrupts_in_quick_succession(t):
    """Each Ctrl-C ends one step, not the step that is started when it has ended."""
    t.send('def steps():\n    with tf.Session() as s:\n        endless = tf.while_loop(lambda i: i >= 0, lambda i: i * 0, [0])\n        for k in range(1, 4):\n'
           '            try:\n                print("step" + str(k))\n                sys.stdout.flush()\n                s.run(endless)\n'
           '            except KeyboardInterrupt: print("end" + str(k))\n\nimport sys\n')
    t.read(0.2)
    t.text = b''
    t.send('steps()\n')
    for k in (1, 2, 3):
        t.wait_for(b'step%d\r' % k)
        t.read(1.0 if k == 3 else 0.05)
        t.send(b'\x03')
        t.wait_for(b'end%d\r' % k)
        if b'CancelledError' in t.text:
            raise AssertionError('Ctrl-C ended a later step: %r' % t.text)
    t.alive()


def end_within_a_block(t):
    t.send('def half():\n    return (1,\n')
    t.read(0.2)
    t.send(b'\x03')
    t.alive()
    t.send('x = input()\n')
    t.read(0.2)
    t.send(b'\x04')
    t.wait_for(b'EOFError')
    t.send('if True:\n    print("in" + "side")\n')
    t.read(0.2)
    t.text = b''
    t.send(b'\x04')
    t.wait_for(b'inside')


def resizing(t):
    for columns in (1, 2, 5, 500, 80, 0, 20):
        t.resize(24 if columns else 0, columns)
        t.send('tf.constant([1., 2.]) + "' + 'word ' * 20 + '"\n')
        t.read(0.1)
        t.send('explain tf.add(1., 2.)\n')
        t.read(0.2)
        t.send(b'a long line that is being typed while the window changes its size')
        t.resize(10, max(1, columns // 2))
        t.send(b'\x03')
        t.read(0.05)
    t.resize(24, 80)


CASES = [control_characters, escape_sequences, invalid_utf8, values_with_control_characters, long_lines, deep_nesting, interrupts, interrupts_in_quick_succession,
         end_within_a_block, resizing]


def play(tensh, case, term):
    t = Terminal(tensh, term=term)
    try:
        case(t)
        t.alive()
        status = t.end()
        assert os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0, 'it ended with status %#x' % status
    except AssertionError as e:
        return '%s on %s: %s' % (case.__name__, term, e)
    finally:
        try:
            os.kill(t.pid, signal.SIGKILL)
            os.waitpid(t.pid, 0)
        except OSError:
            pass
    return ''


def main():
    a = argparse.ArgumentParser()
    a.add_argument('--tensh', required=True)
    a.add_argument('cases', nargs='*')
    o = a.parse_args()
    try:
        return play_all(os.path.abspath(o.tensh), o.cases)
    finally:
        shutil.rmtree(HOME, ignore_errors=True)


def play_all(tensh, cases):
    failed = count = 0
    for case in CASES:
        if cases and case.__name__ not in cases:
            continue
        for term in ('xterm', 'dumb'):
            trouble = play(tensh, case, term)
            count += 1
            failed += bool(trouble)
            if trouble:
                print(trouble)
    print('hostile keys: %d of %d as wanted' % (count - failed, count))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
