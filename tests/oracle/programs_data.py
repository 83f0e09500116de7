"""Programs with datasets without functions, iterators, optionals, readers and control flow (see program.py)."""
import gzip
import zlib

import numpy as np

from cases import B, D, F, I, L, S, ints
from program import Program
from programs_flow import TYPES, i32
from programs_state import ALL, random
from programs_train import read, variable


def i64(x):
    return np.array(x, np.int64)


def drain(p, dataset, types, shapes, steps, kind='IteratorGetNext'):
    """Takes one element of a dataset per step, and runs two steps after the end."""
    it = p.add('IteratorV2', shared_name='', container='', output_types=types, output_shapes=shapes)
    p.do('MakeIterator', dataset, it)
    get = p.add(kind, it, output_types=types, output_shapes=shapes)
    for _ in range(steps):
        p.run(get)
    return it


def ranged(p, n=5):
    return p.add('RangeDataset', i64(0), i64(n), i64(1), output_types=[L], output_shapes=[[]])


def ranges(m):
    for start, stop, step in ((0, 5, 1), (5, 0, -2), (0, 0, 1), (3, 1, 1), (-4, 4, 3), (0, 5, 0), (2**62, 2**62 + 2, 1),
                              (0, 1, 10), (5, 5, -1)):
        for kind in (L, I) if abs(start) < 100 else (L,):
            p = Program()
            d = p.add('RangeDataset', i64(start), i64(stop), i64(step), output_types=[kind], output_shapes=[[]])
            drain(p, d, [kind], [[]], 6)
            yield p
    p = Program()
    d = p.add('RangeDataset', ints(1, 2, dtype=L), i64(3), i64(1), output_types=[L], output_shapes=[[]])
    drain(p, d, [L], [[]], 1)
    yield p


def sliced(p, m, d, shape):
    return p.add('TensorSliceDataset', [random(m, d, shape)], output_shapes=[list(shape[1:])])


def tensors(m):
    for d in TYPES:
        for shape in ((3,), (2, 2), (0, 2)):
            p = Program()
            drain(p, sliced(p, m, d, shape), [d], [list(shape[1:])], 4)
            yield p
            p = Program()
            one = p.add('TensorDataset', [random(m, d, shape), m(F, ())], output_shapes=[list(shape), []])
            drain(p, one, [d, F], [list(shape), []], 2)
            p.do('DatasetToSingleElement', one, output_types=[d, F], output_shapes=[list(shape), []])
            yield p
    for shapes in (((2, 3), (3,)), ((2,), ()), ((2,), (2, 2))):
        p = Program()
        d = p.add('TensorSliceDataset', [m(F, s) for s in shapes], output_shapes=[list(s[1:]) for s in shapes])
        drain(p, d, [F, F], [list(s[1:]) for s in shapes], 3)
        yield p
    p = Program()
    p.do('DatasetToSingleElement', ranged(p), output_types=[L], output_shapes=[[]])
    p.do('DatasetToSingleElement', ranged(p, 0), output_types=[L], output_shapes=[[]])
    yield p


def counted(op, counts, steps=8):
    def programs(m):
        for n in (0, 1, 5):
            for count in counts:
                p = Program()
                d = p.add(op, ranged(p, n), i64(count), output_types=[L], output_shapes=[[]])
                drain(p, d, [L], [[]], steps)
                yield p
        for t in TYPES:
            p = Program()
            d = p.add(op, sliced(p, m, t, (3, 2)), i64(counts[0]), output_types=[t], output_shapes=[[2]])
            drain(p, d, [t], [[2]], 5)
            yield p
        p = Program()
        d = p.add(op, ranged(p), ints(1, 2, dtype=L), output_types=[L], output_shapes=[[]])
        drain(p, d, [L], [[]], 1)
        yield p
    return programs


