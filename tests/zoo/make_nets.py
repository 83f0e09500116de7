"""Makers of known architectures, with seeded random weights, and of models with parts that TensorFlow saves in its own ways."""
import functools

import numpy as np
import tensorflow as tf

keras = tf.keras
layers = keras.layers
tf1 = tf.compat.v1
K = {'weights': None, 'input_shape': (96, 96, 3), 'classes': 10}


def spread(model):
    """Moves the statistics of batch normalization away from 0 and 1, and widens the last layer, so that the outputs tell."""
    rng = np.random.default_rng(1)
    for layer in model.layers:
        if isinstance(layer, layers.BatchNormalization):
            layer.moving_mean.assign(rng.normal(0, .1, layer.moving_mean.shape))
            layer.moving_variance.assign(rng.uniform(.5, 1.5, layer.moving_variance.shape))
    return model


def application(make, **more):
    return lambda: spread(make(**dict(K, classifier_activation=None, **more)))


def unet(rank):
    conv = (layers.Conv2D, layers.Conv3D)[rank - 2]
    pool = (layers.MaxPooling2D, layers.MaxPooling3D)[rank - 2]
    up = (layers.UpSampling2D, layers.UpSampling3D)[rank - 2]
    back = (layers.Conv2DTranspose, layers.Conv3DTranspose)[rank - 2]
    x = start = keras.Input((16,) * rank + (1,))
    kept = []
    for filters in (4, 8):
        x = layers.BatchNormalization()(conv(filters, 3, padding='same', activation='relu')(x))
        kept.append(x)
        x = pool()(x)
    x = conv(16, 3, padding='same', activation='elu')(x)
    x = layers.Concatenate()([up()(x), kept[1]])
    x = conv(8, 3, padding='same', activation='relu')(x)
    x = layers.Concatenate()([back(4, 2, strides=2)(x), kept[0]])
    return keras.Model(start, conv(2, 1, activation='sigmoid')(x))


def conv_lstm():
    return keras.Sequential([keras.Input((4, 8, 8, 2)), layers.ConvLSTM2D(3, 3, padding='same', return_sequences=True),
                             layers.ConvLSTM2D(2, 3), layers.Flatten(), layers.Dense(3)])


class Positions(layers.Layer):
    """Adds an embedding of the position."""

    def build(self, shape):
        self.table = self.add_weight(shape=(shape[1], shape[2]), initializer='random_normal', name='table')

    def call(self, x):
        return x + self.table


def block(x, width, causal=False, mask=None):
    y = layers.MultiHeadAttention(4, width // 4)(x, x, use_causal_mask=causal, attention_mask=mask)
    x = layers.LayerNormalization()(x + layers.Dropout(.1)(y))
    return layers.LayerNormalization()(x + layers.Dense(width)(layers.Dense(4 * width, 'gelu')(x)))


def bert():
    ids, mask = keras.Input((16,), dtype='int32', name='ids'), keras.Input((16,), dtype='int32', name='mask')
    x = layers.LayerNormalization()(Positions()(layers.Embedding(100, 32)(ids)))
    seen = keras.ops.cast(keras.ops.expand_dims(mask, 1) > 0, 'bool')
    for _ in range(3):
        x = block(x, 32, mask=seen)
    return keras.Model({'ids': ids, 'mask': mask}, {'tokens': x, 'pooled': layers.Dense(32, 'tanh')(x[:, 0])})


def transformer():
    """An encoder and a decoder."""
    source, target = keras.Input((10,), dtype='int32', name='source'), keras.Input((8,), dtype='int32', name='target')
    embed = layers.Embedding(50, 16)
    memory = block(Positions()(embed(source)), 16)
    x = block(Positions()(embed(target)), 16, causal=True)
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 8)(x, memory))
    return keras.Model({'source': source, 'target': target}, layers.Dense(50)(x))


def tabular():
    """Columns of numbers and of words."""
    age, city = keras.Input((1,), name='age'), keras.Input((1,), dtype='string', name='city')
    normal = layers.Normalization(mean=[40.], variance=[100.])
    words = layers.StringLookup(vocabulary=['the cat sat', 'rome', 'oslo'], output_mode='one_hot')
    hashed = layers.Hashing(7, output_mode='one_hot')
    bins = layers.Discretization([.25, .5, 4.], output_mode='one_hot')
    return keras.Model({'age': age, 'city': city}, layers.Dense(2)(layers.Concatenate()([normal(age), words(city), hashed(city), bins(age)])))


