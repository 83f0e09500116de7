# tf.keras: functional models and models as classes, fit with each optimizer and loss, callbacks, files.
import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras.layers import Dense, Dropout, Input, add, concatenate
from tensorflow.keras.models import Model, Sequential, load_model

K = keras.backend
random = np.random.RandomState(0)
x = random.rand(32, 4).astype('float32')
labels = random.randint(0, 3, 32)
y = keras.utils.to_categorical(labels, 3)
WEIGHTS = [random.randn(4, 3), random.randn(3)]
folder = tempfile.mkdtemp()


def rounded(history):
    return {k: np.round(np.array(v, float), 3).tolist() for k, v in sorted(history.items())}


def model(activation='softmax'):
    K.clear_session()
    m = Sequential([Dense(3, activation=activation, input_shape=(4,))])
    m.set_weights(WEIGHTS)
    return m


O = keras.optimizers
for make in [lambda: O.SGD(0.1), lambda: O.SGD(lr=0.1, momentum=0.9, nesterov=True, decay=0.1), lambda: O.RMSprop(0.01),
             lambda: O.RMSprop(0.01, centered=True, momentum=0.5), lambda: O.Adam(0.01), lambda: O.Adam(0.01, amsgrad=True),
             lambda: O.Adamax(0.01), lambda: O.Nadam(0.01), lambda: O.Adagrad(0.1), lambda: O.Adadelta(1.0),
             lambda: O.Ftrl(0.1), lambda: O.SGD(0.1, clipnorm=0.1), lambda: O.SGD(O.schedules.ExponentialDecay(0.1, 2, 0.5))]:
    m = model('tanh')
    m.compile(make(), 'mse')
    losses = [float(m.train_on_batch(x, y)) for _ in range(5)]
    print(type(m.optimizer).__name__, np.round(losses, 4), [w.name for w in m.optimizer.weights][:3])

for loss in ['mse', 'mae', 'hinge', 'logcosh', 'poisson', 'categorical_crossentropy']:
    m = model()
    m.compile('sgd', loss, metrics=['acc'])
    print(loss, rounded(m.fit(x, y, epochs=2, verbose=0, batch_size=10, shuffle=False).history))

m = model()
m.compile(O.SGD(1.), 'sparse_categorical_crossentropy', metrics=['accuracy'])
h = m.fit(x, labels, epochs=9, verbose=0, shuffle=False, validation_split=0.25, sample_weight=np.arange(32) / 16., callbacks=[
    keras.callbacks.EarlyStopping(min_delta=0.01, patience=2),
    keras.callbacks.ModelCheckpoint(os.path.join(folder, 'best.h5'), save_best_only=True),
    keras.callbacks.ReduceLROnPlateau(patience=1, factor=0.5, min_delta=0.02),
    keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: print('epoch', epoch, sorted(logs)))])
print(h.epoch, rounded(h.history))
print(np.round(load_model(os.path.join(folder, 'best.h5')).evaluate(x, labels, verbose=0), 3))

K.clear_session()
a, b = Input((4,), name='a'), Input(shape=(2,), name='b')
shared = Dense(5, activation='relu', name='shared')
h = concatenate([shared(a), Dense(5)(b)])
h = add([Dense(5, name='res')(h), shared(a)])
m = Model([a, b], [Dense(1, name='one')(h), Dense(3, activation='softmax', name='two')(h)])
m.set_weights([random.randn(*w.shape) * 0.3 for w in m.get_weights()])
m.compile(O.Adam(0.01), loss={'one': 'mse', 'two': 'categorical_crossentropy'}, loss_weights=[1., 0.5],
          metrics={'two': 'accuracy'})
print(m.metrics_names, [layer.name for layer in m.layers], m.input_names, m.output_names)
data = [x, x[:, :2]], [x[:, :1], y]
print(rounded(m.fit(*data, epochs=2, verbose=0, shuffle=False, validation_data=data).history))
m.save(os.path.join(folder, 'm.h5'))
again = load_model(os.path.join(folder, 'm.h5'))
print(all(np.array_equal(p, q) for p, q in zip(m.predict(data[0]), again.predict(data[0]))))
print(np.allclose(m.train_on_batch(*data), again.train_on_batch(*data)))
print([w.name for w in again.weights], again.to_json() == Model.from_config(again.get_config()).to_json())


class Scale(keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super(Scale, self).__init__(**kwargs)
        self.units = units

    def build(self, input_shape):
        self.scale = self.add_weight('scale', shape=(int(input_shape[-1]), self.units), initializer='ones')
        super(Scale, self).build(input_shape)

    def call(self, inputs):
        return tf.matmul(inputs, self.scale)

    def get_config(self):
        return dict(super(Scale, self).get_config(), units=self.units)


class Net(keras.Model):
    def __init__(self):
        super(Net, self).__init__(name='net')
        self.first = Dense(4, activation='tanh', kernel_initializer='ones')
        self.scale = Scale(2)
        self.drop = Dropout(0.)
        self.rest = [Dense(2, kernel_initializer='ones'), keras.layers.BatchNormalization()]

    def call(self, inputs, training=None):
        h = self.drop(self.scale(self.first(inputs)), training=training)
        for layer in self.rest:
            h = layer(h)
        return h


K.clear_session()
net = Net()
net.compile('rmsprop', 'mae')
print(rounded(net.fit(x, x[:, :2], epochs=2, verbose=0, shuffle=False).history), [w.name for w in net.weights])
s = Sequential([Scale(3, input_shape=(4,)), Dense(1, kernel_initializer='ones')])
s.compile('adagrad', 'mse')
s.save(os.path.join(folder, 'own.h5'))
print(np.allclose(s.predict(x), load_model(os.path.join(folder, 'own.h5'), custom_objects={'Scale': Scale}).predict(x)))
data = tf.data.Dataset.from_tensor_slices((x, x[:, :1])).batch(8)
print(rounded(s.fit(data, epochs=2, verbose=0).history), np.round(s.evaluate(data, verbose=0), 3))


def batches():
    while True:
        yield x[:8], x[:8, :1]


print(rounded(s.fit_generator(batches(), steps_per_epoch=3, epochs=2, verbose=0).history))
i = Input((4,))
t = Model(i, Dense(1, kernel_initializer='ones')(tf.nn.relu(Dense(3, kernel_initializer='ones')(i)) * 2. + 1.))
print(np.round(t.predict(x[:2]).ravel(), 3), np.round(K.function([i, K.learning_phase()], [t.layers[1].output])([x[:1], 0]), 3))

# Arrays with a number of steps: each step receives all of them.
s = tf.keras.Sequential([tf.keras.layers.Dense(1, use_bias=False, kernel_initializer='zeros')])
s.compile(loss='mse', optimizer=tf.keras.optimizers.SGD(0.01))
whole = np.arange(20., dtype=np.float32).reshape(10, 2) / 10
h = s.fit(whole, whole[:, :1], steps_per_epoch=3, epochs=2, verbose=0)
print(rounded(h.history), h.params['steps'], h.params['batch_size'])
print(s.predict(whole, steps=2).shape)
