#!/usr/bin/env python3
"""Counts the recorded cases of each op, and lists ops with fewer than thirty cases and no reason.

    python tests/oracle/coverage.py build/tensh [--list] [--write]

--write puts the counts into README.md. The exit code is 1 if an op has too few cases and is not listed below.
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LEAST = 30
FUNCTIONS = 'takes functions; tests/functions replays graphs recorded from TensorFlow'
GOLDEN = 'its results depend on the environment (time, anonymous names, the terminal, files); see tests/golden'
FEW = 'has no more distinct cases'
REMOVED = 'TensorFlow 2 no longer creates it (OpDef.deprecation), but runs it in graphs from old files'
UNREAD = 'TensorFlow 2 no longer creates the readers that it reads; see tests/golden/shell/names_before_two.tsh'
CRASHES = 'separate programs with it crash TensorFlow; those of other list ops include it'
QUANTIZED = 'the record has no text for quantized types; tests/golden/tf1/quantized_*.py compare its values'
ONEDNN = 'TensorFlow runs it only with oneDNN, which the record leaves off; tests/golden/tf1/fused_*.py compare its values'
ABSENT = 'TensorFlow has no CPU kernel for it'
REASONS = {
    **{op: FUNCTIONS for op in (
        'Case', 'FilterDataset', 'FlatMapDataset', 'For', 'If', 'MapDataset', 'OneShotIterator', 'ParallelMapDataset',
        'ParallelFilterDataset', 'BatchFunction', 'ParallelMapDatasetV2', 'PartitionedCall', 'ReduceDataset', 'RemoteCall', 'StatefulPartitionedCall', 'StatelessCase',
        'StatelessIf', 'StatelessWhile', 'SymbolicGradient', 'While', 'FakeParam', 'DeviceIndex',
        'InterleaveDataset', 'ParallelInterleaveDatasetV2', 'ParallelInterleaveDatasetV3', 'ParallelInterleaveDatasetV4', 'WindowDataset',
        'ParallelInterleaveDataset', 'GroupByReducerDataset', 'GroupByWindowDataset', 'MapAndBatchDataset', 'ScanDataset', 'TakeWhileDataset')},
    'AssertNextDataset': 'its elements are those of its input; TensorFlow checks the graph that its optimizer produced',
    **{op: GOLDEN for op in (
        'AnonymousHashTable', 'AnonymousIterator', 'AnonymousIteratorV2', 'AnonymousIteratorV3', 'AnonymousMutableDenseHashTable',
        'AnonymousMutableHashTable', 'AnonymousMutableHashTableOfTensors', 'AudioSummary', 'AudioSummaryV2', 'DummySeedGenerator', 'ImageSummary',
        'InitializeTableFromTextFile', 'InitializeTableFromTextFileV2', 'MatchingFiles', 'MergeV2Checkpoints', 'ModelDataset', 'OptimizeDataset', 'OptimizeDatasetV2', 'PrintV2', 'Print',
        'RestoreV2', 'SaveV2', 'ShuffleDatasetV3', 'StatelessRandomGetAlg', 'TFRecordReaderV2', 'TensorSummary', 'Timestamp', 'TensorListPushBackBatch')},
    **{op: GOLDEN for op in (
        'CloseSummaryWriter', 'CreateSummaryFileWriter', 'FlushSummaryWriter', 'ImportEvent', 'SummaryWriter', 'WriteGraphSummary',
        'WriteHistogramSummary', 'WriteRawProtoSummary', 'WriteScalarSummary', 'WriteSummary')},
    **{op: REMOVED for op in (
        'Conv3DBackpropFilter', 'Conv3DBackpropInput', 'QuantizeAndDequantize', 'TensorArray', 'TensorArrayClose', 'TensorArrayCloseV2',
        'TensorArrayConcat', 'TensorArrayConcatV2', 'TensorArrayGather', 'TensorArrayGatherV2', 'TensorArrayGrad', 'TensorArrayGradV2',
        'TensorArrayPack', 'TensorArrayRead', 'TensorArrayReadV2', 'TensorArrayScatter', 'TensorArrayScatterV2', 'TensorArraySize',
        'TensorArraySizeV2', 'TensorArraySplit', 'TensorArraySplitV2', 'TensorArrayUnpack', 'TensorArrayV2', 'TensorArrayWrite',
        'TensorArrayWriteV2', 'TopK', 'BatchNormWithGlobalNormalization', 'TextLineReader', 'TFRecordReader', 'FixedLengthRecordReader', 'IdentityReader')},
    **{op: UNREAD for op in (
        'WholeFileReader', 'ReaderRead', 'ReaderReadUpTo', 'ReaderReset', 'ReaderNumRecordsProduced', 'ReaderNumWorkUnitsCompleted',
        'ReaderSerializeState', 'ReaderRestoreState')},
    **{op: QUANTIZED for op in (
        'Dequantize', 'QuantizeDownAndShrinkRange', 'QuantizeV2', 'QuantizedAvgPool', 'QuantizedBiasAdd', 'QuantizedConcat',
        'QuantizedAdd', 'QuantizedBatchNormWithGlobalNormalization', 'QuantizedInstanceNorm', 'QuantizedConv2D', 'QuantizedMatMul', 'QuantizedMaxPool', 'QuantizedMul', 'QuantizedRelu', 'QuantizedRelu6',
        'QuantizedReshape', 'RequantizationRange', 'Requantize')},
    **{op: ONEDNN for op in (
        'QuantizedConv2DAndRelu', 'QuantizedConv2DAndReluAndRequantize', 'QuantizedConv2DAndRequantize', 'QuantizedConv2DPerChannel',
        'QuantizedConv2DWithBias', 'QuantizedMatMulWithBias', 'QuantizedMatMulWithBiasAndDequantize', 'QuantizedMatMulWithBiasAndRelu',
        'QuantizedMatMulWithBiasAndReluAndRequantize', 'QuantizedMatMulWithBiasAndRequantize', 'QuantizedConv2DWithBiasAndRelu', 'QuantizedConv2DWithBiasAndReluAndRequantize',
        'QuantizedConv2DWithBiasAndRequantize', 'QuantizedConv2DWithBiasSignedSumAndReluAndRequantize',
        'QuantizedConv2DWithBiasSumAndRelu', 'QuantizedConv2DWithBiasSumAndReluAndRequantize', 'QuantizedDepthwiseConv2D',
        'QuantizedDepthwiseConv2DWithBias', 'QuantizedDepthwiseConv2DWithBiasAndRelu',
        'QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize', 'RequantizationRangePerChannel', 'RequantizePerChannel')},
    'MaxPoolGradGradWithArgmax': ABSENT,
    'StatefulStandardNormal': REMOVED,
    'NonDeterministicInts': 'no seed determines its numbers; tests/golden/tf1/streams.py draws some',
    'Unsupported': 'TensorFlow does not have it; tests/onnx opens models with it',
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


def differences():
    """Returns the lines of differences.txt, split into the op, the text and the reason."""
    with open(os.path.join(HERE, 'differences.txt')) as f:
        return [line.rstrip('\n').split('\t') for line in f if not line.startswith('#')]


def too_broad(ops):
    """Returns what is wrong with differences.txt. A line names an op or the beginning of a name: a `*` for every op
    would excuse whole classes of differences."""
    for line in differences():
        start = line[0].rstrip('*')
        if len(line) != 3 or not all(line):
            yield 'differences.txt: not an op, a text and a reason: %s' % line
        elif not any(op == line[0] or (line[0].endswith('*') and op.startswith(start)) for op in ops) or len(start) < 3:
            yield 'differences.txt: no op, or every op: %s' % line[0]


def write_counts(ops, cases):
    """The line of README.md that begins with "Recorded: "."""
    path = os.path.join(HERE, 'README.md')
    with open(path) as f:
        lines = f.read().split('\n')
    gradients = sum(len(json.load(open(os.path.join(HERE, 'gradients', name)))['cases'])
                    for name in os.listdir(os.path.join(HERE, 'gradients')))
    text = 'Recorded: %d ops, %d cases, %d of gradients; %d listed differences (`differences.txt`, each with its reason).' % (
        ops, cases, gradients, len(differences()))
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
    broad = list(too_broad(counts))
    for line in broad:
        print(line)
    for op in bad:
        print('%s has %d recorded cases of %d and no reason (tests/oracle/coverage.py)' % (op, few[op], LEAST))
    print('%d ops, %d cases; %d have fewer than %d, %d of them for a listed reason' % (
        len(counts), sum(counts.values()), len(few), LEAST, len(few) - len(bad)))
    return 1 if bad or broad else 0


if __name__ == '__main__':
    sys.exit(main())
