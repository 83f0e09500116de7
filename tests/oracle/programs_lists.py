"""Programs with TensorArrays and TensorLists (see program.py)."""
import numpy as np

from cases import D, F, I, L, S, ints
from program import Program
from programs_flow import TYPES, i32
from programs_state import random


# TensorArrays: all of one step ---------------------------------------------------------------------------------------
def array(p, d, size, **attrs):
    h = p.add('TensorArrayV3', i32(size), dtype=d, **attrs)
    return h, h + ':1'


def written(p, m, d, shape, n, **attrs):
    h, flow = array(p, d, n, **attrs)
    for i in range(n):
        flow = p.add('TensorArrayWriteV3', h, i32(i), random(m, d, shape), flow)
    return h, flow


def arrays(m):
    for d in TYPES:
        for shape in ((), (2,), (2, 0)):
            p = Program()
            h, flow = written(p, m, d, shape, 3, clear_after_read=False)
            p.run(p.add('TensorArrayReadV3', h, i32(1), flow, dtype=d), p.add('TensorArraySizeV3', h, flow),
                  p.add('TensorArrayGatherV3', h, ints(2, 0), flow, dtype=d))
            if shape:
                p.do('TensorArrayConcatV3', h, flow, dtype=d)
            p.do('TensorArrayConcatV3', h, flow, dtype=d, element_shape_except0=[9])
            yield p
        p = Program()
        h, flow = array(p, d, 3)
        flow = p.add('TensorArrayScatterV3', h, ints(2, 0, 1), random(m, d, (3, 2)), flow)
        p.run(p.add('TensorArrayGatherV3', h, ints(0, 1, 2), flow, dtype=d))
        h, flow = array(p, d, 3)
        flow = p.add('TensorArraySplitV3', h, random(m, d, (5, 2)), ints(2, 0, 3, dtype=L), flow)
        p.run(p.add('TensorArrayConcatV3', h, flow, dtype=d))
        yield p


def array_errors(m):
    def once(f, size=2, d=F, **attrs):
        p = Program()
        h, flow = array(p, d, size, **attrs)
        f(p, h, flow)
        return p

    def write(i, value=None, again=False):
        def f(p, h, flow):
            flow = p.add('TensorArrayWriteV3', h, i32(i), m(F, (2,)) if value is None else value, flow)
            if again:
                flow = p.add('TensorArrayWriteV3', h, i32(i), m(F, (2,)), flow)
            p.run(p.add('TensorArraySizeV3', h, flow))
        return f
    for i in (-1, 1, 2, 3, 7):
        yield once(write(i))
        yield once(write(i), dynamic_size=True)
    yield once(write(0, again=True))
    yield once(write(0, m(D, (2,))))
    yield once(write(0, m(F, (3,))), element_shape=[2])
    yield once(write(0), element_shape=[-1])
    for size in (0, -1, -2**31):
        yield once(lambda p, h, flow: p.run(p.add('TensorArraySizeV3', h, flow)), size)

    def read(i, times=1, first=True, d=F):
        def f(p, h, flow):
            if first:
                flow = p.add('TensorArrayWriteV3', h, i32(0), m(F, (2,)), flow)
            got = p.add('TensorArrayReadV3', h, i32(i), flow, dtype=d)
            if times == 2:
                got = p.add('TensorArrayReadV3', h, i32(i), flow, dtype=d, after=[got])
            p.run(got)
        return f
    for i in (-1, 0, 1, 2):
        yield once(read(i))
        yield once(read(i, 2))
        yield once(read(i, 2), clear_after_read=False)
    yield once(read(0, first=False))
    yield once(read(0, first=False), element_shape=[2])
    yield once(read(0, d=D))

    def gather(rows, shapes=((2,), (2,)), **attrs):
        def f(p, h, flow):
            for i, s in enumerate(shapes):
                flow = p.add('TensorArrayWriteV3', h, i32(i), m(F, s), flow)
            p.run(p.add('TensorArrayGatherV3', h, ints(*rows), flow, dtype=F, **attrs))
        return f
    yield once(gather([0, 1]))
    yield once(gather([0, 2]))
    yield once(gather([-1]))
    yield once(gather([]))
    yield once(gather([]), element_shape=[2])
    yield once(gather([0, 1], ((2,), (3,))))
    yield once(gather([0, 1], element_shape=[3]))
    yield once(gather([0, 1], element_shape=[-1]))

    def scatter(rows, shape):
        return lambda p, h, flow: p.run(p.add('TensorArraySizeV3', h, p.add(
            'TensorArrayScatterV3', h, ints(*rows), m(F, shape), flow)))
    for rows, shape in (([0, 1], (2, 3)), ([0, 0], (2, 3)), ([0], (2, 3)), ([5, 0], (2,)), ([-1], (1,)), ([], (0, 2)), ([0], ())):
        yield once(scatter(rows, shape))
        yield once(scatter(rows, shape), dynamic_size=True)

    def split(lengths, shape):
        return lambda p, h, flow: p.run(p.add('TensorArraySizeV3', h, p.add(
            'TensorArraySplitV3', h, m(F, shape), ints(*lengths, dtype=L), flow)))
    for lengths, shape in (([1, 2], (3, 2)), ([1, 1], (3, 2)), ([1, 3], (3, 2)), ([3], (3, 2)), ([1, 1, 1], (3, 2)), ([0, 3], (3,)), ([1, 0], ())):
        yield once(split(lengths, shape))
        yield once(split(lengths, shape), dynamic_size=True)

    def concat(shapes, **attrs):
        def f(p, h, flow):
            for i, s in enumerate(shapes):
                flow = p.add('TensorArrayWriteV3', h, i32(i), m(F, s), flow)
            p.run(p.add('TensorArrayConcatV3', h, flow, dtype=F, **attrs))
        return f
    for shapes in (((2,), (3,)), ((2, 1), (1, 1)), ((2, 1), (1, 2)), ((), ()), ((2,),)):
        yield once(concat(shapes))
        yield once(concat(shapes, element_shape_except0=[1]))
    yield once(concat(()), 0)

    def close(p, h, flow):
        done = p.add('TensorArrayCloseV3', h)
        p.run(done)
        p.run(p.add('TensorArraySizeV3', h, flow, after=[done]))
    yield once(close)


