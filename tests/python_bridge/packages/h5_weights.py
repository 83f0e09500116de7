# needs h5py
# Weights and data sets in a file of HDF5.
import os
import tempfile

import h5py
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

path = os.path.join(tempfile.gettempdir(), 'tensh_h5_weights_%d.h5' % os.getpid())
with h5py.File(path, 'w') as f:
    f.create_dataset('train_set_x', data=np.arange(48, dtype=np.uint8).reshape(4, 2, 2, 3))
    f['train_set_y'] = np.array([0, 1, 1, 0])
    f['list_classes'] = np.array([b'non-cat', b'cat'])
    f.attrs['about'] = 'cats'
    group = f.create_group('model/layer_1')
    group.attrs['units'] = 3

dataset = h5py.File(path, 'r')
x = np.array(dataset['train_set_x'][:])
y = np.array(dataset['train_set_y'][:]).reshape((1, -1))
print(list(dataset.keys()), x.shape, y.shape, dataset['list_classes'][1].decode('utf-8'), dataset.attrs['about'])
print(dataset['train_set_x'][1:3, 0, :, 2].tolist(), dataset['train_set_x'].dtype, int(dataset['model/layer_1'].attrs['units']))
dataset.close()
flat = x.reshape(x.shape[0], -1).T / 255.

tf.reset_default_graph()
X = tf.placeholder(tf.float32, [flat.shape[0], None], name='X')
Y = tf.placeholder(tf.float32, [1, None], name='Y')
W1 = tf.get_variable('W1', [3, flat.shape[0]], initializer=tf.ones_initializer())
b1 = tf.get_variable('b1', [3, 1], initializer=tf.zeros_initializer())
W2 = tf.get_variable('W2', [1, 3], initializer=tf.constant_initializer([[0.1, -0.2, 0.3]]))
Z = tf.matmul(W2, tf.nn.relu(tf.add(tf.matmul(W1, X), b1)))
cost = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=tf.transpose(Z), labels=tf.transpose(Y)))
optimizer = tf.train.AdamOptimizer(learning_rate=0.05).minimize(cost)
init = tf.global_variables_initializer()
with tf.Session() as sess:
    sess.run(init)
    for epoch in range(30):
        _, c = sess.run([optimizer, cost], feed_dict={X: flat, Y: y})
        if epoch % 15 == 0:
            print('Cost after epoch %i: %f' % (epoch, round(float(c), 3)))
    with h5py.File(path, 'a') as f:
        for v in tf.trainable_variables():
            f['model'].create_dataset(v.op.name, data=sess.run(v))
    trained = sess.run(Z, {X: flat})
with h5py.File(path, 'r') as f, tf.Session() as sess:
    names = []
    f.visit(names.append)
    print(names, isinstance(f['model'], h5py.Group), 'W1' in f['model'])
    for v in tf.trainable_variables():
        v.load(f['model'][v.op.name][()], sess)
    print(np.array_equal(sess.run(Z, {X: flat}), trained))
try:
    h5py.File(path + '.absent', 'r')
except (OSError, IOError) as error:
    print('no file:', type(error).__name__)
os.remove(path)
