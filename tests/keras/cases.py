"""Small models of Keras 3 (keras) or Keras 2 (tf_keras), whose outputs tests compare with those of tensh.

Each case is a function of the library that returns a model. Most have an output for each of many layers, whose name says
which layer differs.
"""
import numpy as np


def is_new(K):
    return not K.__name__.startswith('tf_keras')


def outputs(K, inputs, layers):
    """A model with an output for each (name, tensor)."""
    linear = K.layers.Activation
    return K.Model(inputs, [linear('linear', name='out_' + name)(y) for name, y in layers])


ACTIVATIONS = ('linear relu sigmoid tanh softmax softplus softsign selu elu exponential swish gelu hard_sigmoid relu6 '
               'leaky_relu mish log_softmax').split()
NEW_ACTIVATIONS = ('hard_swish celu glu hard_tanh hard_shrink soft_shrink tanh_shrink squareplus sparse_plus sparsemax '
                   'sparse_sigmoid log_sigmoid').split()


def activations(K):
    L, x = K.layers, K.Input((6,), name='x')
    rows = [(a, L.Activation(a)(x)) for a in (ACTIVATIONS + NEW_ACTIVATIONS if is_new(K) else ACTIVATIONS[:13])]
    rows += [('relu_all', L.ReLU(2., 0.1, 0.5)(x)), ('relu_max', L.ReLU(6.)(x)), ('leaky', L.LeakyReLU(0.2)(x)), ('elu_layer', L.ELU(0.7)(x)),
             ('prelu', L.PReLU()(x)), ('softmax_layer', L.Softmax()(x))]
    if not is_new(K):
        rows.append(('thresholded', L.ThresholdedReLU(0.3)(x)))
    return outputs(K, x, rows)


def core(K):
    L = K.layers
    x, s, t = K.Input((6,), name='x'), K.Input((3, 4), name='s'), K.Input((2, 3, 4), name='t')
    rows = [('dense', L.Dense(5, 'relu')(x)), ('no_bias', L.Dense(2, use_bias=False)(x)), ('dense3', L.Dense(3)(s)),
            ('dense4', L.Dense(3)(t)), ('einsum', L.EinsumDense('abc,cde->abde', (None, 2, 5), bias_axes='e')(s)),
            ('ellipsis', L.EinsumDense('...x,xy->...y', 3, bias_axes='y')(t)), ('flatten', L.Flatten()(t)),
            ('reshape', L.Reshape((4, -1))(s)), ('permute', L.Permute((2, 1))(s)), ('repeat', L.RepeatVector(3)(x)),
            ('dropout', L.Dropout(0.5)(x)), ('noise', L.GaussianNoise(0.5)(x)), ('spatial', L.SpatialDropout1D(0.5)(s)),
            ('regularized', L.ActivityRegularization(0.1)(x)), ('distributed', L.TimeDistributed(L.Dense(3))(s)),
            ('pad1', L.ZeroPadding1D((1, 2))(s)), ('crop1', L.Cropping1D((1, 1))(s)), ('up1', L.UpSampling1D(2)(s))]
    return outputs(K, [x, s, t], rows)


def merging(K):
    L = K.layers
    x, y, s = K.Input((3, 4), name='x'), K.Input((3, 4), name='y'), K.Input((5, 4), name='s')
    rows = [(k.lower(), getattr(L, k)()([x, y])) for k in ('Add', 'Subtract', 'Multiply', 'Average', 'Maximum', 'Minimum')]
    rows += [('concat', L.Concatenate()([x, y])), ('concat1', L.Concatenate(axis=1)([x, s])), ('dot', L.Dot(axes=2)([x, s])),
             ('dot12', L.Dot(axes=(1, 1), normalize=True)([x, y])), ('three', L.Add()([x, y, x]))]
    return outputs(K, [x, y, s], rows)


