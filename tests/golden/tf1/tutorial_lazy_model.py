# A model as a class whose parts are built when they are first used: decorators around properties.
import functools
import numpy as np
import tensorflow as tf

def doublewrap(function):
    @functools.wraps(function)
    def decorator(*args, **kwargs):
        if len(args) == 1 and len(kwargs) == 0 and callable(args[0]):
            return function(args[0])
        return lambda wrapee: function(wrapee, *args, **kwargs)
    return decorator

@doublewrap
def define_scope(function, scope=None, *args, **kwargs):
    attribute = '_cache_' + function.__name__
    name = scope or function.__name__
    @property
    @functools.wraps(function)
    def decorator(self):
        if not hasattr(self, attribute):
            with tf.variable_scope(name, *args, **kwargs):
                setattr(self, attribute, function(self))
        return getattr(self, attribute)
    return decorator

class Model:
    def __init__(self, image, label):
        self.image = image
        self.label = label
        self.prediction
        self.optimize
        self.error

    @define_scope(initializer=tf.constant_initializer(0.1))
    def prediction(self):
        x = tf.layers.dense(self.image, 5, tf.nn.relu)
        return tf.nn.softmax(tf.layers.dense(x, int(self.label.get_shape()[1])))

    @define_scope
    def optimize(self):
        logprob = tf.log(self.prediction + 1e-12)
        cross_entropy = -tf.reduce_sum(self.label * logprob)
        return tf.train.GradientDescentOptimizer(0.03).minimize(cross_entropy)

    @define_scope
    def error(self):
        mistakes = tf.not_equal(tf.argmax(self.label, 1), tf.argmax(self.prediction, 1))
        return tf.reduce_mean(tf.cast(mistakes, tf.float32))

image = tf.placeholder(tf.float32, [None, 4])
label = tf.placeholder(tf.float32, [None, 2])
model = Model(image, label)
print(model.prediction.name, model.optimize.name, model.error.name, model.error is model.error)
print([v.name for v in tf.trainable_variables()])
data = np.eye(4, dtype=np.float32)
target = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], np.float32)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(model.error, {image: data, label: target}))
    for _ in range(3):
        sess.run(model.optimize, {image: data, label: target})
    print(sess.run(model.prediction, {image: data}).shape)
