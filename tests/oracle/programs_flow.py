"""Programs with queues, stacks, barriers, staging areas and lookup tables (see program.py). One program uses a whole
family of ops, so these ops share a generator. Each has its own edge cases."""
import numpy as np

from cases import B, D, F, I, L, S, ints
from program import Program
from programs_state import ALL, random

TYPES = ALL + ('half', 'int8', 'complex64')


def i32(x):
    return np.array(x, np.int32)


# Queues ------------------------------------------------------------------------------------------------------------
def queue(p, kind, types, shapes=None, capacity=-1, **attrs):
    if kind == 'PriorityQueueV2':
        return p.add(kind, component_types=types, shapes=shapes or [[] for _ in types], capacity=capacity, **attrs)
    if kind == 'RandomShuffleQueueV2':
        attrs = dict({'seed': 1, 'seed2': 2}, **attrs)
    if shapes is not None:
        attrs['shapes'] = shapes
    return p.add(kind, component_types=types, capacity=capacity, **attrs)


def elements(m, kind, d, shape, priority=0):
    value = random(m, d, shape)
    return [np.array(priority, np.int64), value] if kind == 'PriorityQueueV2' else [value]


def out_types(kind, d):
    return [L, d] if kind == 'PriorityQueueV2' else [d]


def enqueue_some(p, m, q, kind, d, shape, n):
    for i in range(n):
        p.do('QueueEnqueueV2', q, elements(m, kind, d, shape, (i * 7) % 5))


def life(m, kind, d, shape, known=True):
    """Enqueues, reads the size, dequeues one by one, closes, and reads beyond the end."""
    p = Program()
    q = queue(p, kind, [d], [list(shape)] if known or kind == 'PriorityQueueV2' else None, 3)
    n = 1 if kind == 'RandomShuffleQueueV2' else 3
    enqueue_some(p, m, q, kind, d, shape, n)
    size, out = p.add('QueueSizeV2', q), p.add('QueueDequeueV2', q, component_types=out_types(kind, d))
    p.run(size)
    p.run(out)
    p.do('QueueCloseV2', q)
    p.do('QueueIsClosedV2', q)
    for _ in range(n):
        p.run(out)
    p.run(size)
    p.do('QueueEnqueueV2', q, elements(m, kind, d, shape))
    return p


def batches(m, kind, d, shape, n=4):
    p = Program()
    q = queue(p, kind, [d], [list(shape)], 10)
    rows = random(m, d, (n,) + tuple(shape))
    if kind == 'RandomShuffleQueueV2':
        rows = np.array([rows[0]] * n, rows.dtype).reshape(rows.shape)
    first = [np.arange(n)[::-1].astype(np.int64)] if kind == 'PriorityQueueV2' else []
    p.do('QueueEnqueueManyV2', q, first + [rows])
    types = out_types(kind, d)
    p.do('QueueDequeueManyV2', q, i32(2), component_types=types)
    p.do('QueueDequeueManyV2', q, i32(0), component_types=types)
    p.do('QueueCloseV2', q)
    p.do('QueueDequeueUpToV2', q, i32(5), component_types=types)
    p.do('QueueDequeueUpToV2', q, i32(5), component_types=types)
    p.do('QueueDequeueManyV2', q, i32(1), component_types=types)
    return p


def two_components(m, kind):
    p = Program()
    q = queue(p, kind, [F, S], [[2], []])
    priority = [np.array(5, np.int64)] if kind == 'PriorityQueueV2' else []
    types = ([L] if priority else []) + [F, S]
    p.do('QueueEnqueueV2', q, priority + [m(F, (2,)), m(S, ())])
    p.do('QueueDequeueV2', q, component_types=types)
    p.do('QueueEnqueueV2', q, priority + [m(F, (2,))])
    p.do('QueueEnqueueV2', q, priority + [m(F, (2,)), m(F, ())])
    return p


