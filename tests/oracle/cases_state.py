"""Oracle cases for the optimizers' ops, strings, sparse tensors and summaries (see cases.py)."""
import numpy as np

from cases import B, D, F, FLOATS, I, L, S, SHAPES, arr, ints
from cases_array import scalar
from cases_nn import train
from tensor_text import Ref


def apply(slots, scalars, positive=(), grad_at=None):
    """Cases of a dense Apply op: var and slots, followed by the scalars, with the gradient at position grad_at."""
    def cases(m):
        def rest(m, d, s):
            out = [scalar(v, d) if not isinstance(v, int) else scalar(v, L) for v in scalars]
            out.insert(len(out) if grad_at is None else grad_at, m(d, s))
            return out
        yield from train(m, slots, rest, positive)
    return cases


def sparse_apply(slots, scalars, positive=(), grad_at=None):
    """The same for some rows. The indices follow the gradient."""
    def cases(m):
        for dtype in FLOATS:
            for shape, rows in (((3,), [0, 2]), ((4, 2), [1, 3, 1]), ((2, 3), []), ((3, 2), [5]), ((3,), [-1])):
                for index in (I, L):
                    refs = [Ref(np.abs(m(dtype, shape)) if i in positive else m(dtype, shape))
                            for i in range(1 + slots)]
                    out = [scalar(v, dtype) if not isinstance(v, int) else scalar(v, L) for v in scalars]
                    at = len(out) if grad_at is None else grad_at
                    out[at:at] = [m(dtype, (len(rows),) + shape[1:]), ints(*rows, dtype=index)]
                    yield refs + out, {}, 2
            yield [Ref(m(dtype, (3,))) for _ in range(1 + slots)] + [
                scalar(v, dtype) if not isinstance(v, int) else scalar(v, L) for v in scalars][:0] + out[:at] + [
                    m(dtype, (2,)), ints(0)] + out[at + 2:], {}
    return cases


TEXTS = [b'', b'a', b' b c ', b'\xc3\xa9t\xc3\xa9', b'Hello World', b'a,b;;c', b'\t x\n']


def texts(m):
    yield [arr(S, TEXTS)], {}
    for shape in SHAPES:
        yield [m(S, shape)], {}


def string_length(m):
    for unit in ('BYTE', 'UTF8_CHAR'):
        yield [arr(S, TEXTS)], {'unit': unit}
        yield [m(S, (2, 3))], {'unit': unit}


def string_to_number(m):
    good = [b'1', b'-2', b' 3 ', b'0']
    for kind in ('float', 'double', 'int32', 'int64'):
        yield [arr(S, good)], {'out_type': kind}
        for bad in (b'', b'x', b'1 2', b'1.5x', b'0x10'):
            yield [arr(S, [bad])], {'out_type': kind}
        yield [arr(S, [b'99999999999999999999'])], {'out_type': kind}
    for kind in ('float', 'double'):
        yield [arr(S, [b'1.5', b'-1e3', b'.5', b'inf', b'1e-3'])], {'out_type': kind}


def substr(m):
    for unit in ('BYTE', 'UTF8_CHAR'):
        for pos, length in ((0, 2), (1, 1), (-1, 1), (0, 0), (0, 99)):
            yield [arr(S, [b'hello', b'w\xc3\xb6rld']), scalar(pos, I), scalar(length, I)], {'unit': unit}
    yield [arr(S, [b'ab', b'cd']), ints(0, 1), ints(1, 1)], {}
    yield [arr(S, [b'ab']), scalar(3, L), scalar(1, L)], {}
    yield [arr(S, [b'ab']), scalar(-3, L), scalar(1, L)], {}


def string_split(m):
    for delimiter in (b' ', b'', b',;', b'x'):
        for skip in (True, False):
            yield [arr(S, TEXTS), arr(S, [delimiter]).reshape(())], {'skip_empty': skip}
    yield [m(S, (2, 2)), arr(S, [b' ']).reshape(())], {}


def string_split_v2(m):
    for sep in (b' ', b'', b',', b'l', b'll'):
        for maxsplit in (-1, 1, 2):
            yield [arr(S, TEXTS), arr(S, [sep]).reshape(())], {'maxsplit': maxsplit}


