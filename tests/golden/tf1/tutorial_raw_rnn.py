"""Seq2seq with attention by raw_rnn, in the style of ematvey's notebooks."""
import numpy as np
import tensorflow as tf

tf.reset_default_graph()
PAD, EOS = 0, 1
vocab_size, input_embedding_size, encoder_hidden_units = 8, 5, 6
decoder_hidden_units = encoder_hidden_units * 2
init = tf.random_uniform_initializer(-.3, .3, seed=1)
encoder_inputs = tf.placeholder(shape=(None, None), dtype=tf.int32, name='encoder_inputs')
encoder_inputs_length = tf.placeholder(shape=(None,), dtype=tf.int32, name='encoder_inputs_length')
decoder_targets = tf.placeholder(shape=(None, None), dtype=tf.int32, name='decoder_targets')
with tf.variable_scope('m', initializer=init):
    embeddings = tf.get_variable('emb', [vocab_size, input_embedding_size])
    encoder_inputs_embedded = tf.nn.embedding_lookup(embeddings, encoder_inputs)
    encoder_cell = tf.nn.rnn_cell.LSTMCell(encoder_hidden_units)
    ((encoder_fw_outputs, encoder_bw_outputs), (encoder_fw_final_state, encoder_bw_final_state)) = (
        tf.nn.bidirectional_dynamic_rnn(cell_fw=encoder_cell, cell_bw=tf.nn.rnn_cell.LSTMCell(encoder_hidden_units),
            inputs=encoder_inputs_embedded, sequence_length=encoder_inputs_length, dtype=tf.float32, time_major=True))
    encoder_outputs = tf.concat((encoder_fw_outputs, encoder_bw_outputs), 2)
    c = tf.concat((encoder_fw_final_state.c, encoder_bw_final_state.c), 1)
    h = tf.concat((encoder_fw_final_state.h, encoder_bw_final_state.h), 1)
    encoder_final_state = tf.nn.rnn_cell.LSTMStateTuple(c=c, h=h)
    decoder_cell = tf.nn.rnn_cell.LSTMCell(decoder_hidden_units)
    encoder_max_time, batch_size = tf.unstack(tf.shape(encoder_inputs))
    decoder_lengths = encoder_inputs_length + 3
    W = tf.get_variable('W', [decoder_hidden_units, vocab_size])
    b = tf.get_variable('b', [vocab_size], initializer=tf.zeros_initializer())
    eos_time_slice = tf.ones([batch_size], dtype=tf.int32, name='EOS')
    pad_time_slice = tf.zeros([batch_size], dtype=tf.int32, name='PAD')
    eos_step_embedded = tf.nn.embedding_lookup(embeddings, eos_time_slice)
    pad_step_embedded = tf.nn.embedding_lookup(embeddings, pad_time_slice)

    def loop_fn_initial():
        initial_elements_finished = (0 >= decoder_lengths)
        return (initial_elements_finished, eos_step_embedded, encoder_final_state, None, None)

    def loop_fn_transition(time, previous_output, previous_state, previous_loop_state):
        def get_next_input():
            output_logits = tf.add(tf.matmul(previous_output, W), b)
            prediction = tf.argmax(output_logits, axis=1)
            return tf.nn.embedding_lookup(embeddings, prediction)
        elements_finished = (time >= decoder_lengths)
        finished = tf.reduce_all(elements_finished)
        input = tf.cond(finished, lambda: pad_step_embedded, get_next_input)
        return (elements_finished, input, previous_state, previous_output, None)

    def loop_fn(time, previous_output, previous_state, previous_loop_state):
        if previous_state is None:
            assert previous_output is None and previous_state is None
            return loop_fn_initial()
        else:
            return loop_fn_transition(time, previous_output, previous_state, previous_loop_state)

    decoder_outputs_ta, decoder_final_state, _ = tf.nn.raw_rnn(decoder_cell, loop_fn)
    decoder_outputs = decoder_outputs_ta.stack()
    print(decoder_outputs.dtype, decoder_final_state.c.dtype)
    decoder_max_steps, decoder_batch_size, decoder_dim = tf.unstack(tf.shape(decoder_outputs))
    decoder_outputs_flat = tf.reshape(decoder_outputs, (-1, decoder_hidden_units))
    decoder_logits_flat = tf.add(tf.matmul(decoder_outputs_flat, W), b)
    decoder_logits = tf.reshape(decoder_logits_flat, (decoder_max_steps, decoder_batch_size, vocab_size))
    decoder_prediction = tf.argmax(decoder_logits, 2)
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(
    labels=tf.one_hot(decoder_targets, depth=vocab_size, dtype=tf.float32), logits=decoder_logits))
train_op = tf.train.AdamOptimizer(.02).minimize(loss)

def batch(inputs, max_sequence_length=None):
    sequence_lengths = [len(seq) for seq in inputs]
    batch_size = len(inputs)
    if max_sequence_length is None:
        max_sequence_length = max(sequence_lengths)
    inputs_batch_major = np.zeros(shape=[batch_size, max_sequence_length], dtype=np.int32)
    for i, seq in enumerate(inputs):
        for j, element in enumerate(seq):
            inputs_batch_major[i, j] = element
    return inputs_batch_major.swapaxes(0, 1), sequence_lengths

def random_sequences(length_from, length_to, vocab_lower, vocab_upper, batch_size):
    def random_length():
        if length_from == length_to:
            return length_from
        return np.random.randint(length_from, length_to + 1)
    while True:
        yield [np.random.randint(low=vocab_lower, high=vocab_upper, size=random_length()).tolist() for _ in range(batch_size)]
np.random.seed(2)
batches = random_sequences(2, 4, 2, 8, 4)
print('head of the batch:')
for seq in next(batches):
    print(seq)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    losses = []
    for i in range(21):
        bt = next(batches)
        e, l = batch(bt)
        t, _ = batch([(s) + [EOS] + [PAD] * 2 for s in bt])
        fd = {encoder_inputs: e, encoder_inputs_length: l, decoder_targets: t}
        _, lo = sess.run([train_op, loss], fd)
        losses.append(lo)
        if i % 10 == 0: print('batch %d minibatch loss: %.2f' % (i, lo), sess.run(decoder_prediction, fd).shape)
    print(losses[-1] < losses[0])
print([v.name for v in tf.trainable_variables()])
