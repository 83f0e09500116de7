"""tf.keras.backend: functions of tensors, under the names of Keras."""
from _library.tfk_state import state, learning_phase, get_session, floatx, epsilon
from _library.layers import _static_bool
from _library import tfk_named


def variable(value, dtype=None, name=None, constraint=None):
    """Returns a variable with an initial value."""
    return tf.Variable(np.asarray(value, dtype=dtype or floatx()) if not isinstance(value, tf.Tensor) else value,
                       dtype=tf.as_dtype(dtype or floatx()), name=name, constraint=constraint, use_resource=True)


def placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None):
    """Returns a placeholder."""
    if shape is None and ndim:
        shape = [None] * ndim
    if sparse:
        return tf.sparse_placeholder(tf.as_dtype(dtype or floatx()), shape, name)
    return tf.placeholder(tf.as_dtype(dtype or floatx()), shape, name)


def constant(value, dtype=None, shape=None, name=None):
    """Returns a constant."""
    return tf.constant(value, dtype=tf.as_dtype(dtype or floatx()), shape=shape, name=name or 'Const')


def is_sparse(tensor):
    """Returns True if the tensor is sparse."""
    return isinstance(tensor, tf.SparseTensor)


def to_dense(tensor):
    """Returns the tensor as a dense one."""
    return tf.sparse_tensor_to_dense(tensor) if is_sparse(tensor) else tensor


def shape(x):
    """Returns the shape as a tensor."""
    return tf.shape(x)


def int_shape(x):
    """Returns the static shape as a tuple, or None if its rank is not known."""
    known = x.shape if isinstance(x, np.ndarray) else x.get_shape()
    if isinstance(known, tuple):
        return known
    return None if known.ndims is None else tuple(known.as_list())


def ndim(x):
    """Returns the number of dimensions."""
    return x.get_shape().ndims


def dtype(x):
    """Returns the name of the element type."""
    return x.dtype.base_dtype.name


def eval(x):
    """Returns the value of a tensor or variable."""
    return get_value(x)


def get_value(x):
    """Returns the value of a tensor or variable."""
    return get_session().run(x)


def batch_get_value(tensors):
    """Returns the values of several variables."""
    return get_session().run(list(tensors)) if tensors else []


def set_value(x, value):
    """Gives a variable a value."""
    x.load(np.asarray(value, dtype=x.dtype.base_dtype.name), get_session())


def batch_set_value(tuples):
    """Gives several variables their values."""
    session = get_session() if tuples else None
    for x, value in tuples:
        x.load(np.asarray(value, dtype=x.dtype.base_dtype.name), session)


def count_params(x):
    """Returns the number of elements of a weight."""
    return int(np.prod(x.get_shape().as_list()))


def zeros(shape, dtype=None, name=None):
    """Returns a variable of zeros."""
    return variable(np.zeros(shape), dtype, name)


def ones(shape, dtype=None, name=None):
    """Returns a variable of ones."""
    return variable(np.ones(shape), dtype, name)


def zeros_like(x, dtype=None, name=None):
    """Returns zeros with the shape of x."""
    return tf.zeros_like(x, dtype=dtype, name=name)


def ones_like(x, dtype=None, name=None):
    """Returns ones with the shape of x."""
    return tf.ones_like(x, dtype=dtype, name=name)


def random_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """Returns normally distributed numbers."""
    return tf.random_normal(shape, mean=mean, stddev=stddev, dtype=tf.as_dtype(dtype or floatx()),
                            seed=np.random.randint(10000000) if seed is None else seed)


def random_uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    """Returns uniformly distributed numbers."""
    return tf.random_uniform(shape, minval=minval, maxval=maxval, dtype=tf.as_dtype(dtype or floatx()),
                             seed=np.random.randint(10000000) if seed is None else seed)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """Returns normally distributed numbers within two standard deviations."""
    return tf.truncated_normal(shape, mean=mean, stddev=stddev, dtype=tf.as_dtype(dtype or floatx()),
                               seed=np.random.randint(10000000) if seed is None else seed)


def cast(x, dtype):
    """Returns x with another element type."""
    return tf.cast(x, dtype)


def update(x, new_x):
    """Returns the operation that assigns a variable."""
    return tf.assign(x, new_x)