def array_gradients(m):
    for d in (F, D):
        for shape in ((), (2,), (2, 3)):
            for n in (1, 3):
                p = Program()
                h, flow = written(p, m, d, shape, n, clear_after_read=False)
                g = p.add('TensorArrayGradV3', h, flow, source='g')
                more = g + ':1'
                for i in range(n):
                    more = p.add('TensorArrayWriteV3', g, i32(i), random(m, d, shape), more)
                more = p.add('TensorArrayWriteV3', g, i32(0), random(m, d, shape), more)
                p.run(p.add('TensorArrayReadV3', g, i32(0), more, dtype=d), p.add('TensorArraySizeV3', g, more))
                h2, flow2 = written(p, m, d, shape, n, clear_after_read=False)
                w = p.add('TensorArrayGradWithShape', h2, flow2, ints(4), source='g')
                value = random(m, d, (4,) + shape)
                p.run(p.add('TensorArrayReadV3', w, i32(0), p.add('TensorArrayWriteV3', w, i32(0), value, w + ':1'), dtype=d))
                p.run(p.add('TensorArrayReadV3', w, i32(n), w + ':1', dtype=d))
                p.run(p.add('TensorArrayReadV3', g, i32(n - 1), g + ':1', dtype=d))
                yield p
    for name in ('', 'g', 'h'):
        p = Program()
        h, flow = written(p, m, F, (2,), 2)
        a, b = (p.add('TensorArrayGradV3', h, flow, source=s) for s in (name, 'g'))
        flow = p.add('TensorArrayWriteV3', a, i32(0), m(F, (2,)), a + ':1')
        p.run(p.add('TensorArrayReadV3', b, i32(0), flow, dtype=F))
        yield p
    for d in (I, S):
        p = Program()
        h, flow = written(p, m, d, (2,), 2)
        g = p.add('TensorArrayGradV3', h, flow, source='g')
        more = p.add('TensorArrayWriteV3', g, i32(0), random(m, d, (2,)), g + ':1')
        more = p.add('TensorArrayWriteV3', g, i32(0), random(m, d, (2,)), more)
        p.run(p.add('TensorArrayReadV3', g, i32(0), more, dtype=d))
        yield p


def array_op(m):
    yield from arrays(m)
    yield from array_errors(m)


# TensorLists ---------------------------------------------------------------------------------------------------------
def make_list(p, m, d, shape, n):
    return p.add('TensorListFromTensor', random(m, d, (n,) + tuple(shape)), ints(*shape))


def stack(p, handle, d, shape=None, **attrs):
    return p.do('TensorListStack', handle, i32(-1) if shape is None else ints(*shape), element_dtype=d, **attrs)


