# tf.estimator: linear and deep models side by side, and the models that are served.
import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
random = np.random.RandomState(0)
X = random.rand(40, 2).astype('float32')
WORDS = np.array(['a', 'b', 'c'])[random.randint(0, 3, 40)]
column = tf.feature_column
with open(os.path.join(folder, 'words.txt'), 'w') as f:
    f.write('a\nb\n')
numbers = column.numeric_column('x', shape=(2,))
words = column.categorical_column_with_vocabulary_file('word', os.path.join(folder, 'words.txt'), 2, num_oov_buckets=1)
ZEROS = tf.zeros_initializer()


def inputs(labels, epochs=None):
    return tf.estimator.inputs.numpy_input_fn({'x': X, 'word': WORDS}, labels, batch_size=8, num_epochs=epochs, shuffle=False)


both = tf.estimator.DNNLinearCombinedClassifier(
    os.path.join(folder, 'both'), linear_feature_columns=[words], dnn_feature_columns=[numbers, column.indicator_column(words)],
    dnn_hidden_units=[4], n_classes=3, label_vocabulary=['a', 'b', 'c'])
both.train(inputs(WORDS), steps=10)
print(sorted(both.evaluate(inputs(WORDS, 1))), next(both.predict(inputs(WORDS, 1), predict_keys='class_ids'))['class_ids'].shape)
wide = tf.estimator.DNNLinearCombinedRegressor(os.path.join(folder, 'wide'), linear_feature_columns=[numbers, words])
wide.train(inputs(X.sum(1)), steps=10)
print({k: round(float(v), 3) for k, v in wide.evaluate(inputs(X.sum(1), 1)).items()})
deep = tf.estimator.DNNRegressor([3], [numbers], os.path.join(folder, 'deep'), label_dimension=2)
deep.train(inputs(X), max_steps=5)
print(sorted(deep.evaluate(inputs(X, 1))), next(deep.predict(inputs(X, 1)))['predictions'].shape)

export = tf.estimator.export
spec = column.make_parse_example_spec([numbers, words])
receiver = export.build_parsing_serving_input_receiver_fn(spec)
results, exported = tf.estimator.train_and_evaluate(
    wide, tf.estimator.TrainSpec(inputs(X.sum(1)), max_steps=20), tf.estimator.EvalSpec(inputs(X.sum(1), 1), exporters=[
        tf.estimator.FinalExporter('final', receiver), tf.estimator.LatestExporter('latest', receiver),
        tf.estimator.BestExporter('best', receiver)]))
print(int(results['global_step']), [os.path.isdir(os.path.join(folder, 'wide', 'export', n)) for n in ('final', 'latest', 'best')])
with tf.Session(graph=tf.Graph()) as sess:
    made = os.path.join(folder, 'wide', 'export', 'final')
    model = tf.saved_model.loader.load(sess, ['serve'], os.path.join(made, sorted(os.listdir(made))[0]))
    print(sorted(model.signature_def))

with tf.Graph().as_default(), tf.Session() as sess:
    features = {'x': tf.constant(X[:2]), 'word': tf.constant(WORDS[:2])}
    sums = column.linear_model(features, [numbers, words], units=2)
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    print(sess.run(sums))
    value = tf.constant([1., 2.])
    print(export.ClassificationOutput(scores=value).scores is value, export.RegressionOutput(value).value is value)
    print(export.ServingInputReceiver({'v': value}, {'v': value}).features['v'] is value,
          export.TensorServingInputReceiver(value, value).features is value)
