"""tf.contrib.crf: linear-chain conditional random fields."""
import numpy as np


def _mask(lengths, size, dtype=tf.float32):
    return tf.sequence_mask(lengths, maxlen=size, dtype=dtype)


def crf_unary_score(tag_indices, sequence_lengths, inputs):
    """The sum of the scores of the tags of each sequence."""
    size, tags = tf.shape(inputs)[1], tf.shape(inputs)[2]
    tag_indices = tf.cast(tag_indices, tf.int32)
    picked = tf.reduce_sum(inputs * tf.one_hot(tag_indices, tags, dtype=inputs.dtype), 2)
    return tf.reduce_sum(picked * _mask(sequence_lengths, size, inputs.dtype), 1)


def crf_binary_score(tag_indices, sequence_lengths, transition_params):
    """The sum of the scores of the transitions of each sequence."""
    tag_indices = tf.cast(tag_indices, tf.int32)
    tags = transition_params.get_shape()[0].value
    flat = tf.reshape(transition_params, [-1])
    picked = tf.gather(flat, tag_indices[:, :-1] * tags + tag_indices[:, 1:])
    mask = _mask(sequence_lengths, tf.shape(tag_indices)[1], transition_params.dtype)
    return tf.reduce_sum(picked * mask[:, 1:], 1)


def crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params):
    """The unnormalized score of each sequence of tags."""
    lengths = tf.cast(sequence_lengths, tf.int32)
    score = crf_unary_score(tag_indices, lengths, inputs) + crf_binary_score(tag_indices, lengths, transition_params)
    return tf.where(tf.less_equal(lengths, 0), tf.zeros_like(score), score)


def crf_forward(inputs, state, transition_params, sequence_lengths):
    """The scores of the last tags of each sequence, summed over all ways."""
    lengths = tf.maximum(tf.constant(0, dtype=tf.int32), tf.cast(sequence_lengths, tf.int32) - 1)

    def step(t, alphas):
        scores = tf.expand_dims(alphas, 2) + tf.expand_dims(transition_params, 0)
        new = inputs[:, t] + tf.reduce_logsumexp(scores, [1])
        return t + 1, tf.where(t < lengths, new, alphas)
    return tf.while_loop(lambda t, _: t < tf.shape(inputs)[1], step, [tf.constant(0), state])[1]


def crf_log_norm(inputs, sequence_lengths, transition_params):
    """The logarithm of the sum of the scores of all sequences of tags."""
    lengths = tf.cast(sequence_lengths, tf.int32)
    alphas = crf_forward(inputs[:, 1:], inputs[:, 0], transition_params, lengths)
    norm = tf.reduce_logsumexp(alphas, [1])
    return tf.where(tf.less_equal(lengths, 0), tf.zeros_like(norm), norm)


def crf_log_likelihood(inputs, tag_indices, sequence_lengths, transition_params=None):
    """Returns (log-likelihood of each sequence, the transition scores, which are created if none are given)."""
    tags = inputs.get_shape()[2].value
    if transition_params is None:
        transition_params = tf.get_variable('transitions', [tags, tags])
    scores = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return scores - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params


def crf_multitag_sequence_score(inputs, tag_bitmap, sequence_lengths, transition_params):
    """The score of all sequences whose tags the bitmap allows."""
    allowed = tf.where(tag_bitmap, inputs, tf.fill(tf.shape(inputs), float('-inf')))
    return crf_log_norm(allowed, sequence_lengths, transition_params)


def viterbi_decode(score, transition_params):
    """Returns (the best tags, their score) of the scores [length, tags] of one sequence, as arrays."""
    trellis, back = np.zeros_like(score), np.zeros_like(score, dtype=np.int32)
    trellis[0] = score[0]
    for t in range(1, score.shape[0]):
        v = np.expand_dims(trellis[t - 1], 1) + transition_params
        trellis[t] = score[t] + np.max(v, 0)
        back[t] = np.argmax(v, 0)
    viterbi = [np.argmax(trellis[-1])]
    for pointers in reversed(back[1:]):
        viterbi.append(pointers[viterbi[-1]])
    viterbi.reverse()
    return viterbi, np.max(trellis[-1])


def crf_decode(potentials, transition_params, sequence_length):
    """Returns (the best tags, their score) of each sequence of a batch."""
    lengths = tf.cast(sequence_length, tf.int32)
    size, tags = tf.shape(potentials)[1], potentials.get_shape()[2].value
    steps = tf.maximum(0, lengths - 1)
    scores = tf.TensorArray(tf.int32, size=size, clear_after_read=False)

    def forward(t, state, pointers):
        v = tf.expand_dims(state, 2) + tf.expand_dims(transition_params, 0)
        best = potentials[:, t] + tf.reduce_max(v, [1])
        same = tf.tile(tf.expand_dims(tf.range(tags), 0), [tf.shape(potentials)[0], 1])
        live = t <= steps
        return t + 1, tf.where(live, best, state), pointers.write(
            t, tf.where(live, tf.argmax(v, 1, output_type=tf.int32), same))
    _, last, pointers = tf.while_loop(lambda t, *_: t < size, forward, [tf.constant(1), potentials[:, 0], scores])
    tag = tf.argmax(last, 1, output_type=tf.int32)

    def backward(t, tag, out):
        out = out.write(t, tag)
        before = tf.reduce_sum(pointers.read(t) * tf.one_hot(tag, tags, dtype=tf.int32), 1)
        return t - 1, before, out
    out = tf.TensorArray(tf.int32, size=size, clear_after_read=False)
    _, tag, out = tf.while_loop(lambda t, *_: t > 0, backward, [size - 1, tag, out])
    found = tf.transpose(out.write(0, tag).stack())
    found.set_shape(potentials.get_shape()[:2])
    mask = tf.sequence_mask(lengths, size, dtype=tf.int32)
    return found * mask, tf.where(lengths > 0, tf.reduce_max(last, 1), tf.zeros_like(last[:, 0]))
