#!/usr/bin/env python3
"""How many recorded cases each op has, and which have fewer than thirty without a reason.

    python tests/oracle/coverage.py build/dev/tensh [--list] [--write]

--write puts the counts into README.md. Exit status 1 when an op has too few and none is listed below.
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
REMOVED = 'TensorFlow 2 makes no graph with it any more (OpDef.deprecation); those of old files run'
UNREAD = 'TensorFlow 2 makes no graph with the readers that it reads any more: tests/golden/shell/names_before_two.tsh'
CRASHES = 'its programs, recorded with the other ops of lists, end TensorFlow where they are its own'
ABSENT = 'TensorFlow has no kernel of it on the CPU'
REASONS = {
    **{op: FUNCTIONS for op in (
        'Case', 'FilterDataset', 'FlatMapDataset', 'For', 'If', 'MapDataset', 'OneShotIterator', 'ParallelMapDataset',
        'ParallelMapDatasetV2', 'PartitionedCall', 'ReduceDataset', 'RemoteCall', 'StatefulPartitionedCall', 'StatelessCase',
        'StatelessIf', 'StatelessWhile', 'SymbolicGradient', 'While', 'FakeParam', 'DeviceIndex',
        'InterleaveDataset', 'ParallelInterleaveDatasetV2', 'ParallelInterleaveDatasetV3', 'ParallelInterleaveDatasetV4', 'WindowDataset',
        'ParallelInterleaveDataset', 'GroupByReducerDataset', 'GroupByWindowDataset', 'MapAndBatchDataset', 'ScanDataset', 'TakeWhileDataset')},
    'AssertNextDataset': 'its elements are those of its input; TensorFlow checks what its optimiser made of the graph',
    **{op: GOLDEN for op in (
        'AnonymousHashTable', 'AnonymousIterator', 'AnonymousIteratorV2', 'AnonymousMutableDenseHashTable',
        'AnonymousMutableHashTable', 'AnonymousMutableHashTableOfTensors', 'DummySeedGenerator', 'ImageSummary',
        'InitializeTableFromTextFile', 'InitializeTableFromTextFileV2', 'MatchingFiles', 'MergeV2Checkpoints', 'ModelDataset', 'OptimizeDataset', 'PrintV2', 'Print',
        'RestoreV2', 'SaveV2', 'ShuffleDatasetV3', 'StatelessRandomGetAlg', 'TFRecordReaderV2', 'TensorSummary', 'Timestamp', 'TensorListPushBackBatch')},
    **{op: GOLDEN for op in (
        'CloseSummaryWriter', 'CreateSummaryFileWriter', 'FlushSummaryWriter', 'ImportEvent', 'SummaryWriter', 'WriteGraphSummary',
        'WriteHistogramSummary', 'WriteRawProtoSummary', 'WriteScalarSummary', 'WriteSummary')},
    **{op: REMOVED for op in (
        'Conv3DBackpropFilter', 'Conv3DBackpropInput', 'QuantizeAndDequantize', 'TensorArray', 'TensorArrayClose', 'TensorArrayCloseV2',
        'TensorArrayConcat', 'TensorArrayConcatV2', 'TensorArrayGather', 'TensorArrayGatherV2', 'TensorArrayGrad', 'TensorArrayGradV2',
        'TensorArrayPack', 'TensorArrayRead', 'TensorArrayReadV2', 'TensorArrayScatter', 'TensorArrayScatterV2', 'TensorArraySize',
        'TensorArraySizeV2', 'TensorArraySplit', 'TensorArraySplitV2', 'TensorArrayUnpack', 'TensorArrayV2', 'TensorArrayWrite',
        'TensorArrayWriteV2', 'TopK', 'TextLineReader', 'TFRecordReader', 'FixedLengthRecordReader', 'IdentityReader')},
    **{op: UNREAD for op in (
        'WholeFileReader', 'ReaderRead', 'ReaderReadUpTo', 'ReaderReset', 'ReaderNumRecordsProduced', 'ReaderNumWorkUnitsCompleted',
        'ReaderSerializeState', 'ReaderRestoreState')},
    'MaxPoolGradGradWithArgmax': ABSENT,
    **{op: CRASHES for op in ('TensorListFromTensor', 'TensorListGetItem', 'TensorListSetItem')},
    **{op: FEW for op in ('ReaderSerializeStateV2', 'ReaderRestoreStateV2')},
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


def listed_differences():
    with open(os.path.join(HERE, 'differences.txt')) as f:
        return sum(not line.startswith('#') for line in f)


def write_counts(ops, cases):
    """The line of README.md that begins with "Recorded: "."""
    path = os.path.join(HERE, 'README.md')
    with open(path) as f:
        lines = f.read().split('\n')
    gradients = sum(len(json.load(open(os.path.join(HERE, 'gradients', name)))['cases'])
                    for name in os.listdir(os.path.join(HERE, 'gradients')))
    text = 'Recorded: %d ops, %d cases, %d of gradients; %d listed differences (`differences.txt`, each with its reason).' % (
        ops, cases, gradients, listed_differences())
    with open(path, 'w') as f:
        f.write('\n'.join(text if line.startswith('Recorded: ') else line for line in lines))


def main():
    ops = [o['name'] for o in json.loads(subprocess.run([sys.argv[1], '-c', 'ops --json'], capture_output=True, check=True).stdout)]
    counts = {op: count(op) for op in ops if not op.startswith('_')}
    few = {op: n for op, n in counts.items() if n < LEAST}
    bad = [op for op in few if op not in REASONS]
    if '--list' in sys.argv:
        for op, n in sorted(counts.items()):
            print('%-40s %5d  %s' % (op, n, REASONS.get(op, '') if n < LEAST else ''))
    if '--write' in sys.argv:
        write_counts(len(counts), sum(counts.values()))
    for op in bad:
        print('%s has %d recorded cases of %d and no reason (tests/oracle/coverage.py)' % (op, few[op], LEAST))
    print('%d ops, %d cases; %d have fewer than %d, %d of them for a listed reason' % (
        len(counts), sum(counts.values()), len(few), LEAST, len(few) - len(bad)))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
