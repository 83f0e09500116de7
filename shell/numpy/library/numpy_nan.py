"""numpy: statistics that ignore nan."""


def nanstd(a, axis=None):
    """Return the standard deviation, ignoring nan."""
    centred = np.asarray(a) - (np.nanmean(a) if axis is None else np.expand_dims(np.nanmean(a, axis=axis), axis))
    return np.sqrt(np.nanmean(centred * centred, axis=axis))


def nanargmax(a, axis=None):
    """Return the index of the maximum, ignoring nan."""
    return np.argmax(np.where(np.isnan(a), -np.inf, a), axis=axis)


def nanargmin(a, axis=None):
    """Return the index of the minimum, ignoring nan."""
    return np.argmin(np.where(np.isnan(a), np.inf, a), axis=axis)


def nancumsum(a, axis=None):
    """Return the cumulative sum, with nan as zero."""
    return np.cumsum(np.where(np.isnan(a), 0, a), axis=axis)


def nanmedian(a, axis=None):
    """Return the median, ignoring nan."""
    if axis is None:
        flat = np.asarray(a).ravel()
        flat = flat[~np.isnan(flat)]
        return np.median(flat) if flat.size else np.float64('nan')
    return np.apply_along_axis(nanmedian, axis, a)


def nanprod(a, axis=None):
    """Return the product, ignoring nan."""
    a = np.asarray(a)
    return np.prod(np.where(np.isnan(a), 1, a), axis=axis)


def nanvar(a, axis=None, ddof=0):
    """Return the variance, ignoring nan."""
    a = np.asarray(a)
    known = ~np.isnan(a)
    count = known.sum(axis=axis, keepdims=True)
    mean = np.where(known, a, 0).sum(axis=axis, keepdims=True) / count
    total = np.where(known, (a - mean) ** 2, 0).sum(axis=axis)
    return total / (count.reshape(np.shape(total)) - ddof)


def nanpercentile(a, q, axis=None):
    """Return percentiles, ignoring nan."""
    if axis is None:
        flat = np.asarray(a).ravel()
        return np.percentile(flat[~np.isnan(flat)], q)
    return np.apply_along_axis(lambda row: np.percentile(row[~np.isnan(row)], q), axis, a)


def nanquantile(a, q, axis=None):
    """Return quantiles, ignoring nan."""
    return nanpercentile(a, np.multiply(q, 100), axis)
