#!/usr/bin/env python3
"""The limits that `tensh serve` puts on its clients. Each error names the limit and its option.

    limits_test.py --tensh build/tensh [NAME ...]
"""
import os
import subprocess
import sys
import unittest

import cluster_test as ct
import faults_test as ft
import h2

NODES = [h2.const('a', 1., 2.), h2.node('b', 'Neg', ['a'], T=h2.FLOAT), h2.node('c', 'Exp', ['b'], T=h2.FLOAT)]
READ = [h2.node('name', 'Placeholder', dtype=h2.pb((6, 7))), h2.node('read', 'ReadFile', ['name'])]


def function(name, *nodes):
    return h2.pb((1, h2.pb((1, name))), *[(3, n) for n in nodes])


def library(*functions):
    return h2.pb((2, h2.pb(*[(1, f) for f in functions])))


class Limits(unittest.TestCase):
    def refused(self, code, texts, call, *args):
        with self.assertRaises(h2.Failed) as failed:
            call(*args)
        self.assertEqual(failed.exception.code, code, failed.exception.message)
        for text in texts:
            self.assertIn(text, failed.exception.message)

    def extend(self, client, handle, graph, version):
        return h2.field(client.call('ExtendSession', h2.pb((1, handle), (2, graph), (3, version))), 4)

    def test_nodes(self):
        with ft.Server('--max-nodes', '5') as server:
            client = h2.Client(server.port)
            handle = client.session(h2.graph(*NODES))
            f = function('f', h2.node('x', 'Neg', ['a']))
            many = function('g', *[h2.node('x%d' % i, 'Neg', ['a']) for i in range(9)])
            said = ['would have 6 nodes', 'allows 5', '--max-nodes']
            self.refused(8, said, client.session, h2.graph(*NODES, *[h2.const('d%d' % i, 1.) for i in range(3)]))
            self.refused(8, ['would have 12 nodes'], client.session, h2.graph(*NODES) + library(many))
            for version, name in enumerate(('d', 'e')):  # a function counts once, although it is sent again
                if version:
                    self.refused(8, said, self.extend, client, handle, h2.graph(h2.const(name, 1.)) + library(f), version)
                else:
                    self.extend(client, handle, h2.graph(h2.const(name, 1.)) + library(f), version)
            self.refused(8, said, self.extend, client, handle, h2.graph(h2.const('e', 1.)), 1)
            self.assertEqual(ft.value(client.run(handle, ['d:0'])), [1.])  # the session still works
            client.close()

    def test_nodes_of_a_worker(self):
        spec = '{"worker": ["127.0.0.1:%d"]}' % ct.free_ports(1)[0]
        with ft.Server('--cluster', spec, '--job', 'worker', '--max-nodes', '3') as server:
            client = h2.Client(server.port)
            client.call('CreateWorkerSession', h2.pb((1, 's')), 'WorkerService')
            device = '/job:worker/replica:0/task:0/device:CPU:0'

            def register(*names):
                graph = h2.graph(*[h2.const(name, 1., device=device) for name in names])
                return h2.field(client.call('RegisterGraph', h2.pb((1, 's'), (2, graph), (6, 1)), 'WorkerService'), 1)
            handle = register('a', 'b')
            self.refused(8, ['would have 4 nodes', '--max-nodes'], register, 'a', 'b')
            client.call('DeregisterGraph', h2.pb((2, 's'), (1, handle), (3, 1)), 'WorkerService')
            register('a', 'b')
            client.close()

    def test_ops(self):
        with ft.Server('--deny-ops', 'PyFunc, Read*,?xp', '--deny-ops=WriteFile') as server:
            client = h2.Client(server.port)
            said = ["node 'read'", 'ReadFile', '--deny-ops', 'Read*']
            handle = client.session(h2.graph(*NODES[:2]))
            self.refused(7, said, client.session, h2.graph(*READ))
            self.refused(7, said, self.extend, client, handle, h2.graph(*READ), 0)
            self.refused(7, ['Exp'], client.session, h2.graph(*NODES))
            self.refused(7, said, client.session, h2.graph(*NODES[:2]) + library(function('f', READ[1])))
            self.refused(7, said, client.call, 'RegisterGraph', h2.pb((1, 's'), (2, h2.graph(*READ))), 'WorkerService')
            # Of two ops in one message, the last one counts. Both are checked.
            self.refused(7, ['Exp'], client.session, h2.graph(NODES[0], h2.pb((2, 'Exp')) + NODES[1]))
            self.assertEqual(ft.value(client.run(handle, ['b:0'])), [-1., -2.])
            client.close()

    def test_steps_in_flight(self):
        with ft.Server('--max-steps', '3') as server:
            client = h2.Client(server.port)
            handle, other = client.session(ft.WAITING), client.session(ft.WAITING)
            get = h2.pb((1, handle), (3, 'get:0'))
            # The server may start them in any order, so that any of the four is the one too many.
            waiting = [client.send('RunStep', get) for _ in range(4)]
            while not any(client.replies[stream][2] for stream in waiting):
                client.read_frame()
            ended = next(stream for stream in waiting if client.replies[stream][2])
            self.refused(8, ['3 steps in flight', '--max-steps'], client.wait, ended)
            waiting.remove(ended)
            self.assertEqual(ft.value(client.run(other, ['a:0'])), [1., 2.])
            client.cancel(waiting[0])
            for _ in range(100):
                try:
                    client.run(handle, ['a:0'])
                    break
                except h2.Failed:
                    pass
            self.assertEqual(ft.value(client.run(handle, ['a:0'])), [1., 2.])
            client.close()

    def test_time_of_a_step(self):
        with ft.Server('--max-step-seconds', '1') as server:
            client = h2.Client(server.port)
            handle = client.session(ft.WAITING)
            get = h2.pb((1, handle), (3, 'get:0'))
            self.refused(4, ['longer than 1 s', '--max-step-seconds'], client.call, 'RunStep', get)
            with self.assertRaises(h2.Failed) as own:  # the client's own limit, of 50 ms
                client.call('RunStep', get + h2.pb((5, h2.pb((2, 50)))))
            self.assertEqual(own.exception.code, 4)
            self.assertNotIn('--max-step-seconds', own.exception.message)
            client.close()

    def test_processor_time_of_a_step(self):
        script = ('i = tf.while_loop(lambda i: i >= 0, lambda i: i * 0, [tf.constant(0)])\n'
                  'm = tf.fill([1000, 1000], 1.)\nfor _ in range(300): m = tf.matmul(m, m)\ns = tf.Session(%r)\n'
                  'for fetch in (i, m):\n    try:\n        s.run(fetch)\n    except tf.errors.DeadlineExceededError as e:\n'
                  '        print("more than 100 ms of processor time" in str(e), "%s" in str(e), "--max-step-cpu" in str(e),\n'
                  '              "--max-step-seconds" in str(e))\nprint(s.run(tf.constant(2)))\n')
        with ft.Server('--max-step-cpu', '0.1', '--max-step-seconds', '100') as server:
            rc, out, err = ct.tensh(script % (server.target, '/job:localhost/replica:0/task:0'))
            self.assertEqual((rc, out), (0, 'True True True False\n' * 2 + '2\n'), err)
            client = h2.Client(server.port)  # a step that waits uses no processor time
            with self.assertRaises(h2.Failed) as waited:
                client.call('RunStep', h2.pb((1, client.session(ft.WAITING)), (3, 'get:0'), (5, h2.pb((2, 300)))))
            self.assertEqual(waited.exception.code, 4)
            client.close()

    def test_processor_time_in_a_cluster(self):
        cluster = {'worker': ['127.0.0.1:%d' % port for port in ct.free_ports(2)]}
        tasks = [ct.Task('our', cluster, 'worker', i, ('--max-step-cpu', '0.1') if i else ()) for i in range(2)]
        for task in tasks:
            self.addCleanup(task.stop)
            task.ready()
        rc, out, err = ct.tensh(
            'with tf.device("/job:worker/task:1"):\n'
            '    loop = tf.while_loop(lambda i: i >= 0, lambda i: i * 0, [tf.constant(0)])\n'
            's = tf.Session(%r)\ntry:\n    s.run(loop)\nexcept tf.errors.DeadlineExceededError as e:\n'
            '    print("/job:worker/replica:0/task:1, by --max-step-cpu" in str(e))\nprint(s.run(tf.constant(2)))\n' % tasks[0].target)
        self.assertEqual((rc, out), (0, 'True\n2\n'), err)

    def test_memory_of_all_sessions(self):
        with ft.Server('--memory', '40M') as server:
            rc, out, err = ct.tensh(
                'n = tf.placeholder(tf.int32, [1])\nv = tf.Variable(tf.fill([6000000], 1.), name="v")\n'
                'big = tf.reduce_sum(tf.fill(n, 1.))\ntext = tf.reduce_sum(tf.strings.length(tf.fill(n, "x" * 1000)))\n'
                'sessions = [tf.Session(%r, config=tf.ConfigProto(isolate_session_state=True)) for _ in range(2)]\n'
                'print(sessions[1].run(big, {n: [8000000]}))\nsessions[0].run(v.initializer)\n'
                'for fetch, size in ((big, 8000000), (text, 30000), (big, 1000000)):\n    try:\n'
                '        print(sessions[1].run(fetch, {n: [size]}))\n    except tf.errors.ResourceExhaustedError as e:\n'
                '        print("all sessions may hold 41943040 B" in str(e), "--memory" in str(e))\n'
                'sessions[0].close()\nprint(sessions[1].run(big, {n: [8000000]}))\n' % server.target)
            self.assertEqual((rc, out), (0, '8000000.0\nTrue True\nTrue True\n1000000.0\n8000000.0\n'), err)

    def test_sessions_and_memory_name_their_options(self):
        with ft.Server('--max-sessions', '1', '--session-memory', '1M') as server:
            client = h2.Client(server.port)
            handle = client.session(ft.WAITING)
            self.refused(8, ['--max-sessions'], client.session, ft.WAITING)
            client.call('CloseSession', h2.pb((1, handle)))
            rc, _, err = ct.tensh('print(tf.Session(%r).run(tf.fill([1000000], 1.)))' % server.target)
            self.assertEqual(rc, 1)
            self.assertIn('--session-memory', err)
            client.close()

    def test_strings_that_a_message_does_not_contain(self):
        """A constant of 40 bytes may say that it has 2^25 equal strings, which take a gigabyte."""
        def strings(n):
            return h2.pb((1, 7), (2, h2.pb((2, h2.pb((1, n))))), (8, b'x'))

        def const(name, n):
            return h2.node(name, 'Const', dtype=h2.pb((6, 7)), value=h2.pb((8, strings(n))))
        with ft.Server() as server:
            client = h2.Client(server.port)
            said = ['strings or variants that it does not contain']
            self.refused(8, said, client.session, h2.graph(*[const('c%d' % i, 1 << 25) for i in range(100)]))
            self.refused(8, said, client.session, library(function('f', const('c', 1 << 25))))
            handle = client.session(h2.graph(h2.node('p', 'Placeholder', dtype=h2.pb((6, 7))), h2.node('i', 'Identity', ['p'], T=h2.pb((6, 7)))))
            for i in range(8):
                self.extend(client, handle, h2.graph(const('c%d' % i, 1 << 20)), i)
            self.refused(8, said, self.extend, client, handle, h2.graph(const('c8', 1 << 20)), 8)
            feeds = [(2, h2.pb((1, 'p:0'), (2, strings(1 << 20))))] * 9
            self.refused(8, said, client.call, 'RunStep', h2.pb((1, handle), *feeds, (3, 'i:0')))
            self.assertLess(server.status('VmHWM'), 700_000)
            client.close()

    def test_text_that_graphs_print(self):
        server = subprocess.Popen([ct.TENSH, 'serve', '--port', '0'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ct.ENV)
        target = server.stdout.readline().decode().split()[-1]
        rc, _, err = ct.tensh('s = tf.Session(%r)\ns.run(tf.print("a\\x1b[31m\\x00\\x9b\\tb\\u202ec", "é"))\n'
                              's.run(tf.Print(1, [2], "d\\x07"))\n' % target)
        server.terminate()
        _, said = server.communicate(timeout=20)
        self.assertEqual((rc, server.returncode), (0, 0), err)
        self.assertEqual(said.decode(), 'a\\x1b[31m\\x00\\xc2\\x9b\tb\\xe2\\x80\\xaec é\nd\\x07[2]\n')

    def test_options(self):
        def serve(*options):
            done = subprocess.run([ct.TENSH, 'serve', *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ct.ENV,
                                  timeout=20, text=True)
            return done.returncode, done.stderr
        for options in (['--max-nodes', '0'], ['--max-nodes', '1e6'], ['--max-steps', '-1'], ['--memory', '1X'],
                        ['--deny-ops', 'Read File;'], ['--max-steps'], ['--insecure=yes'], ['--max-step-seconds', '0'], ['--max-step-cpu', '0']):
            code, said = serve(*options)
            self.assertEqual(code, 2, options)
            self.assertIn(options[0].split('=')[0], said)
            self.assertIn('Try: tensh serve --help', said)
        code, said = serve('--host', '0.0.0.0')
        self.assertEqual(code, 2)
        self.assertIn('--tls-ca FILE, or --insecure', said)


if __name__ == '__main__':
    at = sys.argv.index('--tensh')
    ct.TENSH = os.path.abspath(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    unittest.main(verbosity=1)
