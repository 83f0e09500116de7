# needs sklearn
# Handwritten digits of scikit-learn through a network with dropout.
import numpy as np
import tensorflow.compat.v1 as tf
from sklearn.datasets import load_digits
from sklearn.metrics import accuracy_score, confusion_matrix
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import LabelBinarizer, StandardScaler
from sklearn.utils import shuffle

tf.disable_v2_behavior()

# load data
digits = load_digits(n_class=4)
X = digits.data
y = LabelBinarizer().fit_transform(digits.target)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=.3, random_state=42, stratify=digits.target)
scaler = StandardScaler().fit(X_train)
X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)
print(X_train.shape, y_test.shape, X_train.mean().round(6) + 0.0, scaler.mean_[1:4].round(3))


def add_layer(inputs, in_size, out_size, activation_function=None, seed=1):
    Weights = tf.Variable(tf.random_normal([in_size, out_size], stddev=0.1, seed=seed))
    biases = tf.Variable(tf.zeros([1, out_size]) + 0.1)
    Wx_plus_b = tf.matmul(inputs, Weights) + biases
    Wx_plus_b = tf.nn.dropout(Wx_plus_b, keep_prob)
    outputs = Wx_plus_b if activation_function is None else activation_function(Wx_plus_b)
    tf.summary.histogram('outputs', outputs)
    return outputs


keep_prob = tf.placeholder(tf.float32)
xs = tf.placeholder(tf.float32, [None, 64])
ys = tf.placeholder(tf.float32, [None, 4])
l1 = add_layer(xs, 64, 20, activation_function=tf.nn.tanh)
prediction = add_layer(l1, 20, 4, seed=2)
cross_entropy = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=ys, logits=prediction))
train_step = tf.train.AdamOptimizer(0.02).minimize(cross_entropy)
merged = tf.summary.merge_all()

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(40):
        a, b = shuffle(X_train, y_train, n_samples=100, random_state=i)
        sess.run(train_step, feed_dict={xs: a, ys: b, keep_prob: 1.})
    out = sess.run(prediction, feed_dict={xs: X_test, keep_prob: 1})
    truth, guess = np.argmax(y_test, 1), np.argmax(out, 1)
    print(accuracy_score(truth, guess) > 0.95)
    matrix = confusion_matrix(truth, guess)
    print(matrix.sum(axis=1), matrix.trace() > 200, type(matrix).__name__, matrix.dtype)
    print(len(sess.run(merged, feed_dict={xs: X_test, ys: y_test, keep_prob: 1})) > 100)