def convolutions(K):
    L = K.layers
    x, s = K.Input((7, 8, 4), name='x'), K.Input((9, 4), name='s')
    rows = [('c2', L.Conv2D(3, 3, activation='relu')(x)), ('same', L.Conv2D(3, (3, 2), strides=2, padding='same')(x)),
            ('dilated', L.Conv2D(3, 3, dilation_rate=2, padding='same')(x)), ('groups', L.Conv2D(6, 3, groups=2)(x)),
            ('depth', L.DepthwiseConv2D(3, depth_multiplier=2, padding='same')(x)), ('depth_stride', L.DepthwiseConv2D(3, strides=2)(x)),
            ('separable', L.SeparableConv2D(5, 3, depth_multiplier=2)(x)), ('t2', L.Conv2DTranspose(3, 3, strides=2)(x)),
            ('t2same', L.Conv2DTranspose(3, 3, strides=2, padding='same')(x)),
            ('t2out', L.Conv2DTranspose(3, 3, strides=2, padding='same', output_padding=1)(x)),
            ('c1', L.Conv1D(3, 3)(s)), ('causal', L.Conv1D(3, 3, padding='causal', dilation_rate=2)(s)),
            ('c1same', L.Conv1D(3, 4, strides=2, padding='same', activation='tanh')(s)), ('t1', L.Conv1DTranspose(3, 3, strides=2)(s)),
            ('separable1', L.SeparableConv1D(5, 3, padding='same')(s)), ('depth1', L.DepthwiseConv1D(3, depth_multiplier=2)(s))]
    return outputs(K, [x, s], rows)


def volumes(K):
    L, v = K.layers, K.Input((5, 6, 4, 2), name='v')
    rows = [('c3', L.Conv3D(3, 2)(v)), ('c3same', L.Conv3D(3, 3, strides=2, padding='same')(v)), ('t3', L.Conv3DTranspose(2, 2, strides=2)(v)),
            ('max3', L.MaxPooling3D(2)(v)), ('avg3', L.AveragePooling3D(2, padding='same')(v)), ('gmax3', L.GlobalMaxPooling3D()(v)),
            ('gavg3', L.GlobalAveragePooling3D()(v)), ('pad3', L.ZeroPadding3D(1)(v)), ('crop3', L.Cropping3D(1)(v)),
            ('up3', L.UpSampling3D(2)(v))]
    return outputs(K, v, rows)


def pools(K):
    L = K.layers
    x, s = K.Input((7, 8, 3), name='x'), K.Input((9, 4), name='s')
    rows = [('max', L.MaxPooling2D()(x)), ('maxs', L.MaxPooling2D(3, 2, 'same')(x)), ('avg', L.AveragePooling2D((2, 3))(x)),
            ('avgs', L.AveragePooling2D(3, 2, 'same')(x)), ('gmax', L.GlobalMaxPooling2D()(x)), ('gavg', L.GlobalAveragePooling2D(keepdims=True)(x)),
            ('max1', L.MaxPooling1D(3, 2)(s)), ('avg1', L.AveragePooling1D(2)(s)), ('gmax1', L.GlobalMaxPooling1D()(s)),
            ('gavg1', L.GlobalAveragePooling1D()(s)), ('pad', L.ZeroPadding2D(((1, 2), (0, 3)))(x)), ('crop', L.Cropping2D(((1, 2), (0, 3)))(x)),
            ('up', L.UpSampling2D((2, 3))(x)), ('up_linear', L.UpSampling2D(2, interpolation='bilinear')(x))]
    if is_new(K) and hasattr(L, 'AdaptiveMaxPooling2D'):
        rows += [('amax', L.AdaptiveMaxPooling2D((3, 5))(x)), ('aavg', L.AdaptiveAveragePooling2D((3, 5))(x)),
                 ('aavg1', L.AdaptiveAveragePooling1D(4)(s))]
    return outputs(K, [x, s], rows)


def normalization(K):
    L = K.layers
    x, s = K.Input((4, 5, 6), name='x'), K.Input((3, 4), name='s')
    rows = [('batch', L.BatchNormalization()(x)), ('batch1', L.BatchNormalization(axis=1)(x)), ('plain', L.BatchNormalization(
        center=False, scale=False)(s)), ('layer', L.LayerNormalization()(x)), ('layers', L.LayerNormalization(axis=[1, 2])(s)),
            ('group', L.GroupNormalization(3)(x)), ('instance', L.GroupNormalization(-1)(x)), ('unit', L.UnitNormalization()(s))]
    if is_new(K):
        rows += [('rms', L.RMSNormalization()(s)), ('spectral', L.SpectralNormalization(L.Dense(3))(s))]
    return outputs(K, [x, s], rows)


