#!/usr/bin/env python3
"""How many recorded cases each op has, and which have fewer than thirty without a reason.

    python tests/oracle/coverage.py build/dev/tensh [--list]

Exit status 1 when an op has too few and none is listed below.
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LEAST = 30
FUNCTIONS = 'takes functions: tests/functions replays graphs recorded from TensorFlow'
GOLDEN = 'its values are not TensorFlow\'s to fix (time, anonymous names, the terminal, files): tests/golden'
FEW = 'has no more that differ'
REASONS = {
    **{op: FUNCTIONS for op in (
        'Case', 'FilterDataset', 'FlatMapDataset', 'For', 'If', 'MapDataset', 'OneShotIterator', 'ParallelMapDataset',
        'ParallelMapDatasetV2', 'PartitionedCall', 'ReduceDataset', 'RemoteCall', 'StatefulPartitionedCall', 'StatelessCase',
        'StatelessIf', 'StatelessWhile', 'SymbolicGradient', 'While', 'FakeParam', 'DeviceIndex')},
    **{op: GOLDEN for op in (
        'AnonymousHashTable', 'AnonymousIterator', 'AnonymousIteratorV2', 'AnonymousMutableDenseHashTable',
        'AnonymousMutableHashTable', 'AnonymousMutableHashTableOfTensors', 'DummySeedGenerator', 'ImageSummary',
        'InitializeTableFromTextFileV2', 'MatchingFiles', 'MergeV2Checkpoints', 'ModelDataset', 'OptimizeDataset', 'PrintV2', 'Print',
        'RestoreV2', 'SaveV2', 'ShuffleDatasetV3', 'StatelessRandomGetAlg', 'TFRecordReaderV2', 'Timestamp', 'TensorListPushBackBatch')},
    **{op: FEW for op in (
        'ControlTrigger', 'IdentityReaderV2', 'FixedLengthRecordReaderV2', 'LoopCond', 'NoOp', 'Placeholder', 'RangeDataset',
        'TensorArrayCloseV3', 'TextLineReaderV2', 'Variable', 'VariableV2', 'WholeFileReaderV2', 'RefNextIteration')},
}


def count(op):
    total = 0
    for folder in ('values', 'types', 'programs'):
        path = os.path.join(HERE, folder, op + '.json')
        if os.path.exists(path):
            total += len(json.load(open(path))['cases'])
    return total


def main():
    ops = [o['name'] for o in json.loads(subprocess.run([sys.argv[1], '-c', 'ops --json'], capture_output=True, check=True).stdout)]
    counts = {op: count(op) for op in ops if not op.startswith('_')}
    few = {op: n for op, n in counts.items() if n < LEAST}
    bad = [op for op in few if op not in REASONS]
    if '--list' in sys.argv:
        for op, n in sorted(counts.items()):
            print('%-40s %5d  %s' % (op, n, REASONS.get(op, '') if n < LEAST else ''))
    for op in bad:
        print('%s has %d recorded cases of %d and no reason (tests/oracle/coverage.py)' % (op, few[op], LEAST))
    print('%d ops, %d cases; %d have fewer than %d, %d of them for a listed reason' % (
        len(counts), sum(counts.values()), len(few), LEAST, len(few) - len(bad)))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
