# tf.layers: dense, dropout, flatten; names, sharing, regularizers, a small net that learns.
import numpy as np
import tensorflow as tf

tf.set_random_seed(7)
x = tf.placeholder(tf.float32, [None, 3], name='x')
hidden = tf.layers.dense(x, 4, activation=tf.nn.relu)
out = tf.layers.dense(hidden, 2, name='out')
print(hidden)
print(out)
for v in tf.trainable_variables():
    print(v)
again = tf.layers.dense(hidden, 2, name='out', reuse=True)
print(again.name, len(tf.trainable_variables()))
layer = tf.layers.Dense(2, use_bias=False, kernel_initializer=tf.ones_initializer())
first, second = layer(x), layer(x * 2.0)
print(first.name, second.name, layer.kernel.name, layer.bias, len(layer.variables))
with tf.variable_scope('tower'):
    inside = tf.layers.dense(x, 1, kernel_initializer=tf.constant_initializer(0.5), bias_initializer=tf.constant_initializer(1.0))
    print(inside.name, layer(x).name)
cube = tf.layers.dense(tf.ones([2, 3, 4]), 5, kernel_initializer=tf.ones_initializer())
print(cube.shape)
dropped = tf.layers.dropout(hidden, rate=0.4)
print(dropped.name, tf.layers.dropout(hidden, rate=0.4, training=True, seed=1).shape)
flat = tf.layers.flatten(tf.placeholder(tf.float32, [None, 2, 3]))
print(flat.shape, tf.layers.flatten(tf.zeros([4, 5])).shape)
penal = tf.layers.dense(x, 1, kernel_initializer=tf.ones_initializer(), kernel_regularizer=lambda w: tf.reduce_sum(w * w) * 0.5)
print(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES), len(tf.losses.get_regularization_losses()))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    data = np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 0.5]])
    print(sess.run([inside, first, second, flat[:0]], {x: data, flat.op.inputs[0]: np.zeros([1, 2, 3])}))
    a, b = sess.run([out, again], {x: data})
    print(np.array_equal(a, b), np.round(a, 4).tolist())
    print(np.round(sess.run(tf.get_default_graph().get_tensor_by_name('dense/kernel:0')), 5))
    print(sess.run(cube)[1, 2], sess.run(tf.losses.get_regularization_loss()))
    kept = sess.run(tf.layers.dropout(tf.ones([1000]), rate=0.25, training=True))
    print(sorted(set(np.round(kept, 4).tolist())), 650 < np.count_nonzero(kept) < 850)
for wrong in (lambda: tf.layers.dense(tf.zeros([3]), 2), lambda: tf.layers.dense(tf.placeholder(tf.float32, [None, None]), 2),
              lambda: tf.layers.dense(x, 2, name='out')):
    try:
        wrong()
    except ValueError as e:
        print('ValueError', str(e).split(',')[0][:40])
