#!/usr/bin/env python3
"""The fault scenarios of a cluster: a table of the tests that cover them, and those that no other program has.

    fault_scenarios_test.py --tensh build/tensh [--kind our|tf] [NAME ...]

Each scenario is a function that returns the lines that the clients saw. The lines of our tasks must be the expected ones.
With --kind tf, or if $TENSH_TF_PYTHON names a Python with TensorFlow, the same scenario runs over TensorFlow's tasks, and
its lines are printed beside ours, but they decide nothing. If TENSH_TENTH is a digit, only every tenth scenario runs over
TensorFlow's tasks, and only every third of the slow ones over ours. The scenarios run at the same time, because most of
them wait. Everything listens on 127.0.0.1, and the processes that are started here are ended here by process id.

 1  a worker is killed in a step                      cluster_test: test_1_worker_dies_in_a_step
 2  ... and another session does not use it           cluster_test: test_1_worker_dies_in_a_step
 3  ... and it is started again                       s3_killed_in_a_step_and_restarted
 4  a worker is restarted between steps               cluster_test: test_3_4_worker_is_restarted
 5  a worker is stopped, with a time limit            cluster_test: test_5_…; faults_test: test_27_the_time_limit_of_a_session
 6  a worker is stopped, without one                  cluster_test: test_6_…; faults_test: test_6_…
 7  a master loses contact with a worker, and heals   s7_partition_heals
 8  two workers lose contact                          faults_test: test_8_one_link_hangs
 9  connections are refused                           faults_test: test_9_one_link_is_closed
10  a slow link                                       transport_test, up to 40 ms; s10_slow_link
11  a connection is cut within a tensor               faults_test: test_11_a_tensor_is_cut; transport_test
12  the response to a step is lost                    faults_test: test_12_…; transport_test
13  a client is killed in a step                      cluster_test: test_13_client_vanishes
14  a client is half-open                             s14_half_open_client
15  a master is restarted                             faults_test: test_15_…
16  two processes are the same task                   dist_test: test_the_port_is_taken; s16_an_impostor
17  a task was never started                          cluster_test: test_17_…; s17_device_filters
18  tasks disagree about the cluster                  cluster_test: test_18_clusters_differ
19  a kernel on a worker runs out of memory           faults_test: test_19_no_memory_for_a_kernel
20  a worker is killed by the system                  as 1: the signal is the same
21  other versions                                    s21_versions
22  a worker lacks an op                              faults_test: test_22_…
23  1,000 sessions                                    faults_test: test_23_…
24  10,000 steps in flight                            faults_test: test_24_…
25  large messages                                    faults_test: test_25_large_messages; s25_more_than_2_gib
26  a client that does not read                       faults_test: test_26_…
27  two steps wait for each other                     s27_two_steps_wait_for_each_other
28  a session is closed in a step, or twice           faults_test: test_28_close
29  a container is reset in a step                    faults_test: test_29_…; s29_reset_in_a_step
30  a worker's disk is full                           s30_disk_of_a_worker_is_full
31  a clock is set                                    s31_clock_is_set
32  certificates that do not fit                      tls_test; s32_expired_certificate
33  hostile connections                               faults_test: test_33_…; wire_fuzz; s33_slow_headers
34  a worker gets little time                         s34_worker_stalls
35  a peer dies while unusual values are sent         s35_unusual_values
"""
import argparse
import concurrent.futures
import os
import random
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

import cluster_test as ct
import h2
import tls_test
from proxy import Proxy

TASK1 = 'tf.device("/job:worker/task:1").__enter__()\n'
# The functions of the programs: run(what) prints a value or the name of the error.
RUN = ('def run(what, *more, **options):\n    try:\n        print(s.run(what, *more, **options), flush=True)\n'
       '    except tf.errors.OpError as e:\n        print(type(e).__name__, "task:1" in str(e), flush=True)\n')
SCENARIOS = []


def scenario(expected, slow=False, tf=True):
    """expected: the lines, each of them a text or a tuple of possible ones. tf: can run over TensorFlow's tasks."""
    def add(function):
        SCENARIOS.append((function.__name__, function, expected, slow, tf))
        return function
    return add