def recurrent(K):
    L, s = K.layers, K.Input((5, 3), name='s')
    more = L.LSTM(3, return_sequences=True, return_state=True)(s)
    rows = [('rnn', L.SimpleRNN(4)(s)), ('lstm', L.LSTM(4)(s)), ('lstms', L.LSTM(4, return_sequences=True, go_backwards=True)(s)),
            ('gru', L.GRU(4)(s)), ('gru_before', L.GRU(4, reset_after=False, return_sequences=True)(s)), ('state0', more[0]),
            ('state1', more[1]), ('state2', more[2]), ('from_state', L.LSTM(3)(s, initial_state=more[1:])),
            ('both', L.Bidirectional(L.LSTM(2))(s)), ('sum', L.Bidirectional(L.GRU(2, return_sequences=True), merge_mode='sum')(s)),
            ('two', L.Bidirectional(L.SimpleRNN(2, return_sequences=True), merge_mode='ave')(s)),
            ('cell', L.RNN(L.GRUCell(3))(s)), ('stacked', L.RNN([L.LSTMCell(3), L.GRUCell(2), L.LSTMCell(4)], return_sequences=True)(s)),
            ('hard', L.LSTM(3, activation='relu', recurrent_activation='hard_sigmoid', use_bias=False, unit_forget_bias=False)(s))]
    return outputs(K, s, rows)


def masks(K):
    L = K.layers
    x, s = K.Input((6,), dtype='int32', name='x'), K.Input((4, 3), name='s')
    e = L.Embedding(7, 3, mask_zero=True)(x)
    m = L.Masking(0.)(s)
    rows = [('lstm', L.LSTM(3)(e)), ('sequences', L.LSTM(3, return_sequences=True)(e)), ('gru', L.GRU(3)(m)), ('pool', L.GlobalAveragePooling1D()(e)),
            ('through', L.SimpleRNN(3)(L.Dropout(0.5)(L.Dense(4)(e)))), ('both', L.Bidirectional(L.LSTM(2, return_sequences=True))(e)),
            ('after', L.LSTM(2)(L.Bidirectional(L.LSTM(2, return_sequences=True))(e))), ('add', L.LSTM(2)(L.Add()([e, e]))),
            ('masking', m), ('concat', L.GRU(2)(L.Concatenate()([e, L.Dense(2)(e)])))]
    return outputs(K, [x, s], rows)


def masked_attention(K):
    L, x = K.layers, K.Input((6,), dtype='int32', name='x')
    e = L.Embedding(7, 4, mask_zero=True)(x)
    return K.Model(x, [L.Attention()([e, e]), L.AdditiveAttention()([e, e])])


def masked_heads(K):
    L, x = K.layers, K.Input((6,), dtype='int32', name='x')
    # An embedding for each: Keras 3 removes the mask from the tensors that MultiHeadAttention reads.
    e, f = L.Embedding(7, 4, mask_zero=True)(x), L.Embedding(7, 4, mask_zero=True)(x)
    return K.Model(x, [L.MultiHeadAttention(2, 3)(e, e), L.MultiHeadAttention(2, 2)(f, f, use_causal_mask=True)])


def custom(K):
    """A layer of one's own, whose code is not in the file."""
    class Doubled(K.layers.Layer):
        def call(self, x):
            return x * 2

        def compute_output_shape(self, shape):
            return shape
    L, x = K.layers, K.Input((4,), name='x')
    before = L.Dense(3, name='before')(x)
    return K.Model(x, [before, L.Dense(2, name='after')(Doubled(name='mine')(before))])


def images_in_time(K):
    L = K.layers
    s1, s2 = K.Input((3, 6, 2), name='s1'), K.Input((3, 5, 5, 2), name='s2')
    rows = [('two', L.ConvLSTM2D(3, 3, padding='same', return_sequences=True)(s2)), ('last', L.ConvLSTM2D(2, (2, 3))(s2)),
            ('one', L.ConvLSTM1D(3, 3, strides=2)(s1)), ('inside', L.TimeDistributed(L.Conv2D(2, 2))(s2))]
    v = K.Input((2, 3, 4, 3, 2), name='v')
    rows.append(('three', L.ConvLSTM3D(2, 2, padding='same')(v)))
    return outputs(K, [s1, s2, v], rows)


