# An estimator that was never trained: predictions and metrics come from the initial values of its variables.
import tempfile

import tensorflow as tf


def model_fn(features, labels, mode):
    scale = tf.get_variable('scale', [], initializer=tf.constant_initializer(3.0))
    outputs = tf.multiply(features, scale, name='outputs')
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=outputs)
    loss = tf.losses.mean_squared_error(labels, outputs)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.no_op())


def numbers():
    return tf.data.Dataset.from_generator(lambda: ([n, 2 * n] for n in range(3)), tf.float32, (2,)).batch(2)


folder = tempfile.mkdtemp()
estimator = tf.estimator.Estimator(model_fn, model_dir=folder)
for row in estimator.predict(numbers):
    print(row)
print(estimator.evaluate(lambda: numbers().map(lambda row: (row, row))))
print(estimator.latest_checkpoint())
try:
    estimator.get_variable_names()
except ValueError as e:
    print('ValueError', folder in str(e))
