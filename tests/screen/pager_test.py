#!/usr/bin/env python3
"""The pager of the prompt on a pseudo-terminal: what goes through it, what does not, and how it ends.

    pager_test.py --tensh build/tensh [NAME ...]

The pagers are small scripts, so that the test does not depend on less. Needs Debian's python3-pyte and python3-pexpect, and
is skipped without them.
"""
import os
import signal
import stat
import sys
import tempfile
import termios
import time
import unittest

import editor_test
from editor_test import Terminal

# Shows the first line of its input and waits for a key.
ASK = '''#!/bin/sh
read first
echo "PAGE: $first"
printf 'more? '
read key </dev/tty
echo "END $key"
'''
# Leaves the terminal in raw mode and is killed.
RAW = '''#!/bin/sh
stty raw -echo </dev/tty
kill -9 $$
'''
# Sets the terminal to raw mode and stays.
STAY = '''#!/bin/sh
echo $$ > "$(dirname "$0")/pid"
stty raw -echo </dev/tty
echo PAGE
while :; do read key </dev/tty; done
'''
# Reads nothing.
DEAF = '#!/bin/sh\nexit 0\n'
MANY = 'z = [tf.constant(1., name="n%d" % i) for i in range(60)]; z = None'


class Pager(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.t.close()
        self.folder.cleanup()

    def start(self, pager=ASK, **env):
        path = os.path.join(self.folder.name, 'page')
        with open(path, 'w') as f:
            f.write(pager)
        os.chmod(path, stat.S_IRWXU)
        self.t = Terminal(**{'PAGER': path, **env})
        self.t.run(MANY)
        return self.t

    def test_a_long_table_is_paged(self):
        t = self.start()
        t.prompt().keys('nodes\r').shows('PAGE: ┌').shows('more?').keys('k\r').shows('END k').prompt()
        self.assertEqual(t.cursor_row(), '[3]>')
        t.keys('sql SELECT name FROM nodes\r').shows('[3]> sql').until(lambda: t.cursor_row() == 'more?', 'page').keys('\r').prompt()
        t.keys('help all\r').until(lambda: t.cursor_row() == 'more?', 'page').keys('\r').prompt()
        t.keys('graph --all\r').until(lambda: t.cursor_row() == 'more?', 'page').keys('\r').prompt()

    def test_what_fits_and_prints_are_not(self):
        t = self.start()
        t.run('nodes limit 3')
        t.run('for i in range(50): print(i)')
        t.run('print(sql("SELECT * FROM nodes"))')
        t.run('set pager off').run('nodes')
        self.assertNotIn(b'PAGE', t.raw)
        t.run('set pager on').keys('nodes\r').shows('PAGE')

    def test_a_command_as_the_pager(self):
        t = self.start(PAGER='')
        t.run('nodes')  # an empty $PAGER turns paging off
        t.run('set pager head -2 | sed s,name,NAME,').run('nodes')
        self.assertIn('NAME', t.text())
        t.run('set pager no-such-program-anywhere').run('nodes')  # and then prints the text itself
        t.shows('60 nodes')

    def test_not_in_a_dumb_terminal_or_a_lesson(self):
        t = self.start(TERM='dumb')
        t.run('nodes')
        self.assertNotIn(b'PAGE', t.raw)
        t.close()
        t = self.start()
        t.run('learn 1').run('nodes')
        self.assertNotIn(b'PAGE', t.raw)

    def test_a_pager_that_reads_nothing(self):
        t = self.start(DEAF)
        t.run('set pager ' + os.path.join(self.folder.name, 'page'))
        t.run('y = [tf.constant(1.) for i in range(3000)]; y = None')
        t.run('nodes --all').run('print(6 * 7)')
        t.shows('42')

    def test_ctrl_c_ends_the_pager_only(self):
        t = self.start('#!/bin/sh\necho WAITS\nexec sleep 1000\n')
        t.prompt().keys('nodes\r').shows('WAITS').keys('\x03').prompt()
        t.run('print(6 * 7)').shows('42')
        self.assertNotIn('KeyboardInterrupt', t.text())

    def test_the_mode_of_the_terminal_is_restored(self):
        t = self.start(RAW)
        t.run('nodes').run('print(6 * 7)')
        t.shows('\n42\n')
        t.keys('import time; time.sleep(2)\r')
        time.sleep(0.5)
        # the mode for a running program, not for the editor
        mode = termios.tcgetattr(t.child.child_fd)[3]
        self.assertTrue(mode & termios.ICANON and mode & termios.ECHO, mode)
        t.prompt()

    def test_a_signal_ends_the_pager_too(self):
        t = self.start(STAY)
        t.prompt().keys('nodes\r').shows('PAGE')
        with open(os.path.join(self.folder.name, 'pid')) as f:
            pager = int(f.read())
        os.kill(t.child.pid, signal.SIGTERM)
        for _ in range(100):
            try:
                with open('/proc/%d/stat' % pager) as f:
                    if f.read().rpartition(')')[2].split()[0] == 'Z':
                        break
            except FileNotFoundError:
                break
            time.sleep(0.05)
        else:
            self.fail('the pager is still there')
        self.assertTrue(termios.tcgetattr(t.child.child_fd)[3] & termios.ICANON)

    def test_ctrl_z_in_the_pager(self):
        t = self.start()
        t.prompt().keys('nodes\r').shows('more?')
        os.kill(t.child.pid, signal.SIGSTOP)
        os.kill(t.child.pid, signal.SIGCONT)
        t.keys('k\r').shows('END k').prompt()


if __name__ == '__main__':
    at = sys.argv.index('--tensh')
    editor_test.TENSH = os.path.abspath(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    unittest.main()
