"""A3C skeleton: a global net and worker nets in threads, a lock-free queue of results."""
import threading
import queue
import numpy as np
import tensorflow as tf

N_WORKERS = 2
MAX_GLOBAL_EP = 6
GLOBAL_NET_SCOPE = 'Global_Net'
GLOBAL_EP = 0
N_S, N_A = 3, 1
lock = threading.Lock()


class ACNet(object):
    def __init__(self, scope, globalAC=None):
        if scope == GLOBAL_NET_SCOPE:
            with tf.variable_scope(scope):
                self.s = tf.placeholder(tf.float32, [None, N_S], 'S')
                self.a_params, self.c_params = self._build_net(scope)[-2:]
        else:
            with tf.variable_scope(scope):
                self.s = tf.placeholder(tf.float32, [None, N_S], 'S')
                self.a_his = tf.placeholder(tf.float32, [None, N_A], 'A')
                self.v_target = tf.placeholder(tf.float32, [None, 1], 'Vtarget')
                mu, sigma, self.v, self.a_params, self.c_params = self._build_net(scope)
                td = tf.subtract(self.v_target, self.v, name='TD_error')
                with tf.name_scope('c_loss'):
                    self.c_loss = tf.reduce_mean(tf.square(td))
                with tf.name_scope('wrap_a_out'):
                    mu, sigma = mu * 2., sigma + 1e-4
                with tf.name_scope('a_loss'):
                    log_prob = -tf.square((self.a_his - mu) / sigma) / 2 - tf.log(sigma) - .5 * np.log(2 * np.pi)
                    exp_v = log_prob * tf.stop_gradient(td)
                    entropy = .5 + .5 * np.log(2 * np.pi) + tf.log(sigma)
                    self.exp_v = 0.01 * entropy + exp_v
                    self.a_loss = tf.reduce_mean(-self.exp_v)
                with tf.name_scope('choose_a'):
                    self.A = tf.clip_by_value(tf.squeeze(mu, axis=[0]), [-2.], [2.])
                with tf.name_scope('local_grad'):
                    self.a_grads = tf.gradients(self.a_loss, self.a_params)
                    self.c_grads = tf.gradients(self.c_loss, self.c_params)
            with tf.name_scope('sync'):
                with tf.name_scope('pull'):
                    self.pull_a_params_op = [l_p.assign(g_p) for l_p, g_p in zip(self.a_params, globalAC.a_params)]
                    self.pull_c_params_op = [l_p.assign(g_p) for l_p, g_p in zip(self.c_params, globalAC.c_params)]
                with tf.name_scope('push'):
                    self.update_a_op = OPT_A.apply_gradients(zip(self.a_grads, globalAC.a_params))
                    self.update_c_op = OPT_C.apply_gradients(zip(self.c_grads, globalAC.c_params))

    def _build_net(self, scope):
        w_init = tf.random_normal_initializer(0., .1, seed=3)
        with tf.variable_scope('actor'):
            l_a = tf.layers.dense(self.s, 5, tf.nn.relu6, kernel_initializer=w_init, name='la')
            mu = tf.layers.dense(l_a, N_A, tf.nn.tanh, kernel_initializer=w_init, name='mu')
            sigma = tf.layers.dense(l_a, N_A, tf.nn.softplus, kernel_initializer=w_init, name='sigma')
        with tf.variable_scope('critic'):
            l_c = tf.layers.dense(self.s, 4, tf.nn.relu6, kernel_initializer=w_init, name='lc')
            v = tf.layers.dense(l_c, 1, kernel_initializer=w_init, name='v')
        a_params = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=scope + '/actor')
        c_params = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=scope + '/critic')
        return mu, sigma, v, a_params, c_params

    def update_global(self, feed_dict):
        SESS.run([self.update_a_op, self.update_c_op], feed_dict)

    def pull_global(self):
        SESS.run([self.pull_a_params_op, self.pull_c_params_op])

    def choose_action(self, s):
        s = s[np.newaxis, :]
        return SESS.run(self.A, {self.s: s})


class Worker(object):
    def __init__(self, name, globalAC):
        self.name = name
        self.AC = ACNet(name, globalAC)

    def work(self):
        global GLOBAL_EP
        rng = np.random.RandomState(1)
        while not COORD.should_stop():
            with lock:
                if GLOBAL_EP >= MAX_GLOBAL_EP:
                    break
                GLOBAL_EP += 1
                mine = GLOBAL_EP
            s = rng.rand(N_S)
            a = self.AC.choose_action(s)
            v_s_ = SESS.run(self.AC.v, {self.AC.s: s[np.newaxis, :]})[0, 0]
            buffer_v_target = np.array([[1. + .9 * v_s_]])
            self.AC.update_global({self.AC.s: np.vstack([s]), self.AC.a_his: np.vstack([a]), self.AC.v_target: buffer_v_target})
            self.AC.pull_global()
            results.put((mine, a.shape))


SESS = tf.Session()
results = queue.Queue()
with tf.device("/cpu:0"):
    OPT_A = tf.train.RMSPropOptimizer(0.01, name='RMSPropA')
    OPT_C = tf.train.RMSPropOptimizer(0.01, name='RMSPropC')
    GLOBAL_AC = ACNet(GLOBAL_NET_SCOPE)
    workers = []
    for i in range(N_WORKERS):
        workers.append(Worker('W_%i' % i, GLOBAL_AC))
COORD = tf.train.Coordinator()
SESS.run(tf.global_variables_initializer())
before = SESS.run(GLOBAL_AC.a_params[0])
worker_threads = []
for worker in workers:
    t = threading.Thread(target=lambda w=worker: w.work())
    t.start()
    worker_threads.append(t)
COORD.join(worker_threads)
got = sorted(results.get() for _ in range(MAX_GLOBAL_EP))
print(got, results.empty())
print((before != SESS.run(GLOBAL_AC.a_params[0])).any())
print([v.name for v in GLOBAL_AC.a_params])
print(workers[1].AC.A, workers[0].AC.update_a_op.name, workers[1].AC.pull_a_params_op[0])
print([v.name for v in tf.global_variables() if 'RMS' in v.name][:4], len(tf.global_variables()))
