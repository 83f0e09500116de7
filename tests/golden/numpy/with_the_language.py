from __future__ import print_function
import math
import random
import numpy as np
import numpy.random as rnd
from numpy import array, float32
from numpy.random import seed, rand

seed(3)
print(rand(2), rnd.rand() < 1, array([1, 2]), float32(2))
arr = np.array([3, 1, 2])
print({1: 'one'}[np.int64(1)], {np.int32(2): 'b'}[2], len({np.float64(1), 1, 1.0}), hash(np.int64(5)) == hash(5))
print([10, 20, 30][np.int64(1):], list(range(np.int64(3))), [0] * np.int64(2), 'ab' * np.int32(2))
print(math.sqrt(np.float32(4)), math.floor(np.float64(2.7)), round(np.float64(2.675), 2), abs(np.int32(-3)))
print('%d %s %.2f' % (arr[0], arr, arr.mean()), f'{arr.mean():.3f} {arr[1]:03d}', '{0[1]}'.format(arr))
print(*arr)
print(sorted(arr), max(arr), min(arr), sum(arr), list(enumerate(arr)), list(zip(arr, 'abc')), list(map(int, arr)))
print(arr.shape == (3,), arr.shape[0], len(arr.shape), not arr.size, 2 in arr, arr is None, isinstance(arr, np.ndarray))
print(type(arr) == np.ndarray, type(arr[0]) == np.int64, isinstance(arr[0], (int, np.integer)), np.float32.__name__)
a, b, c = arr
print(a, b, c, a + b, [x * 2 for x in arr], {int(k): v for k, v in zip(arr, arr.tolist())})
a = b = np.zeros(2)
a += 1
print(b, a is b)
rows = [np.arange(3), np.ones(3)]
print(np.array(rows), np.mean(rows, axis=0), sum(rows))
try:
    {np.zeros(2): 1}
except TypeError as e:
    print(e)
try:
    if np.zeros(3) > 0:
        pass
except ValueError as e:
    print(e)


def normalise(x, axis=None):
    return (x - x.mean(axis)) / x.std(axis)


print(normalise(np.array([1., 2., 3., 4.])))
m = np.array([[1, 2], [3, 4]], dtype=np.float32)
m[0], m[1] = m[1].copy(), m[0].copy()
print(m, m[m[:, 0].argsort()])
print(any(m[0] > 3), all(m[0] > 2), np.any(m > 3), bool(np.all(m > 0)))
print(m.tolist() == [[3.0, 4.0], [1.0, 2.0]], str(m.dtype), m.dtype == np.float32, m.dtype.name, np.float32(2) in [2.0])
print(np.int64(3) + 2.5, 2 ** np.int64(3), -np.int64(3), divmod(7, np.int64(2)), True + np.float32(3), 7 // np.float64(2))
print(np.float32(3) is not None, np.float64(0) or 'zero', np.int64(1) and 'one', not np.bool_(False))
x_data = np.linspace(-1, 1, 5)[:, np.newaxis]
noise = np.zeros(x_data.shape).astype(np.float32)
print((np.square(x_data) - 0.5 + noise).T, x_data.shape, noise.dtype)
one_hot = np.eye(3)[np.array([0, 2, 1])]
print(one_hot, np.argmax(one_hot, axis=1), (np.argmax(one_hot, 1) == [0, 2, 1]).mean())
batches = [np.arange(10)[i:i + 4] for i in range(0, 10, 4)]
print(batches, [len(x) for x in batches])
print(','.join(str(v) for v in np.array([1.5, 2.5])), ' '.join(map(str, np.arange(3))))
random.seed(1)
print(random.choice(arr) in (1, 2, 3), np.array([1, 2]).__class__.__name__, callable(np.sum))
