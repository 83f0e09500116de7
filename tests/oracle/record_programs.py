#!/usr/bin/env python3
"""Records TensorFlow's results for the programs of programs_*.py in programs/<Op>.json.

    python tests/oracle/record_programs.py [OP ...] [--seed N] [--out FOLDER]
"""
import argparse
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from cases import Maker
from programs_data import DATA
from programs_flow import FLOW
from programs_lists import LISTS
from programs_old import OLD
from programs_sparse import SPARSE_PROGRAMS
from programs_state import STATE_PROGRAMS
from programs_streams import STREAM_PROGRAMS
from programs_train import TRAIN
from workers import in_workers

OPS = {**TRAIN, **STATE_PROGRAMS, **FLOW, **LISTS, **DATA, **OLD, **SPARSE_PROGRAMS, **STREAM_PROGRAMS}


MOST = 32
ROUNDS = 40


def programs(op, seed, most=MOST):
    """Returns the rows of an op: programs of its generator that contain the op, spread evenly. If there are too few,
    adds more of them with other values."""
    rows, seen, begin = [], set(), 0
    for again in range(ROUNDS):
        for program in OPS[op](Maker(op, seed + 1000 * again)):
            row = program.row()
            key = json.dumps(row)
            if key not in seen and any(n[1] == op for n in row['nodes']):
                seen.add(key)
                rows.append(row)
        if len(rows) >= most or len(rows) == begin:
            break
        begin = len(rows)
    if len(rows) <= most:
        return rows
    return [rows[i * len(rows) // most] for i in range(most)]


def record(op, seed, out, most=MOST):
    import program_tf
    from record import write
    rows = []
    for row in programs(op, seed, most):
        row.update(program_tf.run(op, row))
        shapes = program_tf.infer(op, row)
        if shapes:
            row['shapes'] = shapes
        rows.append(row)
    write(os.path.join(out, 'programs'), op, rows)
    errors = sum('error' in r or any('error' in o for o in r['out'] if isinstance(o, dict)) for r in rows)
    print('%-36s %4d programs, %3d with errors' % (op, len(rows), errors), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('op', nargs='*')
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--out', default=HERE)
    parser.add_argument('--cases', type=int, default=MOST)
    parser.add_argument('--here', action='store_true', help='in this process')
    options = parser.parse_args()
    ops = [op for op in options.op or OPS if op in OPS]
    if options.here:
        for op in ops:
            record(op, options.seed, options.out, options.cases)
        return
    in_workers(__file__, ['--seed', str(options.seed), '--out', options.out, '--cases', str(options.cases)], ops)


if __name__ == '__main__':
    main()
