"""numpy.random: the methods of RandomState that are composed of others, also as functions of np.random. The numbers equal numpy's."""
import _numpy_rows as _rows


def dirichlet(state, alpha, size=None):
    """Draw samples from a Dirichlet distribution."""
    alpha = np.asarray(alpha, float)
    if np.any(alpha <= 0):
        raise ValueError('alpha <= 0')
    return _rows.rows(size, len(alpha), lambda: _rows.dirichlet_row(state, alpha))


def multinomial(state, n, pvals, size=None):
    """Draw samples from a multinomial distribution."""
    pvals = _rows.probabilities(pvals)
    _rows.check_sum(pvals)
    return _rows.rows(size, len(pvals), lambda: _rows.multinomial_row(state, n, pvals))


def multivariate_normal(state, mean, cov, size=None, check_valid='warn', tol=1e-8):
    """Draw samples from a multivariate normal distribution."""
    mean, cov = _rows.mean_and_covariance(mean, cov)
    shape = _rows.shape_of(size) + (mean.shape[0],)
    x = state.standard_normal(shape).reshape(-1, mean.shape[0])
    u, s, v = np.linalg.svd(cov)
    return (np.dot(x, np.sqrt(s)[:, None] * v) + mean).reshape(shape)
