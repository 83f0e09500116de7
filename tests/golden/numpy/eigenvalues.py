# Eigenvalues and vectors in LAPACK's order and with its signs; norms, ranks and least squares.
import numpy as np

np.set_printoptions(precision=6, suppress=True)


def show(*values):
    for v in values:
        print(np.round(v, 6) + 0.0)


for a in ([[2, 1], [1, 3]], [[1, 2], [3, 4]], [[0, -1], [1, 0]], [[1, 2, 3], [4, 5, 6], [7, 8, 10]], [[2, 0], [0, 3]], [[4, 1], [0, 4]],
          [[1, 1000], [0.001, 2]], [[5]]):
    values, vectors = np.linalg.eig(a)
    show(values, vectors, np.linalg.eigvals(a))
    print(values.dtype, vectors.dtype, np.allclose(np.dot(a, vectors), vectors * values))
for a in ([[2, 1], [1, 3]], [[4, 1, 0], [1, 3, 1], [0, 1, 2]], [[2, 0, 0], [0, 1, 0], [0, 0, 3]], [[1, 0.5], [0.5, 1]]):
    values, vectors = np.linalg.eigh(a)
    show(values, vectors, np.linalg.eigvalsh(a))
r = np.random.RandomState(4)
x = r.randn(50, 4).dot(r.randn(4, 4))
covariance = np.cov(x.T)
show(*np.linalg.eigh(covariance), *np.linalg.eig(covariance))
show(*np.linalg.eig(np.float32([[2, 1], [1, 3]])), *np.linalg.eigh([[2, 9], [1, 3]], UPLO='U'))
show(*np.linalg.eig(np.arange(8).reshape(2, 2, 2)), np.linalg.det(np.arange(8).reshape(2, 2, 2)), np.linalg.inv(np.arange(8).reshape(2, 2, 2)))
m = np.array([[1., 2, 3], [4, 5, 6]])
for order in (1, -1, 2, -2, np.inf, -np.inf, 'fro', 'nuc', None):
    show(np.linalg.norm(m, order))
square = np.array([[1., 2], [3, 4]])
show(np.linalg.cond(square), np.linalg.cond(square, 1), np.linalg.cond(square, 'fro'), np.linalg.cond(square, -2))
show(np.linalg.matrix_rank(m), np.linalg.slogdet(square)[0], np.linalg.slogdet(square)[1], np.linalg.pinv(m), np.linalg.multi_dot([m, m.T, m]))
solution, residual, rank, singular = np.linalg.lstsq([[1, 1], [1, 2], [1, 3]], [1, 2, 2], rcond=None)
show(solution, residual, rank, singular)
rng = np.random.default_rng(1)
show(rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 2]], 2, method='eigh'))
for wrong in (np.zeros((2, 3)), [1, 2], [[np.nan, 1], [1, 2]]):
    try:
        np.linalg.eig(wrong)
    except np.linalg.LinAlgError as e:
        print(e)
print((np.arange(6).reshape(2, 3) * 0.37 - 2).astype(np.int32).T.std(axis=(0, 1)))
