#!/usr/bin/env python3
"""Reliability of tensh's server beside TensorFlow's, in one run: python3 tests/bench/server_bench.py [CASE…]

Prints the rows of the table in docs/wire.md: memory of sessions, the time of one client's trivial steps while another
client is hostile, and faults of a cluster. Everything listens on 127.0.0.1. CASE is a part of a row's name. Needs a
Python with TensorFlow: $TENSH_TF_PYTHON or .venv/bin/python.
"""
import argparse
import os
import signal
import socket
import statistics
import struct
import subprocess
import sys
import time
import zlib

from dist_bench import ENV, ROOT, Cluster
import h2

INT32 = h2.pb((6, 3))
GRAPH = h2.graph(h2.const('a', 1., 2.), h2.node('b', 'Neg', ['a'], T=h2.FLOAT), h2.node('x', 'Placeholder', dtype=h2.FLOAT),
                 h2.node('y', 'Neg', ['x'], T=h2.FLOAT),
                 h2.node('q', 'FIFOQueueV2', component_types=h2.pb((1, h2.pb((6, b'\1'))))),
                 h2.node('get', 'QueueDequeueV2', ['q'], component_types=h2.pb((1, h2.pb((6, b'\1'))))))


def memory(pid):
    with open('/proc/%d/status' % pid) as f:
        return next(int(line.split()[1]) for line in f if line.startswith('VmRSS')) // 1024


# ---- memory of sessions ----

def sessions(cluster, n=1000, constant=100_000):
    """Opens, uses and closes n sessions, each with a constant of this many floats, twice. Returns MB: before, while they
    are open, after the first and after the second time."""
    client, pid = h2.Client(cluster.port, timeout=300), cluster.tasks[0].pid
    graph = h2.graph(h2.const('a', *([1.5] * constant)), h2.node('b', 'Neg', ['a'], T=h2.FLOAT))
    client.call('CloseSession', h2.pb((1, client.session(GRAPH))))
    found = [memory(pid)]
    for _ in range(2):
        handles = [client.session(graph) for _ in range(n)]
        for handle in handles:
            client.run(handle, targets=['b'])
        if len(found) == 1:
            found.append(memory(pid))
        for handle in handles:
            client.call('CloseSession', h2.pb((1, handle)))
        time.sleep(3)
        found.append(memory(pid))
    client.close()
    return ' → '.join(map(str, found)) + ' MB'


def idle_session(cluster, n=1000):
    client, pid = h2.Client(cluster.port, timeout=300), cluster.tasks[0].pid
    graph = h2.graph(h2.const('a', 1., 2.), h2.node('b', 'Neg', ['a'], T=h2.FLOAT))
    for _ in range(50):
        client.run(client.session(graph), ['b:0'])
    before = memory(pid)
    for _ in range(n):
        client.run(client.session(graph), ['b:0'])
    used = memory(pid) - before
    client.close()
    return '%d kB' % (used * 1024 / n)


# ---- one client against another ----

def step(handle, *fields):
    return h2.pb((1, handle), *fields, (7, 1))


def in_flight(port, n=10000):
    """Sends n steps on one connection before it reads the first response, again and again."""
    client = h2.Client(port, timeout=300)
    message = step(client.session(GRAPH), (3, 'b:0'))
    while True:
        first = client.stream + 2
        for _ in range(0, n, 500):
            client.socket.sendall(b''.join(client.encode('RunStep', message) for _ in range(500)))
        for stream in range(first, first + 2 * n, 2):
            client.wait(stream)


def reset(port, method='RunStep', service='MasterService'):
    """Cancels each request at once, on ever new connections."""
    owner = h2.Client(port, timeout=300)
    message = step(owner.session(GRAPH), (3, 'b:0'))
    if method == 'RecvTensor':  # values that nobody sends
        device = device_of(owner)
        key = '%s;%016x;%s;edge_1;0:0' % (device[0], device[1], device[0])
        message = h2.pb((1, 77), (2, key))
    while True:
        client = h2.Client(port, timeout=300)
        try:
            while True:
                client.socket.sendall(b''.join(client.encode(method, message, service) + client.reset(client.stream)
                                               for _ in range(500)))
                client.replies.clear()
        except OSError:
            client.close()


