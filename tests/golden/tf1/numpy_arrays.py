# The numpy that tutorials lean on.
import numpy as np
import tensorflow as tf

a = np.arange(6).reshape(2, 3)
b = np.array([[1.0, 2.0], [3.0, 4.0]])
print(a, a.shape, a.dtype, a.ndim, a.size, len(a))
print(b + 1, b * b, b @ b, b.T, 1 / b, b ** 2, -b, b > 2)
print(np.zeros(3), np.ones((2, 2)), np.full((2,), 7), np.eye(2), np.linspace(0, 1, 5), np.arange(1, 2, 0.25))
print(a[0], a[:, 1], a[1, 2], a[-1], a[:, ::-1], a[a > 2], a[[1, 0]], a[:, np.newaxis].shape)
print(b.sum(), b.mean(), b.max(), b.min(), b.std(), b.sum(axis=0), b.mean(axis=1), b.argmax(), b.argmax(axis=0))
print(np.sum(a), np.mean(b, 0), np.max(a, axis=1), np.argmin(b), np.prod([1, 2, 3]), np.cumsum([1, 2, 3]))
print(np.concatenate([a, a]), np.vstack([[1, 2], [3, 4]]), np.hstack([[1], [2]]), np.stack([[1], [2]]))
print(np.sqrt([1.0, 4.0]), np.exp(0.0), np.log(1.0), np.sin(0.0), np.abs([-1, 2]), np.power(2, [1, 2]), np.square(3), np.round(2.567, 1))
print(np.where(a > 2, a, 0), np.where([True, False, True]), np.clip(a, 1, 4), np.dot([1, 2], [3, 4]), np.allclose(b, b + 1e-9))
print(a.astype(np.float32), a.tolist(), a.flatten(), a.ravel(), a.copy() is a, b.astype(int), np.float32(1.5), np.int32(7))
print(np.reshape(a, [3, 2]), np.transpose(a).shape, np.squeeze([[[1]]]), np.expand_dims([1, 2], 0), np.tile([1, 2], 2), np.repeat([1, 2], 2))
print(np.sort([3, 1, 2]), np.argsort([3, 1, 2]), np.unique([1, 2, 1]), np.maximum([1, 5], 3), np.array([1, 2]) == [1, 3])
print(np.pi, np.inf, -np.inf, np.nan, np.array([1, 2.5]).dtype, np.array([True]).dtype, np.array(['a', 'bc']).dtype, np.array(5).shape)
c = np.zeros((2, 2)); c[0, 1] = 5; c[1] = [7, 8]; c[:, 0] += 1; print(c)
d = a[0]; d[0] = 99; print(a[0, 0], a.reshape(-1)[:2], np.shares_memory(a, d) if False else True)
for row in b:
    print(row, [float(v) for v in row])
x, y = b
print(x, y, x.shape, np.array([x, y]).shape, np.mean([x, y]), float(b[0, 0]), int(a[1, 1]), b[0, 0] == 1, a.any(), (a > -1).all())
print(np.float32(0.1), np.float64(0.1), np.float32(0.1) + np.float32(0.2), np.array([0.1], np.float32) * 3, np.int64(3) / 2)
print([1, 2] + np.array([1, 2]), np.array([1, 2]) // 2, np.array([1, 2]) % 2, np.array([-1.5]) // 1, np.array([1, 2, 3])[::2], a.shape[0])
with tf.Session() as sess:
    t = tf.constant(b)
    r = sess.run(t * np.array([10.0, 100.0]))
    print(r, r.dtype, type(r).__name__, (r / 10).tolist(), r[0].sum(), r.T[1])
    print(sess.run(tf.reduce_sum(np.ones((3, 4), dtype=np.float32))), sess.run(tf.constant(np.eye(2, dtype=np.int32))))
try:
    np.ones(2) + np.ones(3)
except ValueError as e:
    print('ValueError:', e)
try:
    np.arange(6).reshape(4, 2)
except ValueError as e:
    print('ValueError:', e)
try:
    a[5]
except IndexError as e:
    print('IndexError:', e)
