"""Encoder and decoder of one LSTM each that learn to reverse short sequences."""
import numpy as np
import tensorflow as tf

tf.reset_default_graph()
tf.set_random_seed(11)
PAD, EOS = 0, 1
vocab_size, input_embedding_size, encoder_hidden_units = 8, 6, 12
batch_size, length = 6, 4

encoder_inputs = tf.placeholder(shape=(None, None), dtype=tf.int32, name='encoder_inputs')
decoder_targets = tf.placeholder(shape=(None, None), dtype=tf.int32, name='decoder_targets')
decoder_inputs = tf.placeholder(shape=(None, None), dtype=tf.int32, name='decoder_inputs')
embeddings = tf.Variable(tf.random_uniform([vocab_size, input_embedding_size], -1.0, 1.0, seed=1), dtype=tf.float32)
encoder_inputs_embedded = tf.nn.embedding_lookup(embeddings, encoder_inputs)
decoder_inputs_embedded = tf.nn.embedding_lookup(embeddings, decoder_inputs)

with tf.variable_scope('model', initializer=tf.random_uniform_initializer(-0.3, 0.3, seed=2)):
    encoder_cell = tf.nn.rnn_cell.LSTMCell(encoder_hidden_units)
    encoder_outputs, encoder_final_state = tf.nn.dynamic_rnn(encoder_cell, encoder_inputs_embedded, dtype=tf.float32, time_major=True, scope='plain_encoder')
    decoder_cell = tf.nn.rnn_cell.LSTMCell(encoder_hidden_units)
    decoder_outputs, decoder_final_state = tf.nn.dynamic_rnn(decoder_cell, decoder_inputs_embedded, initial_state=encoder_final_state, dtype=tf.float32,
                                                             time_major=True, scope='plain_decoder')
    w = tf.get_variable('w', [encoder_hidden_units, vocab_size])
    b = tf.get_variable('b', [vocab_size], initializer=tf.zeros_initializer())
flat = tf.reshape(decoder_outputs, [-1, encoder_hidden_units])
decoder_logits = tf.reshape(tf.matmul(flat, w) + b, [tf.shape(decoder_outputs)[0], tf.shape(decoder_outputs)[1], vocab_size])
decoder_prediction = tf.argmax(decoder_logits, 2)
stepwise_cross_entropy = tf.nn.softmax_cross_entropy_with_logits(labels=tf.one_hot(decoder_targets, depth=vocab_size, dtype=tf.float32), logits=decoder_logits)
loss = tf.reduce_mean(stepwise_cross_entropy)
train_op = tf.train.AdamOptimizer(0.02).minimize(loss)
for v in tf.trainable_variables():
    print(v.name, v.shape)

rng = np.random.RandomState(5)


def next_feed():
    batch = rng.randint(2, vocab_size, size=(length, batch_size))
    targets = np.concatenate([batch[::-1], [[EOS] * batch_size]])
    inputs = np.concatenate([[[EOS] * batch_size], batch[::-1]])
    return {encoder_inputs: batch, decoder_inputs: inputs, decoder_targets: targets}


losses = []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(151):
        _, l = sess.run([train_op, loss], next_feed())
        losses.append(l)
        if step in (0, 1, 2, 5):
            print('batch %d, minibatch loss: %.4f' % (step, l))
    fd = next_feed()
    predicted = sess.run(decoder_prediction, fd)
    print(predicted.shape, losses[-1] < 0.75 * losses[0], sum(losses[-10:]) < sum(losses[:10]))