def device_of(client):
    """Returns the name and the incarnation of the task's CPU."""
    attributes = h2.field(client.call('GetStatus', service='WorkerService'), 1)
    incarnation = h2.field(attributes, 6)
    return h2.field(attributes, 1).decode(), struct.unpack('<Q', incarnation)[0] if isinstance(incarnation, bytes) else incarnation


def feeds(port, floats=125_000_000):
    """Feeds 500 MB."""
    client = h2.Client(port, timeout=300)
    value = h2.pb((1, 1), (2, h2.pb((2, h2.pb((1, floats))))), (4, bytes(4 * floats)))
    message = step(client.session(GRAPH), (2, h2.pb((1, 'x:0'), (2, value))), (4, 'y'))
    while True:
        client.call('RunStep', message)


def bombs(port):
    """Sends compressed messages that grow to 1.5 GB."""
    client = h2.Client(port, timeout=300)
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b''.join(packer.compress(bytes(1 << 20)) for _ in range(1500)) + packer.flush()
    while True:
        streams = [client.send('RunStep', bomb, headers=[('grpc-encoding', 'gzip')], compressed=True) for _ in range(3)]
        for stream in streams:
            try:
                client.wait(stream)
            except h2.Failed:
                pass


def half_open(port):
    """Holds 900 connections that send the beginning of a preface."""
    connections = [socket.create_connection(('127.0.0.1', port)) for _ in range(900)]
    for connection in connections:
        connection.sendall(h2.PREFACE[:7])
    time.sleep(1000)


def waiting(port):
    """Holds 1,000 steps that wait for a queue."""
    client = h2.Client(port, timeout=300)
    message = step(client.session(GRAPH), (3, 'get:0'))
    for _ in range(1000):
        client.send('RunStep', message)
    time.sleep(1000)


def receive(port):
    reset(port, 'RecvTensor', 'WorkerService')


ATTACKS = {f.__name__: f for f in (in_flight, reset, receive, feeds, bombs, half_open, waiting)}


def beside(attack):
    """Returns a case: the 99th percentile and the maximum of the steps of another client."""
    def measure(cluster):
        client = h2.Client(cluster.port, timeout=120)
        handle = client.session(GRAPH)
        for _ in range(20):
            client.run(handle, ['b:0'])
        command = [sys.executable, os.path.abspath(__file__), '--attack', attack or 'none', '--port', str(cluster.port)]
        attacker = subprocess.Popen(command, env=ENV, stderr=subprocess.DEVNULL) if attack else None
        try:
            time.sleep(1.5 if attack else 0)
            times, end = [], time.time() + 10
            while time.time() < end:
                begin = time.perf_counter()
                client.run(handle, ['b:0'])
                times.append((time.perf_counter() - begin) * 1e3)
                time.sleep(0.005)
        except OSError as e:
            return 'no answer: %s' % e
        finally:
            if attacker:
                attacker.kill()
                attacker.wait()
        client.close()
        times.sort()
        return 'p50 %.1f, p99 %.1f, max %.0f ms' % (statistics.median(times), times[int(0.99 * len(times))], times[-1])
    return measure


# ---- faults of a cluster ----

ON_1 = '/job:worker/replica:0/task:1/device:CPU:0'


def answer(client, call, limit=20):
    """Returns how the call ended, and when."""
    begin = time.time()
    client.socket.settimeout(limit)
    try:
        call()
        said = 'ok'
    except h2.Failed as e:
        said = {1: 'CANCELLED', 4: 'DEADLINE_EXCEEDED', 10: 'ABORTED', 14: 'UNAVAILABLE'}.get(e.code, str(e.code))
    except TimeoutError:
        return 'no answer in %d s' % limit
    return '%s after %.1f s' % (said, time.time() - begin)


