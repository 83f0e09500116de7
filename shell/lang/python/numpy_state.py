"""numpy.random: what RandomState makes of its other streams, number for number; np.random's own functions too."""


def _shape(size):
    return () if size is None else (int(size),) if isinstance(size, (int, np.integer)) else tuple(size)


def _rows(size, width, one):
    """An array of rows of `width`, each drawn by one()."""
    shape = _shape(size)
    rows = [one() for _ in range(int(np.prod(shape)))]
    return np.array(rows).reshape(shape + (width,))


def dirichlet(state, alpha, size=None):
    alpha = np.asarray(alpha, float)
    if np.any(alpha <= 0):
        raise ValueError('alpha <= 0')

    def one():
        row = state.standard_gamma(alpha)
        return row * (1.0 / np.cumsum(row)[-1])
    return _rows(size, len(alpha), one)


def multinomial(state, n, pvals, size=None):
    pvals = np.asarray(pvals, float)
    if np.any(~((pvals >= 0) & (pvals <= 1))):
        raise ValueError('pvals < 0, pvals > 1 or pvals contains NaNs')
    if sum(pvals[:-1]) > 1.0 + 1e-12:
        raise ValueError('sum(pvals[:-1].astype(np.float64)) > 1.0. The pvals array is cast to 64-bit floating point '
                         'prior to checking the sum. Precision changes when casting may cause problems even if the sum '
                         'of the original pvals is valid.')

    def one():
        left, rest, row = n, 1.0, []
        for p in pvals[:-1]:
            drawn = int(state.binomial(left, p / rest)) if left > 0 else 0
            row.append(drawn)
            left -= drawn
            rest -= p
        return row + [left]
    return _rows(size, len(pvals), one)


def multivariate_normal(state, mean, cov, size=None, check_valid='warn', tol=1e-8):
    mean, cov = np.array(mean), np.array(cov) * 1.0
    if mean.ndim != 1:
        raise ValueError('mean must be 1 dimensional')
    if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
        raise ValueError('cov must be 2 dimensional and square')
    if mean.shape[0] != cov.shape[0]:
        raise ValueError('mean and cov must have same length')
    shape = _shape(size) + (mean.shape[0],)
    x = state.standard_normal(shape).reshape(-1, mean.shape[0])
    u, s, v = np.linalg.svd(cov)
    return (np.dot(x, np.sqrt(s)[:, None] * v) + mean).reshape(shape)
