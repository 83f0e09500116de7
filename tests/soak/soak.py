#!/usr/bin/env python3
"""Soak test of `tensh serve`: mixed load for minutes or hours, after which nothing may be wrong, lost or leaked.

    ./dev soak [--minutes N] [--clients N] [--seed N]

Starts a server, and a cluster of a master and two workers, on 127.0.0.1. Many processes (client.py) open sessions on
them at the same time: they extend graphs, wait in queues, run loops, move large tensors, and let deadlines expire.
Each compares its values with those that it computes itself. Some run in TensorFlow if $TENSH_TF_PYTHON names a
Python with it. Meanwhile, this script kills clients with SIGKILL, kills and restarts a worker, and opens connections
that cancel calls, send garbage or end in the middle of a message.

The load stops several times. At each of these rests, memory, threads and descriptors of the servers must return to
about what they were at the first one. Exits with 1 if they do not, if a value was wrong, or if an error occurred that was not
provoked.

Lines of a client: `round KIND` (all its values were right), `expected ERROR KIND` (a provoked error), `added` (one
addition to the shared counter), `took MS…` (times of trivial steps), `waiting` (may be killed), `lost ERROR TEXT` (a
task was lost; allowed around the kill of a worker), `slow TEXT` (a connection was not made in time), `wrong …`,
`unexpected …`, and `end`.
"""
import argparse
import collections
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, 'tests', 'dist'))
import h2  # noqa: E402
from cluster_test import ENV, free_ports  # noqa: E402

TF_PYTHON = os.environ.get('TENSH_TF_PYTHON', '')
CLIENT = os.path.join(HERE, 'client.py')
KINDS = ['steps', 'shared', 'sessions', 'extend', 'queue', 'cancel', 'loop', 'big', 'deadline', 'refused']
ROUND_KINDS = KINDS + ['cluster', 'probe']
SLOW_PART = 0.01  # of the rounds may fail because a connection took more than 20 s, which happens if the machine is busy
RECOVERY_SECONDS = 30  # after the kill of a worker, in which steps may fail


class ServerEnded(Exception):
    """A server ended although nothing asked for it."""


class Server:
    """A process of `tensh serve`, and what the kernel says about it."""

    def __init__(self, name, tensh, *options):
        self.name, self.command = name, [tensh, 'serve', *options]
        self.samples = []  # (seconds, kB, threads, descriptors)
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, env=ENV)
        self.target = self.process.stdout.readline().decode().split()[-1]
        self.port = int(self.target.rsplit(':', 1)[1])

    def look(self):
        """Returns (kB of memory, threads, descriptors). Raises ServerEnded if the process is gone."""
        if self.process.poll() is not None:
            raise ServerEnded('%s ended by itself with %d' % (self.name, self.process.returncode))
        with open('/proc/%d/status' % self.process.pid) as f:
            fields = dict(line.split(':', 1) for line in f)
        return (int(fields['VmRSS'].split()[0]), int(fields['Threads']),
                len(os.listdir('/proc/%d/fd' % self.process.pid)))

    def stop(self, signum=signal.SIGTERM):
        try:
            self.process.send_signal(signum)
            return self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return 'killed, because it did not end within 20 s of signal %d' % signum
        finally:
            self.process.stdout.close()


class Tally:
    """What the clients report. Thread-safe."""

    def __init__(self):
        self.lock = threading.Lock()
        self.rounds, self.expected, self.lost, self.slow = (collections.Counter() for _ in range(4))
        self.bad, self.took, self.added, self.killed, self.worker_kills = [], [], 0, 0, []

    def add(self, line, who):
        word, _, rest = line.partition(' ')
        with self.lock:
            if word == 'round':
                self.rounds[rest] += 1
            elif word == 'expected':
                self.expected[rest] += 1
            elif word == 'added':
                self.added += 1
            elif word == 'took':
                self.took += [float(ms) for ms in rest.split()]
            elif word == 'lost':
                self.lost[rest.split()[0]] += 1
                if not any(0 <= time.time() - at < RECOVERY_SECONDS for at in self.worker_kills):
                    self.fail('%s: %s' % (who, line))
            elif word == 'slow':
                self.slow[rest[-60:]] += 1
            elif word not in ('waiting', 'end', ''):
                self.fail('%s: %s' % (who, line))

    def fail(self, what):
        self.bad.append(what)
        if len(self.bad) <= 20:
            print('  bad: ' + what, flush=True)

    def percentiles(self, since=0):
        with self.lock:
            times = sorted(self.took[since:])
        if not times:
            return 'none'
        return ' '.join('%s %.1f' % (name, times[min(int(part * len(times)), len(times) - 1)])
                        for name, part in (('p50', .5), ('p90', .9), ('p99', .99), ('max', 1))) + ' ms'


