#!/usr/bin/env python3
"""Sends malformed frames, messages, graphs and handles to a running server. It must respond or close the connection,
and must never end, hang, or give wrong results to others.

    wire_fuzz.py --tensh build/tensh [--seed N] [--count N]
"""
import argparse
import os
import random
import socket
import struct
import subprocess
import sys
import time

import h2
from h2 import DATA, HEADERS, PREFACE, SETTINGS, WINDOW, Client, Failed, pb

ENV = {k: v for k, v in os.environ.items() if not k.startswith('TENSH_')}
ENV.update(NO_COLOR='1', TERM='dumb')
frame = Client.frame
MASTER = ['CreateSession', 'ExtendSession', 'RunStep', 'PartialRunSetup', 'CloseSession', 'ListDevices', 'Reset',
          'MakeCallable', 'RunCallable', 'ReleaseCallable']
WORKER = ['GetStatus', 'CreateWorkerSession', 'DeleteWorkerSession', 'RegisterGraph', 'DeregisterGraph', 'RunGraph',
          'CleanupGraph', 'CleanupAll', 'RecvTensor', 'Logging', 'Tracing', 'MarkRecvFinished']
DEVICE = '/job:localhost/replica:0/task:0/device:CPU:0'


def header_block(path=b'/tensorflow.MasterService/ListDevices'):
    def literal(name, value):
        return b'\0' + bytes([len(name)]) + name + bytes([len(value)]) + value
    return (b'\x83\x86' + literal(b':path', path) + literal(b':authority', b'x') +
            literal(b'content-type', b'application/grpc') + literal(b'te', b'trailers'))


def frames():
    """Returns sequences of bytes to send on a new connection, by name."""
    start = PREFACE + frame(SETTINGS, 0, 0)
    ask = frame(HEADERS, 4, 1, header_block())
    yield 'nothing', b''
    yield 'HTTP/1', b'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
    yield 'TLS', b'\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03' + b'\x55' * 200
    yield 'half a preface', PREFACE[:10]
    yield 'a preface and noise', PREFACE + b'\xff' * 300
    yield 'a frame too large', start + frame(DATA, 0, 1)[:0] + b'\xff\xff\xff\0\0\0\0\0\1' + b'x' * 1000
    yield 'DATA of no stream', start + frame(DATA, 1, 1, b'\0\0\0\0\0')
    yield 'a stream of the server\'s', start + frame(HEADERS, 5, 2, header_block())
    yield 'headers that are none', start + frame(HEADERS, 5, 1, b'\xff' * 60)
    yield 'a table index too far', start + frame(HEADERS, 5, 1, b'\xfe\xfe\xfe')
    yield 'CONTINUATION alone', start + frame(9, 4, 1, b'\x82')
    yield 'a window of nothing', start + ask + frame(WINDOW, 0, 1, struct.pack('>I', 0))
    yield 'a window too wide', start + ask + frame(WINDOW, 0, 0, struct.pack('>I', 0x7fffffff)) * 3
    yield 'settings of odd size', PREFACE + frame(SETTINGS, 0, 0, b'\0\1\0')
    yield 'a length beyond the message', start + ask + frame(DATA, 1, 1, b'\0\xff\xff\xff\xff' + b'abc')
    yield 'compressed, it says', start + ask + frame(DATA, 1, 1, b'\1\0\0\0\3abc')
    yield 'half a message', start + ask + frame(DATA, 0, 1, b'\0\0\0\1\0' + b'a' * 20)
    yield 'no such method', start + frame(HEADERS, 4, 1, header_block(b'/tensorflow.MasterService/Nothing')) + \
        frame(DATA, 1, 1, b'\0\0\0\0\0')
    yield 'streams opened and reset', start + b''.join(
        frame(HEADERS, 4, 2 * i + 1, header_block()) + frame(h2.RST, 0, 2 * i + 1, struct.pack('>I', 8))
        for i in range(300))


