import numpy as np

f = np.array([1.5, -2., 0.25], np.float32)
i = np.array([7, -7, 3], np.int32)
print(f + 1, f * 2, f / 3, f - f, f ** 2, -f, abs(f), f // 0.5, f % 1)
print(i + 1, i / 2, i // 2, i % 3, i ** 2, i & 3, i | 8, i ^ 1, i << 2, i >> 1, ~i)
print((f + 1).dtype, (f + 1.5).dtype, (i + 1).dtype, (i + 1.5).dtype, (f * i).dtype, (i / 1).dtype)
print((np.ones(2, np.uint8) - 2), (np.ones(2, np.int8) + 300).dtype, (f * np.float64(2)).dtype)
print(type(np.float32(3) + np.float32(1)), type(np.float32(3) * 2), type(np.int32(3) + 1), type(np.float32(2) ** 2))
print(np.float32(0.1) + np.float32(0.2), np.float32(1) / 3, np.float64(1) / 3, np.int64(7) // 2, np.int64(7) / 2)
print(np.float32(0.1) == 0.1, np.float64(0.1) == 0.1, np.int64(3) == 3.0, np.float32(1.5) < 2)
print(isinstance(np.float64(1), float), isinstance(np.float32(1), float), isinstance(np.int64(1), int), isinstance(np.int32(1), np.integer))
print(int(np.float32(3.7)), float(np.int32(3)), round(np.float64(2.567), 2), round(np.float32(2.5)), bool(np.float32(0)))
print(i > 0, i == 7, f != 1.5, (i > 0) & (f > 0), ~(i > 0), np.array([1, 2]) == [1, 3])
print(np.arange(3) + np.arange(3)[:, None], np.ones((2, 1)) * np.arange(3))
print(1 - np.arange(3), 2 ** np.arange(5), 1 / np.array([1., 2., 4.]), 10 % np.array([3, 4]))
print([1, 2] + np.array([1, 2]), np.array([1, 2]) * [3, 4], (1, 2) * np.array([1., 2.]))
print(np.sqrt(np.array([1., 2., 4.])), np.exp(0.), np.log(1.), np.sqrt(2), np.square([1, 2, 3]))
print(np.maximum([1, 5, 3], 2), np.minimum(3, [1, 5]), np.abs(-3), np.sign([-2., 0., 3.]), np.floor([-1.5, 1.5]), np.ceil(1.2))
print(np.power(2, 10), np.power([1., 2.], 0.5), np.add(1, 2), np.subtract([3, 4], 1), np.multiply(2, 3.), np.divide(1, 4), np.mod(-7, 3))
print(np.isnan([1., np.nan]), np.isinf([np.inf, 1]), np.any([0, 1]), np.all([1, 0]), np.logical_and([True, False], True))
print(np.clip([1, 5, 10], 2, 6), np.round([1.256, 2.5, -0.5], 2), np.around(2.5), np.round(123.456, -1), np.array([1.25, 1.35]).round(1))
print(np.array([1, 2, 3]) @ np.array([4, 5, 6]), np.dot([[1, 2], [3, 4]], [[1, 0], [0, 1]]), np.matmul(np.ones((2, 3)), np.ones((3, 2))))
print(np.outer([1, 2], [3, 4]), np.dot(2, [1, 2]), np.array([[1., 2.], [3., 4.]]).dot([1., 1.]))
print(np.float32(7) // 2, np.float32(-7) % 3, -np.float32(3), divmod(np.int64(7), 2), np.int32(5) % 3, 7 // np.float32(2))
a = np.arange(4.)
a += 1
a *= 2
a -= [1, 1, 1, 1]
a /= 2
a **= 2
print(a)
print(np.allclose([1., 2.], [1., 2. + 1e-9]), np.array_equal([1, 2], [1, 2]), np.isclose(1., 1.1))
print(np.float32(1e10) * np.float32(1e10), np.float64(1e308) * 10, np.int32(2) ** np.int32(3), 2 ** np.float32(3))
print(np.array([1, 2, 3]).astype(np.float32) / 3, np.array([1.9, -1.9]).astype(int), np.array([0, 1, 2]).astype(bool), np.array(['1', '2.5']).astype(float))
print(np.bool_(True) + 1, True + np.array([1, 2]), np.array([True, False]) * 2, np.array([True, True]).sum())
print(np.complex64(1 + 2j) * 2, np.array([1j, 2]).real, np.abs(np.array([3 + 4j])), np.array([1 + 1j]).conj())
print(np.arctan2(1., 1.), np.hypot(3, 4), np.tanh(0.), np.log2(8), np.log10(1000.), np.log1p(0.), np.expm1(0.))
print(np.array([5, -5]) // np.array([2, 2]), np.array([5, -5]) % np.array([3, 3]), np.array([5., -5.]) // 2, np.fmod(-7, 3))

# Integers that do not fit the array's type, complex numbers as others, zeros of dot.
small = np.arange(3, dtype=np.uint8) + 1
print([f(small, 300).dtype.name for f in (np.floor_divide, np.remainder, np.fmod, np.power, np.left_shift, np.bitwise_and, np.add, np.multiply, np.maximum)])
print((300 // small).dtype, (small // 40000).dtype, (np.arange(1, 3, dtype=np.uint16) // 70000).dtype, small // 300, 300 % small)
print(np.dot(np.array([-1.]), 0.0), np.dot(np.array([-1., 1.]), 0.0), 'ΑΣ.'.lower(), 'ΑΣ.Β'.lower())
for f in (lambda: int(np.complex64(2)), lambda: float(np.complex128(2.5)), lambda: int(np.array([2j])), lambda: float(np.array(2j))):
    try:
        print(f())
    except TypeError as e:
        print(type(e).__name__)