def audio():
    return keras.Sequential([keras.Input((200, 1)), layers.Conv1D(8, 5, strides=2, activation='relu'), layers.SeparableConv1D(8, 3, dilation_rate=1),
                             layers.SimpleRNN(6, return_sequences=True), layers.Bidirectional(layers.GRU(4)), layers.Dense(2)])


def video():
    return keras.Sequential([keras.Input((6, 12, 12, 3)), layers.Conv3D(4, 3, padding='same'), layers.GroupNormalization(2), layers.AveragePooling3D(2),
                             layers.TimeDistributed(layers.SeparableConv2D(4, 3)), layers.GlobalMaxPooling3D(), layers.Dense(3)])


def half(policy):
    def make():
        keras.mixed_precision.set_global_policy(policy)
        try:
            return keras.Sequential([keras.Input((8, 8, 3), dtype='float32'), layers.Conv2D(4, 3, activation='relu'), layers.Flatten(), layers.Dense(3)])
        finally:
            keras.mixed_precision.set_global_policy('float32')
    return make


NETS = {
    'mobilenet_v3': application(keras.applications.MobileNetV3Small), 'resnet50': application(keras.applications.ResNet50),
    'resnet50_v2': application(keras.applications.ResNet50V2), 'efficientnet_b0': application(keras.applications.EfficientNetB0),
    'efficientnet_v2': application(keras.applications.EfficientNetV2B0), 'densenet121': application(keras.applications.DenseNet121),
    'inception_v3': application(keras.applications.InceptionV3), 'xception': application(keras.applications.Xception),
    'convnext_tiny': application(keras.applications.ConvNeXtTiny), 'nasnet_mobile': application(keras.applications.NASNetMobile, input_shape=(224, 224, 3)),
    'vgg11': lambda: keras.Sequential([keras.Input((32, 32, 3))] + [step for n in (8, 16, 32) for step in (
        layers.Conv2D(n, 3, padding='same', activation='relu'), layers.Conv2D(n, 3, padding='same', activation='relu'), layers.MaxPooling2D())] + [
            layers.Flatten(), layers.Dense(32, 'relu'), layers.Dense(10)]),
    'unet_2d': lambda: unet(2), 'unet_3d': lambda: unet(3), 'conv_lstm': conv_lstm, 'bert': bert, 'transformer': transformer, 'tabular': tabular,
    'audio': audio, 'video': video, 'float16': half('float16'), 'bfloat16': half('bfloat16'), 'mixed_float16': half('mixed_float16'),
}


# ---- modules ----

def module(**signatures):
    """Saves functions as the signatures of a module: name=(function of the module, specs, variables)."""
    def make(path):
        m = tf.Module()
        made = {}
        for name, (body, specs, variables) in signatures.items():
            for key, value in variables.items():
                setattr(m, key, tf.Variable(value, name=key))
            made[name] = tf.function(functools.partial(body, m), input_signature=specs)
            setattr(m, name, made[name])
        tf.saved_model.save(m, path, signatures=made)
    return make


def spec(shape, dtype=tf.float32, name='x'):
    return tf.TensorSpec(shape, dtype, name=name)


def quantization_aware(m, x):
    """What quantization-aware training leaves in a graph."""
    w = tf.quantization.fake_quant_with_min_max_vars_per_channel(m.w, [-.5] * 4, [.5] * 4, narrow_range=True)
    x = tf.quantization.fake_quant_with_min_max_args(x, -1., 1.)
    y = tf.nn.relu6(tf.nn.conv2d(x, w, 1, 'SAME') + m.b)
    q = tf.raw_ops.QuantizeAndDequantizeV2(input=y, input_min=0., input_max=6., range_given=True)
    return {'y': tf.quantization.fake_quant_with_min_max_vars(q, 0., 6., num_bits=4)}


