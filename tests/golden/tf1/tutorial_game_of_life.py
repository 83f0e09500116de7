# Conway's game of life with py_func and with a convolution.
import numpy as np
import tensorflow as tf
from functools import reduce

shape = (6, 6)
board = tf.placeholder(tf.int32, shape=shape, name='board')
start = np.zeros(shape, dtype=np.int32)
start[1, 2] = start[2, 3] = start[3, 1] = start[3, 2] = start[3, 3] = 1

def update_board(X):
    N = [np.roll(np.roll(X, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i != 0 or j != 0)]
    N = reduce(lambda a, b: a + b, N)
    X = np.logical_or(np.logical_and(X, N == 2), N == 3)
    return X.astype(np.int32)

board_update = tf.py_func(update_board, [board], [tf.int32])
kernel = tf.reshape(tf.ones([3, 3], tf.float32) - tf.one_hot([0, 0, 0], 0, dtype=tf.float32).get_shape()[1].value, [3, 3, 1, 1])
wrapped = tf.concat([board[-1:], board, board[:1]], 0)
wrapped = tf.concat([wrapped[:, -1:], wrapped, wrapped[:, :1]], 1)
image = tf.cast(wrapped[tf.newaxis, ..., tf.newaxis], tf.float32)
around = tf.cast(tf.nn.conv2d(image, kernel, [1, 1, 1, 1], 'VALID')[0, ..., 0], tf.int32) - board
alive = tf.logical_or(tf.equal(around, 3), tf.logical_and(tf.equal(board, 1), tf.equal(around, 2)))
print(board_update, around, alive)
with tf.Session() as session:
    X = session.run(board_update, feed_dict={board: start})[0]
    Y = session.run(tf.to_int32(alive), feed_dict={board: start})
    print((X == Y).all())
    for generation in range(3):
        X = session.run(board_update, {board: X})[0]
        print('\n'.join(''.join('#' if c else '.' for c in row) for row in X))
        print()
