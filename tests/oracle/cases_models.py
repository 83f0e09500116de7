"""Oracle cases for ops of models of TF 2: ragged tensors, n-grams, projected images, parsed examples (see cases.py)."""
import numpy as np

from cases import DTYPES, F, I, L, S
from cases_example import MESSAGES, one_of, vector, wanted

D, H = 'double', 'half'


def broadcast_args(m):
    for _ in range(40):
        shape = [int(d) for d in m.r.randint(1, 5, m.r.randint(0, 5))]
        a = [1 if m.r.rand() < .3 else d for d in shape]
        b = [1 if m.r.rand() < .3 else d for d in shape][m.r.randint(0, len(shape) + 1):]
        if b and m.r.rand() < .15:
            b[0] += 1
        d = DTYPES[one_of(m, I, L)]
        yield [np.array(a, d), np.array(b, d)][::one_of(m, 1, -1)], {}


def splits_of(m, n, d, rows=None):
    """Returns row splits of n values."""
    cuts = sorted(m.r.randint(0, n + 1, m.r.randint(0, 4) if rows is None else rows - 1))
    return np.array([0] + [int(c) for c in cuts] + [n], DTYPES[d])


def ngrams(m):
    for _ in range(60):
        n = m.r.randint(0, 8)
        data = vector([one_of(m, b'a', b'b', b'c', b'', b'long', b'\xc3\xa9') for _ in range(n)])
        d = one_of(m, I, L)
        splits = splits_of(m, n, d)
        bad = m.r.rand()
        if bad < .05:
            splits[0] = 1
        elif bad < .1:
            splits[-1] += 1
        elif bad < .15:
            splits = splits[:0]
        yield [data, splits], {
            'separator': one_of(m, ' ', '', '|', '::'), 'ngram_widths': [int(w) for w in m.r.randint(1, 5, m.r.randint(0, 3))],
            'left_pad': one_of(m, '', 'L', '<s>'), 'right_pad': one_of(m, '', 'R', '</s>'), 'pad_width': int(one_of(m, -1, 0, 0, 1, 2, 7)),
            'preserve_short_sequences': bool(m.r.randint(2))}


def neighbors(m):
    for _ in range(40):
        n, k, size = m.r.randint(0, 5), m.r.randint(1, 6), m.r.randint(1, 4)
        # Whole numbers, because TensorFlow subtracts rounded squares; centers differ, because their order is not defined.
        points = m.r.randint(-5, 6, (n, size)).astype(np.float32)
        centers = np.cumsum(m.r.randint(1, 6, (k, size)), 0).astype(np.float32) * 16
        yield [points, centers, np.array(m.r.randint(1, 7), np.int64)], {}
    yield [m(F, (2, 3)), m(F, (2, 2)), np.array(1, np.int64)], {}


def project(m, with_value):
    for dtype in ('uint8', I, L, F, D):
        for _ in range(12):
            n, h, w, c = m.r.randint(0, 3), m.r.randint(1, 5), m.r.randint(1, 5), m.r.randint(1, 3)
            images = m.r.randint(0, 100, (n, h, w, c)).astype(DTYPES[dtype])
            kind = m.r.rand()
            rows = n if n and m.r.rand() < .5 else 1
            if kind < .4:  # shifts by whole and half pixels
                t = np.tile(np.array([1, 0, 0, 0, 1, 0, 0, 0], np.float32), (rows, 1))
                t[:, [2, 5]] = m.r.randint(-9, 10, (rows, 2)) / 2
            else:
                t = (m.r.randint(-16, 17, (rows, 8)) / 8).astype(np.float32)
                t[:, 6:] /= 16
            if kind > .95:
                t = t[:, :7]
            size = m.r.randint(1, 6, 2).astype(np.int32)
            if kind > .9:
                size[0] = 0
            # Whole results for integers, because the last bit decides about them.
            nearest = dtype not in (F, D) or m.r.rand() < .3
            row = [images, t, size]
            if with_value:
                row.append(np.array(one_of(m, 0, 7, 1.5 if dtype in (F, D) else 3), np.float32))
            yield row, {'interpolation': 'NEAREST' if nearest else 'BILINEAR', 'fill_mode': one_of(m, 'CONSTANT', 'REFLECT', 'WRAP', 'NEAREST')}