def queue_errors(m, kind):
    types = out_types(kind, F)

    def start(known=True, capacity=2):
        p = Program()
        return p, queue(p, kind, [F], [[2]] if known or kind == 'PriorityQueueV2' else None, capacity)
    p, q = start()
    p.do('QueueEnqueueV2', q, elements(m, kind, F, (3,)))
    yield p
    p, q = start()
    p.do('QueueEnqueueV2', q, elements(m, kind, D, (2,)))
    yield p
    p, q = start()
    p.do('QueueDequeueManyV2', q, i32(-1), component_types=types)
    p.do('QueueDequeueUpToV2', q, i32(-1), component_types=types)
    p.do('QueueDequeueManyV2', q, ints(1), component_types=types)
    yield p
    p, q = start(False)
    p.do('QueueDequeueManyV2', q, i32(1), component_types=types)
    p.do('QueueDequeueUpToV2', q, i32(1), component_types=types)
    yield p
    p, q = start()
    p.do('QueueDequeueV2', q, component_types=out_types(kind, D))
    yield p
    p, q = start()
    p.run('!' + p.add('QueueDequeueV2', q, component_types=types))
    enqueue_some(p, m, q, kind, F, (2,), 2)
    p.run('!' + p.add('QueueEnqueueV2', q, elements(m, kind, F, (2,))))
    p.do('QueueSizeV2', q)
    yield p
    p, q = start()
    p.do('QueueCloseV2', q)
    p.do('QueueCloseV2', q)
    p.do('QueueCloseV2', q, cancel_pending_enqueues=True)
    p.do('QueueDequeueV2', q, component_types=types)
    p.do('QueueEnqueueV2', q, elements(m, kind, F, (2,)))
    yield p
    p, q = start()
    first = [np.arange(2).astype(np.int64)] if kind == 'PriorityQueueV2' else []
    p.do('QueueEnqueueManyV2', q, first + [m(F, (3, 2))] if first else [m(F, ())])
    p.do('QueueEnqueueManyV2', q, ([np.zeros(0, np.int64)] if first else []) + [m(F, (0, 2))])
    p.do('QueueSizeV2', q)
    yield p
    p = Program()
    p.do('QueueSizeV2', queue(p, kind, [F, F], [[2]]))
    yield p
    for capacity in (0, -2):
        p, q = start(True, capacity)
        p.do('QueueSizeV2', q)
        yield p


def shuffled(m):
    """A shuffling queue has an undefined order, so only sizes and errors are recorded."""
    for low in (0, 2, 5):
        for n in (1, 3, 5):
            p = Program()
            q = queue(p, 'RandomShuffleQueueV2', [F], [[]], 5, min_after_dequeue=low)
            same = np.full((n,), 2.5, np.float32)
            p.do('QueueEnqueueManyV2', q, [same])
            out = p.add('QueueDequeueV2', q, component_types=[F])
            p.run(out if n > low else '!' + out)
            p.do('QueueSizeV2', q)
            p.do('QueueCloseV2', q)
            p.do('QueueDequeueUpToV2', q, i32(9), component_types=[F])
            p.run(out)
            yield p


def shared(m, kind):
    p = Program()
    a = queue(p, kind, [F], [[]], 4, shared_name='q')
    b = queue(p, kind, [F], [[]], 4, shared_name='q')
    c = queue(p, kind, [D], [[]], 4, shared_name='q')
    enqueue_some(p, m, a, kind, F, (), 1)
    p.do('QueueSizeV2', b)
    p.do('QueueSizeV2', c)
    yield p


def queues(kind):
    def programs(m):
        for d in TYPES:
            for shape in ((), (2,)) if d in (F, I, S) else ((2,),):
                yield life(m, kind, d, shape)
                yield batches(m, kind, d, shape)
        yield life(m, kind, F, (2, 0))
        yield life(m, kind, F, (3,), False)
        yield two_components(m, kind)
        yield from queue_errors(m, kind)
        yield from shared(m, kind)
        if kind == 'RandomShuffleQueueV2':
            yield from shuffled(m)
        if kind == 'PaddingFIFOQueueV2':
            yield from padding(m)
    return programs


def padding(m):
    for d in (F, I, S, B):
        for shape, sizes in (([-1], (2, 0, 3)), ([-1, 2], (1, 3)), ([2, -1], (2, 1))):
            p = Program()
            q = queue(p, 'PaddingFIFOQueueV2', [d], [shape], 9)
            for n in sizes:
                p.do('QueueEnqueueV2', q, [random(m, d, [n if s < 0 else s for s in shape])])
            p.do('QueueDequeueManyV2', q, i32(len(sizes)), component_types=[d])
            p.do('QueueEnqueueV2', q, [random(m, d, (1, 1, 1))])
            yield p


def queue_op(m):
    for kind in ('FIFOQueueV2', 'PaddingFIFOQueueV2', 'PriorityQueueV2', 'RandomShuffleQueueV2'):
        for d in TYPES:
            yield life(m, kind, d, (2,))
            if d in (F, S, L):
                yield batches(m, kind, d, ())
        yield two_components(m, kind)
        yield from queue_errors(m, kind)