def graphs():
    """Returns GraphDefs that a server should refuse or handle with care, by name."""
    n, c = h2.node, h2.const
    deep = b''
    for _ in range(300):
        deep = pb((1, pb((10, pb((1, 'f'), (2, pb((1, 'a'), (2, deep))))))))
    yield 'not a message', b'\xff\xff\xff\xff'
    yield 'a node without a name', h2.graph(n('', 'NoOp'))
    yield 'an input of itself', h2.graph(n('a', 'Neg', ['a'], T=h2.FLOAT))
    yield 'a circle', h2.graph(n('a', 'Neg', ['b'], T=h2.FLOAT), n('b', 'Neg', ['a'], T=h2.FLOAT))
    yield 'an input that is not there', h2.graph(n('a', 'Neg', ['ghost'], T=h2.FLOAT))
    yield 'an output that is not there', h2.graph(c('c', 1.), n('a', 'Neg', ['c:7'], T=h2.FLOAT))
    yield 'a huge output number', h2.graph(c('c', 1.), n('a', 'Neg', ['c:99999999999'], T=h2.FLOAT))
    yield 'a control input first', h2.graph(c('c', 1.), n('a', 'Neg', ['^c', 'c'], T=h2.FLOAT))
    yield 'twice the same name', h2.graph(c('c', 1.), c('c', 2.))
    yield 'a type that is none', h2.graph(c('c', 1.), n('a', 'Neg', ['c'], T=pb((6, 77))))
    yield 'no type', h2.graph(c('c', 1.), n('a', 'Neg', ['c']))
    yield 'a constant larger than the machine', h2.graph(n('c', 'Const', dtype=h2.FLOAT, value=pb((8, pb(
        (1, 1), (2, pb(*[(2, pb((1, 1 << 20)))] * 3)), (4, b'abcd'))))))
    yield 'a constant of a negative size', h2.graph(n('c', 'Const', dtype=h2.FLOAT, value=pb((8, pb(
        (1, 1), (2, pb((2, pb((1, -5))))), (4, b'abcd'))))))
    yield 'a splat larger than the machine', h2.graph(n('c', 'Const', dtype=h2.FLOAT, value=pb((8, pb(
        (1, 1), (2, pb(*[(2, pb((1, 1 << 20)))] * 2)), (5, b'\0\0\0\0'))))))
    yield 'a device that is none', h2.graph(c('c', 1., device='/nowhere:x'))
    yield 'nested', h2.graph(n('a', 'NoOp', f=deep))
    yield 'a name of bytes', h2.graph(n('\0\x1b[31m', 'NoOp'))