def ragged_to_tensor(m):
    for _ in range(90):
        index, inner = DTYPES[one_of(m, I, L)], [int(d) for d in m.r.randint(1, 3, m.r.choice([0, 0, 1, 2]))]
        levels = m.r.randint(1, 3)
        sizes, parts = [int(m.r.randint(1, 4))], []
        for _ in range(levels):
            lengths = m.r.randint(0, 4, sizes[-1])
            parts.append(lengths)
            sizes.append(int(lengths.sum()))
        by_ids = m.r.rand() < .5
        kinds, tensors = [], []
        if by_ids:
            kinds.append('FIRST_DIM_SIZE')
            tensors.append(np.array(sizes[0], index))
        for lengths in parts:
            kinds.append('VALUE_ROWIDS' if by_ids else 'ROW_SPLITS')
            tensors.append(np.repeat(np.arange(len(lengths)), lengths).astype(index) if by_ids else
                           np.concatenate([[0], np.cumsum(lengths)]).astype(index))
        dtype = one_of(m, F, I, S, L)
        values = m(dtype, tuple([sizes[-1]] + inner))
        default = m(dtype, ()) if not inner or m.r.rand() < .5 else m(dtype, tuple(inner))
        rank = 1 + levels + len(inner)
        if m.r.rand() < .4:
            shape = np.array(-1, DTYPES[one_of(m, I, L)])
        else:
            dims = [int(one_of(m, -1, -1, 1, 2, 5)) for _ in range(1 + levels)] + [one_of(m, -1, d) for d in inner]
            shape = np.array(dims[:rank], DTYPES[one_of(m, I, L)])
        yield [shape, values, default, tensors], {'row_partition_types': kinds, 'num_row_partition_tensors': len(kinds)}


def ragged_gather(m):
    for _ in range(60):
        levels, d = m.r.randint(1, 4), one_of(m, I, L)
        inner = [int(n) for n in m.r.randint(1, 3, m.r.randint(0, 2))]
        rows = int(m.r.randint(1, 4))
        first, splits = rows, []
        for _ in range(levels):
            lengths = m.r.randint(0, 3, rows)
            splits.append(np.concatenate([[0], np.cumsum(lengths)]).astype(DTYPES[d]))
            rows = int(lengths.sum())
        shape = tuple(m.r.randint(0, 3, m.r.randint(0, 3)))
        indices = m.r.randint(0, first + (m.r.rand() < .1), shape).astype(DTYPES[one_of(m, I, L)])
        yield [splits, m(one_of(m, F, I, S), tuple([rows] + inner)), indices], {
            'PARAMS_RAGGED_RANK': levels, 'OUTPUT_RAGGED_RANK': levels + len(shape) - 1}


def parse_example2(m):
    for _ in range(90):
        sparse, types, dense, dense_types, shapes, defaults = wanted(m)
        if [0] in shapes:
            continue  # ends TensorFlow
        good = MESSAGES[:6] if m.r.rand() < .8 else MESSAGES
        messages = [one_of(m, *good) for _ in range(m.r.randint(0, 4))]
        single = m.r.rand() < .3 and [-1] not in shapes
        kinds = {'a': F, 'b': L, 'c': S, 'e': one_of(m, F, L, S)}
        # For a single message, TensorFlow leaves the splits uninitialised.
        ragged = [] if single else [k for k in kinds if k not in sparse + dense and m.r.rand() < .7]
        names = [b'n%d' % i for i in range(len(messages))] if m.r.rand() < .5 and not single else []
        if m.r.rand() < .05:
            names.append(b'more')
        codes = lambda ks: vector([k.encode() for k in ks])
        serialized = np.array(one_of(m, *good), object) if single else vector(messages)
        yield [serialized, vector(names), codes(sparse), codes(dense), codes(ragged), defaults], {
            'num_sparse': len(sparse), 'sparse_types': types, 'dense_shapes': shapes, 'Tdense': dense_types,
            'ragged_value_types': [kinds[k] for k in ragged], 'ragged_split_types': [one_of(m, I, L) for _ in ragged]}


MODELS = {'BroadcastArgs': broadcast_args, 'StringNGrams': ngrams, 'NearestNeighbors': neighbors,
          'ImageProjectiveTransformV2': lambda m: project(m, False), 'ImageProjectiveTransformV3': lambda m: project(m, True),
          'RaggedTensorToTensor': ragged_to_tensor, 'RaggedGather': ragged_gather, 'ParseExampleV2': parse_example2}
