"""tf.contrib.seq2seq: beam search."""
import collections

from _library.seq2seq import Decoder, _sizes
from _library.seq2seq_attention import AttentionWrapperState

BeamSearchDecoderState = collections.namedtuple(
    'BeamSearchDecoderState', ('cell_state', 'log_probs', 'finished', 'lengths', 'accumulated_attention_probs'))
BeamSearchDecoderOutput = collections.namedtuple('BeamSearchDecoderOutput', ('scores', 'predicted_ids', 'parent_ids'))
FinalBeamSearchDecoderOutput = collections.namedtuple('FinalBeamDecoderOutput',
                                                      ('predicted_ids', 'beam_search_decoder_output'))


def _tile(t, multiplier):
    t = tf.convert_to_tensor(t, name='t')
    rank = t.get_shape().ndims
    if rank is None:
        raise ValueError('t must have statically known rank')
    known = t.get_shape()
    tiled = tf.tile(tf.expand_dims(t, 1), [1, multiplier] + [1] * (rank - 1))
    tiled = tf.reshape(tiled, tf.concat([[tf.shape(t)[0] * multiplier], tf.shape(t)[1:]], 0))
    tiled.set_shape(tf.TensorShape([None if known[0].value is None else known[0].value * multiplier])
                    .concatenate(known[1:]))
    return tiled


def tile_batch(t, multiplier, name=None):
    """Repeats each entry of the batch, for the beams of a search."""
    with tf.name_scope(name, 'tile_batch', tf.nest.flatten(t) + [multiplier]):
        return tf.nest.map_structure(lambda x: _tile(x, multiplier), t)


def gather_tree(step_ids, parent_ids, max_sequence_lengths, end_token):
    """Follows the parents of beams [time, batch, beam] from the end, which gives the whole sequences."""
    step_ids, parent_ids = tf.convert_to_tensor(step_ids), tf.convert_to_tensor(parent_ids)
    time, width = tf.shape(step_ids)[0], tf.shape(step_ids)[2]
    batch = tf.shape(step_ids)[1]
    lengths = tf.minimum(tf.cast(max_sequence_lengths, tf.int32), time)
    beams = tf.tile(tf.expand_dims(tf.range(width), 0), [batch, 1])
    out = tf.TensorArray(tf.int32, size=time)

    def body(t, parent, out):
        at = tf.stack([tf.tile(tf.expand_dims(tf.range(batch), 1), [1, width]), parent], 2)
        live = tf.tile(tf.expand_dims(t < lengths, 1), [1, width])
        ids = tf.where(live, tf.gather_nd(step_ids[t], at), tf.fill([batch, width], end_token))
        return t - 1, tf.where(live, tf.gather_nd(parent_ids[t], at), parent), out.write(t, ids)
    _, _, out = tf.while_loop(lambda t, *_: t >= 0, body, [time - 1, beams, out], parallel_iterations=1)
    found = out.stack()
    ended = tf.cumsum(tf.cast(tf.equal(found, end_token), tf.int32), axis=0, exclusive=True) > 0
    found = tf.where(ended, tf.fill(tf.shape(found), end_token), found)
    found.set_shape(step_ids.get_shape())
    return found


def _length_penalty(lengths, factor):
    if tf.get_static_value(factor) == 0:
        return 1.0
    return tf.div((5. + tf.cast(lengths, tf.float32)) ** factor, (5. + 1.) ** factor)


