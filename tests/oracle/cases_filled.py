"""Random cases for ops with few fixed cases. They provide the thirty cases that each op has at least, and the
thousand of a nightly run (see cases.py)."""
import numpy as np

from cases import B, D, F, FLOATS, I, INTS, L, NUMBERS, S, arr, ints
from cases_array import scalar
from tensor_text import DTYPES

LETTERS = [b'a', b'b', b'', b' ', b'Z', b'9', b'\xc3\xa9', b'\xe6\x97\xa5', b',', b'.', b'-', b'aa', b'ab', b'"', b'\n', b'\xff']


def word(m, n=6, letters=LETTERS):
    return b''.join(letters[i] for i in m.r.randint(0, len(letters), m.r.randint(0, n)))


def words(m, shape=None, n=6, letters=LETTERS):
    shape = tuple(m.r.randint(0, 4, m.r.randint(0, 3))) if shape is None else shape
    out = np.empty(int(np.prod(shape)), object)
    out[:] = [word(m, n, letters) for _ in out]
    return out.reshape(shape)


def pick(m, *values):
    return values[m.r.randint(len(values))]


def dims(m, rank=None):
    return [int(v) for v in m.r.choice([0, 1, 2, 3, 5, 7], m.r.randint(0, 4) if rank is None else rank)]


def concat_offset(m):
    rank, n = m.r.randint(1, 4), m.r.randint(1, 5)
    axis = int(m.r.randint(-rank, rank))
    base = dims(m, rank)
    shapes = [np.array([int(m.r.randint(0, 7)) if i == axis % rank else d for i, d in enumerate(base)], np.int32) for _ in range(n)]
    return [scalar(axis), shapes], {}


def broadcast_args(m):
    shape = dims(m)
    a = [1 if m.r.rand() < .3 else d for d in shape]
    b = [1 if m.r.rand() < .3 else d for d in shape][m.r.randint(0, len(shape) + 1):]
    d = DTYPES[pick(m, I, L)]
    pair = [np.array(a, d), np.array(b, d)]
    return pair[::pick(m, 1, -1)], {}


def permutation(m):
    p = m.r.permutation(m.r.randint(0, 12))
    if m.r.rand() < .2 and p.size:
        p[0] = m.r.randint(-2, p.size + 2)
    return [p.astype(DTYPES[pick(m, I, L)])], {}


def unravel(m):
    shape = [max(1, d) for d in dims(m, m.r.randint(1, 4))]
    d = DTYPES[pick(m, I, L)]
    most = int(np.prod(shape)) + pick(m, 0, 0, 0, 2)
    return [m.r.randint(0, most, m.r.randint(0, 5)).astype(d), np.array(shape, d)], {}


def substr(m):
    d = DTYPES[pick(m, I, L)]
    if m.r.rand() < .5:
        return [words(m), np.array(m.r.randint(-4, 5), d), np.array(m.r.randint(0, 5), d)], {'unit': pick(m, 'BYTE', 'UTF8_CHAR')}
    x = words(m)
    return [x, m.r.randint(-2, 2, x.shape).astype(d), m.r.randint(0, 3, x.shape).astype(d)], {'unit': pick(m, 'BYTE', 'UTF8_CHAR')}


def split(m):
    return [words(m, (m.r.randint(0, 5),), 9), np.array(pick(m, b'', b'a', b',', b'ab', b' '), object)], {'maxsplit': int(m.r.randint(-1, 4))}


def csv(m):
    cells = [b'1', b'-2', b'', b'7 ', b'"3"', b'x', b'1.5', b'99999999999']
    n = m.r.randint(1, 4)
    lines = [b','.join(cells[i] for i in m.r.randint(0, 5 if m.r.rand() < .7 else 8, n)) for _ in range(m.r.randint(0, 4))]
    defaults = [pick(m, ints(9), arr(F, [.5]), arr(S, [b'none']), arr(L, [2]), arr(D, [3.]), np.zeros((0,), np.int32)) for _ in range(n)]
    return [arr(S, lines), defaults], {'use_quote_delim': bool(m.r.rand() < .8)}


def sharded(m):
    return [np.array(word(m), object), scalar(int(m.r.randint(0, 100000)), I), scalar(int(m.r.randint(0, 1000000)), I)], {}


def sharded_spec(m):
    return [np.array(word(m), object), scalar(int(m.r.randint(0, 1000000)), I)], {}


def ragged_range(m):
    d = DTYPES[pick(m, *NUMBERS)]
    n = m.r.randint(0, 4)
    return [m.r.randint(-3, 3, n).astype(d), m.r.randint(-5, 9, n).astype(d), m.r.choice([1, 2, 3, -1, -2], n).astype(d)], {}


def strong(m):
    return [words(m)], {'num_buckets': int(m.r.randint(1, 1000)), 'key': [int(v) for v in m.r.randint(0, 2**31, 2)]}


def buckets(m):
    return [words(m)], {'num_buckets': int(m.r.choice([1, 2, 7, 1000, 2**40]))}


PATTERNS = ('a', '[ab]+', 'a|b', '(a)(b)?', '^a', 'b$', '.', 'a*', '\\d', '\\w+', '[^a]', '(?i)z', 'a{2}', '\\.', '(', '[', '(?:ab)+', '')


