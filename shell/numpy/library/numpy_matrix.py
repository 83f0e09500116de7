"""numpy.matrix: methods that keep two dimensions."""


def rows_of_text(text):
    """Returns '1 2; 3 4' as nested lists."""
    for bracket in '[]':
        text = text.replace(bracket, '')
    rows = [row.replace(',', ' ').split() for row in text.split(';')]
    if len(set(len(row) for row in rows)) > 1:
        raise ValueError('Rows not the same size.')
    return [[float(x) if '.' in x or 'e' in x.lower() else int(x) for x in row] for row in rows]


def inverse(a):
    return np.linalg.inv(a) if a.shape[0] == a.shape[1] else np.linalg.pinv(a)


def _reduced(name):
    def method(m, axis=None, *args, **keywords):
        a = m.A
        if axis is None:
            return getattr(a, name)(None, *args, **keywords)
        return np.matrix(np.expand_dims(getattr(a, name)(axis, *args, **keywords), axis))
    return method


sum, mean, std, var, prod, any, all, max, min, argmax, argmin, ptp = [_reduced(name) for name in (
    'sum', 'mean', 'std', 'var', 'prod', 'any', 'all', 'max', 'min', 'argmax', 'argmin', 'ptp')]


def _wrapped(name):
    return lambda m, *args, **keywords: np.matrix(getattr(m.A, name)(*args, **keywords))


astype, copy, flatten, ravel, round, clip, conj, conjugate, cumsum, transpose, squeeze, repeat, take, diagonal = [
    _wrapped(name) for name in ('astype', 'copy', 'flatten', 'ravel', 'round', 'clip', 'conj', 'conjugate', 'cumsum',
                                'transpose', 'squeeze', 'repeat', 'take', 'diagonal')]


def reshape(m, *shape, order='C'):
    out = m.A.reshape(*shape, order=order)
    return np.matrix(out) if out.ndim == 2 else out


def dot(m, b):
    return m * np.asmatrix(b) if np.ndim(b) == 2 else np.matrix(np.dot(m.A, b))


getA, getA1 = (lambda m: m.A), (lambda m: m.A1)
getT, getH, getI = (lambda m: m.T), (lambda m: m.H), (lambda m: m.I)
