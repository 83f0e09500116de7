# Elementwise functions that keep zeros, of sparse tensors.
import tensorflow as tf

x = tf.sparse_placeholder(tf.float32, name='x')
made = [tf.abs(x), tf.negative(x), tf.sign(x), tf.square(x), tf.sqrt(tf.square(x)), tf.erf(x), tf.tanh(x)]
print([(t.values.op.type, t.indices is x.indices) for t in made])
fed = tf.SparseTensorValue([[0, 1], [1, 0]], [-2.0, 0.5], [2, 2])
with tf.Session() as sess:
    for t in made:
        print(sess.run(tf.sparse_tensor_to_dense(t), {x: fed}).round(5))
    weights = tf.constant([[1.0], [2.0]])
    print(sess.run(tf.sparse_tensor_dense_matmul(tf.square(x), tf.pow(weights, 2)), {x: fed}))
