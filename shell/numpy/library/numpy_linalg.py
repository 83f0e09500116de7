"""numpy.linalg: LAPACK's routines for matrices and stacks of matrices."""
import _lapack

LinAlgError = np.linalg.LinAlgError


def _real(a):
    a = np.asarray(a)
    if a.ndim < 2:
        raise LinAlgError('%d-dimensional array given. Array must be at least two-dimensional' % a.ndim)
    if a.dtype.name == 'float16':
        raise TypeError('array type float16 is unsupported in linalg')
    return a.astype(float) if a.dtype.kind in 'iub' else a


def _square(a):
    a = _real(a)
    if a.shape[-1] != a.shape[-2]:
        raise LinAlgError('Last 2 dimensions of the array must be square')
    return a


def _finite(a):
    if not np.isfinite(a).all():
        raise LinAlgError('Array must not contain infs or NaNs')
    return a


def _stacked(routine, a, rest):
    if a.ndim == 2:
        return routine(a, *rest)
    if not len(a):  # an empty stack has the result shapes of any matrix
        some = _stacked(routine, np.ones(a.shape[1:-2] + (1, 1), a.dtype) * np.eye(*a.shape[-2:]), rest)
        return tuple(np.array([one])[:0] for one in some) if isinstance(some, tuple) else np.array([some])[:0]
    parts = [_stacked(routine, one, rest) for one in a]
    if isinstance(parts[0], tuple):
        return tuple(np.array(part) for part in zip(*parts))
    return np.array(parts)


def _narrow(result, a):
    """Converts a result that was computed in double precision to the precision of a."""
    if a.dtype.name not in ('float32', 'complex64') or result is None:
        return result
    if isinstance(result, tuple):
        return tuple(_narrow(one, a) for one in result)
    if not hasattr(result, 'dtype'):
        return result
    return result.astype('complex64' if result.dtype.kind == 'c' else 'float32')


def _of_each(routine, a, *rest):
    """Applies the routine to a matrix, or to each matrix of a stack, and stacks the results (one array or several)."""
    return _narrow(_stacked(routine, a.astype(complex if a.dtype.kind == 'c' else float), rest), a)


def cholesky(a):
    """Return the Cholesky factor of a matrix."""
    return _of_each(_lapack.potrf, _square(a))


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """Return the singular value decomposition."""
    u, s, vh = _of_each(_lapack.gesdd, _real(a), 'N' if not compute_uv else 'A' if full_matrices else 'S')
    return (u, s, vh) if compute_uv else s


def eig(a):
    """Return the eigenvalues and eigenvectors."""
    return _of_each(_lapack.geev, _finite(_square(a)), 'V')


def eigvals(a):
    """Return the eigenvalues."""
    return _of_each(lambda one: _lapack.geev(one, 'N')[0], _finite(_square(a)))


def _triangle(UPLO):
    if UPLO.upper() not in ('L', 'U'):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return UPLO.upper()


def eigh(a, UPLO='L'):
    """Return the eigenvalues and eigenvectors of a Hermitian matrix."""
    return _of_each(_lapack.heevd, _square(a), 'V', _triangle(UPLO))


def eigvalsh(a, UPLO='L'):
    """Return the eigenvalues of a Hermitian matrix."""
    return _of_each(lambda one: _lapack.heevd(one, 'N', _triangle(UPLO))[0], _square(a))


def slogdet(a):
    """Return the sign and the logarithm of the determinant."""
    return _of_each(_lapack.getrf, _square(a))


def det(a):
    """Return the determinant."""
    sign, logarithm = slogdet(a)
    return sign * np.exp(logarithm)


def _of_one_type(a, b):
    b = np.asarray(b)
    dtype = np.result_type(a, b.astype(float) if b.dtype.kind in 'iub' else b)
    return a.astype(dtype), b.astype(dtype)


def solve(a, b):
    """Solve a linear system."""
    a, b = _of_one_type(_square(a), b)
    vector = b.ndim == a.ndim - 1
    if b.ndim == 0:
        raise ValueError('solve: Input operand 1 does not have enough dimensions (has 0, gufunc core with signature '
                         '(m,m),(m,n)->(m,n) requires 2)')
    rows = b.shape[-1 if vector else -2]
    if rows != a.shape[-1]:
        raise ValueError('%s: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (m,m),%s (size %d is '
                         'different from %d)' % ((('solve1', '(m)->(m)') if vector else ('solve', '(m,n)->(m,n)')) + (rows, a.shape[-1])))
    if vector:
        b = b[..., None]
    wide = complex if a.dtype.kind == 'c' else float
    x = _solve(a.astype(wide), b.astype(wide))
    return _narrow(x[..., 0] if vector else x, a)


