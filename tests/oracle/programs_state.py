"""Programs with resource variables, updates of their parts, and counters (see program.py)."""
import numpy as np

from cases import B, D, F, FLOATS, I, INTS, L, S, SPECIAL, arr, ints
from program import Program
from programs_train import HALVES, read, variable
from tensor_text import DTYPES

NUMBERS = (F, D, I, L)
RARE = ('half', 'bfloat16', 'int8', 'uint8', 'int16', 'uint16', 'complex64', 'complex128')
ALL = NUMBERS + (B, S)
WIDE_INTS = {I: 2**31 - 1, L: 2**63 - 1}


def random(m, dtype, shape, low=-10, high=10):
    if dtype in ALL or dtype in HALVES:
        return m(dtype, shape, low, high)
    if dtype.startswith('complex'):
        return np.asarray(m(F, shape) + 1j * m(F, shape)).astype(DTYPES[dtype])
    return np.asarray(np.abs(m(I, shape, 0, 20))).astype(DTYPES[dtype])


def update(op, held, value, /, *inputs, runs=1, initialize=True, **attrs):
    """Runs the op one or more times on a resource variable with the initial value `value`, and reads the variable
    afterwards."""
    p = Program()
    v = variable(p, value, held, False, initialize)
    node = p.add(op, v, *inputs, **attrs)
    for _ in range(runs):
        p.run(node)
    if initialize:
        read(p, v, held, False)
    return p


def assign(op):
    def programs(m):
        for d in NUMBERS + RARE[:6]:
            if d in RARE and op != 'AssignVariableOp' and d in ('uint16',):
                continue
            for shape in ((), (3,), (2, 0), (2, 3), (1, 2, 1, 2, 1)):
                yield update(op, d, random(m, d, shape), random(m, d, shape), runs=2)
        for d in ('complex64', 'complex128'):
            yield update(op, d, random(m, d, (2,)), random(m, d, (2,)))
        for d in FLOATS:
            yield update(op, d, arr(d, SPECIAL[d]), arr(d, SPECIAL[d][::-1]))
        for d in INTS:
            yield update(op, d, arr(d, SPECIAL[d]), arr(d, SPECIAL[d][::-1]))
        yield update(op, F, m(F, (3,)), m(F, (2,)))
        yield update(op, F, m(F, (3,)), m(F, ()))
        yield update(op, F, m(F, (3,)), m(F, (3,)), initialize=False)
        yield update(op, F, m(F, (3,)), m(I, (3,)))
        if op == 'AssignVariableOp':
            for d in (B, S):
                yield update(op, d, m(d, (2, 2)), m(d, (2, 2)))
            for flag in (False, True):
                yield update(op, F, m(F, (3,)), m(F, (3,)), validate_shape=flag)
    return programs


def read_variable(m):
    for d in ALL + RARE:
        for shape in ((), (3,), (2, 0, 3)):
            p = Program()
            v = variable(p, random(m, d, shape), d, False)
            p.do('ReadVariableOp', v, dtype=d)
            yield p
    p = Program()
    v = variable(p, m(F, (3,)), F, False, False)
    p.do('ReadVariableOp', v, dtype=F)
    yield p
    p = Program()
    v = variable(p, m(F, (3,)), F, False)
    p.do('ReadVariableOp', v, dtype=D)
    yield p
    for shape in ('<unknown>', [-1], [2, -1]):
        p = Program()
        v = variable(p, m(F, (2, 3) if shape == [2, -1] else (3,)), F, False, shape=shape)
        p.do('ReadVariableOp', v, dtype=F)
        yield p


def var_handle(m):
    for d in ALL + RARE:
        for shape in ((), (2, 3)):
            p = Program()
            v = variable(p, random(m, d, shape), d, False)
            p.do('VarIsInitializedOp', v)
            p.do('VariableShape', v)
            read(p, v, d, False)
            yield p
    for one, two in (('x', 'x'), ('x', 'y'), ('', ''), ('x', '')):
        p = Program()
        a = p.add('VarHandleOp', dtype=F, shape=[2], shared_name=one)
        b = p.add('VarHandleOp', dtype=F, shape=[2], shared_name=two)
        p.do('AssignVariableOp', a, m(F, (2,)))
        read(p, b, F, False)
        yield p
    p = Program()
    a = p.add('VarHandleOp', dtype=F, shape=[2], shared_name='x')
    b = p.add('VarHandleOp', dtype=D, shape=[2], shared_name='x')
    p.do('AssignVariableOp', a, m(F, (2,)))
    p.do('AssignVariableOp', b, m(D, (2,)))
    yield p


