# Gradients through shape-changing and broadcasting ops.
import tensorflow as tf

m = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
v = tf.constant([1.0, 10.0, 100.0])
s = tf.constant(2.0)
w = tf.constant([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]])


def show(name, y, xs):
    grads = tf.gradients(y, xs)
    print(name, [None if g is None else sess.run(g).tolist() for g in grads])


with tf.Session() as sess:
    show('broadcast add', m + v, [m, v])
    show('broadcast mul', m * v * s, [m, v, s])
    show('column', m / tf.constant([[2.0], [4.0]]), [m])
    show('matmul', tf.matmul(m, w), [m, w])
    show('matmul t', tf.matmul(w, m, transpose_a=True, transpose_b=True), [m, w])
    show('batch', tf.matmul(tf.reshape(m, [1, 2, 3]), tf.reshape(w, [1, 3, 2])), [m, w])
    show('reshape', tf.reshape(m, [3, 2])[0] * 3.0, [m])
    show('transpose', tf.transpose(m) * w, [m, w])
    show('concat', tf.concat([m, m * 2], 0) * 2, [m])
    show('concat 1', tf.concat([m, tf.transpose(w)], 1)[:, 2:4], [m, w])
    show('stack', tf.stack([v, v * 3])[1], [v])
    show('unstack', tf.unstack(m)[1], [m])
    show('split', tf.split(v, 3)[2] * 7, [v])
    show('slice', m[0, 1:], [m])
    show('strided', v[::-2], [v])
    show('tf.slice', tf.slice(m, [0, 1], [2, 1]), [m])
    show('gather', tf.gather(v * 2.0, [2, 2, 0]) * [1.0, 2.0, 3.0], [v])
    show('tile', tf.tile(v, [2]) * [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [v])
    show('pad', tf.pad(v, [[1, 1]])[:3], [v])
    show('expand', tf.expand_dims(v, 0) * m, [v])
    show('squeeze', tf.squeeze(tf.reshape(v, [1, 3, 1])) * v, [v])
    show('sum 0', tf.reduce_sum(m, 0) * v, [m, v])
    show('mean 1', tf.reduce_mean(m, 1, keepdims=True) * [[1.0], [6.0]], [m])
    show('max', tf.reduce_max(m, 1), [m])
    show('max tie', tf.reduce_max(tf.stack([s, s])), [s])
    show('fill', tf.fill([2, 2], s), [s])
    show('add_n', tf.add_n([v, v, v * s]), [v, s])
    show('bias_add', tf.nn.bias_add(m, v), [m, v])
    show('none', m * 2, [v])
    show('zeros_like', tf.zeros_like(m) + tf.ones_like(m), [m])
