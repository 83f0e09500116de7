# Averages of variables that lag behind.
import tensorflow as tf

v = tf.Variable(0.0, name='v')
w = tf.Variable([1.0, 2.0], name='w')
frozen = tf.Variable(9.0, name='frozen', trainable=False)
step = tf.Variable(0, trainable=False, name='step')
ema = tf.train.ExponentialMovingAverage(0.9)
fast = tf.train.ExponentialMovingAverage(0.99, num_updates=step, name='fast')
train = tf.group(tf.assign_add(v, 1.0), tf.assign(w, w * 2.0), tf.assign_add(step, 1))
with tf.control_dependencies([train]):
    update = ema.apply([v, w])
    update_fast = fast.apply([v])
print(ema.average(v).name, ema.average_name(w), fast.average(v).op.name, ema.average(frozen))
print(sorted(ema.variables_to_restore()))
print([x.name for x in tf.moving_average_variables()])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([ema.average(v), ema.average(w)]))
    for _ in range(3):
        sess.run([update])
        print(sess.run(v), '%.4f' % sess.run(ema.average(v)), sess.run(ema.average(w)).round(4).tolist())
    sess.run(update_fast)
    print('%.4f' % sess.run(fast.average(v)), sess.run(step))
