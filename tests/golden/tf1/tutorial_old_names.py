# Names from before version 1.0 that 1.x still takes, and both orders of arguments.
import tensorflow as tf

a, b = tf.constant([1.0, 2.0]), tf.constant([3.0, 5.0])
values = [tf.div(b, a), tf.to_float(3), tf.to_int32(2.7), tf.to_int64([1.5]), tf.to_double(1), tf.truediv(7, 2), tf.floordiv(7, 2),
          tf.mod(7, 3), tf.reduce_sum(a, reduction_indices=[0]), tf.reduce_sum(a, keep_dims=True), tf.argmax(b, dimension=0),
          tf.expand_dims(a, dim=0), tf.squeeze([[1]], squeeze_dims=[0]), tf.concat(axis=0, values=[a, b]),
          tf.split(axis=0, num_or_size_splits=2, value=a)[1], tf.unstack(a)[0], tf.reverse(a, axis=[0]), tf.add_n([a, b]),
          tf.ones([2], tf.int32), tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]), tf.count_nonzero([0, 1, 2])]
v = tf.Variable(1.0)
init = tf.initialize_all_variables()
print(init.name, len(tf.all_variables()))
with tf.Session() as sess:
    sess.run(init)
    for value in values:
        print(value.name, sess.run(value))
    loss = tf.nn.softmax_cross_entropy_with_logits(logits=[[1.0, 2.0]], labels=[[0.0, 1.0]])
    print(sess.run(loss).round(4), tf.nn.l2_loss(a).eval(), tf.nn.tanh(0.0).eval(), tf.nn.sigmoid(0.0).eval())
    print(tf.nn.l2_normalize([3.0, 4.0], dim=0).eval(), tf.nn.dropout(a, keep_prob=1.0).eval(), tf.nn.zero_fraction([0.0, 1.0]).eval())
    print(tf.nn.in_top_k([[0.1, 0.9]], [1], 1).eval(), [t.eval().tolist() for t in tf.nn.top_k([1.0, 3.0, 2.0], 2)])
    print([t.eval().tolist() for t in tf.nn.moments(b, [0])], tf.nn.log_softmax([[0.0, 0.0]]).eval().round(4))
    print(tf.nn.relu6([7.0]).eval(), tf.nn.elu([-1.0]).eval().round(4), tf.nn.softplus([0.0]).eval().round(4), tf.nn.softsign([1.0]).eval())
