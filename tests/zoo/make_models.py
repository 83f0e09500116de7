#!/usr/bin/env python3
"""Makes small models of many kinds with the installed TensorFlow and Keras.

    make_models.py DIR [NAME …]

Each is a folder DIR/NAME (a SavedModel) or a file DIR/NAME.*. A model that this version of TensorFlow cannot make is
reported and left out.
"""
import os
import sys
import traceback

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '-1')
import numpy as np
import tensorflow as tf

keras = tf.keras
tf1 = tf.compat.v1
MAKERS = {}


def maker(f):
    MAKERS[f.__name__] = f
    return f


def exported(model, path):
    model.export(path, verbose=False)


@maker
def mlp(path):
    exported(keras.Sequential([keras.Input((8,)), keras.layers.Dense(16, 'relu'), keras.layers.Dense(4, 'softmax')]), path)


@maker
def keras_saved(path):
    """Saved by TensorFlow after training, with two layers of the same name: the signature uses variables of the program."""
    def part(name):
        x = keras.Input([8])
        return keras.Model(x, keras.layers.Dense(8, 'tanh', bias_initializer='ones', name='same')(x), name=name)
    x = keras.Input([8])
    model = keras.Model(x, part('second')(keras.layers.BatchNormalization()(part('first')(x))))
    model.compile('adam', 'mse')
    model.fit(np.linspace(-1, 1, 32).reshape(4, 8), np.ones([4, 8]), epochs=2, verbose=0)
    tf.saved_model.save(model, path)


@maker
def convolutions(path):
    layers = keras.layers
    exported(keras.Sequential([keras.Input((28, 28, 1)), layers.Conv2D(8, 3, activation='relu'), layers.BatchNormalization(),
                               layers.DepthwiseConv2D(3, padding='same'), layers.MaxPooling2D(), layers.Flatten(),
                               layers.Dense(10)]), path)


@maker
def lstm(path):
    layers = keras.layers
    exported(keras.Sequential([keras.Input((None,), dtype='int32'), layers.Embedding(50, 8), layers.Bidirectional(layers.LSTM(8)),
                               layers.Dense(3)]), path)


@maker
def gru(path):
    layers = keras.layers
    exported(keras.Sequential([keras.Input((6, 4)), layers.GRU(5, return_sequences=True), layers.GRU(3)]), path)


@maker
def attention(path):
    layers = keras.layers
    x = keras.Input((12, 16))
    y = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 8)(x, x))
    exported(keras.Model(x, layers.Dense(2)(layers.GlobalAveragePooling1D()(y))), path)


@maker
def mobilenet(path):
    exported(keras.applications.MobileNetV2(weights=None, input_shape=(96, 96, 3), classes=10, alpha=0.35), path)


@maker
def text_vectorization(path):
    layer = keras.layers.TextVectorization(max_tokens=20, output_sequence_length=6)
    layer.adapt(['the cat sat', 'on the mat', 'a dog ran'])
    exported(keras.Sequential([keras.Input((), dtype='string'), layer, keras.layers.Embedding(20, 4), keras.layers.GlobalMaxPooling1D()]),
             path)


@maker
def vocabulary(path):
    """Tables whose files are assets, and ragged tensors."""
    folder = path + '.vocabulary'
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'words.txt'), 'w') as f:
        f.write('the\ncat\nsat\n')

    class Module(tf.Module):
        def __init__(self):
            self.table = tf.lookup.StaticVocabularyTable(
                tf.lookup.TextFileInitializer(os.path.join(folder, 'words.txt'), tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
                                              tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), 2)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name='lines')])
        def words(self, lines):
            split = tf.strings.split(lines)
            return {'ids': self.table.lookup(split.to_tensor('')), 'lengths': split.row_lengths(),
                    'pairs': tf.strings.ngrams(split, 2).to_tensor('')}

    module = Module()
    tf.saved_model.save(module, path, signatures=module.words)


@maker
def signatures(path):
    class Module(tf.Module):
        def __init__(self):
            self.w = tf.Variable([[1., 2.], [3., 4.]], name='w')

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name='x')])
        def product(self, x):
            return {'y': x @ self.w, 'sum': tf.reduce_sum(x, 1)}

        @tf.function(input_signature=[tf.TensorSpec([None], tf.int32, name='a'), tf.TensorSpec([], tf.int32, name='b')])
        def add(self, a, b):
            return {'c': a + b}

    module = Module()
    tf.saved_model.save(module, path, signatures={'serving_default': module.product, 'add': module.add})


@maker
def control_flow(path):
    class Module(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.int32, name='n')])
        def count(self, n):
            total = tf.constant(0)
            for i in tf.range(n):
                if i % 2 == 0:
                    total += i
            return {'total': total}

    module = Module()
    tf.saved_model.save(module, path, signatures=module.count)


@maker
def mel(path):
    class Module(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, name='audio')])
        def spectrum(self, audio):
            stft = tf.abs(tf.signal.stft(audio, 64, 32, 64))
            weights = tf.signal.linear_to_mel_weight_matrix(8, 33, 8000, 80., 4000.)
            return {'mel': tf.math.log(stft @ weights + 1e-3)}

    module = Module()
    tf.saved_model.save(module, path, signatures=module.spectrum)


