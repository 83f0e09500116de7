#!/usr/bin/env python3
"""Hostile terminals: random bytes and keys, signals at any moment, windows of any size, streams that are closed or full, names
with escape sequences, and state files that are not what they should be. The cases come from a generator with a fixed seed.

    hostile_terminal_test.py --tensh build/tensh [--seed N] [--only NUMBER]

After every case the terminal has the mode that it had before, the exit code is right, only harmless control characters were
written, and the journal holds the cells that ran. Python's own library only.
"""
import argparse
import concurrent.futures
import fcntl
import os
import random
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import zlib

LIMIT = 30  # seconds to wait for something that must happen
TENSH = ''
CSI = re.compile(rb'\x1b\[[0-9;?]*[A-Za-z]|\x1b\[\d q')
CONTROL = re.compile(rb'[\x00-\x07\x0b\x0c\x0e-\x1f\x7f]')  # \b, \t, \n and \r are fine
KEYS = ['\x1b[A', '\x1b[B', '\x1b[C', '\x1b[D', '\x1b[H', '\x1b[F', '\x1b[3~', '\x1b[1;5C', '\x1b[1;5D', '\x1bOP', '\x1b[Z', '\t', '\t\t', '\x12al', '\x07', '\x1f',
        '\x17', '\x15', '\x0b', '\x19', '\x0c', '\x01', '\x05', '\x1b.', '\x1b\x7f', '\x7f', '\x08', '\x03', '\x1b', '\x1b\x1b', 'tf.', 'if x:', '\r', '(', '"', "'''", '\\', '#',
        'é', '日本', '👩‍👩‍👧', 'e\u0301', '\u202e', '\u200f', '\x1b[200~a\nb\x1b[201~', '\x1b[200~def f():\n  1\n\n', '\x1b[201~', '\x1b[999999999999A', '\x1b[;;;;;m', '\x1b]0;x\x07',
        '\x1bP', '\x1b[?', '\xa0', '%', '!', '?', '.x', 'nodes\r', 'help\r', '1/0\r', 'x = 1\r', 'eval 1+1\r', 'x?\r']
CODE = ['x = 1', 'y = 2', 'tf.constant([1., 2.])', 'eval tf.add(1., 2.)', 'nodes', '1 / 0', 'nope', 'explain tf.exp(1.)', 'print("text")', 'cells', 'set theme light', 'def f(): return 1\r',
        'history', 'vars', 'v = tf.Variable(1.); run v.initializer', 'help MatMul', 'plot [1, 2, 3]', 'tf.zeros([100])', 'undo', 'x?', 'sql SELECT 1']
ESCAPES = ['\x1b[2J', '\x1b]0;title\x07', '\x1b[31m', '\r\x1b[K', '\x08\x08', '\x9b2J', '\x1bc', '\x00', '\x7f', '\x1b[?1049h', '\u202eabc', '\x1bP+q\x1b\\', '\n\x1b[1A']


def records(data):
    """The records of a journal, up to the first that is damaged."""
    found = []
    while True:
        line, newline, rest = data.partition(b'\n')
        words = line.rsplit(b' ', 2)
        if not newline or len(words) != 3 or not words[1].isdigit():
            return found
        size = int(words[1])
        if rest[size:size + 1] != b'\n' or zlib.crc32(words[0] + b'\n' + rest[:size]) != int(words[2], 16):
            return found
        found.append((words[0].split(b' '), rest[:size]))
        data = rest[size + 1:]