def update_add(x, increment):
    """Returns the operation that adds to a variable."""
    return tf.assign_add(x, increment)


def update_sub(x, decrement):
    """Returns the operation that subtracts from a variable."""
    return tf.assign_sub(x, decrement)


def moving_average_update(x, value, momentum):
    """Returns the operation that moves a variable towards a value."""
    return tf.assign_sub(x, (x - tf.cast(value, x.dtype.base_dtype)) * (1 - momentum))


def dot(x, y):
    """Returns the product over the last dimension of x and the second to last of y."""
    nx, ny = ndim(x), ndim(y)
    if nx is not None and (nx > 2 or ny > 2):
        return tf.tensordot(x, y, [[nx - 1], [max(ny - 2, 0)]])
    return tf.matmul(x, y)


def batch_dot(x, y, axes=None):
    """Returns the products over one dimension of each element of a batch."""
    nx, ny = ndim(x), ndim(y)
    if axes is None:
        axes = (nx - 1, max(ny - 2, 1))
    axes = [axes, axes] if isinstance(axes, int) else list(axes)
    a, b = [axis + n if axis < 0 else axis for axis, n in zip(axes, (nx, ny))]
    if nx == 2 and ny == 2:
        return tf.reduce_sum(x * y, 1, keepdims=True)
    x = tf.expand_dims(x, 1) if nx == 2 else x
    y = tf.expand_dims(y, 2) if ny == 2 else y
    a = 2 if nx == 2 else a
    x = x if a == x.get_shape().ndims - 1 else tf.transpose(x, [0] + [i for i in range(1, nx) if i != a] + [a])
    y = y if b == 1 else tf.transpose(y, [0, b] + [i for i in range(1, ny) if i != b])
    out = tf.matmul(x, y)
    return tf.squeeze(out, [1]) if nx == 2 else tf.squeeze(out, [2]) if ny == 2 else out


def transpose(x):
    """Returns x with its dimensions reversed."""
    return tf.transpose(x)


def gather(reference, indices):
    """Returns the rows with these numbers."""
    return tf.gather(reference, indices)


def max(x, axis=None, keepdims=False):
    """Returns the maximum."""
    return tf.reduce_max(x, axis, keepdims)


def min(x, axis=None, keepdims=False):
    """Returns the minimum."""
    return tf.reduce_min(x, axis, keepdims)


def sum(x, axis=None, keepdims=False):
    """Returns the sum."""
    return tf.reduce_sum(x, axis, keepdims)


def prod(x, axis=None, keepdims=False):
    """Returns the product."""
    return tf.reduce_prod(x, axis, keepdims)


def mean(x, axis=None, keepdims=False):
    """Returns the mean."""
    if x.dtype.base_dtype == tf.bool:
        x = tf.cast(x, floatx())
    return tf.reduce_mean(x, axis, keepdims)


def var(x, axis=None, keepdims=False):
    """Returns the variance."""
    return tf.reduce_mean(tf.square(x - tf.reduce_mean(x, axis, True)), axis, keepdims)


def std(x, axis=None, keepdims=False):
    """Returns the standard deviation."""
    return tf.sqrt(var(x, axis, keepdims))


def any(x, axis=None, keepdims=False):
    """Returns whether any element is true."""
    return tf.reduce_any(tf.cast(x, tf.bool), axis, keepdims)


def all(x, axis=None, keepdims=False):
    """Returns whether all elements are true."""
    return tf.reduce_all(tf.cast(x, tf.bool), axis, keepdims)


def argmax(x, axis=-1):
    """Returns the positions of the largest elements."""
    return tf.argmax(x, axis)


def argmin(x, axis=-1):
    """Returns the positions of the smallest elements."""
    return tf.argmin(x, axis)


def sqrt(x):
    """Returns the square root, and 0 for negative elements."""
    return tf.sqrt(tf.clip_by_value(x, 0., float('inf')))


def clip(x, min_value, max_value):
    """Returns x limited to a range."""
    if max_value is None:
        max_value = float('inf')
    return tf.clip_by_value(x, min_value, max_value)


def l2_normalize(x, axis=None):
    """Returns x, scaled to the norm 1 along an axis."""
    return tf.nn.l2_normalize(x, axis=axis)