class Client:
    """A program in our shell. It prints lines, and `go` answers its input()."""

    def __init__(self, target, code, config='', options=(), env=()):
        text = 's = tf.Session(%r%s)\n' % (target, config and ', config=tf.ConfigProto(%s)' % config) + RUN + code
        self.process = subprocess.Popen([ct.TENSH, *options, '-c', text], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env={**ct.ENV, **dict(env)})

    def line(self):
        return self.process.stdout.readline().decode().rstrip('\n')

    def go(self):
        self.process.stdin.write(b'\n')
        self.process.stdin.flush()
        return self.line()

    def rest(self, timeout=60):
        """Answers all further input() and returns the remaining lines, the last of which may be an error."""
        try:
            out, err = self.process.communicate(b'\n' * 9, timeout=timeout)
        except subprocess.TimeoutExpired:
            return ['hangs']
        return out.decode().splitlines() + err.decode().strip().splitlines()[-1:]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                pipe.close()
            except OSError:
                pass  # what it had not read
        self.process.wait(30)


class Linked:
    """Two tasks, of which the first reaches the second through a proxy."""

    def __init__(self, kind, options=()):
        ports = ct.free_ports(2)
        self.proxy = Proxy(ports[1])
        direct = {'worker': ['127.0.0.1:%d' % p for p in ports]}
        by_proxy = {'worker': [direct['worker'][0], '127.0.0.1:%d' % self.proxy.port]}
        self.tasks = [ct.Task(kind, cluster, 'worker', i, options) for i, cluster in enumerate((by_proxy, direct))]
        self.target = self.tasks[0].target

    def __enter__(self):
        for task in self.tasks:
            task.ready()
        return self

    def __exit__(self, *_):
        for task in self.tasks:
            task.stop()
        self.proxy.close()


def alive(cluster):
    return 'alive' if all(task.process.poll() is None for task in cluster.tasks) else 'a task ended'


def port_of(target):
    return int(target.rsplit(':', 1)[1])


LOST = ('UnavailableError True', 'AbortedError True', 'AbortedError False')


@scenario(['7', LOST, ('FailedPreconditionError True', 'FailedPreconditionError False'), '8', '9'])
def s3_killed_in_a_step_and_restarted(kind):
    with ct.Cluster(kind, kind) as cluster:
        code = TASK1 + ('v = tf.Variable(7)\nget = tf.FIFOQueue(1, [tf.int32]).dequeue()\ns.run(v.initializer)\nrun(v)\n'
                        'run(get)\ninput()\nrun(v)\nrun(v.assign(8))\ns = tf.Session(%r)\nrun(tf.constant(4) + 5)\n' % cluster.target)
        with Client(cluster.target, code) as client:
            lines = [client.line()]
            time.sleep(0.5)
            cluster.tasks[1].stop()
            lines.append(client.line())
            cluster.tasks[1].start()
            cluster.tasks[1].ready()
            time.sleep(2)  # the channel reconnects by itself every second
            lines += client.rest()
            # The first step after the restart may be the one that finds the new incarnation.
            return [line for i, line in enumerate(lines) if i != 2 or line not in LOST]


@scenario(['4', 'UnavailableError True', '4'], slow=True)
def s7_partition_heals(kind):
    with Linked(kind) as cluster:
        with Client(cluster.target, TASK1 + 'a = tf.constant(3) + 1\nrun(a)\ninput()\nrun(a)\ninput()\n'
                    'import time\nfor _ in range(20):\n    try:\n        s.run(a)\n        break\n    except tf.errors.UnavailableError:\n'
                    '        time.sleep(0.5)\nrun(a)\n') as client:
            lines = [client.line()]
            cluster.proxy.mode = 'hold'
            lines.append(client.go())
            cluster.proxy.mode = 'pass'
            return lines + client.rest()


