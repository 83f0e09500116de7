"""Programs with ops of older graphs, before resources: queues, stacks and accumulators whose handle is a reference,
temporary variables, Save and Restore in one file, and related ops (see program.py)."""
import numpy as np

from cases import D, F, I, L, S, ints
from program import Program
from programs_flow import fixed_tables, i32, mutable_tables, queue_op, queues, stacks, table_op
from programs_state import random
from tensor_text import encode

QUEUES = ('FIFOQueue', 'PaddingFIFOQueue', 'PriorityQueue', 'RandomShuffleQueue')
QUEUE_OPS = tuple('Queue' + op for op in ('Enqueue', 'EnqueueMany', 'Dequeue', 'DequeueMany', 'DequeueUpTo', 'Close', 'Size', 'IsClosed'))
STACK_OPS = ('Stack', 'StackPush', 'StackPop', 'StackClose')
TABLES = ('HashTable', 'MutableHashTable', 'MutableHashTableOfTensors')
TABLE_OPS = ('InitializeTable', 'InitializeTableFromTextFile') + tuple('LookupTable' + op for op in ('Find', 'Insert', 'Size', 'Export', 'Import'))
BEFORE_V2 = QUEUES + QUEUE_OPS + STACK_OPS + TABLES + TABLE_OPS
NUMBERS = (F, D, I, L, 'half', 'complex64')


def i64(x):
    return np.array(x, np.int64)


def text(x):
    return np.array(x.encode(), object)


def before(programs):
    """The same programs with the ops before V2. A stack had no size then."""
    def old(m):
        for p in programs(m):
            fill = [node for node in p.nodes if node[1] == 'LookupTableImportV2']
            for node in p.nodes:
                if node[1] == 'LookupTableRemoveV2' and fill:  # the key does not exist
                    node[1:] = fill[0][1:]
            for node in p.nodes:
                if node[1][-2:] == 'V2' and node[1][:-2] in BEFORE_V2:
                    node[1] = node[1][:-2]
                if node[1] == 'Stack':
                    node[2] = []
            yield p
    return old


# Accumulators ------------------------------------------------------------------------------------------------------
def accumulator(p, d, shape, prefix='', **attrs):
    return p.add(prefix + 'ConditionalAccumulator', dtype=d, shape=shape, **attrs)


def means(prefix):
    def programs(m):
        op = prefix + 'Accumulator%s'
        for d in NUMBERS:
            for kind in ('MEAN', 'SUM'):
                for shape in ((), (2,), (0, 3)):
                    p = Program()
                    a = accumulator(p, d, list(shape), prefix, reduction_type=kind)
                    for step in (0, 0, 1):
                        p.do(op % 'ApplyGradient', a, i64(step), random(m, d, shape))
                    p.do(op % 'NumAccumulated', a)
                    take = p.add(op % 'TakeGradient', a, i32(2), dtype=d)
                    p.run(take)
                    p.do(op % 'NumAccumulated', a)
                    p.do(op % 'ApplyGradient', a, i64(0), random(m, d, shape))  # stale
                    p.do(op % 'NumAccumulated', a)
                    p.do(op % 'SetGlobalStep', a, i64(5))
                    p.do(op % 'ApplyGradient', a, i64(4), random(m, d, shape))
                    p.do(op % 'ApplyGradient', a, i64(6), random(m, d, shape))
                    p.run(p.add(op % 'TakeGradient', a, i32(1), dtype=d))
                    yield p
        yield from mistakes(m, prefix, op)
    return programs


def mistakes(m, prefix, op):
    for shape, gradient in (([2], (3,)), ([2], ()), ([-1, 2], (3, 2)), ([-1, 2], (3, 3)), ('<unknown>', (2,))):
        p = Program()
        a = accumulator(p, F, shape, prefix)
        p.do(op % 'ApplyGradient', a, i64(0), m(F, gradient))
        p.do(op % 'ApplyGradient', a, i64(0), m(F, (2,)))
        p.do(op % 'TakeGradient', a, i32(1), dtype=F)
        yield p
    for n in (0, -1):  # vectors crash TensorFlow
        p = Program()
        a = accumulator(p, F, [2], prefix)
        p.do(op % 'ApplyGradient', a, i64(0), m(F, (2,)))
        p.do(op % 'TakeGradient', a, i32(n), dtype=F)
        yield p
    p = Program()
    a = accumulator(p, F, [2], prefix)
    p.do(op % 'SetGlobalStep', a, i64(3))
    p.do(op % 'SetGlobalStep', a, i64(1))
    p.do(op % 'ApplyGradient', a, i64(2), m(F, (2,)))
    p.do(op % 'NumAccumulated', a)
    p.do(op % 'ApplyGradient', a, i64(2), m(D, (2,)))
    p.do(op % 'TakeGradient', a, i32(1), dtype=D)
    p.run('!' + p.add(op % 'TakeGradient', a, i32(1), dtype=F))
    yield p


