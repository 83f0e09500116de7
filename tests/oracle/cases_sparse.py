"""Oracle cases for sparse tensors and strings (see cases.py)."""
import numpy as np

from cases import B, D, F, I, L, S, arr, ints
from cases_array import scalar

TEXTS = [b'', b'a', b'hello world', b'a1b22c333', b'\xc3\xa9t\xc3\xa9', b'x' * 15, b'0123456789abcdef', b'y' * 31,
         b'z' * 64, b'w' * 65, b'v' * 200]


def rows(*values, rank=2):
    return np.array(values, np.int64).reshape(-1, rank)


def sp(m, d, low=-5, high=6):
    return [rows([0, 1], [0, 3], [2, 0], [2, 2]), m(d, (4,), low, high), ints(3, 4, dtype=L)]


def sp2(m, d, low=-5, high=6):
    return [rows([0, 0], [0, 3], [1, 1]), m(d, (3,), low, high), ints(3, 4, dtype=L)]


def none(m, d):
    return [rows(), m(d, (0,)), ints(3, 4, dtype=L)]


def bad_shapes(m):
    yield [rows([0, 1]), m(F, (2,)), ints(3, 4, dtype=L)]
    yield [rows([0, 1]), m(F, (1,)), ints(3, dtype=L)]
    yield [ints(0, 1, dtype=L), m(F, (2,)), ints(3, dtype=L)]


def reorder(m):
    for d in (F, D, I, L, B, S):
        yield [rows([2, 1], [0, 3], [2, 0], [0, 0]), m(d, (4,)), ints(3, 4, dtype=L)], {}
        yield none(m, d), {}
    for bad in bad_shapes(m):
        yield bad, {}


def reshape(m):
    s = sp(m, F)
    for new in ([12], [2, 6], [-1, 2], [3, 2, 2], [12, 1]):
        yield [s[0], s[2], ints(*new, dtype=L)], {}
    for new in ([5], [-1, -1], [-2, 6], [-1, 5]):
        yield [s[0], s[2], ints(*new, dtype=L)], {}
    yield [rows(), ints(0, 4, dtype=L), ints(4, 0, dtype=L)], {}


def concat(m):
    for d in (F, I, S):
        for dim in (0, 1, -1):
            a, b = sp(m, d), sp2(m, d)
            yield [[a[0], b[0]], [a[1], b[1]], [a[2], b[2]]], {'concat_dim': dim}
    a, b = sp(m, F), sp2(m, F)
    yield [[a[0], b[0]], [a[1], b[1]], [a[2], ints(2, 4, dtype=L)]], {'concat_dim': 1}
    yield [[a[0], b[0]], [a[1], b[1]], [a[2], b[2]]], {'concat_dim': 2}


def split(m):
    for d in (F, S):
        for dim in (0, 1):
            for n in (1, 2, 3):
                yield [scalar(dim, L)] + sp(m, d), {'num_split': n}
    yield [scalar(0, L)] + sp(m, F), {'num_split': 4}
    yield [scalar(5, L)] + sp(m, F), {'num_split': 1}


def slices(m):
    for d in (F, I, S):
        for start, size in (([0, 0], [3, 4]), ([1, 1], [2, 2]), ([0, 2], [1, 9]), ([3, 4], [1, 1])):
            yield sp(m, d) + [ints(*start, dtype=L), ints(*size, dtype=L)], {}


def slice_grad(m):
    for d in (F, D, I):
        yield [m(d, (2,)), rows([0, 1], [1, 2], [2, 0], [2, 3]), ints(1, 0, dtype=L), rows([0, 2], [1, 0])], {}
        yield [m(d, (0,)), rows([0, 1]), ints(1, 0, dtype=L), rows()], {}


def add(m):
    for d in (F, D, I, L):
        for thresh in (0, 3):
            yield sp(m, d) + sp2(m, d) + [scalar(thresh, d)], {}
        yield sp(m, d) + none(m, d) + [scalar(0, d)], {}
    yield sp(m, F) + sp2(m, F)[:2] + [ints(3, 5, dtype=L), scalar(0., F)], {}


