"""Conversions to tensors, sparse tensors and dimensions."""


def convert_to_tensor_or_indexed_slices(value, dtype=None, name=None):
    """Returns a tensor or IndexedSlices unchanged, and converts other values to a tensor."""
    if isinstance(value, (tf.Tensor, tf.IndexedSlices, tf.SparseTensor)):
        return value
    return tf.convert_to_tensor(value, dtype=dtype, name=name)


def convert_to_tensor_or_sparse_tensor(value, dtype=None, name=None):
    """Converts a SparseTensorValue to a sparse tensor and other values to a dense one. Tensors are returned unchanged."""
    if isinstance(value, tf.SparseTensorValue):
        value = tf.SparseTensor(*value)
    if not isinstance(value, tf.SparseTensor):
        return tf.convert_to_tensor(value, dtype=dtype, name=name)
    if dtype and not value.dtype == tf.as_dtype(dtype):
        raise RuntimeError('Sparse dtype: requested = %s, actual = %s' % (tf.as_dtype(dtype).name, value.dtype.name))
    return value


def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):
    """A Python function of arrays as an operation."""
    return tf.py_func(func, inp, Tout, stateful=stateful, name=name)


def dimension_value(dimension):
    """Returns the value of a Dimension, or the number itself."""
    return dimension.value if isinstance(dimension, tf.Dimension) else dimension


def dimension_at_index(shape, index):
    """Returns a dimension of a shape, or an unknown one if the rank is unknown."""
    return tf.Dimension(None) if shape.ndims is None else shape.dims[index]
