"""What moves by lists of places, and TensorArrays, several steps with other places each time."""
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4, 3])
n = tf.placeholder(tf.int32, [])
w = tf.Variable([[1., 2., 3.], [4., 5., 6.], [7., 8., 9.], [10., 11., 12.]])
y = tf.square(tf.negative(x)) * w

rolled = tf.negative(tf.square(tf.roll(y, n, 0)))
lengths = tf.stack([n, 3, 0, 1])
reversed_rows = tf.reverse_sequence(y, lengths, seq_axis=1, batch_axis=0) + x
mirrored = tf.pad(tf.reshape(y, [1, 2, 2, 3]), [[0, 0], [1, 0], [0, 1], [0, 0]], 'SYMMETRIC')
reflected = tf.pad(y, [[3, 2], [1, 2]], 'REFLECT')
parts = tf.dynamic_partition(y, tf.stack([n, 0, 1, n]), 3)
stitched = tf.dynamic_stitch([[n], [3, 0]], [x[:1], y[1:3]])
segments = tf.stack([0, 0, 2, 2 + n])
sums = [f(y, segments) for f in (tf.segment_sum, tf.segment_mean, tf.segment_max, tf.segment_min, tf.segment_prod)]
picked = tf.gather_nd(y, [[n, 0], [3, n], [1, 1]])
rows = tf.gather_nd(y, tf.stack([[n], [0]]))
spread = tf.scatter_nd(tf.stack([[n], [3], [n]]), y[:3], [4, 3])
changed = [tf.tensor_scatter_nd_update(y, tf.stack([[n], [3]]), x[:2]), tf.tensor_scatter_nd_add(y, tf.stack([[n], [n]]), x[:2]),
           tf.tensor_scatter_nd_sub(y, [[0, 0], [3, 2]], [1., 2.]), tf.tensor_scatter_nd_max(y, [[n], [2], [n]], x[:3]),
           tf.tensor_scatter_nd_min(y, [[n], [2], [n]], x[:3])]
positive = tf.boolean_mask(y, tf.greater(x[:, 0], 0.))
ids, places = tf.unique(tf.stack([n, 1, 2, n, 2]))
diagonals = [tf.matrix_diag(y)[n], tf.matrix_diag_part(y), tf.matrix_set_diag(y, x[0])]
depth = tf.space_to_depth(tf.reshape(tf.concat([y, x], 0), [1, 2, 4, 3]), 2)


def last_of(values):
    array = tf.TensorArray(tf.float32, 4, clear_after_read=False).unstack(values)
    out = tf.TensorArray(tf.float32, 4)
    body = lambda i, acc, out: (i + 1, acc * .5 + array.read(i), out.write(i, acc * array.read(tf.maximum(i - 1, 0))))
    _, acc, out = tf.while_loop(lambda i, *_: i < 4, body, [0, tf.zeros([3]), out])
    return acc, out.stack()


acc, history = last_of(y)
pieces = tf.TensorArray(tf.float32, 2, infer_shape=False).split(y, tf.stack([n, 4 - n]))
joined = pieces.concat() * 2.
grads = tf.gradients(tf.reduce_sum(acc) + tf.reduce_sum(history) + tf.reduce_sum(joined) + tf.reduce_sum(rolled) + tf.reduce_sum(reflected) +
                     sum(tf.reduce_sum(s) for s in sums[:4]) + tf.reduce_sum(picked) + tf.reduce_sum(spread) + tf.reduce_sum(stitched) +
                     sum(tf.reduce_sum(p * p) for p in parts), w)[0]
train = tf.assign_sub(w, .001 * grads)
nudge = tf.scatter_nd_add(w, [[0, 0], [3, 2]], [1., -1.])
with tf.control_dependencies([train]):
    update = tf.scatter_nd_update(w, [[1]], [[1., 1., 1.]])

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(6):
        feed = {x: np.arange(12.).reshape(4, 3) / (2. + step) - 1., n: step % 3}
        print('step', step)
        for name, value in [('rolled', rolled), ('reversed', reversed_rows), ('mirrored', mirrored), ('reflected', reflected), ('parts', parts),
                            ('stitched', stitched), ('sums', sums), ('picked', picked), ('rows', rows), ('spread', spread), ('changed', changed),
                            ('positive', positive), ('unique', [ids, places]), ('diagonals', diagonals), ('depth', depth),
                            ('loop', [acc, history]), ('joined', joined), ('gradient', grads)]:
            values = sess.run(value, feed)
            for v in values if isinstance(values, list) else [values]:
                print(name, v.shape, np.round(v.astype(np.float64).sum(), 2), np.round(v.astype(np.float64).ravel()[:4], 2))
        sess.run([train, nudge] if step % 2 else update, feed)
        print(np.round(sess.run(w), 2))
