# Lab: softmax classification with one-hot labels made from a column, gradients shown.
import tensorflow as tf
import numpy as np
tf.set_random_seed(777)

xy = np.array([[1, 2, 1, 1, 2], [2, 1, 3, 2, 2], [3, 1, 3, 4, 2], [4, 1, 5, 5, 1], [1, 7, 5, 5, 1],
               [1, 2, 5, 6, 1], [1, 6, 6, 6, 0], [1, 7, 7, 7, 0]], dtype=np.float32)
x_data = xy[:, 0:-1]
y_data = xy[:, [-1]].astype(int)
print(x_data.shape, y_data.shape, len(x_data))
nb_classes = 3
X = tf.placeholder(tf.float32, [None, 4])
Y = tf.placeholder(tf.int32, [None, 1])
Y_one_hot = tf.one_hot(Y, nb_classes)
print("one_hot:", Y_one_hot)
Y_one_hot = tf.reshape(Y_one_hot, [-1, nb_classes])
print("reshape one_hot:", Y_one_hot)
W = tf.Variable(tf.random_normal([4, nb_classes]), name='weight')
b = tf.Variable(tf.random_normal([nb_classes]), name='bias')
logits = tf.matmul(X, W) + b
hypothesis = tf.nn.softmax(logits)
cost_i = tf.nn.softmax_cross_entropy_with_logits(logits=logits, labels=Y_one_hot)
cost = tf.reduce_mean(cost_i)
optimizer = tf.train.GradientDescentOptimizer(learning_rate=0.1)
gvs = optimizer.compute_gradients(cost, [W])
apply_gradients = optimizer.apply_gradients([(tf.clip_by_value(g, -1., 1.), v) for g, v in gvs])
train = optimizer.minimize(cost)
prediction = tf.argmax(hypothesis, 1)
correct_prediction = tf.equal(prediction, tf.argmax(Y_one_hot, 1))
accuracy = tf.reduce_mean(tf.cast(correct_prediction, tf.float32))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(np.round(sess.run(W), 4))
    for step in range(400):
        _, cost_val, acc_val = sess.run([train, cost, accuracy], feed_dict={X: x_data, Y: y_data})
        if step % 100 == 0:
            print("Step: {:5}\tCost: {:.2f}\tAcc: {:.2%}".format(step, cost_val, acc_val))
    pred = sess.run(prediction, feed_dict={X: x_data})
    for p, y in zip(pred, y_data.flatten()):
        print("[{}] Prediction: {} True Y: {}".format(p == int(y), p, int(y)))
    sess.run(apply_gradients, {X: x_data, Y: y_data})
    print(sess.run(tf.argmax([[0.1, 0.9], [0.8, 0.2]], axis=1)), sess.run(cost_i, {X: x_data, Y: y_data}).shape)