class Clients:
    """Keeps a number of client processes running, and replaces those that end."""

    def __init__(self, options, tally, server, master):
        self.options, self.tally, self.server, self.master = options, tally, server, master
        self.rng, self.running, self.stopping, self.number = random.Random(options.seed), [], False, 0
        self.lock = threading.Lock()

    def start(self, target, kinds, seconds, python=None):
        self.number += 1
        seed = self.options.seed * 1000000 + self.number
        command = [python or self.options.tensh, CLIENT, target, ','.join(kinds), str(seed), str(seconds)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENV)
        entry = {'process': process, 'kinds': kinds, 'python': python, 'waiting': False, 'killed': False, 'ended': False}
        entry['reader'] = threading.Thread(target=self.read, args=(entry, 'client of seed %d' % seed), daemon=True)
        with self.lock:
            self.running.append(entry)
        entry['reader'].start()
        return entry

    def read(self, entry, who):
        process, ended = entry['process'], False
        for line in process.stdout:
            line = line.rstrip('\n')
            entry['waiting'] |= line == 'waiting'
            ended |= line == 'end'
            self.tally.add(line, who)
        said = process.stderr.read()
        code = process.wait()
        if not entry['killed'] and (code or not ended or (said and not entry['python'])):
            self.tally.fail('%s (%s): exit code %s: %s' % (who, ','.join(entry['kinds']), code, said.strip()[-500:]))
        process.stdout.close()
        process.stderr.close()
        with self.lock:
            self.running.remove(entry)

    def kill(self, entry):
        entry['killed'] = True
        entry['process'].kill()
        self.tally.killed += 1

    def load(self, seconds):
        """Runs the clients for this time, then waits for their ends."""
        end = time.time() + seconds
        life = max(self.options.clients / 5, 3)
        self.start(self.server.target, ['probe'], seconds)
        if TF_PYTHON and seconds > 20:
            self.start(self.server.target, [k for k in KINDS if k != 'shared'], seconds - 10, TF_PYTHON)
            self.start(self.master.target, ['cluster'], seconds - 10, TF_PYTHON)
        while time.time() < end - 2:
            left = end - time.time() - 1
            while len(self.running) < self.options.clients:
                part = self.rng.random()
                seconds = min(self.rng.uniform(0.3, 1) * life, left)
                if part < 0.1:
                    self.start(self.server.target, ['victim'], seconds)
                elif part < 0.25:
                    self.start(self.master.target, ['cluster'], seconds)
                else:
                    self.start(self.server.target, self.rng.sample(KINDS, 3), seconds)
            time.sleep(0.1)
            for entry in self.running[:]:
                if entry['waiting'] and not entry['killed'] and self.rng.random() < 0.05:
                    self.kill(entry)
        for entry in self.running[:]:
            if entry['kinds'] == ['victim']:
                self.kill(entry)
        limit = time.time() + 60
        for entry in self.running[:]:
            entry['reader'].join(max(limit - time.time(), 0.1))
        for entry in self.running[:]:
            self.tally.fail('a client hangs: ' + ' '.join(entry['process'].args))
            self.kill(entry)


def hostile(port, rng, stopped, tally):
    """Connections that are half open, cancel their calls, send garbage, or end in the middle of a message."""
    graph = h2.graph(h2.const('a', 1., 2.), h2.node('b', 'Neg', ['a'], T=h2.FLOAT))
    while not stopped.wait(rng.uniform(0.05, 0.3)):
        try:
            client = h2.Client(port)
            kind = rng.choice(['half', 'cancel', 'garbage', 'cut', 'session'])
            if kind == 'half':
                client.socket.sendall(h2.PREFACE[:5])
            elif kind == 'cancel':
                handle = client.session(graph)
                for _ in range(100):
                    client.cancel(client.send('RunStep', h2.pb((1, handle), (3, 'b:0'), (7, 1))))
                client.call('CloseSession', h2.pb((1, handle)))
            elif kind == 'garbage':
                client.socket.sendall(rng.randbytes(1000))
            elif kind == 'cut':
                client.socket.sendall(client.encode('ExtendSession', bytes(50000))[:-rng.randint(1, 40000)])
            else:  # a session that its client never closes
                client.session(graph)
            client.close()
        except h2.Failed as e:
            tally.fail('a raw client: %s' % e)
        except OSError:
            pass  # the server may close these connections


