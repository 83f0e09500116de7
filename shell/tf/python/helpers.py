"""Functions of tf that TensorFlow too makes of others: sorting, checks, conversions, descriptions of devices."""
import collections
import enum
import logging


# ---- sorting ----

def _sorted(values, axis, direction, name, part):
    """The values (part 0) or indices (part 1) of the elements along an axis, in order."""
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
        # The k best are the greatest: the least are those of the negated, ~x for what cannot be negated.
        rising = direction == 'ASCENDING'
        unsigned = values.dtype.name.startswith('uint')

        def turned(x):
            return x if not rising else values.dtype.max - x if unsigned else -x if x.dtype.is_floating else -1 - x
        found = tf.nn.top_k(turned(values), tf.shape(values)[-1])[part]
        found = turned(found) if part == 0 else found
        return found if last else tf.transpose(found, order)


def sort(values, axis=-1, direction='ASCENDING', name=None):
    """The elements along an axis, in order."""
    return _sorted(values, axis, direction, name, 0)


def argsort(values, axis=-1, direction='ASCENDING', stable=False, name=None):
    """Where the elements along an axis are, in order."""
    return _sorted(values, axis, direction, name, 1)


def searchsorted(sorted_sequence, values, side='left', out_type=tf.int32, name=None):
    """Where the values belong in sorted sequences: before their equals, or after them."""
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
    """Each element so many times."""
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
    """Of each row its own elements."""
    with tf.name_scope(name, 'BatchGather', [params, indices]):
        indices = tf.convert_to_tensor(indices, name='indices')
        params = tf.convert_to_tensor(params, name='params')
        if indices.get_shape().ndims is None:
            raise ValueError('batch_gather does not allow indices with unknown shape.')
        return tf.gather(params, indices, batch_dims=indices.get_shape().ndims - 1)


def broadcast_dynamic_shape(shape_x, shape_y):
    """The shape of what x and y of these shapes broadcast to."""
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


# ---- checks ----

def assert_near(x, y, rtol=None, atol=None, data=None, summarize=None, message=None, name=None):
    """|x - y| <= atol + rtol * |y| everywhere, when the operation runs."""
    with tf.name_scope(name, 'assert_near', [x, y, rtol, atol, data]):
        x, y = tf.convert_to_tensor(x, name='x'), tf.convert_to_tensor(y, name='y')
        small = 10 * np.finfo(x.dtype.base_dtype.as_numpy_dtype).eps
        rtol, atol = [tf.convert_to_tensor(small if t is None else t, dtype=x.dtype) for t in (rtol, atol)]
        limit = atol + rtol * tf.abs(y)
        shown = [message or '', 'x and y not equal to tolerance rtol = %s, atol = %s' % (rtol, atol),
                 'x (%s) = ' % x.name, x, 'y (%s) = ' % y.name, y] if data is None else data
        return tf.Assert(tf.reduce_all(tf.less_equal(tf.abs(x - y), limit)), shown, summarize=summarize)


def assert_integer(x, message=None, name=None):
    """TypeError unless x holds integers."""
    with tf.name_scope(name, 'assert_integer', [x]):
        x = tf.convert_to_tensor(x, name='x')
        if not x.dtype.is_integer:
            raise TypeError('%s  Expected "x" to be integer type.  Found: %s of dtype %s' % (
                message or '', x.name, x.dtype))
        return tf.no_op('statically_determined_was_integer')


def assert_proper_iterable(values):
    """TypeError unless values can be gone over as a list."""
    unfit = (tf.Tensor, tf.SparseTensor, np.ndarray, str, bytes)
    if isinstance(values, unfit):
        raise TypeError('Expected argument "values" to be a "proper" iterable.  Found: %s' % type(values))
    if not hasattr(values, '__iter__'):
        raise TypeError('Expected argument "values" to be iterable.  Found: %s' % type(values))


def verify_tensor_all_finite(t=None, msg=None, name=None, x=None, message=None):
    """t, when no element is NaN or infinite."""
    x, message = t if x is None else x, msg if message is None else message
    with tf.name_scope(name, 'VerifyFinite', [x]):
        x = tf.convert_to_tensor(x, name='x')
        with tf.colocate_with(x):
            checked = tf.check_numerics(x, message=message)
            with tf.control_dependencies([checked]):
                return tf.identity(x)


def add_check_numerics_ops():
    """One operation that checks every float of the graph."""
    checks = []
    for op in tf.get_default_graph().get_operations():
        for output in op.outputs:
            if output.dtype in (tf.float16, tf.float32, tf.float64):
                with tf.control_dependencies(checks):
                    checks = [tf.check_numerics(output, message=op.name + ':' + str(output.value_index))]
    return tf.group(*checks)