def lists(m):
    for d in TYPES:
        for shape in ((), (2,)):
            p = Program()
            empty = p.add('EmptyTensorList', ints(*shape), i32(-1), element_dtype=d)
            one = p.add('TensorListPushBack', empty, random(m, d, shape))
            two = p.add('TensorListPushBack', one, random(m, d, shape))
            p.do('TensorListLength', two)
            stack(p, two, d, shape)
            pop = p.add('TensorListPopBack', two, ints(*shape), element_dtype=d)
            p.run(pop)
            p.do('TensorListLength', pop)
            p.do('TensorListGetItem', two, i32(1), ints(*shape), element_dtype=d)
            p.do('TensorListElementShape', two, shape_type=I)
            p.do('TensorListElementShape', two, shape_type=L)
            stack(p, p.add('TensorListConcatLists', one, two, element_dtype=d), d, shape)
            yield p
        p = Program()
        reserved = p.add('TensorListReserve', ints(2), i32(3), element_dtype=d)
        p.do('TensorListLength', reserved)
        put = p.add('TensorListSetItem', reserved, i32(1), random(m, d, (2,)))
        p.do('TensorListGetItem', put, i32(1), ints(2), element_dtype=d)
        p.do('TensorListGetItem', put, i32(0), ints(2), element_dtype=d)
        stack(p, put, d, (2,))
        stack(p, put, d, (2,), num_elements=3)
        p.do('TensorListLength', p.add('TensorListResize', put, i32(5)))
        stack(p, p.add('TensorListResize', put, i32(2)), d, (2,))
        p.do('TensorListGather', put, ints(1, 0, 1), ints(2), element_dtype=d)
        yield p
        p = Program()
        scattered = p.add('TensorListScatter', random(m, d, (3, 2)), ints(2, 0, 1), ints(2))
        stack(p, scattered, d, (2,))
        p.do('TensorListGather', scattered, ints(0, 2), ints(2), element_dtype=d)
        second = p.add('TensorListScatterV2', random(m, d, (2, 2)), ints(3, 0), ints(2), i32(5))
        p.do('TensorListLength', second)
        stack(p, second, d, (2,))
        stack(p, p.add('TensorListScatterIntoExistingList', scattered, random(m, d, (1, 2)), ints(1)), d, (2,))
        p.do('TensorListLength', p.add('TensorListScatterIntoExistingList', scattered, random(m, d, (1, 2)), ints(4)))
        split = p.add('TensorListSplit', random(m, d, (5, 2)), ints(-1, 2), ints(2, 0, 3, dtype=L))
        p.do('TensorListLength', split)
        p.do('TensorListConcat', split, element_dtype=d, element_shape=[-1, 2])
        p.do('TensorListConcatV2', split, ints(-1, 2), ints(dtype=L), element_dtype=d)
        p.do('TensorListConcatV2', scattered, ints(2), ints(dtype=L), element_dtype=d)
        yield p


