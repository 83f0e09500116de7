# Learning rates that fall with the step.
import tensorflow as tf

step = tf.placeholder(tf.int32, [], name='step')
rates = [
    tf.train.exponential_decay(0.1, step, 10, 0.5),
    tf.train.exponential_decay(0.1, step, 10, 0.5, staircase=True),
    tf.train.natural_exp_decay(0.1, step, 10, 0.5),
    tf.train.inverse_time_decay(0.1, step, 10, 0.5),
    tf.train.inverse_time_decay(0.1, step, 10, 0.5, staircase=True),
    tf.train.polynomial_decay(0.1, step, 20, 0.01),
    tf.train.polynomial_decay(0.1, step, 20, 0.01, power=0.5, cycle=True),
    tf.train.cosine_decay(0.1, step, 20),
    tf.train.cosine_decay(0.1, step, 20, alpha=0.2),
    tf.train.linear_cosine_decay(0.1, step, 20),
]
with tf.Session() as sess:
    for at in (0, 5, 10, 25, 40):
        print(at, ' '.join('%.5f' % r for r in sess.run(rates, {step: at})))
global_step = tf.Variable(0, trainable=False)
w = tf.Variable(5.0)
rate = tf.train.exponential_decay(0.1, global_step, 5, 0.9, staircase=True)
train = tf.train.GradientDescentOptimizer(rate).minimize(tf.square(w), global_step=global_step)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(12):
        sess.run(train)
        if i % 4 == 3:
            print(i, sess.run(global_step), '%.4f %.4f' % tuple(sess.run([rate, w])))
try:
    tf.train.exponential_decay(0.1, None, 10, 0.5)
except ValueError as e:
    print(type(e).__name__)
