# tf.estimator: a model_fn, canned models, feature columns, inputs, hooks and exports.
import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
random = np.random.RandomState(0)
X = random.rand(200, 3).astype('float32')
Y = (X.sum(1) > 1.5).astype('int32')
WORDS = np.array(['a', 'b', 'c', 'other'])[random.randint(0, 4, 200)]


def rounded(results):
    return {k: round(float(v), 3) for k, v in results.items()}


def model_fn(features, labels, mode, params):
    h = tf.layers.dense(features['x'], params['units'], tf.nn.relu, kernel_initializer=tf.constant_initializer(0.1))
    logits = tf.layers.dense(h, 2, kernel_initializer=tf.constant_initializer(np.linspace(-1, 1, 2 * params['units'])))
    predictions = {'classes': tf.argmax(logits, 1), 'probabilities': tf.nn.softmax(logits)}
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=predictions, export_outputs={
            'serving_default': tf.estimator.export.PredictOutput(predictions)})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
            'accuracy': tf.metrics.accuracy(labels, predictions['classes'])})
    step = tf.train.AdamOptimizer(0.01).minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)


class Counter(tf.train.SessionRunHook):
    def begin(self):
        self.runs = 0

    def after_run(self, run_context, run_values):
        self.runs += 1


def train_input():
    return tf.data.Dataset.from_tensor_slices(({'x': X}, Y)).repeat().batch(20)


def eval_input():
    return tf.data.Dataset.from_tensor_slices(({'x': X}, Y)).batch(50)


config = tf.estimator.RunConfig(save_checkpoints_steps=50, tf_random_seed=1)
estimator = tf.estimator.Estimator(model_fn, os.path.join(folder, 'own'), config, params={'units': 4})
estimator.train(train_input, steps=60)
print(rounded(estimator.evaluate(eval_input)))
estimator.train(train_input, max_steps=80)
print(rounded(estimator.evaluate(eval_input, steps=2, name='two')))
print([(int(p['classes']), np.round(p['probabilities'], 2)) for p in estimator.predict(eval_input)][:3])
print(estimator.get_variable_names(), np.round(estimator.get_variable_value('dense_1/bias'), 3))
estimator.train(tf.estimator.inputs.numpy_input_fn({'x': X}, Y, batch_size=10, num_epochs=1, shuffle=False))
print(rounded(estimator.evaluate(tf.estimator.inputs.numpy_input_fn({'x': X}, Y, shuffle=False))))
made = estimator.export_saved_model(os.path.join(folder, 'export'), tf.estimator.export.build_raw_serving_input_receiver_fn(
    {'x': tf.placeholder(tf.float32, [None, 3], name='rows')}))
with tf.Session(graph=tf.Graph()) as sess:
    signature = tf.saved_model.loader.load(sess, ['serve'], made.decode()).signature_def['serving_default']
    print(sorted(signature.inputs), sorted(signature.outputs))

counter = Counter()
other = tf.estimator.Estimator(model_fn, os.path.join(folder, 'both'), params={'units': 4})
results, _ = tf.estimator.train_and_evaluate(
    other, tf.estimator.TrainSpec(train_input, max_steps=30, hooks=[counter]), tf.estimator.EvalSpec(eval_input, steps=None))
print(rounded(results), counter.runs)

column = tf.feature_column
numbers = column.numeric_column('x', shape=(3,))
words = column.categorical_column_with_vocabulary_list('word', ['a', 'b', 'c'])
buckets = column.bucketized_column(column.numeric_column('age'), [0.2, 0.5, 0.8])
crossed = column.crossed_column(['word', buckets], 20)
number = column.categorical_column_with_identity('number', 5)
data = {'x': X, 'word': WORDS, 'age': X[:, 0], 'number': random.randint(0, 5, 200)}


def inputs(labels, epochs=None):
    return tf.estimator.inputs.numpy_input_fn(data, labels, batch_size=20, num_epochs=epochs, shuffle=False)


linear = tf.estimator.LinearClassifier([numbers, words, buckets, crossed, number], os.path.join(folder, 'linear'))
linear.train(inputs(Y), steps=50)
print(rounded(linear.evaluate(inputs(Y, 1))))
first = next(linear.predict(inputs(Y, 1)))
print(sorted(first), first['classes'], np.round(first['probabilities'], 3))
slope = tf.estimator.LinearRegressor([numbers], os.path.join(folder, 'slope'), optimizer=tf.train.GradientDescentOptimizer(0.001))
slope.train(inputs(X.sum(1)), steps=100)
print(rounded(slope.evaluate(inputs(X.sum(1), 1))))
deep = tf.estimator.DNNClassifier([8, 4], [numbers, column.indicator_column(words), column.embedding_column(number, 2)],
                                  os.path.join(folder, 'deep'), n_classes=3)
deep.train(inputs(Y), steps=20)
print(sorted(deep.evaluate(inputs(Y, 1))))

with tf.Graph().as_default(), tf.Session() as sess:
    features = {k: tf.constant(v[:3]) for k, v in data.items()}
    hashed = column.categorical_column_with_hash_bucket('word', 4)
    layer = column.input_layer(features, [numbers, column.indicator_column(hashed), buckets, column.indicator_column(crossed)])
    sess.run(tf.tables_initializer())
    print(np.round(sess.run(layer), 2))
    print(sorted(column.make_parse_example_spec([numbers, words, crossed])))