# Stacks ------------------------------------------------------------------------------------------------------------
def stacks(m):
    for d in TYPES:
        for shape in ((), (2,), (0, 3)):
            p = Program()
            s = p.add('StackV2', i32(2), elem_type=d, stack_name='s')
            push = p.add('StackPushV2', s, random(m, d, shape))
            top = p.add('StackPushV2', s, random(m, d, (3,)), after=[push], swap_memory=shape == (2,))
            pop = p.add('StackPopV2', s, elem_type=d, after=[top])
            p.run(pop, push)
            over = p.add('StackPushV2', s, random(m, d, (1,)), after=[top])
            p.run(over)
            yield p
    p = Program()
    s = p.add('StackV2', i32(-1), elem_type=F)
    p.do('StackPopV2', s, elem_type=F)
    yield p
    p = Program()
    s = p.add('StackV2', i32(-1), elem_type=F)
    p.do('StackPushV2', s, m(D, ()))
    p.do('StackPopV2', s, elem_type=D)
    yield p
    p = Program()
    s = p.add('StackV2', i32(-1), elem_type=F)
    close = p.add('StackCloseV2', s)
    p.run(close)
    push = p.add('StackPushV2', s, m(F, ()), after=[close])
    p.run(push)
    yield p
    for size in (0, -1, -5):
        p = Program()
        s = p.add('StackV2', i32(size), elem_type=F)
        p.do('StackPushV2', s, m(F, ()))
        yield p
    p = Program()
    s = p.add('StackV2', ints(1, 2), elem_type=F)
    p.do('StackPushV2', s, m(F, ()))
    yield p


# Staging areas -----------------------------------------------------------------------------------------------------
def staging(m):
    for d in TYPES:
        for shape in ((), (2,)):
            p = Program()
            p.do('Stage', [random(m, d, shape), m(F, (1,))], shared_name='a')
            p.do('Stage', [random(m, d, shape), m(F, (1,))], shared_name='a')
            size = p.do('StageSize', dtypes=[d, F], shared_name='a')
            p.do('StagePeek', i32(1), dtypes=[d, F], shared_name='a')
            p.do('Unstage', dtypes=[d, F], shared_name='a')
            p.run(size)
            p.do('StageClear', dtypes=[d, F], shared_name='a')
            p.run(size)
            yield p
    p = Program()
    # TensorFlow's thread would wait forever for capacity
    p.do('Stage', [m(F, ())], shared_name='a', capacity=1)
    p.do('StageSize', dtypes=[F], shared_name='a', capacity=1)
    yield p
    for limit in (1, 4, 8):
        p = Program()
        full = p.add('Stage', [m(F, ())], shared_name='a', memory_limit=limit)
        p.run(full)
        yield p
    for n in (0, 1):
        for index in (0, 1):
            p = Program()
            for _ in range(2):
                p.do('Stage', [m(F, ())], shared_name='a')
            peek = p.add('StagePeek', i32(n), dtypes=[F], shared_name='a')
            p.run(peek)
            yield p


# Barriers ----------------------------------------------------------------------------------------------------------
def barriers(m):
    for d in (F, I, S, L, D, B):
        for n in (1, 2, 3):
            p = Program()
            b = p.add('Barrier', component_types=[d, F], shapes=[[2], []])
            keys = np.array([b'k%d' % i for i in range(n)], object)
            p.do('BarrierInsertMany', b, keys, random(m, d, (n, 2)), component_index=0)
            p.do('BarrierReadySize', b)
            p.do('BarrierIncompleteSize', b)
            p.do('BarrierInsertMany', b, keys, random(m, F, (n,)), component_index=1)
            p.do('BarrierReadySize', b)
            p.do('BarrierTakeMany', b, i32(n), component_types=[d, F])
            p.do('BarrierIncompleteSize', b)
            p.do('BarrierClose', b)
            p.do('BarrierTakeMany', b, i32(1), component_types=[d, F], allow_small_batch=True)
            p.do('BarrierInsertMany', b, np.array([b'z'], object), random(m, d, (1, 2)), component_index=0)
            yield p
    for component in (0, 1):  # other components crash TensorFlow
        p = Program()
        b = p.add('Barrier', component_types=[F, F], shapes=[[], []])
        p.do('BarrierInsertMany', b, np.array([b'a'], object), m(F, (1,)), component_index=component)
        p.do('BarrierInsertMany', b, np.array([b'a'], object), m(F, (1,)), component_index=component)
        yield p
    for keys, rows in ((2, 3), (0, 0), (1, 2)):
        p = Program()
        b = p.add('Barrier', component_types=[F], shapes=[[]])
        p.do('BarrierInsertMany', b, np.array([b'k%d' % i for i in range(keys)], object), m(F, (rows,)), component_index=0)
        p.do('BarrierReadySize', b)
        yield p
    for n, small in ((1, False), (3, True), (0, False)):
        for closed in (False, True):
            p = Program()
            b = p.add('Barrier', component_types=[F], shapes=[[]])
            p.do('BarrierInsertMany', b, np.array([b'a', b'b'], object), m(F, (2,)), component_index=0)
            if closed:
                p.do('BarrierClose', b, cancel_pending_enqueues=n == 1)
            take = p.add('BarrierTakeMany', b, i32(n), component_types=[F], allow_small_batch=small)
            p.run(take if closed or n < 3 else '!' + take)
            yield p


