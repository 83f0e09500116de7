# A two-layer network in the style of the tutorials: functions, mini-batches, a history list.
import numpy as np
import tensorflow as tf

points = np.array([[(i % 7) / 7.0, (i * 3 % 5) / 5.0] for i in range(35)], dtype=np.float32)
targets = (points[:, 0:1] * 2.0 - points[:, 1:2] + 0.5).astype(np.float32)
hidden_units, batch_size, learning_rate = 4, 5, 0.1


def weights(shape, scale):
    size = int(np.prod(shape))
    return tf.Variable((np.arange(size).reshape(shape) / size - 0.4).astype(np.float32) * scale)


x = tf.placeholder(tf.float32, [None, 2], name='x')
y = tf.placeholder(tf.float32, [None, 1], name='y')
with tf.name_scope('hidden'):
    w1 = weights([2, hidden_units], 1.0)
    b1 = tf.Variable(tf.constant(0.1, shape=[hidden_units]))
    h = tf.nn.relu(tf.matmul(x, w1) + b1)
with tf.name_scope('output'):
    w2 = weights([hidden_units, 1], 1.0)
    b2 = tf.Variable(tf.zeros([1]))
    pred = tf.matmul(h, w2) + b2
loss = tf.reduce_mean(tf.square(pred - y))
train = tf.train.GradientDescentOptimizer(learning_rate).minimize(loss)

history = []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(40):
        total = 0.0
        for start in range(0, len(points), batch_size):
            batch = {x: points[start:start + batch_size], y: targets[start:start + batch_size]}
            _, l = sess.run([train, loss], feed_dict=batch)
            total += l
        history.append(total / (len(points) // batch_size))
        if epoch % 10 == 0 or epoch == 39:
            print('epoch %2d average loss %.3f' % (epoch, history[-1]))
    print('falling:', history[0] > history[10] > history[-1], 'last below 0.05:', history[-1] < 0.05)
    print('%.1f' % sess.run(pred, {x: [[0.5, 0.5]]})[0, 0], sess.run(tf.shape(h), {x: points}))
    print([v.name for v in tf.trainable_variables()], h.name, pred.name)
