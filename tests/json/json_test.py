#!/usr/bin/env python3
"""Checks that the output of verbs with --json matches docs/json.md field by field, and that --csv has the same
columns.

    json_test.py --tensh build/tensh
"""
import argparse
import csv
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DOC = os.path.join(HERE, '..', '..', 'docs', 'json.md')
SETUP = '''learn 1
learn check
learn skip
learn quit
with tf.device("/cpu:0"): a = tf.constant([1., 2.], name="a")
x = tf.placeholder(tf.float32, [2], name="x")
u = tf.placeholder(tf.float32, name="u")
with tf.device("/cpu:1"): add = tf.add(a, x, name="add")
v = tf.Variable([1., 2.], name="v")
run v.initializer
mul = tf.multiply(add, v, name="mul")
n = tf.while_loop(lambda i: i < 5, lambda i: tf.while_loop(lambda j: j <= i, lambda j: j + 1, [i], name="w"), [0], name="w")
c = tf.cond(a[0] < 0., lambda: tf.exp(a), lambda: tf.log(a), name="c")
s = tf.Session(config=tf.ConfigProto(allow_soft_placement=True, device_count={"CPU": 2}))
with tf.device("/gpu:0"): g = tf.exp(a, name="g")
pf = tf.py_func(lambda t: t, [-x], tf.float32, name="pf")
pg = tf.exp(pf, name="pg")
def grow(t): return tf.while_loop(lambda j, t: j < 60, lambda j, t: (j + 1, t * t), [0, t], name="w2")[1]
w2 = tf.while_loop(lambda i, t: i < 2, lambda i, t: (i + 1, grow(t)), [0, tf.constant(2.)], name="w2")[1]
p = tf.placeholder(tf.float32, [256, 64], name="p")
weights = tf.Variable(tf.ones([64, 64]), name="weights")
r = tf.nn.relu(tf.matmul(p, weights), name="r")
train = tf.train.GradientDescentOptimizer(0.1).minimize(r)
run weights.initializer
q = tf.Variable(tf.cast(tf.range(64), tf.int8), name="q")
scaled = tf.cast(tf.minimum(tf.maximum(tf.cast(q, tf.float64) * 0.5 + 3., -128.), 127.), tf.int8, name="scaled")
two = tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=2))
m1, m2 = [tf.Variable(k * tf.eye(64)) for k in (2., 3.)]
run m1.initializer, m2.initializer on two
wide = tf.matrix_inverse(m1) + tf.matrix_inverse(m2)
run wide times 8 on two
open %s as f
''' % os.path.join(HERE, '..', 'golden', 'shell', 'data', 'functions.pb')
# The section of a verb and the command to run. Together, the runs show every field.
RUNS = [
    ('explain', 'explain mul feed x=0. --json'),
    ('explain', 'explain mul feed add=0. --json'),
    ('explain', 'explain mul --json'),
    ('explain', 'explain pg --json'),
    ('explain', 'explain g on s --json'),
    ('explain', 'explain scaled --json'),
    ('explain', 'explain wide on two --json'),
    ('explain', 'explain tf.exp(-u) feed u=[1.] --json'),
    ('explain', 'explain tf.reshape(u, tf.shape(u) + 0) feed u=[1.] --json'),
    ('explain', 'explain analyze train feed p=[[1.] * 64] * 256 --json'),
    ('explain', 'explain analyze f/y feed f/x=2. --json'),
    ('explain', 'explain analyze mul, n, c feed x=[3., 4.] --json'),
    ('graph', 'graph --json'),
    ('nodes', 'nodes --json'),
    ('edges', 'edges --json'),
    ('transfers', 'transfers --json'),
    ('events', 'events --json'),
    ('vars', 'vars --json'),
    ('devices', 'devices --json'),
    ('sessions', 'sessions --json'),
    ('graphs', 'graphs --json'),
    ('history', 'history --json'),
    ('why', 'why add --json'),
    ('learn export', 'learn export'),
    ('why', 'why nan tf.log(a * u) feed u=[-1., 0.] times 2 --json'),
    ('why', 'why nan tf.exp(u) feed u=[1., float("nan")] --json'),
    ('why', 'why inf tf.gradients(tf.sqrt(u), u)[0] feed u=[0.] times 3 --json'),
    ('why', 'why nan u * tf.log(u) feed u=[0.] --json'),
    ('why', 'why inf w2 --json'),
    ('why', 'why inf n --json'),
]
TABLES = ('nodes', 'edges', 'transfers', 'events', 'vars', 'history')
ANY = ['ops MatMul --json', 'profile --json', 'set --json', 'eval mul feed x=[3., 4.] --json', 'run mul feed x=[3., 4.] --json',
       'eval {"a": [1, None, float("nan")]} --json']


def documented():
    """Returns section: {path: sometimes}. 'gpu' marks fields that exist only with a GPU (tests/gpu)."""
    sections, section = {}, None
    with open(DOC, encoding='utf-8') as f:
        for line in f:
            if line.startswith('## '):
                section = sections.setdefault(line[3:].strip(), {})
            match = re.match(r'\* `([^`]+)`', line)
            if match:
                section[match.group(1)] = 'gpu' if line.endswith('*sometimes*: on a GPU\n') else '*sometimes*' in line
    return sections


def paths(value, path=''):
    if isinstance(value, dict):
        return {p for k, v in value.items() for p in paths(v, (path + '.' if path else '') + k)}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return {p for v in value for p in paths(v, path + '[]')}
    return {path}


def collapse(found):
    """Removes the path of an empty list, which says nothing about its elements."""
    return {p for p in found if not any(q.startswith(p + '[]') for q in found)}


def run(tensh, lines):
    """Returns the output of each line."""
    text = SETUP + ''.join('print("\\x01")\n%s\n' % line for line in lines)
    done = subprocess.run([tensh], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    if done.returncode:
        sys.exit('exit %d\n%s' % (done.returncode, done.stderr.decode()))
    return done.stdout.decode().split('\x01\n')[1:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    tensh = os.path.abspath(parser.parse_args().tensh)
    wrong, found, doc = [], {}, documented()
    printed = run(tensh, [command for _, command in RUNS] + ANY + [t + ' --csv' for t in TABLES])
    for (section, command), text in zip(RUNS, printed):
        document = json.loads(text)
        found[section] = collapse(found.get(section, set()) | paths(document))
        for path, sometimes in doc[section].items():
            inside = any(p.startswith(path.split('[]')[0]) for p in paths(document))
            if path not in paths(document) and not sometimes and '[]' not in path or not inside and not sometimes:
                wrong.append('%s: no %s' % (command, path))
    for section in doc:
        wrong += ['%s: docs/json.md lacks %s' % (section, p) for p in sorted(found[section] - set(doc[section]))]
        wrong += ['%s: %s never appears' % (section, p) for p in sorted(set(doc[section]) - found[section])
                  if doc[section][p] != 'gpu']
    for command, text in zip(ANY, printed[len(RUNS):]):
        for line in [text] if text.lstrip()[:1] in '[{' else text.splitlines():
            json.loads(line)
    for table, text in zip(TABLES, printed[len(RUNS) + len(ANY):]):
        columns = next(csv.reader(text.splitlines()))
        if {'[].' + c for c in columns} != found[table]:
            wrong.append('%s --csv has %s, --json %s' % (table, columns, sorted(found[table])))
    if wrong:
        sys.exit('\n'.join(wrong))
    print('json: %d documents as documented' % len(RUNS))


if __name__ == '__main__':
    main()
