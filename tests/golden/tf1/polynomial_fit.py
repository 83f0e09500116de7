# Fit a cubic with Adam and stop early.
import numpy as np
import tensorflow as tf

xs = np.linspace(-1.0, 1.0, 21)
ys = 1.0 - 2.0 * xs + 0.5 * xs ** 3
X = tf.placeholder(tf.float32, name='X')
Y = tf.placeholder(tf.float32, name='Y')
weights = [tf.Variable(0.0, name='w%d' % power) for power in range(4)]
model = weights[0]
for power in range(1, 4):
    model = tf.add(tf.multiply(weights[power], tf.pow(X, power)), model)
cost = tf.reduce_mean(tf.pow(model - Y, 2))
penalty = sum(tf.square(w) for w in weights) * 1e-6
train = tf.train.AdamOptimizer(0.05).minimize(cost + penalty)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    previous = 0.0
    for epoch in range(2000):
        sess.run(train, feed_dict={X: xs, Y: ys})
        current = sess.run(cost, feed_dict={X: xs, Y: ys})
        if epoch % 100 == 0 and epoch < 300:
            print('epoch', epoch, 'cost %.3f' % current)
        if current < 1e-5:
            break
        previous = current
    print('stopped:', current < 1e-4)
    print(' '.join('%+.1f' % v for v in sess.run(weights)))
    print('%.1f' % sess.run(model, {X: 0.5}), '%.1f' % sess.run(model, {X: [0.0, -1.0]})[1])