def concatenate(tensors, axis=-1):
    """Returns the tensors joined along an axis."""
    return tf.concat([to_dense(x) for x in tensors], axis)


def permute_dimensions(x, pattern):
    """Returns x with its dimensions in another order."""
    return tf.transpose(x, pattern)


def repeat_elements(x, rep, axis):
    """Returns x with each element repeated along an axis."""
    known, sizes = x.get_shape().as_list(), tf.shape(x)
    axis = axis % len(known)
    spread = tf.tile(tf.expand_dims(x, axis + 1), [1] * (axis + 1) + [rep] + [1] * (len(known) - axis - 1))
    wanted = [d * rep if i == axis and d is not None else d for i, d in enumerate(known)]
    shape = [(sizes[i] * rep if i == axis else sizes[i]) if d is None else d for i, d in enumerate(wanted)]
    out = tf.reshape(spread, shape)
    out.set_shape(wanted)
    return out


def repeat(x, n):
    """Returns a matrix repeated along a new dimension 1."""
    return tf.tile(tf.expand_dims(x, 1), [1, n, 1])


def arange(start, stop=None, step=1, dtype='int32'):
    """Returns a range of integers."""
    start, stop = (0, start) if stop is None else (start, stop)
    return tf.cast(tf.range(start, stop, step, name='arange'), dtype)


def flatten(x):
    """Returns x with a single dimension."""
    return tf.reshape(x, [-1])


def batch_flatten(x):
    """Returns x with two dimensions."""
    return tf.reshape(x, [-1, int(np.prod(x.get_shape().as_list()[1:]))]
                      if None not in x.get_shape().as_list()[1:] else [tf.shape(x)[0], -1])


def expand_dims(x, axis=-1):
    """Returns x with a dimension of size 1 added."""
    return tf.expand_dims(x, axis)


def squeeze(x, axis):
    """Returns x without a dimension of size 1."""
    return tf.squeeze(x, [axis])


def resize_images(x, height_factor, width_factor, data_format, interpolation='nearest'):
    """Returns images enlarged by whole factors."""
    first = data_format == 'channels_first'
    if first:
        x = tf.transpose(x, [0, 2, 3, 1])
    known = x.get_shape().as_list()[1:3]
    size = tf.shape(x)[1:3] * tf.constant([height_factor, width_factor])
    if interpolation == 'nearest':
        x = tf.image.resize_nearest_neighbor(x, size)
    else:
        x = tf.raw_ops.ResizeBilinear(images=x, size=size, half_pixel_centers=True)
    x.set_shape([None] + [None if d is None else d * f for d, f in zip(known, (height_factor, width_factor))] + [None])
    return tf.transpose(x, [0, 3, 1, 2]) if first else x


def spatial_2d_padding(x, padding=((1, 1), (1, 1)), data_format=None):
    """Returns images with zeros around them."""
    around = [[0, 0]] + [list(p) for p in padding]
    return tf.pad(x, around[:1] + [[0, 0]] + around[1:] if data_format == 'channels_first' else around + [[0, 0]])


def switch(condition, then_expression, else_expression):
    """Returns one of two tensors, or of the results of two functions."""
    if condition.dtype != tf.bool:
        condition = tf.cast(condition, tf.bool)
    if condition.get_shape().ndims == 0:
        made = [e if callable(e) else lambda e=e: e for e in (then_expression, else_expression)]
        return tf.cond(condition, made[0], made[1])
    then, other = [e() if callable(e) else e for e in (then_expression, else_expression)]
    spread = then.get_shape().ndims - condition.get_shape().ndims
    for _ in range(spread):
        condition = tf.expand_dims(condition, -1)
    if spread:
        condition = tf.logical_and(condition, tf.ones_like(then, dtype=tf.bool))
    return tf.where(condition, then, other)


def in_train_phase(x, alt, training=None):
    """Returns x in training, and alt otherwise."""
    training = learning_phase() if training is None else training
    known = _static_bool(training)
    if known is None:
        return switch(training, x, alt)
    chosen = x if known else alt
    return chosen() if callable(chosen) else chosen


def in_test_phase(x, alt, training=None):
    """Returns alt in training, and x otherwise."""
    return in_train_phase(alt, x, training)


