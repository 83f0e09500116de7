"""Rules of ONNX: reductions, sorting, and normalization along a dimension."""
import numpy as np
from _library.onnx_rules import rule, Refused, ints, rank, dims, scalar, like, axis_of, with_dim, product


def _norm2(x, axes, keep):
    return tf.sqrt(tf.reduce_sum(x * x, axes, keep))


_REDUCE = {'ReduceSum': tf.reduce_sum, 'ReduceMean': tf.reduce_mean, 'ReduceMax': tf.reduce_max,
           'ReduceMin': tf.reduce_min, 'ReduceProd': tf.reduce_prod,
           'ReduceL1': lambda x, axes, keep: tf.reduce_sum(tf.abs(x), axes, keep), 'ReduceL2': _norm2,
           'ReduceLogSum': lambda x, axes, keep: tf.log(tf.reduce_sum(x, axes, keep)),
           'ReduceLogSumExp': tf.reduce_logsumexp,
           'ReduceSumSquare': lambda x, axes, keep: tf.reduce_sum(x * x, axes, keep)}


@rule(' '.join(_REDUCE))
def _reduce(n, x, axes=None):
    axes = n.get('axes', None) if axes is None else axes
    known = ints(axes)
    if known == [] or axes is not None and known is None and axes.shape.as_list() == [0]:
        axes = known = None
    if axes is None and n.get('noop_with_empty_axes', 0):
        axes = []  # the elementwise parts of the operator remain
    elif axes is not None and known is None and axes.shape.as_list() == [None]:
        axes = tf.cast(axes, tf.int32)
        every = [] if n.get('noop_with_empty_axes', 0) else list(range(rank(x)))
        axes = tf.cond(tf.equal(tf.size(axes), 0), lambda: tf.constant(every, tf.int32), lambda: axes)
    f = _REDUCE[n.op]
    keep = bool(n.get('keepdims', 1))
    axes = axes if known is None else known
    r = x.shape.ndims or 0
    if isinstance(axes, list) and r > 2 and sorted(a % r for a in axes) == list(range(2, r)) and n.has_channels_last(x):
        y = f(n.channels_last(x), list(range(1, r - 1)), keep)
        return n.channels_first(y) if keep else y
    if x.dtype == tf.bool:
        return (tf.reduce_any if n.op == 'ReduceMax' else tf.reduce_all)(x, axes, keep)
    if x.dtype.is_integer and n.op in ('ReduceL2', 'ReduceLogSum', 'ReduceLogSumExp'):
        return tf.cast(f(tf.cast(x, tf.float64), axes, keep), x.dtype)
    if f in (tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min, tf.reduce_prod):
        return f(x, axes, keep, name=n.out)
    return f(x, axes, keep)


def arg_extreme(x, axis, largest, last=False):
    f = tf.argmax if largest else tf.argmin
    if x.dtype in (tf.uint16, tf.uint32, tf.uint64, tf.int8, tf.int16):
        x = tf.cast(x, tf.int64)
    if not last:
        return f(x, axis, output_type=tf.int64)
    return tf.cast(dims(x)[axis], tf.int64) - 1 - f(tf.reverse(x, [axis]), axis, output_type=tf.int64)


@rule('ArgMax ArgMin')
def _arg(n, x):
    axis = axis_of(n, x, 0)
    y = arg_extreme(x, axis, n.op == 'ArgMax', n.get('select_last_index', 0))
    return tf.expand_dims(y, axis) if n.get('keepdims', 1) else y


def _top(n, x, k, axis, largest):
    def last(v):
        if v.dtype.is_bool or not largest and v.dtype.is_unsigned and v.dtype != tf.uint8:
            raise Refused('TopK of %s is not supported' % v.dtype.name)
        key = v if largest else tf.bitwise.invert(v) if v.dtype.is_integer else -v
        return tf.raw_ops.TopKV2(input=key, k=k, sorted=True)
    r = rank(x)
    order = list(range(r))
    order[axis], order[-1] = order[-1], order[axis]
    moved = x if axis == r - 1 else tf.transpose(x, order)
    values, indices = last(moved)
    if not largest:
        values = tf.bitwise.invert(values) if x.dtype.is_integer else -values
    if axis != r - 1:
        values, indices = tf.transpose(values, order), tf.transpose(indices, order)
    return [values, tf.cast(indices, tf.int64)]


@rule('TopK', 1)
def _top_attribute(n, x):
    return _top(n, x, n.get('k', 1), axis_of(n, x, -1), True)


@rule('TopK', 10)
def _top_input(n, x, k):
    known = ints(k)
    k = scalar(k, tf.int32) if known is None else known[0]
    return _top(n, x, k, axis_of(n, x, -1), bool(n.get('largest', 1)))


def _by_rows(n, x, f):
    """Before version 13, all dimensions from `axis` on are one."""
    axis = axis_of(n, x, 1)
    known = x.shape.as_list()
    if axis == rank(x) - 1:
        return f(x)
    if None not in known[axis:]:
        rows = [-1, int(np.prod(known[axis:]))]
    else:
        rows = [int(np.prod(known[:axis])) if None not in known[:axis] else product(dims(x)[:axis]), -1]
    return tf.reshape(f(tf.reshape(x, rows)), tf.shape(x))


