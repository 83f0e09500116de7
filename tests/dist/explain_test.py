#!/usr/bin/env python3
"""Tests the shell's views of steps on servers: `connect`, and the views of reports from tensh and from TensorFlow.

    explain_test.py --tensh build/tensh [NAME ...]
"""
import json
import os
import sys
import unittest

import cluster_test as ct
from faults_test import Server

PROGRAM = '''with tf.device(%r): a = tf.Variable([1., 2.], name="a")
with tf.device(%r): b = tf.exp(a, name="b")
connect %s
run a.initializer
run b
'''


class Explain(unittest.TestCase):
    def show(self, program, *verbs):
        rc, out, err = ct.tensh(program + '\n'.join(verbs) + '\n', 120)
        self.assertEqual(rc, 0, err)
        return out

    def check(self, target, first, second, short, wanted=('compute', 'send', 'recv')):
        """b is on the second device and its input a on the first. First the plan, then a run."""
        program = PROGRAM % (first, second, target)
        for verb in ('explain b --json', 'explain analyze b --json'):
            line = self.show(program, verb).split('\n')[1]
            report = json.loads(line)
            nodes = {n['name']: n for n in report['nodes']}
            self.assertEqual(nodes['b']['short_device'], short[1], verb)
            self.assertEqual(nodes['a']['short_device'], short[0], verb)
            moved = [(t['from'], t['to'], t['consumers']) for t in report['transfers']]
            self.assertIn((short[0], short[1], ['b']), moved, verb)
            if 'analyze' not in verb:
                continue
            self.assertGreater(report['wall_ns'], 0)
            self.assertEqual([t['bytes'] for t in report['transfers'] if t['consumers'] == ['b']], [8])
            events = {(e['kind'], e['device'], e['node']) for e in report['steps']}
            self.assertIn(('compute', short[1], 'b'), events)
            kinds = {kind for kind, _, _ in events}
            self.assertLessEqual(set(wanted), kinds)
            for e in report['steps']:
                self.assertLessEqual(0, e['start_ns'])
                self.assertLessEqual(e['start_ns'], e['end_ns'])
                self.assertLessEqual(e['end_ns'], report['wall_ns'])
        out = self.show(program, 'trace on', 'run b times 3', 'trace off', 'trace', 'profile', 'explain analyze b',
                        'why b', 'why a -> b')
        self.assertIn('3 steps kept', out)
        self.assertNotIn('/replica:', out)
        self.assertIn('▓', out)
        self.assertIn(short[1], out)
        self.assertIn('you requested it', out)
        self.assertIn('Send/Recv', out)

    def test_one_task(self):
        with Server('--cpus', '2') as server:
            self.check(server.target, '/cpu:0', '/cpu:1', ('cpu:0', 'cpu:1'))

    def test_tasks(self):
        kinds = [('our', 'our')] + ([('tf', 'tf'), ('our', 'tf'), ('tf', 'our')] if ct.TF_PYTHON else [])
        for master, worker in kinds:
            with self.subTest(master=master, worker=worker), ct.Cluster(master, worker) as cluster:
                self.check(cluster.target, '/job:worker/task:0', '/job:worker/task:1',
                           ('/job:worker/task:0/cpu:0', '/job:worker/task:1/cpu:0'),
                           # TensorFlow's servers may omit transfers.
                           ('compute', 'send', 'recv') if master == worker == 'our' else ('compute',))

    def test_connect(self):
        with Server() as server:
            out = self.show('', 'connect', 'connect ' + server.target, 'connect', 'eval tf.constant(2) + 1',
                            'connect default', 'connect')
            self.assertEqual(out, 'steps run in this process\nsteps run on %s\n3\nsteps run in this process\n' %
                             server.target)
        rc, _, err = ct.tensh('connect grpc://127.0.0.1:1')
        self.assertEqual(rc, 1)
        self.assertIn('UnavailableError: the server 127.0.0.1:1 does not answer', err)
        self.assertIn('connect grpc', err)


if __name__ == '__main__':
    at = sys.argv.index('--tensh')
    ct.TENSH = os.path.abspath(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    unittest.main(verbosity=1)
