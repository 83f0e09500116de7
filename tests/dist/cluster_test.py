#!/usr/bin/env python3
"""Clusters of two tasks: tensh's servers alone, and in every mixture with TensorFlow's.

    cluster_test.py --tensh build/tensh [NAME ...]

$TENSH_TF_PYTHON names a Python with TensorFlow. Without it, the tests that need one are skipped with a message. If
TENSH_TENTH is a digit, only every tenth mixture with TensorFlow is tested, starting with that one.
Everything listens on 127.0.0.1, and the processes that are started here are ended here by process id.
"""
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

TENSH = ''
HERE = os.path.dirname(os.path.abspath(__file__))
TF_PYTHON = os.environ.get('TENSH_TF_PYTHON', '')
ENV = {k: v for k, v in os.environ.items() if not k.startswith('TENSH_')}
ENV.update(NO_COLOR='1', TERM='dumb', TF_CPP_MIN_LOG_LEVEL='3', CUDA_VISIBLE_DEVICES='', no_proxy='*',
           GRPC_VERBOSITY='NONE')
WANTED = open(os.path.join(HERE, 'cluster_program.out')).read()
FLOW = os.path.join(HERE, 'cluster_flow.py')
FLOW_SAYS = open(os.path.join(HERE, 'cluster_flow.out')).read()
TF_SERVER = '''
import json, sys
import tensorflow as tf
cluster = json.loads(sys.argv[1])
server = tf.distribute.Server(tf.train.ClusterSpec(cluster), job_name=sys.argv[2], task_index=int(sys.argv[3]))
print('grpc://' + cluster[sys.argv[2]][int(sys.argv[3])], flush=True)
server.join()
'''


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(('127.0.0.1', 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Task:
    def __init__(self, kind, cluster, job, index, options=(), env=()):
        self.command = ([TF_PYTHON, '-c', TF_SERVER, json.dumps(cluster), job, str(index)] if kind == 'tf' else
                        [TENSH, 'serve', '--cluster', json.dumps(cluster), '--job', job, '--task', str(index), *options])
        self.target, self.env = 'grpc://' + cluster[job][index], {**ENV, **dict(env)}
        if kind == 'scheduled':
            self.command = [TENSH, 'serve', *options]
            self.env['TF_CONFIG'] = json.dumps({'cluster': cluster, 'task': {'type': job, 'index': index}})
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.env)

    def ready(self):
        line = self.process.stdout.readline().decode()
        assert 'grpc://' in line, line
        return self

    def stop(self, signum=signal.SIGKILL):
        self.process.send_signal(signum)
        code = self.process.wait(30)
        self.process.stdout.close()
        return code

    def freeze(self):
        """Sends SIGSTOP and waits until the process has stopped, which may take a while on a loaded machine."""
        self.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)


class Cluster:
    """Starts tasks of the job `worker`, each of kind 'our', 'scheduled' (ours, with TF_CONFIG) or 'tf'."""

    def __init__(self, *kinds, options=()):
        ports = free_ports(len(kinds))
        self.spec = {'worker': ['127.0.0.1:%d' % p for p in ports]}
        self.tasks = [Task(kind, self.spec, 'worker', i, options) for i, kind in enumerate(kinds)]

    def __enter__(self):
        try:
            for task in self.tasks:
                task.ready()
        except BaseException:  # __exit__ is called only after __enter__ has returned
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for task in self.tasks:
            if task.process.poll() is None:
                task.stop()
            elif task.process.stdout:
                task.process.stdout.close()

    @property
    def target(self):
        return self.tasks[0].target


