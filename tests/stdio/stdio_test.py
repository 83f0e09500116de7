#!/usr/bin/env python3
"""Checks `tensh --stdio` (docs/stdio.md): cells and their events, completion, help, interruption, and malformed requests.

    stdio_test.py --tensh build/tensh
"""
import argparse
import json
import signal
import subprocess
import unittest

TENSH = ''


class Client:
    """A session of tensh, and the protocol."""

    def __init__(self, *options):
        self.process = subprocess.Popen([TENSH, '--stdio', *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.greeting = self.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            pipe.close()

    def read(self):
        line = self.process.stdout.readline()
        assert line, 'the process ended: ' + self.process.stderr.read().decode()
        return json.loads(line)

    def send(self, line):
        self.process.stdin.write(line if isinstance(line, bytes) else json.dumps(line).encode() + b'\n')
        self.process.stdin.flush()

    def reply(self):
        """Returns the events before the next reply, and the reply."""
        events = []
        while 'done' not in (got := self.read()):
            events.append(got)
        return events, got

    def ask(self, do, **fields):
        self.send({'id': do, 'do': do, **fields})
        events, got = self.reply()
        assert got['id'] == do, got
        return events, got

    def run(self, code):
        return self.ask('execute', code=code)


def text_of(events, stream='stdout'):
    return ''.join(e['text'] for e in events if e['event'] == stream)


class Stdio(unittest.TestCase):
    def setUp(self):
        self.tensh = Client()
        self.addCleanup(self.tensh.__exit__)

    def test_cells(self):
        self.assertEqual(self.tensh.greeting['protocol'], 1)
        events, done = self.tensh.run('print("é", 3)\n1 + 1')
        self.assertEqual(text_of(events), 'é 3\n')
        self.assertEqual(events[-1], {'id': 'execute', 'event': 'result', 'data': {'text/plain': '2'}})
        self.assertEqual((done['done'], done['cell']), ('ok', 1))
        events, done = self.tensh.run('print(Out[1], In[1])')
        self.assertEqual(text_of(events), '2 print("é", 3)\n1 + 1\n')
        self.assertEqual(self.tensh.run(' \n')[1]['done'], 'ok')

    def test_output_of_the_runtime_is_an_event(self):
        events, _ = self.tensh.run('eval tf.Print(tf.constant(1.), [tf.constant(5)], "seen ")')
        self.assertIn('seen [5]', text_of(events, 'stderr'))

    def test_forms(self):
        self.tensh.run('a = tf.constant([1., 2.], name="a<b".replace("<", ""))\nb = tf.exp(a, name="b")')
        forms = {}
        for code in ('nodes', 'explain b', 'graph b', 'plot [1, 2, 4]', 'sql SELECT 1 AS "<x>"', 'graph b --svg',
                     'import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show()',
                     'class Page:\n  def _repr_html_(self): return "<b>page</b>"\n\nPage()'):
            events, done = self.tensh.run(code)
            self.assertEqual(done['done'], 'ok', done)
            forms[code.split('\n')[0]] = [e['data'] for e in events if 'data' in e][-1]
        self.assertIn('<td style="text-align: left">Exp</td>', forms['nodes']['text/html'])
        self.assertIn('Exp', forms['nodes']['text/plain'])
        self.assertIn('<script', forms['explain b']['text/html'])
        self.assertIn('★ fetch', forms['explain b']['text/plain'])
        for code in ('graph b', 'plot [1, 2, 4]', 'graph b --svg'):
            self.assertTrue(forms[code]['image/svg+xml'].startswith('<svg'), code)
        self.assertIn('&lt;x&gt;', forms['sql SELECT 1 AS "<x>"']['text/html'])
        self.assertIn('image/svg+xml', forms['import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show()'])
        self.assertEqual(forms['class Page:']['text/html'], '<b>page</b>')

    def test_errors(self):
        _, done = self.tensh.run('x = 1\ntf.mat_mul(x)')
        self.assertEqual((done['done'], done['error']['name']), ('error', 'AttributeError'))
        self.assertIn("did you mean 'matmul'?", done['error']['text'])
        self.assertIn('tf.mat_mul(x)\n', done['error']['text'])
        self.assertEqual(text_of(self.tensh.run('print(x)')[0]), '1\n')
        self.assertEqual(self.tensh.run('def f(:')[1]['error']['name'], 'SyntaxError')
        self.assertEqual(self.tensh.run('input()')[1]['error']['name'], 'EOFError')
        for line in (b'junk\n', b'[]\n', b'{"do": 3}\n', b'\xff\n', b'{"id": {}, "do": "nothing"}\n',
                     b'[' * 1000 + b'\n', b'{"do": "execute"}\n', b'{"do": "execute", "code": 7}\n'):
            self.tensh.send(line)
            events, done = self.tensh.reply()
            self.assertEqual((events, done['done'], done['id']), ([], 'refused', None), line)

    def test_complete_and_inspect(self):
        _, done = self.tensh.ask('complete', code='é = tf.nn.rel + 1', cursor=13)
        self.assertEqual((done['from'], done['to']), (10, 13))
        self.assertIn('relu6', done['candidates'])
        self.assertEqual(self.tensh.ask('complete', code='', cursor=-5)[1]['done'], 'ok')
        for code, cursor, expected in (('tf.matmul(a, ', 13, 'matrix product'), ('x = np.arange', 8, 'arange('),
                                       ('explain b', 3, 'Show the stages'), ('f(g(1), tf.exp(', 99, 'tf.exp(')):
            _, done = self.tensh.ask('inspect', code=code, cursor=cursor)
            self.assertTrue(done['found'], code)
            self.assertIn(expected, done['text'])
        for code in ('', 'nosuch', '((((', 'tf.nosuch.x', '1.5', '....', 'a b(c) d)'):
            self.assertFalse(self.tensh.ask('inspect', code=code)[1]['found'], code)
        for code, state in (('x = 1', 'complete'), ('f(', 'incomplete'), ('for i in x:', 'incomplete'),
                            ('x = )', 'invalid')):
            self.assertEqual(self.tensh.ask('is_complete', code=code)[1]['state'], state)
        self.assertEqual(self.tensh.run('print(1)')[1]['cell'], 1)

    def test_interrupt(self):
        self.assertFalse(self.tensh.ask('interrupt')[1]['running'])
        loop = 'tf.while_loop(lambda i: i >= 0, lambda i: tf.abs(i + 1) % 1000, [0])'
        for code in ('print("on")\nwhile True: pass', 'print("on")\neval %s' % loop):
            self.tensh.send({'id': 1, 'do': 'execute', 'code': code})
            while self.tensh.read().get('text') != 'on\n':
                pass
            self.tensh.send({'id': 2, 'do': 'interrupt'})
            replies = {}
            while len(replies) < 2:
                _, done = self.tensh.reply()
                replies[done['id']] = done
            self.assertTrue(replies[2]['running'])
            self.assertEqual(replies[1]['done'], 'interrupted')
            self.assertEqual(replies[1]['error']['name'], 'KeyboardInterrupt')
        self.assertEqual(text_of(self.tensh.run('print(1)')[0]), '1\n')

    def test_end(self):
        _, done = self.tensh.run('import sys; sys.exit(3)')
        self.assertEqual((done['done'], done['code']), ('exit', 3))
        self.assertEqual(self.tensh.process.wait(20), 3)
        lines = b'{"do": "execute", "code": "print(5)"}\n{"do": "quit"}\n{"do": "execute", "code": "6"}'
        run = subprocess.run([TENSH, '--stdio'], input=lines, capture_output=True, timeout=60)
        self.assertEqual([json.loads(line).get('done') for line in run.stdout.splitlines()], [None, None, 'ok', 'ok'])
        self.assertEqual((run.returncode, run.stderr), (0, b''))
        with Client() as gone:  # The client ends while a cell runs.
            gone.send({'do': 'execute', 'code': 'while True: pass'})
            gone.process.stdin.close()
            gone.process.stdout.close()
            gone.process.wait(20)
        used = subprocess.run([TENSH, '--stdio', '-c', '1'], capture_output=True, timeout=60)
        self.assertEqual(used.returncode, 2)

    def test_sandbox(self):
        with Client('--sandbox') as tensh:
            self.assertEqual(tensh.run('open("/etc/hostname")')[1]['error']['name'], 'PermissionError')


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    TENSH = parser.parse_args().tensh
    signal.alarm(200)  # A reply that does not arrive ends the test.
    unittest.main(argv=['stdio_test'])