def list_errors(m):
    def base(shape=(2,), n=3, d=F):
        p = Program()
        return p, make_list(p, m, d, shape, n)
    for i in (-1, 3, 2**31 - 1, 0):
        p, l = base()
        p.do('TensorListGetItem', l, i32(i), ints(2), element_dtype=F)
        put = p.add('TensorListSetItem', l, i32(i), m(F, (2,)))
        p.do('TensorListLength', put)
        if i != 2**31 - 1:
            p.do('TensorListLength', p.add('TensorListSetItem', l, i32(i), m(F, (2,)), resize_if_index_out_of_bounds=True))
        if i == 0:  # others may crash TensorFlow
            p.do('TensorListGather', l, ints(0, i), ints(2), element_dtype=F)
        yield p
    for shape in ((3,), (2, 2), (), (-1,)):
        p, l = base()
        p.do('TensorListGetItem', l, i32(0), ints(*shape), element_dtype=F)
        p.do('TensorListPopBack', l, ints(*shape), element_dtype=F)
        stack(p, l, F, shape)
        p.do('TensorListGather', l, ints(0), ints(*shape), element_dtype=F)
        if -1 not in shape:
            p.do('TensorListLength', p.add('TensorListPushBack', l, m(F, shape)))
            p.do('TensorListLength', p.add('TensorListSetItem', l, i32(0), m(F, shape)))
        yield p
    p, l = base()
    p.do('TensorListGetItem', l, i32(0), ints(2), element_dtype=D)
    p.do('TensorListLength', p.add('TensorListPushBack', l, m(D, (2,))))
    p.do('TensorListLength', p.add('TensorListSetItem', l, i32(0), m(D, (2,))))
    stack(p, l, D, (2,))
    p.do('TensorListPopBack', l, ints(2), element_dtype=D)
    p.do('TensorListConcatLists', l, l, element_dtype=D)
    yield p
    p, l = base((2,), 0)
    p.do('TensorListPopBack', l, ints(2), element_dtype=F)
    stack(p, l, F, (2,))
    stack(p, l, F)
    stack(p, l, F, (-1,))
    p.do('TensorListGather', l, ints(), ints(2), element_dtype=F)
    p.do('TensorListConcat', l, element_dtype=F)
    p.do('TensorListConcatV2', l, ints(2), ints(dtype=L), element_dtype=F)
    p.do('TensorListConcatV2', l, ints(-1), ints(dtype=L), element_dtype=F)
    p.do('TensorListConcatV2', l, ints(-1, 3), ints(dtype=L), element_dtype=F)
    yield p
    for n in (0, -1, 3, 4):
        p, l = base()
        stack(p, l, F, (2,), num_elements=n)
        p.do('TensorListLength', p.add('TensorListResize', l, i32(n)))
        p.do('TensorListLength', p.add('TensorListReserve', ints(2), i32(n), element_dtype=F))
        yield p
    for most in (0, 1, 2):
        p = Program()
        l = p.add('EmptyTensorList', ints(2), i32(most), element_dtype=F)
        for _ in range(2):
            l = p.add('TensorListPushBack', l, m(F, (2,)))
            p.do('TensorListLength', l)
        yield p
    for lengths, shape in (([1, 1], (3, 2)), ([4], (3, 2)), ([-1, 4], (3, 2)), ([3], (3, 2)), ([1], ()), ([], (0, 2))):
        p = Program()
        p.do('TensorListLength', p.add('TensorListSplit', m(F, shape), ints(-1, 2), ints(*lengths, dtype=L)))
        yield p
    for rows, shape in (([0], (2, 2)), ([0, 1], (2, 3)), ([-1, 0], (2, 2)), ([0, 0], (2, 2)), ([5], (1, 2)), ([], (0, 2))):
        p = Program()
        p.do('TensorListLength', p.add('TensorListScatter', m(F, shape), ints(*rows), ints(2)))
        p.do('TensorListLength', p.add('TensorListScatterV2', m(F, shape), ints(*rows), ints(2), i32(3)))
        p.do('TensorListLength', p.add('TensorListScatterV2', m(F, shape), ints(*rows), ints(2), i32(-1)))
        yield p
    for shape in ((), (2,), (3, 3)):
        p = Program()
        p.do('TensorListLength', p.add('TensorListFromTensor', m(F, shape), ints(2)))
        p.do('TensorListLength', p.add('TensorListFromTensor', m(F, shape), i32(-1)))
        yield p
    p = Program()
    ragged = p.add('TensorListPushBack', p.add('TensorListPushBack', p.add('EmptyTensorList', i32(-1), i32(-1), element_dtype=F),
                                               m(F, (2,))), m(F, (3,)))
    stack(p, ragged, F)
    p.do('TensorListGather', ragged, ints(0, 1), i32(-1), element_dtype=F)
    p.do('TensorListConcatV2', ragged, i32(-1), ints(dtype=L), element_dtype=F)
    p.do('TensorListConcatV2', ragged, ints(-1), ints(dtype=L), element_dtype=F)
    yield p
    p, l = base((2,), 2)
    batch = p.add('TensorListPushBack', l, m(F, (2,)))
    stack(p, batch, F, (2,))
    yield p


def list_op(m):
    yield from lists(m)
    yield from list_errors(m)


LISTS = {'TensorArray%sV3' % op: array_op for op in ('', 'Write', 'Read', 'Gather', 'Scatter', 'Concat', 'Split', 'Size', 'Close')}
LISTS.update({op: array_gradients for op in ('TensorArrayGradV3', 'TensorArrayGradWithShape')})
LISTS['EmptyTensorList'] = list_op
LISTS.update({'TensorList' + op: list_op for op in (
    'Concat', 'ConcatLists', 'ConcatV2', 'ElementShape', 'FromTensor', 'Gather', 'GetItem', 'Length', 'PopBack', 'PushBack',
    'Reserve', 'Resize', 'Scatter', 'ScatterIntoExistingList', 'ScatterV2', 'SetItem', 'Split', 'Stack')})
