"""Policy gradients as in Simple Reinforcement Learning: slim layers, gradients kept and fed back."""
import numpy as np
import tensorflow as tf
import tensorflow.contrib.slim as slim
tf.reset_default_graph()
gamma = 0.99
def discount_rewards(r):
    discounted_r = np.zeros_like(r)
    running_add = 0
    for t in reversed(range(0, r.size)):
        running_add = running_add * gamma + r[t]
        discounted_r[t] = running_add
    return discounted_r

class agent():
    def __init__(self, lr, s_size, a_size, h_size):
        self.state_in = tf.placeholder(shape=[None, s_size], dtype=tf.float32)
        hidden = slim.fully_connected(self.state_in, h_size, biases_initializer=None, activation_fn=tf.nn.relu, weights_initializer=tf.constant_initializer(0.2))
        self.output = slim.fully_connected(hidden, a_size, activation_fn=tf.nn.softmax, biases_initializer=None, weights_initializer=tf.constant_initializer([[.1, .2], [.3, -.1], [.2, .5]]))
        self.chosen_action = tf.argmax(self.output, 1)
        self.reward_holder = tf.placeholder(shape=[None], dtype=tf.float32)
        self.action_holder = tf.placeholder(shape=[None], dtype=tf.int32)
        self.indexes = tf.range(0, tf.shape(self.output)[0]) * tf.shape(self.output)[1] + self.action_holder
        self.responsible_outputs = tf.gather(tf.reshape(self.output, [-1]), self.indexes)
        self.loss = -tf.reduce_mean(tf.log(self.responsible_outputs) * self.reward_holder)
        tvars = tf.trainable_variables()
        self.gradient_holders = []
        for idx, var in enumerate(tvars):
            placeholder = tf.placeholder(tf.float32, name=str(idx) + '_holder')
            self.gradient_holders.append(placeholder)
        self.gradients = tf.gradients(self.loss, tvars)
        optimizer = tf.train.AdamOptimizer(learning_rate=lr)
        self.update_batch = optimizer.apply_gradients(zip(self.gradient_holders, tvars))

myAgent = agent(lr=1e-2, s_size=4, a_size=2, h_size=3)
init = tf.global_variables_initializer()
np.random.seed(0)
with tf.Session() as sess:
    sess.run(init)
    i = 0
    total_reward, total_length = [], []
    gradBuffer = sess.run(tf.trainable_variables())
    for ix, grad in enumerate(gradBuffer):
        gradBuffer[ix] = grad * 0
    while i < 6:
        s = np.random.randn(4)
        running_reward = 0
        ep_history = []
        for j in range(9):
            a_dist = sess.run(myAgent.output, feed_dict={myAgent.state_in: [s]})
            a = np.random.choice(a_dist[0], p=a_dist[0] / a_dist[0].sum())
            a = np.argmax(a_dist == a)
            s1, r, d = np.random.randn(4), 1.0 if a == (s.sum() > 0) else 0.0, np.random.rand() < 0.2
            ep_history.append([s, a, r, s1])
            s = s1
            running_reward += r
            if d == True or j == 8:
                ep_history = np.array(ep_history, dtype=object)
                ep_history[:, 2] = discount_rewards(ep_history[:, 2])
                feed_dict = {myAgent.reward_holder: ep_history[:, 2], myAgent.action_holder: ep_history[:, 1], myAgent.state_in: np.vstack(ep_history[:, 0])}
                grads = sess.run(myAgent.gradients, feed_dict=feed_dict)
                for idx, grad in enumerate(grads):
                    gradBuffer[idx] += grad
                if i % 2 == 0 and i != 0:
                    feed_dict = dictionary = dict(zip(myAgent.gradient_holders, gradBuffer))
                    _ = sess.run(myAgent.update_batch, feed_dict=feed_dict)
                    for ix, grad in enumerate(gradBuffer):
                        gradBuffer[ix] = grad * 0
                total_reward.append(running_reward)
                total_length.append(j)
                break
        if i % 2 == 0:
            print(np.mean(total_reward[-100:]), total_length[-1])
        i += 1
    print(np.round(sess.run(tf.trainable_variables()[1]), 3))
