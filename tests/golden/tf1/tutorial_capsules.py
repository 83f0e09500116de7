"""A capsule net with routing, trained under a Supervisor of a graph of its own."""
import numpy as np
import tensorflow as tf
from collections import namedtuple

epsilon = 1e-9
cfg = namedtuple('Config', 'batch_size iter_routing stddev m_plus m_minus lambda_val')(2, 3, 0.01, 0.9, 0.1, 0.5)

def squash(vector):
    vec_squared_norm = tf.reduce_sum(tf.square(vector), -2, keep_dims=True)
    scalar_factor = vec_squared_norm / (1 + vec_squared_norm) / tf.sqrt(vec_squared_norm + epsilon)
    return scalar_factor * vector

def routing(input, b_IJ, num_caps, num_out):
    W = tf.get_variable('Weight', shape=(1, num_caps, num_out * 4, 8, 1), dtype=tf.float32,
                        initializer=tf.random_normal_initializer(stddev=cfg.stddev, seed=7))
    biases = tf.get_variable('bias', shape=(1, 1, num_out, 4, 1), initializer=tf.zeros_initializer())
    input = tf.tile(input, [1, 1, num_out * 4, 1, 1])
    assert input.get_shape() == [cfg.batch_size, num_caps, num_out * 4, 8, 1]
    u_hat = tf.reduce_sum(W * input, axis=3, keep_dims=True)
    u_hat = tf.reshape(u_hat, shape=[-1, num_caps, num_out, 4, 1])
    u_hat_stopped = tf.stop_gradient(u_hat, name='stop_gradient')
    for r_iter in range(cfg.iter_routing):
        with tf.variable_scope('iter_' + str(r_iter)):
            c_IJ = tf.nn.softmax(b_IJ, axis=2)
            if r_iter == cfg.iter_routing - 1:
                s_J = tf.multiply(c_IJ, u_hat)
                s_J = tf.reduce_sum(s_J, axis=1, keep_dims=True) + biases
                v_J = squash(s_J)
            elif r_iter < cfg.iter_routing - 1:
                s_J = tf.multiply(c_IJ, u_hat_stopped)
                s_J = tf.reduce_sum(s_J, axis=1, keep_dims=True) + biases
                v_J = squash(s_J)
                v_J_tiled = tf.tile(v_J, [1, num_caps, 1, 1, 1])
                u_produce_v = tf.reduce_sum(u_hat_stopped * v_J_tiled, axis=3, keep_dims=True)
                b_IJ += u_produce_v
    return v_J

class CapsNet(object):
    def __init__(self, is_training=True):
        self.graph = tf.Graph()
        with self.graph.as_default():
            if is_training:
                self.X = tf.placeholder(tf.float32, shape=(cfg.batch_size, 12, 12, 1))
                self.labels = tf.placeholder(tf.int32, shape=(cfg.batch_size,))
                self.Y = tf.one_hot(self.labels, depth=3, axis=1, dtype=tf.float32)
                self.build_arch()
                self.loss()
                self._summary()
                self.global_step = tf.Variable(0, name='global_step', trainable=False)
                self.optimizer = tf.train.AdamOptimizer()
                self.train_op = self.optimizer.minimize(self.total_loss, global_step=self.global_step)
        tf.logging.info('Seting up the main structure')

    def build_arch(self):
        with tf.variable_scope('Conv1_layer'):
            conv1 = tf.contrib.layers.conv2d(self.X, num_outputs=8, kernel_size=5, stride=1, padding='VALID', weights_initializer=tf.constant_initializer(0.02))
            assert conv1.get_shape() == [cfg.batch_size, 8, 8, 8]
        with tf.variable_scope('PrimaryCaps_layer'):
            caps = tf.contrib.layers.conv2d(conv1, 16, 5, 2, padding="VALID", activation_fn=tf.nn.relu, weights_initializer=tf.constant_initializer(0.03))
            capsules = squash(tf.reshape(caps, (cfg.batch_size, -1, 8, 1)))
        with tf.variable_scope('DigitCaps_layer'):
            num = capsules.shape[1].value
            inp = tf.reshape(capsules, shape=(cfg.batch_size, -1, 1, capsules.shape[-2].value, 1))
            with tf.variable_scope('routing'):
                b_IJ = tf.constant(np.zeros([cfg.batch_size, num, 3, 1, 1], dtype=np.float32))
                self.caps2 = tf.squeeze(routing(inp, b_IJ, num, 3), axis=1)
        with tf.variable_scope('Masking'):
            self.v_length = tf.sqrt(tf.reduce_sum(tf.square(self.caps2), axis=2, keep_dims=True) + epsilon)
            self.softmax_v = tf.nn.softmax(self.v_length, axis=1)
            self.argmax_idx = tf.reshape(tf.to_int32(tf.argmax(self.softmax_v, axis=1)), shape=(cfg.batch_size,))
            self.masked_v = tf.multiply(tf.squeeze(self.caps2), tf.reshape(self.Y, (-1, 3, 1)))
        with tf.variable_scope('Decoder'):
            vector_j = tf.reshape(self.masked_v, shape=(cfg.batch_size, -1))
            fc1 = tf.contrib.layers.fully_connected(vector_j, num_outputs=5, weights_initializer=tf.constant_initializer(0.1))
            self.decoded = tf.contrib.layers.fully_connected(fc1, num_outputs=144, activation_fn=tf.sigmoid, weights_initializer=tf.constant_initializer(0.1))

    def loss(self):
        max_l = tf.square(tf.maximum(0., cfg.m_plus - self.v_length))
        max_r = tf.square(tf.maximum(0., self.v_length - cfg.m_minus))
        assert max_l.get_shape() == [cfg.batch_size, 3, 1, 1]
        max_l = tf.reshape(max_l, shape=(cfg.batch_size, -1))
        max_r = tf.reshape(max_r, shape=(cfg.batch_size, -1))
        T_c = self.Y
        L_c = T_c * max_l + cfg.lambda_val * (1 - T_c) * max_r
        self.margin_loss = tf.reduce_mean(tf.reduce_sum(L_c, axis=1))
        orgin = tf.reshape(self.X, shape=(cfg.batch_size, -1))
        self.reconstruction_err = tf.reduce_mean(tf.square(self.decoded - orgin))
        self.total_loss = self.margin_loss + 0.392 * self.reconstruction_err

    def _summary(self):
        self.train_summary = tf.summary.merge([tf.summary.scalar('train/margin_loss', self.margin_loss), tf.summary.image('reconstruction_img', tf.reshape(self.decoded, shape=(cfg.batch_size, 12, 12, 1)))])
        correct_prediction = tf.equal(tf.to_int32(self.labels), self.argmax_idx)
        self.accuracy = tf.reduce_sum(tf.cast(correct_prediction, tf.float32))

model = CapsNet()
sv = tf.train.Supervisor(graph=model.graph, logdir=None, save_model_secs=0)
x = (np.arange(288).reshape(2, 12, 12, 1) % 9 / 9.).astype(np.float32)
with sv.managed_session() as sess:
    for step in range(4):
        if sv.should_stop():
            break
        _, loss, acc, gs = sess.run([model.train_op, model.total_loss, model.accuracy, model.global_step], {model.X: x, model.labels: [0, 2]})
        assert not np.isnan(loss), 'Something wrong! loss is nan...'
        print(gs, '%.4f' % loss, acc)
    print(len(sess.run(model.train_summary, {model.X: x, model.labels: [0, 2]})) > 100)
for v in model.graph.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES):
    print(v.op.name, v.get_shape().as_list())
