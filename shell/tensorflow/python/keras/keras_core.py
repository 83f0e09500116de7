"""Keras layers: Dense, Embedding, activations, merging, and those that do nothing in inference."""
from _library.keras_rules import Refused, activate, as_list, axes_of, axis_of, dims, layer, like, rank, relu, reshape, where


def _kernel_bias(n):
    return ['kernel'] + ['bias'] * bool(n.get('use_bias', True))


def add_bias(n, y):
    return y + n.w('bias') if n.has('bias') else y


def dot_last(x, w):
    """The product of the last dimension of x with a matrix."""
    if rank(x) == 2:
        return tf.matmul(x, w)
    shape = dims(x)
    y = tf.matmul(tf.reshape(x, [-1, int(w.shape[0])]), w)
    return reshape(y, shape[:-1] + [int(w.shape[1])])


@layer('InputLayer', keeps_mask=True)
def _input(n, x):
    return x


def _dense_weights(n):
    if n.get('lora_rank') or n.get('quantization_mode'):
        raise Refused('LoRA and quantization are not supported: merge the weights in Keras and save the model again')
    return _kernel_bias(n)


@layer('Dense', _dense_weights, keeps_mask=True)
def _dense(n, x):
    return activate(n, add_bias(n, dot_last(x, n.w('kernel'))), n.get('activation'))


@layer('EinsumDense', lambda n: ['kernel'] + ['bias'] * bool(n.get('bias_axes')))
def _einsum_dense(n, x):
    equation = n.get('equation', '')
    if '...' in equation:  # one letter for each dimension that the ellipsis stands for
        free = [c for c in 'ABCDEFGHIJKLMNOPQRSTUVWXYZ' if c not in equation]
        inputs = equation.split(',')[0].replace('...', '')
        equation = equation.replace('...', ''.join(free[:rank(x) - len(inputs)]))
    return activate(n, add_bias(n, tf.einsum(equation, x, n.w('kernel'))), n.get('activation'))


@layer('Embedding ReversibleEmbedding', lambda n: ['embeddings'] + ['reverse_embeddings'] * (
    n.kind == 'ReversibleEmbedding' and n.config.get('tie_weights') is False))
def _embedding(n, x, reverse=False):
    if reverse:
        if n.has('reverse_embeddings'):
            return dot_last(x, n.w('reverse_embeddings'))
        return dot_last(x, tf.transpose(n.w('embeddings')))
    y = tf.gather(n.w('embeddings'), x if x.dtype.is_integer else tf.cast(x, tf.int32))
    if n.get('mask_zero', False):
        n.set_mask(y, tf.not_equal(x, tf.zeros_like(x)))
    return y


@layer('Masking')
def _masking(n, x):
    inside = tf.reduce_any(tf.not_equal(x, like(n.get('mask_value', 0.), x)), -1, keepdims=True)
    y = x * tf.cast(inside, x.dtype)
    n.set_mask(y, tf.squeeze(inside, [-1]))
    return y


@layer('Lambda')
def _lambda(n, x):
    raise Refused('it runs Python code that is stored in the file, which tensh does not do. Replace it by a layer or by '
                  'keras.ops, and save the model again')


@layer('Dropout SpatialDropout1D SpatialDropout2D SpatialDropout3D GaussianDropout GaussianNoise AlphaDropout '
       'ActivityRegularization Identity RandomBrightness RandomColorDegeneration RandomColorJitter RandomContrast '
       'RandomErasing RandomFlip RandomGaussianBlur RandomGrayscale RandomHue RandomInvert RandomPerspective '
       'RandomPosterization RandomRotation RandomSaturation RandomSharpness RandomShear RandomTranslation RandomZoom '
       'RandomElasticTransform RandomHeight RandomWidth MixUp CutMix AugMix RandAugment StochasticDepth', keeps_mask=True)
def _identity(n, x):
    return x


@layer('LayerScale', lambda n: ['gamma'])
def _layer_scale(n, x):
    return x * n.w('gamma')  # of ConvNeXt


@layer('CustomScaleLayer')
def _custom_scale(n, xs):
    return xs[0] + xs[1] * n.get('scale', 1.)  # of InceptionResNetV2


@layer('Activation', keeps_mask=True)
def _activation(n, x):
    return activate(n, x, n.get('activation'))


@layer('ReLU', keeps_mask=True)
def _relu(n, x):
    return relu(x, n.get('negative_slope', 0.), n.get('max_value'), n.get('threshold', 0.))