def batched(op):
    def programs(m):
        for n in (0, 1, 4, 5):
            for size in (1, 2, 7, 0, -1):
                for drop in (None,) if op == 'BatchDataset' else (False, True):
                    p = Program()
                    more = [] if drop is None else [i64(2), np.array(drop)] if op == 'ParallelBatchDataset' else [np.array(drop)]
                    d = p.add(op, ranged(p, n), i64(size), *more, output_types=[L], output_shapes=[[-1]])
                    drain(p, d, [L], [[-1]], 4)
                    yield p
        for t in TYPES:
            p = Program()
            more = [] if op == 'BatchDataset' else [i64(1), np.array(False)] if op == 'ParallelBatchDataset' else [np.array(False)]
            d = p.add(op, sliced(p, m, t, (3, 2)), i64(2), *more, output_types=[t], output_shapes=[[-1, 2]])
            drain(p, d, [t], [[-1, 2]], 3)
            yield p
    return programs


def shards(m):
    for n in (0, 1, 5):
        for number, index in ((1, 0), (2, 1), (3, 0), (3, 2), (9, 4), (0, 0), (2, 2), (2, -1)):
            for all_ in (False, True):
                p = Program()
                d = p.add('ShardDataset', ranged(p, n), i64(number), i64(index), output_types=[L], output_shapes=[[]],
                          require_non_empty=all_)
                drain(p, d, [L], [[]], 4)
                yield p


def cached(m, op='CacheDataset'):
    def cache(p):
        return [np.array(b'', object)] + ([p.add('DummyMemoryCache')] if op == 'CacheDatasetV2' else [])
    for n in (0, 1, 5):
        for again in (1, 2, 3):
            p = Program()
            kept = p.add(op, ranged(p, n), *cache(p), output_types=[L], output_shapes=[[]])
            d = p.add('RepeatDataset', kept, i64(again), output_types=[L], output_shapes=[[]])
            drain(p, d, [L], [[]], 8)
            yield p
    for t in TYPES:
        for shape in ((3, 2), (2,), (1, 2, 2)):
            p = Program()
            rows = sliced(p, m, t, shape)
            kept = p.add(op, rows, *cache(p), output_types=[t], output_shapes=[list(shape[1:])])
            d = p.add('RepeatDataset', kept, i64(-1), output_types=[t], output_shapes=[list(shape[1:])])
            drain(p, d, [t], [list(shape[1:])], 7)
            yield p


def repeated_shuffles(op):
    def programs(m):
        for n in (0, 1, 5):
            for buffer in (1, 3, 20):
                for count in (1, 3, -1):
                    for again in (False, True):
                        p = Program()
                        more = [p.add('DummySeedGenerator')] if op[-2:] == 'V2' else []
                        d = p.add(op, ranged(p, n), i64(buffer), i64(7), i64(n), i64(count), *more, output_types=[L], output_shapes=[[]],
                                  reshuffle_each_iteration=again)
                        drain(p, d, [L], [[]], 12)
                        yield p
        for buffer, count in ((0, 1), (-1, 1), (2, 0), (2, -2)):
            p = Program()
            d = p.add(op, ranged(p), i64(buffer), i64(1), i64(2), i64(count), *([p.add('DummySeedGenerator')] if op[-2:] == 'V2' else []),
                      output_types=[L], output_shapes=[[]])
            drain(p, d, [L], [[]], 1)
            yield p
    return programs


def directed(m):
    for chosen in ((0, 1, 0, 1, 0), (1, 1, 1, 0), (0,), (), (2, 0), (0, -1), (1, 0, 1, 0, 1, 0, 1)):
        for sizes in ((2, 3), (0, 2), (9, 9)):
            for stop in (False, True):
                p = Program()
                which = p.add('TensorSliceDataset', [i64(list(chosen))], output_shapes=[[]])
                sets = [p.add('RangeDataset', i64(10 * i), i64(10 * i + n), i64(1), output_types=[L], output_shapes=[[]]) for i, n in enumerate(sizes)]
                d = p.add('DirectedInterleaveDataset', which, sets, output_types=[L], output_shapes=[[]], stop_on_empty_dataset=stop)
                drain(p, d, [L], [[]], 6)
                yield p


