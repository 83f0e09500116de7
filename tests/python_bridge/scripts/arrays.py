# Arrays share their elements on both sides, whichever side made them.
import contextvars
import pydoc
import numpy as np

box = contextvars.ContextVar('box')


def echo(value):
    box.set(value)
    return box.get()


a = np.arange(6.).reshape(2, 3)
assert echo(a) is a
for dtype in ['bool', 'int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'int64', 'uint64', 'float16', 'float32', 'float64',
              'complex64', 'complex128']:
    x = np.arange(4).astype(dtype)
    assert echo(x).dtype == x.dtype and echo(x[1]).dtype == x.dtype and echo(x[1]) == x[1], dtype
    assert echo(x.dtype) == x.dtype and echo(x[::-1]).tolist() == x.tolist()[::-1]
print(echo(np.array(['a', 'bc'])).tolist(), echo(np.array([b'a', b'bc'])).tolist(), echo(np.zeros((0, 3))).shape)
ma = pydoc.locate('numpy.ma')  # numpy itself: `import numpy` of a script is tensh's own
masked = ma.masked_array(a, mask=[[0, 1, 0], [0, 0, 1]])
print(masked.sum(), masked.mean(), masked.shape, masked.filled(0).tolist())
masked[0, 0] = 10.
print(masked.data[0, 0], a[0, 0], masked.count(), ma.median(masked))
shared = ma.getdata(masked)
shared[1, 0] = -1.
print(a[1, 0], masked[1, 0], (masked * 2).tolist())
a[0, 2] = 5.
print(masked[0, 2], a.sum(), np.sum(masked.filled(0)))
view = ma.getdata(masked)[:, ::2]
view[:] = 0
print(a.tolist())
print(np.asarray(masked).tolist() == a.tolist(), np.array([masked.data, masked.data]).shape)
print(isinstance(ma.ones(3).data, np.ndarray), type(ma.ones(3).data).__name__, ma.ones(3, dtype=np.float32).dtype)
real = pydoc.locate('numpy')
made = real.linspace(0, 1, 5)
kept = made[1:3]
box.set(made)
made[1] = 7
kept[1] = 8
print(box.get().tolist(), real.sum(made), real.flip(made)[0], real.broadcast_to(made, (2, 5)).tolist()[1])
print(real.array([1, 'x', None], dtype=object).tolist(), real.array(['a', 'b']).tolist(), real.float32(1.5), real.arange(3).dtype)
print(real.zeros(2, '>i4').tolist(), real.ones((2, 2), order='F').sum(axis=0), real.longdouble(2) + 1)
b = np.ones(3)
box.set(b)
b += 1
b[0] = 9
assert box.get() is b
print(real.add(b, 1).tolist(), real.multiply.outer([1, 2], b).shape, box.get().tolist())
print(real.vectorize(lambda n: n * n)(np.array([1, 2, 3])).tolist(), real.apply_along_axis(lambda row: row.sum(), 1, a + 1).tolist())
