# Lab: XOR with tensors of the graph named, a wide net, printed as labs print.
import tensorflow as tf
import numpy as np

tf.set_random_seed(777)  # for reproducibility
x_data = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.float32)
y_data = np.array([[0], [1], [1], [0]], dtype=np.float32)
X = tf.placeholder(tf.float32, [None, 2], name='x-input')
Y = tf.placeholder(tf.float32, [None, 1], name='y-input')
with tf.name_scope("layer1"):
    W1 = tf.Variable(tf.random_normal([2, 10]), name='weight1')
    b1 = tf.Variable(tf.random_normal([10]), name='bias1')
    layer1 = tf.sigmoid(tf.matmul(X, W1) + b1)
with tf.name_scope("layer2"):
    W2 = tf.Variable(tf.random_normal([10, 1]), name='weight2')
    b2 = tf.Variable(tf.random_normal([1]), name='bias2')
    hypothesis = tf.sigmoid(tf.matmul(layer1, W2) + b2)
with tf.name_scope("cost"):
    cost = -tf.reduce_mean(Y * tf.log(hypothesis) + (1 - Y) * tf.log(1 - hypothesis))
with tf.name_scope("train"):
    train = tf.train.AdamOptimizer(learning_rate=0.1).minimize(cost)
predicted = tf.cast(hypothesis > 0.5, dtype=tf.float32)
accuracy = tf.reduce_mean(tf.cast(tf.equal(predicted, Y), dtype=tf.float32))
print(W1.name, b2.name, hypothesis.name, cost.name, predicted.name, train.name)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(np.round(sess.run(b1), 4).tolist())
    print('%.4f' % sess.run(cost, feed_dict={X: x_data, Y: y_data}))
    for step in range(201):
        sess.run(train, feed_dict={X: x_data, Y: y_data})
        if step % 100 == 0:
            print(step, '%.3f' % sess.run(cost, feed_dict={X: x_data, Y: y_data}))
    h, c, a = sess.run([hypothesis, predicted, accuracy], feed_dict={X: x_data, Y: y_data})
    print("\nHypothesis: ", np.round(h, 1).tolist(), "\nCorrect: ", c.tolist(), "\nAccuracy: ", a)
