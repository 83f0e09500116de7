"""Functions of tf that sort, search, repeat and gather."""


def _sorted(values, axis, direction, name, part):
    """Returns the values (part 0) or indices (part 1) of the elements along an axis in sorted order."""
    if direction not in ('ASCENDING', 'DESCENDING'):
        raise ValueError("`direction` must be one of ['ASCENDING', 'DESCENDING']; received: %s" % direction)
    with tf.name_scope(name, ('sort', 'argsort')[part]):
        values = tf.convert_to_tensor(values)
        rank = values.get_shape().ndims
        known = tf.get_static_value(axis) if isinstance(axis, tf.Tensor) else axis
        last = known == -1 or rank is not None and known == rank - 1
        if not last and rank is None:
            raise NotImplementedError('sorting along an axis that is not the last needs a known rank')
        order = list(range(rank)) if rank is not None else []
        if not last:
            at = known + rank if known < 0 else known
            order[at], order[-1] = order[-1], order[at]
            values = tf.transpose(values, order)
        # The k best values are the greatest. The least are found by negation, or by ~x for types
        # without negation.
        rising = direction == 'ASCENDING'
        unsigned = values.dtype.name.startswith('uint')

        def turned(x):
            return x if not rising else values.dtype.max - x if unsigned else -x if x.dtype.is_floating else -1 - x
        found = tf.nn.top_k(turned(values), tf.shape(values)[-1])[part]
        found = turned(found) if part == 0 else found
        return found if last else tf.transpose(found, order)


def sort(values, axis=-1, direction='ASCENDING', name=None):
    """Sorts the elements along an axis."""
    return _sorted(values, axis, direction, name, 0)


def argsort(values, axis=-1, direction='ASCENDING', stable=False, name=None):
    """The indices that sort the elements along an axis."""
    return _sorted(values, axis, direction, name, 1)


def searchsorted(sorted_sequence, values, side='left', out_type=tf.int32, name=None):
    """The positions at which values would be inserted into sorted sequences, before or after equal elements."""
    if side not in ('left', 'right'):
        raise ValueError("side must be either 'right' or 'left'.  Saw: %s." % side)
    with tf.name_scope(name, 'searchsorted'):
        sequence = tf.convert_to_tensor(sorted_sequence)
        values = tf.convert_to_tensor(values, dtype=sequence.dtype)
        rows = tf.reshape(sequence, [-1, tf.shape(sequence)[-1]])
        asked = tf.reshape(values, [-1, tf.shape(values)[-1]])
        op = tf.raw_ops.LowerBound if side == 'left' else tf.raw_ops.UpperBound
        return tf.reshape(op(sorted_inputs=rows, values=asked, out_type=out_type), tf.shape(values))


def repeat(input, repeats, axis=None, name=None):
    """Repeats each element a number of times."""
    with tf.name_scope(name, 'repeat'):
        data = tf.convert_to_tensor(input)
        if axis is None:
            data, axis = tf.reshape(data, [-1]), 0
        axis = axis + data.get_shape().ndims if axis < 0 else axis
        length = tf.shape(data)[axis]
        repeats = tf.cast(tf.convert_to_tensor(repeats), tf.int32)
        repeats = tf.reshape(repeats, [-1]) + tf.zeros([length], tf.int32)
        ends = tf.cumsum(repeats)
        return tf.gather(data, searchsorted(ends, tf.range(tf.reduce_sum(repeats)), side='right'), axis=axis)


def batch_gather(params, indices, name=None):
    """Picks separate elements from each row."""
    with tf.name_scope(name, 'BatchGather', [params, indices]):
        indices = tf.convert_to_tensor(indices, name='indices')
        params = tf.convert_to_tensor(params, name='params')
        if indices.get_shape().ndims is None:
            raise ValueError('batch_gather does not allow indices with unknown shape.')
        return tf.gather(params, indices, batch_dims=indices.get_shape().ndims - 1)


def broadcast_dynamic_shape(shape_x, shape_y):
    """The shape to which x and y with these shapes broadcast."""
    with tf.name_scope('BroadcastArgs'):
        shapes = [tf.convert_to_tensor(s, dtype=tf.int32) for s in (shape_x, shape_y)]
        rank = tf.maximum(tf.size(shapes[0]), tf.size(shapes[1]))
        x, y = [tf.concat([tf.ones([rank - tf.size(s)], tf.int32), s], 0) for s in shapes]
        fit = tf.reduce_all(tf.equal(x, y) | tf.equal(x, 1) | tf.equal(y, 1))
        with tf.control_dependencies([tf.Assert(fit, ['Incompatible shapes:', x, 'vs.', y])]):
            return tf.where(tf.equal(x, 1), y, x)


def lbeta(x, name=None):
    """log of Beta, over the last axis."""
    with tf.name_scope(name, 'lbeta'):
        x = tf.convert_to_tensor(x, name='x')
        return tf.subtract(tf.reduce_sum(tf.lgamma(x), axis=[-1]), tf.lgamma(tf.reduce_sum(x, axis=[-1])))