@scenario(['6', '600000.0', '600000', 'UnavailableError True'])
def s10_slow_link(kind):
    """A tensor that takes longer than the time after which a task is lost: sent to another task, and to the master. Then
    the link hangs."""
    with Linked(kind, ['--task-timeout', '0.8']) as cluster:
        cluster.proxy.buffer = 1 << 16
        with Client(cluster.target, TASK1 + 'a = tf.fill([600000], tf.random.uniform([], 1., 1.))\n'
                    'with tf.device("/job:worker/task:0"):\n    there = tf.reduce_sum(a)\n'
                    'run(tf.constant(5) + 1)\ninput()\nrun(there)\ntry:\n    print(len(s.run(a)), flush=True)\n'
                    'except tf.errors.OpError as e:\n    print(type(e).__name__, "task:1" in str(e), flush=True)\n'
                    'input()\nrun(tf.constant(6) + 1, options=tf.RunOptions(timeout_in_ms=8000))\n') as client:
            lines = [client.line()]
            cluster.proxy.rate = 1 << 20
            lines += [client.go(), client.line()]
            cluster.proxy.mode = 'hang'
            return lines + [client.go()]


@scenario(['5'], slow=True)
def s14_half_open_client(kind):
    """The step of a client that no longer answers ends, so that it does not take a value."""
    queue = 'q = tf.FIFOQueue(1, [tf.int32], [[]], shared_name="q")\nput, get = q.enqueue(5), q.dequeue()\n'
    with ct.Cluster(kind) as cluster:
        proxy = Proxy(port_of(cluster.target))
        try:
            with Client('grpc://127.0.0.1:%d' % proxy.port, queue + 'run(tf.constant(1))\nrun(get)\n') as client:
                client.line()
                time.sleep(0.5)
                proxy.mode = 'hold'
                ends = [s for s in proxy.sockets if s.getpeername()[1] == proxy.port_behind]
                until = time.monotonic() + 75
                while time.monotonic() < until and not all(map(closed, ends)):
                    time.sleep(0.5)
                time.sleep(0.5)
                with Client(cluster.target, queue + 'run(put)\nrun(get, options=tf.RunOptions(timeout_in_ms=3000))\n') as other:
                    return other.rest()[1:]
        finally:
            proxy.close()


def closed(s):
    """Tests whether the peer has closed the connection, behind the bytes that are still to be read."""
    state = s.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
    return state != 1  # TCP_ESTABLISHED


@scenario(['4', 'AbortedError', '4'], tf=False)
def s16_an_impostor(kind):
    """A second process says that it is task 1, at another address. Its values must not be mixed up with the task's."""
    with ct.Cluster('our', 'our') as cluster:
        spec = {'worker': cluster.spec['worker']}
        other = ct.Task('our', spec, 'worker', 1, ['--port', '0'])
        try:
            target = other.process.stdout.readline().decode().split()[-1]
            code = TASK1 + 'a = tf.constant(3) + 1\nwith tf.device("/job:worker/task:0"):\n    b = tf.negative(tf.negative(a))\n'
            lines = []
            for t in (cluster.target, target, cluster.target):
                with Client(t, code + 'run(b)\n') as client:
                    lines.append(client.rest(40)[0].split()[0])
            return lines
        finally:
            other.stop()


@scenario(['1', ('DeadlineExceededError', 'UnavailableError')])
def s17_device_filters(kind):
    """A session that does not need the task that was never started begins at once."""
    spec = {'worker': ['127.0.0.1:%d' % p for p in ct.free_ports(2)]}
    task = ct.Task(kind, spec, 'worker', 0).ready()
    try:
        with Client(task.target, 'run(tf.constant(1))\n', 'device_filters=["/job:worker/task:0"], operation_timeout_in_ms=20000') as client:
            lines = client.rest(40)
        with Client(task.target, 'run(tf.constant(1))\n', 'operation_timeout_in_ms=2000') as client:
            last = client.rest(40)[-1]
            return lines + [next((n for n in ('DeadlineExceededError', 'UnavailableError') if n in last), last)]
    finally:
        task.stop()


