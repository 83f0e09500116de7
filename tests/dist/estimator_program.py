# A task of a cluster that trains an estimator: TF_CONFIG says which. The argument is the folder of the checkpoints.
import sys
import numpy as np
import tensorflow as tf


def model(features, labels, mode):
    w = tf.get_variable('w', [2, 1], initializer=tf.zeros_initializer())
    y = tf.matmul(features['x'], w)[:, 0]
    loss = tf.losses.mean_squared_error(labels, y)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=tf.train.get_global_step())
    if mode == tf.estimator.ModeKeys.TRAIN:
        print(w.device, loss.device)
    return tf.estimator.EstimatorSpec(mode, predictions={'y': y}, loss=loss, train_op=train)


x = np.random.RandomState(0).randn(64, 2).astype('f')
y = np.dot(x, np.array([1., -2.], 'f'))
train = tf.estimator.TrainSpec(lambda: tf.data.Dataset.from_tensor_slices(({'x': x}, y)).repeat().batch(16), max_steps=100)
evaluate = tf.estimator.EvalSpec(lambda: tf.data.Dataset.from_tensor_slices(({'x': x}, y)).batch(16), steps=None,
                                 start_delay_secs=0, throttle_secs=0)
config = tf.estimator.RunConfig(model_dir=sys.argv[1], save_checkpoints_steps=50, experimental_max_worker_delay_secs=0)
print(config.task_type, config.task_id, config.is_chief, config.num_ps_replicas, config.num_worker_replicas, config.global_id_in_cluster)
estimator = tf.estimator.Estimator(model, config=config)
result = tf.estimator.train_and_evaluate(estimator, train, evaluate)
if result is not None:
    print(result[0]['global_step'] >= 100, result[0]['loss'] < 1e-2)
if config.is_chief:
    print(estimator.get_variable_value('w').ravel().round(1))
