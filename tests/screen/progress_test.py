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
import threading
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
            os.mkfifo(name)
            self.t.keys('open %s\r' % name)
            self.t.until(lambda: self.t.lines()[-1].startswith(' opening ' + name[:20]), 'line of progress')
            threading.Thread(target=lambda: open(name, 'wb').close()).start()
            self.t.prompt()
            self.assertNotIn(' opening', self.t.text())

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


if __name__ == '__main__':
    at = sys.argv.index('--tensh')
    editor_test.TENSH = os.path.abspath(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    unittest.main()