def add_grad(m):
    for d in (F, I):
        a, b = sp(m, d)[0], sp2(m, d)[0]
        total = rows([0, 0], [0, 1], [0, 3], [1, 1], [2, 0], [2, 2])
        yield [m(d, (6,)), a, b, total], {}
        yield [m(d, (4,)), a, b, a], {}
    yield [m(F, (2,)), a, b, total], {}


def dense_add(m):
    for d in (F, D, I, L):
        for index in (I, L):
            s = sp(m, d)
            yield [s[0].astype(np.int32 if index == I else np.int64), s[1], ints(3, 4, dtype=index), m(d, (3, 4))], {}
    yield sp(m, F) + [m(F, (3, 3))], {}
    yield sp(m, F) + [m(F, (4,))], {}
    yield [rows([0, 9]), m(F, (1,)), ints(3, 4, dtype=L), m(F, (3, 4))], {}


def cwise(m):
    for d in (F, D, I, L):
        for shape in ((3, 4), (4,), (1, 4), (3, 1), ()):
            yield sp(m, d) + [m(d, shape, 1, 9)], {}
    yield sp(m, F) + [m(F, (3,))], {}
    yield sp(m, F) + [m(F, (2, 3, 4))], {}


def reduce(m):
    for d in (F, D, I, L):
        for axes in ([0], [1], [0, 1], [-1], []):
            for keep in (False, True):
                yield sp(m, d) + [ints(*axes)], {'keep_dims': keep}
    yield none(m, F) + [ints(0)], {}
    yield sp(m, F) + [ints(2)], {}
    yield sp(m, F) + [ints(-3)], {}


def softmax(m):
    for d in (F, D):
        yield sp(m, d), {}
        yield none(m, d), {}
        yield [np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0]], np.int64), m(d, (3,)), ints(2, 2, 2, dtype=L)], {}
    yield [rows([0], [1], rank=1), m(F, (2,)), ints(2, dtype=L)], {}


def fill(m):
    for d in (F, I, S):
        yield sp(m, d) + [m(d, ())], {}
        yield none(m, d) + [m(d, ())], {}
    yield [rows([2, 0], [0, 0]), m(F, (2,)), ints(4, 2, dtype=L), m(F, ())], {}
    yield [rows([5, 0]), m(F, (1,)), ints(4, 2, dtype=L), m(F, ())], {}


def fill_grad(m):
    for d in (F, D, I):
        yield [ints(0, 2, dtype=L), m(d, (4,))], {}
    yield [ints(0, 4, dtype=L), m(F, (4,))], {}
    yield [ints(-1, dtype=L), m(F, (4,))], {}


def best(m):
    for d in (F, D, I, L):
        yield sp(m, d) + sp2(m, d), {}
    yield sp(m, F) + sp2(m, F)[:2] + [ints(3, 5, dtype=L)], {}


def distance(m):
    for d in (I, S, L):
        for normalize in (False, True):
            yield [rows([0, 0], [0, 1], [1, 0]), arr(d, m(d, (3,), 0, 3)), ints(3, 2, dtype=L), rows([0, 0], [1, 0], [1, 1]),
                   arr(d, m(d, (3,), 0, 3)), ints(3, 2, dtype=L)], {'normalize': normalize}
    yield [rows([0], rank=1), ints(1), ints(2, dtype=L), rows([0], rank=1), ints(1), ints(2, dtype=L)], {}


def ragged_range(m):
    for d in (F, D, I, L):
        yield [arr(d, [0, 5, 8]), arr(d, [3, 5, 12]), arr(d, [1, 1, 3])], {}
        yield [scalar(5, d), scalar(0, d), scalar(-2, d)], {}
        yield [arr(d, [1, 2]), scalar(4, d), scalar(1, d)], {}
    yield [arr(I, [1]), arr(I, [1, 2]), scalar(1, I)], {}
    yield [arr(I, [1]), arr(I, [2]), scalar(0, I)], {}


