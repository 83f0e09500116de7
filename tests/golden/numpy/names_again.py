"""numpy's names that no other script uses."""
import numpy as np

a = np.array([[3, 1, 2], [6, 5, 4]])
print(np.NAN, np.infty, np.bool_(1), np.float_(2), np.complex_(1 + 2j), np.half(0.1), np.double(2.5), np.cfloat(1j), np.singlecomplex(1j), np.int16(-5),
      np.uint64(7), np.uintp(3), np.dtype(np.uintp), issubclass(np.float64, np.number))
print(np.bitwise_and(a, 3), np.bitwise_xor(a, 1), np.invert(a), np.left_shift(a, 2))
print(np.equal(a, 2), np.not_equal(a, 2), np.less(a, 3), np.greater_equal(a, 3), np.logical_not(a > 2))
print(np.negative(a), np.reciprocal(np.array([2., 4.])), np.conj(np.array([1 + 2j])), np.real(np.array([1 + 2j, 3])))
print(np.divmod(np.array([7, -7]), 2), np.inner([1, 2, 3], [0, 1, 0]), np.inner(a, a), np.product(a), np.ravel(a), np.partition(np.array([3, 1, 2]), 1))
b = np.arange(5)
np.put(b, [0, 2], [-44, -55])
print(b, np.asfortranarray(a))
print(np.linalg.solve(np.array([[2., 1.], [1., 3.]]), np.array([1., 2.])).round(6), round(np.linalg.cond(np.array([[2., 0.], [0., 1.]])), 6))
t = np.eye(4).reshape(2, 2, 2, 2) * 2
print(np.linalg.tensorinv(t).shape, np.linalg.tensorinv(t)[0, 0], np.linalg.tensorsolve(t, np.arange(4.).reshape(2, 2)))
x = np.arange(8.).reshape(2, 2, 2)
for name in ('fftn', 'ifftn', 'rfftn'):
    print(name, getattr(np.fft, name)(x).round(4).sum())
print(np.fft.irfftn(np.fft.rfftn(x)).round(6).tolist(), np.fft.irfft2(np.fft.rfft2(x[0])).round(6), np.fft.hfft(np.array([1., 2., 3.])).round(6))
np.random.seed(3)
print(np.random.bytes(4), np.random.sample(2))
for check, args in ((np.testing.assert_equal, (1, 1)), (np.testing.assert_array_equal, (a, a)), (np.testing.assert_allclose, ([1.], [1. + 1e-9])),
                    (np.testing.assert_almost_equal, (1., 1. + 1e-9)), (np.testing.assert_array_almost_equal, ([1.], [1.]))):
    print(check(*args))
try:
    np.testing.assert_array_equal([1, 2], [1, 3])
except AssertionError:
    print('AssertionError')

# Abstract classes mean their default types.
print(np.arange(3).astype(np.floating).dtype, np.dtype(np.integer), np.zeros(2, np.complexfloating), np.dtype(np.unsignedinteger),
      np.array([1.5], dtype=np.signedinteger), np.dtype(np.inexact))