def kill_worker(worker, tally, stopped, every):
    while not stopped.wait(every):
        tally.worker_kills.append(time.time())
        worker.stop(signal.SIGKILL)
        if stopped.wait(0.5):
            pass
        worker.start()
        tally.worker_kills.append(time.time())


def rest(servers, first, idle):
    """Waits until the servers are as small as at the first rest, for a while at most. Returns what they are like."""
    begin = time.time()
    time.sleep(idle + 2)
    while True:
        now = {server.name: server.look() for server in servers}
        if time.time() - begin > idle + 20 or (first and not any(leaks(now, first))):
            return now
        if not first and time.time() - begin > idle + (12 if idle > 10 else 2):  # idle threads end after 10 s
            return now
        time.sleep(0.5)


def leaks(now, first):
    for name, (kb, threads, descriptors) in now.items():
        kb_0, threads_0, descriptors_0 = first[name]
        if kb > kb_0 * 1.2 + 32768:
            yield '%s: memory did not come back: %d MB at the first rest, now %d MB' % (name, kb_0 // 1024, kb // 1024)
        if threads > threads_0 + 8:
            yield '%s: threads did not end: %d at the first rest, now %d' % (name, threads_0, threads)
        if descriptors > descriptors_0 + 8:
            yield '%s: descriptors leak: %d at the first rest, now %d' % (name, descriptors_0, descriptors)


def slope(samples):
    """Returns the growth of memory in kB a minute, by least squares, over the last three quarters."""
    samples = [(t, s[0]) for t, *s in samples if t >= samples[-1][0] / 4]
    n = len(samples)
    t_mean, kb_mean = (sum(s[i] for s in samples) / n for i in (0, 1))
    spread = sum((t - t_mean) ** 2 for t, _ in samples)
    return 60 * sum((t - t_mean) * (kb - kb_mean) for t, kb in samples) / spread if spread else 0.


def watch(servers, tally, begin, stopped):
    since = 0
    while not stopped.wait(10):
        parts = []
        for server in servers:
            kb, threads, descriptors = server.look()
            server.samples.append((time.time() - begin, kb, threads, descriptors))
            parts.append('%s %d MB %d threads %d fds' % (server.name, kb // 1024, threads, descriptors))
        with tally.lock:
            since, start = len(tally.took), since
            rounds, errors, bad = sum(tally.rounds.values()), sum(tally.expected.values()), len(tally.bad)
        print('%4d s | %s | %d rounds, %d provoked errors, %d killed, %d bad | steps %s' % (
            time.time() - begin, ' | '.join(parts), rounds, errors, tally.killed, bad, tally.percentiles(start)), flush=True)


def report(servers, tally, rests):
    print('\nrounds with right values: ' + ', '.join('%s %d' % r for r in sorted(tally.rounds.items())))
    print('provoked errors: ' + ', '.join('%s %d' % e for e in sorted(tally.expected.items())))
    print('errors of lost tasks: %s; workers killed: %d; clients killed: %d' % (
        ', '.join('%s %d' % e for e in sorted(tally.lost.items())) or 'none', len(tally.worker_kills) // 2, tally.killed))
    slow = sum(tally.slow.values())
    print('connections that were not made in 20 s: %d' % slow)
    print('trivial steps: %s (%d)' % (tally.percentiles(), len(tally.took)))
    for server in servers:
        at = [rests[i][server.name] for i in (0, len(rests) // 2, -1)]
        print('%s at rest, start/middle/end: memory %s MB, threads %s, descriptors %s; under load: most %d MB, %+.1f MB a minute' % (
            server.name, *('/'.join(str(s[i] // (1 if i else 1024)) for s in at) for i in range(3)),
            max([s[1] for s in server.samples] + [at[0][0]]) // 1024, slope(server.samples) / 1024 if server.samples else 0))
    print('%d unexpected' % len(tally.bad))


def counter(tensh, target):
    code = ('v = tf.Variable(0, name="shared_counter")\ns = tf.Session(%r)\ntry:\n    print(int(s.run(v)))\n'
            'except tf.errors.FailedPreconditionError:\n    s.run(v.initializer)\n    print(0)\n' % target)
    return int(subprocess.run([tensh, '-c', code], stdout=subprocess.PIPE, env=ENV, check=True, timeout=60).stdout)


def start_servers(options):
    limits = ['--session-memory', '256M', '--idle-session-timeout', str(options.idle)]
    ports = free_ports(3)
    spec = json.dumps({'worker': ['127.0.0.1:%d' % p for p in ports]})
    tasks = [Server(name, options.tensh, '--cluster', spec, '--job', 'worker', '--task', str(i), *limits)
             for i, name in enumerate(('master', 'worker 1', 'worker 2'))]
    return [Server('server', options.tensh, '--port', '0', *limits), *tasks]


def load_and_rest(options, servers, clients, tally):
    """Runs the load in pieces with a rest after each. Returns what the servers were like at the rests."""
    rng, rests, seconds = random.Random(options.seed), [], options.minutes * 60
    pieces = max(2, min(round(seconds / 300) + 1, 6))
    server, killed_worker = servers[0], servers[3]
    for _ in range(pieces):
        end = threading.Event()
        helpers = [threading.Thread(target=hostile, args=(server.port, random.Random(rng.random()), end, tally)),
                   threading.Thread(target=kill_worker, args=(killed_worker, tally, end, max(seconds / 20, 2.5)))]
        for thread in helpers:
            thread.start()
        try:
            clients.load(seconds / pieces - (options.idle + 10 if seconds > 60 else 0))
        finally:
            end.set()
            for thread in helpers:
                thread.join()
        rests.append(rest(servers[:3], rests[0] if rests else None, options.idle))
    for leak in leaks(rests[-1], rests[0]):
        tally.fail(leak)
    return rests


def soak(options):
    tally, servers, stopped = Tally(), start_servers(options), threading.Event()
    lasting = servers[:3]  # not the one that is killed
    clients = Clients(options, tally, servers[0], servers[1])
    counter(options.tensh, servers[0].target)
    print('seed %d, %d clients at a time, %.1f minutes' % (options.seed, options.clients, options.minutes), flush=True)
    watcher = threading.Thread(target=watch, args=(lasting, tally, time.time(), stopped))
    watcher.start()
    try:
        rests = load_and_rest(options, servers, clients, tally)
        total = counter(options.tensh, servers[0].target)
        if total != tally.added:
            tally.fail('the shared counter is %d after %d additions' % (total, tally.added))
    finally:
        stopped.set()
        watcher.join()
        for entry in clients.running[:]:  # none, unless this was interrupted
            clients.kill(entry)
        for each in servers:
            code = each.stop()
            if code:
                tally.fail('%s ended with %s' % (each.name, code))
    missing = [k for k in ROUND_KINDS if not tally.rounds[k]]
    if missing and sum(tally.rounds.values()) > 20 * len(ROUND_KINDS):  # a machine without free processors runs few rounds
        tally.fail('no round of ' + ', '.join(missing))
    if sum(tally.slow.values()) > max(5, SLOW_PART * sum(tally.rounds.values())):
        tally.fail('connections were not made: %s' % dict(tally.slow))
    report(lasting, tally, rests)
    return 1 if tally.bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--tensh', default=os.path.join(ROOT, 'build', 'tensh'))
    parser.add_argument('--minutes', type=float, default=5)
    parser.add_argument('--clients', type=int, help='clients at a time; by default 100, and 1000 for an hour')
    parser.add_argument('--seed', type=int, default=int(time.time()) % 1000)
    options = parser.parse_args()
    options.tensh = os.path.abspath(options.tensh)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that all processes are ended
    if options.clients is None:
        options.clients = 100 if options.minutes < 60 else 1000
    # Sessions of killed clients are closed after this time. A client that waits for a processor must not exceed it.
    options.idle = 10 if options.minutes < 1 else 30
    sys.exit(soak(options))


if __name__ == '__main__':
    main()