def _solve(a, b):
    if a.ndim == 2:
        return _lapack.gesv(a, b)
    return np.array([_solve(m, b[k] if b.ndim == a.ndim else b) for k, m in enumerate(a)])


def inv(a):
    """Return the inverse of a matrix."""
    return _of_each(lambda one: _lapack.gesv(one, np.eye(one.shape[0], dtype=one.dtype)), _square(a))


def _matrix_norm(x, ord):
    """Returns norm() of a matrix for an order."""
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
    """Return the QR decomposition."""
    a = _real(a)
    m, n = a.shape[-2:]
    size = m if mode == 'complete' else min(m, n)
    q, r = _of_each(_lapack.geqrf, a, size)
    r = np.triu(r[..., :size, :])
    return r if mode == 'r' else (q, r)


def lstsq(a, b, rcond=None):
    """Solve a linear system by least squares."""
    a, b = _of_one_type(_real(a), b)
    if a.shape[0] != b.shape[0]:
        raise LinAlgError('Incompatible dimensions')
    m, n = a.shape
    if rcond is None:
        rcond = np.finfo(a.dtype).eps * max(m, n)
    vector = b.ndim == 1
    wide = complex if a.dtype.kind == 'c' else float
    x, left, rank, s = _narrow(_lapack.gelsd(a.astype(wide), (b[:, None] if vector else b).astype(wide), rcond), a)
    x = x[:n]
    return x[:, 0] if vector else x, left if rank == n and m > n else left[:0], np.int32(rank), s


def pinv(a, rcond=1e-15, hermitian=False):
    """Return the pseudo-inverse of a matrix."""
    u, s, v = svd(np.conj(_real(a)), full_matrices=False)
    large = s > rcond * s.max()
    inverse = np.where(large, 1 / np.where(large, s, 1), 0)
    return np.matmul(np.swapaxes(v, -1, -2) * inverse, np.swapaxes(u, -1, -2))


def matrix_rank(M, tol=None):
    """Return the rank of a matrix."""
    M = np.asarray(M)
    if M.ndim < 2:
        return int(np.any(M != 0))
    s = svd(M, compute_uv=False)
    limit = s.max() * max(M.shape) * np.finfo(s.dtype).eps if tol is None else tol
    return (s > limit).sum()


def matrix_power(a, n):
    """Raise a square matrix to an integer power."""
    a = np.asarray(a)
    if a.ndim < 2 or a.shape[0] != a.shape[1]:
        raise LinAlgError('Last 2 dimensions of the array must be square')
    if n < 0:
        a, n = np.linalg.inv(a), -n
    out = np.eye(a.shape[0], dtype=a.dtype)
    for _ in range(n):
        out = out @ a
    return out


def cond(x, p=None):
    """Return the condition number of a matrix."""
    if p not in (None, 2, -2):
        return np.linalg.norm(x, p) * np.linalg.norm(np.linalg.inv(x), p)
    s = svd(x, compute_uv=False)
    return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]


def multi_dot(arrays):
    """Return the product of several matrices in the cheapest order."""
    out = arrays[0]
    for a in arrays[1:]:
        out = np.dot(out, a)
    return out


def tensorinv(a, ind=2):
    """Return the inverse of a tensor product."""
    a = np.asarray(a)
    if ind <= 0:
        raise ValueError('Invalid ind argument.')
    rows = int(np.prod(a.shape[ind:]))
    return np.linalg.inv(a.reshape(rows, -1)).reshape(a.shape[ind:] + a.shape[:ind])


def tensorsolve(a, b, axes=None):
    """Solve a linear tensor equation."""
    a, b = np.asarray(a), np.asarray(b)
    if axes is not None:
        rest = [k for k in range(a.ndim) if k not in axes]
        a = np.transpose(a, rest + list(axes))
    shape = a.shape[b.ndim - a.ndim:] if b.ndim != a.ndim else ()
    return np.linalg.solve(a.reshape(b.size, -1), b.ravel()).reshape(shape)
