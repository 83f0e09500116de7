#!/usr/bin/env python3
"""Tests `tensh serve` from outside: with tensh's client, with TensorFlow's client if available, and with random
bytes.

    dist_test.py --tensh build/tensh [NAME ...]

$TENSH_TF_PYTHON names a Python with TensorFlow. Without it, those tests are skipped with a message.
"""
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import unittest

TENSH = ''
HERE = os.path.dirname(os.path.abspath(__file__))
TF_PYTHON = os.environ.get('TENSH_TF_PYTHON', '')
ENV = {k: v for k, v in os.environ.items() if not k.startswith('TENSH_')}
ENV.update(NO_COLOR='1', TERM='dumb', TF_CPP_MIN_LOG_LEVEL='3', CUDA_VISIBLE_DEVICES='', no_proxy='*')


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ENV)
        line = self.process.stdout.readline().decode()
        self.target = line.split()[-1] if 'grpc://' in line else ''

    @property
    def port(self):
        return int(self.target.rsplit(':', 1)[1])

    def stop(self, signum=signal.SIGTERM):
        self.process.send_signal(signum)
        code = self.process.wait(30)
        self.process.stdout.close()
        return code


def ours():
    return Server([TENSH, 'serve', '--port', '0'])


def tensh(code, *more, timeout=60):
    done = subprocess.run([TENSH, *more, '-c', code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV,
                          timeout=timeout)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


PROGRAM = open(os.path.join(HERE, 'program.py')).read()
WANTED = open(os.path.join(HERE, 'program.out')).read()


PARTIAL = '''
import tensorflow as tf
a, b, c = [tf.placeholder(tf.float32, [], name=n) for n in 'abc']
r1 = a + b
r2 = r1 * c
sess = tf.Session(TARGET)
h = sess.partial_run_setup([r1, r2], [a, b, c])
print(sess.partial_run(h, r1, {a: 1, b: 2}))
for feeds in ({a: 1}, {}):
    try:
        sess.partial_run(h, r2, feeds)
    except tf.errors.InvalidArgumentError as e:
        print(e.message.split(chr(10))[0])
print(sess.partial_run(h, r2, {c: 17}))
try:
    sess.partial_run(h, r2, {c: 17})
except tf.errors.InvalidArgumentError as e:
    print(e.message)
'''
PARTIAL_SAYS = '''3.0
The feed a:0 has already been fed.
Fetch c:0 can't be computed from the feeds that have been fed so far.
51.0
Must run 'setup' before performing partial runs!
'''


class OurClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = ours()

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    def run_ok(self, code):
        rc, out, err = tensh(code.replace('TARGET', repr(self.server.target)))
        self.assertEqual((rc, err), (0, ''))
        return out

    def test_program(self):
        self.assertEqual(self.run_ok('goal = TARGET\n' + PROGRAM.replace('sys.argv[1]', 'goal')), WANTED)

    def test_devices(self):
        out = self.run_ok('print([d.name for d in tf.Session(TARGET).list_devices()])')
        self.assertEqual(out, "['/job:localhost/replica:0/task:0/device:CPU:0']\n")

    def test_a_name_taken_back_is_free_again(self):
        out = self.run_ok('s = tf.Session(TARGET)\n'
                          'x = tf.placeholder(tf.float32, name="x")\n'
                          'try:\n    s.run(tf.add(x, 1., name="y"))\n'
                          'except tf.errors.InvalidArgumentError as e:\n    print("unfed")\n'
                          'print(s.run(tf.constant(4., name="z")))\n')
        self.assertEqual(out, 'unfed\n4.0\n')

    def test_many_sessions(self):
        out = self.run_ok('a = tf.constant(1.)\nss = [tf.Session(TARGET) for _ in range(20)]\n'
                          'print(sum([float(s.run(a)) for s in ss]))\nfor s in ss: s.close()\n')
        self.assertEqual(out, '20.0\n')

    def test_partial_runs(self):
        self.assertEqual(self.run_ok(PARTIAL), PARTIAL_SAYS)

    def test_state_of_one_session(self):
        out = self.run_ok('v = tf.Variable(1., name="of_one_session")\nup = v.assign_add(1.)\n'
                          'alone = tf.ConfigProto(isolate_session_state=True)\n'
                          'ss = [tf.Session(TARGET), tf.Session(TARGET)] + [tf.Session(TARGET, config=alone) for _ in range(2)]\n'
                          'for s in ss: s.run(v.initializer)\nprint([float(s.run(up)) for s in ss for _ in range(2)])\n')
        self.assertEqual(out, '[2.0, 3.0, 4.0, 5.0, 2.0, 3.0, 2.0, 3.0]\n')

    def test_time_out(self):
        out = self.run_ok('s = tf.Session(TARGET, config=tf.ConfigProto(operation_timeout_in_ms=200))\n'
                          'i = tf.while_loop(lambda i: i < 1, lambda i: i * 0, [0])\n'
                          'try:\n    s.run(i)\n'
                          'except tf.errors.DeadlineExceededError:\n    print("too long")\n'
                          'print(s.run(tf.constant(1)))\n')
        self.assertEqual(out, 'too long\n1\n')


class Faults(unittest.TestCase):
    def test_nobody_listens(self):
        rc, _, err = tensh("print(tf.Session('grpc://127.0.0.1:1').run(tf.constant(1)))")
        self.assertEqual(rc, 1)
        self.assertIn('UnavailableError: the server 127.0.0.1:1 does not answer', err)
        self.assertIn('connect default', err)

    def test_the_server_stops_in_a_step(self):
        """The error says what to do next, whether the server could still answer or not."""
        for end in ('terminate', 'kill'):
            with self.subTest(end=end):
                server = subprocess.Popen([TENSH, 'serve', '--port', '0'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ENV)
                self.addCleanup(server.stdout.close)
                self.addCleanup(server.wait)
                self.addCleanup(server.kill)
                target = server.stdout.readline().decode().split()[-1]
                client = subprocess.Popen([TENSH, '-c', 's = tf.Session(%r)\ni = tf.while_loop(lambda i: i < 1, lambda i: i * 0, [0])\n'
                                           'print(s.run(tf.constant(3)), flush=True)\ns.run(i)' % target],
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV)
                self.assertEqual(client.stdout.readline(), b'3\n')
                getattr(server, end)()
                errors = client.communicate(timeout=60)[1].decode()
                self.assertEqual(client.returncode, 1, errors)
                self.assertIn(target.rsplit('/', 1)[1], errors)
                self.assertIn('connect default', errors)

    def test_few_descriptors(self):
        """gRPC would end the process."""
        done = subprocess.run([TENSH, 'serve', '--port', '0'], capture_output=True, env=ENV, timeout=60,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8)))
        self.assertEqual(done.returncode, 3, done)
        self.assertIn(b'gRPC needs 8 (ulimit -n)', done.stderr)

    def test_no_more_threads(self):
        """gRPC ends a process that cannot start a thread. Here the stack of a thread exceeds the address space."""
        hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
        if hard != resource.RLIM_INFINITY:
            self.skipTest('the size of stacks is limited')
        for args, code in ((['serve', '--port', '0'], 3), (['-c', 'tf.Session("grpc://127.0.0.1:1")'], 1)):
            done = subprocess.run([TENSH, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV, check=False,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (1 << 48, hard)), timeout=60)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(b'the system allows no more threads', done.stderr)

    def test_a_target_that_is_none(self):
        rc, _, err = tensh("tf.Session('grpc://nowhere')")
        self.assertEqual(rc, 1)
        self.assertIn('is not grpc://HOST:PORT', err)

    def test_the_server_goes_away(self):
        server = ours()
        client = subprocess.Popen([TENSH, '-c',
                                   's = tf.Session(%r)\na = tf.constant(1)\nprint(s.run(a), flush=True)\ninput()\n'
                                   'try:\n    s.run(a)\nexcept tf.errors.UnavailableError as e:\n    print("gone", %r in str(e))\n'
                                   % (server.target, server.target[7:])],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENV)
        self.assertEqual(client.stdout.readline(), b'1\n')
        server.stop(signal.SIGKILL)
        out, _ = client.communicate(b'\n', timeout=30)
        self.assertEqual(out, b'gone True\n')

    def test_stop_ends_a_step_in_flight(self):
        server = ours()
        client = subprocess.Popen([TENSH, '-c',
                                   's = tf.Session(%r)\nprint(s.run(tf.constant(7)), flush=True)\n'
                                   'i = tf.while_loop(lambda i: i < 1, lambda i: i * 0, [0])\ns.run(i)\n' % server.target],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV)
        self.assertEqual(client.stdout.readline(), b'7\n')
        self.assertEqual(server.stop(), 0)
        _, err = client.communicate(timeout=30)
        self.assertEqual(client.returncode, 1)
        self.assertRegex(err.decode(), 'CancelledError|UnavailableError|AbortedError')

    def test_the_port_is_taken(self):
        server = ours()
        done = subprocess.run([TENSH, 'serve', '--port', str(server.port)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=ENV, timeout=30)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b'cannot listen on', done.stderr)
        server.stop()

    def test_noise_on_the_port(self):
        server = ours()
        preface = b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
        settings = b'\0\0\0\4\0\0\0\0\0'
        noises = [b'GET / HTTP/1.1\r\n\r\n', b'\xff' * 4096, preface + b'\xff' * 64, preface + settings + b'\0' * 64,
                  preface + settings + struct.pack('>I', 0xffffff)[1:] + b'\0\5\0\0\0\1' + b'x' * 100]
        for noise in noises:
            with socket.create_connection(('127.0.0.1', server.port), timeout=10) as s:
                s.sendall(noise)
        rc, out, err = tensh('print(tf.Session(%r).run(tf.constant(5)))' % server.target)
        self.assertEqual((rc, out, err), (0, '5\n', ''))
        self.assertEqual(server.stop(), 0)

    def test_usage(self):
        done = subprocess.run([TENSH, 'serve', '--port', 'x'], stderr=subprocess.PIPE, env=ENV, timeout=30)
        self.assertEqual(done.returncode, 2)


