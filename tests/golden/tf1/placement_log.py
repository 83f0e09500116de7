# The devices of all nodes, printed before the first run and whenever the graph has grown. (not under: two-devices, fake-gpu)
import sys

import tensorflow as tf

with tf.device('/cpu:0'):
    a = tf.constant([1., 2.], name='a')
x = tf.placeholder(tf.float32, [2], name='x')
v = tf.Variable(1., name='v')
c = tf.add(a, x, name='c')
sess = tf.Session(config=tf.ConfigProto(log_device_placement=True))
print('before')
sys.stdout.flush()
print(sess.run(c, {x: [1., 1.]}), sess.run(c, {x: [0., 0.]}))
d = tf.multiply(c, 2., name='d')
sys.stdout.flush()
print(sess.run(d, {x: [1., 1.]}))
sess.close()
