# Learn to read handwritten digits: 64 pixels in, 128 hidden units, 10 classes out.
# The images and where they come from: samples/data/README.md.  Takes about a second.
import os

import numpy as np
import tensorflow as tf

HIDDEN, BATCH, EPOCHS, RATE = 128, 32, 20, 0.2

here = os.path.dirname(os.path.abspath(__file__))
data = np.load(os.path.join(here, 'data', 'digits.npz'))
pixels = data['images'].reshape(-1, 64).astype(np.float32) / 16.0
labels = data['labels']

# A fifth is held out, so that the network never sees it during training.
order = np.random.RandomState(0).permutation(len(pixels))
held_out, train = order[:len(order) // 5], order[len(order) // 5:]
print('%d images to learn from, %d held out' % (len(train), len(held_out)))

x = tf.placeholder(tf.float32, [None, 64], name='x')
y = tf.placeholder(tf.int64, [None], name='y')


def layer(inputs, n_in, n_out, seed, name):
    with tf.name_scope(name):
        w = tf.Variable(tf.truncated_normal([n_in, n_out], stddev=0.1, seed=seed), name='w')
        b = tf.Variable(tf.zeros([n_out]), name='b')
        return tf.matmul(inputs, w) + b


hidden = tf.nn.relu(layer(x, 64, HIDDEN, 1, 'hidden'))
logits = layer(hidden, HIDDEN, 10, 2, 'output')
losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
loss = tf.reduce_mean(losses, name='loss')
train_op = tf.train.GradientDescentOptimizer(RATE).minimize(loss)
correct = tf.equal(tf.argmax(logits, 1), y)
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32), name='accuracy')

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    shuffle = np.random.RandomState(1)
    for epoch in range(1, EPOCHS + 1):
        rows = train[shuffle.permutation(len(train))]
        total = 0.0
        for start in range(0, len(rows), BATCH):
            batch = rows[start:start + BATCH]
            _, batch_loss = sess.run([train_op, loss], feed_dict={x: pixels[batch], y: labels[batch]})
            total += batch_loss * len(batch)
        if epoch == 1 or epoch % 5 == 0:
            print('epoch %2d   loss %.2f' % (epoch, total / len(rows)))
    score = sess.run(accuracy, feed_dict={x: pixels[held_out], y: labels[held_out]})
    print('held out: %.0f %% right' % (100 * score))
    print('at least 95 %:', bool(score >= 0.95))
