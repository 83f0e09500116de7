"""The table of Keras layers, and the functions that its rules share.

A rule is a function of a layer and its inputs that adds ops and returns the outputs:

    @layer('Dense', lambda c: ['kernel'] + ['bias'] * c.get('use_bias', True))
    def _dense(n, x):
        ...

The second argument names the weights in the order of the file; a name that begins with '-' is not trainable. n.get('axis',
-1) is a value of the layer's config, n.w('kernel') a weight in the dtype that the layer computes in, and n.mask(x) the
mask that earlier layers made for x, or None.
"""
import re

RULES = {}


class Refused(Exception):
    """A layer that cannot be built. The message says why."""
    pass


class Rule(object):
    """How a class of layers is built. `keeps_mask` is true if the output has the mask of the first input."""

    def __init__(self, f, weights, children, keeps_mask):
        self.f, self.weights, self.children, self.keeps_mask = f, weights, children, keeps_mask


def layer(names, weights=None, children=None, keeps_mask=False):
    def add(f):
        for name in names.split():
            RULES[name] = Rule(f, weights, children, keeps_mask)
        return f
    return add


def legal(name):
    """Returns the name with the characters that names of nodes may have."""
    name = re.sub(r'[^A-Za-z0-9_.\-/]', '_', str(name)).strip('/')
    return name if re.match(r'[A-Za-z0-9.]', name) else 'v' + name


def snake(name):
    """Returns the name of a class as Keras writes it in files: Conv2DTranspose is conv2d_transpose."""
    if name == 'GroupQueryAttention':
        return 'grouped_query_attention'
    name = re.sub(r'\W+', '', name)
    name = re.sub(r'(.)([A-Z][a-z]+)', r'\1_\2', name)
    return re.sub(r'([a-z])([A-Z])', r'\1_\2', name).lower()


def dtype_of(config):
    """Returns (dtype of the computation, dtype of the weights) of a config's dtype or policy."""
    policy = config.get('dtype')
    while isinstance(policy, dict):
        inner = policy.get('config')
        policy = inner.get('name', inner.get('source_name')) if isinstance(inner, dict) else inner
    policy = policy or 'float32'
    if not isinstance(policy, str) or policy.startswith(('int8_from', 'float8_from', 'int4_from', 'gptq', 'awq')):
        raise Refused('weights that are quantized as %s are not supported' % policy)
    if policy.startswith('mixed_'):
        return tf.as_dtype(policy[6:]), tf.float32
    try:
        return tf.as_dtype(policy), tf.as_dtype(policy)
    except TypeError:
        raise Refused('its dtype %s is not known' % policy)


# ---- shapes ----

def rank(x):
    if x.shape.ndims is None:
        raise Refused("the number of dimensions of its input '%s' is not known" % x.op.name)
    return x.shape.ndims


def dims(x):
    """The extents of a tensor: ints, and scalar tensors for those that are not known before a run."""
    rank(x)
    known = x.shape.as_list()
    if None not in known:
        return known
    shape = tf.shape(x)
    return [shape[i] if d is None else d for i, d in enumerate(known)]


def reshape(x, shape):
    """Reshapes to ints and scalar tensors; at most one unknown extent becomes -1, so that the others stay known."""
    unknown = [i for i, d in enumerate(shape) if not isinstance(d, int)]
    if len(unknown) == 1 and -1 not in [d for d in shape if isinstance(d, int)]:
        shape = [-1 if i == unknown[0] else d for i, d in enumerate(shape)]
        unknown = []
    made = tf.reshape(x, tf.stack(shape) if unknown else shape)
    if unknown:
        made.set_shape([d if isinstance(d, int) and d >= 0 else None for d in shape])
    return made


def axis_of(axis, r):
    """An axis as a number from 0 on."""
    if not -r <= axis < r:
        raise Refused('its axis %d does not exist in %d dimensions' % (axis, r))
    return axis + r if axis < 0 else axis


def axes_of(axis, r):
    return sorted(axis_of(a, r) for a in (axis if isinstance(axis, (list, tuple)) else [axis]))


def several(value, count):
    """A value of the config for each of `count` dimensions."""
    found = list(value) if isinstance(value, (list, tuple)) else [value] * count
    if len(found) != count:
        raise Refused('%s does not have a value for each of %d dimensions' % (found, count))
    return found


def is_first(n):
    return n.get('data_format', 'channels_last') == 'channels_first'


def with_last(n, x, f):
    """Applies f to x with the channels last, and returns the result in the order of the layer."""
    if not is_first(n) or rank(x) < 3:
        return f(x)
    r = rank(x)
    y = f(tf.transpose(x, [0] + list(range(2, r)) + [1]))
    r = rank(y)
    return y if r < 3 else tf.transpose(y, [0, r - 1] + list(range(1, r - 1)))


def where(condition, a, b):
    """Elementwise, with broadcasting."""
    return tf.raw_ops.SelectV2(condition=condition, t=a, e=b)