def is_initialized(m):
    for d in ALL + RARE:
        for first in (True, False):
            p = Program()
            v = variable(p, random(m, d, (2,)), d, False, first)
            p.do('VarIsInitializedOp', v)
            yield p


def disable_copy_on_read(m):
    for d in ALL + RARE:
        for first in (True, False):
            p = Program()
            v = variable(p, random(m, d, (2,)), d, False, first)
            p.run(p.add('DisableCopyOnRead', v))
            p.do('VarIsInitializedOp', v)
            if first:
                p.do('ReadVariableOp', v, dtype=d)
            yield p


def variable_shape(m):
    for d in ALL + RARE[:4]:
        for shape in ((), (0,), (2, 3), (1, 2, 1, 2, 1)):
            p = Program()
            v = variable(p, random(m, d, shape), d, False)
            for kind in (I, L):
                p.do('VariableShape', v, out_type=kind)
            yield p
    p = Program()
    v = variable(p, m(F, (3,)), F, False, False)
    p.do('VariableShape', v)
    yield p


def destroy(m):
    for d in ALL + RARE:
        for ignore in (True, False):
            for first in (True, False):
                p = Program()
                v = variable(p, random(m, d, (2,)), d, False, first)
                node = p.add('DestroyResourceOp', v, ignore_lookup_error=ignore)
                p.run(node)
                p.do('VarIsInitializedOp', v)
                p.run(node)
                yield p


SCATTER_CASES = (((4,), [0, 2]), ((4, 2), [3, 1, 3]), ((2, 0), [1]), ((3, 2), []), ((5,), [4, 0, 1]))


def scatter(op, dtypes, low=-10, high=10):
    def programs(m):
        for d in dtypes:
            for shape, rows in SCATTER_CASES:
                for index in (I, L) if d in (F, I) else (I,):
                    yield update(op, d, random(m, d, shape), ints(*rows, dtype=index),
                                 random(m, d, (len(rows),) + shape[1:], low, high), runs=2)
            if d in NUMBERS:
                yield update(op, d, m(d, (3, 2)), ints(0, 2, dtype=L).reshape(1, 2), m(d, (1, 2, 2), low, high))
                yield update(op, d, m(d, (3, 2)), ints(0, 2), m(d, (), low, high))
                yield update(op, d, m(d, (3, 2)), np.array(1, np.int32), m(d, (2,), low, high))
        for d in FLOATS:
            if d in dtypes:
                v = SPECIAL[d]
                yield update(op, d, arr(d, v), ints(*range(len(v))), arr(d, v[::-1]))
        d = dtypes[0]
        for bad in ([3], [-1], [2**31 - 1], [-2**31]):
            yield update(op, d, m(d, (3,)), ints(*bad), m(d, (1,), low, high))
        yield update(op, d, m(d, (3, 2)), ints(0, 1), m(d, (2, 3), low, high))
        yield update(op, d, m(d, (3, 2)), ints(0, 1), m(d, (3, 2), low, high))
        yield update(op, d, m(d, ()), ints(0), m(d, (1,), low, high))
        yield update(op, d, m(d, (3,)), ints(0), m(d, (1,), low, high), initialize=False)
    return programs


