# needs sklearn
# A softmax classifier of the iris data.
import numpy as np
import tensorflow.compat.v1 as tf
from sklearn.datasets import load_iris
from sklearn.metrics import accuracy_score, confusion_matrix
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OneHotEncoder, StandardScaler

tf.disable_v2_behavior()

iris = load_iris()
print(iris.data.shape, iris.target_names.tolist(), iris['feature_names'][0])
X = StandardScaler().fit_transform(iris.data).astype(np.float32)
Y = OneHotEncoder().fit_transform(iris.target.reshape(-1, 1)).toarray()
X_train, X_test, y_train, y_test = train_test_split(X, Y, test_size=0.2, random_state=42)
print(X_train.shape, y_test.shape, X_train.dtype)

x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 3])
W = tf.Variable(tf.zeros([4, 3]))
b = tf.Variable(tf.zeros([3]))
logits = tf.matmul(x, W) + b
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits))
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
predict = tf.argmax(logits, 1)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(60):
        _, l = sess.run([train, loss], feed_dict={x: X_train, y: y_train})
        if epoch % 20 == 0:
            print('epoch %d loss %.4f' % (epoch, l))
    predicted = sess.run(predict, feed_dict={x: X_test})
    actual = np.argmax(y_test, axis=1)
    print('accuracy %.3f' % accuracy_score(actual, predicted))
    print(confusion_matrix(actual, predicted))
