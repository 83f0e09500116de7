# Keys of feed_dict that are tuples, such as the state of a recurrent cell.
import tensorflow as tf
import collections
import numpy as np
a, b, c = [tf.placeholder(tf.float32, [], name=n) for n in 'abc']
State = collections.namedtuple('State', 'c h')
with tf.Session() as sess:
    print(sess.run(a + b, {(a, b): (1., 2.)}))
    print(sess.run(a + b + c, {((a, b), c): ((1., 2.), 3.)}))
    print(sess.run(a - b, {State(a, b): State(5., 2.)}))
    print(sess.run(a - b, {State(a, b): [5., np.float32(2)]}))
    print(sess.run(a - b, {('a:0', b): {'y': 1., 'x': 7.}}))
    print(sess.run([a, {'s': (b, a + b)}], {(a, b): (1., 2.)}))
    try:
        sess.run(a, {(a, b): (1., 2., 3.)})
    except ValueError as e:
        print(e)
cell = tf.nn.rnn_cell.BasicLSTMCell(2)
start = cell.zero_state(1, tf.float32)
out, last = tf.nn.dynamic_rnn(cell, tf.ones([1, 3, 2]), initial_state=start)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    kept = sess.run(last)
    print(sess.run(last, feed_dict={start: kept}).h.shape)
    print(sess.run(start, feed_dict={start: (kept.h, kept.c)}).c.tolist() == kept.h.tolist())
