#!/usr/bin/env python3
"""Tests the binary from outside: arguments, pipes, a terminal, exit codes, Ctrl-C, and malformed input.

    cli_test.py --tensh build/tensh [NAME ...]      Python's own library only
"""
import json
import os
import pty
import re
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

TENSH = ''
ENV = {k: v for k, v in os.environ.items() if not k.startswith('TENSH_')}
ENV.update(NO_COLOR='1', TERM='dumb', COLUMNS='80', LC_ALL='C.UTF-8', TENSH_HISTORY='')

CLASSIC = '''a = tf.constant([1.0,2.0], name="a")
b = tf.constant([2.0,3.0], name="b")
result = a + b
sess = tf.Session()
with sess.as_default():
    print(result.eval())
print(sess.run(result))
print(result.eval(session=sess))
sess.close()
'''
INTERACTIVE = '''import tensorflow as tf
sess = tf.InteractiveSession()
a = tf.constant([1.0,2.0], name="a")
b = tf.constant([2.0,3.0], name="b")
result = a + b
print(result.eval())
sess.close()
'''
ONE_LINE = ('a = tf.constant([1.0,2.0]); b = tf.constant([2.0,3.0])\n'
            'sess = tf.Session(); print(sess.run(a + b)); sess.close()\n')


def run(args, stdin=b'', timeout=60, cwd=None):
    if isinstance(stdin, str):
        stdin = stdin.encode()
    done = subprocess.run([TENSH] + args, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV,
                          timeout=timeout, cwd=cwd)
    return done.returncode, done.stdout.decode('utf-8', 'replace'), done.stderr.decode('utf-8', 'replace')