def attention(K):
    L = K.layers
    q, v = K.Input((4, 6), name='q'), K.Input((5, 6), name='v')
    multi = L.MultiHeadAttention(3, 4, value_dim=5)
    rows = [('dot', L.Attention()([q, v])), ('scaled', L.Attention(use_scale=True)([q, v, v])), ('additive', L.AdditiveAttention()([q, v])),
            ('concat', L.Attention(score_mode='concat')([q, v])), ('multi', multi(q, v)),
            ('causal', L.MultiHeadAttention(2, 3, use_bias=False, output_shape=5)(q, q, use_causal_mask=True))]
    scores = L.MultiHeadAttention(2, 3)(q, v, return_attention_scores=True)
    rows += [('scores0', scores[0]), ('scores1', scores[1])]
    if is_new(K):
        rows.append(('grouped', L.GroupQueryAttention(4, 4, 2)(q, v)))
    return outputs(K, [q, v], rows)


def nested(K):
    L = K.layers
    a, b = K.Input((4,), name='a'), K.Input((4,), name='b')
    shared = L.Dense(3, 'relu', name='shared')
    inner = K.Sequential([L.Dense(5), L.Dropout(.2), L.BatchNormalization()], name='inner')
    i = K.Input((5,), name='i')
    h = L.Dense(3, name='shared')(i)
    deep = K.Model(i, [h, L.Dense(2)(h)], name='deep')
    frozen = K.Sequential([L.Dense(4, name='cold'), L.BatchNormalization(), L.Dense(3)], name='frozen')
    frozen.layers[0].trainable = False
    x = inner(a)
    y = deep(x)
    rows = [('first', shared(a)), ('second', shared(b)), ('third', L.Add()([shared(a), shared(b)])), ('inner', x), ('again', inner(b)),
            ('deep0', y[0]), ('deep1', y[1]), ('deep2', deep(inner(b))[1]), ('frozen', frozen(a))]
    return outputs(K, [a, b], rows)


def sequential(K):
    L = K.layers
    return K.Sequential([K.Input((8, 8, 1)), L.Conv2D(4, 3, activation='relu'), L.MaxPooling2D(), L.BatchNormalization(), L.Flatten(),
                         L.Dropout(0.5), L.Dense(10, activation='softmax')])


def deferred(K):
    L = K.layers
    model = K.Sequential([L.Embedding(9, 4), L.LSTM(5), L.Dense(2, activation='sigmoid')])
    model(np.zeros([1, 6], np.int32))
    return model


def preprocessing(K):
    L = K.layers
    x, im, c = K.Input((3,), name='x'), K.Input((8, 10, 3), name='im'), K.Input((4,), dtype='int64', name='c')
    norm = L.Normalization()
    norm.adapt(np.random.RandomState(1).randn(20, 3).astype('float32') * 3 + 1)
    rows = [('norm', norm(x)), ('given', L.Normalization(mean=2., variance=4.)(x)), ('rescale', L.Rescaling(1 / 255., offset=-1)(im)),
            ('resize', L.Resizing(5, 7)(im)), ('nearest', L.Resizing(16, 5, interpolation='nearest')(im)), ('crop', L.CenterCrop(4, 6)(im)),
            ('flip', L.RandomFlip()(im)), ('bins', L.Discretization([-1., 0., 1.])(x)), ('multi', L.CategoryEncoding(5)(c)),
            ('count', L.CategoryEncoding(5, output_mode='count')(c)), ('hash', L.Hashing(7)(c)),
            ('lookup', L.IntegerLookup(vocabulary=[3, 1, 4])(c))]
    return K.Model([x, im, c], [y for _, y in rows])


def encodings(K):
    L = K.layers
    one, four, x = K.Input((1,), dtype='int64', name='one'), K.Input((4,), dtype='int64', name='four'), K.Input((1,), name='x')
    rows = [L.CategoryEncoding(6, 'one_hot')(one), L.CategoryEncoding(6, 'multi_hot')(four), L.CategoryEncoding(6, 'count')(one),
            L.Discretization([0., 1.], output_mode='one_hot')(x), L.Discretization([0.5], output_mode='count')(x),
            L.Hashing(5, output_mode='multi_hot')(four), L.Hashing(5, salt=7)(four), L.Hashing(6, mask_value=2)(four),
            L.IntegerLookup(vocabulary=[4, 2], output_mode='multi_hot')(four), L.IntegerLookup(vocabulary=[4, 2], output_mode='one_hot')(one),
            L.IntegerLookup(vocabulary=[4, 2], mask_token=0, num_oov_indices=3)(four)]
    return K.Model([one, four, x], rows)


