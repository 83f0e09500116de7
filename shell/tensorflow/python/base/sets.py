"""tf.sets: sets of distinct values in the last dimension of dense or sparse tensors."""

_DTYPES = (tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.string)


def size(a, validate_indices=True):
    """The number of distinct values of each set."""
    a = tf.convert_to_tensor_or_sparse_tensor(a, name='a')
    if not isinstance(a, tf.SparseTensor):
        raise TypeError('Expected `SparseTensor`, got %s.' % a)
    if a.values.dtype.base_dtype not in _DTYPES:
        raise TypeError('Invalid dtype %s.' % a.values.dtype)
    return tf.raw_ops.SetSize(set_indices=a.indices, set_values=a.values, set_shape=a.dense_shape,
                              validate_indices=validate_indices)


def _operands(a, b):
    """Returns (the two tensors, whether they were swapped). A sparse tensor comes after a dense one."""
    a = tf.convert_to_tensor_or_sparse_tensor(a, name='a')
    if a.dtype.base_dtype not in _DTYPES:
        raise TypeError("'a' invalid dtype %s." % a.dtype)
    b = tf.convert_to_tensor_or_sparse_tensor(b, name='b')
    if b.dtype.base_dtype != a.dtype.base_dtype:
        raise TypeError("Types don't match, %s vs %s." % (a.dtype, b.dtype))
    if isinstance(a, tf.SparseTensor) and not isinstance(b, tf.SparseTensor):
        return b, a, True
    return a, b, False


def _operate(a, b, set_operation, validate_indices):
    given = {'set_operation': set_operation, 'validate_indices': validate_indices}
    if isinstance(a, tf.SparseTensor):
        out = tf.raw_ops.SparseToSparseSetOperation(
            set1_indices=a.indices, set1_values=a.values, set1_shape=a.dense_shape, set2_indices=b.indices,
            set2_values=b.values, set2_shape=b.dense_shape, **given)
    elif isinstance(b, tf.SparseTensor):
        out = tf.raw_ops.DenseToSparseSetOperation(set1=a, set2_indices=b.indices, set2_values=b.values,
                                                   set2_shape=b.dense_shape, **given)
    else:
        out = tf.raw_ops.DenseToDenseSetOperation(set1=a, set2=b, **given)
    return tf.SparseTensor(*out)


def intersection(a, b, validate_indices=True):
    """The intersection of sets, as a sparse tensor."""
    a, b, _ = _operands(a, b)
    return _operate(a, b, 'intersection', validate_indices)


def difference(a, b, aminusb=True, validate_indices=True):
    """The difference of sets, as a sparse tensor."""
    a, b, flipped = _operands(a, b)
    return _operate(a, b, 'a-b' if aminusb != flipped else 'b-a', validate_indices)


def union(a, b, validate_indices=True):
    """The union of sets, as a sparse tensor."""
    a, b, _ = _operands(a, b)
    return _operate(a, b, 'union', validate_indices)


set_size, set_intersection, set_difference, set_union = size, intersection, difference, union
