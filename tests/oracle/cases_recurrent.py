"""Oracle cases for recurrent cells that are a single op (see cases.py). Some inputs of a wrong rank crash TensorFlow."""
import numpy as np

from cases import F

SIZES = [(1, 1, 1), (2, 3, 2), (3, 1, 4), (1, 4, 3), (0, 2, 2), (5, 2, 1)]  # batch, inputs, cells


def part(m, *shape):
    return m(F, shape, -1, 1)


def cell(m, x, batch, inputs, cells):
    """x, cs_prev, h_prev, w, wci, wcf, wco, b"""
    state = (batch, cells)
    return [x, part(m, *state), part(m, *state), part(m, inputs + cells, 4 * cells), *(part(m, cells) for _ in range(3)), part(m, 4 * cells)]


def attrs(m, clip=True):
    peephole = {'use_peephole': bool(m.r.randint(2))}
    return {**peephole, 'forget_bias': float(m.r.randint(0, 3)), 'cell_clip': (0., .5, 3.)[m.r.randint(3)]} if clip else peephole


def lstm(m):
    for batch, inputs, cells in SIZES * 3:
        yield cell(m, part(m, batch, inputs), batch, inputs, cells), attrs(m)
    good = cell(m, part(m, 2, 3), 2, 3, 2)
    for at, shape in ((0, (1, 3)), (1, (2, 3)), (2, (2, 1)), (3, (5, 4)), (3, (4, 8)), (4, ()), (7, (4,)), (7, (1, 8))):
        yield good[:at] + [part(m, *shape)] + good[at + 1:], {}


def given(m, *shape, count):
    """Gates in (0, 1), states and gradients."""
    return [m(F, shape, .05, .95) for _ in range(count)]


def lstm_gradient(m):
    for batch, inputs, cells in SIZES * 3:
        yield cell(m, part(m, batch, inputs), batch, inputs, cells) + given(m, batch, cells, count=8), attrs(m, False)
    good = cell(m, part(m, 2, 3), 2, 3, 2) + given(m, 2, 2, count=8)
    for at, shape in ((1, (2, 3)), (3, (4, 8)), (8, (2, 3)), (14, (1, 2)), (15, (2, 1)), (7, (4,))):
        yield good[:at] + [part(m, *shape)] + good[at + 1:], {'use_peephole': False}


def block(m, own, gradient=False):
    """All steps are used, because TensorFlow leaves some outputs of the other steps, and the gradients of empty
    batches, uninitialised."""
    for batch, inputs, cells in [size for size in SIZES if size[0]] * 3:
        time = int(m.r.randint(1, 4))
        inputs = [np.array(time, np.int64)] + cell(m, part(m, time, batch, inputs), batch, inputs, cells)
        if gradient:
            yield inputs + given(m, time, batch, cells, count=9), {'use_peephole': bool(m.r.randint(2))}
        else:
            yield inputs, {k: v for k, v in attrs(m).items() if k in own}
    good = [np.array(2, np.int64)] + cell(m, part(m, 2, 2, 3), 2, 3, 2) + (given(m, 2, 2, 2, count=9) if gradient else [])
    for at, shape in ((1, (2, 3)), (4, (4, 8)), (8, (4,)), (8, (1, 8))):
        yield good[:at] + [part(m, *shape)] + good[at + 1:], {'use_peephole': False}


def gru_cell(m, batch, inputs, cells):
    columns = inputs + cells
    return [part(m, batch, inputs), part(m, batch, cells), part(m, columns, 2 * cells), part(m, columns, cells), part(m, 2 * cells), part(m, cells)]


def gru(m, count=0):
    for batch, inputs, cells in SIZES * 3:
        yield gru_cell(m, batch, inputs, cells) + given(m, batch, cells, count=count), {}
    good = gru_cell(m, 2, 3, 2) + given(m, 2, 2, count=count)
    for at, shape in ((0, (3,)), (1, (1, 2)), (2, (5, 2)), (3, (4, 2)), (4, (2,)), (5, (1, 2)), (0, (3, 3))):
        yield good[:at] + [part(m, *shape)] + good[at + 1:], {}


ALL_ATTRS = ('use_peephole', 'forget_bias', 'cell_clip')
RECURRENT = {'LSTMBlockCell': lstm, 'LSTMBlockCellGrad': lstm_gradient, 'BlockLSTM': lambda m: block(m, ALL_ATTRS),
             'BlockLSTMV2': lambda m: block(m, ('use_peephole', 'cell_clip')), 'BlockLSTMGrad': lambda m: block(m, (), True),
             'BlockLSTMGradV2': lambda m: block(m, (), True), 'GRUBlockCell': gru, 'GRUBlockCellGrad': lambda m: gru(m, 4)}
