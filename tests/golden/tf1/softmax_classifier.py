# Three classes, softmax cross entropy, dense and sparse labels.
import numpy as np
import tensorflow as tf

data = np.array([[1.0, 0.2], [0.9, 0.1], [0.1, 1.0], [0.0, 0.8], [-1.0, -0.9], [-0.8, -1.0]], dtype=np.float32)
labels = np.array([0, 0, 1, 1, 2, 2])
onehot = np.eye(3)[labels]

x = tf.placeholder(tf.float32, [None, 2])
y = tf.placeholder(tf.float32, [None, 3])
k = tf.placeholder(tf.int64, [None])
w = tf.Variable(tf.zeros([2, 3]))
b = tf.Variable(tf.zeros([3]))
logits = tf.matmul(x, w) + b
dense = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits))
sparse = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits))
by_hand = tf.reduce_mean(-tf.reduce_sum(y * tf.log(tf.nn.softmax(logits)), axis=1))
train = tf.train.GradientDescentOptimizer(0.5).minimize(dense)
correct = tf.equal(tf.argmax(logits, 1), k)
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
feed = {x: data, y: onehot, k: labels}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(61):
        if step % 20 == 0:
            print(step, 'dense %.4f sparse %.4f by hand %.4f' % tuple(sess.run([dense, sparse, by_hand], feed)),
                  'accuracy', sess.run(accuracy, feed))
        sess.run(train, feed)
    print(sess.run(tf.argmax(logits, 1), {x: [[2.0, 0.0], [0.0, 2.0], [-1.0, -1.0]]}))
    print(np.round(sess.run(tf.nn.softmax(logits), {x: [[1.0, 0.0]]}), 3))
    print(sess.run(correct, feed), logits.shape, tf.nn.softmax(logits).shape)