class Terminal:
    """A tensh on a pseudo-terminal. expect() reads until the text arrives, or fails with the text that arrived
    instead."""

    def __init__(self, *args, **env):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(TENSH, [TENSH] + list(args), dict(ENV, TERM='xterm', **env))
        self.seen = ''

    def send(self, text):
        os.write(self.fd, text.encode())

    def expect(self, text, seconds=30):
        deadline = time.monotonic() + seconds
        while text not in self.plain():
            ready, _, _ = select.select([self.fd], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise AssertionError('waited for %r, saw %r' % (text, self.seen))
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                data = b''
            if not data:
                raise AssertionError('the terminal closed before %r; saw %r' % (text, self.seen))
            self.seen += data.decode('utf-8', 'replace')
        before, _, after = self.plain().partition(text)
        self.seen = after
        return before

    def plain(self):
        return re.sub(r'\x1b\[[0-9;?]*[A-Za-z]', '', self.seen)

    def status(self, seconds=30):
        deadline = time.monotonic() + seconds
        pid, status = 0, 0
        while not pid:
            if time.monotonic() > deadline:
                os.kill(self.pid, signal.SIGKILL)
                raise AssertionError('it did not end; saw %r' % self.seen)
            time.sleep(0.01)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
        if status:  # what it said last, such as the report of a sanitizer
            while select.select([self.fd], [], [], 0)[0]:
                try:
                    data = os.read(self.fd, 65536)
                except OSError:
                    break
                sys.stderr.write(data.decode('utf-8', 'replace'))
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


class Options(unittest.TestCase):
    def test_version(self):
        self.assertEqual(run(['-V']), run(['--version']))
        self.assertRegex(run(['-V'])[1], r'^tensh \d')

    def test_several_codes(self):
        self.assertEqual(run(['-c', 'a = 2', '-c', 'print(a * 3)']), (0, '6\n', ''))
        self.assertEqual(run(['-c', 'import sys; print(sys.argv)', 'x', '-c', 'y']), (0, "['-c', 'x', '-c', 'y']\n", ''))
        code, out, errors = run(['-c', '1 / 0', '-c', 'print(1)'])
        self.assertEqual((code, out), (1, ''))
        self.assertIn('ZeroDivisionError', errors)
        code, out, errors = run(['--keep-going', '-c', '1 / 0', '-c', 'print(1)'])
        self.assertEqual((code, out), (1, '1\n'))

    def test_a_module_is_the_program(self):
        """As `python -m`: the package is imported first, relative imports work, and sys.path begins with the current folder."""
        with tempfile.TemporaryDirectory() as folder:
            inner = os.path.join(folder, 'pack', 'inner')
            os.makedirs(inner)
            for name, text in (('pack/__init__.py', 'print("pack")\n'), ('pack/near.py', 'value = 5\n'), ('top.py', 'name = "top"\n'),
                               ('pack/inner/__init__.py', ''), ('pack/inner/__main__.py', 'print("main of", __package__)\n'),
                               ('pack/inner/run.py', 'import os, sys\nimport top\nfrom ..near import value\nfrom . import other\n'
                                'if __name__ == "__main__":\n    print(value, other.x, top.name, __package__, sys.argv[1:],\n'
                                '          os.path.basename(sys.argv[0]))\n'),
                               ('pack/inner/other.py', 'from .. import near\nx = near.value + 1\n'), ('pack/bad.py', '\n1 / 0\n')):
                with open(os.path.join(folder, name), 'w') as f:
                    f.write(text)
            for program in ([os.path.abspath(TENSH)], [sys.executable]):
                def module(*args):
                    return subprocess.run([*program, '-m', *args], cwd=folder, capture_output=True, text=True, timeout=60)
                done = module('pack.inner.run', '-x', 'y')
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (0, "pack\n5 6 top pack.inner ['-x', 'y'] run.py\n", ''))
                self.assertEqual(module('pack.inner').stdout, 'pack\nmain of pack.inner\n')
                self.assertEqual(module('top').returncode, 0)
                self.assertEqual(module('pack.none').returncode, 1)
                done = module('pack.bad')
                self.assertEqual((done.returncode, done.stdout), (1, 'pack\n'))
                self.assertIn('bad.py', done.stderr)
                self.assertIn('ZeroDivisionError', done.stderr)
            self.assertEqual(run(['-m', 'no.such'], cwd=folder)[2],
                             'tensh: no module named no.such: there is no file no/such.py in the current folder\n')
            for wrong in ('a b', '../x', 'a..b', ''):
                self.assertEqual(run(['-m', wrong], cwd=folder)[0], 2, wrong)

    def test_staying_without_a_terminal(self):
        self.assertEqual(run(['-i', '-c', 'a = 2'], 'print(a + 1)\n'), (0, '3\n', ''))

    def test_a_pipe_is_a_program(self):
        """As with Python: standard output is exactly what the program printed."""
        self.assertEqual(run([], '1 + 1\n'), (0, '', ''))
        self.assertEqual(run([], 'eval 1 + 1\n'), (0, '2\n', ''))

    def test_a_model_is_opened(self):
        """`tensh MODEL` reads commands like tensh alone, after it has opened the model."""
        with tempfile.TemporaryDirectory() as folder:
            save = ('x = tf.placeholder(tf.float32, [2], name="x"); y = tf.multiply(x, 2., name="y"); s = tf.Session()\n'
                    'tf.saved_model.simple_save(s, "a model", {"x": x}, {"y": y})\n'
                    'tf.train.write_graph(s.graph, ".", "g.pb", as_text=False); tf.train.write_graph(s.graph, ".", "g.pbtxt")\n'
                    'tf.train.export_meta_graph("g.meta")\n')
            self.assertEqual(run(['-c', save], cwd=folder), (0, '', ''))
            for model in ('a model', 'g.pb', './g.pbtxt', 'g.meta'):
                self.assertEqual(run([model], 'eval y feed x=[1, 2]\n', cwd=folder), (0, '[2. 4.]\n', ''), model)
            os.mkdir(os.path.join(folder, 'empty'))
            for model, status, words in (('net.onnx', 3, 'No such file'), ('empty', 1, 'a folder without a model')):
                code, out, err = run([model], 'print(1)', cwd=folder)
                self.assertEqual((code, out), (status, ''), model)
                self.assertIn(words, err)
            call = ['g.pb', '-c', 'eval y feed x=[1, 2]', '-c', 'print(3)']
            self.assertEqual(run(call, 'print(1)', cwd=folder), (0, '[2. 4.]\n3\n', ''))
            self.assertEqual(run(['g.pb', 'eval y feed x=[3, 4]'], '', cwd=folder), (0, '[6. 8.]\n', ''))
            self.assertEqual(json.loads(run(['g.pb', '--json'], '', cwd=folder)[1])['nodes'], 3)
            for call in (['g.pb', 'g.pbtxt'], ['g.pb', '-c', 'print(1)', 'more']):
                code, out, err = run(call, '', cwd=folder)
                self.assertEqual((code, out), (2, ''), call)
                self.assertIn('tensh: g.pb is a model, which takes no argument %s. To run code' % call[-1], err)
            code, out, err = run(['g.pb'], '', cwd=folder)  # without a program, the report of the model
            self.assertEqual((code, err), (0, ''))
            self.assertIn('feed x=', out)
            t = Terminal(os.path.join(folder, 'g.pb'))
            t.expect('[1]> open ' + folder)
            t.expect('[2]> ')
            t.send('\x04')
            self.assertEqual(t.status(), 0)

    def test_resume_needs_a_prompt(self):
        for args in (['--resume'], ['--resume', 'x.py'], ['--resume=1', '-c', '1'], ['--resume', '--sandbox'],
                     ['--resume', 'x.pb']):
            self.assertEqual(run(args)[0], 2, args)