def dropout(x, level, noise_shape=None, seed=None):
    """Sets a random fraction of the elements to 0, and scales up the others."""
    return tf.nn.dropout(x, noise_shape=noise_shape, seed=np.random.randint(10000000) if seed is None else seed,
                         rate=level)


def _clipped(p):
    small = tf.convert_to_tensor(epsilon(), p.dtype.base_dtype)
    return tf.clip_by_value(p, small, 1. - small)


def _logits(output, op):
    """Returns the logits that a softmax or sigmoid made the output from, or None."""
    while output.op.type == 'Identity':
        output = output.op.inputs[0]
    return output.op.inputs[0] if output.op.type == op else None


def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """Returns the cross entropy of probabilities and one-hot labels."""
    logits = output if from_logits else _logits(output, 'Softmax')
    if logits is not None:
        return tf.nn.softmax_cross_entropy_with_logits_v2(labels=target, logits=logits, axis=axis)
    output = output / tf.reduce_sum(output, axis, True)
    return -tf.reduce_sum(target * tf.log(_clipped(output)), axis)


def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """Returns the cross entropy of probabilities and class numbers."""
    logits = output if from_logits else _logits(output, 'Softmax')
    if logits is None:
        logits = tf.log(_clipped(output))
    rank = logits.get_shape().ndims
    if axis not in (-1, rank - 1):
        axis = axis % rank
        logits = tf.transpose(logits, [i for i in range(rank) if i != axis] + [axis])
    known = logits.get_shape().as_list()
    labels = tf.cast(tf.reshape(target, [-1]), tf.int64)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=tf.reshape(logits, [-1, known[-1]]))
    return tf.reshape(losses, tf.shape(logits)[:-1]) if rank >= 3 else losses


def binary_crossentropy(target, output, from_logits=False):
    """Returns the cross entropy of probabilities and labels of 0 and 1."""
    logits = output if from_logits else _logits(output, 'Sigmoid')
    if logits is not None:
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=target, logits=logits)
    p = _clipped(output)
    return -(target * tf.log(p + epsilon()) + (1 - target) * tf.log(1 - p + epsilon()))


def gradients(loss, variables):
    """Returns the gradients of a loss."""
    return tf.gradients(loss, variables)


def bias_add(x, bias, data_format=None):
    """Returns x plus a bias for each channel."""
    return tf.nn.bias_add(x, bias, data_format='NCHW' if data_format == 'channels_first' else 'NHWC')


def conv2d(x, kernel, strides=(1, 1), padding='valid', data_format=None, dilation_rate=(1, 1)):
    """Returns a convolution of images."""
    return tf.nn.convolution(x, kernel, padding.upper(), strides=list(strides), dilation_rate=list(dilation_rate),
                             data_format='NCHW' if data_format == 'channels_first' else 'NHWC')


def pool2d(x, pool_size, strides=(1, 1), padding='valid', data_format=None, pool_mode='max'):
    """Returns the maxima or means of windows of images."""
    around = (lambda v: [1, 1] + list(v)) if data_format == 'channels_first' else (lambda v: [1] + list(v) + [1])
    pool = tf.nn.max_pool if pool_mode == 'max' else tf.nn.avg_pool
    return pool(x, around(pool_size), around(strides), padding.upper(),
                data_format='NCHW' if data_format == 'channels_first' else 'NHWC')


def in_top_k(predictions, targets, k):
    """Returns whether the targets are among the k largest predictions."""
    return tf.nn.in_top_k(predictions, targets, k)


def one_hot(indices, num_classes):
    """Returns one-hot vectors."""
    return tf.one_hot(indices, depth=num_classes, axis=-1)


def relu(x, alpha=0., max_value=None, threshold=0):
    """x, or 0 where x is negative."""
    return tfk_named.relu(x, alpha, max_value, threshold)


def map_fn(fn, elems, name=None, dtype=None):
    """Returns the results of a function for each element."""
    return tf.map_fn(fn, elems, name=name, dtype=dtype)


def manual_variable_initialization(value):
    """Does nothing, because only variables that are not yet initialized are."""


def print_tensor(x, message=''):
    """Returns x, and prints its value in each run."""
    return tf.Print(x, [x], message)
