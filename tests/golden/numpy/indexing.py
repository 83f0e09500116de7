import numpy as np

a = np.arange(24).reshape(2, 3, 4)
print(a[1], a[1, 2], a[1, 2, 3], a[-1, -1, -1])
print(a[:, 1], a[..., 0], a[:, :, ::-1][0], a[0, 1:, 1:3])
print(a[:, np.newaxis].shape, a[None].shape, a[..., None].shape)
print(a[0][[0, 2]], a[0, [0, 2], [1, 3]], a[:, [0, 2]].shape, a[[0, 1], :, [1, 2]])
print(a[a > 20], a[a % 5 == 0].sum(), (a > 3).sum())
m = np.array([True, False, True])
print(a[0][m], a[:, m].shape, a[0, m, 1])
b = np.arange(6.).reshape(2, 3)
v = b[0]
v[1] = 100
print(b)
b[:, 0] = -1
b[1] = [7, 8, 9]
print(b)
b[b > 8] = 0
print(b)
b[[0, 1], [2, 2]] = [55, 66]
print(b)
b += 1
b[0] *= 2
b[:, 1:] -= np.array([1., 2.])
print(b, b.T, b.T.shape)
c = b.copy()
c[:] = 3
print(c[0, 0], b[0, 0])
x = np.arange(10)
print(x[2:8:2], x[::-1], x[-3:], x[:0], x[7:2:-2])
x[::2] = 0
print(x)
x[[1, 3]] += 10
print(x)
for row in b:
    print(row, end=' ')
print()
print(len(b), 7. in b, 1000 in b, list(x[:3]), [int(i) for i in x[:3]])
print(x.reshape(2, -1), x.reshape((5, 2)).T.ravel(), x.reshape(2, 5).flatten())
print(np.arange(6).reshape(2, 3)[1][2], np.arange(3)[np.int64(1)], [10, 20, 30][np.arange(3)[2]])
s = np.array(['one', 'two', 'three'])
print(s[1], s[s != 'two'], s == 'two', s[::-1])
d, e = np.array([[1, 2], [3, 4]])
print(d, e)
print(np.nonzero(np.array([0, 3, 0, 5])), np.where(np.array([1, 0, 2]) > 0, 'y', 'n'))
z = np.zeros((3, 3))
z[1, :] = np.arange(3)
z[:, 2] = 9
z[np.arange(3), np.arange(3)] = [1, 2, 3]
print(z)
print(z[np.ix_([0, 2], [0, 2])])
print(z[1:, :][0], z[(0, 1)], z[[0]], z[0, ...])
print(np.arange(12).reshape(3, 4)[:, 1:3][1:, ::-1])
