"""Two convolutions and two dense layers that tell drawn squares from crosses: an MNIST tutorial on made-up images."""
import numpy as np
import tensorflow as tf


def weight_variable(shape, seed):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1, seed=seed))


def bias_variable(shape):
    return tf.Variable(tf.constant(0.1, shape=shape))


def conv2d(x, W):
    return tf.nn.conv2d(x, W, strides=[1, 1, 1, 1], padding='SAME')


def max_pool_2x2(x):
    return tf.nn.max_pool(x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME')


def draw(n, rng):
    images, labels = np.zeros([n, 12, 12], np.float32), np.zeros([n, 2], np.float32)
    for k in range(n):
        r, c, kind = rng.randint(2, 6), rng.randint(2, 6), rng.randint(2)
        if kind:
            images[k, r:r + 5, c + 2] = 1.
            images[k, r + 2, c:c + 5] = 1.
        else:
            images[k, r:r + 5, [c, c + 4]] = 1.
            images[k, [r, r + 4], c:c + 5] = 1.
        labels[k, kind] = 1.
    return images.reshape(n, 144), labels


rng = np.random.RandomState(0)
x = tf.placeholder(tf.float32, [None, 144])
y_ = tf.placeholder(tf.float32, [None, 2])
x_image = tf.reshape(x, [-1, 12, 12, 1])
W_conv1, b_conv1 = weight_variable([5, 5, 1, 4], 1), bias_variable([4])
h_pool1 = max_pool_2x2(tf.nn.relu(conv2d(x_image, W_conv1) + b_conv1))
W_conv2, b_conv2 = weight_variable([3, 3, 4, 8], 2), bias_variable([8])
h_pool2 = max_pool_2x2(tf.nn.relu(conv2d(h_pool1, W_conv2) + b_conv2))
W_fc1, b_fc1 = weight_variable([3 * 3 * 8, 16], 3), bias_variable([16])
h_pool2_flat = tf.reshape(h_pool2, [-1, 3 * 3 * 8])
h_fc1 = tf.nn.relu(tf.matmul(h_pool2_flat, W_fc1) + b_fc1)
keep_prob = tf.placeholder(tf.float32)
h_fc1_drop = tf.nn.dropout(h_fc1, keep_prob)
W_fc2, b_fc2 = weight_variable([16, 2], 4), bias_variable([2])
y_conv = tf.matmul(h_fc1_drop, W_fc2) + b_fc2
cross_entropy = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=y_conv))
train_step = tf.train.AdamOptimizer(1e-2).minimize(cross_entropy)
correct_prediction = tf.equal(tf.argmax(y_conv, 1), tf.argmax(y_, 1))
accuracy = tf.reduce_mean(tf.cast(correct_prediction, tf.float32))
for t in (h_pool1, h_pool2, h_fc1, y_conv, accuracy):
    print(t)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    test = draw(100, rng)
    print('%.3f' % sess.run(cross_entropy, {x: test[0], y_: test[1], keep_prob: 1.0}))
    for i in range(60):
        batch = draw(20, rng)
        if i in (0, 59):
            train_accuracy = accuracy.eval(feed_dict={x: batch[0], y_: batch[1], keep_prob: 1.0})
            print('step %d, training accuracy is %s' % (i, 'high' if train_accuracy > 0.9 else 'low'))
        train_step.run(feed_dict={x: batch[0], y_: batch[1], keep_prob: 1.0})
    print('test accuracy above 0.95:', accuracy.eval(feed_dict={x: test[0], y_: test[1], keep_prob: 1.0}) > 0.95)
