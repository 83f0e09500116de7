#!/usr/bin/env python3
"""The prompt over several sessions: what is kept of a session that was killed, the configuration, and the start-up file.

    resume_test.py --tensh build/tensh [NAME ...]

Needs Debian's python3-pyte and python3-pexpect, and is skipped without them.
"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import editor_test
from editor_test import Terminal


class Home(unittest.TestCase):
    """A home folder, in which each test starts several shells."""

    def setUp(self):
        self.home = tempfile.mkdtemp(prefix='tensh-home-')
        self.open = []

    def tearDown(self):
        for t in self.open:
            t.close()
        shutil.rmtree(self.home)

    def path(self, *names):
        return os.path.join(self.home, *names)

    def env(self, **more):
        return dict({'HOME': self.home, 'XDG_STATE_HOME': '', 'XDG_CONFIG_HOME': '', 'TENSH_HISTORY': self.path('typed')}, **more)

    def start(self, *args, columns=100, **env):
        t = Terminal(args=args, columns=columns, rows=40, **self.env(**env))
        self.open.append(t)
        return t.prompt()

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), 'w', encoding='utf-8') as f:
            f.write(text)

    def saved(self, cell):
        """Waits until the variables are saved as of the cell. On a busy machine, that happens while the prompt is idle."""
        folder = self.path('.local', 'state', 'tensh', 'sessions')
        end = time.monotonic() + 30
        while time.monotonic() < end:
            for name in os.listdir(folder):
                if name.endswith('.variables'):
                    with open(os.path.join(folder, name), 'rb') as f:
                        if b'snapshot 1 %d' % cell in f.read(100):
                            return
            time.sleep(0.02)
        self.fail('the variables are not saved as of cell %d' % cell)

    def kill(self, t):
        os.kill(t.child.pid, signal.SIGKILL)
        t.close()

    def leave(self, t):
        t.keys('\x04')
        while t.read(0.2):
            pass
        t.child.wait()
        t.close()

    def sessions(self):
        folder = self.path('.local', 'state', 'tensh', 'sessions')
        return sorted(name for name in os.listdir(folder) if name.endswith('.cells'))


class Resume(Home):
    def test_graph_and_variables_after_a_kill(self):
        """Gap 13 of a review."""
        t = self.start()
        t.run('v = tf.Variable([1., 2.], name="v")').run('run v.initializer').run('run v.assign_add([1., 1.]) times 50')
        t.run('k = 7; nope').run('eval tf.exp(1.)').run('e = tf.exp(2.)')
        t.run('sess = tf.Session()').run('w = tf.Variable(7., name="w")').run('sess.run(w.initializer); sess.run(w.assign(11.))')
        t.run('nodes --csv')
        nodes = t.text().rpartition('nodes --csv\n')[2].splitlines()[:-1]
        self.assertGreater(len(nodes), 10)
        self.saved(9)
        self.kill(t)
        t = self.start()
        self.assertIn('To restore it: tensh --resume', t.text())
        self.leave(t)  # no cell was typed, so the killed session is still the last one
        t = self.start('--resume')
        self.assertRegex(t.text(), r'resumed the session of .*: 9 cells in .* · 2 variables as of cell 9')
        self.assertEqual(t.cursor_row(), '[11]>')
        t.run('eval v').shows('[51. 52.]').run('sess.run(w)').shows('\n11.0').run('k * 6').shows('\n42')
        t.run('nodes --csv')
        self.assertEqual(t.text().rpartition('nodes --csv\n')[2].splitlines()[:-1], nodes)
        t.run('In[2]').shows("'run v.initializer'")
        self.leave(t)
        self.assertEqual(len(self.sessions()), 1)
        t = self.start()
        self.assertNotIn('--resume', t.text())

    def test_saves_while_the_prompt_is_idle(self):
        """Saving 40 MB is followed by a pause, in which the second cell ends."""
        t = self.start()
        t.run('v = tf.Variable(tf.zeros([10000000]), name="v"); w = tf.Variable(1., name="w")')
        t.run('run v.initializer, w.initializer').run('eval w.assign(5.)').shows('\n5.0')
        self.saved(3)
        self.kill(t)
        self.start('--resume').run('eval w').shows('\n5.0')

    def test_values_of_the_last_save(self):
        """Without the autosave, for instance because the disk was full, the variables come from the last `save`."""
        t = self.start()
        t.run('v = tf.Variable([1., 2.], name="v")').run('run v.initializer').run('run v.assign_add([1., 1.]) times 5').run('save ' + self.path('model'))
        t.run('w = tf.exp(3., name="w")')
        self.kill(t)
        for name in os.listdir(self.path('.local/state/tensh/sessions')):
            if name.endswith('.variables'):
                os.unlink(self.path('.local/state/tensh/sessions', name))
        t = self.start('--resume')
        t.shows('variable').run('eval v').shows('[6. 7.]').run('eval w').shows('20.08')

    def test_a_cell_that_was_running(self):
        t = self.start()
        t.run('n = 1').run('n = n + 1')
        t.keys('n = 100; import time; print("go" + "ing"); time.sleep(1000)\r').shows('\ngoing')
        self.kill(t)
        t = self.start('--resume')
        t.shows('cell 3 had not finished').shows('rerun 3')
        t.run('n').shows('\n2')

    def test_long_repetitions(self):
        """The line on stderr, and Ctrl-C, after which the prompt has what was repeated before."""
        t = self.start().run('n = 1').run('v = tf.Variable([1., 2.], name="v")')
        t.run('import time; time.sleep(2); n = 2').run('n = 3').run('n = 4')
        self.kill(t)
        t = Terminal(args=['--resume'], columns=100, rows=40, **self.env())
        self.open.append(t)
        t.until(lambda: re.search(r'^ +\d+ % [▓·]+ resuming: cell 3 of 5, [\d.]+ m?s.*: import time', t.text(), re.M), 'line of progress')
        t.keys('\x03').prompt()
        t.shows('Ctrl-C stopped it at cell 3').shows('rerun 3-5')
        self.assertNotIn('resuming:', t.text())
        self.assertEqual(t.cursor_row(), '[6]>')
        t.run('n').shows('\n1').run('v.shape').shows('Dimension(2)').run('rerun 4-5').run('n').shows('\n4')
        self.kill(t)
        t = self.start('--resume')  # nothing of it is lost
        t.run('n').shows('\n4')
        self.assertRegex(t.text(), r'resumed the session of .*: \d+ cells')

    def test_other_sessions_by_number_and_id(self):
        for text in ('first', 'second', 'third'):
            t = self.start()
            t.run('name = "%s"' % text)
            self.leave(t)
            time.sleep(1.01)  # ids have a resolution of a second, and then sort by process
        t = self.start('--resume=2').run('name')
        t.shows("'second'")
        self.leave(t)
        self.assertEqual(len(self.sessions()), 3)
        t = self.start('--resume=' + self.sessions()[0][:-6]).run('name')
        t.shows("'first'")
        env = dict(os.environ, **self.env())
        listed = subprocess.run([editor_test.TENSH, '--resume=list'], env=env, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
        self.assertEqual([bool(re.search(how, line)) for how, line in zip(('ended', 'ended', 'runs'), listed)], [True] * 3, listed)
        failed = subprocess.run([editor_test.TENSH, '--resume'], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(failed.returncode, 2, failed)

    def test_two_at_once(self):
        one, two = self.start(), self.start()
        one.run('who = "one"')
        two.run('who = "two"')
        one.run('who = who * 2')
        self.kill(one)
        three = self.start()
        self.assertIn('--resume', three.text())
        two.run('who').shows("'two'")
        self.leave(three)
        three = self.start('--resume').run('who')
        three.shows("'oneone'")
        self.assertEqual(len(self.sessions()), 2)

    def test_kills_at_random_moments(self):
        """The real shell, which is killed while it runs pasted cells; tests/unit kills a writer 250 times."""
        rng = random.Random(3)
        for trial in range(8):
            t = self.start()
            t.keys(''.join('n%d = %d\r' % (i, i) for i in range(200)))
            t.read(rng.random() * 0.02)
            time.sleep(rng.random() * 0.3)
            self.kill(t)
            t = self.start('--resume') if self.has_cells() else self.start()
            last = int(re.search(r'\[(\d+)\]>$', t.cursor_row()).group(1)) - 1
            t.run('all(globals()["n%%d" %% i] == i for i in range(%d))' % max(0, last - 1))
            self.assertIn('\nTrue', t.text(), t.text())
            self.leave(t)
            shutil.rmtree(self.path('.local'))

    def has_cells(self):
        return os.path.isdir(self.path('.local/state/tensh/sessions')) and bool(self.sessions())

    def test_not_kept(self):
        for args, env in ((('--sandbox',), {}), ((), {'TENSH_HISTORY': ''})):
            t = self.start(*args, **env)
            t.run('1 + 1')
            self.assertNotIn('history', t.text())
            self.leave(t)
            self.assertFalse(self.has_cells(), args)
        subprocess.run([editor_test.TENSH, '-c', 'a = 1'], env=dict(os.environ, **self.env()), check=True)
        self.assertFalse(self.has_cells())

    def test_says_that_history_is_not_kept(self):
        t = self.start(HOME='/dev/null', TENSH_HISTORY='/dev/null/typed')
        self.assertEqual(t.text().count('history is not kept'), 1, t.text())
        t.run('1 + 1').run('2 + 2')
        self.assertEqual(t.text().count('not kept'), 1)
        t = self.start(HOME='')
        self.assertEqual(t.text().count('history is not kept'), 0 if 'TENSH_HISTORY' not in self.env() else 1, t.text())


class Configuration(Home):
    def test_kept_settings(self):
        t = self.start()
        t.run('set timing on --keep').shows('kept in')
        t.run('set theme light --keep').run('set timing off --keep').run('set ascii on')
        self.leave(t)
        with open(self.path('.config/tensh/config'), encoding='utf-8') as f:
            self.assertEqual(f.read(), 'set timing off\nset theme light\n')
        t = self.start()
        t.run('set theme').shows('\nlight').run('set ascii').shows('\noff')

    def test_mistakes_are_reported(self):
        self.write('.config/tensh/config', '# mine\n\nset timing on\nset tmieout 3\nset theme pink\nhello\n')
        t = self.start()
        for text in ("config:4: no setting 'tmieout'", 'config:5: theme must be', 'config:6: expected set KEY VALUE'):
            self.assertIn(text, t.text())
        t.run('set timing').shows('\non')

    def test_start_up_file(self):
        self.write('.config/tensh/startup.tsh', 'import math\nanswer = 42\nbad = 1 / 0\nnever = 1\n')
        t = self.start()
        self.assertRegex(t.text(), r'startup\.tsh:3:\d+: ZeroDivisionError')
        t.run('answer, math.floor(1.5)').shows('(42, 1)').run('never').shows('NameError')
        for flag in ('-X', '--no-startup'):
            t = self.start(flag)
            self.assertNotIn('ZeroDivisionError', t.text())
            t.run('answer').shows('NameError')
        done = subprocess.run([editor_test.TENSH, '-c', 'print("answer" in globals())'], env=dict(os.environ, **self.env()), stdout=subprocess.PIPE,
                              text=True, check=True)
        self.assertEqual(done.stdout, 'False\n')


class Programs(Home):
    def test_a_prompt_after_a_program(self):
        """Gap 24 of a review."""
        self.write('train.py', 'import sys\nprint("args", sys.argv[1:])\na = tf.constant([1., 2.], name="a")\n')
        t = self.start('-i', self.path('train.py'), 'x', '-y')
        t.shows("args ['x', '-y']")
        t.run('eval a * 2.').shows('[2. 4.]')
        t = self.start('-i', '-c', 'b = 2', '-c', 'c = b * 3\n1 / 0')
        t.shows('ZeroDivisionError')
        t.run('b, c').shows('(2, 6)')

    def test_a_prompt_after_exit(self):
        t = self.start('-i', '-c', 'raise SystemExit(3)')
        t.run('1 + 1').shows('\n2')


class Cells(Home):
    def test_listed_and_run_again(self):
        t = self.start()
        t.run('n = 1').run('n = n * 10').run('1 / 0').run('cells --csv')
        rows = t.text().rpartition('[4]> cells --csv\n')[2].splitlines()
        self.assertRegex(rows[0], 'cell,text,lines,state,time')
        self.assertRegex(rows[2], r'2,n = n \* 10,1,worked,\d+,0,\d{4}-\d\d-\d\d \d\d:\d\d:\d\d')
        self.assertRegex(rows[3], r'3,1 / 0,1,failed,')
        t.keys('rerun 2, 2\r').until(lambda: t.cursor_row() == '[8]>', 'prompt after two cells')
        self.assertIn('[6]> n = n * 10\n[7]> n = n * 10\n[8]>', t.text())
        t.run('n').shows('\n1000').run('rerun 99').shows('no cell 99 to run again')
        t.run('cells where state == failed').shows('rerun 99').run('sql SELECT count(*) AS n FROM cells WHERE state = "running"').shows('n')
        self.leave(t)
        t = self.start()
        t.run('cells 10 --all').shows('n = n * 10').shows('worked')


def main():
    i = sys.argv.index('--tensh')
    editor_test.TENSH = os.path.abspath(sys.argv[i + 1])
    del sys.argv[i:i + 2]
    unittest.main()


if __name__ == '__main__':
    main()