class Shell:
    """A shell on a pseudo-terminal, whose other end stays open so that its mode can be read after the end."""

    def __init__(self, home, args=(), rows=24, columns=80, term='xterm-256color', limits=(), env=None, folder=None):
        self.home = home
        self.fd, self.slave = os.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
        self.before = termios.tcgetattr(self.slave)
        base = {'PATH': os.environ['PATH'], 'HOME': home, 'TERM': term, 'LC_ALL': 'C.UTF-8', 'PAGER': 'cat', 'EDITOR': 'true', **(env or {})}
        env = {name: value for name, value in base.items() if value is not None}

        def prepare():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            for what, value in limits:
                resource.setrlimit(what, (value, value))
        self.child = subprocess.Popen([TENSH, *args], stdin=self.slave, stdout=self.slave, stderr=self.slave, env=env, cwd=folder, preexec_fn=prepare, close_fds=True)
        self.text = b''

    def read(self, seconds):
        end = time.monotonic() + seconds
        while select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
            self.text += os.read(self.fd, 65536)
            if time.monotonic() > end:
                break

    def wait_for(self, what):
        end = time.monotonic() + LIMIT
        while what not in self.text:
            if self.child.poll() is not None:
                self.read(0.1)
                assert what in self.text, 'it ended with %s before %r: %r' % (self.child.returncode, what, self.text[-400:])
            assert time.monotonic() < end, 'no %r; the end of what came: %r' % (what, self.text[-400:])
            self.read(0.05)

    def send(self, data):
        data = data.encode() if isinstance(data, str) else data
        end = time.monotonic() + LIMIT
        while data:
            if select.select([], [self.fd], [], 0.1)[1]:
                data = data[os.write(self.fd, data[:512]):]
            self.read(0)
            if self.child.poll() is not None:
                return
            assert time.monotonic() < end, 'the shell does not read'

    def resize(self, rows, columns):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))

    def at_prompt(self):
        """Waits until the editor reads keys after all that was typed before."""
        self.alive()
        end, after = time.monotonic() + LIMIT, self.text.rfind(b'alive 42')
        while self.text.find(b'\x1b[?2004h', after) < 0:  # the editor turns the brackets of pastes on
            assert time.monotonic() < end, 'no prompt; the end of what came: %r' % self.text[-400:]
            self.read(0.02)

    def alive(self):
        """It still runs what is typed, whatever was typed before. What comes within a moment of Ctrl-C may be discarded with
        what came before it."""
        start = len(self.text)
        for attempt in range(10):
            self.send('\x03')
            self.read(0.05 * (1 + attempt))
            self.send('print("al" + "ive", 6*7)\r')
            end = time.monotonic() + (LIMIT if attempt == 9 else 1 + attempt)
            while self.text.find(b'alive 42', start) < 0 and time.monotonic() < end and self.child.poll() is None:
                self.read(0.02)
            if self.text.find(b'alive 42', start) >= 0:
                return
        raise AssertionError('it does not answer; the end of its output: %r' % self.text[-600:])

    def end(self, want=0):
        """Waits for the end. `want` is the exit code, or minus the signal."""
        end = time.monotonic() + LIMIT
        while self.child.poll() is None:
            assert time.monotonic() < end, 'it does not end: %r' % self.text[-300:]
            self.read(0.02)
        self.read(0)
        assert self.child.returncode == want, 'it ended with %d instead of %d: %r' % (self.child.returncode, want, self.text[-400:])
        assert termios.tcgetattr(self.slave) == self.before, 'the mode of the terminal was not restored'

    def leave(self):
        self.send('\x03\x04')
        self.end()

    def clean(self):
        """Nothing but the sequences of the editor and of colors reached the terminal."""
        # drops a sequence that has not arrived completely
        self.text = re.sub(rb'\x1b[^A-Za-z]*$', b'', self.text)
        found = CONTROL.search(CSI.sub(b'', self.text))
        assert not found, 'a control character reached the terminal: %r' % self.text[max(0, found.start() - 60):found.end() + 60]
        for bad in (b'\x1b[2J', b'\x1b[?1049', '\x9b'.encode(), '\u202e'.encode()):
            at = self.text.find(bad)
            assert at < 0, '%r reached the terminal: %r' % (bad, self.text[max(0, at - 100):at + 60])

    def cells(self):
        folder = os.path.join(self.home, '.local/state/tensh/sessions')
        names = [name for name in os.listdir(folder) if name.endswith('.cells')] if os.path.isdir(folder) else []
        found = []
        for name in sorted(names):
            with open(os.path.join(folder, name), 'rb') as f:
                found += [text.decode() for head, text in records(f.read()) if head[0] == b'cell']
        return found

    def close(self):
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()
        os.close(self.fd)
        os.close(self.slave)


