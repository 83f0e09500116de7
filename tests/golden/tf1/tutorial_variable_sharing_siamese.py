# A siamese network: two towers that share their variables.
import numpy as np
import tensorflow as tf

class siamese:
    def __init__(self):
        self.x1 = tf.placeholder(tf.float32, [None, 4])
        self.x2 = tf.placeholder(tf.float32, [None, 4])
        with tf.variable_scope("siamese") as scope:
            self.o1 = self.network(self.x1)
            scope.reuse_variables()
            self.o2 = self.network(self.x2)
        self.y_ = tf.placeholder(tf.float32, [None])
        self.loss = self.loss_with_spring()

    def network(self, x):
        fc1 = self.fc_layer(x, 5, "fc1")
        ac1 = tf.nn.relu(fc1)
        return self.fc_layer(ac1, 2, "fc2")

    def fc_layer(self, bottom, n_weight, name):
        assert len(bottom.get_shape()) == 2
        n_prev_weight = bottom.get_shape()[1]
        initer = tf.truncated_normal_initializer(stddev=0.3, seed=8)
        W = tf.get_variable(name + 'W', dtype=tf.float32, shape=[n_prev_weight, n_weight], initializer=initer)
        b = tf.get_variable(name + 'b', dtype=tf.float32, initializer=tf.constant(0.01, shape=[n_weight], dtype=tf.float32))
        return tf.nn.bias_add(tf.matmul(bottom, W), b)

    def loss_with_spring(self):
        margin = 5.0
        labels_t = self.y_
        labels_f = tf.subtract(1.0, self.y_, name="1-yi")
        eucd2 = tf.pow(tf.subtract(self.o1, self.o2), 2)
        eucd2 = tf.reduce_sum(eucd2, 1)
        eucd = tf.sqrt(eucd2 + 1e-6, name="eucd")
        C = tf.constant(margin, name="C")
        pos = tf.multiply(labels_t, eucd2, name="yi_x_eucd2")
        neg = tf.multiply(labels_f, tf.pow(tf.maximum(tf.subtract(C, eucd), 0), 2), name="Nyi_x_C-eucd_xx_2")
        losses = tf.add(pos, neg, name="losses")
        return tf.reduce_mean(losses, name="loss")

try:
    network = siamese()
except ValueError as e:
    print(str(e).split('\n')[0])

class fixed(siamese):
    def loss_with_spring(self):
        labels_f = tf.subtract(1.0, self.y_, name="one_minus_y")
        eucd2 = tf.reduce_sum(tf.pow(tf.subtract(self.o1, self.o2), 2), 1)
        eucd = tf.sqrt(eucd2 + 1e-6, name="eucd")
        return tf.reduce_mean(self.y_ * eucd2 + labels_f * tf.pow(tf.maximum(tf.subtract(5.0, eucd), 0), 2), name="loss")

tf.reset_default_graph()
net = fixed()
print(net.loss, [v.name for v in tf.trainable_variables()])
train_step = tf.train.GradientDescentOptimizer(0.05).minimize(net.loss)
np.random.seed(0)
a, b = np.random.rand(10, 4), np.random.rand(10, 4)
same = (np.argmax(a, 1) == np.argmax(b, 1)).astype(float)
print(same)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(30):
        _, loss_v = sess.run([train_step, net.loss], {net.x1: a, net.x2: b, net.y_: same})
        if np.isnan(loss_v):
            print('Model diverged with loss = NaN')
            quit()
        if step % 10 == 0:
            print('step %d: loss %.2f' % (step, loss_v))
