#!/usr/bin/env python3
"""Checks that `explain` agrees with TensorFlow on random graphs: the same nodes survive pruning, and the same values
are sent between devices. TensorFlow's decisions are in recorded.json (see record.py), so the test does not need
TensorFlow.

    agree_test.py --tensh build/tensh [--recorded FILE]
"""
import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def script(records):
    lines = ['import numpy as np']
    for record in records:
        lines.append('tf.reset_default_graph()')
        lines += record['lines']
        feed = ', '.join('%s=0.' % name for name in record['feeds'])
        lines.append('explain %s%s --json' % (', '.join(record['fetches']), ' feed ' + feed if feed else ''))
    return '\n'.join(lines) + '\n'


def stages(report):
    runs = [n['name'] for n in report['nodes'] if n['state'] != 'pruned' and n.get('reason') != 'feed arrives here']
    return sorted(runs), sorted([t['tensor'], t['from'], t['to']] for t in report['transfers'])


def differences(record, report):
    """Returns a list of differences."""
    runs, sent = stages(report)
    wrong = []
    for what, ours, theirs in (('runs', runs, record['runs']),
                               ('is sent', sent, [list(s) for s in record['sent']])):
        wrong += ['%s %s in TensorFlow only' % (t, what) for t in theirs if t not in ours]
        wrong += ['%s %s in tensh only' % (t, what) for t in ours if t not in theirs]
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--recorded', default=os.path.join(HERE, 'recorded.json'))
    options = parser.parse_args()
    with open(options.recorded) as f:
        records = json.load(f)
    done = subprocess.run([os.path.abspath(options.tensh), '--cpus', '3'], input=script(records).encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    if done.returncode != 0:
        sys.exit('exit %d\n%s' % (done.returncode, done.stderr.decode()))
    reports = [json.loads(line) for line in done.stdout.decode().splitlines()]
    if len(reports) != len(records):
        sys.exit('%d reports of %d graphs' % (len(reports), len(records)))
    bad = 0
    for number, (record, report) in enumerate(zip(records, reports)):
        wrong = differences(record, report)
        if not wrong:
            continue
        bad += 1
        if bad <= 5:
            print('graph %d: fetch %s, feed %s\n  %s\n%s' % (number, record['fetches'], record['feeds'], '\n  '.join(wrong),
                                                          '\n'.join(record['lines'])))
    if bad:
        sys.exit('%d of %d graphs differ' % (bad, len(records)))
    print('agree: %d graphs, %d nodes, %d values sent, as in TensorFlow' % (
        len(records), sum(len(r['runs']) for r in records), sum(len(r['sent']) for r in records)))


if __name__ == '__main__':
    main()
