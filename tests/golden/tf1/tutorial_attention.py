"""Attention pieces as in Transformer and seq2seq code of 2017: multi-head, layer norm, positional encoding, masks, beam step."""
import numpy as np
import tensorflow as tf

def normalize(inputs, epsilon=1e-8, scope="ln", reuse=None):
    with tf.variable_scope(scope, reuse=reuse):
        inputs_shape = inputs.get_shape()
        params_shape = inputs_shape[-1:]
        mean, variance = tf.nn.moments(inputs, [-1], keep_dims=True)
        beta = tf.Variable(tf.zeros(params_shape))
        gamma = tf.Variable(tf.ones(params_shape))
        normalized = (inputs - mean) / ((variance + epsilon) ** (.5))
        outputs = gamma * normalized + beta
    return outputs

def positional_encoding(inputs, num_units, zero_pad=True, scale=True, scope="positional_encoding", reuse=None):
    N, T = inputs.get_shape().as_list()
    with tf.variable_scope(scope, reuse=reuse):
        position_ind = tf.tile(tf.expand_dims(tf.range(T), 0), [N, 1])
        position_enc = np.array([[pos / np.power(10000, 2.*i/num_units) for i in range(num_units)] for pos in range(T)])
        position_enc[:, 0::2] = np.sin(position_enc[:, 0::2])
        position_enc[:, 1::2] = np.cos(position_enc[:, 1::2])
        lookup_table = tf.convert_to_tensor(position_enc, dtype=tf.float32)
        if zero_pad:
            lookup_table = tf.concat((tf.zeros(shape=[1, num_units]), lookup_table[1:, :]), 0)
        outputs = tf.nn.embedding_lookup(lookup_table, position_ind)
        if scale:
            outputs = outputs * num_units**0.5
        return outputs

def multihead_attention(queries, keys, num_units=None, num_heads=8, dropout_rate=0, is_training=True, causality=False,
                        scope="multihead_attention", reuse=None):
    with tf.variable_scope(scope, reuse=reuse):
        if num_units is None:
            num_units = queries.get_shape().as_list[-1]
        Q = tf.layers.dense(queries, num_units, activation=tf.nn.relu)
        K = tf.layers.dense(keys, num_units, activation=tf.nn.relu)
        V = tf.layers.dense(keys, num_units, activation=tf.nn.relu)
        Q_ = tf.concat(tf.split(Q, num_heads, axis=2), axis=0)
        K_ = tf.concat(tf.split(K, num_heads, axis=2), axis=0)
        V_ = tf.concat(tf.split(V, num_heads, axis=2), axis=0)
        outputs = tf.matmul(Q_, tf.transpose(K_, [0, 2, 1]))
        outputs = outputs / (K_.get_shape().as_list()[-1] ** 0.5)
        key_masks = tf.sign(tf.abs(tf.reduce_sum(keys, axis=-1)))
        key_masks = tf.tile(key_masks, [num_heads, 1])
        key_masks = tf.tile(tf.expand_dims(key_masks, 1), [1, tf.shape(queries)[1], 1])
        paddings = tf.ones_like(outputs)*(-2**32+1)
        outputs = tf.where(tf.equal(key_masks, 0), paddings, outputs)
        if causality:
            diag_vals = tf.ones_like(outputs[0, :, :])
            tril = tf.linalg.LinearOperatorLowerTriangular(diag_vals).to_dense() if False else tf.matrix_band_part(diag_vals, -1, 0)
            masks = tf.tile(tf.expand_dims(tril, 0), [tf.shape(outputs)[0], 1, 1])
            paddings = tf.ones_like(masks)*(-2**32+1)
            outputs = tf.where(tf.equal(masks, 0), paddings, outputs)
        outputs = tf.nn.softmax(outputs)
        query_masks = tf.sign(tf.abs(tf.reduce_sum(queries, axis=-1)))
        query_masks = tf.tile(query_masks, [num_heads, 1])
        query_masks = tf.tile(tf.expand_dims(query_masks, -1), [1, 1, tf.shape(keys)[1]])
        outputs *= query_masks
        outputs = tf.layers.dropout(outputs, rate=dropout_rate, training=tf.convert_to_tensor(is_training))
        outputs = tf.matmul(outputs, V_)
        outputs = tf.concat(tf.split(outputs, num_heads, axis=0), axis=2)
        outputs += queries
        outputs = normalize(outputs)
    return outputs