@scenario(['0 [1.0]', (3, 9), (3, 9), '0 [1.0]'])
def s21_versions(kind):
    """A graph that a newer program wrote: with fields that are unknown here, and with versions that refuse this program."""
    with ct.Cluster(kind) as cluster:
        client = h2.Client(port_of(cluster.target))

        def create(*fields):
            try:
                handle = client.session(h2.graph(h2.const('a', 1.)) + h2.pb(*fields))
                response = client.run(handle, ['a:0'])
                client.call('CloseSession', h2.pb((1, handle)))
                return '%d %s' % (h2.field(response, 3, 0), [1.0] if b'\0\0\x80\x3f' in response else response)
            except h2.Failed as e:
                return e.code
        unknown = (4000, b'of the future'), (4001, 7)
        lines = [create(*unknown, (4, h2.pb((1, 1000), (9, 4))))]
        lines.append(create((4, h2.pb((1, 100000), (2, 100000)))))  # min_consumer
        ours = [h2.pb((1, 1000), *((3, n) for n in range(1, 6000)))]  # bad_consumers
        lines.append(create((4, ours[0])))
        lines.append(create())
        client.close()
        return lines


@scenario(['ResourceExhaustedError', '3', 'ResourceExhaustedError', '4'], slow=True, tf=False)
def s25_more_than_2_gib(kind):
    with ct.Cluster(kind) as cluster:
        with Client(cluster.target, 'import numpy as np\nx = tf.placeholder(tf.uint8)\nn = tf.placeholder(tf.int32, [1])\n'
                    'def error(*a):\n    try:\n        s.run(*a)\n        print("no error")\n    except tf.errors.OpError as e:\n'
                    '        print(type(e).__name__)\n'
                    'error(tf.size(x), {x: np.zeros([(1 << 31) + 9], np.uint8)})\nrun(tf.size(x), {x: [1, 2, 3]})\n'
                    'big = tf.fill(n, np.uint8(1))\nerror(big, {n: [(1 << 31) - 1]})\nrun(tf.size(big), {n: [4]})\n') as client:
            return client.rest(120)


@scenario(['DeadlineExceededError', 'DeadlineExceededError', '6'])
def s27_two_steps_wait_for_each_other(kind):
    queues = TASK1 + ('p = tf.FIFOQueue(1, [tf.int32], [[]], shared_name="p")\nq = tf.FIFOQueue(1, [tf.int32], [[]], shared_name="q")\n'
                      'a, b = q.enqueue(p.dequeue()), p.enqueue(q.dequeue())\n')
    with ct.Cluster(kind, kind) as cluster:
        config = 'operation_timeout_in_ms=3000'
        with Client(cluster.target, queues + 'run(a)\ns.close()\n', config) as one, \
                Client(cluster.target, queues + 'run(b)\nrun(tf.constant(6))\n', config) as two:
            return [line.split()[0] for line in one.rest() + two.rest()]


@scenario([(1, 10), (9, 'NOT_FOUND', 10), '0'])
def s29_reset_in_a_step(kind):
    box = h2.pb((2, 'box'))
    with ct.Cluster(kind) as cluster:
        port = port_of(cluster.target)
        client, other = h2.Client(port), h2.Client(port)
        floats = h2.pb((1, h2.pb((6, b'\1'))))
        graph = h2.graph(
            h2.const('one', 1.),
            h2.node('v', 'VariableV2', container=box, dtype=h2.FLOAT, shape=h2.pb((7, h2.pb((2, h2.pb((1, 1))))))),
            h2.node('init', 'Assign', ['v', 'one'], T=h2.FLOAT), h2.node('read', 'Identity', ['v'], T=h2.FLOAT),
            h2.node('q', 'FIFOQueueV2', container=box, component_types=floats),
            h2.node('get', 'QueueDequeueV2', ['q'], component_types=floats))

        def end(call):
            """The code of an answer, in its trailers or in its message."""
            try:
                return h2.field(call(), 3, 0)
            except h2.Failed as e:
                return e.code
        try:
            handle = client.session(graph)
            client.run(handle, targets=['init'])
            waiting = client.send('RunStep', h2.pb((1, handle), (3, 'get:0'), (7, 1)))
            time.sleep(0.5)
            other.call('Reset', h2.pb((1, 'box')))
            lines = [end(lambda: client.wait(waiting))]
            fresh = other.session(graph)
            lines.append(end(lambda: other.run(fresh, ['read:0'])))
            other.run(fresh, targets=['init'])
            return lines + [str(end(lambda: other.run(fresh, ['read:0'])))]
        finally:
            client.close()
            other.close()


