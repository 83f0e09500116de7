# compute_gradients, change them, apply_gradients; global_step; var_list.
import tensorflow as tf

w = tf.Variable([4.0, -6.0], name='w')
b = tf.Variable(1.0, name='b')
frozen = tf.Variable(2.0, trainable=False, name='frozen')
loss = tf.reduce_sum(tf.square(w)) + tf.square(b) * frozen
step = tf.Variable(0, trainable=False, name='global_step')
rate = tf.placeholder_with_default(0.1, [], name='rate')
opt = tf.train.GradientDescentOptimizer(rate)
pairs = opt.compute_gradients(loss)
print([(v.op.name, g.shape) for g, v in pairs])
clipped = [(tf.maximum(tf.minimum(g, 1.0), -1.0), v) for g, v in pairs]
train = opt.apply_gradients(clipped, global_step=step)
only_b = tf.train.GradientDescentOptimizer(0.5).minimize(loss, var_list=[b], name='only_b')
print(train.type, only_b.name)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([g for g, _ in pairs]))
    for _ in range(3):
        sess.run(train)
    print(['%.3f' % v for v in sess.run(w)], '%.3f' % sess.run(b), sess.run(step))
    sess.run(train, {rate: 1.0})
    print(['%.3f' % v for v in sess.run(w)], '%.3f' % sess.run(b), sess.run(step), sess.run(frozen))
    sess.run(only_b)
    print(['%.3f' % v for v in sess.run(w)], '%.3f' % sess.run(b), sess.run(step))
try:
    opt.minimize(tf.constant(1.0))
except ValueError as e:
    print('ValueError: No gradients' in 'ValueError: ' + str(e))