class Fuzz:
    def __init__(self, tensh, seed):
        self.random = random.Random(seed)
        self.tensh = tensh
        self.process = subprocess.Popen([tensh, 'serve', '--port', '0'], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=ENV)
        self.port = int(self.process.stdout.readline().decode().rsplit(':', 1)[1])
        self.counts = {}

    def connect(self, **kw):
        return Client(self.port, timeout=10, **kw)

    def alive(self, after):
        if self.process.poll() is not None:
            sys.exit('the server ended with %s after %s\n%s' % (self.process.returncode, after,
                                                                self.process.stderr.read().decode()[-2000:]))
        client = self.connect()
        handle = client.session(h2.graph(h2.const('a', 1., 2.)))
        response = client.run(handle, ['a:0'])
        client.call('CloseSession', pb((1, handle)))
        client.close()
        if struct.pack('<2f', 1., 2.) not in response:
            sys.exit('a wrong answer after %s: %r' % (after, response))

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def raw(self, data):
        with socket.create_connection(('127.0.0.1', self.port), timeout=5) as s:
            try:
                s.sendall(data)
                s.settimeout(0.05)
                while s.recv(65536):
                    pass
            except OSError:
                pass

    def call(self, client, method, message, service):
        """Returns true while the connection is usable."""
        try:
            client.call(method, message, service, headers=[('grpc-timeout', '2S')])
            self.count('answered')
        except Failed as e:
            self.count('code %d' % e.code)
        except (EOFError, OSError):
            self.count('closed')
            return False
        return True

    def seeds(self, client):
        """Returns a message for each method that its service accepts."""
        graph = h2.graph(h2.const('a', 1., 2.), h2.node('b', 'Neg', ['a'], T=h2.FLOAT))
        placed = h2.graph(h2.const('a', 1., 2., device=DEVICE), h2.node('b', 'Neg', ['a'], DEVICE, T=h2.FLOAT))
        handle = client.session(graph)
        callable_of = pb((2, 'b:0'))
        client.call('CreateWorkerSession', pb((1, 'w')), 'WorkerService')
        part = h2.field(client.call('RegisterGraph', pb((1, 'w'), (2, placed), (6, 1)), 'WorkerService'), 1).decode()
        tensor = pb((1, 1), (2, pb((2, pb((1, 2))))), (4, struct.pack('<2f', 3., 4.)))
        key = ';'.join([DEVICE, '0' * 16, DEVICE, 'edge_1_a', '0:0'])
        return {
            'CreateSession': pb((1, graph), (2, pb((7, 1), (11, 500)))),
            'ExtendSession': pb((1, handle), (2, h2.graph(h2.const('c', 5.))), (3, 0)),
            'RunStep': pb((1, handle), (2, pb((1, 'a:0'), (2, tensor))), (3, 'b:0'), (4, 'b'), (5, pb((1, 3), (2, 500), (5, 1))), (7, 1), (8, 3)),
            'PartialRunSetup': pb((1, handle), (2, 'a:0'), (3, 'b:0')),
            'CloseSession': pb((1, handle)), 'ListDevices': pb((1, handle)), 'Reset': pb((1, 'c')),
            'MakeCallable': pb((1, handle), (2, callable_of)), 'RunCallable': pb((1, handle), (2, 1), (3, tensor)),
            'ReleaseCallable': pb((1, handle), (2, 1)), 'GetStatus': b'',
            'CreateWorkerSession': pb((1, 'w'), (2, pb((2, 'localhost'), (3, 0))), (5, 'm'), (6, 4)),
            'DeleteWorkerSession': pb((1, 'w')), 'RegisterGraph': pb((1, 'w'), (2, placed), (6, 1)),
            'DeregisterGraph': pb((1, part), (2, 'w'), (3, 1)),
            'RunGraph': pb((1, part), (2, 9), (3, pb((1, key), (2, tensor))), (4, key), (5, pb((3, 1))), (8, 'w'), (9, 1), (10, 1)),
            'CleanupGraph': pb((1, 9)), 'CleanupAll': pb((1, 'c')), 'RecvTensor': pb((1, 9), (2, key), (7, 5)),
            'Logging': pb((1, 1), (3, 9)), 'Tracing': b'', 'MarkRecvFinished': pb((1, 5))}

    def mutate(self, message):
        r = self.random
        data = bytearray(message)
        for _ in range(r.choice([1, 1, 2, 5, 20])):
            kind = r.randrange(6)
            at = r.randrange(len(data) + 1)
            if kind == 0 and data:
                data[at % len(data)] = r.randrange(256)
            elif kind == 1 and data:
                data[at % len(data)] ^= 1 << r.randrange(8)
            elif kind == 2:
                data[at:at] = bytes(r.randrange(256) for _ in range(r.randrange(1, 9)))
            elif kind == 3:
                del data[at:at + r.randrange(1, 9)]
            elif kind == 4:
                data[at:at] = data[r.randrange(len(data) + 1):][:40]
            else:
                data[at:at] = h2.varint(r.choice([2 ** 31 - 1, 2 ** 32, 2 ** 63 - 1, 2 ** 64 - 1, 0]))
        return bytes(data)

    def run(self, count):
        for name, data in frames():
            self.raw(data)
            self.alive(name)
        client = self.connect()
        for name, graph in graphs():
            for method, message, service in (('CreateSession', pb((1, graph)), 'MasterService'),
                                             ('RegisterGraph', pb((1, 'w'), (2, graph), (6, 1)), 'WorkerService')):
                if not self.call(client, method, message, service):
                    client = self.connect()
            self.alive(name)
        for method in MASTER + WORKER:
            service = 'MasterService' if method in MASTER else 'WorkerService'
            for message in (b'', b'\xff' * 50, pb((1, 'nobody'), (2, 1)), pb((1, '\0' * 100)), pb((1, 'x' * 100000))):
                if not self.call(client, method, message, service):
                    client = self.connect()
        self.alive('messages of nobody')
        messages = self.seeds(client)
        for i in range(count):
            if i % 50 == 0:
                messages = self.seeds(client)
            method = self.random.choice(MASTER + WORKER)
            message = self.mutate(messages[method])
            if not self.call(client, method, message, 'MasterService' if method in MASTER else 'WorkerService'):
                client = self.connect()
                messages = self.seeds(client)
            if self.random.random() < 0.1:
                self.raw(PREFACE + frame(SETTINGS, 0, 0) + self.mutate(
                    frame(HEADERS, 4, 1, header_block()) + frame(DATA, 1, 1, b'\0\0\0\0\0')))
            if i % 50 == 49:
                self.alive('%d mutations, the last of %s: %r' % (i + 1, method, message))
        self.alive('all')

    def stop(self):
        self.process.terminate()
        code = self.process.wait(30)
        self.process.stdout.close()
        self.process.stderr.close()
        if code != 0:
            sys.exit('the server ended with %s when told to' % code)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=200)
    options = parser.parse_args()
    fuzz = Fuzz(os.path.abspath(options.tensh), options.seed)
    begin = time.time()
    try:
        fuzz.run(options.count)
        fuzz.stop()
    finally:
        if fuzz.process.poll() is None:
            fuzz.process.kill()
    print('seed %d: %.1f s, %s' % (options.seed, time.time() - begin,
                                   ', '.join('%s %d' % each for each in sorted(fuzz.counts.items()))))


if __name__ == '__main__':
    main()
