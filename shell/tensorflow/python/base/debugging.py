"""tf.assert_*: operations that fail if a condition is false. If the values are known, the check is made immediately."""


def _static(x):
    return tf.get_static_value(x) if isinstance(x, tf.Tensor) else None


def _check(condition, data, summarize):
    return tf.Assert(condition, data, summarize=summarize)


def _fail(data, *values):
    shown = [v if isinstance(v, str) else str(_static(v)) for v in data]
    raise tf.errors.InvalidArgumentError(None, None, '\n'.join(s for s in shown if s))


def _compare(default, sign, holds, test, x, y, data, summarize, message, name):
    with tf.name_scope(name, default):
        x = tf.convert_to_tensor(x, name='x')
        y = tf.convert_to_tensor(y, name='y', dtype=x.dtype.base_dtype)
        if data is None:
            data = [message or '', 'Condition x %s y did not hold element-wise:' % sign,
                    'x (%s) = ' % x.name, x, 'y (%s) = ' % y.name, y]
        a, b = _static(x), _static(y)
        if a is not None and b is not None and not np.all(test(a, b)):
            _fail(data)
        return _check(tf.reduce_all(holds(x, y)), data, summarize)


def assert_equal(x, y, data=None, summarize=None, message=None, name=None):
    """Fails unless x == y everywhere."""
    return _compare('assert_equal', '==', tf.equal, np.equal, x, y, data, summarize, message, name)


def assert_none_equal(x, y, data=None, summarize=None, message=None, name=None):
    """Fails unless x != y everywhere."""
    return _compare('assert_none_equal', '!=', tf.not_equal, np.not_equal, x, y, data, summarize, message, name)


def assert_less(x, y, data=None, summarize=None, message=None, name=None):
    """Fails unless x < y everywhere."""
    return _compare('assert_less', '<', tf.less, np.less, x, y, data, summarize, message, name)


def assert_less_equal(x, y, data=None, summarize=None, message=None, name=None):
    """Fails unless x <= y everywhere."""
    return _compare('assert_less_equal', '<=', tf.less_equal, np.less_equal, x, y, data, summarize, message, name)


def assert_greater(x, y, data=None, summarize=None, message=None, name=None):
    """Fails unless x > y everywhere."""
    return _compare('assert_greater', '>', tf.greater, np.greater, x, y, data, summarize, message, name)


def assert_greater_equal(x, y, data=None, summarize=None, message=None, name=None):
    """Fails unless x >= y everywhere."""
    return _compare('assert_greater_equal', '>=', tf.greater_equal, np.greater_equal, x, y, data, summarize, message,
                    name)


def _compare_zero(default, sign, check, x, data, summarize, message, name, zero_first):
    with tf.name_scope(name, default):
        x = tf.convert_to_tensor(x, name='x')
        if data is None:
            data = [message or '', 'Condition x %s 0 did not hold element-wise:' % sign, 'x (%s) = ' % x.name, x]
        zero = tf.convert_to_tensor(0, dtype=x.dtype.base_dtype)
        return check(zero, x, data=data, summarize=summarize) if zero_first else check(x, zero, data=data,
                                                                                       summarize=summarize)


def assert_positive(x, data=None, summarize=None, message=None, name=None):
    """Fails unless x > 0 everywhere."""
    return _compare_zero('assert_positive', '>', assert_less, x, data, summarize, message, name, True)


def assert_negative(x, data=None, summarize=None, message=None, name=None):
    """Fails unless x < 0 everywhere."""
    return _compare_zero('assert_negative', '<', assert_less, x, data, summarize, message, name, False)


def assert_non_negative(x, data=None, summarize=None, message=None, name=None):
    """Fails unless x >= 0 everywhere."""
    return _compare_zero('assert_non_negative', '>=', assert_less_equal, x, data, summarize, message, name, True)


def assert_non_positive(x, data=None, summarize=None, message=None, name=None):
    """Fails unless x <= 0 everywhere."""
    return _compare_zero('assert_non_positive', '<=', assert_less_equal, x, data, summarize, message, name, False)