@scenario(['None', '1.0', ('UnknownError True', 'OutOfRangeError True', 'ResourceExhaustedError True'), '1.0', 'None', '3.0'])
def s30_disk_of_a_worker_is_full(kind):
    """The limit on the size of files stands for the full disk. The name of the worker's shard is in the error."""
    folder = tempfile.mkdtemp()
    cluster = ct.Cluster(kind, kind, options=['--file-root', folder])
    try:
        with cluster:
            prefix = os.path.join(folder, 'c')
            code = TASK1 + (
                'v = tf.Variable(tf.fill([100000], 1.))\nwith tf.device("/job:worker/task:0"):\n    u = tf.Variable(2.)\n'
                'saver = tf.train.Saver([u, v], sharded=True)\ns.run([u.initializer, v.initializer])\n'
                'def save():\n    try:\n        saver.save(s, %r, write_meta_graph=False, write_state=False)\n        print("None", flush=True)\n'
                '    except tf.errors.OpError as e:\n        print(type(e).__name__, "00001-of-00002" in str(e), flush=True)\n'
                'def load():\n    s.run(v.assign(tf.zeros([100000])))\n    saver.restore(s, %r)\n    run(tf.reduce_min(v))\n'
                'save()\nload()\ninput()\ns.run(v.assign(tf.fill([100000], 3.)))\nsave()\nload()\ninput()\n'
                's.run(v.assign(tf.fill([100000], 3.)))\nsave()\nload()\n' % (prefix, prefix))
            with Client(cluster.target, code) as client:
                lines = [client.line(), client.line()]
                pid = cluster.tasks[1].process.pid
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (100000, resource.RLIM_INFINITY))
                lines += [client.go(), client.line()]
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
                return lines + client.rest()
    finally:
        shutil.rmtree(folder)


# Adds the number of seconds in the file $CLOCK to the clock of the day.
CLOCK = r'''
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static long Added(void) {
  static const char* name;
  char text[32] = "";
  if (!name) name = getenv("CLOCK");
  FILE* f = name ? fopen(name, "r") : NULL;
  if (!f) return 0;
  if (!fgets(text, sizeof text, f)) text[0] = 0;
  fclose(f);
  return atol(text);
}
int clock_gettime(clockid_t id, struct timespec* t) {
  const int result = (int)syscall(SYS_clock_gettime, id, t);
  if (result == 0 && id == CLOCK_REALTIME) t->tv_sec += Added();
  return result;
}
int gettimeofday(struct timeval* restrict t, void* restrict zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  t->tv_sec = now.tv_sec;
  t->tv_usec = now.tv_nsec / 1000;
  return 0;
}
time_t time(time_t* out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
'''


def clock(folder):
    """Returns the environment of a process whose clock of the day is set by the file FOLDER/clock; without cc, None."""
    if not shutil.which('cc'):
        return None
    with open(os.path.join(folder, 'clock.c'), 'w') as f:
        f.write(CLOCK)
    library = os.path.join(folder, 'clock.so')
    subprocess.run(['cc', '-shared', '-fPIC', '-O1', '-o', library, os.path.join(folder, 'clock.c')], check=True)
    return {'LD_PRELOAD': library, 'CLOCK': os.path.join(folder, 'clock'),
            'ASAN_OPTIONS': os.environ.get('ASAN_OPTIONS', '') + ':verify_asan_link_order=0'}