def resizing(K):
    L = K.layers
    x, y = K.Input((9, 12, 2), name='x'), K.Input((4, 4, 3), name='y')
    rows = [L.Resizing(5, 7, interpolation=i)(x) for i in ('bicubic', 'area', 'lanczos3', 'lanczos5', 'gaussian', 'mitchellcubic')[:6 if not is_new(K) else 1]]
    rows += [L.Resizing(13, 5, interpolation='bilinear', antialias=True)(x)] if is_new(K) else []
    rows += [L.Resizing(6, 6, crop_to_aspect_ratio=True)(x), L.Rescaling([1., 2., 3.], offset=[.1, .2, .3])(y), L.RandomCrop(3, 2)(y),
             L.RandomZoom(.1)(x), L.RandomRotation(.1)(x), L.UpSampling2D(2, interpolation='bicubic')(x)]
    return K.Model([x, y], rows)


def texts(K):
    L = K.layers
    t, w = K.Input((1,), dtype='string', name='t'), K.Input((2,), dtype='string', name='w')
    words = L.TextVectorization(output_sequence_length=5, vocabulary=['the', 'cat', 'sat'])
    hot = L.TextVectorization(output_mode='multi_hot', vocabulary=['the', 'cat', 'sat'])
    rows = [words(t), hot(t), L.StringLookup(vocabulary=['a', 'b', 'c'])(w), L.StringLookup(
        vocabulary=['a', 'b', 'c'], num_oov_indices=2)(w), L.StringLookup(vocabulary=['a', 'b', 'c'], output_mode='multi_hot')(w), L.Hashing(11)(w)]
    return K.Model([t, w], rows)


def adapted(K):
    """Layers whose vocabulary was learned, which Keras keeps beside the config."""
    L = K.layers
    t, w, c, x = [K.Input(shape, dtype=dtype, name=name) for shape, dtype, name in (
        ((1,), 'string', 't'), ((3,), 'string', 'w'), ((3,), 'int64', 'c'), ((2,), 'float32', 'x'))]
    texts = np.array(['the cat sat', 'the dog, the cat', 'on a mat'])
    made = [L.TextVectorization(output_mode='tf_idf'), L.TextVectorization(max_tokens=8, output_mode='count'), L.TextVectorization(
        split='character', output_sequence_length=6), L.TextVectorization(standardize=None, max_tokens=6)]
    for one in made:
        one.adapt(texts)
    rows = [one(t) for one in made]
    words = L.StringLookup(mask_token='a')
    words.adapt(np.array(['a', 'b', 'b', 'the']))
    numbers = L.IntegerLookup(output_mode='count', max_tokens=4)
    numbers.adapt(np.array([1, 2, 2, 3, 3, 3]))
    bins = L.Discretization(num_bins=4)
    bins.adapt(np.random.RandomState(2).randn(100, 2).astype('float32'))
    back = L.StringLookup(vocabulary=['a', 'b'], invert=True)
    rows += [words(w), numbers(c), bins(x), back(c), L.HashedCrossing(7)([w[:, :1], c[:, :1]])]
    return K.Model([t, w, c, x], rows)