class Classic(unittest.TestCase):
    def test_every_way_in(self):
        for name, script, want in [('classic', CLASSIC, '[3. 5.]\n' * 3), ('interactive', INTERACTIVE, '[3. 5.]\n'),
                                   ('one line', ONE_LINE, '[3. 5.]\n')]:
            with tempfile.NamedTemporaryFile('w', suffix='.py') as f:
                f.write(script)
                f.flush()
                for way, args, stdin in [('file', [f.name], ''), ('-f', ['-f', f.name], ''), ('-c', ['-c', script], ''),
                                         ('pipe', [], script)]:
                    with self.subTest(name=name, way=way):
                        self.assertEqual(run(args, stdin), (0, want, ''))

    def test_typed(self):
        t = Terminal()
        t.expect(']> ')
        for line in CLASSIC.split('\n'):
            t.send(line + '\r')
            if line.startswith('    '):
                t.send('\r')
        for _ in range(3):
            t.expect('[3. 5.]')
        t.send('\x04')
        self.assertEqual(t.status(), 0)

    def test_typed_ahead(self):
        t = Terminal()
        t.expect(']> ')
        t.send('import time; time.sleep(1); print(40 + 2)\rprint("then")\r\x04')
        t.expect('42')
        t.expect('then')
        self.assertEqual(t.status(), 0)

    def test_ctrl_c_keeps_the_session(self):
        t = Terminal()
        t.expect(']> ')
        t.send('x = 41\r')
        t.expect(']> ')
        t.send('while True: pass\r\r')
        time.sleep(0.5)
        t.send('\x03')
        t.expect('KeyboardInterrupt')
        t.send('print(x + 1)\r')
        t.expect('42')
        t.send('x = (1 +\x03')
        t.send('\rprint(x, "still")\r')
        t.expect('41 still')
        t.send('quit\r')
        self.assertEqual(t.status(), 0)

    def test_ctrl_c_in_a_kernel(self):
        t = Terminal()
        t.expect(']> ')
        for call in ['tf.random.gamma([2**30], 0.5)', 'tf.svd(tf.random.uniform([4000, 4000]))', 'tf.fft(tf.complex(tf.ones([2**25 + 35]), 0.))']:
            t.send('print("at", "work", flush=True); eval %s\r' % call)
            t.expect('at work')
            time.sleep(0.5)
            t.send('\x03')
            t.expect('KeyboardInterrupt')
        t.send('print(40 + 2)\r')
        t.expect('42')
        t.send('quit\r')
        self.assertEqual(t.status(), 0)

    def test_runs_from_any_directory(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run(['-c', 'eval 1+1'], cwd=folder), (0, '2\n', ''))