@rule('Softmax LogSoftmax', 1)
def _softmax_rows(n, x):
    return _by_rows(n, x, tf.nn.softmax if n.op == 'Softmax' else tf.nn.log_softmax)


@rule('Softmax LogSoftmax', 13)
def _softmax(n, x):
    f = tf.nn.softmax if n.op == 'Softmax' else tf.nn.log_softmax
    axis = axis_of(n, x, -1)
    if axis == rank(x) - 1:
        return f(x, name=n.out)
    return with_dim(x, axis, f)


def _hard(x, axis):
    return tf.one_hot(tf.argmax(x, axis), dims(x)[axis], like(1, x), like(0, x), axis=axis)


@rule('Hardmax', 1)
def _hardmax_rows(n, x):
    return _by_rows(n, x, lambda v: _hard(v, rank(v) - 1))


@rule('Hardmax', 13)
def _hardmax(n, x):
    return _hard(x, axis_of(n, x, -1))


@rule('LpNormalization')
def _lp_normalization(n, x):
    axis = axis_of(n, x, -1)
    size = _norm2(x, [axis], True) if n.get('p', 2) == 2 else tf.reduce_sum(tf.abs(x), [axis], True)
    return tf.div_no_nan(x, size, name=n.out)


@rule('MeanVarianceNormalization')
def _mvn(n, x):
    axes = n.get('axes', None) or [0, 2, 3]
    mean = tf.reduce_mean(x, axes, True)
    centered = x - mean
    deviation = tf.sqrt(tf.reduce_mean(centered * centered, axes, True))
    return centered / (deviation + like(1e-9, x))


@rule('LayerNormalization')
def _layer_normalization(n, x, scale, bias=None):
    axis = axis_of(n, x, -1)
    axes = list(range(axis, rank(x)))
    wide = tf.float32 if n.get('stash_type', 1) == 1 else x.dtype
    f = tf.cast(x, wide)
    mean = tf.reduce_mean(f, axes, True)
    centered = f - mean
    inverse = tf.rsqrt(tf.reduce_mean(centered * centered, axes, True) + like(n.get('epsilon', 1e-5), f))
    y = tf.cast(centered * inverse, x.dtype) * scale
    return [y if bias is None else tf.add(y, bias, name=n.out), mean, inverse]


@rule('SimplifiedLayerNormalization')
@rule('RMSNormalization', 23)
def _rms_normalization(n, x, scale):
    axis = axis_of(n, x, -1)
    f = tf.cast(x, tf.float32)
    inverse = tf.rsqrt(tf.reduce_mean(f * f, list(range(axis, rank(x))), True) + like(n.get('epsilon', 1e-5), f))
    return [tf.cast(f * inverse, x.dtype) * scale, inverse]


@rule('SkipLayerNormalization', 1, 'com.microsoft')
def _skip_layer_normalization(n, x, skip, gamma, beta=None, bias=None):
    total = x + skip if bias is None else x + skip + bias
    y, mean, inverse = _layer_normalization(n, total, gamma, beta)
    return [y, mean, inverse, total]


@rule('Unique')
def _unique(n, x):
    if n.has('axis'):
        axis = axis_of(n, x, 0)
    else:
        x, axis = tf.reshape(x, [-1]), 0
    y, inverse, counts = tf.raw_ops.UniqueWithCountsV2(x=x, axis=tf.constant([axis], tf.int64), out_idx=tf.int64)
    size = tf.size(counts)
    first = tf.unsorted_segment_min(tf.range(tf.size(inverse, out_type=tf.int64)), inverse, size)
    if n.get('sorted', 1):
        order = _order(y, axis)
        y, first, counts = tf.gather(y, order, axis=axis), tf.gather(first, order), tf.gather(counts, order)
        inverse = tf.gather(tf.cast(tf.invert_permutation(order), tf.int64), inverse)
    return [y, first, inverse, counts]


def _order(y, axis):
    """The order of the slices of y along the axis, compared element by element."""
    if rank(y) == 1:
        return tf.argsort(y, stable=True)
    rows = tf.transpose(y, [axis] + [a for a in range(rank(y)) if a != axis])
    rows = tf.reshape(rows, tf.stack([tf.shape(rows)[0], -1]))

    def step(i, order):
        return i - 1, tf.gather(order, tf.argsort(tf.gather(rows[:, i], order), stable=True))
    order = tf.range(tf.shape(rows)[0])
    return tf.while_loop(lambda i, order: i >= 0, step, [tf.shape(rows)[1] - 1, order],
                         shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])[1]


@rule('CumProd')
def _cumprod(n, x, axis):
    return tf.cumprod(x, scalar(axis), bool(n.get('exclusive', 0)), bool(n.get('reverse', 0)), name=n.out)
