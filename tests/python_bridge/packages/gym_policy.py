# needs gymnasium
# A policy in a small environment that derives from gymnasium's class.
import gymnasium as gym
import numpy as np
import tensorflow.compat.v1 as tf
from gymnasium import spaces

tf.disable_v2_behavior()


class Corridor(gym.Env):
    metadata = {'render_modes': []}

    def __init__(self, length=5):
        super().__init__()
        self.length = length
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Box(0., 1., (length,), np.float32)
        self.state = np.zeros(length, np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = 0
        return self._observe(), {}

    def _observe(self):
        self.state[:] = 0
        self.state[self.at] = 1.
        return self.state.copy()

    def step(self, action):
        self.at = max(0, self.at - 1) if action == 0 else self.at + 1
        done = self.at == self.length - 1
        return self._observe(), 1. if done else -0.1, done, False, {'at': self.at}


env = gym.wrappers.TimeLimit(Corridor(), max_episode_steps=20)
print(env.action_space.n, env.observation_space.shape, env.unwrapped.length, isinstance(env.unwrapped, Corridor))
states = tf.placeholder(tf.float32, [None, 5])
actions = tf.placeholder(tf.int32, [None])
returns = tf.placeholder(tf.float32, [None])
weights = tf.Variable(tf.zeros([5, 2]))
logits = tf.matmul(states, weights)
probabilities = tf.nn.softmax(logits)
loss = tf.reduce_mean(returns * tf.nn.sparse_softmax_cross_entropy_with_logits(labels=actions, logits=logits))
train = tf.train.GradientDescentOptimizer(1.).minimize(loss)
random = np.random.RandomState(0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for episode in range(30):
        state, info = env.reset(seed=episode)
        seen, done, truncated, rewards = [], False, False, []
        while not (done or truncated):
            p = sess.run(probabilities, {states: state[None]})[0]
            action = int(random.rand() < p[1])
            seen.append((state, action))
            state, reward, done, truncated, info = env.step(action)
            rewards.append(reward)
        g = np.cumsum(rewards[::-1])[::-1]
        sess.run(train, {states: np.array([s for s, a in seen]), actions: [a for s, a in seen], returns: g})
        if episode % 10 == 0:
            print(episode, len(seen), '%.2f' % sum(rewards), info)
    print(sess.run(probabilities, {states: np.eye(5)})[:, 1].round(2))
    print(spaces.flatdim(env.observation_space), env.observation_space.contains(state))