def regex(m):
    return [words(m), np.array(pick(m, *PATTERNS).encode(), object), np.array(pick(m, b'', b'X', b'<\\0>', b'\\1', b'\\\\'), object)], {
        'replace_global': bool(m.r.randint(2))}


def static_regex(m):
    return [words(m)], {'pattern': pick(m, *PATTERNS), 'rewrite': pick(m, '', 'X', '<\\0>', '\\1'), 'replace_global': bool(m.r.randint(2))}


def match(m):
    return [words(m), np.array(pick(m, *PATTERNS).encode(), object)], {}


def static_match(m):
    return [words(m)], {'pattern': pick(m, *PATTERNS)}


def base64(m):
    return [words(m, n=12)], {'pad': bool(m.r.randint(2))}


def unbase64(m):
    return [words(m, (1,), 9, [b'A', b'b', b'9', b'-', b'_', b'QQ', b'YWJj', b'=', b'/'])], {}


def join(m):
    x = words(m, tuple(dims(m, m.r.randint(0, 4))))
    axes = m.r.permutation(x.ndim)[:m.r.randint(0, x.ndim + 1)]
    return [x, axes.astype(np.int32)], {'separator': pick(m, '', '-'), 'keep_dims': bool(m.r.randint(2))}


def encode_unicode(m):
    points = m.r.choice([0, 97, 233, 0x3bb, 0x65e5, 0x1f600, 0xd800, 0x10ffff, -1], m.r.randint(0, 7)).astype(np.int32)
    cuts = sorted(m.r.randint(0, points.size + 1, m.r.randint(0, 3)))
    return [points, np.array([0] + cuts + [points.size], DTYPES[pick(m, I, L)])], {
        'output_encoding': pick(m, 'UTF-8', 'UTF-16-BE', 'UTF-32-BE'), 'errors': pick(m, 'replace', 'ignore', 'strict')}


def seed(m):
    return m.r.randint(-2**31, 2**31, 2).astype(DTYPES[pick(m, I, L)])


def sizes(m):
    return np.array(dims(m), DTYPES[pick(m, I, L)])


def stateless_int(m):
    d = DTYPES[pick(m, I, L)]
    low = int(m.r.randint(-100, 100))
    return [sizes(m), seed(m), np.array(low, d), np.array(low + m.r.randint(1, 1000), d)], {}


def keyed(m, more):
    key = m.r.randint(0, 2**31, 1).astype(np.uint64)
    counter = m.r.randint(0, 2**31, 2).astype(np.uint64)
    row, attrs = [sizes(m), key, counter, np.array(1, np.int32)], {'dtype': pick(m, F, D)}
    if more == 'int':
        d = DTYPES[pick(m, I, L)]
        row += [np.array(-5, d), np.array(int(m.r.randint(1, 1000)), d)]
        attrs = {}
    if more == 'full':
        attrs = {'dtype': pick(m, I, L, 'uint32', 'uint64')}
    return row, attrs


def keys(m):
    return [seed(m)], {}


def gamma(m):
    return [sizes(m), m(pick(m, F, D), tuple(dims(m, 1)), .1, 9)], {'seed': int(m.r.randint(1, 99)), 'seed2': int(m.r.randint(99))}


def poisson(m):
    return [sizes(m), np.abs(m(pick(m, F, D), tuple(dims(m, 1)), .1, 30))], {
        'dtype': pick(m, L, F, I, D), 'seed': int(m.r.randint(1, 99)), 'seed2': int(m.r.randint(99))}


def reshape_sparse(m):
    shape = [max(1, d) for d in dims(m, m.r.randint(1, 4))]
    n = m.r.randint(0, 4)
    at = np.stack([m.r.randint(0, d, n) for d in shape], 1).astype(np.int64).reshape(n, len(shape))
    total = int(np.prod(shape))
    return [at, np.array(shape, np.int64), np.array(pick(m, [total], [-1], [1, -1], [total, 1], [-1, 1], [2, -1], [total + 1]), np.int64)], {}


FILLED = {
    'ConcatOffset': concat_offset, 'BroadcastGradientArgs': broadcast_args, 'InvertPermutation': permutation,
    'UnravelIndex': unravel, 'Substr': substr,
    'StringSplitV2': split, 'DecodeCSV': csv, 'ShardedFilename': sharded, 'ShardedFilespec': sharded_spec,
    'RaggedRange': ragged_range, 'StringToHashBucketStrong': strong, 'StringToHashBucket': buckets, 'StringToHashBucketFast': buckets,
    'RegexReplace': regex, 'StaticRegexReplace': static_regex, 'RegexFullMatch': match, 'StaticRegexFullMatch': static_match,
    'EncodeBase64': base64, 'DecodeBase64': unbase64, 'ReduceJoin': join, 'UnicodeEncode': encode_unicode,
    'StatelessRandomUniformInt': stateless_int, 'StatelessRandomUniformV2': lambda m: keyed(m, ''),
    'StatelessRandomNormalV2': lambda m: keyed(m, ''), 'StatelessTruncatedNormalV2': lambda m: keyed(m, ''),
    'StatelessRandomUniformIntV2': lambda m: keyed(m, 'int'), 'StatelessRandomUniformFullIntV2': lambda m: keyed(m, 'full'),
    'StatelessRandomGetKeyCounter': keys, 'StatelessRandomGetKeyCounterAlg': keys, 'RandomGamma': gamma, 'RandomPoissonV2': poisson,
    'SparseReshape': reshape_sparse,
}
