# Variables in parts: partitioners of get_variable and of scopes, joined where a tensor is wanted, looked up in parts.
import numpy as np
import tensorflow as tf


def show(v):
    print(type(v).__name__, v.name, v.dtype, v.get_shape(), len(v), [(p.name, p.shape.as_list()) for p in v])


with tf.variable_scope('s', partitioner=tf.fixed_size_partitioner(3), initializer=tf.constant_initializer(0.5)):
    w = tf.get_variable('w', [7, 2])
    b = tf.get_variable('b', [4], initializer=tf.ones_initializer(), regularizer=tf.nn.l2_loss)
    scalar = tf.get_variable('scalar', [])
with tf.variable_scope('s', partitioner=tf.fixed_size_partitioner(3), reuse=True):
    same = tf.get_variable('w', [7, 2])
e = tf.get_variable('emb', [5, 3], initializer=tf.random_normal_initializer(seed=1), partitioner=tf.min_max_variable_partitioner(max_partitions=2, min_slice_size=4))
v = tf.get_variable('v', [6, 2], initializer=tf.ones_initializer(), partitioner=tf.variable_axis_size_partitioner(max_shard_bytes=16))
c = tf.get_variable('c', [2, 4], initializer=tf.zeros_initializer(), partitioner=tf.fixed_size_partitioner(2, axis=1))
k = tf.get_variable('k', initializer=tf.constant(np.arange(10.), tf.float32), partitioner=tf.fixed_size_partitioner(4))
one = tf.get_variable('one', [3], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(1))
for var in (w, b, e, v, c, k, one):
    show(var)
print([p is q for p, q in zip(w, same)], scalar.name, [t.name for t in tf.losses.get_regularization_losses()])
print([u.name for u in tf.trainable_variables()])
print(tf.convert_to_tensor(w).name, w.as_tensor().name, tf.convert_to_tensor(one).name)
look = [tf.nn.embedding_lookup(k, [0, 9, 4], partition_strategy=s) for s in ('div', 'mod')]
m = tf.matmul(tf.ones([1, 7]), w) + tf.reduce_sum(b)
loss = tf.reduce_sum(tf.square(m)) + tf.reduce_sum(look[0])
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
print([p.name for p in tf.get_default_graph().get_operations() if 'Concat' in p.name and 'grad' not in p.name][:6])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(look), sess.run(m), sess.run(c.as_tensor()).shape, sess.run(tf.convert_to_tensor(k)))
    sess.run(train)
    print(np.round(sess.run(w.as_tensor()), 3).tolist(), np.round(sess.run(list(k)[0]), 3))
    print(np.round(sess.run(e.as_tensor()), 3).tolist())
for bad in (lambda: tf.get_variable('x', [2, 2], partitioner=lambda shape, dtype: [2, 2]), lambda: tf.variable_axis_size_partitioner(0),
            lambda: tf.get_variable('y', [None, 2], partitioner=tf.fixed_size_partitioner(2)), lambda: tf.get_variable('w2', [2], partitioner=3)):
    try:
        bad()
    except Exception as error:
        print(type(error).__name__)