def start(home, rng, **options):
    s = Shell(home, **options)
    if options.get('columns', 80) > 5:
        s.wait_for(b']> ')
    else:
        s.read(0.2)
    return s


def random_bytes(home, rng):
    s = start(home, rng, term=rng.choice(['xterm', 'xterm-256color', 'vt100', 'dumb']))
    harmless = [b for b in range(256) if b not in (0, 4, 26, 28)]  # the end (typed ahead, it arrives as 0), stop and quit
    for _ in range(rng.randrange(1, 6)):
        s.send(bytes(rng.choice(harmless) for _ in range(rng.randrange(1, 200))))
        s.read(0.01)
    s.alive()
    s.leave()
    s.close()


def random_keys(home, rng):
    s = start(home, rng, rows=rng.choice([1, 2, 5, 24, 60]), columns=rng.choice([20, 40, 80, 200]))
    for _ in range(rng.randrange(5, 40)):
        s.send(rng.choice(KEYS))
        if rng.random() < 0.1:
            s.read(0.01)
    s.alive()
    s.leave()
    s.close()


def sizes(home, rng):
    s = start(home, rng, rows=rng.choice([1, 24]), columns=rng.choice([1, 2, 3, 80]))
    for _ in range(rng.randrange(3, 10)):
        s.resize(rng.choice([0, 1, 2, 3, 24, 1000, 65535]), rng.choice([0, 1, 2, 3, 7, 80, 1000, 65535]))
        s.send(rng.choice(KEYS))
        if rng.random() < 0.4:
            s.send('\x03' + rng.choice(CODE) + '\r')
        s.read(0.01)
    s.resize(24, 80)
    s.alive()
    s.leave()
    s.close()


def signals(home, rng):
    """A signal while it edits, runs or prints. The cells that ran are in the journal."""
    s = start(home, rng)
    done = []
    for i in range(rng.randrange(1, 4)):
        cell = 'a%d = %d; print("do" + "ne %d")' % (i, i, i)
        s.send(cell + '\r')
        s.wait_for(b'done %d' % i)
        done.append(cell)
    busy = rng.choice(['', 'half a li', '\x12x', 'tf.\t', 'import time; time.sleep(100)\r', 'for i in range(10**6): print(i)\r\r', 'def f():\r', 'run tf.while_loop(lambda i: i >= 0., lambda i: i * 0., [tf.constant(0.)])\r'])
    s.send(busy)
    s.read(rng.random() * 0.1)
    number = rng.choice([signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGWINCH, signal.SIGCONT, signal.SIGKILL, signal.SIGINT])
    for _ in range(rng.choice([1, 1, 2])):
        s.child.send_signal(number)
    if number in (signal.SIGWINCH, signal.SIGCONT, signal.SIGINT):
        s.send('\x03')
        s.alive()
        s.leave()
    elif number == signal.SIGKILL:
        s.child.wait()
    else:
        s.end(-number)
    assert s.cells()[:len(done)] == done, s.cells()
    s.close()
    if number not in (signal.SIGWINCH, signal.SIGCONT, signal.SIGINT):
        s = start(home, rng, args=['--resume'])
        s.send('print("a" + "gain", %s)\r' % ' + '.join('a%d' % i for i in range(len(done))))
        s.wait_for(b'again %d' % sum(range(len(done))))
        s.leave()
        s.close()


