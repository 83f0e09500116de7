import numpy as np
f = np.vectorize(lambda x, y: x * 2 + y)
print(f(np.arange(3), 1), f([[1], [2]], [1, 2]), f(1, 2))
print(np.kron([1, 2], [3, 4]), np.kron(np.eye(2), [[1, 2], [3, 4]]))
a = np.arange(24).reshape(2, 3, 4); b = np.arange(12).reshape(3, 4)
print(np.tensordot(a, b), np.tensordot(a, b.T, 1), np.tensordot(a, b, axes=([1, 2], [0, 1])), np.tensordot([1, 2], [3, 4], 0))