def sampled(m):
    for rate in (0., .3, .7, 1., 2., -1.):
        for seed in (1, 5):
            for n in (0, 20):
                p = Program()
                d = p.add('SamplingDataset', ranged(p, n), np.array(rate, np.float32), i64(seed), i64(3), output_types=[L], output_shapes=[[]])
                drain(p, d, [L], [[]], 20)
                yield p
    p = Program()
    d = p.add('SamplingDataset', ranged(p), m(F, (1,)), i64(1), i64(3), output_types=[L], output_shapes=[[]])
    drain(p, d, [L], [[]], 1)
    yield p


def random_numbers(m):
    for seed in range(1, 12):
        for seed2 in (0, 2, 2**40):
            p = Program()
            d = p.add('RandomDataset', i64(seed), i64(seed2), output_types=[L], output_shapes=[[]])
            drain(p, d, [L], [[]], 6)
            yield p


def uniques(m):
    for t in (I, L, S):
        for n in (0, 3, 9):
            for _ in range(4):
                p = Program()
                rows = p.add('TensorSliceDataset', [m(t, (n,), 0, 4)], output_shapes=[[]])
                d = p.add('UniqueDataset', rows, output_types=[t], output_shapes=[[]])
                drain(p, d, [t], [[]], 5)
                yield p
    p = Program()
    rows = p.add('TensorSliceDataset', [m(I, (2,)), m(I, (2,))], output_shapes=[[], []])
    d = p.add('UniqueDataset', rows, output_types=[I, I], output_shapes=[[], []])
    drain(p, d, [I, I], [[], []], 1)
    yield p


def counted_exactly(m):
    for n in (0, 1, 3):
        for wanted in (0, 1, 2, 3, 9, -1, -2):
            p = Program()
            d = p.add('AssertCardinalityDataset', ranged(p, n), i64(wanted), output_types=[L], output_shapes=[[]])
            drain(p, d, [L], [[]], 4)
            yield p
    for t in TYPES:
        p = Program()
        d = p.add('AssertCardinalityDataset', sliced(p, m, t, (3, 2)), i64(3), output_types=[t], output_shapes=[[2]])
        drain(p, d, [t], [[2]], 4)
        yield p


def noted(op, *inputs, **attrs):
    """Datasets with the elements of their input."""
    def programs(m):
        for n in (0, 1, 4):
            for shape in ((n,), (n, 2)):
                for t in TYPES:
                    p = Program()
                    d = p.add(op, sliced(p, m, t, shape), *inputs, output_types=[t], output_shapes=[list(shape[1:])], **attrs)
                    drain(p, d, [t], [list(shape[1:])], 3)
                    yield p
    return programs


def threads(op):
    def programs(m):
        for count in (0, 1, 5, -1):
            yield from noted(op, i64(count))(m)
        yield from noted(op, i64([1, 2]))(m)
    return programs


def unbatched(m):
    for t in TYPES:
        for shape in ((3, 2), (2, 0), (2, 1, 2), (0, 2), (3,)):
            p = Program()
            d = p.add('UnbatchDataset', sliced(p, m, t, shape), output_types=[t], output_shapes=[list(shape[2:])])
            drain(p, d, [t], [list(shape[2:])], 7)
            yield p
    for shapes in (((2, 2), (2, 2)), ((2, 3), (2, 1))):
        p = Program()
        rows = p.add('TensorSliceDataset', [m(F, s) for s in shapes], output_shapes=[list(s[1:]) for s in shapes])
        d = p.add('UnbatchDataset', rows, output_types=[F, F], output_shapes=[[], []])
        drain(p, d, [F, F], [[], []], 5)
        yield p


def padded(op):
    def batches(p, rows, t, shape, size, pad, value=None, drop=False):
        more = [np.array(drop)] if op == 'PaddedBatchDatasetV2' else []
        return p.add(op, rows, i64(size), [i64(pad)], [value], *more, output_shapes=[[-1] + list(pad)])

    def programs(m):
        for t in TYPES:
            for pad, size in (([-1], 2), ([3], 2), ([-1], 5), ([1], 2)):
                p = Program()
                # Rows of different lengths: parts of two tensors, concatenated.
                a, b = sliced(p, m, t, (2, 2)), sliced(p, m, t, (1, 1))
                rows = p.add('ConcatenateDataset', a, b, output_types=[t], output_shapes=[[-1]])
                d = batches(p, rows, t, [-1], size, pad, random(m, t, ()), bool(m.r.randint(2)))
                drain(p, d, [t], [[-1] + pad], 3)
                yield p
        for size, pad, value in ((0, [-1], 0.), (2, [-1, -1], 0.), (2, [], 0.), (2, [4, 5], 1.), (2, [2], [1., 2.])):
            p = Program()
            d = batches(p, sliced(p, m, F, (3, 2, 3)), F, [2, 3], size, pad, np.array(value, np.float32))
            drain(p, d, [F], [[-1] + pad], 2)
            yield p
    return programs