def names(home, rng):
    """Escape sequences in everything that has a name."""
    bad = rng.choice(ESCAPES) + rng.choice(['', 'x', '日'])
    text = repr(bad)
    s = start(home, rng)
    s.text = b''
    for code in rng.sample([
            'tf.constant(1, name=%s)' % text, 'tf.placeholder(tf.float32, name=%s)' % text, 'raise ValueError(%s)' % text, '{%s: 1}' % text, 'tf.constant(%s)' % text,
            'eval tf.constant([%s, "b"])' % text, 'open(%s)' % text, 'getattr(1, %s)' % text, 'load "%s"' % bad.encode('unicode_escape').decode(),
            'open "%s"' % bad.encode('unicode_escape').decode(), 'save "/nowhere/%s"' % bad.encode('unicode_escape').decode(),
            'with tf.device(%s): b = tf.constant(1.)' % text, 'import importlib; importlib.import_module(%s)' % text, 'tf.train.Saver().restore(None, %s)' % text,
            'g = tf.GraphDef(); n = g.node.add(); n.name = %s; n.op = "NoOp"; tf.import_graph_def(g, name="")' % text,
            'g = tf.GraphDef(); n = g.node.add(); n.name = "n"; n.op = %s; tf.import_graph_def(g)' % text,
            'g = tf.GraphDef(); n = g.node.add(); n.name = "n"; n.op = "NoOp"; n.device = %s; tf.import_graph_def(g)' % text,
            'sql SELECT "%s" AS a' % bad.encode('unicode_escape').decode(), 'set theme %s' % 'x', 'watch %s' % text, 'e = KeyError(%s); raise e' % text,
            'globals()[%s] = 1; dir()' % text, 'f = lambda: 0; f.__name__ = %s; f' % text, 'type(%s, (), {})' % text, 'int(%s)' % text, '[%s][1]' % text], 8):
        s.send(code + '\r')
        s.read(0.05)
    for verb in rng.sample(['nodes', 'graph', 'explain tf.exp(1.)', 'edges', 'vars', 'cells', 'history', 'why error', 'devices', 'In', 'Out', 'dump', 'watch'], 5):
        s.send(verb + '\r')
        s.read(0.02)
    s.alive()
    s.clean()
    s.leave()
    s.close()


def files(home, rng):
    """Limits on files, and state files of the wrong kind."""
    state, config = os.path.join(home, '.local/state/tensh/sessions'), os.path.join(home, '.config/tensh')
    os.makedirs(state)
    os.makedirs(config)
    garbage = rng.choice([b'', b'\x00' * 5000, bytes(rng.randrange(256) for _ in range(3000)), b'cell 1 1 99999999999 00000000\nx\n', b'end 0 8eb179ba\n\n' * 3,
                          b'set color maybe\nset\nset theme\n\xff\xfe\nfoo bar\n', b'1/0\nx = = 1\n', b'"' * 1000 + b'\n'])
    for name in ('20200101-000000-1.cells', '20200101-000000-1.variables', '20990101-000000-1.cells'):
        path = os.path.join(state, name)
        kind = rng.choice(['garbage', 'folder', 'fifo', 'link', 'none', 'unreadable'])
        if kind == 'folder':
            os.mkdir(path)
        elif kind == 'fifo':
            os.mkfifo(path)
        elif kind == 'link':
            os.symlink(rng.choice(['/dev/zero', '/nowhere', '/dev/full', path]), path)
        elif kind != 'none':
            with open(path, 'wb') as f:
                f.write(garbage)
            os.chmod(path, 0 if kind == 'unreadable' else 0o600)
    for name in ('config', 'startup.tsh'):
        path = os.path.join(config, name)
        kind = rng.choice(['garbage', 'folder', 'fifo', 'none'])
        if kind == 'folder':
            os.mkdir(path)
        elif kind == 'fifo':
            os.mkfifo(path)
        elif kind == 'garbage':
            with open(path, 'wb') as f:
                f.write(garbage)
    if rng.random() < 0.3:
        os.mkfifo(os.path.join(home, '.tensh_history'))
    if rng.random() < 0.3:
        shutil.rmtree(os.path.join(home, '.local'))
        with open(os.path.join(home, '.local'), 'w', encoding='utf-8') as f:
            f.write('a file')
    limits = rng.choice([(), (), ((resource.RLIMIT_FSIZE, rng.choice([0, 100, 300, 1000])),), ((resource.RLIMIT_NOFILE, rng.choice([12, 20])),)])
    s = start(home, rng, limits=limits)
    s.send(rng.choice(['', 'v = tf.Variable(tf.zeros([100])); run v.initializer\r', 'cells --all\r', 'set theme light --keep\r', '\x1b[A\r']))
    s.alive()
    s.leave()
    s.close()
    s = Shell(home, args=['--resume' + rng.choice(['', '=1', '=2', '=list', '=nothing', '=20990101'])])
    end = time.monotonic() + LIMIT
    while s.child.poll() is None and b']> ' not in s.text:
        s.read(0.05)
        assert time.monotonic() < end, 'neither a prompt nor an end: %r' % s.text[-300:]
    if s.child.poll() is None:
        s.alive()
        s.leave()
    else:
        assert s.child.returncode in (0, 3), s.child.returncode
    s.close()


