#!/usr/bin/env python3
"""Faults between clients, masters and workers: links that hang or break, lost responses, and overload.

    faults_test.py --tensh build/tensh [NAME ...]

Everything listens on 127.0.0.1, and the processes that are started here are ended here by process id. docs/wire.md
lists the faults and the expected errors.
"""
import os
import struct
import sys
import time
import unittest

import cluster_test as ct
import h2
from proxy import Proxy

LIST_OF_FLOAT = h2.pb((1, h2.pb((6, b'\1'))))
ONE = h2.pb((7, h2.pb((2, h2.pb((1, 1))))))  # the shape [1] as an attribute
COUNTER = h2.graph(
    h2.node('v', 'VariableV2', dtype=h2.FLOAT, shape=ONE), h2.const('zero', 0.), h2.const('one', 1.),
    h2.node('init', 'Assign', ['v', 'zero'], T=h2.FLOAT), h2.node('up', 'AssignAdd', ['v', 'one'], T=h2.FLOAT),
    h2.node('read', 'Identity', ['v'], T=h2.FLOAT))
WAITING = h2.graph(
    h2.const('a', 1., 2.), h2.node('q', 'FIFOQueueV2', component_types=LIST_OF_FLOAT),
    h2.node('get', 'QueueDequeueV2', ['q'], component_types=LIST_OF_FLOAT))