def scatter_nd(op, dtypes):
    def programs(m):
        for d in dtypes:
            yield update(op, d, random(m, d, (4,)), ints(0, 2).reshape(2, 1), random(m, d, (2,)), runs=2)
            yield update(op, d, random(m, d, (3, 2)), ints(0, 2, 0).reshape(3, 1), random(m, d, (3, 2)))
            yield update(op, d, random(m, d, (3, 2)), ints(0, 1, 2, 0, dtype=L).reshape(1, 2, 2), random(m, d, (1, 2)))
            yield update(op, d, random(m, d, (2, 3, 2)), ints(0, 1).reshape(1, 2), random(m, d, (1, 2)))
            yield update(op, d, random(m, d, (3,)), ints().reshape(0, 1), random(m, d, (0,)))
        for d in FLOATS:
            v = SPECIAL[d]
            yield update(op, d, arr(d, v), ints(*range(len(v))).reshape(-1, 1), arr(d, v[::-1]))
        for bad in (3, -1, 2**31 - 1):
            yield update(op, F, m(F, (3,)), ints(bad).reshape(1, 1), m(F, (1,)))
        yield update(op, F, m(F, (3, 2)), ints(0, 1).reshape(1, 2), m(F, (2,)))
        yield update(op, F, m(F, (3, 2)), ints(0, 1, 1).reshape(1, 3), m(F, (1,)))
        yield update(op, F, m(F, (3,)), np.array(0, np.int32), m(F, ()))
        yield update(op, F, m(F, (3,)), ints(0).reshape(1, 1), m(F, (1,)), initialize=False)
    return programs


def gather(m):
    for d in ALL + RARE:
        for shape, index in (((4,), [0, 2]), ((3, 2), [2, 0, 2]), ((3, 0), [1]), ((2, 3), [])):
            for kind in (I, L) if d in NUMBERS else (I,):
                yield update('ResourceGather', d, random(m, d, shape), ints(*index, dtype=kind), dtype=d)
    yield update('ResourceGather', F, m(F, (4, 2)), ints(0, 1, 2, 3).reshape(2, 2), dtype=F)
    yield update('ResourceGather', F, m(F, (4, 2)), np.array(3, np.int32), dtype=F)
    yield update('ResourceGather', F, m(F, (2, 3)), ints(0, 1, 2, 0).reshape(2, 2), dtype=F, batch_dims=1)
    for bad in (4, -1, 2**31 - 1):
        yield update('ResourceGather', F, m(F, (4,)), ints(bad), dtype=F)
    yield update('ResourceGather', F, m(F, ()), ints(0), dtype=F)
    yield update('ResourceGather', F, m(F, (4,)), ints(0), dtype=D)
    yield update('ResourceGather', F, m(F, (4,)), ints(0), dtype=F, initialize=False)


def gather_nd(m):
    for d in ALL + RARE:
        for shape, index in (((4,), (2, 1)), ((3, 2), (2, 2)), ((3, 2), (1, 1)), ((2, 2), (0, 2))):
            yield update('ResourceGatherNd', d, random(m, d, shape), m(I, index, 0, 2), dtype=d)
    for bad in ([4], [-1]):
        yield update('ResourceGatherNd', F, m(F, (4,)), ints(*bad), dtype=F)
    yield update('ResourceGatherNd', F, m(F, (4,)), ints(0, 0), dtype=F)
    yield update('ResourceGatherNd', F, m(F, (4,)), np.array(0, np.int32), dtype=F)
    yield update('ResourceGatherNd', F, m(F, (4,)), ints(0), dtype=F, initialize=False)


SLICES = [((4,), [1], [3], [1], {}), ((4,), [0], [4], [2], {}), ((4,), [3], [0], [-1], {}), ((4,), [-1], [-3], [-1], {}),
          ((3, 2), [1], [2], [1], {}), ((3, 2), [0, 1], [2, 2], [1, 1], {}), ((3, 2), [1], [2], [1], {'shrink_axis_mask': 1}),
          ((3, 2), [0, 0], [0, 0], [1, 1], {'begin_mask': 3, 'end_mask': 3}), ((4,), [2], [2], [1], {}),
          ((2, 3, 2), [0, 1], [0, 2], [1, 1], {'ellipsis_mask': 1}), ((3,), [0, 0], [1, 3], [1, 1], {'new_axis_mask': 1})]
EXTENT = [(2,), (2,), (3,), (2,), (1, 2), (2, 1), (2,), (3, 2), (0,), (2, 3, 1), (1, 3)]


