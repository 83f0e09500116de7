"""numpy.random.Generator: the methods that are composed of others. The numbers equal numpy's."""
import warnings
import _numpy_rows as _rows


def bytes(rng, length):
    words = rng.integers(0, 4294967296, size=(length - 1) // 4 + 1, dtype=np.uint32)
    return words.tobytes()[:length]


def spawn(rng, n_children):
    children = rng.bit_generator.seed_seq.spawn(n_children)
    return [np.random.Generator(np.random.PCG64(child)) for child in children]


def multinomial(rng, n, pvals, size=None):
    pvals = _rows.probabilities(pvals)
    if np.any(np.asarray(n) < 0):
        raise ValueError('n < 0')
    _rows.check_sum(pvals)
    counts = np.broadcast_to(np.asarray(n, int), np.shape(n) if size is None else _rows.shape_of(size))
    drawn = [_rows.multinomial_row(rng, int(k), pvals) for k in counts.ravel()]
    return np.array(drawn, int).reshape(counts.shape + (len(pvals),))


def _sticks(rng, alpha):
    """Draws for small alphas by stick breaking, because gamma draws would all be 0."""
    rest = np.cumsum(alpha[::-1])[::-1]
    row, left = np.zeros(len(alpha)), 1.0
    for k in range(len(alpha) - 1):
        v = rng.beta(alpha[k], rest[k + 1])
        row[k] = left * v
        left *= 1.0 - v
        if rest[k + 1] == 0:
            break
    row[-1] = left
    return row


def dirichlet(rng, alpha, size=None):
    alpha = np.asarray(alpha, float)
    if np.any(alpha < 0):
        raise ValueError('alpha < 0')
    one = _sticks if 0 < np.max(alpha) < 0.1 else _rows.dirichlet_row
    return _rows.rows(size, len(alpha), lambda: one(rng, alpha))


def _factor(cov, method, check_valid, tol):
    if method == 'cholesky':
        return np.linalg.cholesky(cov)
    if method == 'svd':
        u, s, vh = np.linalg.svd(cov)
        valid = check_valid == 'ignore' or np.allclose(np.dot(vh.T * s, vh), cov, rtol=tol, atol=tol)
    else:
        s, u = np.linalg.eigh(cov)
        valid = check_valid == 'ignore' or not np.any(s < -tol)
        s = abs(s)
    if not valid:
        if check_valid == 'raise':
            raise ValueError('covariance is not symmetric positive-semidefinite.')
        warnings.warn('covariance is not symmetric positive-semidefinite.', RuntimeWarning)
    return u * np.sqrt(s)


def multivariate_normal(rng, mean, cov, size=None, check_valid='warn', tol=1e-8, *, method='svd'):
    if method not in ('eigh', 'svd', 'cholesky'):
        raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
    mean, cov = _rows.mean_and_covariance(mean, cov)
    if check_valid not in ('warn', 'raise', 'ignore'):
        raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
    shape = _rows.shape_of(size) + (mean.shape[0],)
    x = rng.standard_normal(shape).reshape(-1, mean.shape[0])
    return (mean + np.dot(x, _factor(cov, method, check_valid, tol).T)).reshape(shape)
