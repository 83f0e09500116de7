#!/usr/bin/env python3
"""Long work on a terminal: the line that shows how far it has come, and Ctrl-C.

    progress_test.py --tensh build/tensh [NAME ...]

Needs Debian's python3-pyte and python3-pexpect, and is skipped without them.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

import editor_test
from editor_test import Terminal

COUNTER = 'import time; v = tf.Variable(0., name="v", dtype=tf.float64); w = tf.Variable(0., dtype=tf.float64)'
STEP = 'step = tf.group(v.assign_add(1.), *[w.assign_add(1. / 64) for _ in range(64)]); start = tf.global_variables_initializer()'


class Progress(unittest.TestCase):
    def setUp(self):
        self.t = Terminal(columns=100)
        self.t.run(COUNTER).run(STEP).run('run start')

    def tearDown(self):
        self.t.close()

    def number_of(self, expression):
        self.t.run(expression)
        return float(self.t.lines()[-2])

    def test_the_line_appears_and_goes(self):
        self.t.run('t0 = time.time()')
        self.t.keys('run step until time.time() > t0 + 2\r')
        self.t.until(lambda: re.search(r'\d steps · .* each', self.t.lines()[-1]), 'line of progress')
        self.t.prompt()
        self.assertRegex(self.t.lines()[-2], r'^ [\d,]+ steps in .*s, .* each$')
        self.assertNotRegex(self.t.text(), r'\d steps · ')

    def test_share_rate_and_watched_values(self):
        self.t.run('watch v')
        self.t.keys('run step times 2000000000\r')
        self.t.until(lambda: re.search(r'^ +0 % ·+ [\d,]+ of 2,000,000,000 steps · .* each · .* left ·  v \d+', self.t.lines()[-1]), 'line with v')
        self.t.keys('\x03').prompt()
        self.assertEqual([line for line in self.t.lines() if ' % ' in line], [])

    def test_ctrl_c_says_how_far_it_came(self):
        """Gap 22 of a review. The variables have the values of whole steps."""
        done = 0
        for _ in range(12):
            self.t.keys('\x0crun step times 1000000000\r').read(0.3)
            self.t.keys('\x03').shows('stopped by Ctrl-C').prompt()
            said = re.search(r'stopped by Ctrl-C after ([\d,]+) of 1,000,000,000 steps in ', self.t.text())
            done += int(said.group(1).replace(',', ''))
            self.assertIn('KeyboardInterrupt', self.t.text())
            self.assertEqual(self.number_of('eval v'), done)
            self.assertEqual(self.number_of('eval w'), done)
        self.t.keys('run v.assign_add(1.) times 1000000000\r').read(0.3)
        self.t.keys('\x03').shows('last value').prompt()
        last = float(re.search(r'last value ([\d.]+)', self.t.text()).group(1))
        self.assertEqual(self.number_of('eval v'), last)

    def test_errors_say_how_far_it_came(self):
        self.t.run('bad = tf.check_numerics(1. / (3. - v), "too far"); order = tf.group(step, bad)')
        self.t.run('run v.assign(0.)').run('run order times 100')
        self.assertRegex(self.t.text(), r'stopped after \d of 100 steps')

    def test_a_step_that_does_not_end(self):
        self.t.run('slow = tf.while_loop(lambda i: i >= 0., lambda i: i * 0., [tf.constant(0.)])')
        self.t.keys('run slow times 3\r').shows('0 of 3 steps')
        self.t.keys('\x03').shows('stopped by Ctrl-C after 0 of 3 steps').prompt()
        self.t.run('1 + 1').shows('\n2')

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, 'graph.pb')
            with open(name, 'wb') as f:  # three million nodes take more than a second
                f.write(b''.join(b'\n\x0f\n\x07%07d\x12\x04NoOp' % i for i in range(3000000)))
            self.t.keys('open %s\r' % name)
            self.t.until(lambda: self.t.lines()[-1].startswith(' opening ' + name[:20]), 'line of progress')
            self.t.keys('\x03').prompt()
            self.assertNotIn(' opening', self.t.text())
            self.assertIn('KeyboardInterrupt', self.t.text())

    def test_nothing_in_a_pipe_or_a_plain_terminal(self):
        code = '%s\n%s\nrun start\nt0 = time.time()\nrun step until time.time() > t0 + 0.8\n' % (COUNTER, STEP)
        done = subprocess.run([editor_test.TENSH, '-c', code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
        self.assertEqual((done.stdout, done.stderr), (b'', b''))
        self.t.close()
        self.t = Terminal(TERM='dumb')
        self.t.prompt()
        for line in code.splitlines():
            self.t.run(line)
        self.assertNotIn(b'\x1b', self.t.raw)
        self.assertNotRegex(self.t.text(), r'\d steps · ')


LOOP = 'import time; s = tf.Session(); n = tf.Variable(0., name="n", dtype=tf.float64); s.run(n.initializer); up = n.assign_add(1.)'


class Programs(unittest.TestCase):
    """Loops of the program, at the prompt and in scripts."""

    def setUp(self):
        self.open, self.folder = [], tempfile.TemporaryDirectory()

    def tearDown(self):
        for t in self.open:
            t.close()
        self.folder.cleanup()

    def terminal(self, *args, **env):
        self.open.append(Terminal(args=args, columns=110, rows=30, **env))
        return self.open[-1]

    def script(self, text):
        name = os.path.join(self.folder.name, 'train.py')
        with open(name, 'w', encoding='utf-8') as f:
            f.write(text)
        return name

    def end(self, t):
        while t.read(0.2):
            pass
        t.child.wait()
        return t.child.exitstatus

    def test_a_loop_at_the_prompt(self):
        t = self.terminal()
        t.run(LOOP)
        t.keys('for i in range(2000000000): _ = s.run(up)\r\r')
        t.until(lambda: re.search(r'^ +0 % ·+ [\d,]+ of 2,000,000,000 iterations · .* each · .* left · last \d', t.lines()[-1]), 'line of the loop')
        t.keys('\x03').prompt()
        said = re.search(r'stopped by Ctrl-C after ([\d,]+) of 2,000,000,000 iterations in .* · last value ([\d.]+)', t.text())
        self.assertEqual([line for line in t.lines() if ' % ' in line], [])
        done, last = int(said.group(1).replace(',', '')), float(said.group(2))
        self.assertIn(last - done, (0, 1))
        t.run('s.run(n)').shows('\n%.1f' % last)

    def test_steps_of_an_endless_loop(self):
        t = self.terminal()
        t.run(LOOP).keys('while True: _ = s.run([up, up.op])\r\r')
        t.until(lambda: re.search(r'^ [\d,]+ steps · .* each · last \d+', t.lines()[-1]), 'line of the steps')
        t.keys('\x03').prompt()
        self.assertRegex(t.text(), r'stopped by Ctrl-C after [\d,]+ steps in .* · last value \d+')

    def test_the_outermost_loop_counts(self):
        t = self.terminal()
        t.run(LOOP).run('def one():\r  for j in range(1000): s.run(up)\r')
        t.keys('for name, k in enumerate(["a"] * 123456): one()\r\r').shows(' of 123,456 iterations').keys('\x03').prompt()
        self.assertRegex(t.text(), r'after [\d,]+ of 123,456 iterations, [\d,]+ steps in')

    def test_other_work(self):
        """Everything that takes long has a line and stops."""
        big = os.path.join(self.folder.name, 'numbers.txt')
        with open(big, 'w', encoding='utf-8') as f:
            f.write('1 2 3\n' * 4000000)
        t = self.terminal()
        t.run(LOOP).run('run tf.global_variables_initializer()')
        for line, shown in (('bench up times 2000000000', r'\d of 2,000,000,000 steps'), ('profile up times 2000000000', r'of 2,000,000,000 steps'),
                            ('time.sleep(1000)', r'running · \d'), ('a = np.loadtxt("%s")' % big, r'running · \d'),
                            ('sql WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c', r'^ sql · \d')):
            t.keys('\x0c' + line + '\r')
            t.until(lambda: re.search(shown, t.lines()[-1]), 'line of ' + line)
            t.keys('\x03').prompt()
            self.assertIn('KeyboardInterrupt', t.text())
            self.assertRegex(t.text(), 'stopped by Ctrl-C after .*s')

    def test_a_script(self):
        name = self.script('print("begin")\n%s\nfor i in range(2000000000):\n    l = s.run(up)\n    if i == 200: print("at", l)\n' % LOOP)
        t = self.terminal(name)
        t.shows('begin\nat 201.0')  # the lines appear while it runs
        t.shows(' of 2,000,000,000 iterations')
        t.keys('\x03')
        self.assertEqual(self.end(t), 130, t.text())
        self.assertRegex(t.text(), r'begin\nat 201.0\n stopped by Ctrl-C after [\d,]+ of 2,000,000,000 iterations in .*s · last value [\d.]+\n')
        self.assertRegex(t.text().replace('\n', ''), r'train\.py:[345]:')  # any line of the loop
        self.assertNotIn(' % ', t.text())

    def test_output_stays_whole(self):
        """The line is never drawn over text of the program, and leaves nothing behind."""
        name = self.script(LOOP + """