def like(value, x):
    return tf.constant(value, x.dtype)


def as_list(x):
    return list(x) if isinstance(x, (list, tuple)) else [x]


# ---- activations ----

def _softmax(x, axis=-1):
    if rank(x) == 1:
        return tf.nn.softmax(x)
    return tf.nn.softmax(x, axis)


def _gelu(x, approximate=False):
    if approximate:
        return 0.5 * x * (1 + tf.tanh(like(0.7978845608028654, x) * (x + like(0.044715, x) * x * x * x)))
    return 0.5 * x * tf.math.erfc(-x * like(0.7071067811865476, x))


def relu(x, negative_slope=0., max_value=None, threshold=0.):
    if not negative_slope and not threshold:
        if max_value == 6:
            return tf.nn.relu6(x)
        y = tf.nn.relu(x)
        return y if max_value is None else tf.minimum(y, like(max_value, x))
    y = where(x >= like(threshold, x), x, like(negative_slope, x) * (x - like(threshold, x)))
    return y if max_value is None else tf.minimum(y, like(max_value, x))


def _hard_sigmoid(x, version):
    if version < 3:
        return tf.clip_by_value(0.2 * x + 0.5, 0., 1.)
    return tf.nn.relu6(x + 3) / 6


def _sparsemax(x, axis=-1):
    z = tf.sort(x, axis, 'DESCENDING')
    size = tf.range(1, tf.shape(x)[axis] + 1)
    k = tf.cast(tf.reshape(size, [-1 if i == axis_of(axis, rank(x)) else 1 for i in range(rank(x))]), x.dtype)
    sums = tf.cumsum(z, axis)
    inside = tf.cast(1 + k * z > sums, x.dtype)
    count = tf.reduce_sum(inside, axis, True)
    tau = (tf.reduce_sum(inside * sums, axis, True) - 1) / count  # Keras adds the sums, not the elements
    return tf.maximum(x - tau, 0)


_ACTIVATIONS = {
    'linear': lambda x: x, 'relu': tf.nn.relu, 'relu6': tf.nn.relu6, 'sigmoid': tf.sigmoid, 'tanh': tf.tanh,
    'softmax': _softmax, 'softplus': tf.nn.softplus, 'softsign': tf.nn.softsign, 'selu': tf.nn.selu, 'elu': tf.nn.elu,
    'exponential': tf.exp, 'swish': lambda x: x * tf.sigmoid(x), 'gelu': _gelu, 'log_softmax': tf.nn.log_softmax,
    'leaky_relu': lambda x: relu(x, 0.2), 'mish': lambda x: x * tf.tanh(tf.nn.softplus(x)),
    'gelu_tanh': lambda x: _gelu(x, True), 'hard_swish': lambda x: x * tf.nn.relu6(x + 3) / 6, 'celu': lambda x: tf.nn.elu(x),
    'hard_tanh': lambda x: tf.clip_by_value(x, -1., 1.), 'log_sigmoid': lambda x: -tf.nn.softplus(-x),
    'hard_shrink': lambda x: where(tf.abs(x) > 0.5, x, tf.zeros_like(x)),
    'soft_shrink': lambda x: where(x > 0.5, x - 0.5, where(x < -0.5, x + 0.5, tf.zeros_like(x))),
    'tanh_shrink': lambda x: x - tf.tanh(x), 'threshold': lambda x: where(x > 0., x, tf.zeros_like(x)),
    'squareplus': lambda x: (x + tf.sqrt(x * x + 4)) / 2, 'sparsemax': _sparsemax,
    'sparse_sigmoid': lambda x: tf.clip_by_value(0.5 * (x + 1), 0., 1.),
    'sparse_plus': lambda x: where(x <= -1., tf.zeros_like(x), where(x < 1., 0.25 * (x + 1) * (x + 1), x)),
    'glu': lambda x: tf.split(x, 2, -1)[0] * tf.sigmoid(tf.split(x, 2, -1)[1]),
}
_ACTIVATIONS['silu'] = _ACTIVATIONS['swish']
_ACTIVATIONS['hard_silu'] = _ACTIVATIONS['hard_swish']


def activate(n, x, what):
    """Applies an activation of a config: a name, or the config of a layer."""
    if what is None:
        return x
    if isinstance(what, dict):
        name, config = what.get('class_name'), what.get('config')
        if name in RULES and isinstance(config, dict):
            return n.inner(name, config)(x)
        what = what.get('registered_name') if name == 'function' and not isinstance(config, str) else config
        what = what if isinstance(what, str) else name
    name = snake(what.split('>')[-1]) if isinstance(what, str) else ''
    if name == 'hard_sigmoid':
        return _hard_sigmoid(x, n.version)
    if name not in _ACTIVATIONS:
        raise Refused('its activation %s is not a function of Keras' % what)
    return _ACTIVATIONS[name](x)