class Keys(unittest.TestCase):
    """Tab, Ctrl-R and pasted text."""

    def setUp(self):
        self.t = Terminal()
        self.t.expect(']> ')

    def leave(self):
        self.t.send('\x15quit\r')
        self.assertEqual(self.t.status(), 0)

    def tab(self, typed, *want):
        self.t.send(typed + '\t')
        for text in want:
            self.t.expect(text)
        self.t.send('\x15')

    def test_tab(self):
        self.t.send('a = tf.constant([1., 2.], name="scope/left"); b = tf.identity(a, name="scope/right")\r')
        self.t.expect(']> ')
        self.tab('expl', 'explain ')
        self.tab('explain a --sv', '--svg')
        self.tab('explain a', 'analyze')
        self.tab('tf.nn.rel', 'tf.nn.relu')
        self.tab('tf.train.Ada', 'AdadeltaOptimizer', 'AdamOptimizer')
        self.tab('c = tf.constant(1., na', 'name=')
        self.tab('a.consum', 'a.consumers')
        self.tab('with tf.device("/cpu:', '/cpu:0', '/cpu:1')
        self.tab('why scope/', 'scope/left', 'scope/right')
        self.tab('ops MatMu', 'MatMul')
        self.tab('set tim', 'timing')
        self.tab('session cl', 'close')
        self.tab('help explai', 'explain')
        self.tab('wh', 'while', 'why')
        for nothing in ('nope.', 'a.nope', '1.', ')', 'f(', '"', 'x = "é', 'tf.constant(1.).'):
            self.tab(nothing, nothing)
        self.t.send('if a is not None:\r\tprint("indented")\r\r')
        self.t.expect('\nindented')
        self.leave()

    def test_tab_finds_files(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, 'models'))
            for name in ('models/one.pb', 'models/two.pb', '.hidden'):
                open(os.path.join(folder, name), 'w').close()
            self.tab('open %s/mod' % folder, 'models/')
            self.tab('open %s/models/' % folder, 'one.pb', 'two.pb')
            self.tab('f = open("%s/models/o' % folder, 'one.pb')
        self.leave()

    def test_search(self):
        self.t.send('print("needle" * 2)\rprint("hay")\r')
        self.t.expect('needleneedle')
        self.t.expect('\nhay')
        self.t.expect(']> ')  # before the prompt, the terminal itself handles Ctrl-R
        self.t.send('\x12need')
        self.t.expect('print("needle" * 2)')
        self.t.expect('search: need')
        self.t.send('\r')
        self.t.expect('needleneedle')
        self.t.expect(']> ')
        self.t.send('\x12need')
        self.t.expect('search: need')
        self.t.send('\x07print("given " "up")\r')
        self.t.expect('given up')
        self.leave()

    def test_lines_of_another_session(self):
        self.leave()
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, 'history')
            for typed, want in (('print("first" + "ly")\r', 'firstly'), ('\x1b[A\x1b[A\r', 'firstly')):
                self.t = Terminal(TENSH_HISTORY=file)
                self.t.expect(']> ')
                self.t.send(typed)
                self.t.expect(want)
                self.leave()
            with open(file) as f:
                self.assertEqual(f.read(), 'print("first" + "ly")\nquit\nprint("first" + "ly")\nquit\n')
            self.assertEqual(os.stat(file).st_mode & 0o777, 0o600)

    def test_pasted_session(self):
        self.t.send('\x1b[200~>>> for i in range(2):\r...     print("row", i * 10)\r... \rrow 0\rrow 10\r'
                    '>>> print("af" "ter")\rafter\r\x1b[201~')
        self.t.expect('\nrow 10')
        self.t.expect('\nafter')
        self.t.send('print("typed " "then")\r')
        self.assertNotIn('Error', self.t.expect('typed then'))
        self.leave()

    def test_a_program_that_ends_leaves_the_prompt(self):
        """A pasted or read program may end in tf.app.run(main) or sys.exit(main()); the session stays."""
        for ending in ('tf.app.run(main)', 'sys.exit(main(0))', 'if __name__ == "__main__":\r    tf.app.run()'):
            self.t.send('\x1b[200~import sys\rkept = 40\r\rdef main(_):\r    print("ra" "n")\r    return 3\r\r' + ending + '\r\x1b[201~\r')
            self.t.expect('\nran')
            self.t.expect('ended with exit code 3')
            self.t.send('kept + 2\r')
            self.t.expect('42')
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, 'p.py'), 'w', encoding='utf-8') as f:
                f.write('kept = 50\nimport sys\nsys.exit("no " + "data")\n')
            self.t.send('read %s\r' % f.name)
            self.t.expect('no data')
            self.t.expect('ended with exit code 1')
            self.t.send('kept + 3\r')
            self.t.expect('53')
        self.leave()

    def test_pasted_tab_is_no_key(self):
        self.t.send('\x1b[200~x = "a\tb"; print(len(x))\x1b[201~\r')
        self.t.expect('\n3')
        self.leave()


