"""The table of ONNX operators, and the functions that its rules share.

A rule is a function of a node and its inputs that adds ops of TensorFlow and returns the outputs:

    @rule('ThresholdedRelu', 10)
    def _thresholded(n, x):
        return tf.where(x > n.get('alpha', 1.), x, tf.zeros_like(x))

The number is the opset version from which on the rule holds, until that of the next rule of the same operator. A
missing optional input is None. A rule that returns one op can name it n.out; otherwise an Identity has the name of
the ONNX value.
"""
import numpy as np

RULES = {}  # (domain, operator): [(since, function)], oldest first

_TYPES = [None, tf.float32, tf.uint8, tf.int8, tf.uint16, tf.int16, tf.int32, tf.int64, tf.string, tf.bool, tf.float16,
          tf.float64, tf.uint32, tf.uint64, tf.complex64, tf.complex128, tf.bfloat16]
_HELD = {17: tf.float16, 18: tf.float16, 19: tf.float16, 20: tf.float16, 21: tf.uint8, 22: tf.int8, 23: tf.float16}


class Refused(Exception):
    """A node that cannot be translated. The message says why."""
    pass


class TooLarge(Exception):
    """A model that describes more nodes than can be added."""
    pass


def rule(names, since=1, domain=''):
    def add(f):
        for name in names.split():
            RULES.setdefault((domain, name), []).append((since, f))
            RULES[domain, name].sort(key=lambda row: row[0])
        return f
    return add


def find_rule(domain, name, version):
    """Returns the rule of an operator in a version of its domain, or None."""
    found = None
    for since, f in RULES.get((domain, name), ()):
        if since <= version:
            found = f
    return found


def dtype_of(number):
    """The dtype of an ONNX element type. Floats of 8 and 4 bits are held as float16, 4-bit integers in 8 bits."""
    if number in _HELD:
        return _HELD[number]
    if not 0 < number < len(_TYPES):
        raise Refused('its element type %s is not supported' % number)
    return _TYPES[number]


def const(x):
    """The value of a tensor that is known before any run, or None."""
    return None if x is None else tf.get_static_value(x)


def ints(x):
    """The integers in a list or in a constant tensor, or None if they are not known before a run."""
    if x is None or isinstance(x, (list, tuple)):
        return x
    value = const(x)
    return None if value is None else [int(v) for v in np.reshape(value, [-1])]


def rank(x):
    if x.shape.ndims is None:
        raise Refused("the number of dimensions of its input '%s' is not known before a run" % x.op.name)
    return x.shape.ndims


def with_rank(x, r):
    """x, whose operator allows only this number of dimensions. An If may not tell it."""
    if x is not None and x.shape.ndims is None:
        x.set_shape([None] * r)
    return x


def dims(x):
    """The extents of a tensor: ints, and scalar tensors for those that are not known before a run."""
    known = x.shape.as_list() if rank(x) else []
    if None not in known:
        return known
    shape = tf.shape(x)
    return [shape[i] if d is None else d for i, d in enumerate(known)]


def limited(value, most, what):
    """An attribute that decides how many nodes a rule adds."""
    if not 0 < value <= most:
        raise Refused('%s of %d is not supported; 1 to %d are' % (what, value, most))
    return value


def product(values):
    total = 1
    for v in values:
        total = v if isinstance(total, int) and total == 1 else total * v
    return total


def axis_of(n, x, default, name='axis'):
    """The attribute `axis` as a number from 0 on."""
    axis = n.get(name, default)
    return axis + rank(x) if axis < 0 else axis


def scalar(x, dtype=None):
    """A tensor of one element as a scalar."""
    x = tf.reshape(x, [])
    return x if dtype is None else tf.cast(x, dtype)


def like(value, x):
    """A Python number as a constant of the type of x."""
    return tf.constant(value, x.dtype)


def to_last(r):
    """The permutation from channels second to channels last."""
    return [0] + list(range(2, r)) + [1]


def to_first(r):
    return [0, r - 1] + list(range(1, r - 1))


def channels_last(x):
    return tf.transpose(x, to_last(rank(x)))


def widened(f, *xs):
    """Applies f, which has no kernels for small or unsigned integers, in int64 or float32."""
    dtype = xs[0].dtype
    wide = tf.float32 if dtype.is_floating else tf.int64
    return tf.cast(f(*[tf.cast(x, wide) for x in xs]), dtype)


def fold(f, xs):
    total = xs[0]
    for x in xs[1:]:
        total = f(total, x)
    return total


def with_dim(x, axis, f):
    """Applies f, a function of the last dimension, to another one."""
    r = rank(x)
    if axis == r - 1:
        return f(x)
    order = list(range(r))
    order[axis], order[-1] = order[-1], order[axis]
    return tf.transpose(f(tf.transpose(x, order)), order)


def normal(indices, extent):
    """Indices that count from the end if they are negative, as indices from 0 on."""
    known = const(indices)
    if known is not None and np.all(known >= 0):
        return indices
    return tf.where(indices < 0, indices + tf.cast(extent, indices.dtype), indices)