def tensh(code, timeout=60):
    done = subprocess.run([TENSH, '-c', code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV,
                          timeout=timeout)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def run_program(client, target, path=os.path.join(HERE, 'cluster_program.py')):
    if client == 'our':
        with open(path) as program:
            return tensh('goal = %r\n' % target + program.read().replace('sys.argv[1]', 'goal'), 120)
    done = subprocess.run([TF_PYTHON, path, target], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV,
                          timeout=200)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Ours(unittest.TestCase):
    def test_program(self):
        with Cluster('our', 'scheduled') as cluster:
            rc, out, err = run_program('our', cluster.target)
            self.assertEqual((rc, out, err), (0, WANTED, ''))
            # the other task acts as a master too
            rc, out, err = run_program('our', cluster.tasks[1].target)
            self.assertEqual(rc, 0, err)

    def test_loops_and_partial_runs(self):
        with Cluster('our', 'our') as cluster:
            for target in (cluster.target, cluster.tasks[1].target):
                rc, out, err = run_program('our', target, FLOW)
                self.assertEqual((rc, out, err), (0, FLOW_SAYS, ''))

    def test_why_nan(self):
        """A cluster does not look at its values, so the shell fetches those outside of loops and branches."""
        with Cluster('our', 'our') as cluster:
            rc, out, err = tensh('connect %s\n'
                                 'x = tf.placeholder(tf.float32, [2], name="x")\n'
                                 'with tf.device("/job:worker/task:1"): log = tf.log(x, name="log")\n'
                                 'with tf.device("/job:worker/task:0"): y = tf.multiply(x, log, name="y")\n'
                                 'z = tf.while_loop(lambda i, t: i < 9, lambda i, t: (i + 1, t * t), [0, x[1]], name="w")[1]\n'
                                 'eval [y, y] feed x=[2., 2.]\n'
                                 'explain analyze log, log feed x=[1., 1.] --stage 1\n'
                                 'why nan y feed x=[1., 0.]\n'
                                 'why inf y feed x=[1., 0.]\n'
                                 'why nan y feed x=[1., 2.]\n'
                                 'why inf z + 1. feed x=[1., 9.]\n' % cluster.target)
            self.assertEqual((rc, err), (0, ''), out)
            self.assertIn('y (Mul, f32[2]) on /job:worker/task:0/cpu:0 made the first NaN: 1 of 2 elements, from inputs '
                          'without NaN\n   at [1]       x:0 = 0.0, log:0 = -inf  →  y:0 = nan\n', out)
            self.assertIn('   the Inf      log (Log, f32[2]) made it, at [1]: x:0 = 0.0  →  log:0 = -inf\n', out)
            self.assertIn('log (Log, f32[2]) on /job:worker/task:1/cpu:0 made the first Inf', out)
            self.assertIn('no NaN: no value of the 2 nodes', out)
            self.assertIn('Inf came out of w/Exit_1', out)

    def test_loops_are_told_truly(self):
        """The iterations of loops, and the nodes that ran in none, are known although they ran on other tasks."""
        with Cluster('our', 'our') as cluster:
            rc, out, err = tensh('connect %s\n'
                                 'def body(i, t):\n'
                                 '  with tf.device("/job:worker/task:1"): u = tf.multiply(t, 2, name="twice")\n'
                                 '  inner = tf.while_loop(lambda j: j < 0, lambda j: tf.add(j, 1, name="never"), [0], name="in")\n'
                                 '  return i + 1, tf.cond(t > 99, lambda: tf.subtract(u, 1, name="big"), lambda: u + inner)\n\n'
                                 'z = tf.while_loop(lambda i, t: tf.less(i, 3, name="less"), body, [0, 1], name="w")[1]\n'
                                 'explain analyze z --stage 2\n'
                                 'why not w/twice\nwhy not w/less\nwhy not w/in/never\nwhy not w/cond/big\n' % cluster.target)
            self.assertEqual((rc, err), (0, ''), out)
            self.assertIn('loop ×3', out)
            self.assertIn('w/twice (Mul, i32[]) does run, on /job:worker/task:1/cpu:0, 3 times: the loop w ran 3 iterations', out)
            self.assertIn('w/less (Less, bool[]) does run, on /job:worker/task:0/cpu:0, 4 times', out)
            self.assertIn('w/in/never (AddV2, i32[]) did not run: the loop w ran 3 iterations', out)
            self.assertIn('w/cond/big (Sub, i32[]) did not run: the loop w ran 3 iterations', out)

    def test_an_estimator_is_trained_by_the_tasks_of_tf_config(self):
        tasks = ('ps', 'chief', 'worker', 'evaluator')
        addresses = ['127.0.0.1:%d' % port for port in free_ports(3)]
        cluster = {task: [address] for task, address in zip(tasks, addresses)}
        wanted = {'chief': 'chief 0 True 1 2 0\n/job:ps/task:0 /job:chief/task:0\n[ 1. -2.]\n',
                  'worker': 'worker 0 False 1 2 1\n/job:ps/task:0 /job:worker/task:0\n',
                  'evaluator': 'evaluator 0 False 0 0 0\nTrue True\n'}
        with tempfile.TemporaryDirectory() as folder:
            started = {}
            for task in tasks:
                env = dict(ENV, TF_CONFIG=json.dumps({'cluster': cluster, 'task': {'type': task, 'index': 0}}))
                started[task] = subprocess.Popen([TENSH, os.path.join(HERE, 'estimator_program.py'), folder], env=env,
                                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
                self.addCleanup(started[task].communicate)
                self.addCleanup(started[task].kill)
            for task, lines in wanted.items():
                out, err = started[task].communicate(timeout=60)
                self.assertEqual((out, started[task].returncode), (lines, 0), err)

    def test_parameter_server(self):
        ports = free_ports(3)
        spec = ['ps=127.0.0.1:%d' % ports[0], 'worker=' + ','.join('127.0.0.1:%d' % p for p in ports[1:])]
        sample = os.path.join(HERE, 'parameter_server.py')
        tasks = [subprocess.Popen([TENSH, sample, job, str(i)] + spec, stdout=subprocess.PIPE, env=ENV)
                 for job, i in (('ps', 0), ('worker', 0), ('worker', 1))]
        try:
            for worker in tasks[1:]:
                out, _ = worker.communicate(timeout=100)
                self.assertIn('w 2.0 b 1.0', out.decode())
        finally:
            for task in tasks:
                task.kill()
                task.wait()
                task.stdout.close()


LOOP = 'i = tf.while_loop(lambda i: i < 1, lambda i: i * 0, [0])\n'


class Faults(unittest.TestCase):
    """Failures of tasks and links, as listed in docs/wire.md."""

    def session(self, cluster, code, timeout=60):
        return tensh('s = tf.Session(%r)\n' % cluster.target + code, timeout)

    def client(self, cluster, code):
        return subprocess.Popen([TENSH, '-c', 's = tf.Session(%r)\n' % cluster.target + code], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV)

    def test_1_worker_dies_in_a_step(self):
        with Cluster('our', 'our', 'our') as cluster:
            step = self.client(cluster, 'with tf.device("/job:worker/task:1"):\n'
                               '    a = tf.constant(3)\n    q = tf.FIFOQueue(1, [tf.int32])\n    get = q.dequeue()\n'
                               'print(s.run(a), flush=True)\n'
                               'try:\n    s.run(get)\nexcept tf.errors.UnavailableError as e:\n'
                               '    print("lost", "task:1" in str(e))\n'
                               'with tf.device("/job:worker/task:2"):\n    print(s.run(tf.constant(4)))\n')
            self.assertEqual(step.stdout.readline(), b'3\n')
            other = self.client(cluster, 'with tf.device("/job:worker/task:2"):\n    b = tf.constant(5)\n'
                                'print(s.run(b), flush=True)\ninput()\nprint(s.run(b))\n')
            self.assertEqual(other.stdout.readline(), b'5\n')
            time.sleep(1)
            cluster.tasks[1].stop()
            self.assertEqual(step.stdout.readline(), b'lost True\n')
            out, _ = other.communicate(b'\n', timeout=30)  # the other client is not affected
            self.assertEqual(out, b'5\n')
            step.communicate(timeout=60)

    def test_3_4_worker_is_restarted(self):
        with Cluster('our', 'our') as cluster:
            client = self.client(cluster, 'with tf.device("/job:worker/task:1"):\n    v = tf.Variable(7)\n'
                                 's.run(v.initializer)\nprint(s.run(v), flush=True)\ninput()\n'
                                 'for _ in range(2):\n    try:\n        s.run(v)\n'
                                 '    except tf.errors.OpError as e:\n        print(type(e).__name__)\n'
                                 's.run(v.initializer)\nprint(s.run(v))\n')
            self.assertEqual(client.stdout.readline(), b'7\n')
            cluster.tasks[1].stop()
            cluster.tasks[1].start()
            cluster.tasks[1].ready()
            out, err = client.communicate(b'\n', timeout=60)
            lines = out.decode().split()
            self.assertIn(lines[0], ('AbortedError', 'UnavailableError'), err)
            self.assertEqual(lines[1:], ['FailedPreconditionError', '7'], err)

    def test_a_lost_task_is_marked_and_errors_have_a_next_step(self):
        """What `devices` and the errors say when a worker is gone, when it is back, and when the master is new."""
        with Cluster('our', 'our') as cluster:
            silent = 'print([r.short for r in sql("SELECT short FROM devices WHERE NOT answers")], flush=True)\ninput()\n'
            client = subprocess.Popen(
                [TENSH, '--keep-going', '-c', 'connect %s\nwith tf.device("/job:worker/task:1"): v = tf.Variable(7)\n'
                 'run v.initializer\n' % cluster.target + silent + 'eval v\n' + silent + 'eval v\n' + silent +
                 'run v.initializer\neval v\n' + silent + 'eval v\nimport time; time.sleep(2)\neval v\n'],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV)

            def after(change):
                change()
                client.stdin.write(b'\n')
                client.stdin.flush()
                return client.stdout.readline().decode()

            worker, master = cluster.tasks[1], cluster.tasks[0]
            self.assertEqual(client.stdout.readline(), b'[]\n')
            self.assertEqual(after(worker.stop), "['/job:worker/task:1/cpu:0']\n")
            self.assertEqual(after(lambda: (worker.start(), worker.ready(), time.sleep(2))), '[]\n')
            self.assertEqual(after(lambda: None), '7\n')
            self.assertEqual(client.stdout.readline(), b'[]\n')
            master.stop()
            master.start()
            master.ready()
            _, err = client.communicate(b'\n', timeout=60)
            text = ' '.join(err.decode().split())
            self.assertIn('the task /job:worker/replica:0/task:1 does not answer', text)
            self.assertIn('See which: devices', text)
            self.assertIn('Run: run tf.global_variables_initializer()', text)
            self.assertIn('Open a new one: connect ' + cluster.target, text)

    def test_devices_of_a_lost_worker(self):
        with Cluster('our', 'our') as cluster:
            client = self.client(cluster, 'with tf.device("/job:worker/task:1"):\n    a = tf.constant(3)\n'
                                 'def lost(): return [d.name for d in s.list_devices() if d.incarnation == 0]\n'
                                 'print(s.run(a), lost(), flush=True)\ninput()\n'
                                 'try:\n    s.run(a)\nexcept tf.errors.OpError:\n    print(lost())\n')
            self.assertEqual(client.stdout.readline(), b'3 []\n')
            cluster.tasks[1].stop()
            out, err = client.communicate(b'\n', timeout=60)
            self.assertEqual(out, b"['/job:worker/replica:0/task:1/device:CPU:0']\n", err)

    def test_5_stopped_worker_with_a_time_out(self):
        with Cluster('our', 'our') as cluster:
            client = self.client(cluster, 'with tf.device("/job:worker/task:1"):\n    a = tf.constant(3)\n'
                                 'print(s.run(a), flush=True)\ninput()\n'
                                 'try:\n    s.run(a, options=tf.RunOptions(timeout_in_ms=2000))\n'
                                 'except tf.errors.DeadlineExceededError:\n    print("late", flush=True)\n'
                                 'input()\nprint(s.run(a))\n')
            self.assertEqual(client.stdout.readline(), b'3\n')
            cluster.tasks[1].freeze()
            client.stdin.write(b'\n')
            client.stdin.flush()
            line = client.stdout.readline()
            cluster.tasks[1].thaw()
            self.assertEqual(line, b'late\n')
            out, err = client.communicate(b'\n', timeout=60)
            self.assertEqual(out, b'3\n', err)

    def test_6_stopped_worker_without(self):
        with Cluster('our', 'our') as cluster:
            client = self.client(cluster, 'with tf.device("/job:worker/task:1"):\n    a = tf.constant(3)\n'
                                 'print(s.run(a), flush=True)\ninput()\n'
                                 'try:\n    s.run(a)\nexcept tf.errors.UnavailableError as e:\n'
                                 '    print("lost", "task:1" in str(e), flush=True)\n')
            self.assertEqual(client.stdout.readline(), b'3\n')
            cluster.tasks[1].freeze()
            try:
                out, err = client.communicate(b'\n', timeout=40)
            finally:
                cluster.tasks[1].thaw()
            self.assertEqual(out, b'lost True\n', err)

    def test_13_client_vanishes(self):
        with Cluster('our', 'our') as cluster:
            client = self.client(cluster, 'with tf.device("/job:worker/task:1"):\n'
                                 '    q = tf.FIFOQueue(1, [tf.int32], [[]], shared_name="q")\n    get = q.dequeue()\n'
                                 'print(s.run(tf.constant(1)), flush=True)\ns.run(get)\n')
            client.stdout.readline()
            time.sleep(1)
            client.kill()
            client.communicate()
            time.sleep(2)  # its step must not take values that are enqueued from now on
            rc, out, err = self.session(cluster, 'with tf.device("/job:worker/task:1"):\n'
                                        '    q = tf.FIFOQueue(1, [tf.int32], [[]], shared_name="q")\n'
                                        '    put, get = q.enqueue(5), q.dequeue()\n'
                                        's.run(put)\nprint(s.run(get))\n')
            self.assertEqual((rc, out), (0, '5\n'), err)

    def test_17_worker_that_was_never_started(self):
        ports = free_ports(2)
        spec = {'worker': ['127.0.0.1:%d' % p for p in ports]}
        task = Task('our', spec, 'worker', 0).ready()
        try:
            rc, _, err = tensh('s = tf.Session(%r, config=tf.ConfigProto(operation_timeout_in_ms=3000))\n'
                               's.run(tf.constant(1))' % task.target)
            self.assertEqual(rc, 1)
            self.assertRegex(err, 'task:1|DeadlineExceeded')
        finally:
            task.stop()

    def test_18_clusters_differ(self):
        ports = free_ports(2)
        addresses = ['127.0.0.1:%d' % p for p in ports]
        tasks = [Task('our', {'worker': addresses}, 'worker', 0).ready(),
                 Task('our', {'other': addresses}, 'other', 1).ready()]
        try:
            rc, _, err = tensh('tf.Session(%r).run(tf.constant(1))' % tasks[0].target)
            self.assertEqual(rc, 1)
            self.assertIn('InvalidArgumentError: the task at', err)
        finally:
            for task in tasks:
                task.stop()

    def test_22_27_28_steps_that_end_early(self):
        with Cluster('our', 'our') as cluster:
            rc, out, err = self.session(cluster, 'with tf.device("/job:worker/task:1"):\n'
                                        '    q = tf.FIFOQueue(1, [tf.int32], [[]])\n    get = q.dequeue()\n'
                                        'with tf.device("/job:worker/task:0"):\n    more = get + 1\n'
                                        'try:\n    s.run(more, options=tf.RunOptions(timeout_in_ms=500))\n'
                                        'except tf.errors.DeadlineExceededError:\n    print("late")\n'
                                        'print(s.run(tf.constant(2)))\ns.close()\n')
            self.assertEqual((rc, out), (0, 'late\n2\n'), err)


@unittest.skipUnless(TF_PYTHON, '$TENSH_TF_PYTHON names no Python with TensorFlow')
class Matrix(unittest.TestCase):
    """{their client, our shell} x {their master, ours} x {their worker, ours} give the same values."""

    def test_mixtures(self):
        programs = [(self.program, mixture) for mixture in itertools.product(('our', 'tf'), repeat=3)]
        loops = [(self.random_loops, case) for case in
                 ((('tf', 'our'), 0), (('our', 'tf'), 1), (('our', 'tf'), 0), (('our', 'our'), 0))]
        tenth = os.environ.get('TENSH_TENTH', '')
        for test, case in (programs + loops)[int(tenth)::10] if tenth.isdigit() else programs + loops:
            with self.subTest(test=test.__name__, case=case):
                test(*case)

    def program(self, client, master, worker):
        with Cluster(master, worker) as cluster:
            rc, out, err = run_program(client, cluster.target)
            self.assertEqual(out, WANTED, err[-2000:])
            self.assertEqual(rc, 0)
            rc, out, err = run_program(client, cluster.target, FLOW)
            self.assertEqual((rc, out), (0, FLOW_SAYS), err[-2000:])

    def random_loops(self, kinds, master):
        """Loops on tasks of one kind, also with branches and loops inside."""
        with Cluster(*kinds) as cluster:
            for options in (), ('deep',):
                done = subprocess.run(
                    [TF_PYTHON, os.path.join(HERE, 'random_loops.py'), cluster.tasks[master].target, '0', '25', *options],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV, timeout=200)
                self.assertEqual(done.stdout.decode(), '25 loops, 0 differ\n', done.stderr.decode()[-2000:])


if __name__ == '__main__':
    at = sys.argv.index('--tensh')
    TENSH = os.path.abspath(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    unittest.main(verbosity=1)
