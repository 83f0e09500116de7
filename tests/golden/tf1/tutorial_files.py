# Files through tf.gfile, and data read from them.
import os
import numpy as np
import tensorflow as tf

folder = 'tmp_tutorial_files'
if tf.gfile.Exists(folder):
    tf.gfile.DeleteRecursively(folder)
tf.gfile.MakeDirs(os.path.join(folder, 'deep'))
path = os.path.join(folder, 'data.csv')
with tf.gfile.GFile(path, 'w') as f:
    f.write('x,y\n')
    for i in range(4):
        f.write('%d,%.1f\n' % (i, i * 1.5 + 1))
with tf.gfile.GFile(path) as f:
    header = f.readline().strip().split(',')
    rows = [[float(v) for v in line.split(',')] for line in f.readlines()]
print(header, rows)
print(sorted(tf.gfile.ListDirectory(folder)), tf.gfile.IsDirectory(folder), tf.gfile.Stat(path).length)
tf.gfile.Copy(path, os.path.join(folder, 'copy.csv'))
tf.gfile.Rename(os.path.join(folder, 'copy.csv'), os.path.join(folder, 'deep', 'moved.csv'))
print(sorted(os.path.basename(p) for p in tf.gfile.Glob(os.path.join(folder, '*.csv'))))
print([(os.path.basename(d), sorted(s), sorted(n)) for d, s, n in tf.gfile.Walk(folder)])
try:
    tf.gfile.GFile(os.path.join(folder, 'none')).read()
except tf.errors.NotFoundError as e:
    print(type(e).__name__)
data = np.array(rows, np.float32)
x, y = data[:, :1], data[:, 1:]
w, b = tf.Variable([[0.0]]), tf.Variable([0.0])
loss = tf.reduce_mean(tf.squared_difference(tf.matmul(tf.constant(x), w) + b, y))
train = tf.train.AdamOptimizer(0.2).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(300):
        sess.run(train)
    print('%.2f %.2f' % (sess.run(w)[0, 0], sess.run(b)[0]))
tf.gfile.Remove(path)
tf.gfile.DeleteRecursively(folder)
print(tf.gfile.Exists(folder))
