#!/usr/bin/env python3
"""Checks the log folders of `trace save FOLDER/` and of tf.summary.FileWriter against `explain analyze --json`: the
placed graph with its Sends and Recvs, the times and the memory of its nodes, and the timelines.

    tensorboard_test.py --tensh build/tensh

$TENSH_TF_PYTHON names a Python with TensorFlow, whose protobuf classes then read the files, too.
"""
import argparse
import glob
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

TENSH = ''
TF_PYTHON = os.environ.get('TENSH_TF_PYTHON', '')
PROGRAM = '''
with tf.device('/cpu:0'): a = tf.constant([1., 2.], name='layer/a')
x = tf.placeholder(tf.float32, [2], name='x')
with tf.device('/cpu:1'): h = tf.add(a, x, name='layer/h')
y = tf.reduce_sum(h * h, name='y')
n = tf.while_loop(lambda i: i < 5, lambda i: i + 1, [0], name='w')
unused = tf.exp(a, name='unused')
'''
READ = '''
import json, os, sys
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import tensorflow as tf
from tensorflow.tsl.profiler.protobuf import xplane_pb2
out = {'nodes': {}, 'stats': {}, 'lines': {}}
for path in sys.argv[1:]:
    if path.endswith('.xplane.pb'):
        plane = xplane_pb2.XSpace.FromString(open(path, 'rb').read()).planes[0]
        for line in plane.lines:
            out['lines'][line.name] = [plane.event_metadata[e.metadata_id].name for e in line.events]
        continue
    for event in tf.compat.v1.train.summary_iterator(path):
        if event.WhichOneof('what') == 'graph_def':
            graph = tf.compat.v1.GraphDef.FromString(event.graph_def)
            out['nodes'] = {n.name: [n.op, list(n.input), n.device] for n in graph.node}
        if event.WhichOneof('what') == 'tagged_run_metadata':
            out['tag'] = event.tagged_run_metadata.tag
            metadata = tf.compat.v1.RunMetadata.FromString(event.tagged_run_metadata.run_metadata)
            for device in metadata.step_stats.dev_stats:
                for n in device.node_stats:
                    out['stats'].setdefault(n.node_name, []).append(
                        [device.device, n.all_end_rel_micros, sum(m.total_bytes for m in n.memory)])
print('JSON' + json.dumps(out))
'''


