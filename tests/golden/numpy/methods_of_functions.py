# The methods of elementwise functions.
import numpy as np


def show(make):
    try:
        value = make()
        print(value.tolist() if isinstance(value, np.ndarray) else value)
    except Exception as e:
        print(type(e).__name__, e)


a = np.arange(1, 7).reshape(2, 3)
show(lambda: np.add.reduce(a))
show(lambda: np.multiply.reduce(a, axis=1))
show(lambda: np.maximum.reduce(a, axis=None))
show(lambda: np.minimum.reduce([[1, 2], [0, 5]]))
show(lambda: np.logical_and.reduce([True, False]))
show(lambda: np.logical_or.reduce(a > 5, axis=0))
show(lambda: np.subtract.reduce(a, axis=1))
show(lambda: np.bitwise_xor.reduce([5, 3, 1]))
show(lambda: np.add.reduce(a, axis=1, keepdims=True))
show(lambda: np.add.accumulate(a, axis=1))
show(lambda: np.maximum.accumulate([1, 3, 2]))
show(lambda: np.multiply.accumulate([1, 2, 3]))
show(lambda: np.subtract.outer([1, 2], [3, 4]))
show(lambda: np.multiply.outer([1, 2], [[3], [4]]).shape)
show(lambda: np.equal.outer([1, 2], [1, 2]))
show(lambda: np.add.reduceat(np.arange(8), [0, 4, 6]))
show(lambda: np.exp.reduce([1.0]))


def changed(f, indices, *more):
    b = np.arange(6.0).reshape(2, 3)
    f.at(b, indices, *more)
    return b


show(lambda: changed(np.add, ([0, 0, 1], [2, 2, 0]), 1))
show(lambda: changed(np.add, [1, 1], [[1, 2, 3], [10, 20, 30]]))
show(lambda: changed(np.multiply, (slice(None), 1), [2, 3]))
show(lambda: changed(np.negative, (0, [1, 2])))
print(np.lib.pad([1, 2], 1, 'constant'))