@maker
def examples(path):
    """Parses tf.Examples, as TensorFlow Serving's models do."""
    class Module(tf.Module):
        def __init__(self):
            self.w = tf.Variable([[1.], [2.], [3.]])

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name='examples')])
        def classify(self, examples):
            parsed = tf.io.parse_example(examples, {'x': tf.io.FixedLenFeature([3], tf.float32, [1., 1., 1.]),
                                                    'tags': tf.io.VarLenFeature(tf.string),
                                                    'ids': tf.io.RaggedFeature(tf.int64)})
            return {'score': parsed['x'] @ self.w, 'tags': tf.sparse.to_dense(parsed['tags'], ''),
                    'ids': parsed['ids'].to_tensor(-1)}

    module = Module()
    tf.saved_model.save(module, path, signatures=module.classify)


@maker
def image_ops(path):
    class Module(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, 8, 8, 3], tf.float32, name='images')])
        def turn(self, images):
            shape = tf.shape(images)
            transforms = tf.tile([[0.9, 0.1, 0., -0.1, 0.9, 1., 0., 0.]], [shape[0], 1])
            turned = tf.raw_ops.ImageProjectiveTransformV3(images=images, transforms=transforms, output_shape=shape[1:3],
                                                           fill_value=0.5, interpolation='BILINEAR', fill_mode='REFLECT')
            return {'turned': turned, 'small': tf.image.resize(turned, [4, 4])}

    module = Module()
    tf.saved_model.save(module, path, signatures=module.turn)


def tf1_graph(build):
    """Runs a maker of TensorFlow 1 in a graph of its own."""
    def make(path):
        with tf.Graph().as_default(), tf1.Session() as session:
            tf1.disable_resource_variables()
            build(path, session)
    make.__name__ = build.__name__
    return maker(make)


@tf1_graph
def tf1_simple_save(path, session):
    x = tf1.placeholder(tf.float32, [None, 3], 'x')
    w = tf1.get_variable('w', [3, 2], initializer=tf1.random_normal_initializer(seed=1))
    y = tf.nn.softmax(x @ w, name='y')
    session.run(tf1.global_variables_initializer())
    tf1.saved_model.simple_save(session, path, {'x': x}, {'y': y})


@tf1_graph
def tf1_loops(path, session):
    x = tf1.placeholder(tf.float32, [], 'x')
    tf1.disable_control_flow_v2()
    y = tf1.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2.), [0, x])[1]
    z = tf1.cond(x > 1., lambda: y + 1., lambda: y - 1.)
    v = tf1.get_variable('v', initializer=2.)
    session.run(tf1.global_variables_initializer())
    tf1.saved_model.simple_save(session, path, {'x': x}, {'z': z * v})


@tf1_graph
def tf1_tags(path, session):
    x = tf1.placeholder(tf.float32, [None], 'x')
    v = tf1.get_variable('v', initializer=3.)
    session.run(tf1.global_variables_initializer())
    signature = tf1.saved_model.predict_signature_def({'x': x}, {'y': x * v})
    builder = tf1.saved_model.Builder(path)
    builder.add_meta_graph_and_variables(session, ['train'])
    builder.add_meta_graph(['serve'], {'serving_default': signature})
    builder.save()


@tf1_graph
def tf1_text(path, session):
    x = tf1.placeholder(tf.float32, [None], 'x')
    v = tf1.get_variable('v', initializer=3.)
    session.run(tf1.global_variables_initializer())
    builder = tf1.saved_model.Builder(path)
    builder.add_meta_graph_and_variables(session, ['serve'], {
        'serving_default': tf1.saved_model.predict_signature_def({'x': x}, {'y': x * v})})
    builder.save(as_text=True)


@tf1_graph
def tf1_partitioned(path, session):
    """A meta graph with a checkpoint whose variable is stored in slices."""
    os.makedirs(path, exist_ok=True)
    x = tf1.placeholder(tf.float32, [None, 12], 'x')
    p = tf1.get_variable('p', [12, 3], initializer=tf1.random_normal_initializer(seed=2),
                         partitioner=tf1.fixed_size_partitioner(3))
    tf.identity(x @ tf.convert_to_tensor(p), 'y')
    session.run(tf1.global_variables_initializer())
    tf1.train.Saver().save(session, os.path.join(path, 'model.ckpt'))


@tf1_graph
def tf1_frozen(path, session):
    os.makedirs(path, exist_ok=True)
    x = tf1.placeholder(tf.float32, [None, 5], 'x')
    w = tf1.get_variable('w', [5, 4], initializer=tf1.random_normal_initializer(seed=3))
    tf.nn.relu(x @ w, name='y')
    session.run(tf1.global_variables_initializer())
    frozen = tf1.graph_util.convert_variables_to_constants(session, session.graph_def, ['y'])
    tf.io.write_graph(frozen, path, 'frozen.pb', as_text=False)
    tf.io.write_graph(frozen, path, 'frozen.pbtxt', as_text=True)


import make_nets  # noqa: E402

make_nets.register(maker, exported)


def main():
    folder, names = sys.argv[1], sys.argv[2:] or sorted(MAKERS)
    os.makedirs(folder, exist_ok=True)
    for name in names:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            continue
        np.random.seed(1)
        tf.random.set_seed(1)
        try:
            MAKERS[name](path)
            print('made', name, flush=True)
        except Exception:
            traceback.print_exc(limit=2)
            print('cannot make', name, flush=True)


if __name__ == '__main__':
    main()
