# needs gymnasium
# An actor and a critic in a registered environment with wrappers.
import gymnasium as gym
import numpy as np
import tensorflow.compat.v1 as tf
from gymnasium import spaces
from gymnasium.envs.registration import register

tf.disable_v2_behavior()


class GridWorld(gym.Env):
    """Walk to the corner of a grid."""
    MOVES = np.array([[0, 1], [1, 0], [0, -1], [-1, 0]])

    def __init__(self, size=3, render_mode=None):
        self.size = size
        self.observation_space = spaces.Dict({'agent': spaces.Box(0, size - 1, (2,), np.int64),
                                              'goal': spaces.MultiDiscrete([size, size])})
        self.action_space = spaces.Discrete(4)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.agent = self.np_random.integers(0, self.size, 2)
        return self.observation, dict(options or {})

    @property
    def observation(self):
        return {'agent': self.agent, 'goal': np.full(2, self.size - 1)}

    def step(self, action):
        self.agent = np.clip(self.agent + self.MOVES[action], 0, self.size - 1)
        done = bool((self.agent == self.size - 1).all())
        return self.observation, float(done), done, False, {'distance': int(np.abs(self.agent - self.size + 1).sum())}


class Penalty(gym.RewardWrapper):
    def reward(self, reward):
        return reward - 0.1


class Flat(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.observation_space = spaces.Box(-10., 10., (4,), np.float32)

    def observation(self, observation):
        return np.concatenate([observation['agent'], observation['goal']]).astype(np.float32)


register(id='tiny/Grid-v0', entry_point=GridWorld, max_episode_steps=15, kwargs={'size': 3})
env = Flat(Penalty(gym.make('tiny/Grid-v0', disable_env_checker=True)))
print(env.unwrapped.__class__.__name__, env.action_space, env.observation_space.shape, env.spec.id)
env.action_space.seed(1)
print([int(env.action_space.sample()) for _ in range(6)], env.action_space.contains(4))


class ActorCritic(object):
    def __init__(self, sess, n):
        self.sess = sess
        self.s = tf.placeholder(tf.float32, [1, n], 'state')
        self.a = tf.placeholder(tf.int32, None, 'act')
        self.td = tf.placeholder(tf.float32, None, 'td_error')
        self.v_ = tf.placeholder(tf.float32, [1, 1], 'v_next')
        self.r = tf.placeholder(tf.float32, None, 'r')
        with tf.variable_scope('Actor'):
            w = tf.get_variable('w', [n, 4], initializer=tf.zeros_initializer())
            self.probs = tf.nn.softmax(tf.matmul(self.s, w))
            exp_v = tf.reduce_mean(tf.log(self.probs[0, self.a]) * self.td)
            self.train_actor = tf.train.GradientDescentOptimizer(0.2).minimize(-exp_v)
        with tf.variable_scope('Critic'):
            self.v = tf.matmul(self.s, tf.get_variable('w', [n, 1], initializer=tf.zeros_initializer()))
            self.td_error = self.r + 0.9 * self.v_ - self.v
            self.train_critic = tf.train.GradientDescentOptimizer(0.05).minimize(tf.square(self.td_error))
        sess.run(tf.global_variables_initializer())

    def choose(self, s, random):
        probs = self.sess.run(self.probs, {self.s: s[np.newaxis, :]})
        return int(np.searchsorted(np.cumsum(probs.ravel().astype('f8')), random.rand() * 0.9999))

    def learn(self, s, a, r, s_):
        s, s_ = s[np.newaxis, :], s_[np.newaxis, :]
        v_ = self.sess.run(self.v, {self.s: s_})
        td, _ = self.sess.run([self.td_error, self.train_critic], {self.s: s, self.v_: v_, self.r: r})
        self.sess.run(self.train_actor, {self.s: s, self.a: a, self.td: td})


with tf.Session() as sess:
    agent, random, lengths = ActorCritic(sess, 4), np.random.RandomState(0), []
    for i in range(25):
        s, info = env.reset(seed=i, options={'episode': i})
        done = truncated = False
        t = 0
        while not (done or truncated):
            a = agent.choose(s, random)
            s_, r, done, truncated, more = env.step(a)
            agent.learn(s, a, r, s_)
            s, t = s_, t + 1
        lengths.append(t)
        if i % 8 == 0:
            print(info, t, '%.1f' % r, more, done)
    print(np.mean(lengths[-10:]) <= np.mean(lengths[:10]), lengths[:5], sess.run(agent.probs, {agent.s: np.zeros((1, 4))}).shape)
many = gym.vector.SyncVectorEnv([lambda: Flat(GridWorld()) for _ in range(3)])
obs, _ = many.reset(seed=4)
print(obs.shape, many.step(np.array([0, 1, 2]))[1], many.num_envs)