def _assert_rank(default, what, fits, condition, x, ranks, data, summarize, message, name):
    with tf.name_scope(name, default):
        x = tf.convert_to_tensor(x, name='x')
        known = x.get_shape().ndims
        if known is not None:
            if not fits(known):
                raise ValueError('%s.  Tensor %s must have rank %s%s.  Received rank %s, shape %s'
                                 % (message or '', x.name, what, ranks, known, x.get_shape()))
            return tf.no_op(name='static_checks_determined_all_ok')
        rank = tf.rank(x)
        if data is None:
            data = [message or '', 'Tensor %s must have rank %s' % (x.name, what), str(ranks), 'Received shape: ',
                    tf.shape(x)]
        return _check(condition(rank), data, summarize)


def assert_rank(x, rank, data=None, summarize=None, message=None, name=None):
    """Fails unless x has this rank."""
    return _assert_rank('assert_rank', '', lambda n: n == rank, lambda n: tf.equal(n, rank), x, rank, data, summarize,
                        message, name)


def assert_rank_at_least(x, rank, data=None, summarize=None, message=None, name=None):
    """Fails unless x has at least that rank."""
    return _assert_rank('assert_rank_at_least', 'at least ', lambda n: n >= rank, lambda n: tf.greater_equal(n, rank),
                        x, rank, data, summarize, message, name)


def assert_rank_in(x, ranks, data=None, summarize=None, message=None, name=None):
    """Fails unless x has one of the ranks."""
    return _assert_rank('assert_rank_in', 'in ', lambda n: n in ranks,
                        lambda n: tf.reduce_any(tf.equal(n, tf.constant(list(ranks)))), x, tuple(ranks), data,
                        summarize, message, name)


def assert_scalar(tensor, name=None, message=None):
    """Returns the tensor after a check that it is a scalar."""
    with tf.name_scope(name, 'assert_scalar') as scope:
        tensor = tf.convert_to_tensor(tensor, name=scope)
        if tensor.get_shape().ndims != 0:
            raise ValueError('%sExpected scalar shape, saw shape: %s.' % (message or '', tensor.get_shape()))
        return tensor


def assert_type(tensor, tf_type, message=None, name=None):
    """Raises TypeError unless the tensor has this type."""
    tf_type = tf.as_dtype(tf_type)
    with tf.name_scope(name, 'assert_type'):
        tensor = tf.convert_to_tensor(tensor, name='tensor')
        if tensor.dtype != tf_type:
            raise TypeError('%s  %s must be of type %s' % (message or '', tensor.name, tf_type))
        return tf.no_op('statically_determined_correct_type')


def assert_same_float_dtype(tensors=None, dtype=None):
    """Returns the common type of the tensors. Raises ValueError if they differ or are not floating-point."""
    for t in tensors or []:
        if dtype is None:
            dtype = t.dtype.base_dtype
        if t.dtype.base_dtype != dtype:
            raise ValueError('Tensor %s must be of type %s, got %s' % (t, dtype, t.dtype))
    dtype = tf.float32 if dtype is None else tf.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError('Expected floating point type, got %s.' % dtype)
    return dtype


def is_numeric_tensor(tensor):
    """Returns true for a tensor of numbers."""
    return isinstance(tensor, tf.Tensor) and (tensor.dtype.is_floating or tensor.dtype.is_integer or
                                              tensor.dtype.is_complex)


def is_non_decreasing(x, name=None):
    """Returns true if no element is less than the previous one."""
    with tf.name_scope(name, 'is_non_decreasing'):
        x = tf.reshape(tf.convert_to_tensor(x), [-1])
        return tf.reduce_all(tf.less_equal(x[:-1], x[1:]))


def is_strictly_increasing(x, name=None):
    """Returns true if each element is greater than the previous one."""
    with tf.name_scope(name, 'is_strictly_increasing'):
        x = tf.reshape(tf.convert_to_tensor(x), [-1])
        return tf.reduce_all(tf.less(x[:-1], x[1:]))
