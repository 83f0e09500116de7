"""numpy.random: distributions made of numpy's other streams, number for number as RandomState makes them."""
import math

_uniform = np.random.random_sample


def _fill(size, one):
    if size is None:
        return one()
    shape = (size,) if isinstance(size, (int, np.integer)) else tuple(size)
    count = 1
    for n in shape:
        count *= n
    return np.array([one() for _ in range(count)]).reshape(shape)


def _exponential():
    return -math.log(1.0 - _uniform())


def standard_exponential(size=None):
    return _fill(size, _exponential)


def standard_gamma(shape, size=None):
    return np.random.gamma(shape, 1.0, size)


def laplace(loc=0.0, scale=1.0, size=None):
    def one():
        while True:
            u = _uniform()
            if u >= 0.5:
                return loc - scale * math.log(2.0 - u - u)
            if u > 0.0:
                return loc + scale * math.log(u + u)
    return _fill(size, one)


def logistic(loc=0.0, scale=1.0, size=None):
    def one():
        while True:
            u = _uniform()
            if u > 0.0:
                return loc + scale * math.log(u / (1.0 - u))
    return _fill(size, one)


def gumbel(loc=0.0, scale=1.0, size=None):
    def one():
        while True:
            u = 1.0 - _uniform()
            if u < 1.0:
                return loc - scale * math.log(-math.log(u))
    return _fill(size, one)


def rayleigh(scale=1.0, size=None):
    return _fill(size, lambda: scale * math.sqrt(-2.0 * math.log1p(-_uniform())))


def weibull(a, size=None):
    return _fill(size, lambda: 0.0 if a == 0 else _exponential() ** (1.0 / a))


def pareto(a, size=None):
    return _fill(size, lambda: math.exp(_exponential() / a) - 1.0)


def power(a, size=None):
    return _fill(size, lambda: (1.0 - math.exp(-_exponential())) ** (1.0 / a))


def chisquare(df, size=None):
    return 2.0 * np.random.gamma(df / 2.0, 1.0, size)


def standard_cauchy(size=None):
    return _fill(size, lambda: np.random.standard_normal() / np.random.standard_normal())


def standard_t(df, size=None):
    def one():
        n = np.random.standard_normal()
        return math.sqrt(df / 2.0) * n / math.sqrt(np.random.gamma(df / 2.0, 1.0))
    return _fill(size, one)


def triangular(left, mode, right, size=None):
    base = right - left
    ratio = (mode - left) / base

    def one():
        u = _uniform()
        if u <= ratio:
            return left + math.sqrt(u * (mode - left) * base)
        return right - math.sqrt((1.0 - u) * (right - mode) * base)
    return _fill(size, one)


def dirichlet(alpha, size=None):
    shape = () if size is None else (size,) if isinstance(size, int) else tuple(size)
    count = 1
    for n in shape:
        count *= n
    rows = []
    for _ in range(count):
        row = np.array([np.random.gamma(a, 1.0) for a in alpha])
        rows.append(row * (1.0 / row.sum()))
    return np.array(rows).reshape(shape + (len(alpha),))


def multinomial(n, pvals, size=None):
    if sum(pvals[:-1]) > 1.0 + 1e-12:
        raise ValueError('sum(pvals[:-1]) > 1.0')
    shape = () if size is None else (size,) if isinstance(size, int) else tuple(size)
    count = 1
    for k in shape:
        count *= k
    rows = []
    for _ in range(count):
        left, rest, row = n, 1.0, []
        for p in pvals[:-1]:
            drawn = int(np.random.binomial(left, p / rest)) if left > 0 else 0
            row.append(drawn)
            left -= drawn
            rest -= p
        rows.append(row + [left])
    return np.array(rows).reshape(shape + (len(pvals),))


def multivariate_normal(mean, cov, size=None, check_valid='warn', tol=1e-8):
    mean, cov = np.array(mean), np.array(cov) * 1.0
    if mean.ndim != 1:
        raise ValueError('mean must be 1 dimensional')
    if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
        raise ValueError('cov must be 2 dimensional and square')
    if mean.shape[0] != cov.shape[0]:
        raise ValueError('mean and cov must have same length')
    shape = [] if size is None else [size] if isinstance(size, (int, np.integer)) else list(size)
    x = np.random.standard_normal(shape + [mean.shape[0]]).reshape(-1, mean.shape[0])
    u, s, v = np.linalg.svd(cov)
    x = np.dot(x, np.sqrt(s)[:, None] * v) + mean
    return x.reshape(shape + [mean.shape[0]])
