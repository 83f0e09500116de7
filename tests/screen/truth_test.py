#!/usr/bin/env python3
"""Notes of the prompt that must be true, on a pseudo-terminal: warnings about effects, and help.

    truth_test.py --tensh build/tensh [NAME ...]

Needs Debian's python3-pyte and python3-pexpect, and is skipped without them.
"""
import os
import sys
import unittest

import editor_test
from editor_test import Terminal

VARIABLES = ('w = tf.Variable([[1.], [2.]], name="w")', 'x = tf.placeholder(tf.float32, [None, 2], name="x")',
             'loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))')
INITIALIZE = 'run tf.global_variables_initializer()'


class Truth(unittest.TestCase):
    def setUp(self):
        self.t = Terminal(rows=24)
        self.t.prompt()

    def tearDown(self):
        self.t.close()

    def run_all(self, *lines):
        """Returns the lines on the screen after the last of these lines was typed."""
        for line in lines[:-1]:
            self.t.run(line)
        self.t.keys('\x0c')  # Ctrl-L
        self.t.run(lines[-1])
        return self.t.text()

    def test_initializers_do_not_warn(self):
        """The gap 9 of a review: updates of optimizers are meant for a later run."""
        for make in ('train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)',
                     'train = tf.train.AdamOptimizer(0.1).minimize(loss)',
                     'train = [tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss), tf.train.RMSPropOptimizer(0.1).minimize(loss)]',
                     'train = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(tf.layers.dense(x, 3)))',
                     'q = tf.FIFOQueue(3, tf.float32); enqueue = q.enqueue(loss); tf.summary.scalar("loss", loss)',
                     'saver = tf.train.Saver(); u = w.assign(w * 2.); tf.report_uninitialized_variables(name="left")'):
            with self.subTest(make):
                self.t.run('reset')
                self.assertNotIn('not run', self.run_all(*VARIABLES, make, INITIALIZE))
                self.assertNotIn('not run', self.run_all('eval loss feed x=[[1, 2]]'))

    def test_forgotten_effects_warn_once(self):
        self.run_all(*VARIABLES, INITIALIZE)
        self.t.run('w.assign([[3.], [4.]])')
        self.assertIn('not run: Assign (Assign)', self.run_all('eval w'))
        self.assertNotIn('not run', self.run_all('eval w'))
        self.t.run('p = tf.Print(loss, [loss], name="p")')
        self.assertIn('not run: p (Print)', self.run_all('eval loss feed x=[[1, 2]]'))

    def test_sql_counts_the_rows_that_it_does_not_show(self):
        self.t.run('for i in range(250): c = tf.constant(i, name="c%d" % i)')
        for query in ('SELECT name FROM nodes', 'SELECT * FROM nodes;', 'WITH n AS (SELECT id FROM nodes) SELECT * FROM n -- each',
                      'SELECT name FROM nodes ORDER BY name DESC', 'SELECT name, id FROM nodes WHERE id < :most'):
            self.t.run('set pager off; most = 250')
            self.assertIn('150 more rows', self.run_all('sql ' + query))
        self.assertIn('100 rows', self.run_all('sql SELECT name FROM nodes LIMIT 100'))

    def test_an_empty_result_names_the_graphs_that_have_nodes(self):
        self.t.run('with tf.Graph().as_default(): g = tf.constant(1., name="g")')
        self.assertIn('there is 1 node in g1', self.run_all('sql SELECT name FROM nodes'))

    def test_a_pattern_that_nothing_matches(self):
        self.t.run('a = tf.constant(1., name="alpha")')
        self.assertIn("no node matches; did you mean 'alpha'?", self.run_all('nodes alpah'))

    def test_the_first_cell_is_a_transaction(self):
        self.run_all('x = [tf.exp(1.), 1 / 0]')
        self.assertIn('no nodes yet', self.run_all('nodes'))
        self.assertIn('@1 · 1 node', self.run_all('a = tf.constant(1.)'))

    def test_help_fits_the_screen(self):
        text = self.run_all('help')
        self.assertIn('Verbs by task', text)  # the first line has not scrolled away
        self.assertIn('Leave with Ctrl-D', text)
        self.assertNotIn('…', text)
        for line in ('help all', 'help keys'):
            t = Terminal(rows=400)
            t.run(line)
            self.assertNotIn('…', t.text().replace('`run …', '').replace('`explain …', ''))
            t.close()

    def test_a_graph_fits_the_screen(self):
        """A graph of 200 nodes is a tree that needs no pager, and the hint under it works."""
        for line in ('x = tf.placeholder(tf.float32, [None, 784], name="x")',
                     'y = tf.layers.dense(tf.layers.dense(x, 64), 10)',
                     'train = tf.train.AdamOptimizer().minimize(tf.reduce_mean(tf.square(y)))'):
            self.t.run(line)
        text = self.run_all('graph')
        self.assertEqual(text.split('\n')[1], 'x = Placeholder() f32[?,784]')  # has not scrolled away
        self.assertIn('nodes, folded by name scope', text)
        hint = text.split('open one: ')[1].split('\n')[0]
        self.assertIn('list all nodes: graph --all', self.run_all('set pager off', hint))

    def test_cells_and_results(self):
        self.t.run('x = 3')
        self.t.run('x + 1')
        self.assertIn("'x = 3'", self.run_all('In[1]'))
        self.assertEqual(self.run_all('Out[2]').split('\n')[1], '4')
        self.assertEqual(self.run_all('Out[1]?').split('\n')[1], 'Out[1] is not set. Cells with a value: 2, 3, 4')
        self.assertIn('KeyError: 1. Cells with a value: 2, 3, 4', self.run_all('Out[1]'))
        self.t.keys('quit()\r').until(lambda: not self.t.read(), 'end')


if __name__ == '__main__':
    at = sys.argv.index('--tensh')
    editor_test.TENSH = os.path.abspath(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    unittest.main()
