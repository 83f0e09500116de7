#!/usr/bin/env python3
"""Benchmark of the wire in tensh and TensorFlow: python3 tests/bench/dist_bench.py [--tensh build/tensh] [--rounds N]

Measures steps and transfers between processes of this machine over 127.0.0.1. In each round, the two sides run one
after the other; the best round of each side is shown. Needs a Python with TensorFlow: $TENSH_TF_PYTHON or
.venv/bin/python.
"""
import argparse
import json
import os
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, 'tests', 'dist'))
import h2  # noqa: E402

ENV = {k: v for k, v in os.environ.items() if not k.startswith('TENSH_')}
ENV.update(NO_COLOR='1', TERM='dumb', TF_CPP_MIN_LOG_LEVEL='3', CUDA_VISIBLE_DEVICES='', no_proxy='*')
TF_SERVER = '''
import json, sys
import tensorflow as tf
spec = json.loads(sys.argv[1])
server = tf.distribute.Server(tf.train.ClusterSpec(spec), job_name='worker', task_index=int(sys.argv[2]))
print('grpc://' + spec['worker'][int(sys.argv[2])], flush=True)
server.join()
'''
IMPORT_TF = 'import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\n'
# The median time of a step, in µs.
MEDIAN = '''
import time
def median(s, fetch, n):
    for _ in range(max(n // 10, 3)):
        s.run(fetch)
    times = []
    for _ in range(n):
        begin = time.time()
        s.run(fetch)
        times.append(time.time() - begin)
    times.sort()
    return times[n // 2] * 1e6
'''
TRIVIAL = MEDIAN + '''
a = tf.Variable(1.)
c = a + 2.
s = tf.Session(%r)
s.run(a.initializer)
print(median(s, c, 2000))
'''
BETWEEN = MEDIAN + '''
with tf.device('/job:worker/task:1'):
    n = tf.placeholder(tf.int32)
    v = tf.Variable(tf.zeros([%d]))
with tf.device('/job:worker/task:0'):
    there = tf.identity(v)[0]
with tf.device('/job:worker/task:0'):
    here = tf.Variable(tf.zeros([%d]))
    same = tf.identity(here)[0]
s = tf.Session(%r)
s.run([v.initializer, here.initializer])
print(median(s, there, %d))
'''


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(('127.0.0.1', 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Cluster:
    def __init__(self, kind, n, options):
        ports = free_ports(n)
        spec = json.dumps({'worker': ['127.0.0.1:%d' % p for p in ports]})
        self.tasks = []
        for i in range(n):
            command = ([options.tensh, 'serve', '--cluster', spec, '--job', 'worker', '--task', str(i)] if kind == 'our'
                       else [options.python, '-c', TF_SERVER, spec, str(i)])
            self.tasks.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ENV))
        for task in self.tasks:
            assert b'grpc://' in task.stdout.readline()
        self.port = ports[0]
        self.target = 'grpc://127.0.0.1:%d' % ports[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for task in self.tasks:
            task.kill()
            task.wait()
            task.stdout.close()


def run(client, code, options):
    command = [options.tensh, '-c', code] if client == 'our' else [options.python, '-c', IMPORT_TF + code]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV, timeout=600)
    if done.returncode:
        sys.exit('%s\n%s' % (code, done.stderr.decode()[-3000:]))
    return float(done.stdout.split()[-1])


GRAPH = h2.graph(h2.const('a', 1., 2.), h2.node('b', 'Neg', ['a'], T=h2.FLOAT))


def many_sessions(port, n=1000):
    """Returns the seconds to open, run and close the sessions, with all of them open at the same time."""
    client = h2.Client(port, timeout=300)
    begin = time.time()
    handles = [client.session(GRAPH) for _ in range(n)]
    for handle in handles:
        client.run(handle, ['b:0'])
    for handle in handles:
        client.call('CloseSession', h2.pb((1, handle)))
    seconds = time.time() - begin
    client.close()
    return seconds * 1e6 / n


def many_steps(port, n=10000):
    """Returns the seconds for n steps of one client that are all in flight at the same time."""
    import threading
    client = h2.Client(port, timeout=300)
    handle = client.session(GRAPH)
    client.run(handle, ['b:0'])
    begin = time.time()

    def send():
        for _ in range(n):
            client.send('RunStep', h2.pb((1, handle), (3, 'b:0'), (7, 1)))
    sender = threading.Thread(target=send)
    sender.start()
    for i in range(n):
        while 2 * i + 5 not in client.replies:
            time.sleep(0.001)
        client.wait(2 * i + 5)
    sender.join()
    seconds = time.time() - begin
    client.close()
    return seconds * 1e6 / n


def rows(options):
    """Returns (description, ours, theirs) for each case; the latter two are functions that return a time in µs."""
    def trivial(client, server):
        with Cluster(server, 1, options) as cluster:
            return run(client, TRIVIAL % cluster.target, options)

    def between(kind, floats, times):
        with Cluster(kind, 2, options) as cluster:
            return run('our', BETWEEN % (floats, floats, cluster.target, times), options)

    def by_socket(kind, fn):
        with Cluster(kind, 1, options) as cluster:
            return fn(cluster.port)
    yield 'a step of one add: client and server', lambda: trivial('our', 'our'), lambda: trivial('tf', 'tf')
    yield 'the same, TensorFlow\'s Python client on both servers', lambda: trivial('tf', 'our'), \
        lambda: trivial('tf', 'tf')
    yield 'the same, our client on both servers', lambda: trivial('our', 'our'), lambda: trivial('our', 'tf')
    yield 'a step with 4 bytes from worker to worker', lambda: between('our', 1, 1000), lambda: between('tf', 1, 1000)
    yield 'a step with 64 MB from worker to worker', lambda: between('our', 16 << 20, 15), \
        lambda: between('tf', 16 << 20, 15)
    yield '1,000 sessions open at once, each', lambda: by_socket('our', many_sessions), \
        lambda: by_socket('tf', many_sessions)
    yield '10,000 steps in flight, each', lambda: by_socket('our', many_steps), lambda: by_socket('tf', many_steps)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', default=os.path.join(ROOT, 'build', 'tensh'))
    parser.add_argument('--rounds', type=int, default=2)
    parser.add_argument('only', nargs='*', help='part of a row\'s name')
    options = parser.parse_args()
    options.python = os.environ.get('TENSH_TF_PYTHON', os.path.join(ROOT, '.venv', 'bin', 'python'))
    print('| over 127.0.0.1 | tensh | TensorFlow | ratio |\n|---|---|---|---|')
    for what, ours, theirs in rows(options):
        if options.only and not any(part in what for part in options.only):
            continue
        best = [1e30, 1e30]
        for _ in range(options.rounds):
            for i, fn in enumerate((ours, theirs)):
                best[i] = min(best[i], fn())
        print('| %s | %.0f µs | %.0f µs | %.2fx |' % (what, best[0], best[1], best[1] / best[0]), flush=True)


if __name__ == '__main__':
    main()