FILES = '/tmp/tensh_oracle_records_%d'


def file_of(p, name, data):
    p.do('WriteFile', np.array((FILES % name).encode(), object), np.array(data, object))
    return (FILES % name).encode()


def record(data, damage=0):
    """Encodes a record like in TFRecord files."""
    def crc(text):
        c = 0xffffffff
        for b in text:
            c ^= b
            for _ in range(8):
                c = c >> 1 ^ 0x82f63b78 if c & 1 else c >> 1
        c ^= 0xffffffff
        return (((c >> 15 | c << 17) + 0xa282ead8) & 0xffffffff).to_bytes(4, 'little')
    size = len(data).to_bytes(8, 'little')
    return size + crc(size) + data + crc(data + b'!' * damage)


def file_datasets(op):
    records = op.startswith('TFRecord')
    fixed = op.startswith('Fixed')

    def make(p, names, kind=b'', buffer=0, sizes=(1, 3, 2)):
        files = np.array(names, object) if isinstance(names, list) else np.array(names, object)
        if fixed:
            more = [np.array(kind, object)] if op[-2:] == 'V2' else []
            return p.add(op, files, *(i64(n) for n in sizes), i64(buffer), *more)
        more = [np.zeros(0, np.int64)] if op[-2:] == 'V2' else []
        return p.add(op, files, np.array(kind, object), i64(buffer), *more)

    def content(m):
        words = [bytes(m.r.randint(97, 123, m.r.randint(0, 5)).astype(np.uint8)) for _ in range(m.r.randint(0, 4))]
        if records:
            return b''.join(record(w) for w in words)
        if fixed:
            return b'h' + b'abc' * len(words) + b'ff'
        return b'\r\n'.join(words) + (b'\n' if m.r.randint(2) else b'')

    def programs(m):
        for i in range(24):
            p = Program()
            kind = (b'', b'', b'ZLIB', b'GZIP')[m.r.randint(4)] if not fixed or op[-2:] == 'V2' else b''
            pack = {b'': bytes, b'ZLIB': zlib.compress, b'GZIP': lambda d: gzip.compress(d, mtime=0)}[kind]
            names = [file_of(p, k, pack(content(m))) for k in range(m.r.randint(0, 3))]
            drain(p, make(p, names, kind, m.r.randint(0, 3) * 100), [S], [[]], 7)
            yield p
        for data in (b'', b'abc', b'h', record(b'ab')[:-1], record(b'ab', 1) + record(b'c'), record(b'ab') + b'x', b'hab' + b'ff',
                     b'\n\n', b'a\rb\n'):
            p = Program()
            drain(p, make(p, file_of(p, 9, data)), [S], [[]], 3)
            yield p
        for more in ({'kind': b'LZ'}, {'buffer': -1}, {'sizes': (-1, 3, 2)}, {'sizes': (1, 0, 2)}, {'sizes': (1, 3, -2)}):
            p = Program()
            drain(p, make(p, file_of(p, 9, b'habcff'), **more), [S], [[]], 2)
            yield p
        p = Program()
        drain(p, make(p, [b'/tmp/tensh_oracle_no_such_file']), [S], [[]], 2)
        yield p
    return programs