def ops(K):
    """Operations as layers: those of keras.ops, or functions of TensorFlow in Keras 2."""
    x, y, s = K.Input((3, 4), name='x'), K.Input((3, 4), name='y'), K.Input((4,), name='s')
    if is_new(K):
        o = K.ops
        made = [x + y * 2. - 1, x[:, 1:, ::-1], x[:, None, 0], o.mean(x, axis=-1, keepdims=True), o.sum(x, axis=(1, 2)), o.max(x, axis=1),
                o.concatenate([x, y], axis=1), o.stack([x, y], axis=2), o.transpose(x, (0, 2, 1)), o.reshape(x, (-1, 12)), o.matmul(
                    x, o.transpose(y, (0, 2, 1))), o.expand_dims(s, 1) + x, o.split(x, 2, axis=-1)[1], o.softmax(x, axis=1),
                o.relu(x), o.gelu(x), o.silu(x), o.exp(x) / (1. + o.exp(x)), o.where(o.greater(x, 0.), x, y), o.maximum(x, y), o.clip(x, -0.5, 0.5),
                o.sqrt(o.abs(x)), o.power(o.abs(x), 1.5), o.var(x, axis=-1), o.std(x, axis=1), o.einsum('abc,adc->abd', x, y), o.squeeze(x[:, :1], 1),
                o.cumsum(x, axis=1), o.one_hot(o.argmax(x, axis=-1), 4), o.pad(x, [[0, 0], [1, 2], [0, 1]]), o.repeat(x, 2, axis=1),
                o.tile(x, [1, 2, 1]), o.flip(x, axis=1), o.normalize(x, axis=-1), o.take(x, [0, 2], axis=1), o.top_k(s, 2)[0], o.logsumexp(x, axis=-1),
                o.cast(o.cast(x, 'int32'), 'float32'), o.leaky_relu(x), o.swapaxes(x, 1, 2), o.logical_and(x > 0, y > 0), o.square(x), -x, x ** 2,
                o.sign(x), o.tanh(x), o.erf(x), o.floor(x), o.log1p(o.abs(x)), 1. / (2. + o.abs(x)), o.minimum(x, 0.1), o.moveaxis(x, 1, 2),
                o.norm(x, axis=-1), o.hard_sigmoid(x), o.elu(x), o.log_softmax(x), o.rsqrt(1. + o.square(x)), o.arctan2(x, y), o.ones_like(x)]
    else:
        import tensorflow as tf
        made = [x + y * 2. - 1, x[:, 1:, ::-1], x[:, None, 0], tf.reduce_mean(x, axis=-1, keepdims=True), tf.math.reduce_sum(x, axis=[1, 2]),
                tf.concat([x, y], axis=1), tf.stack([x, y], axis=2), tf.transpose(x, [0, 2, 1]), tf.reshape(x, [-1, 12]),
                tf.matmul(x, y, transpose_b=True), tf.expand_dims(s, 1) + x, tf.split(x, 2, axis=-1)[1], tf.nn.softmax(x, axis=1), tf.nn.relu(x),
                tf.exp(x) / (1. + tf.exp(x)), tf.where(x > 0., x, y), tf.maximum(x, y), tf.clip_by_value(x, -.5, .5), tf.sqrt(tf.abs(x)),
                tf.squeeze(x[:, :1], axis=1), tf.cast(tf.cast(x, tf.int32), tf.float32), tf.nn.l2_normalize(x, axis=-1), tf.math.square(x), -x, x ** 2.,
                tf.image.resize(tf.expand_dims(x, -1), [6, 2]), tf.nn.relu6(x), tf.math.rsqrt(1. + tf.square(x)), tf.pad(x, [[0, 0], [1, 1], [0, 0]]),
                1. / (2. + tf.abs(x)), tf.nn.leaky_relu(x), tf.nn.swish(x), tf.one_hot(tf.argmax(x, axis=-1), 4)]
    return K.Model([x, y, s], made)


def more_ops(K):
    """Operations of keras.ops that `ops` does not have."""
    x, y = K.Input((3, 4), name='x'), K.Input((3, 4), name='y')
    made = []
    if is_new(K):
        o = K.ops
        p, u = o.abs(x) + 0.1, o.tanh(x) * 0.9
        made = [getattr(o, f)(x) for f in 'sin cos sinh cosh arctan arcsinh ceil erfc isnan isfinite exp2 expm1 deg2rad rad2deg trunc zeros_like '
                'relu6 sigmoid softplus softsign squareplus log_sigmoid hard_silu selu tanh_shrink hard_tanh hard_shrink soft_shrink sparsemax '
                'celu glu ravel argsort sort logical_not negative copy softmax'.split()]
        made += [getattr(o, f)(p) for f in 'log log10 log2 reciprocal arccosh'.split()[:4]] + [getattr(o, f)(u) for f in 'tan arcsin arccos arctanh erfinv'.split()]
        made += [getattr(o, f)(x, y) for f in 'subtract multiply divide equal not_equal less less_equal greater_equal logaddexp hypot divide_no_nan '
                 'logical_or logical_xor floor_divide mod'.split()]
        made += [getattr(o, f)(x, axis=1) for f in 'prod min amax amin argmin any all'.split()] + [o.max(x), o.sum(x, axis=-1, keepdims=True)]
        made += [o.cumprod(x, axis=2), o.roll(x, 1, axis=1), o.round(x), o.round(x, 2), o.tril(x), o.triu(x), o.tensordot(x, y, axes=[[1], [1]])[:, 0],
                 o.hstack([x, y]), o.broadcast_to(x[:, :, :1], (2, 3, 5)), o.dot(x, o.transpose(y, (0, 2, 1))[0]), o.split(x, [1, 3], axis=2)[1],
                 o.take(x, [-1, 0], axis=-1), o.where(x > y, x, 0.), o.average_pool(x[:, :, :, None], 2), o.max_pool(x[:, :, :, None], 2, padding='same'),
                 o.unstack(x, axis=1)[1], o.image.resize(x[:, :, :, None], (5, 2)), o.gelu(x, approximate=False), o.square(x), o.full_like(x, 2.), o.nan_to_num(o.log(x), nan=3.)]
    return K.Model([x, y], made or [x + y])


