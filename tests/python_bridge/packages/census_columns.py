# needs pandas sklearn
"""Wide and deep columns of a census, by hand and by scikit-learn's ColumnTransformer."""
import functools
import io
import os
import tempfile

import numpy as np
import pandas as pd
import tensorflow.compat.v1 as tf
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, LabelEncoder, OneHotEncoder, StandardScaler

tf.disable_v2_behavior()

_COLUMNS = ['age', 'workclass', 'education', 'hours', 'income']
_DEFAULTS = [[0], [''], [''], [0], ['']]
LINES = ['39,State-gov,Bachelors,40,<=50K', '50,Self-emp,Bachelors,13,<=50K', '38,Private,HS-grad,40,<=50K',
         '31,Private,Masters,50,>50K', '42,Private,Bachelors,45,>50K', '37,,Masters,60,>50K', '23,Private,HS-grad,30,<=50K']
path = os.path.join(tempfile.mkdtemp(), 'adult.csv')
with open(path, 'w') as f:
    f.write('\n'.join(LINES) + '\n')


def input_fn(data_file, batch_size):
    def parse_csv(value):
        columns = tf.decode_csv(value, record_defaults=_DEFAULTS)
        features = dict(zip(_COLUMNS, columns))
        labels = features.pop('income')
        return features, tf.equal(labels, '>50K')
    dataset = tf.data.TextLineDataset(data_file).map(parse_csv, num_parallel_calls=2)
    return tf.data.make_one_shot_iterator(dataset.batch(batch_size)).get_next()


features, labels = input_fn(path, 7)
frame = pd.read_csv(path, names=_COLUMNS)
print(frame.shape, frame.workclass.isnull().sum(), frame.income.value_counts().to_dict())
buckets = tf.searchsorted(tf.constant([30, 40]), features['age'], side='right')
hashed = tf.strings.to_hash_bucket_fast(features['education'], 5)
vocabulary = sorted(frame.education.unique())
matches = tf.cast(tf.equal(features['education'][:, None], tf.constant(vocabulary)), tf.float32)
crossed = tf.strings.to_hash_bucket_fast(tf.strings.join([features['education'], tf.as_string(buckets)], '_X_'), 10)
hours = tf.cast(features['hours'], tf.float32)
deep = tf.concat([matches, tf.one_hot(buckets, 3), (hours[:, None] - 40.) / 10.], 1)
wide = tf.reshape(tf.gather(tf.get_variable('wide', [10], initializer=tf.zeros_initializer()), crossed), [-1, 1])
w = tf.get_variable('deep', [deep.shape[1], 1], initializer=tf.zeros_initializer())
logits = tf.squeeze(tf.matmul(deep, w) + wide, [1])
with tf.Session() as sess:
    b, h, m, l, d = sess.run([buckets, hashed, matches, labels, deep])
    print(b, l, m.argmax(1), (h < 5).all(), d.shape)
theirs = make_pipeline(ColumnTransformer([
    ('age', KBinsDiscretizer(3, encode='ordinal', strategy='uniform'), ['age']),
    ('numbers', StandardScaler(), ['hours']),
    ('words', make_pipeline(SimpleImputer(strategy='constant', fill_value='?'), OneHotEncoder(handle_unknown='ignore')), ['workclass', 'education']),
], remainder='drop'))
x = theirs.fit_transform(frame.drop('income', axis=1))
x = x.toarray() if hasattr(x, 'toarray') else x
y = LabelEncoder().fit(frame.income).transform(frame['income'])
print(x.shape, x[0].round(2), y, np.array_equal(y.astype(bool), l))
print(theirs[0].get_feature_names_out()[-3:].tolist(), [name for name, _, _ in theirs[0].transformers])


def learn(X, steps, rate):
    tf.reset_default_graph()
    data = tf.placeholder(tf.float64, X.shape)
    v = tf.Variable(tf.zeros([X.shape[1], 1], tf.float64))
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y[:, None].astype(float), logits=tf.matmul(data, v)))
    train = tf.train.GradientDescentOptimizer(rate).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return [round(float(sess.run([loss, train], {data: X})[0]), 3) for _ in range(steps)]


print(functools.partial(learn, rate=0.5)(x, 4), learn(d.astype(float), 3, 0.2))
