# needs yaml
"""Deep Q learning in an environment of its own class, configured by a file."""
import collections
import math
import random

import numpy as np
import tensorflow.compat.v1 as tf
import yaml

tf.disable_v2_behavior()

CONFIG = yaml.safe_load('''
agent: {gamma: 0.9, epsilon: 0.9, batch: 16, memory: 200, replace: 10}
net:
  hidden: [10]
  rate: 0.01
episodes: 6
tags: [dqn, "small", 1e-3, yes, null, 2020-01-02]
''')
print(CONFIG['agent'], CONFIG['tags'])
Transition = collections.namedtuple('Transition', 'state action reward next done')


class CartPole(object):
    n_actions, n_features = 2, 4

    def __init__(self):
        self.random = np.random.RandomState(3)

    def reset(self):
        self.state = self.random.uniform(low=-0.05, high=0.05, size=(4,))
        self.steps = 0
        return np.array(self.state)

    def step(self, action):
        x, x_dot, theta, theta_dot = self.state
        force = 10. if action == 1 else -10.
        c, s = math.cos(theta), math.sin(theta)
        temp = (force + 0.05 * theta_dot ** 2 * s) / 1.1
        acc = (9.8 * s - c * temp) / (0.5 * (4.0 / 3.0 - 0.1 * c * c / 1.1))
        self.state = (x + .02 * x_dot, x_dot + .02 * (temp - .05 * acc * c / 1.1), theta + .02 * theta_dot, theta_dot + .02 * acc)
        self.steps += 1
        done = abs(self.state[0]) > 2.4 or abs(self.state[2]) > 12 * 2 * math.pi / 360 or self.steps >= 40
        return np.array(self.state), 1.0, bool(done), {}


class DeepQNetwork:
    def __init__(self, env, gamma, epsilon, batch, memory, replace):
        self.__dict__.update(gamma=gamma, epsilon=epsilon, batch=batch, replace=replace, learned=0)
        self.memory = collections.deque(maxlen=memory)
        self.random = random.Random(1)
        self.s = tf.placeholder(tf.float32, [None, env.n_features], name='s')
        self.q_target = tf.placeholder(tf.float32, [None, env.n_actions], name='Q_target')
        self.q_eval = self._build(self.s, 'eval_net', env.n_actions)
        self.q_next = self._build(self.s, 'target_net', env.n_actions)
        self.loss = tf.reduce_mean(tf.squared_difference(self.q_target, self.q_eval))
        self.train = tf.train.RMSPropOptimizer(CONFIG['net']['rate']).minimize(self.loss)
        t, e = (tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope=n) for n in ('target_net', 'eval_net'))
        self.copy = [tf.assign(a, b) for a, b in zip(t, [v for v in e if 'RMSProp' not in v.name])]
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def _build(self, x, scope, n):
        with tf.variable_scope(scope):
            for i, size in enumerate(CONFIG['net']['hidden'] + [n]):
                w = tf.get_variable('w%d' % i, [x.shape[1], size], initializer=tf.random_normal_initializer(0., 0.3, seed=i))
                b = tf.get_variable('b%d' % i, [size], initializer=tf.constant_initializer(0.1))
                x = tf.matmul(x, w) + b
                x = tf.nn.relu(x) if size != n else x
        return x

    def act(self, state):
        if self.random.random() < self.epsilon:
            return int(np.argmax(self.sess.run(self.q_eval, {self.s: state[np.newaxis, :]})))
        return self.random.randint(0, 1)

    def learn(self):
        if self.learned % self.replace == 0:
            self.sess.run(self.copy)
        sample = Transition(*zip(*self.random.sample(list(self.memory), self.batch)))
        following = self.sess.run(self.q_next, {self.s: np.stack(sample.next)})
        target = self.sess.run(self.q_eval, {self.s: np.stack(sample.state)})
        reward = np.array(sample.reward) * ~np.array(sample.done)
        target[np.arange(self.batch), sample.action] = reward + self.gamma * following.max(axis=1)
        self.learned += 1
        return self.sess.run([self.train, self.loss], {self.s: np.stack(sample.state), self.q_target: target})[1]


env = CartPole()
agent = DeepQNetwork(env, **CONFIG['agent'])
for episode in range(CONFIG['episodes']):
    state, total, done = env.reset(), 0, False
    while not done:
        action = agent.act(state)
        after, reward, done, _ = env.step(action)
        agent.memory.append(Transition(state, action, reward, after, done))
        state, total = after, total + reward
        cost = agent.learn() if len(agent.memory) > 30 else None
    print('episode %d reward %3d %s' % (episode, total, '' if cost is None else 'learning'))
print(len(agent.memory), agent.learned, yaml.dump({'a': [1, 2], 'loss': float(round(cost, 1)) < 10}, default_flow_style=False).split('\n'))
