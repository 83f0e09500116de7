# np.matrix: two dimensions always, * is the product.
import numpy as np

m = np.matrix([[1, 2], [3, 4]])
print(m, repr(m), type(m), isinstance(m, np.ndarray), m.shape, m.dtype)
print(m * m, m ** 2, m * 2, 2 * m, m + 1, 1 - m, m / 2, -m, m == m, m > 1, sep='\n')
print(m.T, m.H, m.I, m.A, m.A1, m.getA(), m.getT(), sep='\n')
print(m[0], m[0, 1], m[:, 0], m[1, :], m[:, 0].shape, m[0].shape, m[-1:, ::-1], m[m > 1])
print(m.sum(), m.sum(axis=0), m.sum(axis=1), m.mean(0), m.max(), m.min(1), m.std(), m.argmax(1), m.any(), m.prod(0))
print(m * [[1], [1]], np.array([[1, 1]]) * m, m * np.matrix('1; 2'), m.dot(m), np.dot(m, m), m @ m)
print(m.flatten(), m.ravel(), m.reshape(1, 4), m.tolist(), m.astype(float), m.copy(), m.transpose(), m.round(1))
print(np.matrix('1 2; 3 4'), np.matrix('1.5, 2; 3, 4'), np.asmatrix([1, 2]), np.mat([[1]]), np.matrix(5), np.matrix([1, 2], dtype=float))
print(np.bmat([[m, m], [m, m]]), np.asmatrix(m) is m, np.array(m), np.asarray(m).shape, np.linalg.inv(m), np.linalg.det(m).round(6))
print([row for row in m], len(m), [x.shape for x in m])
m[0, 0] = 9
m += 1
print(m, np.multiply(m, m), np.sin(m).shape)
for f in (lambda: np.matrix(np.zeros((2, 2, 2))), lambda: m * np.matrix([[1, 2, 3]]), lambda: np.matrix('1 2; 3')):
    try:
        f()
    except ValueError as e:
        print(e)
weights = np.mat(np.ones((2, 1)))
for _ in range(3):
    weights = weights - 0.01 * m.T * (m * weights - np.mat([[1], [2]]))
print(weights)