def rows(m):
    op = 'SparseAccumulator%s'
    for d in NUMBERS[:4]:
        for kind in ('MEAN', 'SUM'):
            for known in (True, False):
                p = Program()
                a = p.add('SparseConditionalAccumulator', dtype=d, shape=[4, 2], reduction_type=kind)
                for at in ([0, 2], [2, 3], []):
                    p.do(op % 'ApplyGradient', a, i64(0), i64(at), random(m, d, (len(at), 2)), i64([4, 2] if known else []),
                         has_known_shape=known)
                p.do('AccumulatorNumAccumulated', a)
                p.do(op % 'TakeGradient', a, i32(2), dtype=d)
                p.do('AccumulatorNumAccumulated', a)
                yield p
    for at, values, shape in (([0], (1, 3), [4, 2]), ([5], (1, 2), [4, 2]), ([-1], (1, 2), [4, 2]), ([0, 1], (1, 2), [4, 2]),
                              ([0], (1, 2), [4, 3]), ([0], (2,), [2]), ([[0]], (1, 2), [4, 2]), ([1, 0], (2, 2), [4, 2]),
                              ([1, 1], (2, 2), [4, 2])):
        p = Program()
        a = p.add('SparseConditionalAccumulator', dtype=F, shape=[4, 2])
        p.do(op % 'ApplyGradient', a, i64(0), i64(at), m(F, values), i64(shape), has_known_shape=True)
        p.do('AccumulatorNumAccumulated', a)
        yield p
    for n in (0, -1, 1):
        p = Program()
        a = p.add('SparseConditionalAccumulator', dtype=F, shape=[4, 2])
        p.do(op % 'ApplyGradient', a, i64(1), i64([3]), m(F, (1, 2)), i64([4, 2]), has_known_shape=True)
        p.do('AccumulatorSetGlobalStep', a, i64(1))
        p.do(op % 'TakeGradient', a, i32(n), dtype=F)
        yield p


# Others ------------------------------------------------------------------------------------------------------------
def temporaries(m):
    for d in NUMBERS + (S, 'bool'):
        for shape in ((), (2,), (0, 3)):
            p = Program()
            t = p.add('TemporaryVariable', shape=list(shape), dtype=d, var_name='x')
            a = p.add('Assign', t, random(m, d, shape))
            p.do('DestroyTemporaryVariable', a, var_name='x')
            p.run(p.nodes[-1][0])
            yield p
    for name in ('y', ''):
        p = Program()
        t = p.add('TemporaryVariable', shape=[2], dtype=F, var_name='x')
        p.do('DestroyTemporaryVariable', p.add('Assign', t, m(F, (2,))), var_name=name)
        yield p


def reader_states(m):
    for names in ([], [b'a'], [b'a', b'b', b'c']):
        for reads in range(len(names) + 1):
            p = Program()
            q = p.add('FIFOQueueV2', component_types=[S], shapes=[[]])
            p.do('QueueEnqueueManyV2', q, [np.array(names, object)])
            a, b = p.add('IdentityReaderV2'), p.add('IdentityReaderV2')
            get = p.add('ReaderReadV2', a, q)
            for _ in range(reads):
                p.run(get)
            state = p.do('ReaderSerializeStateV2', a)
            p.do('ReaderRestoreStateV2', b, state)
            for op in ('ReaderNumRecordsProducedV2', 'ReaderNumWorkUnitsCompletedV2', 'ReaderSerializeStateV2'):
                p.do(op, b)
            yield p
    for state in (b'', b'x', b'\x08\x01\x10\x01\x18\x01', b'\x08\x02\x10\x01\x18\x01', b'\x08\x01\x10\x01\x18\xff\xff', b'\x18\x05',
                  b'\x08\x01\x10\x01\x18\x05\x22\x01a', b'\x12', b'\x08\x01'):
        p = Program()
        r = p.add('IdentityReaderV2')
        p.do('ReaderRestoreStateV2', r, np.array(state, object))
        p.do('ReaderNumRecordsProducedV2', r)
        p.do('ReaderSerializeStateV2', r)
        yield p
    for kind, attrs in (('TextLineReaderV2', {}), ('WholeFileReaderV2', {}), ('FixedLengthRecordReaderV2', {'record_bytes': 3})):
        p = Program()
        r = p.add(kind, **attrs)
        p.do('ReaderSerializeStateV2', r)
        p.do('ReaderRestoreStateV2', r, np.array(b'', object))
        yield p


