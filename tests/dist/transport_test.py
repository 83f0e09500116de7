#!/usr/bin/env python3
"""Random programs over connections that are delayed, cut and repeated, compared with a session in process.

    transport_test.py --tensh build/tensh [--seed N] [--count N]

A client runs each program in a session of its own process and in one over a cluster of two tasks. The connections from
the client to the master, and between the master and the worker, pass through proxies that delay pieces and cut connections
at a byte that the seed chooses. Pieces of one connection overtake those of another. Some connections are repeated: another
one sends the same bytes, a little later, so that the server receives each of its requests twice. A step may fail, with the error of a lost connection, but it must not hang, return a
wrong value or count twice, and steps must succeed again afterwards.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import threading
import time

import cluster_test as ct
from proxy import Proxy

# `up` counts the steps that ran. A step whose answer was lost has run, so that the counter lies between the answers and
# the attempts.
CLIENT = '''
import random, time
import numpy as np
rng = random.Random(SEED)
NAMES = ['/job:worker/task:0', '/job:worker/task:1']
config = tf.ConfigProto(allow_soft_placement=True, operation_timeout_in_ms=10000)
counts = {'answered': 0, 'failed': 0, 'wrong': 0, 'attempts': 0}
with tf.device(NAMES[1]):
    counter = tf.Variable(0, name='counter')
    up = counter.assign_add(1)
direct = tf.Session(DIRECT)
direct.run(counter.initializer)

def program():
    values = [tf.constant(np.array([rng.randint(-9, 9) for _ in range(rng.choice([1, 4, 3000]))], np.float32).sum() + [1., 2.])]
    for _ in range(rng.randint(2, 8)):
        a, b = rng.choice(values), rng.choice(values)
        with tf.device(rng.choice(NAMES)):
            kind = rng.randint(0, 4)
            if kind == 0: made = a + b
            elif kind == 1: made = tf.maximum(a, b) * 0.5
            elif kind == 2: made = tf.cond(tf.reduce_sum(a) > 0., lambda: a - b, lambda: b - a)
            elif kind == 3: made = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 0.5 + a), (0, b))[1]
            else: made = tf.reduce_sum(tf.tile(a, [rng.choice([1, 20000])])) + b
            values.append(made)
    return values[-rng.randint(1, 2):]

for start in range(0, COUNT, 20):
    session, local = None, tf.Session(config=config)
    for i in range(start, min(start + 20, COUNT)):
        fetches = program()
        wanted = local.run(fetches)
        try:
            if session is None: session = tf.Session(TARGET, config=config)
            counts['attempts'] += 1
            got = session.run(fetches + [up])[:-1]
        except (tf.errors.UnavailableError, tf.errors.AbortedError, tf.errors.DeadlineExceededError,
                tf.errors.CancelledError):
            counts['failed'] += 1
            time.sleep(0.1)
            continue
        counts['answered'] += 1
        if not all(np.array_equal(g, w) for g, w in zip(got, wanted)):
            counts['wrong'] += 1
            print('wrong', i, got, wanted)
    local.close()
counts['ran'] = int(direct.run(counter))
print('counts', counts)
'''


class Faults:
    """Decides from a seed which pieces are delayed, and after how many bytes the next connection is cut."""

    def __init__(self, seed, cut_every):
        self.rng, self.cut_every, self.lock = random.Random(seed), cut_every, threading.Lock()
        self.cuts, self.on = 0, True
        self.left = self.next()

    def next(self):
        return self.rng.randint(self.cut_every // 4, 2 * self.cut_every)

    def __call__(self, data):
        with self.lock:
            delay = self.rng.choice([0] * 25 + [0.001] * 5 + [0.004] * 5 + [0.04]) if self.on else 0
            passed = len(data)
            self.left -= len(data) if self.on else 0
            if self.left < 0:
                passed = self.rng.randint(0, len(data) - 1)
                self.left = self.next()
                self.cuts += 1
        time.sleep(delay)
        return passed


class Repeats:
    """Decides from a seed which connections are repeated, and how many seconds later."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def __call__(self):
        return self.rng.choice([None, 0, 0.002, 0.02, 0.1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=200)
    options = parser.parse_args()
    ct.TENSH = os.path.abspath(options.tensh)
    ports = ct.free_ports(2)
    # From the client to the master, from the master to the worker, and from the worker to the master.
    proxies = front, middle, back = Proxy(ports[0]), Proxy(ports[1]), Proxy(ports[0])
    for i, proxy in enumerate(proxies):
        proxy.fault = Faults(options.seed + i, 150000)
        proxy.repeat = Repeats(options.seed + i)
    address = '127.0.0.1:%d'
    clusters = [{'worker': [address % ports[0], address % middle.port]}, {'worker': [address % back.port, address % ports[1]]}]
    tasks = [ct.Task('our', cluster, 'worker', i, ['--port', str(ports[i])]) for i, cluster in enumerate(clusters)]
    worker = 'grpc://' + address % ports[1]
    try:
        for task in tasks:
            task.ready()
        program = CLIENT
        # The counter is on the worker, which this reaches without a proxy.
        for name, value in (('SEED', options.seed), ('COUNT', options.count), ('DIRECT', repr(worker)),
                            ('TARGET', repr('grpc://127.0.0.1:%d' % front.port))):
            program = re.sub(r'\b%s\b' % name, lambda _: str(value), program)
        done = subprocess.run([ct.TENSH, '-'], input=program.encode(), capture_output=True, env=ct.ENV,
                              timeout=60 + options.count)
        alive = [task.process.poll() is None for task in tasks]
    finally:
        for task in tasks:
            task.stop()
        for proxy in proxies:
            proxy.close()
    out = done.stdout.decode()
    found = re.search(r'counts (.*)', out)
    if not found:
        sys.exit('the client ended:\n' + out + done.stderr.decode())
    counts = eval(found.group(1))
    cuts, repeated = sum(p.fault.cuts for p in proxies), sum(p.repeated for p in proxies)
    print('seed %d: %s, %d connections cut, %d bytes repeated' % (options.seed, counts, cuts, repeated))
    right = (not counts['wrong'] and all(alive) and counts['answered'] <= counts['ran'] <= counts['attempts'] and
             counts['answered'] >= options.count // 10 and cuts > 0 and repeated > 0)
    sys.exit(0 if right else 'not as expected: %s\n%s%s' % (counts, out, done.stderr.decode()))


if __name__ == '__main__':
    main()