def mixed(K):
    L = K.layers
    x = K.Input((8, 8, 3), name='x')
    y = L.Conv2D(4, 3, dtype='mixed_float16')(x)
    y = L.BatchNormalization(dtype='mixed_float16')(y)
    y = L.GlobalAveragePooling2D(dtype='mixed_float16')(L.Activation('relu', dtype='mixed_float16')(y))
    z = L.Dense(3, dtype='mixed_bfloat16')(L.Flatten()(x))
    return K.Model(x, [L.Dense(2, 'softmax', dtype='float32')(y), L.Activation('linear', dtype='float32')(z)])


def channels_first(K):
    L = K.layers
    x, s = K.Input((3, 6, 6), name='x'), K.Input((4, 7), name='s')
    first = dict(data_format='channels_first')
    rows = [('gavg', L.GlobalAveragePooling2D(**first)(x)), ('gmax', L.GlobalMaxPooling2D(**first)(x)), ('flatten', L.Flatten(**first)(x)),
            ('pad', L.ZeroPadding2D(1, **first)(x)), ('crop', L.Cropping2D(1, **first)(x)), ('batch', L.BatchNormalization(axis=1)(x)),
            ('up', L.UpSampling2D(2, **first)(x)), ('gavg1', L.GlobalAveragePooling1D(**first)(s))]
    if is_new(K):
        rows += [('conv', L.Conv2D(2, 3, **first)(x)), ('max', L.MaxPooling2D(2, **first)(x)), ('depth', L.DepthwiseConv2D(3, **first)(x))]
    return outputs(K, [x, s], rows)


def stateful(K):
    """Layers that begin with the state at the end of the run before."""
    L = K.layers
    x = K.Input(batch_shape=[2, 5, 3])
    y = L.LSTM(4, stateful=True, return_sequences=True)(x)
    return outputs(K, [x], [('gru', L.GRU(3, stateful=True)(y)), ('rnn', L.RNN([L.LSTMCell(2), L.GRUCell(3)], stateful=True)(y)), (
        'both', L.Bidirectional(L.SimpleRNN(2, stateful=True))(y))])


CASES = [activations, adapted, attention, channels_first, convolutions, core, custom, deferred, encodings, images_in_time, masked_attention, masked_heads,
         masks, merging, mixed, more_ops, nested, normalization, ops, pools, preprocessing, recurrent, resizing, sequential, stateful, texts, volumes]


def values(model, seed=0):
    """Random values for the inputs, by name."""
    rng, found = np.random.RandomState(seed), {}
    for x in model.inputs:
        name, shape, dtype = x.name.split(':')[0], [2] + list(x.shape)[1:], str(getattr(x.dtype, 'name', x.dtype))
        if dtype == 'string':
            words = np.array(['the Cat sat, on a mat!', 'a', 'b', 'dog', 'The  cat.'], object)
            found[name] = words[rng.randint(0, 5, shape)]
        elif 'int' in dtype:
            found[name] = rng.randint(0, 5, shape).astype(dtype)
        else:
            found[name] = rng.randn(*shape).astype('float32')
            if shape[1:] == [4, 3]:
                found[name][:, 2:] = 0  # for Masking
    if model.inputs[0].name.startswith(('embedding', 'keras_tensor')) and len(found) == 1 and model.layers[0].__class__.__name__ == 'Embedding':
        found = {k: rng.randint(0, 9, v.shape).astype('int32') for k, v in found.items()}
    return found


def randomize(model, seed=3):
    """Gives all weights random values; variances and counts stay positive."""
    rng = np.random.RandomState(seed)
    for w in model.weights:
        name = w.name.split('/')[-1]
        if 'int' in str(w.dtype) or None in list(w.shape) or name.startswith(('count', 'mean', 'variance:', 'vector_u')) or name == 'variance':
            continue
        value = rng.uniform(-.5, .5, w.shape)
        if 'variance' in name or 'gamma' in name:
            value = np.abs(value) + .5
        w.assign(value.astype('float32'))