def feedforward(inputs, num_units=[8, 4], scope="ff", reuse=None):
    with tf.variable_scope(scope, reuse=reuse):
        params = {"inputs": inputs, "filters": num_units[0], "kernel_size": 1, "activation": tf.nn.relu, "use_bias": True}
        outputs = tf.layers.conv1d(**params)
        params = {"inputs": outputs, "filters": num_units[1], "kernel_size": 1, "activation": None, "use_bias": True}
        outputs = tf.layers.conv1d(**params)
        outputs += inputs
        outputs = normalize(outputs)
    return outputs

def label_smoothing(inputs, epsilon=0.1):
    K = inputs.get_shape().as_list()[-1]
    return ((1-epsilon) * inputs) + (epsilon / K)

tf.set_random_seed(7)
x = tf.constant([[1, 2, 3, 0], [2, 2, 0, 0]])
lookup = tf.get_variable('lookup_table', dtype=tf.float32, shape=[5, 4], initializer=tf.contrib.layers.xavier_initializer() if hasattr(tf, 'contrib') and False else tf.glorot_uniform_initializer(seed=1))
lookup = tf.concat((tf.zeros(shape=[1, 4]), lookup[1:, :]), 0)
enc = tf.nn.embedding_lookup(lookup, x) * 4 ** .5
enc += positional_encoding(x, 4)
print(enc)
enc = tf.layers.dropout(enc, rate=.1, training=tf.convert_to_tensor(False))
for i in range(2):
    with tf.variable_scope("num_blocks_{}".format(i)):
        enc = multihead_attention(queries=enc, keys=enc, num_units=4, num_heads=2, causality=i == 1, is_training=False)
        enc = feedforward(enc)
print(enc)
for v in tf.trainable_variables(): print(v.name, v.shape.as_list())
logits = tf.layers.dense(enc, 5)
preds = tf.to_int32(tf.arg_max(logits, dimension=-1))
istarget = tf.to_float(tf.not_equal(x, 0))
acc = tf.reduce_sum(tf.to_float(tf.equal(preds, x)) * istarget) / tf.reduce_sum(istarget)
y_smoothed = label_smoothing(tf.one_hot(x, depth=5))
loss = tf.nn.softmax_cross_entropy_with_logits_v2(logits=logits, labels=y_smoothed)
mean_loss = tf.reduce_sum(loss * istarget) / (tf.reduce_sum(istarget))
global_step = tf.Variable(0, name='global_step', trainable=False)
opt = tf.train.AdamOptimizer(learning_rate=0.01, beta1=0.9, beta2=0.98, epsilon=1e-8)
train_op = opt.minimize(mean_loss, global_step=global_step)
tf.summary.scalar('mean_loss', mean_loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    first = sess.run(mean_loss)
    for _ in range(40): _, l, gs = sess.run([train_op, mean_loss, global_step])
    print(l < first, sess.run(global_step))
    print(sess.run(y_smoothed)[0, 0], preds, acc, train_op.name)
    e = sess.run(enc); print(np.abs(e.mean(-1)) < .5)
    topv, topi = tf.nn.top_k(tf.constant([[.1, .5, .3], [.9, .2, .4]]), k=2)
    beam = tf.reshape(topi // 3, [-1]); print(sess.run([topv, topi, beam]))
    print(sess.run(tf.matrix_band_part(tf.ones([3, 3]), -1, 0)))