@scenario(['6', '6', '6', '6', 'DeadlineExceededError', '6', '6'])
def s31_clock_is_set(kind):
    """The clock of the worker is set by an hour, there and back, while steps run. Nothing is declared lost."""
    with tempfile.TemporaryDirectory() as folder:
        env = clock(folder)
        if env is None:
            return None
        spec = {'worker': ['127.0.0.1:%d' % p for p in ct.free_ports(2)]}
        tasks = [ct.Task(kind, spec, 'worker', 0), ct.Task(kind, spec, 'worker', 1, env=env)]
        try:
            for task in tasks:
                task.ready()
            step = 'run(a)\nprint("set", flush=True)\ninput()\n'
            with Client(tasks[0].target, TASK1 + 'a = tf.constant(5) + 1\nget = tf.FIFOQueue(1, [tf.int32]).dequeue()\n' + step * 3 +
                        'run(a)\nrun(get, options=tf.RunOptions(timeout_in_ms=500))\nimport time; time.sleep(1)\nrun(a)\n'
                        's = tf.Session(%r)\nrun(a)\n' % tasks[0].target) as client:
                lines = [client.line()]
                for seconds in (3600, -3600, 0):
                    client.line()
                    with open(env['CLOCK'], 'w') as f:
                        f.write(str(seconds))
                    lines.append(client.go())
                return [line.split()[0] for line in lines + client.rest()]
        finally:
            for task in tasks:
                task.stop()


@scenario(['3', 'UnavailableError', '3'], tf=False)
def s32_expired_certificate(kind):
    if not shutil.which('openssl'):
        return None
    with tempfile.TemporaryDirectory() as folder:
        tls_test.certificates(folder)
        env = clock(folder)
        if env is None:
            return None
        with tls_test.Server(folder, '--port', '0', *tls_test.tls('server')) as server:
            lines = []
            for days in (0, 30, 0):
                with open(env['CLOCK'], 'w') as f:
                    f.write(str(days * 86400))
                done = subprocess.run([ct.TENSH, *tls_test.tls('client'), '-c', 'print(tf.Session(%r).run(tf.constant(2) + 1))' % server.target],
                                      cwd=folder, env={**ct.ENV, **env}, capture_output=True, timeout=60)
                err = done.stderr.decode()
                lines.append(done.stdout.decode().strip() or next((n for n in ('UnavailableError', 'UnauthenticatedError') if n in err), err))
            return lines


@scenario(['answered', 'alive'])
def s33_slow_headers(kind):
    """Connections that send nothing, half a preface, HTTP/1 or one byte at a time, beside a client that works."""
    with ct.Cluster(kind) as cluster:
        port = port_of(cluster.target)
        start = h2.PREFACE + h2.Client.frame(h2.SETTINGS, 0, 0)
        texts = [b'', h2.PREFACE[:9], b'GET / HTTP/1.1\r\n', start, start + b'\0\1\0\1\4\0\0\0\1\x83\x86']
        sockets = [socket.create_connection(('127.0.0.1', port)) for _ in range(100)]
        client = h2.Client(port)
        handle = client.session(h2.graph(h2.const('a', 1.)))
        for step in range(40):
            for i, s in enumerate(sockets):
                try:
                    s.sendall(texts[i % 5][step:step + 1] if i % 2 else texts[i % 5] if step == 0 else b'')
                except OSError:
                    pass  # it was closed, which is allowed
            if b'\0\0\x80\x3f' not in client.run(handle, ['a:0']):
                return ['a wrong value']
        for s in sockets:
            s.close()
        other = h2.Client(port)
        other.session(h2.graph(h2.const('a', 1.)))
        client.close()
        other.close()
        return ['answered', alive(cluster)]


@scenario(['0 failed', 'alive'])
def s34_worker_stalls(kind):
    with ct.Cluster(kind, kind) as cluster:
        with Client(cluster.target, TASK1 + 'import time\na = tf.constant(5) + 1\ns.run(a)\nprint("ready", flush=True)\nfailed = 0\n'
                    'until = time.time() + 5\nwhile time.time() < until:\n    try:\n        s.run(a)\n    except tf.errors.OpError:\n'
                    '        failed += 1\n    time.sleep(0.01)\nprint(failed, "failed")\n') as client:
            client.line()
            while client.process.poll() is None:
                cluster.tasks[1].freeze()
                time.sleep(0.1)
                cluster.tasks[1].thaw()
                time.sleep(0.02)
            return client.rest() + [alive(cluster)]


