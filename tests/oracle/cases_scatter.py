"""Oracle cases for updates of parts of variables (see cases.py)."""
import numpy as np

from cases import B, D, F, I, L, S, arr, ints
from tensor_text import Ref

FULL = (F, D, I, L)


def scatter(dtypes=FULL, low=-10, high=10):
    def cases(m):
        for d in dtypes:
            for shape, rows in (((4,), [0, 2]), ((4, 2), [3, 1, 3]), ((2, 0), [1]), ((3, 2), [])):
                yield [Ref(m(d, shape)), ints(*rows), m(d, (len(rows),) + shape[1:], low, high)], {}, 2
            yield [Ref(m(d, (3, 2))), ints(0, 2, dtype=L).reshape(1, 2), m(d, (1, 2, 2), low, high)], {}
            yield [Ref(m(d, (3, 2))), ints(0, 2), m(d, (), low, high)], {}
        d = dtypes[0]
        for bad in ([3], [-1]):
            yield [Ref(m(d, (3,))), ints(*bad), m(d, (1,), low, high)], {}
        yield [Ref(m(d, (3, 2))), ints(0, 1), m(d, (2, 3), low, high)], {}
        yield [Ref(m(d, ())), ints(0), m(d, (1,), low, high)], {}
    return cases


def scatter_nd(dtypes=FULL):
    def cases(m):
        for d in dtypes:
            yield [Ref(m(d, (4,))), ints(0, 2).reshape(2, 1), m(d, (2,))], {}, 2
            yield [Ref(m(d, (3, 2))), ints(0, 2, 0).reshape(3, 1), m(d, (3, 2))], {}
            yield [Ref(m(d, (3, 2))), ints(0, 1, 2, 0, dtype=L).reshape(1, 2, 2), m(d, (1, 2))], {}
            yield [Ref(m(d, (2, 3, 2))), ints(0, 1).reshape(1, 2), m(d, (1, 2))], {}
        d = dtypes[0]
        yield [Ref(m(d, (3,))), ints(3).reshape(1, 1), m(d, (1,))], {}
        yield [Ref(m(d, (3,))), ints(-1).reshape(1, 1), m(d, (1,))], {}
        yield [Ref(m(d, (3, 2))), ints(0, 1).reshape(1, 2), m(d, (2,))], {}
    return cases


SCATTER = {
    'ScatterUpdate': scatter((F, D, I, L, B, S)), 'ScatterAdd': scatter(), 'ScatterSub': scatter(),
    'ScatterMul': scatter(), 'ScatterDiv': scatter((F, D, I, L), 1, 10), 'ScatterMin': scatter(),
    'ScatterMax': scatter(),
    'ScatterNdUpdate': scatter_nd((F, D, I, L, B, S)), 'ScatterNdAdd': scatter_nd(), 'ScatterNdSub': scatter_nd(),
    'ScatterNdMin': scatter_nd((F, D, I)), 'ScatterNdMax': scatter_nd((F, D, I)),
}
