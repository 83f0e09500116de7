"""numpy.linalg: decompositions. Those that a kernel has run in a graph of their own."""
import _eigen

LinAlgError = np.linalg.LinAlgError


def _real(a):
    a = np.asarray(a)
    if a.ndim < 2:
        raise LinAlgError('%d-dimensional array given. Array must be at least two-dimensional' % a.ndim)
    return a.astype(float) if a.dtype.kind in 'iub' else a


def _square(a):
    a = _real(a)
    if a.shape[-1] != a.shape[-2]:
        raise LinAlgError('Last 2 dimensions of the array must be square')
    return a


def _run(build, a):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(build(tf.constant(a)))


def cholesky(a):
    try:
        return _run(tf.cholesky, _square(a))
    except tf.errors.InvalidArgumentError:
        raise LinAlgError('Matrix is not positive definite')


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    a = _real(a)
    if not compute_uv:
        return _run(lambda t: tf.svd(t, compute_uv=False), a)
    s, u, v = _run(lambda t: tf.svd(t, full_matrices=full_matrices), a)
    return u, s, np.conj(np.swapaxes(v, -1, -2))


def _of_each(pair, a):
    """Values and vectors of a matrix, or stacked as the matrices are."""
    if a.ndim == 2:
        return pair(a)
    pairs = [_of_each(pair, one) for one in a]
    return np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])


def eig(a):
    return _of_each(_eigen.general, _square(a))


def eigvals(a):
    return eig(a)[0]


def eigh(a, UPLO='L'):
    if UPLO.upper() not in ('L', 'U'):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    a = _square(a)
    if UPLO.upper() == 'U':
        a = np.conj(np.swapaxes(a, -1, -2))
    if a.dtype.kind == 'c':
        return _run(tf.self_adjoint_eig, a)
    return _of_each(_eigen.symmetric, a)


def eigvalsh(a, UPLO='L'):
    return eigh(a, UPLO)[0]


def _matrix_norm(x, ord):
    """norm() of a matrix by its order."""
    if ord in ('fro', 'f'):
        return np.sqrt((abs(x) ** 2).sum())
    if ord == 'nuc':
        return svd(x, compute_uv=False).sum()
    if ord in (2, -2):
        s = svd(x, compute_uv=False)
        return s.max() if ord == 2 else s.min()
    if ord in (1, -1, np.inf, -np.inf):
        sums = abs(x).sum(axis=0 if ord in (1, -1) else 1)
        return sums.max() if ord > 0 else sums.min()
    raise ValueError('Invalid norm order for matrices.')


def qr(a, mode='reduced'):
    """Householder's reflections, each towards the negative of the sign of its pivot as LAPACK has them."""
    r = _real(a).copy()
    m, n = r.shape
    q = np.eye(m, dtype=r.dtype)
    for k in range(min(m - 1, n)):
        x = r[k:, k].copy()
        rest = np.sqrt((x[1:] ** 2).sum())
        if rest == 0:
            continue
        x[0] += np.copysign(np.sqrt(x[0] * x[0] + rest * rest), x[0])
        x /= np.sqrt((x * x).sum())
        r[k:] -= 2 * np.outer(x, x.dot(r[k:]))
        q[:, k:] -= 2 * np.outer(q[:, k:].dot(x), x)
    r = np.triu(r)
    size = min(m, n)
    if mode == 'r':
        return r[:size]
    return (q, r) if mode == 'complete' else (q[:, :size], r[:size])


def lstsq(a, b, rcond=None):
    a, b = _real(a), np.asarray(b) * 1.0
    if a.shape[0] != b.shape[0]:
        raise LinAlgError('Incompatible dimensions')
    m, n = a.shape
    s = svd(a, compute_uv=False)
    limit = np.finfo(a.dtype).eps * max(m, n) if rcond is None or rcond == -1 else rcond
    rank = int((s > limit * s.max()).sum())
    if rank == n:
        q, r = qr(a)
        x = np.linalg.solve(r, q.T.dot(b))
    else:
        x = pinv(a, limit).dot(b)
    left = ((a.dot(x) - b) ** 2).sum(axis=0)
    return x, np.atleast_1d(left) if rank == n and m > n else np.zeros(0), rank, s


def pinv(a, rcond=1e-15, hermitian=False):
    u, s, v = svd(a, full_matrices=False)
    large = s > rcond * s.max()
    inverse = np.where(large, 1 / np.where(large, s, 1), 0)
    return np.matmul(np.swapaxes(v, -1, -2) * inverse, np.swapaxes(u, -1, -2))


def matrix_rank(M, tol=None):
    M = np.asarray(M)
    if M.ndim < 2:
        return int(np.any(M != 0))
    s = svd(M, compute_uv=False)
    limit = s.max() * max(M.shape) * np.finfo(s.dtype).eps if tol is None else tol
    return int((s > limit).sum())


def matrix_power(a, n):
    a = np.asarray(a)
    if a.ndim < 2 or a.shape[0] != a.shape[1]:
        raise LinAlgError('Last 2 dimensions of the array must be square')
    if n < 0:
        a, n = np.linalg.inv(a), -n
    out = np.eye(a.shape[0], dtype=a.dtype)
    for _ in range(n):
        out = out @ a
    return out


def slogdet(a):
    d = np.linalg.det(a)
    return np.sign(d), np.log(np.abs(d))


def cond(x, p=None):
    if p not in (None, 2, -2):
        return np.linalg.norm(x, p) * np.linalg.norm(np.linalg.inv(x), p)
    s = svd(x, compute_uv=False)
    return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]


def multi_dot(arrays):
    out = arrays[0]
    for a in arrays[1:]:
        out = np.dot(out, a)
    return out


def tensorinv(a, ind=2):
    a = np.asarray(a)
    if ind <= 0:
        raise ValueError('Invalid ind argument.')
    rows = int(np.prod(a.shape[ind:]))
    return np.linalg.inv(a.reshape(rows, -1)).reshape(a.shape[ind:] + a.shape[:ind])


def tensorsolve(a, b, axes=None):
    a, b = np.asarray(a), np.asarray(b)
    if axes is not None:
        rest = [k for k in range(a.ndim) if k not in axes]
        a = np.transpose(a, rest + list(axes))
    shape = a.shape[b.ndim - a.ndim:] if b.ndim != a.ndim else ()
    return np.linalg.solve(a.reshape(b.size, -1), b.ravel()).reshape(shape)