# A step that sends dead tensors, empty ones, and strings with NUL, in both directions, in and outside of a loop.
VALUES = '''
import numpy as np
x = tf.placeholder(tf.float32, [None])
with tf.device('/job:worker/task:0'):
    text = tf.strings.join([tf.constant(['a\\0b', '', '\\0']), tf.constant('\\0')])
    none = tf.gather(x, tf.constant([], tf.int32))
with tf.device('/job:worker/task:1'):
    back = tf.strings.join([text, text])
    both = tf.concat([none, none], 0)
def body(i, y):
    with tf.device('/job:worker/task:1'):
        z = tf.cond(tf.equal(i % 2, 0), lambda: y + 1., lambda: tf.concat([y, tf.zeros([0])], 0))
    with tf.device('/job:worker/task:0'):
        return i + 1, tf.identity(z)
with tf.device('/job:worker/task:0'):
    looped = tf.while_loop(lambda i, y: i < 6, body, (0, x), shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])))[1]
    fetches = [tf.identity(back), tf.identity(both), looped]
'''


@scenario(["[b'a\\x00b\\x00a\\x00b\\x00', b'\\x00\\x00', b'\\x00\\x00\\x00\\x00'] (0,) [4.0, 4.0]", 'lost', 'the same', 'alive'])
def s35_unusual_values(kind):
    with ct.Cluster(kind, kind) as cluster:
        with Client(cluster.target, VALUES + 'def step():\n    v = s.run(fetches, {x: [1., 1.]})\n'
                    '    return str(v[0].tolist()) + " " + str(v[1].shape) + " " + str(v[2].tolist())\n'
                    'first = step()\nprint(first, flush=True)\nimport time\ntry:\n    while step() == first:\n        pass\n    print("wrong")\n'
                    'except (tf.errors.UnavailableError, tf.errors.AbortedError):\n    print("lost", flush=True)\ninput()\n'
                    'for _ in range(20):\n    try:\n        print("the same" if step() == first else "wrong")\n        break\n'
                    '    except (tf.errors.UnavailableError, tf.errors.AbortedError):\n        time.sleep(0.5)\n') as client:
            lines = [client.line()]
            time.sleep(random.uniform(0.1, 0.5))
            cluster.tasks[1].stop()
            lines.append(client.line())
            cluster.tasks[1].start()
            cluster.tasks[1].ready()
            return lines + client.rest() + [alive(cluster)]


def fits(line, wanted):
    return line in wanted if isinstance(wanted, tuple) else line == wanted


def run(function, kind):
    begin, box = time.monotonic(), [['hangs']]

    def body():
        try:
            box[0] = function(kind)
        except Exception as e:  # a scenario that fails does not end the others
            box[0] = ['%s: %s' % (type(e).__name__, e)]
    thread = threading.Thread(target=body, daemon=True)
    thread.start()
    thread.join(150)
    return box[0], time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--kind', choices=('our', 'tf'))
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    ct.TENSH = os.path.abspath(options.tensh)
    tenth = os.environ.get('TENSH_TENTH', '')
    todo, slow = [], 0
    for i, (name, function, expected, is_slow, tf) in enumerate(SCENARIOS):
        if options.names and not any(n in name for n in options.names):
            continue
        slow += is_slow
        kinds = ['our'] if not (is_slow and tenth.isdigit() and (int(tenth) + slow) % 3) else []
        if tf and ct.TF_PYTHON and (i % 10 == int(tenth) if tenth.isdigit() else True):
            kinds.append('tf')
        todo += [(name, function, expected, kind) for kind in kinds if options.kind in (None, kind)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = [(name, expected, kind, pool.submit(run, function, kind)) for name, function, expected, kind in todo]
        for name, expected, kind, result in found:
            lines, seconds = result.result()
            good = lines is None or (len(lines) == len(expected) and all(map(fits, lines, expected)))
            print('%-36s %-4s %5.1f s  %s' % (name, kind, seconds, 'skipped' if lines is None else 'as expected' if good else lines), flush=True)
            if not good and kind == 'our':
                print('    expected %s' % expected, flush=True)
                failed += 1
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