def beams(m, logits):
    """A search in a while loop, with lists that grow."""
    steps = tf.shape(logits)[1]
    chosen = tf.TensorArray(tf.int32, 0, dynamic_size=True, element_shape=[None])
    score = tf.zeros([tf.shape(logits)[0]])
    for t in tf.range(steps):
        best = tf.argmax(logits[:, t], 1, tf.int32)
        score += tf.reduce_max(tf.nn.log_softmax(logits[:, t]), 1)
        if tf.reduce_all(best == 0):
            break
        chosen = chosen.write(t, best)
    return {'path': tf.transpose(chosen.stack()), 'score': score}


def detection(m, boxes, scores):
    kept = tf.image.combined_non_max_suppression(boxes[:, :, None], scores[:, :, None], 5, 10, .5)
    alone = tf.image.non_max_suppression_padded(boxes[0], scores[0], 4, pad_to_max_output_size=True)
    return {'boxes': kept.nmsed_boxes, 'scores': kept.nmsed_scores, 'valid': kept.valid_detections, 'alone': alone[0]}


def speech(m, logits):
    decoded, score = tf.nn.ctc_greedy_decoder(tf.transpose(logits, [1, 0, 2]), tf.fill([tf.shape(logits)[0]], tf.shape(logits)[1]))
    return {'dense': tf.sparse.to_dense(decoded[0], -1), 'score': score}


def branches(m, x, which):
    y = tf.switch_case(which % 3, [lambda: x + 1., lambda: x * m.w, lambda: tf.map_fn(lambda v: v * 2., x)])
    return {'y': y, 'scan': tf.scan(lambda a, b: a * .5 + b, x), 'case': tf.case([(tf.reduce_sum(x) > 100., lambda: 1)], default=lambda: 2)}


def numbers(m, x):
    s, u, v = tf.linalg.svd(tf.transpose(x) @ x + tf.eye(tf.shape(x)[1]))
    return {'singular': s, 'inverse': tf.linalg.inv(tf.transpose(x) @ x + 3. * tf.eye(tf.shape(x)[1])), 'product': tf.einsum('ij,kj->ik', x, x),
            'sorted': tf.sort(x, 1), 'top': tf.math.top_k(x, 2).values, 'unique': tf.unique(tf.cast(x[:, 0] * 3., tf.int32))[0]}


def texts(m, lines):
    words = tf.strings.split(tf.strings.lower(lines))
    return {'clean': tf.strings.regex_replace(lines, '[aeiou]', '_'), 'sizes': tf.strings.length(lines, 'UTF8_CHAR'), 'words': words.to_tensor('-'),
            'joined': tf.strings.reduce_join(words, 1, separator='+'), 'codes': tf.strings.unicode_decode(lines, 'UTF-8').to_tensor(),
            'hashed': tf.strings.to_hash_bucket_fast(lines, 100), 'parts': tf.strings.substr(lines, 1, 3)}


MODULES = {
    'quantization_aware': module(serving_default=(quantization_aware, [spec([None, 8, 8, 3])], {
        'w': np.random.default_rng(1).uniform(-.4, .4, (3, 3, 3, 4)).astype('f'), 'b': np.ones(4, 'f')})),
    'beam_search': module(serving_default=(beams, [spec([None, None, 5], name='logits')], {})),
    'detection': module(serving_default=(detection, [spec([2, 20, 4], name='boxes'), spec([2, 20], name='scores')], {})),
    'ctc': module(serving_default=(speech, [spec([None, 12, 6], name='logits')], {})),
    'branches': module(serving_default=(branches, [spec([None, 4]), spec([], tf.int32, 'which')], {'w': 3.})),
    'linear_algebra': module(serving_default=(numbers, [spec([None, 4])], {})),
    'text_ops': module(serving_default=(texts, [spec([None], tf.string, 'lines')], {})),
    'two_signatures': module(double=(lambda m, x: {'y': x * m.two}, [spec([None])], {'two': 2.}),
                             count=(lambda m, x: {'n': tf.size(x)}, [spec([None], tf.int64)], {})),
}


def register(maker, exported):
    """Adds the makers of this file to those of make_models.py."""
    def add(name, make):
        make.__name__ = name
        maker(make)
    for name, build in NETS.items():
        add(name, lambda path, build=build: exported(build(), path))
    for name, make in MODULES.items():
        add(name, make)
