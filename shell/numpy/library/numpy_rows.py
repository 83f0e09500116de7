"""Draws of rows, shared by RandomState and Generator: shapes, checks and single rows."""


def shape_of(size):
    return () if size is None else (int(size),) if isinstance(size, (int, np.integer)) else tuple(size)


def rows(size, width, one):
    """Returns an array of rows of `width` elements, each drawn by one()."""
    shape = shape_of(size)
    drawn = [one() for _ in range(int(np.prod(shape)))]
    return np.array(drawn).reshape(shape + (width,))


def probabilities(pvals):
    pvals = np.asarray(pvals, float)
    if np.any(~((pvals >= 0) & (pvals <= 1))):
        raise ValueError('pvals < 0, pvals > 1 or pvals contains NaNs')
    return pvals


def check_sum(pvals):
    if sum(pvals[:-1]) > 1.0 + 1e-12:
        raise ValueError('sum(pvals[:-1].astype(np.float64)) > 1.0. The pvals array is cast to 64-bit floating point '
                         'prior to checking the sum. Precision changes when casting may cause problems even if the sum '
                         'of the original pvals is valid.')


def multinomial_row(source, n, pvals):
    left, rest, row = n, 1.0, []
    for p in pvals[:-1]:
        drawn = int(source.binomial(left, p / rest)) if left > 0 else 0
        row.append(drawn)
        left -= drawn
        rest -= p
    return row + [left]


def dirichlet_row(source, alpha):
    row = source.standard_gamma(alpha)
    return row * (1.0 / np.cumsum(row)[-1])


def mean_and_covariance(mean, cov):
    mean, cov = np.array(mean), np.array(cov) * 1.0
    if mean.ndim != 1:
        raise ValueError('mean must be 1 dimensional')
    if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
        raise ValueError('cov must be 2 dimensional and square')
    if mean.shape[0] != cov.shape[0]:
        raise ValueError('mean and cov must have same length')
    return mean, cov
