"""Checks of values and types that are compositions: tf.assert_near, tf.verify_tensor_all_finite and others."""


def assert_near(x, y, rtol=None, atol=None, data=None, summarize=None, message=None, name=None):
    """Asserts |x - y| <= atol + rtol * |y| everywhere when the operation runs."""
    with tf.name_scope(name, 'assert_near', [x, y, rtol, atol, data]):
        x, y = tf.convert_to_tensor(x, name='x'), tf.convert_to_tensor(y, name='y')
        small = 10 * np.finfo(x.dtype.base_dtype.as_numpy_dtype).eps
        rtol, atol = [tf.convert_to_tensor(small if t is None else t, dtype=x.dtype) for t in (rtol, atol)]
        limit = atol + rtol * tf.abs(y)
        shown = [message or '', 'x and y not equal to tolerance rtol = %s, atol = %s' % (rtol, atol),
                 'x (%s) = ' % x.name, x, 'y (%s) = ' % y.name, y] if data is None else data
        return tf.Assert(tf.reduce_all(tf.less_equal(tf.abs(x - y), limit)), shown, summarize=summarize)


def assert_integer(x, message=None, name=None):
    """Raises TypeError unless x is an integer tensor."""
    with tf.name_scope(name, 'assert_integer', [x]):
        x = tf.convert_to_tensor(x, name='x')
        if not x.dtype.is_integer:
            raise TypeError('%s  Expected "x" to be integer type.  Found: %s of dtype %s' % (
                message or '', x.name, x.dtype))
        return tf.no_op('statically_determined_was_integer')


def assert_proper_iterable(values):
    """Raises TypeError unless values are iterable."""
    unfit = (tf.Tensor, tf.SparseTensor, np.ndarray, str, bytes)
    if isinstance(values, unfit):
        raise TypeError('Expected argument "values" to be a "proper" iterable.  Found: %s' % type(values))
    if not hasattr(values, '__iter__'):
        raise TypeError('Expected argument "values" to be iterable.  Found: %s' % type(values))


def verify_tensor_all_finite(t=None, msg=None, name=None, x=None, message=None):
    """Returns t and fails if an element is NaN or infinite."""
    x, message = t if x is None else x, msg if message is None else message
    with tf.name_scope(name, 'VerifyFinite', [x]):
        x = tf.convert_to_tensor(x, name='x')
        with tf.colocate_with(x):
            checked = tf.check_numerics(x, message=message)
            with tf.control_dependencies([checked]):
                return tf.identity(x)


def add_check_numerics_ops():
    """Returns one operation that checks all floating-point tensors of the graph."""
    checks = []
    for op in tf.get_default_graph().get_operations():
        for output in op.outputs:
            if output.dtype in (tf.float16, tf.float32, tf.float64):
                with tf.control_dependencies(checks):
                    checks = [tf.check_numerics(output, message=op.name + ':' + str(output.value_index))]
    return tf.group(*checks)