import sys
print('working', end='', flush=True)
end = time.time() + 1.2
while time.time() < end: pass
print(' done')
p = tf.print('value', up, 'end')
while s.run(n) < 60000:
    s.run(p)
    if time.time() > end + 2.5: break
sys.stdout.write('last\\n')
""")
        t = self.terminal(name)
        t.shows('working')
        while t.child.isalive() and ' done' not in t.text():
            self.assertNotIn('line ', t.text())
            t.read(0.05)
        self.assertEqual(self.end(t), 0, t.text())
        lines = t.lines()
        self.assertEqual(lines[-1], 'last')
        for line in lines[:-1]:
            self.assertRegex(line, r'^value \d+ end$|^working done$')
        self.assertIn(b' steps ', t.raw)

    def test_answers_to_input(self):
        t = self.terminal(self.script('x = input()\nprint("got", x)\n'))
        t.read(1.2)
        self.assertEqual(t.text(), '')
        t.keys('hello\r')
        self.assertEqual(self.end(t), 0)
        self.assertEqual(t.text(), 'hello\ngot hello')

    def test_nothing_beside_other_programs(self):
        """Standard output goes to a pager, or standard input has the program."""
        name = self.script(LOOP + '\nend = time.time() + 1\nwhile time.time() < end: s.run(up)\nprint("end")\n')
        for command in ('%s %s | cat', 'cat %s | %s', 'TERM=dumb %s %s', 'set -m; %s %s & wait'):
            words = (name, editor_test.TENSH) if command.startswith('cat') else (editor_test.TENSH, name)
            t = Terminal('/bin/sh', args=['-c', command % words])
            self.open.append(t)
            self.end(t)
            self.assertEqual(t.text(), 'end', command)
            self.assertNotIn(b'\x1b', t.raw)


if __name__ == '__main__':
    at = sys.argv.index('--tensh')
    editor_test.TENSH = os.path.abspath(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    unittest.main()