def fields(message):
    """Yields the fields of a protocol-buffer message: (number, value)."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(message):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        else:
            size = 8 if tag & 7 == 1 else 4 if tag & 7 == 5 else varint()
            yield tag >> 3, message[at:at + size]
            at += size


def several(message, number):
    return [value for field, value in fields(message) if field == number]


def text(message, number):
    return several(message, number)[0].decode() if several(message, number) else ''


def read(paths):
    """The same as READ, without TensorFlow."""
    out = {'nodes': {}, 'stats': {}, 'lines': {}}
    for path in paths:
        with open(path, 'rb') as file:
            data = file.read()
        if path.endswith('.xplane.pb'):
            plane = several(data, 1)[0]
            names = {several(e, 1)[0]: text(several(e, 2)[0], 2) for e in several(plane, 4)}
            for line in several(plane, 3):
                out['lines'][text(line, 2)] = [names[several(e, 1)[0]] for e in several(line, 4)]
            continue
        at = 0
        while at < len(data):
            size = struct.unpack_from('<Q', data, at)[0]
            event = data[at + 12:at + 12 + size]
            at += size + 16
            for graph in several(event, 4):
                out['nodes'] = {text(n, 1): [text(n, 2), [i.decode() for i in several(n, 3)], text(n, 4)] for n in several(graph, 1)}
            for tagged in several(event, 8):
                out['tag'] = text(tagged, 1)
                for device in several(several(several(tagged, 2)[0], 1)[0], 1):
                    for n in several(device, 2):
                        total = sum(sum(several(m, 2)) for m in several(n, 6))
                        out['stats'].setdefault(text(n, 1), []).append([text(device, 1), sum(several(n, 5)), total])
    return out


class TensorBoard(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def run_tensh(self, script):
        done = subprocess.run([TENSH], input=PROGRAM + script, capture_output=True, text=True, cwd=self.folder.name, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        return done.stdout

    def files(self, folder):
        return sorted(glob.glob(os.path.join(self.folder.name, folder, '**', '*.*'), recursive=True))

    def read_all(self, folder):
        files = self.files(folder)
        found = read(files)
        if TF_PYTHON:
            done = subprocess.run([TF_PYTHON, '-c', READ, *files], capture_output=True, text=True, timeout=300)
            self.assertEqual(json.loads(done.stdout.split('JSON')[1]), found, done.stderr)
        return found

    def line(self, found, device):
        """The events of a device in the timelines."""
        lines = [events for name, events in found['lines'].items() if name.endswith(' ' + device)]
        self.assertEqual(len(lines), 1, found['lines'])
        return lines[0]

    def check(self, found, report, loops):
        """Compares a folder with the report of the same program."""
        devices = {n['name']: n['device'] for n in report['nodes'] if n['state'] != 'pruned'}
        placed = {name: device for name, (op, _, device) in found['nodes'].items() if op not in ('_Send', '_Recv')}
        self.assertEqual(placed, devices)
        sends = sorted(name for name, (op, _, _) in found['nodes'].items() if op == '_Send')
        recvs = sorted(name for name, (op, _, _) in found['nodes'].items() if op == '_Recv')
        self.assertEqual((len(sends), len(recvs)), (len(report['transfers']),) * 2)
        for send, recv in zip(sends, recvs):
            self.assertEqual(found['nodes'][recv][1], ['^' + send])
            self.assertNotEqual(found['nodes'][recv][2], found['nodes'][send][2])
        # Every input exists, and none comes from another device except through a Recv.
        for name, (op, inputs, device) in found['nodes'].items():
            for each in inputs:
                producer = found['nodes'][each.lstrip('^').split(':')[0]]
                self.assertTrue(producer[2] == device or op == '_Recv', name)
        for name, rows in found['stats'].items():
            self.assertIn(name, found['nodes'])
            for device, us, _ in rows:
                self.assertEqual(device, found['nodes'][name][2])
                self.assertGreaterEqual(us, 1)
        self.assertEqual(found['stats']['layer/h'][0][2], 8)
        self.assertTrue(set(sends + recvs + ['layer/h', 'mul', 'y']) <= set(found['stats']))
        self.assertEqual(len(found['stats'].get('w/add', [])), loops)

    def test_a_traced_step(self):
        out = self.run_tensh('explain analyze y, n feed x=[1., 2.] --json\ntrace save logs/\n')
        found = self.read_all('logs')
        self.check(found, json.loads(out), 5)
        self.assertEqual(found['tag'], 'y, n feed x=[1., 2.]')
        self.assertIn('layer/h:AddV2', self.line(found, 'cpu:1'))

    def test_recorded_steps(self):
        out = self.run_tensh('explain y feed x=[1., 2.] --json\ntrace on\nrun y feed x=[1., 2.] times 3\ntrace off\n'
                             'trace save logs/\n')
        found = self.read_all('logs')
        self.check(found, json.loads(out.rpartition('\n')[0].rpartition('\n')[0]), 0)
        self.assertEqual(self.line(found, 'cpu:0').count('y:Sum'), 3)

    def test_run_metadata_of_a_script(self):
        self.run_tensh('''
sess = tf.Session(config=tf.ConfigProto(device_count={'CPU': 2}))
writer, metadata = tf.summary.FileWriter('logs', sess.graph), tf.RunMetadata()
_ = sess.run(y, {x: [1., 2.]}, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
writer.add_run_metadata(metadata, 'first', 7)
try: writer.add_run_metadata(metadata, 'first')
except ValueError: pass
else: raise SystemExit(1)
writer.close()
''')
        found = self.read_all('logs')
        self.assertEqual(found['tag'], 'first')
        self.assertIn('unused', found['nodes'])
        self.assertEqual(found['stats']['layer/h'][0][2], 8)

    def test_errors(self):
        script = PROGRAM + 'trace save logs/\n'
        done = subprocess.run([TENSH], input=script, capture_output=True, text=True, cwd=self.folder.name, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn('no step has been traced yet', done.stderr)
        self.assertEqual(self.files('logs'), [])
        script = PROGRAM + 'explain analyze n --stage 1\ntrace save /proc/none/\n'
        done = subprocess.run([TENSH], input=script, capture_output=True, text=True, cwd=self.folder.name, timeout=60)
        self.assertIn('cannot create /proc/none', done.stderr)


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    options, rest = parser.parse_known_args()
    TENSH = os.path.abspath(options.tensh)
    unittest.main(argv=sys.argv[:1] + rest)
