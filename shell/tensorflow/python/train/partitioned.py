"""Partitioned variables, and the partitioners that determine their parts."""
import math


class PartitionedVariable(object):
    """A variable in several parts. Used as a tensor, it is the concatenation of its parts."""

    def __init__(self, name, shape, dtype, variable_list, partitions):
        self._name, self._shape, self._dtype = name, tf.TensorShape(shape), tf.as_dtype(dtype)
        self._variables, self._partitions = list(variable_list), list(partitions)

    name = property(lambda self: self._name)
    dtype = property(lambda self: self._dtype)
    shape = property(lambda self: self._shape)

    def __iter__(self):
        return iter(self._variables)

    def __len__(self):
        axes = self._partition_axes()
        if len(axes) > 1:
            raise ValueError('Cannot get a length for %d > 1 partition axes' % len(axes))
        return len(self._variables)

    def _partition_axes(self):
        return [i for i, n in enumerate(self._partitions) if n > 1] or [0]

    def get_shape(self):
        return self._shape

    def as_tensor(self):
        with tf.control_dependencies(None):
            return self._joined()

    def _joined(self):
        if len(self._variables) == 1:
            with tf.name_scope(None):
                return tf.identity(self._variables[0], name=self._name)
        with tf.name_scope(self._name + '/ConcatPartitions/'):
            joined = tf.concat(self._variables, self._partition_axes()[0])
        with tf.name_scope(None):
            return tf.identity(joined, name=self._name)


def _convert(value, dtype=None, name=None, as_ref=False):
    if dtype is not None and not dtype.is_compatible_with(value.dtype):
        raise ValueError("Incompatible type conversion requested to type '%s' for variable of type '%s'"
                         % (dtype.name, value.dtype.name))
    return value.as_tensor()


tf.register_tensor_conversion_function(PartitionedVariable, _convert)


def _slices(shape, count, axis):
    """Returns the offset and shape of each part. The first parts take the remainder of the division."""
    offset = [0] * len(shape)
    for i in range(count):
        size = list(shape)
        size[axis] = shape[axis] // count + (1 if i < shape[axis] % count else 0)
        yield list(offset), size
        offset[axis] += size[axis]


def _first_values(initializer, offset, shape):
    """Initializes a part, by a function of the shape or with a part of a value."""
    if initializer is None or callable(initializer) and not isinstance(initializer, (tf.Tensor, tf.Variable)):
        return {'shape': shape, 'initializer': initializer}
    return {'initializer': tf.slice(tf.convert_to_tensor(initializer), offset, shape)}


def _glorot(shape):
    """The default initializer. Its variance is that of the whole variable."""
    rest = 1
    for size in shape[:-2]:
        rest *= size
    fans = (shape[-2] if len(shape) > 1 else shape[0]) * rest + shape[-1] * (rest if len(shape) > 1 else 1)
    limit = math.sqrt(3.0 / max(1.0, fans / 2.0))
    return lambda shape, dtype=tf.float32, partition_info=None: tf.random_uniform(shape, -limit, limit, dtype)


def get_partitioned(getter, partitioner, name, shape, dtype, initializer, more):
    """Creates the parts by calling `getter` with their full names. `more` contains the common arguments."""
    if not callable(partitioner):
        raise ValueError('Partitioner must be callable, but received: %s' % partitioner)
    if shape is None and initializer is not None and not callable(initializer):
        shape = tf.convert_to_tensor(initializer).get_shape()
    shape = tf.TensorShape(shape)
    if not shape.is_fully_defined():
        raise ValueError('Shape of a new partitioned variable (%s) must be fully defined, but instead was %s.'
                         % (name, shape))
    sizes = shape.as_list()
    partitions = partitioner(shape=shape, dtype=dtype)
    if len(partitions) != len(sizes) or any(n < 1 for n in partitions):
        raise ValueError('Partitioner returned a partition list that does not match the rank of the variable: '
                         'partitions %s, shape %s' % (partitions, shape))
    if sum(n > 1 for n in partitions) > 1:
        raise ValueError('Can only slice a variable along one dimension: shape: %s, partitioning: %s'
                         % (sizes, partitions))
    if initializer is None and tf.as_dtype(dtype).is_floating:
        initializer = _glorot(sizes)
    axis = ([i for i, n in enumerate(partitions) if n > 1] or [0])[0]
    parts = []
    for i, (offset, part) in enumerate(_slices(sizes, partitions[axis], axis)):
        part_name = '%s/part_%d' % (name, i)
        with tf.name_scope(part_name + '/PartitionedInitializer'):
            first = _first_values(initializer, offset, part)
        with tf.name_scope(None):
            parts.append(getter(part_name, dtype=dtype, **dict(first, **more)))
    return PartitionedVariable(name, sizes, dtype, parts, partitions)


def fixed_size_partitioner(num_shards, axis=0):
    """Partitions into a fixed number of parts."""
    def partition(shape, **_):
        return [min(num_shards, n.value) if i == axis else 1 for i, n in enumerate(shape.dims)]
    return partition


def variable_axis_size_partitioner(max_shard_bytes, axis=0, bytes_per_string_element=16, max_shards=None):
    """Partitions so that no part has more than max_shard_bytes."""
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError('Both max_shard_bytes and bytes_per_string_element must be positive. Currently, '
                         'max_shard_bytes is %s and bytes_per_string_element is %s'
                         % (max_shard_bytes, bytes_per_string_element))
    if max_shards and max_shards < 1:
        raise ValueError('max_shards must be positive.')

    def partition(shape, dtype):
        element = bytes_per_string_element if tf.as_dtype(dtype) == tf.string else tf.as_dtype(dtype).size
        length = shape.dims[axis].value
        a_slice = 1.0 * (shape.num_elements() / length) * element
        shards = int(math.ceil(1.0 * length / max(1, math.floor(max_shard_bytes / a_slice))))
        partitions = [1] * shape.ndims
        partitions[axis] = min(max_shards, shards) if max_shards else shards
        return partitions
    return partition


def min_max_variable_partitioner(max_partitions=1, axis=0, min_slice_size=256 << 10, bytes_per_string_element=16):
    """Partitions into at most max_partitions parts of at least min_slice_size bytes."""
    def partition(shape, dtype):
        if axis >= shape.ndims:
            raise ValueError('Cannot partition variable along axis %d when shape is only %s' % (axis, shape))
        element = bytes_per_string_element if tf.as_dtype(dtype) == tf.string else tf.as_dtype(dtype).size
        wanted = int(math.ceil(shape.num_elements() * element / min_slice_size))
        partitions = [1] * shape.ndims
        partitions[axis] = max(1, min(shape.dims[axis].value, max_partitions, wanted))
        return partitions
    return partition