def ragged_sparse(m):
    for d in (F, S):
        yield [[ints(0, 2, 2, 3, dtype=L)], m(d, (3,))], {}
        yield [[ints(0, 2, 3, dtype=L), ints(0, 1, 1, 4, dtype=L)], m(d, (4,))], {}
        yield [[ints(0, 1, 3, dtype=L)], m(d, (3, 2))], {}
    yield [[ints(1, 2, dtype=L)], m(F, (2,))], {}
    yield [[ints(0, 1, dtype=L)], m(F, (2,))], {}
    yield [[ints(0, 2, 1, dtype=L)], m(F, (1,))], {}


def buckets(m):
    for n in (1, 10, 2**62):
        yield [arr(S, TEXTS)], {'num_buckets': n}
    yield [m(S, (2, 3))], {'num_buckets': 7}


def strong(m):
    for key in ([0, 0], [1, -2], [2**63 - 1, 5]):
        yield [arr(S, TEXTS)], {'num_buckets': 2**62, 'key': key}
    yield [arr(S, TEXTS)], {'num_buckets': 3, 'key': [1]}


def text(value):
    return arr(S, [value]).reshape(())


def regex(m):
    for pattern, rewrite in ((b'[0-9]+', b'_'), (b'(.)(.)', b'\\2\\1'), (b'', b'-'), (b'l+', b'<\\0>'), (b'(', b'x'),
                             (b'a', b'\\3')):
        for every in (True, False):
            yield [arr(S, TEXTS[:5]), text(pattern), text(rewrite)], {'replace_global': every}
    yield [arr(S, TEXTS[:2]), arr(S, [b'a']), text(b'x')], {}


def static_regex(m):
    for pattern, rewrite in (('[0-9]+', '_'), ('(.)(.)', '\\2\\1'), ('(', 'x')):
        yield [arr(S, TEXTS[:5])], {'pattern': pattern, 'rewrite': rewrite}


def match(m):
    for pattern in (b'[a-z ]*', b'', b'a.*', b'*'):
        yield [arr(S, TEXTS[:5]), text(pattern)], {}


def static_match(m):
    for pattern in ('[a-z ]*', '', 'a.*', '*'):
        yield [arr(S, TEXTS[:5])], {'pattern': pattern}


def encode(m):
    for pad in (True, False):
        yield [arr(S, TEXTS)], {'pad': pad}


def decode(m):
    yield [arr(S, [b'', b'YQ', b'YQ==', b'YWI', b'YWI=', b'YWJj', b'_-8'])], {}
    for bad in (b'Y', b'Y*', b'YQ=', b'Y Q=', b'YQ==='):
        yield [arr(S, [bad])], {}


def join(m):
    grid = arr(S, [b'a', b'b', b'c', b'd', b'e', b'f']).reshape(1, 2, 3)
    for axes in ([0], [1], [2], [-1], [1, 2], [2, 1], [0, 1, 2], []):
        for keep in (True, False):
            yield [grid, ints(*axes)], {'keep_dims': keep, 'separator': ','}
    yield [grid, ints(1, 1)], {}
    yield [grid, ints(1, -2)], {}
    yield [text(b'x'), ints()], {}


def segment_join(m):
    for index in (I, L):
        yield [arr(S, TEXTS[:4]), ints(0, 2, 0, 1, dtype=index), scalar(3, I)], {'separator': ':'}
        yield [m(S, (3, 2)), ints(1, 1, 0, dtype=index), scalar(2, L)], {}
    yield [arr(S, TEXTS[:2]), ints(0, 5), scalar(3, I)], {}
    yield [arr(S, TEXTS[:2]), ints(0, -1), scalar(3, I)], {}
    yield [arr(S, TEXTS[:2]), ints(0), scalar(3, I)], {}


def fmt(m):
    for d in (F, D, I, L, B, S):
        for shape in ((), (3,), (7,), (8, 2), (2, 9, 3), (0,), (2, 0)):
            yield [[m(d, shape)]], {'template': '<{}>', 'placeholder': '{}', 'summarize': 2}
        yield [[m(d, (5,)), m(d, ())]], {'template': 'a {} b {}', 'placeholder': '{}', 'summarize': -1}
    yield [[m(F, (2,))]], {'template': 'none', 'placeholder': '{}'}


