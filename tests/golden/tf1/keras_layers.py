# tf.keras: a model of each common layer, with given weights: outputs, losses of three steps, and names.
import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras import layers as L
from tensorflow.keras import models

MODELS = [
    ('dense', [lambda: L.Dense(4, 'tanh')], (5,)),
    ('dense of 3 dimensions', [lambda: L.Dense(4)], (3, 5)),
    ('penalty', [lambda: L.Dense(4, kernel_regularizer='l2', activity_regularizer=tf.keras.regularizers.l1(0.1))], (5,)),
    ('constraint', [lambda: L.Dense(4, kernel_constraint=tf.keras.constraints.MaxNorm(0.1))], (5,)),
    ('conv1d', [lambda: L.Conv1D(3, 2, padding='causal', dilation_rate=2)], (6, 2)),
    ('conv2d', [lambda: L.Conv2D(3, 2, strides=2, padding='same', activation='relu')], (6, 6, 2)),
    ('transpose', [lambda: L.Conv2DTranspose(3, 3, strides=2, padding='same')], (4, 4, 2)),
    ('separable', [lambda: L.SeparableConv2D(3, 2), lambda: L.DepthwiseConv2D(2, depth_multiplier=2)], (5, 5, 2)),
    ('pools', [lambda: L.ZeroPadding2D(1), lambda: L.MaxPooling2D(), lambda: L.UpSampling2D(2), lambda: L.AveragePooling2D(),
               lambda: L.GlobalAveragePooling2D()], (4, 4, 2)),
    ('normalization', [lambda: L.BatchNormalization(), lambda: L.LayerNormalization()], (5,)),
    ('images', [lambda: L.BatchNormalization(), lambda: L.PReLU(), lambda: L.Cropping2D(1)], (4, 4, 2)),
    ('lstm', [lambda: L.LSTM(3, return_sequences=True), lambda: L.SimpleRNN(2)], (4, 2)),
    ('gru', [lambda: L.GRU(3, unroll=True, return_sequences=True), lambda: L.GRU(2, reset_after=True, go_backwards=True)],
     (4, 2)),
    ('both directions', [lambda: L.Bidirectional(L.LSTM(3, return_sequences=True)), lambda: L.TimeDistributed(L.Dense(2))],
     (4, 2)),
    ('masks', [lambda: L.Masking(), lambda: L.GRU(3, return_sequences=True), lambda: L.LSTM(2)], (4, 2)),
    ('shapes', [lambda: L.Reshape((2, -1)), lambda: L.Permute((2, 1)), lambda: L.Lambda(lambda x: x ** 2), lambda: L.ELU(),
                lambda: L.LeakyReLU(), lambda: L.Dropout(0.)], (6,)),
]


def fill(model):
    random = np.random.RandomState(3)
    model.set_weights([abs(random.randn(*v.shape)) * .3 if 'variance' in v.name else random.randn(*v.shape) * .3
                       for v in model.weights])


for name, layers, shape in MODELS:
    K.clear_session()
    random = np.random.RandomState(5)
    x, y = random.randn(12, *shape).astype('float32'), random.randn(12, 2)
    if name == 'masks':
        x[:6, 2:] = 0
    model = models.Sequential([L.InputLayer(shape)] + [make() for make in layers])
    if len(model.output_shape) > 2:
        model.add(L.Flatten())
    model.add(L.Dense(2))
    fill(model)
    model.compile('sgd', 'mse')
    print(name, model.layers[0].output_shape, model.output_shape, model.count_params())
    print('  out ', np.round(model.predict(x)[0], 3))
    print('  loss', np.round([model.train_on_batch(x, y) for _ in range(3)], 3))
    print('  then', np.round(model.predict(x)[0], 3))

# The shape of a tensor as input_shape, though it has the batch too; it matters only in Sequential.
images = tf.placeholder(tf.float32, [None, 8, 8, 1])
conv = tf.keras.layers.Conv2D(4, 3, padding='same', input_shape=images.shape)
print(conv(images).shape)