def combined(m):
    """Zip and concatenate."""
    for a in (0, 1, 3):
        for b in (0, 2, 3):
            p = Program()
            d = p.add('ConcatenateDataset', ranged(p, a), ranged(p, b), output_types=[L], output_shapes=[[]])
            drain(p, d, [L], [[]], 8)
            yield p
            p = Program()
            d = p.add('ZipDataset', [ranged(p, a), sliced(p, m, F, (b, 2))], output_types=[L, F], output_shapes=[[], [2]])
            drain(p, d, [L, F], [[], [2]], 4)
            yield p
    for t in TYPES:
        p = Program()
        d = p.add('ConcatenateDataset', sliced(p, m, t, (2, 2)), sliced(p, m, t, (1, 2)), output_types=[t], output_shapes=[[2]])
        drain(p, d, [t], [[2]], 4)
        yield p
        p = Program()
        d = p.add('ZipDataset', [sliced(p, m, t, (2, 2)), ranged(p, 3), sliced(p, m, t, (2,))], output_types=[t, L, t],
                  output_shapes=[[2], [], []])
        drain(p, d, [t, L, t], [[2], [], []], 3)
        yield p


def shuffles(m):
    for n in (0, 1, 5, 20):
        for buffer in (1, 3, 100, 0):
            for seeds in ((1, 2), (7, 0), (0, 3)):
                p = Program()
                d = p.add('ShuffleDataset', ranged(p, n), i64(buffer), i64(seeds[0]), i64(seeds[1]),
                          reshuffle_each_iteration=False, output_types=[L], output_shapes=[[]])
                drain(p, d, [L], [[]], n + 1)
                yield p


def iterators(m):
    for t in TYPES:
        for kind in ('IteratorGetNext', 'IteratorGetNextSync'):
            p = Program()
            it = drain(p, sliced(p, m, t, (2, 2)), [t], [[2]], 1, kind)
            optional = p.add('IteratorGetNextAsOptional', it, output_types=[t], output_shapes=[[2]])
            p.run(p.add('OptionalHasValue', optional), p.add('OptionalGetValue', optional, output_types=[t], output_shapes=[[2]]))
            p.do('OptionalHasValue', optional)
            p.do(kind, it, output_types=[t], output_shapes=[[2]])
            yield p
        p = Program()
        value = p.add('OptionalFromValue', [random(m, t, (2,)), m(F, ())])
        p.do('OptionalHasValue', value)
        p.do('OptionalGetValue', value, output_types=[t, F], output_shapes=[[2], []])
        p.do('OptionalGetValue', value, output_types=[F, t], output_shapes=[[], [2]])
        p.do('OptionalGetValue', value, output_types=[t, F], output_shapes=[[3], []])
        none = p.add('OptionalNone')
        p.do('OptionalHasValue', none)
        p.do('OptionalGetValue', none, output_types=[t], output_shapes=[[]])
        yield p
    for op in ('Iterator', 'IteratorV2'):
        p = Program()
        it = p.add(op, shared_name='', container='', output_types=[L], output_shapes=[[]])
        get = p.add('IteratorGetNext', it, output_types=[L], output_shapes=[[]])
        p.run(get)
        again = p.add('MakeIterator', ranged(p, 2), it)
        for step in (again, get, get, get, again, get):
            p.run(step)
        p.do('MakeIterator', sliced(p, m, F, (2,)), it)
        p.do('MakeIterator', sliced(p, m, F, (2, 2)), it)
        handle = p.add('IteratorToStringHandle', it)
        for version in ('', 'V2'):
            back = p.add('IteratorFromStringHandle' + version, handle, output_types=[L], output_shapes=[[]])
            p.do('IteratorGetNext', back, output_types=[L], output_shapes=[[]])
            wrong = p.add('IteratorFromStringHandle' + version, handle, output_types=[F], output_shapes=[[]])
            p.do('IteratorGetNext', wrong, output_types=[F], output_shapes=[[]])
        yield p
    for types, shapes in (([F], [[]]), ([L, L], [[], []]), ([L], [[2]])):
        p = Program()
        it = p.add('IteratorV2', shared_name='', container='', output_types=[L], output_shapes=[[]])
        p.do('MakeIterator', ranged(p), it)
        p.do('IteratorGetNext', it, output_types=types, output_shapes=shapes)
        yield p
    for shared in ('i', ''):
        p = Program()
        a, b = (p.add('IteratorV2', shared_name=shared, container='', output_types=[L], output_shapes=[[]]) for _ in range(2))
        p.do('MakeIterator', ranged(p), a)
        for it in (a, b, a):
            p.do('IteratorGetNext', it, output_types=[L], output_shapes=[[]])
        yield p