class BeamSearchDecoder(Decoder):
    """Keeps the beam_width most probable sequences of each entry of the batch."""

    def __init__(self, cell, embedding, start_tokens, end_token, initial_state, beam_width, output_layer=None,
                 length_penalty_weight=0.0, coverage_penalty_weight=0.0, reorder_tensor_arrays=True):
        self._cell, self._layer = cell, output_layer
        self._embedding = embedding if callable(embedding) else lambda ids: tf.nn.embedding_lookup(embedding, ids)
        self._start = tf.convert_to_tensor(start_tokens, dtype=tf.int32, name='start_tokens')
        self._end = tf.convert_to_tensor(end_token, dtype=tf.int32, name='end_token')
        if self._start.get_shape().ndims != 1:
            raise ValueError('start_tokens must be a vector')
        if self._end.get_shape().ndims != 0:
            raise ValueError('end_token must be a scalar')
        self._batch_size, self._width = tf.size(start_tokens), beam_width
        self._penalty = tf.convert_to_tensor(length_penalty_weight, dtype=tf.float32, name='length_penalty_weight')
        self._initial = tf.nest.map_structure(self._split, initial_state, self._cell.state_size) \
            if not isinstance(initial_state, AttentionWrapperState) else self._split_state(initial_state)
        self._start_tokens = tf.tile(tf.expand_dims(self._start, 1), [1, beam_width])
        self._start_inputs = self._embedding(self._start_tokens)
        self._finished = tf.one_hot(tf.zeros([self._batch_size], dtype=tf.int32), depth=beam_width, on_value=False,
                                    off_value=True, dtype=tf.bool)

    batch_size = property(lambda self: self._batch_size)
    tracks_own_finished = property(lambda self: True)

    @property
    def output_size(self):
        return BeamSearchDecoderOutput(*[tf.TensorShape([self._width])] * 3)

    @property
    def output_dtype(self):
        return BeamSearchDecoderOutput(tf.nest.flatten(self._initial)[0].dtype, tf.int32, tf.int32)

    def _split(self, x, size=None):
        """[batch * beams, ...] → [batch, beams, ...]; scalars and arrays stay."""
        if isinstance(x, tf.TensorArray) or x.get_shape().ndims == 0:
            return x
        out = tf.reshape(x, tf.concat([[self._batch_size, self._width], tf.shape(x)[1:]], 0))
        out.set_shape(tf.TensorShape([None, self._width]).concatenate(x.get_shape()[1:]))
        return out

    def _merge(self, x):
        if isinstance(x, tf.TensorArray) or x.get_shape().ndims == 0:
            return x
        out = tf.reshape(x, tf.concat([[self._batch_size * self._width], tf.shape(x)[2:]], 0))
        out.set_shape(tf.TensorShape([None]).concatenate(x.get_shape()[2:]))
        return out

    def _split_state(self, state):
        return tf.nest.map_structure(self._split, state)

    def _output_depth(self):
        size = self._cell.output_size
        if self._layer is None:
            return size
        return self._layer.compute_output_shape(tf.TensorShape([None]).concatenate(_sizes(size)))[-1].value

    def initialize(self, name=None):
        dtype = tf.nest.flatten(self._initial)[0].dtype
        log_probs = tf.one_hot(tf.zeros([self._batch_size], dtype=tf.int32), depth=self._width,
                               on_value=tf.convert_to_tensor(0.0, dtype), off_value=tf.convert_to_tensor(
                                   float('-inf'), dtype), dtype=dtype)
        state = BeamSearchDecoderState(self._initial, log_probs, self._finished,
                                       tf.zeros([self._batch_size, self._width], dtype=tf.int64), ())
        return self._finished, self._start_inputs, state

    def _gather(self, x, beams):
        """Reorders the beams of a part of the state."""
        if isinstance(x, tf.TensorArray) or x.get_shape().ndims == 0:
            return x
        rows = tf.tile(tf.expand_dims(tf.range(self._batch_size), 1), [1, self._width])
        out = tf.gather_nd(x, tf.stack([rows, beams], 2))
        out.set_shape(x.get_shape())
        return out

    def step(self, time, inputs, state, name=None):
        with tf.name_scope(name, 'BeamSearchDecoderStep', [time, inputs]):
            outputs, cell_state = self._cell(self._merge(inputs), tf.nest.map_structure(self._merge, state.cell_state))
            outputs = self._split(outputs)
            cell_state = tf.nest.map_structure(self._split, cell_state)
            if self._layer is not None:
                outputs = self._layer(outputs)
            output, new_state = self._search(outputs, state, cell_state)
            finished, ids = new_state.finished, output.predicted_ids
            inputs = tf.cond(tf.reduce_all(finished), lambda: self._start_inputs, lambda: self._embedding(ids))
        return output, new_state, inputs, finished

    def _search(self, logits, state, cell_state):
        words = logits.get_shape()[-1].value or tf.shape(logits)[-1]
        probs = tf.nn.log_softmax(logits)
        # A finished beam continues only with the end token, whose probability is 1.
        ended = tf.one_hot(tf.fill([self._batch_size, self._width], self._end), words, dtype=probs.dtype,
                           on_value=tf.convert_to_tensor(0., probs.dtype),
                           off_value=tf.convert_to_tensor(probs.dtype.min, probs.dtype))
        done = tf.tile(tf.expand_dims(state.finished, 2), [1, 1, words])
        total = tf.expand_dims(state.log_probs, 2) + tf.where(done, ended, probs)
        grows = tf.one_hot(tf.fill([self._batch_size, self._width], self._end), words, on_value=tf.constant(0, tf.int64),
                           off_value=tf.constant(1, tf.int64), dtype=tf.int64)
        grows *= tf.expand_dims(tf.cast(tf.logical_not(state.finished), tf.int64), 2)
        lengths = tf.expand_dims(state.lengths, 2) + grows
        scores = total / _length_penalty(lengths, self._penalty)
        flat = tf.reshape(scores, [self._batch_size, -1])
        best, at = tf.nn.top_k(flat, k=self._width)
        best.set_shape([None, self._width])
        words_of, beams = tf.mod(at, words), tf.div(at, words)
        rows = tf.tile(tf.expand_dims(tf.range(self._batch_size), 1), [1, self._width])
        log_probs = tf.gather_nd(tf.reshape(total, [self._batch_size, -1]), tf.stack([rows, at], 2))
        log_probs.set_shape([None, self._width])
        was_finished = self._gather(state.finished, beams)
        finished = tf.logical_or(was_finished, tf.equal(words_of, self._end))
        lengths = self._gather(state.lengths, beams) + tf.cast(tf.logical_not(was_finished), tf.int64)
        new = BeamSearchDecoderState(tf.nest.map_structure(lambda x: self._gather(x, beams), cell_state), log_probs,
                                     finished, lengths, ())
        return BeamSearchDecoderOutput(best, words_of, beams), new

    def finalize(self, outputs, final_state, sequence_lengths):
        longest = tf.cast(tf.reduce_max(final_state.lengths, axis=1), tf.int32)
        ids = gather_tree(outputs.predicted_ids, outputs.parent_ids, longest, self._end)
        return FinalBeamSearchDecoderOutput(beam_search_decoder_output=outputs, predicted_ids=ids), final_state
