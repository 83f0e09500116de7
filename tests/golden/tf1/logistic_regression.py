# Pass or fail by hours of study: logistic regression, accuracy as it goes.
import tensorflow as tf

hours = [[0.5], [1.0], [1.5], [2.0], [2.5], [3.0], [3.5], [4.0], [4.5], [5.0]]
passed = [[0.], [0.], [0.], [0.], [1.], [0.], [1.], [1.], [1.], [1.]]
X = tf.placeholder(tf.float32, shape=[None, 1])
Y = tf.placeholder(tf.float32, shape=[None, 1])
W = tf.Variable(tf.zeros([1, 1]), name='weight')
b = tf.Variable(tf.zeros([1]), name='bias')
hypothesis = tf.sigmoid(tf.matmul(X, W) + b)
cost = -tf.reduce_mean(Y * tf.log(hypothesis) + (1 - Y) * tf.log(1 - hypothesis))
train = tf.train.GradientDescentOptimizer(learning_rate=0.3).minimize(cost)
predicted = tf.cast(hypothesis > 0.5, dtype=tf.float32)
accuracy = tf.reduce_mean(tf.cast(tf.equal(predicted, Y), dtype=tf.float32))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(601):
        cost_val, _ = sess.run([cost, train], feed_dict={X: hours, Y: passed})
        if step % 200 == 0:
            print(step, 'cost {:.3f}'.format(cost_val))
    h, c, a = sess.run([hypothesis, predicted, accuracy], feed_dict={X: hours, Y: passed})
    print('\nHypothesis:', [round(float(v), 2) for v in h.flatten()], '\nCorrect (Y):', c.flatten(), '\nAccuracy:', a)
