"""tf.sparse: feature crosses."""


def _columns(inputs):
    """Returns the arguments of the ops. All values except strings become numbers."""
    if not isinstance(inputs, (list, tuple)):
        raise TypeError('Inputs must be a list')
    number = lambda values: values if values.dtype == tf.string else tf.cast(values, tf.int64)
    columns = [tf.SparseTensor.from_value(x) if isinstance(x, (tf.SparseTensor, tf.SparseTensorValue)) else tf.convert_to_tensor(x)
               for x in inputs]
    sparse = [x for x in columns if isinstance(x, tf.SparseTensor)]
    return dict(indices=[x.indices for x in sparse], values=[number(x.values) for x in sparse],
                shapes=[x.dense_shape for x in sparse],
                dense_inputs=[number(x) for x in columns if not isinstance(x, tf.SparseTensor)])


def cross(inputs, name=None, separator=None):
    """All combinations of the values in a row, as strings."""
    return tf.SparseTensor(*tf.raw_ops.SparseCrossV2(sep='_X_' if separator is None else separator, name=name, **_columns(inputs)))


def cross_hashed(inputs, num_buckets=0, hash_key=None, name=None):
    """All combinations of the values in a row, as hashed numbers."""
    columns = _columns(inputs)
    text = all(x.dtype == tf.string for x in columns['values'] + columns['dense_inputs'])
    return tf.SparseTensor(*tf.raw_ops.SparseCross(
        hashed_output=True, num_buckets=num_buckets, hash_key=0xDECAFCAFFE if hash_key is None else hash_key,
        out_type=tf.int64, internal_type=tf.string if text else tf.int64, name=name, **columns))