SPARSE = {
    'SparseReorder': reorder, 'SparseReshape': reshape, 'SparseConcat': concat, 'SparseSplit': split,
    'SparseSlice': slices, 'SparseSliceGrad': slice_grad, 'SparseAdd': add, 'SparseAddGrad': add_grad,
    'SparseTensorDenseAdd': dense_add, 'SparseDenseCwiseMul': cwise, 'SparseDenseCwiseDiv': cwise,
    'SparseDenseCwiseAdd': cwise, 'SparseReduceSum': reduce, 'SparseReduceSumSparse': reduce,
    'SparseReduceMax': reduce, 'SparseReduceMaxSparse': reduce, 'SparseSoftmax': softmax,
    'SparseFillEmptyRows': fill, 'SparseFillEmptyRowsGrad': fill_grad, 'SparseSparseMaximum': best,
    'SparseSparseMinimum': best, 'EditDistance': distance, 'RaggedRange': ragged_range,
    'RaggedTensorToSparse': ragged_sparse,
    'StringToHashBucketFast': buckets, 'StringToHashBucket': buckets, 'StringToHashBucketStrong': strong,
    'RegexReplace': regex, 'StaticRegexReplace': static_regex, 'RegexFullMatch': match,
    'StaticRegexFullMatch': static_match, 'EncodeBase64': encode, 'DecodeBase64': decode, 'ReduceJoin': join,
    'UnsortedSegmentJoin': segment_join, 'StringFormat': fmt,
}

ENCODED = [b'a\xc3\xa9', b'\xff', b'\xe2\x82', b'\xed\xa0\x80', b'a\x00b\x1f\n', b'\xf0\x9f\x98\x80', b'\xc0\xaf',
           b'\xf4\x90\x80\x80', b'\xe2\x28\xa1', b'', b'\xf0\x9f\x98']


def unicode_decode(m):
    for errors in ('replace', 'ignore', 'strict'):
        for encoding in ('UTF-8', 'US-ASCII', 'ISO-8859-1', 'UTF-16-BE', 'UTF-16-LE', 'UTF-32-BE'):
            for s in ([b'a\xc3\xa9', b''], [b'ab\x00\x00', b'\x00\x00\x00a'], [b'\x00a\xd8\x3d\xde\x00']):
                yield [arr(S, s)], {'input_encoding': encoding, 'errors': errors}
        yield [arr(S, ENCODED)], {'input_encoding': 'UTF-8', 'errors': errors, 'replacement_char': 63}
    yield [arr(S, ENCODED)], {'input_encoding': 'UTF-8', 'replace_control_characters': True}
    yield [m(S, (2, 2))], {'input_encoding': 'UTF-8'}


def transcode(m):
    for inputs, attrs in unicode_decode(m):
        for out in ('UTF-8', 'UTF-16-BE', 'UTF-32-BE'):
            yield inputs, dict(attrs, output_encoding=out)


def unicode_encode(m):
    for out in ('UTF-8', 'UTF-16-BE', 'UTF-32-BE'):
        for errors in ('replace', 'ignore', 'strict'):
            yield [ints(97, 233, 0xffff + 1, 0x1f600), ints(0, 2, 2, 4, dtype=L)], {'output_encoding': out, 'errors': errors}
            yield [ints(97, 0xd800, -1, 0x110000), ints(0, 4)], {'output_encoding': out, 'errors': errors}
    for bad in ([], [1, 4], [0, 3, 2, 4], [0, 3]):
        yield [ints(97, 98, 99, 100), ints(*bad, dtype=L)], {'output_encoding': 'UTF-8'}


SPARSE.update({'UnicodeDecode': unicode_decode, 'UnicodeDecodeWithOffsets': unicode_decode,
               'UnicodeTranscode': transcode, 'UnicodeEncode': unicode_encode})