def decode_csv(m):
    lines = [b'1,2.5,x', b',,', b'7, 3 ,"q ""r"", s"', b'-1,1e3,']
    defaults = [ints(9), arr(F, [.5]), arr(S, [b'none'])]
    yield [arr(S, lines), defaults], {}
    yield [arr(S, [b'1;2;3']), [ints(1), ints(2), ints(3)]], {'field_delim': ';'}
    yield [arr(S, [b'1,NA']), [ints(1), ints(2)]], {'na_value': 'NA'}
    for bad in (b'1', b'1,2,3,4', b'x,1,1', b'"a,1,1', b'a"b,1,1'):
        yield [arr(S, [bad]), defaults], {}
    yield [arr(S, [b',1']), [np.zeros((0,), np.int32), ints(1)]], {}


def sparse_to_dense(m):
    for dtype in (F, D, I, L, S, B):
        yield [ints(1, 3), ints(5), m(dtype, (2,)), m(dtype, ())], {}
        yield [ints(0, 1, 1, 0).reshape(2, 2), ints(2, 2), m(dtype, ()), m(dtype, ())], {}
        yield [scalar(2, I), ints(4), m(dtype, ()), m(dtype, ())], {}
    for bad in ([3, 1], [1, 1], [9, 10], [-1, 2]):
        for check in (True, False):
            yield [ints(*bad), ints(5), m(F, (2,)), m(F, ())], {'validate_indices': check}
    yield [ints(1, 2), ints(5), m(F, (3,)), m(F, ())], {}
    yield [ints(1, 2), ints(5, 5), m(F, (2,)), m(F, ())], {}


def sparse_matmul(m):
    for dtype in (F, D, I):
        for a in (False, True):
            for b in (False, True):
                inner, left = (3, 2) if not a else (2, 3)
                dense = (4, inner) if b else (inner, 4)
                yield [ints(0, 1, 1, 2, 0, 0, dtype=L).reshape(3, 2), m(dtype, (3,)), ints(2, 3, dtype=L),
                       m(dtype, dense)], {'adjoint_a': a, 'adjoint_b': b}
    yield [ints(0, 9, dtype=L).reshape(1, 2), m(F, (1,)), ints(2, 3, dtype=L), m(F, (3, 2))], {}
    yield [ints(0, 1, dtype=L).reshape(1, 2), m(F, (1,)), ints(2, 3, dtype=L), m(F, (2, 2))], {}


def sharded(m):
    yield [arr(S, [b'base']).reshape(()), scalar(1, I), scalar(12, I)], {}


def sharded_spec(m):
    yield [arr(S, [b'base']).reshape(()), scalar(12, I)], {}


STATE = {
    'ApplyAdadelta': apply(2, [.1, .9, 1e-3], (1, 2)), 'ApplyAdagradV2': apply(1, [.1, 1e-3], (1,)),
    'ApplyCenteredRMSProp': apply(3, [.1, .9, .5, 200.], (1, 2, 3)),
    'ApplyProximalGradientDescent': apply(0, [.1, .2, .3]),
    'ApplyProximalAdagrad': apply(1, [.1, .2, .3], (1,)), 'ApplyAdaMax': apply(2, [.9, .1, .9, .999, 1e-3], (2,)),
    'ApplyAddSign': apply(1, [.1, 1., .5, .9]), 'ApplyPowerSign': apply(1, [.1, 1., .5, .9]),
    'ApplyFtrl': apply(2, [.1, .2, .3, -.5], (1,), 0), 'ApplyFtrlV2': apply(2, [.1, .2, .3, .1, -.5], (1,), 0),
    'SparseApplyAdadelta': sparse_apply(2, [.1, .9, 1e-3], (1, 2)), 'SparseApplyAdagrad': sparse_apply(1, [.1], (1,)),
    'SparseApplyMomentum': sparse_apply(1, [.1, .9], (), 1),
    'StringStrip': texts, 'StringUpper': texts, 'StringLower': texts,
    'StringLength': string_length, 'StringToNumber': string_to_number, 'Substr': substr,
    'StringSplit': string_split, 'StringSplitV2': string_split_v2, 'DecodeCSV': decode_csv,
    'SparseToDense': sparse_to_dense, 'SparseTensorDenseMatMul': sparse_matmul,
    'ShardedFilename': sharded, 'ShardedFilespec': sharded_spec,
}
