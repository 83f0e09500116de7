#!/usr/bin/env python3
"""Checks the output of `trace save` against the rules of Chrome's trace event format, on random graphs over random
devices: events nest, flows join a Send to its Recv, and the slices of a device never overlap. Also checks that the
numbers of `explain analyze` are consistent, including graphs with loops, branches and functions: every moment of a
device is compute, wait or idle time, which sum up to the step; each transfer carries its tensor's bytes over a cut
edge; and the partitions contain the nodes that run.

    trace_test.py --tensh build/tensh [--seed N]
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GRAPHS, REPORTS = 6, 60
REQUIRED = {'M': {'name', 'pid', 'args'}, 'X': {'name', 'cat', 'pid', 'tid', 'ts', 'dur'},
            's': {'name', 'cat', 'pid', 'tid', 'ts', 'id'}, 'f': {'name', 'cat', 'pid', 'tid', 'ts', 'id', 'bp'}}


def script(rng, path):
    lines = ['import numpy as np']
    count = rng.randint(3, 25)
    for i in range(count):
        device = rng.choice(['/cpu:0', '/cpu:1', '/cpu:2'])
        make = 'tf.constant(np.ones([%d, %d], np.float32))' % (8, 8)
        if i > 0:
            a, b = rng.randrange(i), rng.randrange(i)
            make = rng.choice(['n%d + n%d', 'tf.matmul(n%d, n%d)', 'n%d * n%d']) % (a, b)
        lines.append('with tf.device("%s"): n%d = %s' % (device, i, make))
    lines += ['trace on', 'sess = tf.Session(config=tf.ConfigProto(device_count={"CPU": 3}))',
              'for i in range(5): sess.run(n%d)' % (count - 1), 'trace off', 'trace save %s' % path]
    return '\n'.join(lines) + '\n'


def check(document):
    """Returns a list of problems."""
    wrong = []
    events = document['traceEvents']
    names, slices, flows = set(), {}, {}
    for e in events:
        missing = REQUIRED.get(e.get('ph'), {'ph'}) - set(e)
        if e.get('ph') not in REQUIRED or missing:
            wrong.append('%s lacks %s' % (e, sorted(missing)))
            continue
        if e['ph'] == 'M' and e['name'] == 'process_name':
            names.add(e['pid'])
        if e['ph'] == 'X':
            if e['dur'] < 0:
                wrong.append('a slice ends before it begins: %s' % e)
            slices.setdefault((e['pid'], e['tid']), []).append(e)
        if e['ph'] in 'sf':
            flows.setdefault(e['id'], {}).setdefault(e['ph'], []).append(e)
    for lane, lane_slices in slices.items():
        if lane[0] not in names:
            wrong.append('process %s has no name' % lane[0])
        lane_slices.sort(key=lambda e: (e['ts'], -e['dur']))
        for before, after in zip(lane_slices, lane_slices[1:]):
            if after['ts'] + 1e-6 < before['ts'] + before['dur']:
                wrong.append('overlap on %s: %s and %s' % (lane, before, after))
    for flow_id, ends in flows.items():
        if len(ends.get('s', [])) != 1 or len(ends.get('f', [])) != 1:
            wrong.append('flow %s has ends %s' % (flow_id, ends))
            continue
        start, finish = ends['s'][0], ends['f'][0]
        if start['pid'] == finish['pid'] or start['ts'] > finish['ts'] or start['name'] != finish['name']:
            wrong.append('flow %s joins %s and %s' % (flow_id, start, finish))
        for end, kind in ((start, 'send'), (finish, 'recv')):
            if not any(s['cat'] == kind and s['ts'] <= end['ts'] <= s['ts'] + s['dur']
                       for s in slices[(end['pid'], end['tid'])]):
                wrong.append('flow %s: no %s slice at %s' % (flow_id, kind, end['ts']))
    steps = [e for e in events if e.get('cat') == 'step']
    if len(steps) != 5:
        wrong.append('%d steps, not 5' % len(steps))
    for e in events:  # every event is inside a step
        if e['ph'] == 'X' and e['cat'] != 'step' and not any(
                s['ts'] - 1e-6 <= e['ts'] and e['ts'] + e['dur'] <= s['ts'] + s['dur'] + 1e-6 for s in steps):
            wrong.append('outside of the steps: %s' % e)
    return wrong


def explained(rng):
    lines = ['import numpy as np', 'x = tf.placeholder(tf.float32, [None, 4], name="x")']
    values = ['x']
    for i in range(rng.randint(2, 30)):
        a, b = rng.choice(values), rng.choice(values)
        make = rng.choice(['tf.add(%s, %s, name="%s")', 'tf.multiply(%s, %s, name="%s")']) % (a, b, 'n%d' % i)
        kind = rng.random()
        if kind < .2:
            make = 'tf.constant(np.ones([3, 4], np.float32), name="n%d")' % i
        elif kind < .27:
            make = ('tf.while_loop(lambda i, v: i < %d, lambda i, v: (i + 1, v + %s), [0, %s], '
                    'shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)])[1]') % (rng.randint(0, 4), b, a)
        elif kind < .34:
            make = 'tf.cond(tf.reduce_sum(%s) < %d., lambda: tf.exp(%s), lambda: tf.add(%s, %s))' % (
                a, rng.choice([-1, 10 ** 9]), a, b, b)
        device = rng.choice(['', '/cpu:0', '/cpu:1', '/cpu:2'])
        control = rng.choice(values[1:]) if len(values) > 1 and rng.random() < .2 else None
        with_control = 'tf.control_dependencies([%s])' % (control if control else '')
        lines.append('with tf.device(%r), %s: n%d = %s' % (device or None, with_control, i, make))
        values.append('n%d' % i)
    fed = rng.choice(values[1:]) if rng.random() < .3 else None
    feed = 'x=np.ones([3, 4])' + (', %s=np.ones([3, 4])' % fed if fed else '')
    lines.append('explain analyze %s feed %s --json' % (values[-1], feed))
    return '\n'.join(lines) + '\n'


def of_functions(name):
    """Explains a graph with functions that tests/functions recorded, while it runs."""
    base = os.path.join(HERE, '..', 'functions', 'graphs', name)
    with open(base + '.json') as f:
        case = json.load(f)
    lines = ['gd = tf.GraphDef()', 'f = open(%r, "rb")' % (base + '.pb'), 'gd.ParseFromString(f.read())',
             'tf.import_graph_def(gd, name="")', 'g = tf.get_default_graph()']
    lines += ['run g.get_operation_by_name(%r)' % op for op in case['inits']]
    feeds = ', '.join('g.get_tensor_by_name(%r)=%r' % item for item in sorted(case['feeds'].items()))
    fetches = ', '.join('g.get_tensor_by_name(%r)' % fetch for fetch in case['fetches'])
    lines.append('explain analyze %s%s --json' % (fetches, ' feed ' + feeds if feeds else ''))
    return '\n'.join(lines) + '\n'


def source_of(text):
    return text[1:] if text[0] == '^' else text.rsplit(':', 1)[0]


def add_up(report, sizes=(48,)):
    """Returns a list of problems. `sizes` are those of the values, or None for any."""
    wrong = []
    nodes = {n['name']: n for n in report['nodes']}
    runs = {name for name, n in nodes.items() if n['state'] in ('runs', 'fetch', 'target', 'unused', 'merged')}
    fed = {name for name, n in nodes.items() if n['state'] == 'fed'}
    arrive = {name for name, n in nodes.items() if n.get('reason') == 'feed arrives here'}
    listed = [n for p in report['partitions'] for n in p['nodes'] if not n.startswith(('send ', 'recv '))]
    if set(listed) != runs - arrive:
        wrong.append('partitions have %s, %s run' % (sorted(listed), sorted(runs)))
    if len(listed) != len(set(listed)):
        wrong.append('a node is in two partitions')
    moved = [n for p in report['partitions'] for n in p['nodes'] if n.startswith(('send ', 'recv '))]
    if len(moved) != 2 * len(report['transfers']):
        wrong.append('%d Sends and Recvs of %d transfers' % (len(moved), len(report['transfers'])))
    cut = set()
    for name in listed:
        for text in nodes[name]['inputs']:
            source = source_of(text)
            if nodes[source]['short_device'] != nodes[name]['short_device'] and not (text[0] == '^' and source in fed):
                cut.add((text, nodes[name]['short_device']))
    sent = [(t['tensor'], t['to']) for t in report['transfers']]
    if set(sent) != cut or len(sent) != len(cut):
        wrong.append('sent %s, cut %s' % (sorted(sent), sorted(cut)))
    for t in report['transfers']:
        wrong += bytes_of(t, nodes, sizes)
    wrong += times(report)
    return wrong


def bytes_of(t, nodes, sizes):
    source = nodes[source_of(t['tensor'])]
    # A node that runs only for its position in the order takes no values, and a branch that was not
    # taken has none.
    if t['tensor'][0] == '^' or all(nodes[c]['state'] == 'unused' for c in t['consumers']):
        sizes = (0,) + (sizes or ())
    elif source.get('not_taken') or source['op'] == 'Switch' or any(nodes[c].get('not_taken') for c in t['consumers']):
        sizes = (0,) + (sizes or ())
    if sizes is not None and t['bytes'] not in sizes and (source['dtype'], t['bytes']) not in (('bool', 1), ('f32', 4)):
        return ['%s has %s bytes, not %s' % (t['tensor'], t['bytes'], sizes)]
    return []


def times(report):
    wrong = []
    for p in report['partitions']:
        at, spent = 0, {'compute': 0, 'wait': 0, 'idle': 0}
        events = [e for e in report['steps'] if e['device'] == p['short_device']]
        for e in sorted(events, key=lambda e: (e['start_ns'], e['end_ns'])):
            if e['start_ns'] < at or e['end_ns'] < e['start_ns'] or e['end_ns'] > report['wall_ns']:
                wrong.append('%s: %s overlaps what ended at %d' % (p['device'], e, at))
            if e['kind'] == 'recv' and e['start_ns'] > at:
                wrong.append('%s was idle before %s, and no wait says why' % (p['device'], e))
            spent['idle'] += e['start_ns'] - at
            spent['wait' if e['kind'] == 'wait' else 'compute'] += e['end_ns'] - e['start_ns']
            at = e['end_ns']
        spent['idle'] += report['wall_ns'] - at
        if sum(spent.values()) != report['wall_ns'] or min(spent.values()) < 0:
            wrong.append('%s: %s is no step of %d ns' % (p['device'], spent, report['wall_ns']))
    return wrong


def explain(tensh, text, what, sizes):
    done = subprocess.run([tensh, '--cpus', '3'], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=120)
    if done.returncode != 0:
        sys.exit('%s: exit %d\n%s\n%s' % (what, done.returncode, done.stderr.decode(), text))
    wrong = add_up(json.loads(done.stdout.decode().splitlines()[-1]), sizes)
    if wrong:
        sys.exit('%s:\n%s\n%s' % (what, '\n'.join(wrong[:10]), text))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--seed', type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(GRAPHS):
            text = script(rng, 'trace.json')
            done = subprocess.run([os.path.abspath(options.tensh)], input=text.encode(), cwd=folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
            if done.returncode != 0:
                sys.exit('graph %d: exit %d\n%s\n%s' % (number, done.returncode, done.stderr.decode(), text))
            with open(os.path.join(folder, 'trace.json')) as f:
                wrong = check(json.load(f))
            if wrong:
                sys.exit('graph %d:\n%s\n%s' % (number, '\n'.join(wrong[:10]), text))
    print('traces: %d graphs as wanted' % GRAPHS)
    tensh = os.path.abspath(options.tensh)
    for number in range(REPORTS):
        explain(tensh, explained(rng), 'report %d' % number, (48,))
    names = sorted(f[:-5] for f in os.listdir(os.path.join(HERE, '..', 'functions', 'graphs')) if f.endswith('.json'))
    for name in names:
        explain(tensh, of_functions(name), name, None)
    print('reports: %d add up' % (REPORTS + len(names)))


if __name__ == '__main__':
    main()
