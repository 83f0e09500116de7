"""statistics: means, medians and measures of spread."""
import fractions as _fractions
import math


class StatisticsError(ValueError):
    pass


def _data(data, name):
    data = list(data)
    if not data:
        raise StatisticsError('%s requires at least one data point' % name)
    return data


def _exact(data):
    return sum((_fractions.Fraction(x) for x in data), _fractions.Fraction(0))


def _like(value, data):
    """Converts the result to the type of the data. For integers it stays an int if it is integral."""
    if any(isinstance(x, _fractions.Fraction) for x in data) and not any(isinstance(x, float) for x in data):
        return value
    if all(isinstance(x, int) for x in data):
        return value.numerator if value.denominator == 1 else float(value)
    return float(value)


def mean(data):
    data = _data(data, 'mean')
    return _like(_exact(data) / len(data), data)


def fmean(data, weights=None):
    data = [float(x) for x in data]
    if weights is None:
        if not data:
            raise StatisticsError('fmean requires at least one data point')
        return math.fsum(data) / len(data)
    weights = list(weights)
    if len(weights) != len(data):
        raise StatisticsError('data and weights must be the same length')
    total = math.fsum(weights)
    if not total:
        raise StatisticsError('sum of weights must be non-zero')
    return math.fsum(x * w for x, w in zip(data, weights)) / total


def geometric_mean(data):
    return math.exp(fmean([math.log(x) for x in data]))


def harmonic_mean(data, weights=None):
    data = _data(data, 'harmonic_mean')
    if any(x == 0 for x in data):
        return 0
    return float(_fractions.Fraction(len(data)) / sum(1 / _fractions.Fraction(x) for x in data))


def _sorted(data):
    data = sorted(data)
    if not data:
        raise StatisticsError('no median for empty data')
    return data


def median(data):
    data = _sorted(data)
    n = len(data)
    return data[n // 2] if n % 2 else (data[n // 2 - 1] + data[n // 2]) / 2


def median_low(data):
    data = _sorted(data)
    return data[(len(data) - 1) // 2]


def median_high(data):
    data = _sorted(data)
    return data[len(data) // 2]


def multimode(data):
    counts = {}
    for x in data:
        counts[x] = counts.get(x, 0) + 1
    most = max(counts.values(), default=0)
    return [x for x, n in counts.items() if n == most]


def mode(data):
    found = multimode(data)
    if not found:
        raise StatisticsError('no mode for empty data')
    return found[0]


def _squares(data, center):
    middle = _exact(data) / len(data) if center is None else _fractions.Fraction(center)
    return sum((_fractions.Fraction(x) - middle) ** 2 for x in data)


def variance(data, xbar=None):
    data = list(data)
    if len(data) < 2:
        raise StatisticsError('variance requires at least two data points')
    return _like(_squares(data, xbar) / (len(data) - 1), data)


def pvariance(data, mu=None):
    data = list(data)
    if not data:
        raise StatisticsError('pvariance requires at least one data point')
    return _like(_squares(data, mu) / len(data), data)


def _root(value):
    """Returns the float nearest to the square root of a fraction."""
    n, m = value.numerator, value.denominator
    if n == 0:
        return 0.0
    shift = (n.bit_length() - m.bit_length() - 109) // 2
    if shift >= 0:
        root = math.isqrt(n // (m << 2 * shift)) | 1
        return float(root << shift)
    root = math.isqrt((n << -2 * shift) // m) | 1
    return float(_fractions.Fraction(root, 1 << -shift))


def stdev(data, xbar=None):
    data = list(data)
    if len(data) < 2:
        raise StatisticsError('stdev requires at least two data points')
    return _root(_squares(data, xbar) / (len(data) - 1))


def pstdev(data, mu=None):
    data = list(data)
    if not data:
        raise StatisticsError('pstdev requires at least one data point')
    return _root(_squares(data, mu) / len(data))


def quantiles(data, *, n=4, method='exclusive'):
    if n < 1:
        raise StatisticsError('n must be at least 1')
    data = sorted(data)
    if len(data) < 2:
        raise StatisticsError('must have at least two data points')
    out, size = [], len(data)
    for i in range(1, n):
        if method == 'inclusive':
            j, delta = divmod(i * (size - 1), n)
            out.append((data[j] * (n - delta) + data[j + 1] * delta) / n)
        elif method == 'exclusive':
            j = min(max(i * (size + 1) // n, 1), size - 1)
            delta = i * (size + 1) - j * n
            out.append((data[j - 1] * (n - delta) + data[j] * delta) / n)
        else:
            raise ValueError('Unknown method: %r' % method)
    return out


def covariance(x, y, /):
    if len(x) != len(y):
        raise StatisticsError('covariance requires that both inputs have same number of data points')
    mx, my = math.fsum(x) / len(x), math.fsum(y) / len(y)
    return math.fsum((a - mx) * (b - my) for a, b in zip(x, y)) / (len(x) - 1)


def correlation(x, y, /):
    mx, my = math.fsum(x) / len(x), math.fsum(y) / len(y)
    xy = math.fsum((a - mx) * (b - my) for a, b in zip(x, y))
    return xy / math.sqrt(math.fsum((a - mx) ** 2 for a in x) * math.fsum((b - my) ** 2 for b in y))
