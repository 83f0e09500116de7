"""A character model: BasicRNNCell unrolled by static_rnn, trained on a line of text."""
import numpy as np
import tensorflow as tf

text = 'hello world, hello graph, hello session. '
chars = sorted(set(text))
char_to_ix = {ch: i for i, ch in enumerate(chars)}
ix_to_char = {i: ch for i, ch in enumerate(chars)}
print('data has %d characters, %d unique.' % (len(text), len(chars)))
vocab, hidden, seq_length = len(chars), 16, 8

tf.set_random_seed(3)
inputs = tf.placeholder(tf.int32, [None, seq_length], name='inputs')
targets = tf.placeholder(tf.int32, [None, seq_length], name='targets')
one_hot = tf.one_hot(inputs, vocab)
steps = tf.unstack(one_hot, seq_length, 1)
with tf.variable_scope('rnn', initializer=tf.random_normal_initializer(stddev=0.1, seed=4)):
    cell = tf.nn.rnn_cell.BasicRNNCell(hidden)
    outputs, state = tf.nn.static_rnn(cell, steps, dtype=tf.float32)
    softmax_w = tf.get_variable('softmax_w', [hidden, vocab])
    softmax_b = tf.get_variable('softmax_b', [vocab], initializer=tf.constant_initializer(0.))
logits = [tf.matmul(o, softmax_w) + softmax_b for o in outputs]
losses = [tf.nn.sparse_softmax_cross_entropy_with_logits(logits=l, labels=t) for l, t in zip(logits, tf.unstack(targets, seq_length, 1))]
cost = tf.reduce_mean(losses)
tvars = tf.trainable_variables()
grads, norm = tf.clip_by_global_norm(tf.gradients(cost, tvars), 5)
train_op = tf.train.AdamOptimizer(0.01).apply_gradients(zip(grads, tvars))
print([v.name for v in tvars], len(outputs), state.shape)

data = [char_to_ix[c] for c in text]
x = np.array([data[i:i + seq_length] for i in range(0, len(data) - seq_length - 1, 4)])
y = np.array([data[i + 1:i + seq_length + 1] for i in range(0, len(data) - seq_length - 1, 4)])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    first = None
    for epoch in range(200):
        _, c = sess.run([train_op, cost], {inputs: x, targets: y})
        first = c if first is None else first
        if epoch < 3:
            print('epoch %d cost %.4f' % (epoch, c))
    print(c < 0.1 * first)
    window, said = 'hello wo', ''
    for _ in range(6):
        p = sess.run(tf.nn.softmax(logits[-1]), {inputs: [[char_to_ix[ch] for ch in window]]})
        nxt = ix_to_char[int(np.argmax(p[0]))]
        said, window = said + nxt, window[1:] + nxt
    print(said)