@layer('LeakyReLU', keeps_mask=True)
def _leaky_relu(n, x):
    return relu(x, n.get('negative_slope', n.get('alpha', 0.3)))


@layer('ELU', keeps_mask=True)
def _elu(n, x):
    return where(x > like(0, x), x, like(n.get('alpha', 1.), x) * tf.math.expm1(x))


@layer('ThresholdedReLU', keeps_mask=True)
def _thresholded(n, x):
    return where(x > like(n.get('theta', 1.), x), x, tf.zeros_like(x))


@layer('PReLU', lambda n: ['alpha'], keeps_mask=True)
def _prelu(n, x):
    return tf.nn.relu(x) - n.w('alpha') * tf.nn.relu(-x)


@layer('Softmax', keeps_mask=True)
def _softmax(n, x):
    mask = n.mask(x)
    if mask is not None:
        if mask.shape.ndims is not None and mask.shape.ndims < rank(x):
            mask = tf.expand_dims(mask, -1) if rank(x) - mask.shape.ndims == 1 else mask
        low = -3e4 if x.dtype == tf.float16 else -1e9
        x = x + (1 - tf.cast(mask, x.dtype)) * like(low, x)
    axes = axes_of(n.get('axis', -1), rank(x))
    if len(axes) == 1:
        return tf.nn.softmax(x, axes[0])
    shifted = x - tf.reduce_max(x, axes, True)
    return tf.exp(shifted - tf.log(tf.reduce_sum(tf.exp(shifted), axes, True)))


# ---- merging ----

def broadcast(xs):
    """Inputs of different ranks: those with fewer dimensions get more of them after the batch."""
    most = max(rank(x) for x in xs)
    found = []
    for x in xs:
        for _ in range(most - rank(x)):
            x = tf.expand_dims(x, 1)
        found.append(x)
    return found


def _merged_mask(n, xs, y):
    masks = [n.mask(x) for x in xs]
    if len(masks) > 1 and all(m is not None for m in masks):
        total = masks[0]
        for m in masks[1:]:
            total = tf.logical_or(total, m) if n.version >= 3 else tf.logical_and(total, m)
        n.set_mask(y, total)
    return y


def _merge(f):
    def merge(n, xs):
        xs = broadcast(as_list(xs))
        total = xs[0]
        for x in xs[1:]:
            total = f(total, x)
        if n.kind == 'Average':
            total = total / like(len(xs), total)
        return _merged_mask(n, xs, total)
    return merge


layer('Add Average')(_merge(lambda a, b: a + b))
layer('Subtract')(_merge(lambda a, b: a - b))
layer('Multiply')(_merge(lambda a, b: a * b))
layer('Maximum')(_merge(lambda a, b: tf.maximum(a, b)))
layer('Minimum')(_merge(lambda a, b: tf.minimum(a, b)))


@layer('Concatenate')
def _concatenate(n, xs):
    xs = as_list(xs)
    axis = axis_of(n.get('axis', -1), rank(xs[0]))
    y = tf.concat(xs, axis)
    masks = [n.mask(x) for x in xs]
    if any(m is not None for m in masks):
        found = []
        for x, m in zip(xs, masks):
            if m is None:
                m = tf.ones_like(x, tf.bool)
            elif m.shape.ndims < rank(x):
                m = tf.logical_and(tf.expand_dims(m, -1), tf.ones_like(x, tf.bool))
            found.append(m)
        n.set_mask(y, tf.reduce_any(tf.concat(found, axis), -1) if n.version >= 3 else tf.reduce_all(
            tf.concat(found, axis), -1))
    return y


@layer('Dot')
def _dot(n, xs):
    a, b = xs
    axes = n.get('axes', -1)
    axes = [axes, axes] if isinstance(axes, int) else axes
    i, j = axis_of(axes[0], rank(a)), axis_of(axes[1], rank(b))
    if n.get('normalize', False):
        a, b = tf.nn.l2_normalize(a, i), tf.nn.l2_normalize(b, j)
    letters, free = 'abcdefghijklm', 'nopqrstuvwxyz'
    left = ['Z' if k == 0 else 'Y' if k == i else letters[k] for k in range(rank(a))]
    right = ['Z' if k == 0 else 'Y' if k == j else free[k] for k in range(rank(b))]
    out = [c for c in left if c != 'Y'] + [c for c in right if c not in 'YZ']
    y = tf.einsum('%s,%s->%s' % (''.join(left), ''.join(right), ''.join(out)), a, b)
    return tf.expand_dims(y, 1) if rank(y) == 1 else y