# Tables ------------------------------------------------------------------------------------------------------------
KEYS = {I: [3, -1, 0], L: [2**40, -5, 7], S: [b'b', b'', b'\xc3\xa9']}
PAIRS = [(S, L), (L, S), (S, F), (S, I), (L, F), (L, L), (I, F), (S, S), (I, I), (L, D), (S, D), (L, B), (S, B), (L, I)]


def keys_of(d, more=()):
    out = np.empty(3 + len(more), object)
    out[:] = KEYS[d] + list(more)
    return out if d == S else np.array(list(out), np.int32 if d == I else np.int64)


def key_of(d):
    return {S: b'none', I: 99, L: 99}[d]


def fixed_tables(m):
    for k, v in PAIRS:
        p = Program()
        t = p.add('HashTableV2', key_dtype=k, value_dtype=v)
        find = p.add('LookupTableFindV2', t, keys_of(k, [key_of(k)]), random(m, v, ()))
        p.run(find)
        keys, values = keys_of(k), random(m, v, (3,))
        start = p.add('InitializeTableV2', t, keys, values)
        p.run(start)
        p.run(find)
        p.do('LookupTableSizeV2', t)
        p.run(start)
        p.do('LookupTableFindV2', t, keys.reshape(3, 1), random(m, v, ()))
        p.do('LookupTableFindV2', t, keys, random(m, v, (2,)))
        p.do('InitializeTableV2', t, keys, random(m, v, (3,)) if v not in (F, D) else values + 1)
        yield p
    for again in ([b'a', b'a'], [b'a', b'b']):
        p = Program()
        t = p.add('HashTableV2', key_dtype=S, value_dtype=L)
        p.do('InitializeTableV2', t, np.array(again, object), ints(1, 2, dtype=L))
        p.do('InitializeTableV2', t, np.array(again, object), ints(1, 1, dtype=L))
        p.do('LookupTableSizeV2', t)
        yield p
    for n in (1, 3):
        p = Program()
        t = p.add('HashTableV2', key_dtype=S, value_dtype=L)
        p.do('InitializeTableV2', t, np.array([b'a', b'b'], object), m(L, (n,)))
        yield p
    for k, v in ((S, F), (L, L), (I, L)):
        p = Program()
        t = p.add('HashTableV2', key_dtype=S, value_dtype=L)
        p.do('InitializeTableV2', t, keys_of(k), random(m, v, (3,)))
        p.do('LookupTableFindV2', t, keys_of(k), random(m, v, ()))
        yield p
    p = Program()
    t = p.add('HashTableV2', key_dtype=S, value_dtype=L)
    p.do('InitializeTableV2', t, keys_of(S), m(L, (3,)))
    p.do('LookupTableInsertV2', t, keys_of(S), m(L, (3,)))
    p.do('LookupTableRemoveV2', t, keys_of(S))
    p.do('LookupTableExportV2', p.add('MutableHashTableV2', key_dtype=S, value_dtype=L), Tkeys=S, Tvalues=L)
    yield p
    for name in ('t', ''):
        p = Program()
        a = p.add('HashTableV2', key_dtype=S, value_dtype=L, shared_name=name)
        b = p.add('HashTableV2', key_dtype=S, value_dtype=L, shared_name=name)
        p.do('InitializeTableV2', a, keys_of(S), m(L, (3,)))
        p.do('LookupTableSizeV2', b)
        yield p


