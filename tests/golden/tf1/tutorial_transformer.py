"""GPT-2's model: shapes half known, masked attention, weights tied, a sampling loop with shape invariants."""
import numpy as np, tensorflow as tf, os, sys, functools, itertools, collections, math
def lazy_property(function):
    attribute = '_cache_' + function.__name__
    @property
    @functools.wraps(function)
    def decorator(self):
        if not hasattr(self, attribute):
            with tf.variable_scope(function.__name__):
                setattr(self, attribute, function(self))
        return getattr(self, attribute)
    return decorator
class AttrDict(dict):
    def __getattr__(self, key):
        if key not in self:
            raise AttributeError(key)
        return self[key]
    __setattr__ = dict.__setitem__
params = AttrDict(lr=0.1, units=3); params.extra = 5
print(params.lr, params.extra, dict(params) == {'lr': .1, 'units': 3, 'extra': 5})
class HParams(object):
    def __init__(self, **kw): self.__dict__.update(kw)
    def replace(self, **kw): d = dict(self.__dict__); d.update(kw); return HParams(**d)
    def __repr__(self): return 'HParams(%s)' % ', '.join('%s=%r' % kv for kv in sorted(self.__dict__.items()))
print(HParams(a=1).replace(b=[2]))
def count_params():
    total = 0
    for variable in tf.trainable_variables():
        shape = variable.get_shape()
        variable_parameters = 1
        for dim in shape:
            variable_parameters *= dim.value
        total += variable_parameters
    return total
def glu(x): 
    a, b = tf.split(x, 2, axis=-1)
    return a * tf.sigmoid(b)
def norm(x, scope, axis=-1, e=1e-5):
    with tf.variable_scope(scope):
        n = x.shape[-1].value
        g = tf.get_variable('g', [n], initializer=tf.constant_initializer(1))
        b = tf.get_variable('b', [n], initializer=tf.constant_initializer(0))
        u = tf.reduce_mean(x, axis=axis, keepdims=True)
        s = tf.reduce_mean(tf.square(x - u), axis=axis, keepdims=True)
        return (x - u) * tf.rsqrt(s + e) * g + b
def shape_list(x):
    static = x.shape.as_list(); dynamic = tf.shape(x)
    return [dynamic[i] if s is None else s for i, s in enumerate(static)]
def conv1d(x, scope, nf, w_init_stdev=0.02):
    with tf.variable_scope(scope):
        *start, nx = shape_list(x)
        w = tf.get_variable('w', [1, nx, nf], initializer=tf.random_normal_initializer(stddev=w_init_stdev, seed=1))
        b = tf.get_variable('b', [nf], initializer=tf.constant_initializer(0))
        return tf.reshape(tf.matmul(tf.reshape(x, [-1, nx]), tf.reshape(w, [-1, nf])) + b, start + [nf])
def attention_mask(nd, ns, dtype):
    i = tf.range(nd)[:, None]; j = tf.range(ns)
    return tf.cast(i >= j - ns + nd, dtype)
def attn(x, scope, n_state, n_head):
    def split_heads(x):
        *start, m = shape_list(x)
        return tf.transpose(tf.reshape(x, start + [n_head, m // n_head]), [0, 2, 1, 3])
    def merge_heads(x):
        x = tf.transpose(x, [0, 2, 1, 3]); *start, a, b = shape_list(x)
        return tf.reshape(x, start + [a * b])
    with tf.variable_scope(scope):
        c = conv1d(x, 'c_attn', n_state * 3)
        q, k, v = map(split_heads, tf.split(c, 3, axis=2))
        w = tf.matmul(q, k, transpose_b=True) * tf.rsqrt(tf.cast(v.shape[-1].value, tf.float32))
        _, _, nd, ns = shape_list(w)
        b = tf.reshape(attention_mask(nd, ns, w.dtype), [1, 1, nd, ns])
        w = tf.nn.softmax(w * b - tf.cast(1e10, w.dtype) * (1 - b))
        return conv1d(merge_heads(tf.matmul(w, v)), 'c_proj', n_state), w
def gelu(x):
    return 0.5 * x * (1 + tf.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * tf.pow(x, 3))))
X = tf.placeholder(tf.int32, [None, None])
with tf.variable_scope('model', reuse=tf.AUTO_REUSE):
    wpe = tf.get_variable('wpe', [6, 8], initializer=tf.random_normal_initializer(stddev=0.01, seed=2))
    wte = tf.get_variable('wte', [11, 8], initializer=tf.random_normal_initializer(stddev=0.02, seed=3))
    B, T = shape_list(X)
    pos = tf.tile(tf.expand_dims(tf.range(T), 0), [B, 1])
    h = tf.gather(wte, X) + tf.gather(wpe, pos)
    a, w = attn(norm(h, 'ln_1'), 'attn', 8, 2)
    h = h + a
    h = h + conv1d(gelu(conv1d(norm(h, 'ln_2'), 'c_fc', 16)), 'c_proj', 8)
    logits = tf.reshape(tf.matmul(tf.reshape(norm(h, 'ln_f'), [-1, 8]), wte, transpose_b=True), [B, T, 11])
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=X[:, 1:], logits=logits[:, :-1]))
opt = tf.train.AdamOptimizer(0.01, beta2=0.98, epsilon=1e-9)
gvs = opt.compute_gradients(loss)
train = opt.apply_gradients([(tf.clip_by_norm(g, 1.0), v) for g, v in gvs if g is not None])
print(count_params(), [v.name for v in tf.trainable_variables()][:4])
def top_k_logits(logits, k):
    values, _ = tf.nn.top_k(logits, k=k)
    min_values = values[:, -1, tf.newaxis]
    return tf.where(logits < min_values, tf.ones_like(logits, dtype=logits.dtype) * -1e10, logits)
def body(past, i):
    with tf.variable_scope('m', reuse=tf.AUTO_REUSE):
        nxt = tf.argmax(top_k_logits(tf.gather(wte, past[:, -1]) @ tf.transpose(wte), 3), -1, output_type=tf.int32)
    return [tf.concat([past, nxt[:, None]], 1), i + 1]
seq, _ = tf.while_loop(lambda p, i: i < 3, body, [X, 0], shape_invariants=[tf.TensorShape([None, None]), tf.TensorShape([])], back_prop=False)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    data = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])
    for _ in range(4):
        print('%.3f' % sess.run([train, loss], {X: data})[1])
    print(sess.run(seq, {X: data}), sess.run(w, {X: data}).shape)
    tf.assert_equal(tf.shape(X)[0], 2).run({X: data})