PATH = b'/tmp/tensh_oracle_%s.txt'


def readers(m):
    contents = (b'one\ntwo\n', b'one\r\n\r\nlast', b'', b'\n', b'abcdefghij')
    makes = [('TextLineReaderV2', {}), ('TextLineReaderV2', {'skip_header_lines': 1}), ('WholeFileReaderV2', {}),
             ('FixedLengthRecordReaderV2', {'record_bytes': 3}),
             ('FixedLengthRecordReaderV2', {'record_bytes': 3, 'header_bytes': 1, 'footer_bytes': 1}),
             ('FixedLengthRecordReaderV2', {'record_bytes': 4, 'hop_bytes': 2})]
    for number, content in enumerate(contents):
        for kind, attrs in makes:
            p = Program()
            name = np.array(PATH % str(number).encode(), object)
            p.do('WriteFile', name, np.array(content, object))
            q = p.add('FIFOQueueV2', component_types=[S], shapes=[[]])
            p.do('QueueEnqueueV2', q, [name])
            p.do('QueueCloseV2', q)
            r = p.add(kind, **attrs)
            get = p.add('ReaderReadV2', r, q)
            p.run(get)
            p.do('ReaderNumRecordsProducedV2', r)
            p.do('ReaderReadUpToV2', r, q, i64(2))
            p.run(get)
            p.do('ReaderNumWorkUnitsCompletedV2', r)
            p.do('ReaderResetV2', r)
            p.do('ReaderNumRecordsProducedV2', r)
            p.do('ReadFile', name)
            yield p
    for items in ([b'a', b'b'], []):
        p = Program()
        q = p.add('FIFOQueueV2', component_types=[S], shapes=[[]])
        p.do('QueueEnqueueManyV2', q, [np.array(items, object)])
        p.do('QueueCloseV2', q)
        r = p.add('IdentityReaderV2')
        for _ in range(3):
            p.do('ReaderReadV2', r, q)
        p.do('ReaderReadUpToV2', r, q, i64(0))
        yield p
    p = Program()
    q = p.add('FIFOQueueV2', component_types=[S], shapes=[[]])
    p.do('QueueEnqueueV2', q, [np.array(b'/tmp/tensh_oracle_no_such_file', object)])
    p.do('ReaderReadV2', p.add('TextLineReaderV2'), q)
    p.do('ReaderReadV2', p.add('WholeFileReaderV2'), p.add('FIFOQueueV2', component_types=[L], shapes=[[]]))
    p.do('ReadFile', np.array(b'/tmp/tensh_oracle_no_such_file', object))
    yield p


def branches(m):
    """Switch and Merge, in both directions."""
    for d in ALL + ('half', 'complex64', 'int8'):
        for side in (False, True):
            for shape in ((), (2,)):
                p = Program()
                s = p.add('Switch', random(m, d, shape), np.array(side))
                merge = p.add('Merge', [s, s + ':1'])
                p.run(merge)
                p.run(p.add('Identity', s + ':1' if side else s))
                p.run(p.add('Merge', [p.add('Identity', s), p.add('Identity', s + ':1'), p.add('Identity', s)]))
                yield p
                if side:
                    continue
                p = Program()
                v = variable(p, random(m, d, shape), d, True)
                s = p.add('RefSwitch', v, np.array(side))
                p.run(p.add('RefMerge', [s, s + ':1']))
                p.do('Assign', s, random(m, d, shape))
                read(p, v, d, True)
                yield p
    p = Program()
    p.run(p.add('Merge', [p.add('Switch', m(F, ()), np.array(True))]))
    yield p
    p = Program()
    p.do('Identity', p.add('Switch', m(F, ()), np.array([True, False])))
    yield p