def mutable_tables(kind):
    row = {'MutableHashTableV2': (), 'MutableHashTableOfTensorsV2': (2,), 'MutableDenseHashTableV2': (2,)}[kind]

    def make(p, k, v, shape=row, **attrs):
        if kind == 'MutableDenseHashTableV2':
            empty, deleted = {S: (b'-', b'--'), I: (1000, 1001), L: (1000, 1001)}[k]
            def one(x):
                return np.array(x, {S: object, I: np.int32, L: np.int64}[k])
            return p.add(kind, one(empty), one(deleted), value_dtype=v, value_shape=list(shape),
                         initial_num_buckets=8, **attrs)
        if kind == 'MutableHashTableOfTensorsV2':
            attrs['value_shape'] = list(shape)
        return p.add(kind, key_dtype=k, value_dtype=v, **attrs)

    def programs(m):
        for k, v in PAIRS:
            p = Program()
            t = make(p, k, v)
            size = p.add('LookupTableSizeV2', t)
            p.run(size)
            p.do('LookupTableInsertV2', t, keys_of(k), random(m, v, (3,) + row))
            p.run(size)
            p.do('LookupTableFindV2', t, keys_of(k, [key_of(k)]), random(m, v, row))
            p.do('LookupTableInsertV2', t, keys_of(k)[:1], random(m, v, (1,) + row))
            p.do('LookupTableFindV2', t, keys_of(k), random(m, v, row))
            p.do('LookupTableRemoveV2', t, keys_of(k)[:2])
            p.run(size)
            if kind != 'MutableDenseHashTableV2':
                p.do('LookupTableExportV2', t, Tkeys=k, Tvalues=v)
            p.do('LookupTableImportV2', t, keys_of(k)[1:2], random(m, v, (1,) + row))
            p.run(size)
            p.do('LookupTableFindV2', t, keys_of(k), random(m, v, row))
            yield p
        for k, v in PAIRS[:8]:
            p = Program()
            t = make(p, k, v)
            p.do('LookupTableInsertV2', t, keys_of(k), random(m, v, (2,) + row))
            p.do('LookupTableFindV2', t, keys_of(k), random(m, v, row + (3,)))
            p.do('LookupTableInsertV2', t, keys_of(k).reshape(1, 3), random(m, v, (1, 3) + row))
            p.do('LookupTableSizeV2', t)
            p.do('LookupTableRemoveV2', t, keys_of(k).reshape(3, 1))
            p.do('LookupTableInsertV2', t, keys_of(k)[:0], random(m, v, (0,) + row))
            yield p
        p = Program()
        t = make(p, S, L)
        p.do('LookupTableInsertV2', t, keys_of(L), random(m, L, (3,) + row))
        p.do('LookupTableInsertV2', t, keys_of(S), random(m, F, (3,) + row))
        p.do('LookupTableFindV2', t, keys_of(L), random(m, L, row))
        yield p
        for name in ('t', ''):
            p = Program()
            a, b = make(p, S, L, shared_name=name), make(p, S, L, shared_name=name)
            p.do('LookupTableInsertV2', a, keys_of(S), random(m, L, (3,) + row))
            p.do('LookupTableSizeV2', b)
            yield p
    return programs


def table_op(m):
    yield from fixed_tables(m)
    for kind in ('MutableHashTableV2', 'MutableHashTableOfTensorsV2', 'MutableDenseHashTableV2'):
        yield from mutable_tables(kind)(m)


FLOW = {kind: queues(kind) for kind in ('FIFOQueueV2', 'PaddingFIFOQueueV2', 'PriorityQueueV2', 'RandomShuffleQueueV2')}
FLOW.update({'Queue%sV2' % op: queue_op for op in ('Enqueue', 'EnqueueMany', 'Dequeue', 'DequeueMany', 'DequeueUpTo', 'Close',
                                                   'Size', 'IsClosed')})
FLOW.update({'Stack%sV2' % op: stacks for op in ('', 'Push', 'Pop', 'Close')})
FLOW.update({op: staging for op in ('Stage', 'Unstage', 'StagePeek', 'StageSize', 'StageClear')})
FLOW.update({'Barrier' + op: barriers for op in ('', 'InsertMany', 'TakeMany', 'Close', 'ReadySize', 'IncompleteSize')})
FLOW['HashTableV2'] = FLOW['InitializeTableV2'] = fixed_tables
FLOW.update({kind: mutable_tables(kind) for kind in ('MutableHashTableV2', 'MutableHashTableOfTensorsV2', 'MutableDenseHashTableV2')})
FLOW.update({'LookupTable%sV2' % op: table_op for op in ('Find', 'Insert', 'Remove', 'Size', 'Import')})
FLOW['LookupTableExportV2'] = mutable_tables('MutableHashTableV2')