def streams(home, rng):
    """Standard streams that are closed, full, or end early."""
    code = rng.choice(['print(1)', 'print("x" * 100000)', 'nodes', '1/0', 'eval tf.zeros([100])', 'import sys; sys.stdout.flush()', 'help', ''])
    prints = code not in ('nodes', '1/0', 'import sys; sys.stdout.flush()', '')
    ends = rng.choice(['>/dev/full', '>&-', '2>/dev/full', '2>&-', '<&-', '| head -c 1', '>/dev/full 2>&1', '<&- >&- 2>&-', '</dev/null', '< /'])
    way = rng.choice(['-c', 'stdin', 'file'])
    script = os.path.join(home, 'script.py')
    with open(script, 'w', encoding='utf-8') as f:
        f.write(code + '\n')
    command = {'-c': '"$0" -c "$(cat "$1")"', 'stdin': '"$0" < "$1"' if '<' not in ends else '"$0" "$1"', 'file': '"$0" "$1"'}[way] + ' ' + ends
    done = subprocess.run(['bash', '-c', 'set -o pipefail; ' + command, TENSH, script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT, check=False)
    want = 1 if code == '1/0' else 0
    allowed = {want}
    if '>/dev/full' in ends and '2>/dev/full' not in ends and prints:
        allowed = {1, 3}  # the print itself may be interrupted
    if 'head' in ends and prints:
        allowed = {0, 141}  # of SIGPIPE
    assert done.returncode in allowed, '%s with %r ended with %d: %r' % (command, code, done.returncode, done.stderr[-300:])


def long_lines(home, rng):
    size = rng.choice([10**5, 10**6, 10**8])
    source = os.path.join(home, 'long.py')
    line = rng.choice(['x = "%s"\nprint(len(x))\n' % ('y' * size), '#' + 'z' * size + '\nprint(%d)\n' % size, 'x = """%s"""\nprint(len(x))\n' % ('\n' * size)])
    with open(source, 'w', encoding='utf-8') as f:
        f.write(line)
    with open(source, 'rb') as f:
        done = subprocess.run([TENSH], stdin=f, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT, check=False)
    if size > 64 << 20 and '"""' not in line:
        assert done.returncode == 1 and b'line is longer than 64 MiB' in done.stderr, (done.returncode, done.stderr[:300])
        return
    assert (done.returncode, done.stdout.strip()) == (0, b'%d' % size), (done.returncode, done.stdout[:100], done.stderr[:300])


def pastes(home, rng):
    """Large pastes, some of them cut off by a signal."""
    s = start(home, rng)
    text = ''.join('p%d = %d\n' % (i, i) for i in range(rng.choice([10, 300, 2000])))
    marked = rng.random() < 0.5
    s.send(('\x1b[200~' if marked else '') + text + ('\x1b[201~\r' if marked else ''))
    if rng.random() < 0.3:
        s.child.send_signal(signal.SIGTERM)
        s.end(-signal.SIGTERM)
    else:
        s.send('print("pas" + "ted", p9)\r')
        s.wait_for(b'pasted 9')
        s.leave()
        assert any('p9 = 9' in cell for cell in s.cells())
    s.close()


# What the editor or a statement is doing, and what then happens to it: each pair is a case.
STATES = {'an open menu': 'tf.\t\t', 'a filtered menu': 'tf.nn.\t\tre', 'a search': '\x12al', 'a search without a match': '\x12\x12zzz\x12', 'a paste that never ends': '\x1b[200~x = 1\nif x:',
          'an open bracket': 'f(((\r\r', 'a block': 'def f():\rreturn 1\r', 'half a key': '\x1b[', 'half a command': '\x18', 'half a character': b'\xe6\x97', 'vi': 'set editor vi\r\x1b2d',
          'vi with text': 'set editor vi\rabc def\x1b0c', 'a ghost': 'print("al', 'a line of the progress': 'import time; time.sleep(100)\r', 'a loop': 'for i in range(10**9): i\r\r',
          'an endless step': 'run tf.while_loop(lambda i: i >= 0., lambda i: i * 0., [tf.constant(0.)]) times 5\r', 'input()': 'input("name? ")\r', 'a long print': 'for i in range(10**7): print(i, end="")\r\r'}


def tiny(s):
    for rows, columns in ((1, 1), (0, 0), (2, 3), (65535, 65535), (1, 80), (24, 80)):
        s.resize(rows, columns)
        s.read(0.02)


def stop_and_continue(s):
    s.child.send_signal(signal.SIGSTOP)
    s.resize(10, 40)
    s.child.send_signal(signal.SIGCONT)
    s.read(0.05)


def many_keys(s):
    for key in KEYS:
        if key not in ('\x1b[200~def f():\n  1\n\n', '\x1b[200~a\nb\x1b[201~') and '\r' not in key:
            s.send(key)


def interrupts(s):
    for _ in range(5):
        s.send('\x03')
        s.read(0.02)


ACTIONS = [tiny, stop_and_continue, many_keys, interrupts, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]


def states(home, rng):
    (what, keys), action = list(STATES.items())[rng.number % len(STATES)], ACTIONS[rng.number // len(STATES) % len(ACTIONS)]
    s = start(home, rng)
    s.send('kept = 1; print("do" + "ne")\r')
    s.wait_for(b'done')
    s.send(keys)
    s.read(0.75 if what in ('a line of the progress', 'a loop', 'an endless step') else 0.1)
    if not callable(action):
        s.child.send_signal(action)
        if action == signal.SIGKILL:
            s.child.wait()
        else:
            s.end(-action)
        assert s.cells()[0] == 'kept = 1; print("do" + "ne")', s.cells()
        return s.close()
    action(s)
    if what.startswith('a paste'):
        s.send('\x1b[201~')
    if what.startswith('vi'):
        s.send('\x1b\x03i')
    s.alive()
    if action is not many_keys:  # Ctrl-L clears the screen, and the terminal echoes what is typed while a program runs
        s.clean()
    s.leave()
    s.close()


# The environment: what is set, and what is unset (None).
PLACES = [{'HOME': None}, {'HOME': '/nowhere'}, {'HOME': '/proc/self'}, {'HOME': ''}, {'HOME': 'relative'}, {'TERM': None}, {'TERM': 'no-such-terminal'}, {'TERM': ''},
          {'LC_ALL': None, 'LANG': None}, {'LC_ALL': 'xx_YY.UTF-8'}, {'LC_ALL': 'C'}, {'PATH': ''}, {'TMPDIR': '/nowhere'}, {'COLUMNS': '-1'}, {'COLUMNS': '0', 'LINES': '0'},
          {'COLUMNS': '999999999999'}, {'PAGER': '/nowhere'}, {'EDITOR': '/nowhere', 'VISUAL': None}, {'XDG_STATE_HOME': 'relative', 'XDG_CONFIG_HOME': 'relative'},
          {'XDG_CONFIG_HOME': '/dev/null'}, {'XDG_STATE_HOME': '/dev/full'}, {'NO_COLOR': '', 'COLORTERM': '\x1b[2J'}, {'TENSH_HISTORY': '/dev/full'}, {'TENSH_HISTORY': '/dev/zero'}]


def places(home, rng):
    """A missing or a strange environment, and a working folder that is gone."""
    gone = os.path.join(home, 'gone')
    os.mkdir(gone)
    s = Shell(home, env=PLACES[rng.number % len(PLACES)], folder=gone)
    os.rmdir(gone)
    s.wait_for(b'> ')
    for line in ('v = tf.Variable(1.); run v.initializer', 'nodes', 'help', 'history', 'set theme light --keep', 'save "x/y"', 'open "nothing.pb"', '1/0', 'abc\x18\x05'):
        s.send(line + '\r')
        s.read(0.03)
    s.alive()
    s.clean()
    s.leave()
    s.close()


def file_names(home, rng):
    """Names of files and of attributes with escape sequences, newlines and other writing directions."""
    bad = 'a%sb' % rng.choice([*ESCAPES, '\n', '\r', '\t', '\u202e', '\u2066', '\u200f', '"', "'", '\\', '$(reboot)', ';', ' > x', '-', '\udcff'])
    bad = bad.replace('\x00', '').replace('/', '')
    folder = os.path.join(home, 'work')
    os.mkdir(folder)
    script = os.path.join(folder, bad + '.py')
    with open(script, 'w', encoding='utf-8') as f:
        f.write('a = tf.constant(1., name="a")\nprint("from" + " the script")\n1/0\n')
    s = Shell(home, args=['-i', './' + bad + '.py'], folder=folder)
    s.wait_for(b'from the script')
    s.wait_for(b']> ')
    text = repr(bad.encode('utf-8', 'surrogateescape').decode('utf-8', 'replace'))
    for code in ('os = __import__("os"); os.listdir(".")', 'open(%s, "w").write("x")' % text, 'save %s' % text, 'load %s' % text, 'open %s' % text, 'read %s' % text, 'np.save(%s, [1.])' % text,
                 'g = tf.GraphDef(); n = g.node.add(); n.name = "n"; n.op = "NoOp"; n.attr["_note"].s = %s.encode(); tf.import_graph_def(g, name="")' % text,
                 'sql SELECT * FROM attrs', 'help n', 'why n', 'graph', 'explain n', 'nodes', 'dump', 'os.chdir(os.path.abspath("."))', 'tf.train.Saver([tf.Variable(1.)]).save(tf.Session(), %s)' % text,
                 'tf.data.TextLineDataset(%s)' % text, 'plot [1, 2] > %s' % text):
        s.send(code.encode('utf-8', 'replace') + b'\r')
        s.read(0.03)
    s.at_prompt()  # while a statement runs, the terminal itself echoes what is typed
    s.send(('nodes > %s.csv\r' % bad.replace('\n', '')).encode('utf-8', 'replace'))
    s.alive()
    s.clean()
    s.leave()
    s.close()


KINDS = [(random_bytes, 40), (random_keys, 40), (sizes, 30), (signals, 50), (names, 40), (files, 40), (streams, 40), (long_lines, 6), (pastes, 10), (states, len(STATES) * len(ACTIONS)),
         (places, len(PLACES)), (file_names, 24)]


def play(number, kind, seed):
    rng = random.Random('%d %s %d' % (seed, kind.__name__, number))
    rng.number = number
    home = tempfile.mkdtemp(prefix='tensh-hostile-')
    try:
        kind(home, rng)
    except (AssertionError, OSError, subprocess.TimeoutExpired) as e:
        return '%s %d: %s' % (kind.__name__, number, e)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return ''


def main():
    global TENSH
    a = argparse.ArgumentParser()
    a.add_argument('--tensh', required=True)
    a.add_argument('--seed', type=int, default=1)
    a.add_argument('--times', type=float, default=1, help='that many times the cases')
    a.add_argument('--only', nargs=2, metavar=('KIND', 'NUMBER'))
    o = a.parse_args()
    TENSH = os.path.abspath(o.tensh)
    cases = [(number, kind, o.seed) for kind, count in KINDS for number in range(int(count * o.times))]
    if o.only:
        cases = [case for case in cases if case[1].__name__ == o.only[0] and o.only[1] in ('all', str(case[0]))]
    with concurrent.futures.ProcessPoolExecutor(max(2, (os.cpu_count() or 2))) as pool:
        troubles = [trouble for trouble in pool.map(play, *zip(*cases)) if trouble]
    print('\n'.join(troubles + ['hostile terminals: %d of %d as wanted' % (len(cases) - len(troubles), len(cases))]))
    return 1 if troubles else 0


if __name__ == '__main__':
    sys.exit(main())