def loops(m):
    """while i < n with a frame made by hand. A list of nodes cannot contain a cycle, so there is a single pass."""
    for d in ALL + ('half', 'complex64', 'int8'):
        for constant in (False, True):
            for shape in ((), (2,)):
                p = Program()
                e = p.add('Enter', random(m, d, shape), frame_name='f', is_constant=constant)
                p.run(p.add('Exit', e))
                yield p
                p = Program()
                v = variable(p, random(m, d, shape), d, True)
                e = p.add('RefEnter', v, frame_name='f', is_constant=constant)
                p.run(p.add('RefExit', e))
                yield p
    for value in (True, False):
        p = Program()
        e = p.add('Enter', np.array(value), frame_name='f')
        p.run(p.add('Exit', p.add('LoopCond', e)))
        yield p
        p = Program()
        p.do('LoopCond', np.array(value))
        yield p
    p = Program()
    e = p.add('Enter', m(F, ()), frame_name='f')
    inner = p.add('Enter', e, frame_name='g')
    p.run(p.add('Exit', p.add('Exit', inner)))
    yield p


DATA = {
    'RangeDataset': ranges, 'TensorSliceDataset': tensors, 'TensorDataset': tensors, 'DatasetToSingleElement': tensors,
    'RepeatDataset': counted('RepeatDataset', (2, 0, 1, -1)), 'TakeDataset': counted('TakeDataset', (2, 0, 9, -1, -5)),
    'SkipDataset': counted('SkipDataset', (2, 0, 9, -1)), 'PrefetchDataset': counted('PrefetchDataset', (2, 0, 9, -1)),
    'BatchDataset': batched('BatchDataset'), 'BatchDatasetV2': batched('BatchDatasetV2'),
    'ZipDataset': combined, 'ConcatenateDataset': combined, 'ShuffleDataset': shuffles, 'ShardDataset': shards,
    'ParallelBatchDataset': batched('ParallelBatchDataset'),
    'CacheDataset': cached, 'CacheDatasetV2': lambda m: cached(m, 'CacheDatasetV2'), 'DummyMemoryCache': lambda m: cached(m, 'CacheDatasetV2'), 'UnbatchDataset': unbatched,
}
DATA.update({op: padded(op) for op in ('PaddedBatchDataset', 'PaddedBatchDatasetV2')})
DATA.update({op: file_datasets(op) for op in (
    'TextLineDataset', 'TFRecordDataset', 'TFRecordDatasetV2', 'FixedLengthRecordDataset', 'FixedLengthRecordDatasetV2')})
DATA.update({op: iterators for op in (
    'Iterator', 'IteratorV2', 'MakeIterator', 'IteratorGetNext', 'IteratorGetNextSync', 'IteratorGetNextAsOptional',
    'IteratorToStringHandle', 'IteratorFromStringHandle', 'IteratorFromStringHandleV2', 'OptionalFromValue', 'OptionalHasValue',
    'OptionalGetValue', 'OptionalNone')})
DATA.update({op: readers for op in (
    'TextLineReaderV2', 'WholeFileReaderV2', 'FixedLengthRecordReaderV2', 'IdentityReaderV2', 'ReaderReadV2', 'ReaderReadUpToV2',
    'ReaderNumRecordsProducedV2', 'ReaderNumWorkUnitsCompletedV2', 'ReaderResetV2', 'ReadFile', 'WriteFile')})
DATA.update({op: branches for op in ('Switch', 'Merge', 'RefSwitch', 'RefMerge')})
DATA.update({op: loops for op in ('Enter', 'Exit', 'RefEnter', 'RefExit', 'LoopCond')})
DATA.update({op: repeated_shuffles(op) for op in ('ShuffleAndRepeatDataset', 'ShuffleAndRepeatDatasetV2')})
DATA.update({'DirectedInterleaveDataset': directed, 'SamplingDataset': sampled, 'RandomDataset': random_numbers, 'UniqueDataset': uniques,
             'AssertCardinalityDataset': counted_exactly, 'OptionsDataset': noted('OptionsDataset', serialized_options=''),
             'IgnoreErrorsDataset': noted('IgnoreErrorsDataset'), 'FinalizeDataset': noted('FinalizeDataset')})
DATA.update({op: threads(op) for op in ('MaxIntraOpParallelismDataset', 'PrivateThreadPoolDataset')})