class Files(unittest.TestCase):
    """The user's files open as for any program of the user, unless tensh runs with --sandbox."""
    WAYS = ('open(%r, "w").write("x")', 'np.save(%r, np.ones(2))', 'os.remove(%r)', 'print(open(%r).read())',
            'tf.Session().run(tf.write_file(%r, "x"))', 'v = tf.Variable(1.)\nrun v.initializer\nsave %s',
            'tf.train.write_graph(tf.get_default_graph(), os.path.dirname(%r), "g")', 'print(os.listdir(os.path.dirname(%r)))',
            'p = [1., 2.]\nplot p --svg > %s', 'read %s', 'trace on\nrun tf.constant(1)\ntrace save %s', 'print(list(os.walk(os.path.dirname(%r))))',
            'import tempfile; tempfile.mkdtemp(dir=os.path.dirname(%r))', 'import tempfile; tempfile.mkdtemp(prefix=%r)', 'np.savetxt(%r, [1.])',
            'tf.gfile.GFile(%r).read()', 'tf.io.TFRecordWriter(%r).close()', 'tf.summary.FileWriter(os.path.dirname(%r)).close()',
            'tf.gfile.ListDirectory(os.path.dirname(%r))', 'open("../" * 40 + %r[1:]).read()',
            'open("/proc/self/root" + %r).read()', 'print(os.path.exists(%r))', 'print(os.path.isfile(%r))', 'print(os.path.isdir(%r))',
            'print(os.path.getsize(%r))', 'print(os.path.getmtime(%r))', 'import glob; print(glob.glob(%r[:-1] + "*"))', 'tf.gfile.Exists(%r)',
            'tf.gfile.Stat(%r)', 'tf.gfile.IsDirectory(%r)', 'tf.gfile.Glob(%r[:-1] + "*")', 'list(tf.gfile.Walk(os.path.dirname(%r)))',
            'tf.train.latest_checkpoint(os.path.dirname(%r))')

    def test_links_that_leave_a_sandbox(self):
        """A pattern matches the name of such a link, but does not follow it."""
        with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as there:
            open(os.path.join(there, 'secret'), 'w').close()
            os.symlink(there, os.path.join(here, 'link'))
            code = 'import glob\nprint(glob.glob("*"), glob.glob("*/*"), glob.glob("**", recursive=True))'
            done = subprocess.run([TENSH, '--sandbox', '-c', code], cwd=here, env=ENV, timeout=60, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual(done.stdout, b"['link'] [] ['link']\n", done.stderr)

    def run_in(self, way, options):
        with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as there:
            path = os.path.join(there, 'file.npy')
            open(path, 'w').close()
            code = 'import os\nprint(tf.Session().run(tf.constant(1)))\n' + way % path
            done = subprocess.run([TENSH, *options, '-c', code], cwd=here, env=ENV, timeout=60,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            return done.returncode, done.stderr.decode()

    def test_without_a_sandbox(self):
        for options in ((), ('--allow-files',)):
            for way in self.WAYS:
                with self.subTest(way=way):
                    code, errors = self.run_in(way, options)
                    self.assertNotIn('directory', errors)
                    self.assertEqual(code, 0, errors)

    def test_in_a_sandbox(self):
        for way in self.WAYS:
            with self.subTest(way=way):
                code, errors = self.run_in(way, ['--sandbox'])
                self.assertEqual(code, 1)
                self.assertIn('is outside the working directory', errors)
                self.assertIn('without --sandbox', errors)


    def test_files_beside_a_script(self):
        """A script in a sandbox may read them, whatever it reads them with, but not write them."""
        with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as there:
            with open(os.path.join(there, 'in.txt'), 'w', encoding='utf-8') as f:
                f.write('1 2\n')
            for way, allowed in (('open(p).read()', True), ('np.loadtxt(p)', True), ('tf.Session().run(tf.read_file(p))', True), ('tf.gfile.GFile(p).read()', True),
                                 ('os.listdir(os.path.dirname(p))', True),
                                 ('open(p, "a")', False), ('np.save(p, [1.])', False), ('os.remove(p)', False), ('tf.Session().run(tf.write_file(p, "x"))', False)):
                script = os.path.join(there, 'script.py')
                with open(script, 'w', encoding='utf-8') as f:
                    f.write('import os\np = %r\nr = %s\n' % (os.path.join(there, 'in.txt'), way))
                done = subprocess.run([TENSH, '--sandbox', script], cwd=here, env=ENV, timeout=60, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 0 if allowed else 1, (way, done.stderr))

    def test_native_code_in_a_sandbox(self):
        done = subprocess.run([TENSH, '--sandbox', '-c', 'tf.load_op_library("./ops.so")'], env=ENV, timeout=60, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b'PermissionError', done.stderr)
        self.assertIn(b'--sandbox', done.stderr)


class ExitCodes(unittest.TestCase):
    # (arguments, stdin, exit code, stdout or None, required part of stderr)
    ROWS = [
        (['-c', 'eval 1+1'], '', 0, '2\n', ''),
        ([], 'eval tf.add(1, 2)\n', 0, '3\n', ''),
        ([], '1 + 1\n', 0, '', ''),
        ([], '', 0, '', ''),
        (['--version'], '', 0, None, ''),
        (['--help'], '', 0, None, ''),
        (['-c', 'print(nope)'], '', 1, '', 'NameError'),
        (['-c', 'print(1)\nprint(nope)\nprint(2)'], '', 1, '1\n', ':2:'),
        (['--keep-going', '-c', 'print(1)\nprint(nope)\nprint(2)'], '', 1, '1\n2\n', 'NameError'),
        (['--keep-going', '-c', 'eval 1 feed x=[1,2\nprint(1)\nprint(2)'], '', 1, '1\n2\n', ':1:'),
        (['--keep-going', '-c', 'x = = 1\ndef f(n):\n    return n\nfor i in range(2):\n    print(f(i))'], '', 1, '0\n1\n', ':1:'),
        ([], 'print(1)\nraise ValueError("no")\n', 1, '1\n', 'ValueError: no'),
        (['-c', 'import sys; sys.exit(7)'], '', 7, '', ''),
        (['-c', 'quit'], '', 0, '', ''),
        (['--no-such-flag'], '', 2, '', '--no-such-flag'),
        (['-c'], '', 2, '', '-c'),
        (['/no/such/file.py'], '', 3, '', '/no/such/file.py'),
        (['-f', '/no/such/file.py'], '', 3, '', '/no/such/file.py'),
    ]

    def test_rows(self):
        for args, stdin, code, out, err in self.ROWS:
            with self.subTest(args=args, stdin=stdin):
                got = run(args, stdin)
                self.assertEqual(got[0], code, got)
                if out is not None:
                    self.assertEqual(got[1], out, got)
                self.assertIn(err, got[2])
                if not err:
                    self.assertEqual(got[2], '', got)

    def test_ctrl_c_in_a_script_is_130(self):
        child = subprocess.Popen([TENSH, '-c', 'print("on", flush=True)\nwhile True: pass'], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, env=ENV)
        self.assertEqual(child.stdout.readline(), b'on\n')
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
        self.assertEqual(child.returncode, 130, err)

    def test_ctrl_c_in_one_long_call(self):
        """Calls that take minutes: the divisor of numbers with millions of bits, an array of many long texts."""
        for code in ('import math\na, b = 3 ** (1 << 20), 7 ** (1 << 20)\nprint("on", flush=True)\nmath.gcd(a ** 4, b ** 2)',
                     'import numpy as np\na = ["a" * 10**6] * 10**6\nprint("on", flush=True)\nnp.array(a)'):
            child = subprocess.Popen([TENSH, '-c', code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV)
            self.assertEqual(child.stdout.readline(), b'on\n')
            time.sleep(0.2)
            child.send_signal(signal.SIGINT)
            out, err = child.communicate(timeout=30)
            self.assertEqual(child.returncode, 130, err)

    def test_ctrl_c_in_explain(self):
        """The report of a large graph is not printed after it."""
        script = ('h = tf.constant(1.)\nfor i in range(200000): h = tf.negative(h)\n'
                  'print("ready", flush=True)\nexplain h\n')
        child = subprocess.Popen([TENSH, '-'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV)
        child.stdin.write(script.encode())
        child.stdin.close()
        self.assertEqual(child.stdout.readline(), b'ready\n')
        time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        self.assertEqual((child.stdout.read(), child.wait(60)), (b'', 130))
        self.assertIn(b'KeyboardInterrupt', child.stderr.read())
        child.stdout.close()
        child.stderr.close()

    def test_reader_that_goes_away(self):
        done = subprocess.run(['/bin/sh', '-c', '"%s" -c "for i in range(10**6): print(i)" | head -1' % TENSH],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV, timeout=60)
        self.assertEqual((done.stdout, done.stderr), (b'0\n', b''))


    def test_closed_input_is_empty(self):
        done = subprocess.run(['/bin/sh', '-c', '"%s" <&-; echo $?' % TENSH], capture_output=True, env=ENV, timeout=60)
        self.assertEqual((done.stdout, done.stderr), (b'0\n', b''))

    def test_full_disk(self):
        for script, code, said in [('print(1)', 3, b'cannot write to standard output: No space left on device'),
                                   ('while True: print("x" * 1000)', 1, b'OSError: [Errno 28] No space left on device'),
                                   ('with open("/dev/full", "w") as f: f.write("x")', 1, b'OSError: [Errno 28] No space left on device'),
                                   ('f = open("/dev/full", "w")\nf.write("x" * 10**6)', 1, b'OSError: [Errno 28] No space left on device')]:
            with self.subTest(script=script), open('/dev/full', 'w') as full:
                done = subprocess.run([TENSH, '-c', script], stdout=full, stderr=subprocess.PIPE, env=ENV, timeout=60)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(said, done.stderr)
        for option in ('--help', '--version'):
            with open('/dev/full', 'w') as full:
                done = subprocess.run([TENSH, option], stdout=full, stderr=subprocess.PIPE, env=ENV, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (3, b'tensh: cannot write to standard output\n'))

    def test_limit_of_file_sizes(self):
        """A write beyond it raises a signal that ends a program that does not ignore it."""
        with tempfile.TemporaryDirectory() as folder:
            script = 'f = open("x", "w")\ntry: f.write("x" * 10**5); f.close()\nexcept OSError as e: print(e.errno)'
            done = subprocess.run([TENSH, '-c', script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV, cwd=folder,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)), timeout=60, check=False)
            self.assertEqual((done.returncode, done.stdout), (0, b'27\n'), done.stderr)

    def test_no_more_threads(self):
        """Large kernels and partitions run in the calling thread. The stack of a thread exceeds the address space."""
        script = """a = tf.ones([600, 600], name='a')
with tf.device('/cpu:1'): b = tf.matmul(a, a, name='b')
with tf.device('/cpu:0'): c = tf.reduce_sum(tf.matmul(a, a)) + tf.reduce_sum(tf.exp(tf.log(b)), name='sum')
with tf.Session(config=tf.ConfigProto(device_count={'CPU': 2}, intra_op_parallelism_threads=4)) as sess:
    for i in range(3): print(int(sess.run(c)) // 1000000)
    try: tf.train.QueueRunner(tf.FIFOQueue(1, tf.float32), [c.op]).create_threads(sess, start=True)
    except RuntimeError as e: print(e)
"""
        hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
        if hard != resource.RLIM_INFINITY:
            self.skipTest('the size of stacks is limited')
        done = subprocess.run([TENSH, '-c', script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (1 << 48, hard)), timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, b"432\n432\n432\ncan't start new thread\n"), done.stderr)

    def test_escape_sequences_in_arguments(self):
        for args in (['a\x1b[31m.py'], ['--\x1b[31m'], ['--cpus', '\x1b]0;x\x07'], ['serve', '--\x1b[31m'], ['-f', b'\xff\x9b']):
            with self.subTest(args=args):
                done = subprocess.run([TENSH] + args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV,
                                      timeout=60, check=False)
                self.assertIn(done.returncode, (2, 3))
                self.assertNotRegex(done.stderr, b'[\x1b\x07\x9b\xff]')

    def test_full_disk_of_events(self):
        with tempfile.TemporaryDirectory() as folder:
            now = int(time.time())
            for second in range(now, now + 60):  # the file may be created in any of these seconds
                os.symlink('/dev/full', os.path.join(folder, 'events.out.tfevents.%010d.%s' % (second, socket.gethostname())))
            code, out, err = run(['-c', 'tf.summary.FileWriter(%r)' % folder])
        self.assertEqual((code, out), (1, ''))
        self.assertIn('No space left on device', err)

    def test_pipe_that_does_not_block(self):
        there, here = os.pipe()
        os.set_blocking(here, False)
        child = subprocess.Popen([TENSH, '-c', 'print("x" * 10**6)'], stdout=here, env=ENV)
        os.close(here)
        time.sleep(0.3)
        with os.fdopen(there, 'rb') as f:
            self.assertEqual(f.read(), b'x' * 10**6 + b'\n')
        self.assertEqual(child.wait(60), 0)


class BadInput(unittest.TestCase):
    """Each mistake gives one clear error, the session continues, and nothing is added partially."""

    # (name, statement, class of the error)
    ROWS = [
        ('typo', 'tf.mat_mul(x, x)', 'AttributeError'),
        ('name', 'nope + 1', 'NameError'),
        ('wrong shape', 'tf.matmul(tf.zeros([2, 3]), tf.zeros([2, 3]))', 'ValueError'),
        ('unfed', 'eval x', 'InvalidArgumentError'),
        ('uninitialized', 'eval v', 'FailedPreconditionError'),
        ('no such device', 'with tf.device("/cpu:7"): eval tf.constant(1) + 1', ''),
        ('closed session', 's.run(v)', 'RuntimeError'),
        ('other graph', 'tf.add(x, other)', 'ValueError'),
        ('nesting', '(' * 100000 + ')' * 100000, ''),
        ('open brackets', '[' * 100000 + ']' * 100000, ''),
        ('many nots', 'not ' * 100000 + 'x', ''),
        ('many minuses', '-' * 100000 + '1', ''),
        ('syntax', 'def (:', 'SyntaxError'),
        ('string end', 'print("abc', 'SyntaxError'),
        ('too large', 'tf.zeros([2**40, 2**40])', ''),
        ('too large to run', 'eval tf.fill([2**20, 2**20], 1.0)', ''),
        ('negative size', 'tf.zeros([-5])', ''),
        ('recursion', 'f = lambda n: f(n)\nf(1)', 'RecursionError'),
        ('big power', 'print(10 ** 100000)', ''),
        ('feed', 'eval x feed x=[1, 2, 3]', ''),
        ('empty op', 'eval', ''),
        ('unknown verb argument', 'explain nothing_here', 'NameError'),
    ]
    BEFORE = ('x = tf.placeholder(tf.float32, [2], name="x"); v = tf.Variable(1.0, name="v"); s = tf.Session(); s.close()\n'
              'with tf.Graph().as_default(): other = tf.constant(1.0)\n'
              'nodes_before = len(tf.get_default_graph().get_operations())\n')
    AFTER = 'print("alive", len(tf.get_default_graph().get_operations()) - nodes_before)\n'

    def check(self, what, text, error):
        with self.subTest(what):
            source = self.BEFORE.encode() + (text if isinstance(text, bytes) else text.encode()) + b'\n' + self.AFTER.encode()
            code, out, err = run(['--keep-going'], source)
            self.assertEqual(code, 1, (out[-300:], err[-300:]))
            self.assertTrue(out.endswith('alive 0\n'), (out[-300:], err[-600:]))
            self.assertIn(error, err)
            self.assertLess(len(err), 2000, err[:3000])
            self.assertEqual(len(re.findall(r'^.*(?:Error|Interrupt|Exception): ', err, re.M)), 1, err)

    def test_rows(self):
        for row in self.ROWS:
            self.check(*row)

    def test_bytes(self):
        self.check('invalid utf-8', b'print("\xff\xfe\x80")', 'SyntaxError')
        self.check('nul', b'print(1)\x00', 'SyntaxError')
        self.check('control', b'print(1) \x01', 'SyntaxError')

    def test_a_device_without_end(self):
        code, _, err = run(['-c', 'open("/dev/zero").read(5)'])
        self.assertEqual(code, 1)
        self.assertIn("'/dev/zero' is not a file", err)

    def test_long_line(self):
        code, out, err = run(['--keep-going'], b'x = "' + b'a' * (100 << 20) + b'"\nprint("alive")\n', timeout=120)
        self.assertEqual((code, out), (1, 'alive\n'), err[:500])
        self.assertLess(len(err), 2000)

    def test_random_bytes(self):
        state = 12345
        for size in (10, 200, 5000):
            noise = bytearray()
            for _ in range(size):
                state = (state * 6364136223846793005 + 1442695040888963407) % 2 ** 64
                noise.append(state >> 56)
            code, _, err = run(['--keep-going'], bytes(noise))
            self.assertIn(code, (0, 1), err[:300])


if __name__ == '__main__':
    at = sys.argv.index('--tensh')
    TENSH = os.path.abspath(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    unittest.main()
