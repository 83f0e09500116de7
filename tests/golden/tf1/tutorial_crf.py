"""Forward algorithm, Viterbi decoding and sequence masks, as tf.contrib.crf does, from core ops."""
import numpy as np
import tensorflow as tf

num_examples, num_words, num_features, num_tags = 3, 5, 4, 3
rng = np.random.RandomState(0)
x = rng.rand(num_examples, num_words, num_features).astype(np.float32)
y = rng.randint(num_tags, size=[num_examples, num_words]).astype(np.int32)
lengths = np.array([5, 3, 4], np.int32)

def _lengths_to_masks(lengths, max_length):
    tiled_ranges = tf.tile(tf.expand_dims(tf.range(max_length), 0), [tf.shape(lengths)[0], 1])
    lengths = tf.expand_dims(lengths, 1)
    return tf.to_float(tf.to_int64(tiled_ranges) < tf.to_int64(lengths))

def crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params):
    batch_size = tf.shape(inputs)[0]
    max_seq_len = tf.shape(inputs)[1]
    num_tags = tf.shape(inputs)[2]
    flattened_inputs = tf.reshape(inputs, [-1])
    offsets = tf.expand_dims(tf.range(batch_size) * max_seq_len * num_tags, 1)
    offsets += tf.expand_dims(tf.range(max_seq_len) * num_tags, 0)
    flattened_tag_indices = tf.reshape(offsets + tag_indices, [-1])
    unary_scores = tf.reshape(tf.gather(flattened_inputs, flattened_tag_indices), [batch_size, max_seq_len])
    masks = tf.sequence_mask(sequence_lengths, maxlen=tf.shape(tag_indices)[1], dtype=tf.float32)
    unary_scores = tf.reduce_sum(unary_scores * masks, 1)
    num_transitions = tf.shape(tag_indices)[1] - 1
    start_tag_indices = tf.slice(tag_indices, [0, 0], [-1, num_transitions])
    end_tag_indices = tf.slice(tag_indices, [0, 1], [-1, num_transitions])
    flattened_transition_indices = tf.reshape(start_tag_indices * transition_params.get_shape()[0] + end_tag_indices, [-1])
    flattened_transition_params = tf.reshape(transition_params, [-1])
    binary_scores = tf.reshape(tf.gather(flattened_transition_params, flattened_transition_indices), [batch_size, -1])
    truncated_masks = tf.slice(masks, [0, 1], [-1, -1])
    binary_scores = tf.reduce_sum(binary_scores * truncated_masks, 1)
    return unary_scores + binary_scores


class CrfForwardRnnCell(tf.nn.rnn_cell.RNNCell):
    def __init__(self, transition_params):
        self._transition_params = tf.expand_dims(transition_params, 0)
        self._num_tags = transition_params.get_shape()[0]

    @property
    def state_size(self):
        return self._num_tags

    @property
    def output_size(self):
        return self._num_tags

    def __call__(self, inputs, state, scope=None):
        state = tf.expand_dims(state, 2)
        transition_scores = state + self._transition_params
        new_alphas = inputs + tf.reduce_logsumexp(transition_scores, [1])
        return new_alphas, new_alphas

def crf_log_norm(inputs, sequence_lengths, transition_params):
    first_input = tf.squeeze(tf.slice(inputs, [0, 0, 0], [-1, 1, -1]), [1])
    rest_of_input = tf.slice(inputs, [0, 1, 0], [-1, -1, -1])
    forward_cell = CrfForwardRnnCell(transition_params)
    _, alphas = tf.nn.dynamic_rnn(cell=forward_cell, inputs=rest_of_input, sequence_length=sequence_lengths - 1,
                                  initial_state=first_input, dtype=tf.float32)
    return tf.reduce_logsumexp(alphas, [1])

def viterbi_decode(score, transition_params):
    trellis = np.zeros_like(score)
    backpointers = np.zeros_like(score, dtype=np.int32)
    trellis[0] = score[0]
    for t in range(1, score.shape[0]):
        v = np.expand_dims(trellis[t - 1], 1) + transition_params
        trellis[t] = score[t] + np.max(v, 0)
        backpointers[t] = np.argmax(v, 0)
    viterbi = [np.argmax(trellis[-1])]
    for bp in reversed(backpointers[1:]):
        viterbi.append(bp[viterbi[-1]])
    viterbi.reverse()
    viterbi_score = np.max(trellis[-1])
    return viterbi, viterbi_score

with tf.Graph().as_default():
    with tf.Session() as session:
        x_t = tf.constant(x)
        y_t = tf.constant(y)
        sequence_lengths_t = tf.constant(lengths)
        weights = tf.get_variable("weights", [num_features, num_tags], initializer=tf.random_normal_initializer(seed=2))
        matricized_x_t = tf.reshape(x_t, [-1, num_features])
        matricized_unary_scores = tf.matmul(matricized_x_t, weights)
        unary_scores = tf.reshape(matricized_unary_scores, [num_examples, num_words, num_tags])
        transition_params = tf.get_variable("transitions", [num_tags, num_tags], initializer=tf.constant_initializer(.1))
        log_likelihood = crf_sequence_score(unary_scores, y_t, sequence_lengths_t, transition_params) - crf_log_norm(unary_scores, sequence_lengths_t, transition_params)
        loss = tf.reduce_mean(-log_likelihood)
        print(log_likelihood, loss)
        train_op = tf.train.GradientDescentOptimizer(0.3).minimize(loss)
        session.run(tf.global_variables_initializer())
        for i in range(200):
            tf_unary_scores, tf_transition_params, l, _ = session.run([unary_scores, transition_params, loss, train_op])
            if i % 50 == 0:
                print(i, '%.3f' % l)
                correct_labels = 0
                total_labels = 0
                for tf_unary_scores_, y_, sequence_length_ in zip(tf_unary_scores, y, lengths):
                    tf_unary_scores_ = tf_unary_scores_[:sequence_length_]
                    y_ = y_[:sequence_length_]
                    viterbi_sequence, _ = viterbi_decode(tf_unary_scores_, tf_transition_params)
                    correct_labels += np.sum(np.equal(viterbi_sequence, y_))
                    total_labels += sequence_length_
                accuracy = 100.0 * correct_labels / float(total_labels)
                print("Accuracy: %.2f%%" % accuracy)
        print(_lengths_to_masks(sequence_lengths_t, 5).eval())
        print(viterbi_sequence, tf.sequence_mask([1, 3], 4))
