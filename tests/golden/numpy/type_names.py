import numpy as np

for t in (np.bool8, np.single, np.float_, np.float16, np.complex128, np.complex_, np.int_, np.intc, np.intp, np.uint, np.uint16,
          np.uint32):
    print(t.__name__, np.dtype(t).itemsize, t(1), repr(np.zeros(1, t)))
for base in (np.generic, np.inexact, np.complexfloating, np.signedinteger, np.unsignedinteger):
    print(base.__name__, [issubclass(t, base) for t in (np.float32, np.int8, np.uint8, np.complex64)])
print(np.can_cast(np.int32, np.float64), np.can_cast(np.float64, np.int32), np.can_cast('u1', 'i2'))
print(np.promote_types('f4', 'i4'), np.result_type(np.float32, np.int8), np.promote_types(np.uint8, np.int8))
print(np.get_printoptions()['precision'], np.get_printoptions()['threshold'], np.get_printoptions()['linewidth'])
with np.errstate(all='ignore'):
    print(np.array([1., -1., 0.]) / 0)
old = np.seterr(divide='ignore', invalid='ignore')
print(np.log(np.array([0., 1.])))
np.seterr(**old)
try:
    np.zeros((2, 2)).sum(axis=5)
except np.AxisError as e:
    print(type(e).__name__, e)
try:
    np.linalg.inv(np.zeros((2, 2)))
except np.linalg.LinAlgError as e:
    print(type(e).__name__, e)
print(np.array(['ab', 'c']).dtype, np.array([b'ab']).dtype, np.str_('x'), np.bytes_(b'y'), np.array([1, 'a']).dtype.kind)
np.random.seed(3)
print(np.random.ranf(3))
print(np.True_ and np.False_, np.bool_(1), np.float64(2.5).is_integer(), np.int64(5).item(), np.float32(0.1).item())
