"""numpy.random.Generator: the methods that are made of others, number for number."""
import warnings


def _shape(size):
    return () if size is None else (int(size),) if isinstance(size, (int, np.integer)) else tuple(size)


def bytes(rng, length):
    words = rng.integers(0, 4294967296, size=(length - 1) // 4 + 1, dtype=np.uint32)
    return words.tobytes()[:length]


def spawn(rng, n_children):
    children = rng.bit_generator.seed_seq.spawn(n_children)
    return [np.random.Generator(np.random.PCG64(child)) for child in children]


def _multinomial_row(rng, n, pvals):
    left, rest, row = n, 1.0, []
    for p in pvals[:-1]:
        drawn = rng.binomial(left, p / rest) if left > 0 else 0
        row.append(drawn)
        left -= drawn
        rest -= p
    return row + [left]


def multinomial(rng, n, pvals, size=None):
    pvals = np.asarray(pvals, float)
    if np.any(~((pvals >= 0) & (pvals <= 1))):
        raise ValueError('pvals < 0, pvals > 1 or pvals contains NaNs')
    if np.any(np.asarray(n) < 0):
        raise ValueError('n < 0')
    if sum(pvals[:-1]) > 1.0 + 1e-12:
        raise ValueError('sum(pvals[:-1].astype(np.float64)) > 1.0. The pvals array is cast to 64-bit floating point '
                         'prior to checking the sum. Precision changes when casting may cause problems even if the sum '
                         'of the original pvals is valid.')
    counts = np.broadcast_to(np.asarray(n, int), np.shape(n) if size is None else _shape(size))
    rows = [_multinomial_row(rng, int(k), pvals) for k in counts.ravel()]
    return np.array(rows, int).reshape(counts.shape + (len(pvals),))


def _sticks(rng, alpha):
    """Small alphas by breaking sticks: gammas of them would all be 0."""
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


def _gammas(rng, alpha):
    row = rng.standard_gamma(alpha)
    return row * (1.0 / np.cumsum(row)[-1])


def dirichlet(rng, alpha, size=None):
    alpha = np.asarray(alpha, float)
    if np.any(alpha < 0):
        raise ValueError('alpha < 0')
    one = _sticks if 0 < np.max(alpha) < 0.1 else _gammas
    shape = _shape(size)
    rows = [one(rng, alpha) for _ in range(int(np.prod(shape)))]
    return np.array(rows).reshape(shape + (len(alpha),))


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
    mean, cov = np.array(mean), np.array(cov) * 1.0
    if mean.ndim != 1:
        raise ValueError('mean must be 1 dimensional')
    if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
        raise ValueError('cov must be 2 dimensional and square')
    if mean.shape[0] != cov.shape[0]:
        raise ValueError('mean and cov must have same length')
    if check_valid not in ('warn', 'raise', 'ignore'):
        raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
    shape = _shape(size) + (mean.shape[0],)
    x = rng.standard_normal(shape).reshape(-1, mean.shape[0])
    return (mean + np.dot(x, _factor(cov, method, check_valid, tol).T)).reshape(shape)