def slice_assign(op):
    ref = op == 'StridedSliceAssign'

    def one(m, d, shape, begin, end, strides, value, attrs, initialize=True):
        p = Program()
        v = variable(p, random(m, d, shape), d, ref, initialize)
        p.do(op, v, ints(*begin), ints(*end), ints(*strides), value, **attrs)
        if initialize:
            read(p, v, d, ref)
        return p

    def programs(m):
        for d in (F, I, S, B, 'half', 'complex64'):
            for (shape, begin, end, strides, attrs), extent in zip(SLICES, EXTENT):
                yield one(m, d, shape, begin, end, strides, random(m, d, extent), attrs)
        yield one(m, F, (4,), [0], [2], [1], m(F, (3,)), {})
        yield one(m, F, (4,), [0], [2], [0], m(F, (2,)), {})
        yield one(m, F, (4,), [0], [2], [1], m(F, ()), {})
        yield one(m, F, (4,), [0, 0], [2, 1], [1, 1], m(F, (2,)), {})
        yield one(m, F, (4,), [0], [2], [1], m(F, (2,)), {}, False)
        yield one(m, F, (4,), [9], [10], [1], m(F, (1,)), {'shrink_axis_mask': 1})
    return programs


def count_up_to(op):
    ref = op == 'CountUpTo'

    def programs(m):
        for d in INTS:
            for start, limit in ((0, 2), (5, 5), (-3, -1), (7, 3), (WIDE_INTS[d] - 1, WIDE_INTS[d]), (0, -1), (0, 0)):
                for shape in ((), (1,)):
                    p = Program()
                    v = variable(p, np.full(shape, start, DTYPES[d]), d, ref)
                    node = p.add(op, v, limit=limit, **({} if ref else {'T': d}))
                    for _ in range(3):
                        p.run(node)
                    read(p, v, d, ref)
                    yield p
            p = Program()
            v = variable(p, np.array(0, DTYPES[d]), d, ref, False)
            p.do(op, v, limit=3, **({} if ref else {'T': d}))
            yield p
    return programs


def ref_ops(m):
    """Ops that pass references on."""
    for d in ALL + RARE:
        for shape in ((), (2, 3)):
            p = Program()
            v = variable(p, random(m, d, shape), d, True)
            p.do('RefIdentity', v)
            p.do('Assign', p.add('RefIdentity', v), random(m, d, shape))
            read(p, v, d, True)
            yield p


STATE_PROGRAMS = {
    'VarHandleOp': var_handle, 'ReadVariableOp': read_variable, 'AssignVariableOp': assign('AssignVariableOp'),
    'AssignAddVariableOp': assign('AssignAddVariableOp'), 'AssignSubVariableOp': assign('AssignSubVariableOp'),
    'VarIsInitializedOp': is_initialized, 'DisableCopyOnRead': disable_copy_on_read, 'VariableShape': variable_shape, 'DestroyResourceOp': destroy,
    'ResourceGather': gather, 'ResourceGatherNd': gather_nd, 'RefIdentity': ref_ops,
    'ResourceStridedSliceAssign': slice_assign('ResourceStridedSliceAssign'),
    'StridedSliceAssign': slice_assign('StridedSliceAssign'),
    'CountUpTo': count_up_to('CountUpTo'), 'ResourceCountUpTo': count_up_to('ResourceCountUpTo'),
    'ResourceScatterUpdate': scatter('ResourceScatterUpdate', NUMBERS + (B, S) + RARE[:5]),
    'ResourceScatterAdd': scatter('ResourceScatterAdd', NUMBERS + RARE),
    'ResourceScatterSub': scatter('ResourceScatterSub', NUMBERS + RARE),
    'ResourceScatterMul': scatter('ResourceScatterMul', NUMBERS + RARE),
    'ResourceScatterDiv': scatter('ResourceScatterDiv', NUMBERS + ('half', 'complex64'), 1, 10),
    'ResourceScatterMin': scatter('ResourceScatterMin', NUMBERS + RARE[:5]),
    'ResourceScatterMax': scatter('ResourceScatterMax', NUMBERS + RARE[:5]),
    'ResourceScatterNdUpdate': scatter_nd('ResourceScatterNdUpdate', NUMBERS + (B, S) + RARE[:3]),
    'ResourceScatterNdAdd': scatter_nd('ResourceScatterNdAdd', NUMBERS + ('half', 'complex64', 'bfloat16')),
    'ResourceScatterNdSub': scatter_nd('ResourceScatterNdSub', NUMBERS + ('half', 'complex64', 'bfloat16')),
    'ResourceScatterNdMin': scatter_nd('ResourceScatterNdMin', NUMBERS + ('half',)),
    'ResourceScatterNdMax': scatter_nd('ResourceScatterNdMax', NUMBERS + ('half',)),
}