PATH = '/tmp/tensh_oracle_saved_%d'


def saves(m):
    number = 0
    for d in (F, D, I, 'int64', 'bool', 'uint8', 'half', 'complex64'):
        for shape in ((), (3,), (2, 3), (0, 2)):
            p = Program()
            path, number = text(PATH % number), number + 1
            value = random(m, d, shape)
            p.do('Save', path, np.array([b'a', b'b'], object), [value, m(F, (2, 3))])
            p.do('Restore', path, text('a'), dt=d)
            p.do('Restore', path, text('b'), dt=F)
            p.do('RestoreSlice', path, text('b'), text('2 3 0,1:1,2'), dt=F)
            p.do('RestoreSlice', path, text('b'), text(''), dt=F)
            p.do('Restore', path, text('c'), dt=F)
            p.do('Restore', path, text('b'), dt=D)
            p.do('SaveSlices', path, np.array([b'w'], object), np.array([b'4 3 1,2:-'], object), [m(F, (2, 3))])
            p.do('RestoreSlice', path, text('w'), text('4 3 1,2:0,2'), dt=F)
            p.do('RestoreSlice', path, text('w'), text('4 3 0,2:-'), dt=F)
            yield p
    for names, values in (([b'a'], []), ([b'a', b'b'], [1.])):
        p = Program()
        p.do('Save', text(PATH % 99), np.array(names, object), [np.float32(v) for v in values] or [m(F, (2,)), m(F, (2,))])
        yield p
    p = Program()
    p.do('Save', text(PATH % 98), np.array([b'b'], object), [m(F, (2, 3))])
    p.do('RestoreSlice', text(PATH % 98), text('b'), text('2 3 1,2:1,2'), dt=F)
    yield p
    p = Program()
    p.do('Restore', text('/tmp/tensh_oracle_no_such_file'), text('a'), dt=F)
    p.do('RestoreSlice', text('/tmp/tensh_oracle_no_such_file'), text('a'), text(''), dt=F)
    yield p


def parallel(m):
    for d in NUMBERS + (S, 'bool'):
        for shape in ((1,), (1, 2), (1, 2, 0)):
            for n in (1, 3):
                p = Program()
                # Separate constants, because the op refuses inputs of unknown shape.
                rows = [p.add('Const', dtype=d, value=encode(random(m, d, shape))) for _ in range(n)]
                p.do('ParallelConcat', rows, shape=[n] + list(shape[1:]))
                yield p


OLD = {kind: before(queues(kind + 'V2')) for kind in QUEUES}
OLD.update({op: before(queue_op) for op in QUEUE_OPS})
OLD.update({op: before(stacks) for op in STACK_OPS})
for part in ('ApplyGradient', 'NumAccumulated', 'SetGlobalStep', 'TakeGradient'):
    OLD['Accumulator' + part] = means('')
    OLD['ResourceAccumulator' + part] = means('Resource')
OLD['ConditionalAccumulator'], OLD['ResourceConditionalAccumulator'] = means(''), means('Resource')
OLD.update({'Sparse' + op: rows for op in ('ConditionalAccumulator', 'AccumulatorApplyGradient', 'AccumulatorTakeGradient')})
OLD.update({op: temporaries for op in ('TemporaryVariable', 'DestroyTemporaryVariable')})
OLD.update({op: reader_states for op in ('ReaderSerializeStateV2', 'ReaderRestoreStateV2')})
OLD.update({op: saves for op in ('Save', 'SaveSlices', 'Restore', 'RestoreSlice')})
OLD['ParallelConcat'] = parallel
OLD.update({op: before(fixed_tables) for op in ('HashTable', 'InitializeTable')})
OLD.update({op: before(mutable_tables(op + 'V2')) for op in TABLES[1:]})
OLD.update({op: before(table_op) for op in TABLE_OPS if op.startswith('Lookup')})
OLD['LookupTableExport'] = before(mutable_tables('MutableHashTableV2'))