# ---- conversions ----

def convert_to_tensor_or_indexed_slices(value, dtype=None, name=None):
    """value itself when it is a tensor or slices, else a tensor of it."""
    if isinstance(value, (tf.Tensor, tf.IndexedSlices, tf.SparseTensor)):
        return value
    return tf.convert_to_tensor(value, dtype=dtype, name=name)


def convert_to_tensor_or_sparse_tensor(value, dtype=None, name=None):
    """value itself when it is a sparse tensor, a sparse one of a SparseTensorValue, else a tensor of it."""
    if isinstance(value, tf.SparseTensorValue):
        value = tf.SparseTensor(*value)
    if not isinstance(value, tf.SparseTensor):
        return tf.convert_to_tensor(value, dtype=dtype, name=name)
    if dtype and not value.dtype == tf.as_dtype(dtype):
        raise RuntimeError('Sparse dtype: requested = %s, actual = %s' % (tf.as_dtype(dtype).name, value.dtype.name))
    return value


def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):
    """What a function of the script makes of arrays."""
    return tf.py_func(func, inp, Tout, stateful=stateful, name=name)


def dimension_value(dimension):
    """A Dimension's number, or the number itself."""
    return dimension.value if isinstance(dimension, tf.Dimension) else dimension


def dimension_at_index(shape, index):
    """A shape's dimension, unknown where the rank is."""
    return tf.Dimension(None) if shape.ndims is None else shape.dims[index]


# ---- descriptions ----

class AggregationMethod(object):
    """How gradients are summed. Here they are all added at once."""
    ADD_N, DEFAULT = 0, 0
    EXPERIMENTAL_TREE, EXPERIMENTAL_ACCUMULATE_N = 1, 2


class VariableSynchronization(enum.Enum):
    """When copies of a variable are brought together."""
    AUTO, NONE, ON_WRITE, ON_READ = 0, 1, 2, 3


class VariableAggregation(enum.Enum):
    """How copies of a variable are brought together."""
    NONE, SUM, MEAN, ONLY_FIRST_REPLICA, ONLY_FIRST_TOWER = 0, 1, 2, 3, 3


class DeviceSpec(object):
    """The parts of a device's name."""

    def __init__(self, job=None, replica=None, task=None, device_type=None, device_index=None):
        self.job, self.replica, self.task = job, replica, task
        if device_type in ('cpu', 'gpu'):
            device_type = device_type.upper()
        self.device_type, self.device_index = device_type, device_index

    @staticmethod
    def from_string(spec):
        """The parts of this name."""
        return DeviceSpec().parse_from_string(spec)

    def parse_from_string(self, spec):
        """Takes the parts of this name."""
        self.__init__()
        for part in (spec or '').split('/'):
            words = part.split(':')
            if not part:
                continue
            if words[0] in ('job', 'replica', 'task') and len(words) == 2:
                setattr(self, words[0], words[1] if words[0] == 'job' else int(words[1]))
                continue
            words = words[1:] if words[0] == 'device' else words
            if len(words) not in (1, 2) or words[0].lower() not in ('cpu', 'gpu', 'tpu') or (
                    self.device_type is not None):
                raise ValueError("Unknown attribute: '%s' in '%s'" % (part.split(':')[0], spec))
            self.device_type = words[0].upper()
            self.device_index = int(words[1]) if len(words) == 2 and words[1] != '*' else None
        return self

    def merge_from(self, dev):
        """Takes over what dev says."""
        for name in ('job', 'replica', 'task', 'device_type', 'device_index'):
            if getattr(dev, name) is not None:
                setattr(self, name, getattr(dev, name))

    def to_string(self):
        """The name."""
        parts = ['/%s:%s' % (name, getattr(self, name)) for name in ('job', 'replica', 'task')
                 if getattr(self, name) is not None]
        if self.device_type is not None:
            index = '*' if self.device_index is None else str(self.device_index)
            parts.append('/device:%s:%s' % (self.device_type, index))
        return ''.join(parts)

    def __eq__(self, other):
        return isinstance(other, DeviceSpec) and self.to_string() == other.to_string()

    def __hash__(self):
        return hash(self.to_string())


def get_logger():
    """The logger of TensorFlow."""
    return logging.getLogger('tensorflow')


def executing_eagerly_outside_functions():
    """False: there are graphs alone."""
    return False
