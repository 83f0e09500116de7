# needs pandas
"""Survival on a ship, from a table with holes."""
from __future__ import absolute_import, division, print_function

import argparse
import io
import sys

import numpy as np
import pandas as pd
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

CSV = u"""id,class,name,sex,age,fare,port
1,3,"Owen, Mr. Harris",male,22,7.25,S
2,1,"Florence, Mrs. Ann",female,38,71.3,C
3,3,"Laina, Miss. Aino",female,26,7.9,S
4,1,"Futrelle, Mrs. Lily",female,35,53.1,S
5,3,"Allen, Mr. William",male,,8.05,
6,2,"Nasser, Mrs. Nic",female,14,30.07,C
7,3,"Palsson, Master. G",male,2,21.1,S
8,2,"Hewlett, Mrs. Mary",female,55,16.0,
"""
parser = argparse.ArgumentParser()
parser.add_argument('--epochs', type=int, default=60)
parser.add_argument('--rate', type=float, default=0.5)
FLAGS, unparsed = parser.parse_known_args()


def load():
  df = pd.read_csv(io.StringIO(CSV), index_col='id')
  df['title'] = df['name'].str.extract(r', (\w+)\.', expand=False)
  df['age'] = df['age'].fillna(df['age'].median())
  df['port'] = df['port'].fillna(df['port'].mode()[0])
  df['sex'] = df['sex'].map({'male': 0, 'female': 1}).astype(int)
  df['child'] = (df.age < 16).astype(np.int64)
  df.loc[df.fare > 50, 'rich'] = 1.0
  df['rich'] = df['rich'].fillna(0.0)
  df['band'] = pd.cut(df['age'], [0, 16, 32, 80], labels=False)
  return pd.get_dummies(df.drop(columns=['name']), columns=['class', 'port', 'title'], dtype=float)


def main(argv):
  df = load()
  print(list(df.columns))
  print(df.describe().loc[['mean', 'max'], ['age', 'fare']].round(3).to_string())
  y = df.pop('sex').values.reshape(-1, 1)
  x = ((df - df.mean()) / df.std().replace(0, 1)).values
  print(x.shape, x.dtype, y.ravel())
  X = tf.placeholder(tf.float32, shape=[None, x.shape[1]], name='X')
  Y = tf.placeholder(tf.float32, shape=[None, 1], name='Y')
  W = tf.Variable(tf.zeros([x.shape[1], 1]), name='weight')
  b = tf.Variable(tf.zeros([1]), name='bias')
  hypothesis = tf.sigmoid(tf.matmul(X, W) + b)
  cost = -tf.reduce_mean(Y * tf.log(hypothesis) + (1 - Y) * tf.log(1 - hypothesis))
  train = tf.train.GradientDescentOptimizer(learning_rate=FLAGS.rate).minimize(cost)
  accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.cast(hypothesis > 0.5, tf.float32), Y), tf.float32))
  with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(FLAGS.epochs + 1):
      cost_val, _ = sess.run([cost, train], feed_dict={X: x, Y: y})
      if epoch % 20 == 0:
        print('epoch %2d cost %.4f' % (epoch, cost_val))
    result = pd.DataFrame({'id': df.index, 'p': sess.run(hypothesis, {X: x}).ravel().round(2)})
    print(result.to_csv(index=False).strip())
    print('accuracy: {:.2%}'.format(sess.run(accuracy, feed_dict={X: x, Y: y})))


if __name__ == '__main__':
  tf.app.run(main=main, argv=[sys.argv[0]] + unparsed)