def stopped_worker(cluster):
    client = h2.Client(cluster.port, timeout=30)
    handle = client.session(h2.graph(h2.const('a', 1., device=ON_1), h2.node('b', 'Neg', ['a'], ON_1, T=h2.FLOAT)))
    cluster.tasks[1].send_signal(signal.SIGSTOP)
    try:
        return answer(client, lambda: client.run(handle, ['b:0']))
    finally:
        cluster.tasks[1].send_signal(signal.SIGCONT)


def operation_timeout(cluster):
    client = h2.Client(cluster.port, timeout=30)
    types = h2.pb((1, h2.pb((6, b'\1'))))
    graph = h2.graph(h2.node('q', 'FIFOQueueV2', device=ON_1, component_types=types),
                     h2.node('get', 'QueueDequeueV2', ['q'], ON_1, component_types=types))
    handle = client.session(graph, h2.pb((11, 2000)))
    return answer(client, lambda: client.run(handle, ['get:0']), 10)


def bad_op(cluster):
    """A kernel with a malformed input: is the server still there?"""
    client = h2.Client(cluster.port, timeout=30)
    length = h2.node('n', 'Const', dtype=INT32, value=h2.pb((8, h2.pb((1, 3), (2, h2.pb((2, h2.pb((1, 1))))), (7, 0)))))
    handle = client.session(h2.graph(h2.const('a', 1., 2.), length, h2.node('fft', 'RFFT', ['a', 'n'])))
    try:
        answer(client, lambda: client.run(handle, ['fft:0']))
    except (EOFError, OSError):
        pass
    time.sleep(1)
    code = cluster.tasks[0].poll()
    return 'serves on' if code is None else 'ended by signal %d' % -code


CASES = [
    ('memory: before → 1,000 sessions of 400 kB → closed → closed again', 1, sessions),
    ('memory of an idle session', 1, idle_session),
    ('steps of a client that is alone', 1, beside(None)),
    ('the same beside 10,000 requests in flight on one connection', 1, beside('in_flight')),
    ('beside requests that are cancelled at once (rapid reset)', 1, beside('reset')),
    ('beside RecvTensor requests that are cancelled at once', 1, beside('receive')),
    ('beside feeds of 500 MB', 1, beside('feeds')),
    ('beside gzip messages that grow to 1.5 GB', 1, beside('bombs')),
    ('beside 900 half-open connections', 1, beside('half_open')),
    ('beside 1,000 steps that wait', 1, beside('waiting')),
    ('a first step that needs a stopped worker', 2, stopped_worker),
    ('`operation_timeout_in_ms` of 2 s, a wait on a worker', 2, operation_timeout),
    ('RFFT of length 0', 1, bad_op),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', default=os.path.join(ROOT, 'build', 'tensh'))
    parser.add_argument('--attack')
    parser.add_argument('--port', type=int)
    parser.add_argument('only', nargs='*', help='part of a row\'s name')
    options = parser.parse_args()
    if options.attack:
        return ATTACKS[options.attack](options.port)
    options.python = os.environ.get('TENSH_TF_PYTHON', os.path.join(ROOT, '.venv', 'bin', 'python'))
    kinds = ['our'] + (['tf'] if os.path.exists(options.python) else [])
    print('| | tensh | TensorFlow |\n|---|---|---|')
    for what, tasks, case in CASES:
        if options.only and not any(part in what for part in options.only):
            continue
        said = []
        for kind in kinds:
            with Cluster(kind, tasks, options) as cluster:
                said.append(case(cluster))
        print('| %s | %s |' % (what, ' | '.join(said)), flush=True)


if __name__ == '__main__':
    main()