@unittest.skipUnless(TF_PYTHON, '$TENSH_TF_PYTHON names no Python with TensorFlow')
class TensorFlow(unittest.TestCase):
    def test_their_client_our_server(self):
        server = ours()
        done = subprocess.run([TF_PYTHON, os.path.join(HERE, 'program.py'), server.target], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=ENV, timeout=200)
        self.assertEqual(done.stdout.decode(), WANTED, done.stderr.decode()[-2000:])
        self.assertEqual(server.stop(), 0)

    def test_functions_of_their_client(self):
        program = os.path.join(HERE, 'functions.py')
        server = ours()
        outs = [subprocess.run([TF_PYTHON, program, target], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV,
                               timeout=200)
                for target in (server.target, '')]
        self.assertTrue(outs[1].stdout, outs[1].stderr.decode()[-2000:])
        self.assertEqual(outs[0].stdout.decode(), outs[1].stdout.decode(), outs[0].stderr.decode()[-2000:])
        self.assertEqual(server.stop(), 0)

    def test_their_suite(self):
        """What TensorFlow's own tests ask of a server and ordinary programs do not."""
        servers = [ours(), ours()]
        try:
            done = subprocess.run([TF_PYTHON, os.path.join(HERE, 'their_suite.py'), *[s.target for s in servers]],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV, timeout=200)
        finally:
            codes = [server.stop() for server in servers]
        self.maxDiff = None
        with open(os.path.join(HERE, 'their_suite.out')) as wanted:
            self.assertEqual(done.stdout.decode(), wanted.read(), done.stderr.decode()[-2000:])
        self.assertEqual(codes, [0, 0])

    def test_our_client_their_server(self):
        server = Server([TF_PYTHON, '-c',
                         'import tensorflow as tf\ns = tf.distribute.Server.create_local_server()\n'
                         'print(s.target.replace("localhost", "127.0.0.1"), flush=True)\ns.join()\n'])
        try:
            rc, out, err = tensh('goal = %r\n' % server.target + PROGRAM.replace('sys.argv[1]', 'goal'))
            self.assertEqual((rc, out, err), (0, WANTED, ''))
        finally:
            server.stop(signal.SIGKILL)


if __name__ == '__main__':
    at = sys.argv.index('--tensh')
    TENSH = os.path.abspath(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    unittest.main(verbosity=1)
