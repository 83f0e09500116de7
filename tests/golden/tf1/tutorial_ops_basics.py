# -*- coding: utf-8 -*-
"""CS20 lecture 2: ops, constants, variables, lazy loading, control flow; 中文注释 ok"""
import os
os.environ['TF_CPP_MIN_LOG_LEVEL']='2'
import tensorflow as tf
import numpy as np

a = tf.constant([2, 2], name='a')
b = tf.constant([[0, 1], [2, 3]], name='b')
with tf.Session() as sess:
    print(sess.run(tf.div(b, a)))
    print(sess.run(tf.divide(b, a)))
    print(sess.run(tf.truediv(b, a)))
    print(sess.run(tf.floordiv(b, a)))
    print(sess.run(tf.truncatediv(b, a)))
    print(sess.run(tf.floor_div(b, a)))
a = tf.constant([10, 20], name='a')
b = tf.constant([2, 3], name='b')
with tf.Session() as sess:
    print(sess.run(tf.multiply(a, b)))
    print(sess.run(tf.tensordot(a, b, 1)))
    print(sess.run(tf.add_n([a, b, b])), sess.run(tf.pow(a, b)), sess.run(tf.mod(a, b)))
t_0 = 19
x = tf.zeros_like(t_0)
y = tf.ones_like(t_0)
print(x, y)
t_1 = ['apple', 'peach', 'banana']
x = tf.zeros_like(['apple', 'peach', 'banana'])
print(x)
try:
    y = tf.ones_like(['apple', 'peach', 'banana'])
except TypeError as e:
    print(type(e).__name__)
t_2 = [[True, False, False], [False, False, True], [False, True, False]]
x = tf.zeros_like(t_2); y = tf.ones_like(t_2)
print(x, y)
with tf.Session() as sess: print(sess.run([x, y])); print(sess.run(tf.zeros_like(t_1)))
print(tf.int32.as_numpy_dtype())
print(tf.float32 == np.float32, tf.int32 == np.int64, tf.as_dtype('float64'), tf.float32.max, tf.int8.min, tf.float32.is_floating, tf.uint8.size)
my_const = tf.constant([1.0, 2.0], name='my_const')
print(str(tf.get_default_graph().as_graph_def()).split('\n')[0:3])
g = tf.Graph()
with g.as_default():
    c = tf.constant([1.0, 2.0], name='my_const')
print(len(g.as_graph_def().node), g.as_graph_def().node[0].name)
print(tf.linspace(10.0, 13.0, 4).shape, tf.range(3, 18, 3), tf.range(5), tf.lin_space(0., 1., 3).dtype)
s = tf.Variable(2, name='scalar')
m = tf.Variable([[0, 1], [2, 3]], name='matrix')
W = tf.Variable(tf.zeros([784,10]), name='big_matrix')
V = tf.Variable(tf.truncated_normal([784, 10]), name='normal_matrix')
s = tf.get_variable('scalar', initializer=tf.constant(2))
m = tf.get_variable('matrix', initializer=tf.constant([[0, 1], [2, 3]]))
W = tf.get_variable('big_matrix', shape=(784, 10), initializer=tf.zeros_initializer())
print(s, m, W.op.name, V)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(V.eval().shape, m.eval())
    print(sess.run(tf.report_uninitialized_variables()))
W = tf.Variable(10)
W.assign(100)
with tf.Session() as sess:
    sess.run(W.initializer)
    print(sess.run(W))
W = tf.Variable(10)
assign_op = W.assign(100)
with tf.Session() as sess:
    sess.run(assign_op)
    print(W.eval())
    print(assign_op.name, assign_op)
a = tf.get_variable('scalar2', initializer=tf.constant(2))
a_times_two = a.assign(a * 2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(a_times_two), sess.run(a_times_two), sess.run(a_times_two))
W = tf.Variable(10)
with tf.Session() as sess:
    sess.run(W.initializer)
    print(sess.run(W.assign_add(10)))
    print(sess.run(W.assign_sub(2)))
W = tf.Variable(10)
sess1 = tf.Session()
sess2 = tf.Session()
sess1.run(W.initializer)
sess2.run(W.initializer)
print(sess1.run(W.assign_add(10)))
print(sess2.run(W.assign_sub(2)))
print(sess1.run(W.assign_add(100)))
print(sess2.run(W.assign_sub(50)))
sess1.close()
sess2.close()
W = tf.Variable(tf.truncated_normal([3, 2], seed=1))
U = tf.Variable(W * 2)
U2 = tf.Variable(W.initialized_value() * 2)
print(U, U2.initializer.name, U2.initial_value)
with tf.Session() as sess:
    sess.run(W.initializer); sess.run(U2.initializer); print((U2.eval() == 2 * W.eval()).all())
a = tf.placeholder(tf.float32, shape=[3])
b = tf.constant([5, 5, 5], tf.float32)
c = a + b
with tf.Session() as sess:
    try:
        print(sess.run(c))
    except tf.errors.InvalidArgumentError as e:
        print(type(e).__name__, e.op.name, e.node_def.name, e.error_code == tf.errors.INVALID_ARGUMENT)
    print(sess.run(c, feed_dict={a: [1, 2, 3]}), sess.run(c, {a: (1, 2, 3)}))
    for a_value in ([1, 2, 3], [4, 5, 6]): print(sess.run(c, {a: a_value}), end=';')
    print(tf.get_default_graph().is_feedable(c), sess.run(c * 2, {c: [0., 1., 2.]}))
    try: sess.run(c, {a: [1, 2]})
    except ValueError as e: print(str(e).replace("'", ''))
    try: sess.run(c, {'nope': 1})
    except TypeError as e: print(e)
    try: sess.run(None)
    except TypeError as e: print(type(e).__name__)
    try: sess.run('nope')
    except ValueError as e: print(str(e)[-70:])
x = tf.Variable(10, name='x')
y = tf.Variable(20, name='y')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3): sess.run(tf.add(x, y))
    print([n.name for n in tf.get_default_graph().as_graph_def().node if n.name.startswith('Add')])
print(tf.constant(3.).op.node_def.op)
