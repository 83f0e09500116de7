# A denoising autoencoder as a class, in the manner of the models repository.
import numpy as np
import tensorflow as tf

def xavier_init(fan_in, fan_out, constant=1, seed=11):
    low = -constant * np.sqrt(6.0 / (fan_in + fan_out))
    high = constant * np.sqrt(6.0 / (fan_in + fan_out))
    return tf.random_uniform((fan_in, fan_out), minval=low, maxval=high, dtype=tf.float32, seed=seed)

class AdditiveGaussianNoiseAutoencoder(object):
    def __init__(self, n_input, n_hidden, transfer_function=tf.nn.softplus, optimizer=tf.train.AdamOptimizer(), scale=0.1):
        self.n_input = n_input
        self.n_hidden = n_hidden
        self.transfer = transfer_function
        self.scale = tf.placeholder(tf.float32)
        self.training_scale = scale
        self.weights = self._initialize_weights()
        self.x = tf.placeholder(tf.float32, [None, self.n_input])
        self.hidden = self.transfer(tf.add(tf.matmul(self.x + scale * tf.zeros((n_input,)), self.weights['w1']), self.weights['b1']))
        self.reconstruction = tf.add(tf.matmul(self.hidden, self.weights['w2']), self.weights['b2'])
        self.cost = 0.5 * tf.reduce_sum(tf.pow(tf.subtract(self.reconstruction, self.x), 2.0))
        self.optimizer = optimizer.minimize(self.cost)
        init = tf.global_variables_initializer()
        self.sess = tf.Session()
        self.sess.run(init)

    def _initialize_weights(self):
        all_weights = dict()
        all_weights['w1'] = tf.Variable(xavier_init(self.n_input, self.n_hidden))
        all_weights['b1'] = tf.Variable(tf.zeros([self.n_hidden], dtype=tf.float32))
        all_weights['w2'] = tf.Variable(tf.zeros([self.n_hidden, self.n_input], dtype=tf.float32))
        all_weights['b2'] = tf.Variable(tf.zeros([self.n_input], dtype=tf.float32))
        return all_weights

    def partial_fit(self, X):
        cost, opt = self.sess.run((self.cost, self.optimizer), feed_dict={self.x: X, self.scale: self.training_scale})
        return cost

    def calc_total_cost(self, X):
        return self.sess.run(self.cost, feed_dict={self.x: X, self.scale: self.training_scale})

    def transform(self, X):
        return self.sess.run(self.hidden, feed_dict={self.x: X, self.scale: self.training_scale})

    def getWeights(self):
        return self.sess.run(self.weights['w1'])

def standard_scale(X_train, X_test):
    mean, std = X_train.mean(axis=0), X_train.std(axis=0)
    return (X_train - mean) / std, (X_test - mean) / std

def get_random_block_from_data(data, batch_size):
    start_index = np.random.randint(0, len(data) - batch_size)
    return data[start_index:(start_index + batch_size)]

np.random.seed(5)
train, test = np.random.rand(40, 6), np.random.rand(8, 6)
X_train, X_test = standard_scale(train, test)
autoencoder = AdditiveGaussianNoiseAutoencoder(n_input=6, n_hidden=3, optimizer=tf.train.AdamOptimizer(learning_rate=0.01))
for epoch in range(4):
    avg_cost = 0.
    total_batch = int(40 / 8)
    for i in range(total_batch):
        batch_xs = get_random_block_from_data(X_train, 8)
        cost = autoencoder.partial_fit(batch_xs)
        avg_cost += cost / 40 * 8
    if epoch % 1 == 0:
        print("Epoch:", '%04d' % (epoch + 1), "cost=", "{:.3f}".format(avg_cost))
print("Total cost: %.2f" % autoencoder.calc_total_cost(X_test))
print(autoencoder.transform(X_test[:1]).shape, autoencoder.getWeights().round(2)[0])