class Server:
    """A single `tensh serve`."""

    def __init__(self, *options):
        import subprocess
        self.process = subprocess.Popen([ct.TENSH, 'serve', '--port', '0', *options], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=ct.ENV)
        self.target = self.process.stdout.readline().decode().split()[-1]
        self.port = int(self.target.rsplit(':', 1)[1])

    def status(self, key):
        with open('/proc/%d/status' % self.process.pid) as f:
            return int(next(line for line in f if line.startswith(key + ':')).split()[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        alive = self.process.poll() is None
        self.process.kill()
        self.process.wait(30)
        self.process.stdout.close()
        assert alive, 'the server died'


def value(response, i=0):
    """Returns the floats of tensor i of a RunStepResponse."""
    tensor = h2.field([v for n, v in h2.parse(response) if n == 1][i], 2)
    content = h2.field(tensor, 4)
    if content is None:
        return [struct.unpack('<f', v)[0] if len(v) == 4 else struct.unpack('<%df' % (len(v) // 4), v)
                for n, v in h2.parse(tensor) if n == 5]
    return list(struct.unpack('<%df' % (len(content) // 4), content))


def code(response):
    return h2.field(response, 3, 0)


class Links(unittest.TestCase):
    """Three tasks, of which task 1 reaches task 2 through a proxy."""
    PROGRAM = ('s = tf.Session(%r)\nwith tf.device("/job:worker/task:2"):\n'
               '    n = tf.placeholder(tf.int32)\n    big = tf.fill([n], 2.)\n'
               'with tf.device("/job:worker/task:1"):\n    total = tf.reduce_sum(big)\n'
               'print(s.run(total, {n: 10}), flush=True)\ninput()\n'
               'try:\n    print(s.run(total, {n: 5000000}))\nexcept tf.errors.OpError as e:\n'
               '    print(type(e).__name__, "task:1" in str(e), "task:2" in str(e))\n'
               'with tf.device("/job:worker/task:2"):\n    print(s.run(tf.constant(5) + 1), flush=True)\ninput()\n'
               'print(s.run(total, {n: 5000000}))\n')

    def start(self):
        ports = ct.free_ports(3)
        address = '127.0.0.1:%d'
        self.proxy = Proxy(ports[2])
        self.addCleanup(self.proxy.close)
        direct = {'worker': [address % p for p in ports]}
        by_proxy = {'worker': [address % ports[0], address % ports[1], address % self.proxy.port]}
        tasks = [ct.Task('our', by_proxy if i == 1 else direct, 'worker', i) for i in range(3)]
        # A task behind a proxy listens on its own port, but its address in the cluster is that of
        # the proxy.
        for task in tasks:
            self.addCleanup(task.stop)
            task.ready()
        client = ct.subprocess.Popen([ct.TENSH, '-c', self.PROGRAM % tasks[0].target],
                                     stdin=ct.subprocess.PIPE, stdout=ct.subprocess.PIPE,
                                     stderr=ct.subprocess.PIPE, env=ct.ENV)
        self.addCleanup(client.communicate)
        self.addCleanup(client.kill)
        self.assertEqual(client.stdout.readline(), b'20.0\n')
        return client

    def go(self, client):
        client.stdin.write(b'\n')
        client.stdin.flush()

    def test_8_one_link_hangs(self):
        client = self.start()
        self.proxy.mode = 'hang'
        self.go(client)
        self.assertEqual(client.stdout.readline(), b'UnavailableError True True\n')
        self.assertEqual(client.stdout.readline(), b'6\n')

    def test_9_one_link_is_closed(self):
        client = self.start()
        self.proxy.cut()
        self.go(client)
        self.assertEqual(client.stdout.readline(), b'UnavailableError True True\n')
        self.assertEqual(client.stdout.readline(), b'6\n')
        self.proxy.mode = 'pass'
        time.sleep(2)  # the channel reconnects by itself every second
        self.go(client)
        self.assertEqual(client.stdout.readline(), b'10000000.0\n')

    def test_11_a_tensor_is_cut(self):
        client = self.start()
        self.proxy.cut_after = 10 << 20  # of 20 MB
        self.go(client)
        self.assertEqual(client.stdout.readline(), b'UnavailableError True True\n')
        self.assertEqual(client.stdout.readline(), b'6\n')
        self.proxy.cut_after = None
        time.sleep(2)
        self.go(client)
        self.assertEqual(client.stdout.readline(), b'10000000.0\n')


class Master(unittest.TestCase):
    def test_12_the_answer_is_lost(self):
        with Server() as server:
            proxy = Proxy(server.port)
            self.addCleanup(proxy.close)
            client = ct.subprocess.Popen(
                [ct.TENSH, '-c', 's = tf.Session("grpc://127.0.0.1:%d")\nv = tf.Variable(0., name="n")\n'
                 'up = v.assign_add(1.)\ns.run(v.initializer)\nprint(s.run(v), flush=True)\ninput()\n'
                 'try:\n    s.run(up)\nexcept tf.errors.UnavailableError:\n    print("lost", flush=True)\ninput()\n'
                 'print(s.run(v))\n' % proxy.port],
                stdin=ct.subprocess.PIPE, stdout=ct.subprocess.PIPE, stderr=ct.subprocess.PIPE, env=ct.ENV)
            self.assertEqual(client.stdout.readline(), b'0.0\n')
            proxy.on_back = lambda data: False
            client.stdin.write(b'\n')
            client.stdin.flush()
            self.assertEqual(client.stdout.readline(), b'lost\n')
            proxy.on_back = None
            out, err = client.communicate(b'\n', timeout=30)
            self.assertIn(out, (b'1.0\n', b'0.0\n'), err)  # the step never runs twice

    def test_12_a_request_is_repeated(self):
        with Server() as server:
            client = h2.Client(server.port)
            handle = client.session(COUNTER)
            client.run(handle, targets=['init'])
            self.assertEqual(code(client.run(handle, targets=['up'], request_id=77)), 0)
            message = h2.pb((1, handle), (4, 'up'), (7, 1), (8, 77))
            self.assertEqual(code(client.call('RunStep', message)), 10)
            self.assertEqual(value(client.run(handle, ['read:0'])), [1.0])
            client.close()

    def test_15_master_is_restarted(self):
        with ct.Cluster('our', 'our') as cluster:
            client = ct.subprocess.Popen(
                [ct.TENSH, '-c', 's = tf.Session(%r)\nwith tf.device("/job:worker/task:1"):\n    a = tf.constant(3)\n'
                 'print(s.run(a), flush=True)\ninput()\nfor _ in range(2):\n    try:\n        s.run(a)\n'
                 '    except tf.errors.OpError as e:\n        print(type(e).__name__)\n'
                 'print(tf.Session(%r).run(a))\n' % (cluster.target, cluster.target)],
                stdin=ct.subprocess.PIPE, stdout=ct.subprocess.PIPE, stderr=ct.subprocess.PIPE, env=ct.ENV)
            self.assertEqual(client.stdout.readline(), b'3\n')
            cluster.tasks[0].stop()
            cluster.tasks[0].start()
            cluster.tasks[0].ready()
            out, err = client.communicate(b'\n', timeout=60)
            lines = out.decode().split()
            self.assertIn(lines[0], ('AbortedError', 'UnavailableError'), err)
            self.assertEqual(lines[1:], ['AbortedError', '3'], err)

    def test_15_workers_drop_what_a_lost_master_had(self):
        with Server() as server:
            client = h2.Client(server.port)

            def create(handle, incarnation):
                client.call('CreateWorkerSession', h2.pb((1, handle), (5, '/job:m/replica:0/task:0'),
                                                         (6, incarnation)), 'WorkerService')

            def register(handle):
                device = '/job:localhost/replica:0/task:0/device:CPU:0'
                return client.call('RegisterGraph', h2.pb((1, handle), (2, h2.graph(h2.const('c', 1., device=device))),
                                                          (6, 1)), 'WorkerService')
            create('old', 1)
            register('old')
            create('more', 1)
            register('old')
            create('new', 2)
            with self.assertRaises(h2.Failed) as lost:
                register('old')
            self.assertEqual(lost.exception.code, 10)
            register('new')
            client.close()

    def test_28_close(self):
        with Server() as server:
            client, other = h2.Client(server.port), h2.Client(server.port)
            handle = client.session(WAITING)
            waiting = client.send('RunStep', h2.pb((1, handle), (3, 'get:0'), (7, 1)))
            self.assertEqual(value(other.run(handle, ['a:0'])), [1., 2.])  # two clients, one session
            time.sleep(0.3)
            other.call('CloseSession', h2.pb((1, handle)))
            self.assertEqual(code(client.wait(waiting)), 1)
            with self.assertRaises(h2.Failed) as again:
                client.call('CloseSession', h2.pb((1, handle)))
            self.assertEqual(again.exception.code, 10)
            # Closes the session while its step runs, so that the step, its session and its caller
            # end at the same time.
            for _ in range(20):
                handle = client.session(WAITING)
                client.send('RunStep', h2.pb((1, handle), (3, 'get:0'), (7, 1)))
                closing = client.send('CloseSession', h2.pb((1, handle)))
                client.wait(closing)
            client.close()
            other.close()


    def test_a_client_leaves_a_partial_run(self):
        """The run ends with the call of the client, and a call that waits for its turn goes on."""
        with Server() as server:
            client, other = h2.Client(server.port), h2.Client(server.port)
            handle = client.session(WAITING)
            partial = h2.field(client.call('PartialRunSetup', h2.pb((1, handle), (3, 'get:0'))), 1)
            message = h2.pb((1, handle), (3, 'get:0'), (6, partial))
            stuck = client.send('RunStep', message)
            time.sleep(.3)
            waiting = other.send('RunStep', message)
            client.cancel(stuck)
            with self.assertRaises(h2.Failed) as failed:
                other.wait(waiting)
            self.assertEqual(failed.exception.code, 3, failed.exception)
            client.close()
            other.close()


class Workers(unittest.TestCase):
    def test_6_a_first_step_on_a_task_that_hangs(self):
        with ct.Cluster('our', 'our') as cluster:
            client = ct.subprocess.Popen(
                [ct.TENSH, '-c', 's = tf.Session(%r)\nwith tf.device("/job:worker/task:1"):\n    a = tf.constant(3) + 1\n'
                 'print(s.run(tf.constant(2)), flush=True)\ninput()\n'
                 'try:\n    s.run(a)\nexcept tf.errors.UnavailableError as e:\n    print("task:1" in str(e))\n'
                 % cluster.target],
                stdin=ct.subprocess.PIPE, stdout=ct.subprocess.PIPE, stderr=ct.subprocess.PIPE, env=ct.ENV)
            self.assertEqual(client.stdout.readline(), b'2\n')
            cluster.tasks[1].freeze()
            try:
                out, err = client.communicate(b'\n', timeout=60)
            finally:
                cluster.tasks[1].thaw()
            self.assertEqual(out, b'True\n', err)

    def test_27_the_time_limit_of_a_session(self):
        """operation_timeout_in_ms ends a wait on a worker, and steps that need a worker that hangs."""
        with ct.Cluster('our', 'our') as cluster:
            client = ct.subprocess.Popen(
                [ct.TENSH, '-c', 's = tf.Session(%r, config=tf.ConfigProto(operation_timeout_in_ms=1000))\n'
                 'with tf.device("/job:worker/task:1"):\n    q = tf.FIFOQueue(1, tf.float32)\n    get = q.dequeue()\n'
                 '    a = tf.constant(3) + 1\n    first = tf.constant(4) + 1\nprint(s.run(a), flush=True)\n'
                 'def run(what):\n    try:\n        print(s.run(what))\n    except tf.errors.OpError as e:\n'
                 '        print(type(e).__name__, flush=True)\n'
                 'run(get)\ninput()\nrun(a)\nrun(first)\ninput()\nrun(a)\nrun(first)\n' % cluster.target],
                stdin=ct.subprocess.PIPE, stdout=ct.subprocess.PIPE, stderr=ct.subprocess.PIPE, env=ct.ENV)
            self.assertEqual(client.stdout.readline(), b'4\n')
            self.assertEqual(client.stdout.readline(), b'DeadlineExceededError\n')
            cluster.tasks[1].freeze()
            try:
                client.stdin.write(b'\n')
                client.stdin.flush()
                self.assertEqual(client.stdout.readline(), b'DeadlineExceededError\n')
                self.assertEqual(client.stdout.readline(), b'DeadlineExceededError\n')
            finally:
                cluster.tasks[1].thaw()
            out, err = client.communicate(b'\n', timeout=60)
            self.assertEqual(out, b'4\n5\n', err)

    def test_29_reset_of_containers(self):
        with ct.Cluster('our', 'our') as cluster:
            rc, out, err = ct.tensh(
                'tf.device("/job:worker/task:1").__enter__()\nt = %r\n'
                'box, other = handles = [tf.raw_ops.VarHandleOp(container=name, shared_name=name, dtype=tf.float32, '
                'shape=[]) for name in ("box", "other")]\ns = tf.Session(t)\n'
                's.run([tf.raw_ops.AssignVariableOp(resource=h, value=1.) for h in handles])\n'
                'box, other = [tf.raw_ops.ReadVariableOp(resource=h, dtype=tf.float32) for h in handles]\n'
                'tf.Session.reset(t, ["box"])\ns = tf.Session(t)\nprint(s.run(other))\ntry:\n    s.run(box)\n'
                'except tf.errors.FailedPreconditionError:\n    print("reset")\n' % cluster.target)
            self.assertEqual((rc, out), (0, '1.0\nreset\n'), err)

    def test_19_no_memory_for_a_kernel(self):
        with ct.Cluster('our', 'our') as cluster:
            rc, out, err = ct.tensh(
                's = tf.Session(%r)\nn = tf.placeholder(tf.int32, [2])\nwith tf.device("/job:worker/task:1"):\n'
                '    big = tf.reduce_sum(tf.fill(n, 1.))\n'
                'try:\n    s.run(big, {n: [1 << 22, 1 << 22]})\nexcept tf.errors.ResourceExhaustedError as e:\n'
                '    print("no memory")\nprint(s.run(big, {n: [2, 3]}))\n' % cluster.target)
            self.assertEqual((rc, out), (0, 'no memory\n6.0\n'), err)

    def test_22_an_op_only_the_worker_lacks(self):
        with Server() as server:
            client = h2.Client(server.port)
            device = '/job:localhost/replica:0/task:0/device:CPU:0'
            client.call('CreateWorkerSession', h2.pb((1, 's')), 'WorkerService')
            bad = h2.graph(h2.const('c', 1., device=device), h2.node('x', 'NoSuchOp', ['c'], device=device))
            with self.assertRaises(h2.Failed) as unknown:
                client.call('RegisterGraph', h2.pb((1, 's'), (2, bad), (6, 1)), 'WorkerService')
            self.assertIn(unknown.exception.code, (5, 12))
            self.assertIn('NoSuchOp', unknown.exception.message)
            good = h2.graph(h2.const('c', 1., device=device))
            client.call('RegisterGraph', h2.pb((1, 's'), (2, good), (6, 1)), 'WorkerService')
            client.close()


class Plenty(unittest.TestCase):
    def test_23_sessions(self):
        with Server('--max-sessions', '300') as server:
            client = h2.Client(server.port)
            graph = h2.graph(h2.const('a', 1., 2.))
            before = server.status('Threads')
            handles = [client.session(graph) for _ in range(300)]
            with self.assertRaises(h2.Failed) as full:
                client.session(graph)
            self.assertEqual(full.exception.code, 8)
            for handle in handles:
                self.assertEqual(value(client.run(handle, ['a:0'])), [1., 2.])
            self.assertLess(server.status('Threads') - before, 40)
            for handle in handles:
                client.call('CloseSession', h2.pb((1, handle)))
            client.session(graph)
            client.close()

    def test_23_memory_of_closed_sessions(self):
        with Server() as server:
            client = ct.subprocess.Popen(
                [ct.TENSH, '-c', 'import numpy as np\nfor _ in range(2):\n    sessions = []\n    for i in range(100):\n'
                 '        with tf.Graph().as_default():\n            parts = [tf.constant(np.full(2500, i)) for _ in range(50)]\n'
                 '            sessions.append(tf.Session(%r))\n            sessions[-1].run(parts[0])\n'
                 '    print("open", flush=True)\n    input()\n    for s in sessions:\n        s.close()\n'
                 'print("closed", flush=True)\ninput()\n' % server.target],
                stdin=ct.subprocess.PIPE, stdout=ct.subprocess.PIPE, stderr=ct.subprocess.PIPE, env=ct.ENV)
            for said in (b'open\n', b'open\n', b'closed\n'):
                self.assertEqual(client.stdout.readline(), said)
                if said == b'open\n':
                    most = server.status('VmRSS')
                    client.stdin.write(b'\n')
                    client.stdin.flush()
            for _ in range(50):
                left = server.status('VmRSS')
                if left < most / 2:
                    break
                time.sleep(0.1)
            client.communicate(b'\n', timeout=30)
            self.assertLess(left, most / 2)  # in kB: 100 MB of constants are freed

    def test_23_memory_of_tensors(self):
        with Server() as server:
            rc, out, err = ct.tensh('s = tf.Session(%r)\nn = tf.placeholder(tf.int32)\nbig = tf.fill([n, 1000000], 1.) * 2.\n'
                                    'for k in (10, 17, 23):\n    print(s.run(tf.reduce_sum(big), {n: k}))\ns.close()\n' % server.target)
            self.assertEqual((rc, out), (0, '20000000.0\n34000000.0\n46000000.0\n'), err)
            for _ in range(100):
                if server.status('VmRSS') < 60000:
                    break
                time.sleep(0.1)
            self.assertLess(server.status('VmRSS'), 60000)  # in kB, of 400 MB that the steps used

    def test_a_step_that_was_short_gets_long(self):
        int32 = h2.pb((6, 3))
        graph = h2.graph(
            h2.node('n', 'Placeholder', dtype=int32),
            h2.node('one', 'Const', dtype=h2.FLOAT, value=h2.pb((8, h2.pb((1, 1), (2, b''), (4, struct.pack('<f', 1.)))))),
            h2.node('big', 'Fill', ['n', 'one'], T=h2.FLOAT, index_type=int32),
            h2.node('m', 'MatMul', ['big', 'big'], T=h2.FLOAT),
            h2.node('sum', 'Sum', ['m', 'axes'], T=h2.FLOAT, Tidx=int32),
            h2.node('axes', 'Range', ['from', 'to', 'step'], Tidx=int32),
            *(h2.node(name, 'Const', dtype=int32, value=h2.pb((8, h2.pb((1, 3), (2, b''), (7, number)))))
              for name, number in (('from', 0), ('to', 2), ('step', 1))))

        def feed(n):
            shape = h2.pb((2, h2.pb((1, 2))))
            return h2.pb((1, 'n:0'), (2, h2.pb((1, 3), (2, shape), (4, struct.pack('<2i', n, n)))))
        with Server() as server:
            clients = [h2.Client(server.port) for _ in range(4)]
            other = h2.Client(server.port)
            handles = [client.session(graph) for client in clients]
            for client, handle in zip(clients, handles):
                for _ in range(10):  # after this, the server knows the step as a short one
                    client.call('RunStep', h2.pb((1, handle), (2, feed(1)), (3, 'sum:0'), (7, 1)))
            mine = other.session(h2.graph(h2.const('a', 1., 2.)))
            other.run(mine, ['a:0'])
            begin = time.monotonic()
            streams = [client.send('RunStep', h2.pb((1, handle), (2, feed(2000)), (3, 'sum:0'), (7, 1)))
                       for client, handle in zip(clients, handles)]
            time.sleep(0.01)
            other.run(mine, ['a:0'])
            answered = time.monotonic() - begin
            for client, stream in zip(clients, streams):
                client.wait(stream)
            self.assertLess(answered, (time.monotonic() - begin) * 0.8)  # it did not wait for them
            for client in clients + [other]:
                client.close()

    def test_33_more_connections_than_descriptors(self):
        import resource
        import socket
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))  # the server inherits it
        try:
            server = Server()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        with server:
            half_open = [socket.create_connection(('127.0.0.1', server.port)) for _ in range(400)]
            client = h2.Client(server.port)
            handle = client.session(h2.graph(h2.const('a', 1., 2.)))
            self.assertEqual(value(client.run(handle, ['a:0'])), [1., 2.])
            client.close()
            for connection in half_open:
                connection.close()

    def test_33_more_connections_than_the_server_may_have(self):
        import resource
        import socket
        with Server() as server:
            resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (256, 256))
            client = h2.Client(server.port)
            handle = client.session(h2.graph(h2.const('a', 1., 2.)))
            silent = [socket.create_connection(('127.0.0.1', server.port)) for _ in range(600)]
            for connection in silent[-100:]:  # refused, because some descriptors stay free
                connection.settimeout(20)
                with self.assertRaises(ConnectionResetError):
                    while True:
                        self.assertNotEqual(connection.recv(100), b'')
            self.assertLess(len(os.listdir('/proc/%d/fd' % server.process.pid)), 250)
            self.assertEqual(value(client.run(handle, ['a:0'])), [1., 2.])
            for connection in silent:
                connection.close()
            deadline = time.monotonic() + 20
            while len(os.listdir('/proc/%d/fd' % server.process.pid)) > 100 and time.monotonic() < deadline:
                time.sleep(0.05)
            late = h2.Client(server.port)
            self.assertEqual(value(late.run(handle, ['a:0'])), [1., 2.])
            late.close()
            client.close()

    def close_after_burst(self, client, method, message, service, count=8000):
        """Sends many requests and cancels each of them at once. The server must close the connection."""
        burst = b''.join(client.encode(method, message, service) + client.reset(client.stream) for _ in range(count))
        try:
            client.socket.sendall(burst)
            while client.socket.recv(1 << 16):
                pass
        except TimeoutError:
            self.fail('the connection stays open')
        except OSError:
            pass  # it was reset

    def test_33_requests_that_are_cancelled_at_once(self):
        with Server() as server:
            hostile, other = h2.Client(server.port), h2.Client(server.port)
            handle = other.session(h2.graph(h2.const('a', 1., 2.)))
            message = h2.pb((1, handle), (3, 'a:0'), (7, 1))
            self.close_after_burst(hostile, 'RunStep', message, 'MasterService')
            self.assertEqual(value(other.run(handle, ['a:0'])), [1., 2.])
            # The same with requests for values that no step sends.
            attributes = h2.field(other.call('GetStatus', service='WorkerService'), 1)
            name, incarnation = h2.field(attributes, 1).decode(), struct.unpack('<Q', h2.field(attributes, 6))[0]
            key = '%s;%016x;%s;edge_1;0:0' % (name, incarnation, name)
            receiving = h2.Client(server.port)
            self.close_after_burst(receiving, 'RecvTensor', h2.pb((1, 77), (2, key)), 'WorkerService')
            self.assertEqual(value(other.run(handle, ['a:0'])), [1., 2.])
            again = h2.Client(server.port)  # a new connection of the same host may cancel less
            self.close_after_burst(again, 'RunStep', message, 'MasterService', 1000)
            few = h2.Client(server.port)  # a few cancelled calls do not matter
            for _ in range(100):
                few.socket.sendall(few.encode('RunStep', message) + few.reset(few.stream))
            self.assertEqual(value(few.run(handle, ['a:0'])), [1., 2.])
            for client in (hostile, receiving, other, again, few):
                client.close()

    def test_compressed_requests(self):
        import zlib

        def packed(data, bits):
            packer = zlib.compressobj(1, zlib.DEFLATED, bits)
            return packer.compress(data) + packer.flush()
        with Server() as server:
            client = h2.Client(server.port)
            handle = client.session(h2.graph(h2.const('a', 1., 2.)))
            message = h2.pb((1, handle), (3, 'a:0'), (7, 1))
            for encoding, bits in (('gzip', 31), ('deflate', 15)):
                headers = [('grpc-encoding', encoding)]
                self.assertEqual(value(client.call('RunStep', packed(message, bits), headers=headers, compressed=True)),
                                 [1., 2.])
                with self.assertRaises(h2.Failed) as bomb:  # 80 kB become 80 MB
                    client.call('RunStep', packed(bytes(80 << 20), bits), headers=headers, compressed=True)
                self.assertEqual(bomb.exception.code, 8)
                self.assertIn('after decompression', bomb.exception.message)
                for damaged in (packed(message, bits)[:-9], b'no compressed data', b''):
                    with self.assertRaises(h2.Failed) as wrong:
                        client.call('RunStep', damaged, headers=headers, compressed=True)
                    self.assertIn(wrong.exception.code, (3, 10))
            for method, service in (('CreateSession', 'MasterService'), ('RegisterGraph', 'WorkerService'),
                                    ('RecvTensor', 'WorkerService')):
                with self.assertRaises(h2.Failed) as wrong:
                    client.call(method, b'no compressed data', service, headers, compressed=True)
                self.assertEqual(wrong.exception.code, 3)
            client.close()

    def test_sessions_that_nobody_uses(self):
        with Server('--idle-session-timeout', '2') as server:
            client = h2.Client(server.port)
            idle, used = client.session(WAITING), client.session(WAITING)
            waiting = client.session(WAITING)
            step = client.send('RunStep', h2.pb((1, waiting), (3, 'get:0'), (7, 1)))
            for _ in range(8):
                time.sleep(0.5)
                self.assertEqual(value(client.run(used, ['a:0'])), [1., 2.])
            with self.assertRaises(h2.Failed) as gone:
                client.call('RunStep', h2.pb((1, idle), (3, 'a:0')))
            self.assertEqual(gone.exception.code, 10)
            client.call('CloseSession', h2.pb((1, waiting)))  # its step was still running
            self.assertEqual(code(client.wait(step)), 1)
            client.close()

    def test_memory_of_a_session(self):
        program = ('import numpy as np\ns, other = tf.Session(%r), tf.Session(%r)\nn = tf.placeholder(tf.int32, [1])\n'
                   'big = tf.reduce_sum(tf.fill(n, 1.))\nfor size in (1000000, 20000000, 1000000):\n    try:\n'
                   '        print(s.run(big, {n: [size]}))\n    except tf.errors.ResourceExhaustedError as e:\n'
                   '        print("[20000000]" in str(e))\nprint(other.run(big, {n: [4000000]}))\n')
        with Server('--session-memory', '40M') as server:
            rc, out, err = ct.tensh(program % (server.target, server.target))
            self.assertEqual((rc, out), (0, '1000000.0\nTrue\n1000000.0\n4000000.0\n'), err)
        with ct.Cluster('our', 'our', options=['--session-memory', '40M']) as cluster:
            rc, out, err = ct.tensh('tf.device("/job:worker/task:1").__enter__()\n' +
                                    program % (cluster.target, cluster.target))
            self.assertEqual((rc, out), (0, '1000000.0\nTrue\n1000000.0\n4000000.0\n'), err)

    def test_memory_of_strings_and_views(self):
        with Server('--session-memory', '1M') as server:
            rc, out, err = ct.tensh(
                's = tf.Session(%r)\nn = tf.placeholder(tf.int32, [1])\ntext = tf.fill(n, "x" * 1000)\n'
                'size = tf.reduce_sum(tf.strings.length(text))\nfor k in [900] * 5 + [2000, 900]:\n    try:\n'
                '        print(s.run(size, {n: [k]}))\n    except tf.errors.ResourceExhaustedError as e:\n'
                '        print("text" in str(e))\n'
                # A view needs memory for its header, also where a tensor has taken all that is allowed.
                's = tf.Session(%r)\nview = tf.expand_dims(tf.reshape(tf.fill(n, 1.), [2, -1]), 0)\nfits = False\n'
                'for k in range(262000, 262200, 10):\n    try:\n        s.run(view.op, {n: [k]})\n        fits = True\n'
                '    except tf.errors.ResourceExhaustedError as e:\n        print(fits)\n        break\n' % (server.target, server.target))
            self.assertEqual((rc, out), (0, '900000\n' * 5 + 'True\n900000\nTrue\n'), err)

    def test_23_memory_of_an_idle_session(self):
        with Server() as server:
            client = h2.Client(server.port)
            graph = h2.graph(h2.const('a', 1., 2.))

            def use(n):
                for _ in range(n):
                    client.run(client.session(graph), ['a:0'])
                return server.status('VmRSS')
            before = use(50)
            self.assertLess((use(400) - before) / 400, 40)  # in kB
            client.close()

    def test_24_steps_in_flight(self):
        with Server() as server:
            client = h2.Client(server.port)
            handle = client.session(h2.graph(h2.const('a', 1., 2.), h2.node('b', 'Neg', ['a'], T=h2.FLOAT)))
            client.run(handle, ['b:0'])
            streams = [client.send('RunStep', h2.pb((1, handle), (3, 'b:0'), (7, 1))) for _ in range(2000)]
            most = 0
            for i, stream in enumerate(streams):
                self.assertEqual(value(client.wait(stream)), [-1., -2.])
                if i % 100 == 0:
                    most = max(most, server.status('Threads'))
            self.assertLess(most, 500)  # a loaded machine starts more than an idle one, but never one for each step
            client.close()

    def test_24_steps_that_all_wait(self):
        with Server() as server:
            client = h2.Client(server.port)
            put = h2.node('put', 'QueueEnqueueV2', ['q', 'a'], Tcomponents=LIST_OF_FLOAT)
            handle = client.session(WAITING + h2.graph(put))
            waiting = [client.send('RunStep', h2.pb((1, handle), (3, 'get:0'), (7, 1))) for _ in range(200)]
            for _ in waiting:  # each of these unblocks one of the others, although all threads wait
                client.call('RunStep', h2.pb((1, handle), (4, 'put'), (7, 1)))
            for stream in waiting:
                self.assertEqual(value(client.wait(stream)), [1., 2.])
            client.close()

    def test_25_large_messages(self):
        with Server() as server:
            rc, out, err = ct.tensh(
                'import numpy as np\ns = tf.Session(%r)\nx = tf.placeholder(tf.float32, [None])\ny = x + 1.\n'
                'for n in (2000000, 25000000):\n'
                '    print(s.run(y, {x: np.zeros([n], np.float32)}).shape, s.run(tf.reduce_sum(y), '
                '{x: np.zeros([n], np.float32)}))\n' % server.target, 120)
            self.assertEqual((rc, out), (0, '(2000000,) 2000000.0\n(25000000,) 25000000.0\n'), err)

    def test_26_a_client_that_does_not_read(self):
        with Server() as server:
            slow, other = h2.Client(server.port, window=65535), h2.Client(server.port)
            n = h2.node('n', 'Const', dtype=h2.pb((6, 3)),
                        value=h2.pb((8, h2.pb((1, 3), (2, h2.pb((2, h2.pb((1, 1))))), (7, 16 << 20)))))
            graph = h2.graph(n, h2.const('a', 1., 2.), h2.node('one', 'Const', dtype=h2.FLOAT, value=h2.pb(
                (8, h2.pb((1, 1), (2, b''), (4, struct.pack('<f', 1.)))))),
                h2.node('big', 'Fill', ['n', 'one'], T=h2.FLOAT, index_type=h2.pb((6, 3))))
            handle = slow.session(graph)
            # 64 MB, without a window to receive it
            slow.send('RunStep', h2.pb((1, handle), (3, 'big:0'), (7, 1)))
            time.sleep(0.5)
            for _ in range(20):
                self.assertEqual(value(other.run(handle, ['a:0'])), [1., 2.])
            slow.close()
            other.run(handle, ['a:0'])
            other.close()


if __name__ == '__main__':
    at = sys.argv.index('--tensh')
    ct.TENSH = os.path.abspath(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    unittest.main(verbosity=1)
