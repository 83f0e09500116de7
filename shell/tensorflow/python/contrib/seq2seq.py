"""tf.contrib.seq2seq: decoders that run until their sequences end, their helpers, and the loss of sequences."""
import collections

BasicDecoderOutput = collections.namedtuple('BasicDecoderOutput', ('rnn_output', 'sample_id'))


def _transpose_batch_time(x):
    rank = x.get_shape().ndims
    if rank is not None and rank < 2:
        return x
    out = tf.transpose(x, [1, 0] + list(range(2, rank)))
    return out


def _map(fn, *structures):
    return tf.nest.map_structure(fn, *structures)


def _sizes(size):
    return size if isinstance(size, tf.TensorShape) else tf.TensorShape(size)


class Decoder(object):
    """The interface of decoders."""

    @property
    def batch_size(self):
        raise NotImplementedError

    @property
    def output_size(self):
        raise NotImplementedError

    @property
    def output_dtype(self):
        raise NotImplementedError

    def initialize(self, name=None):
        raise NotImplementedError

    def step(self, time, inputs, state, name=None):
        raise NotImplementedError

    def finalize(self, outputs, final_state, sequence_lengths):
        raise NotImplementedError

    @property
    def tracks_own_finished(self):
        return False


def _flat_sizes(sizes, like):
    return [_sizes(s) for s in (sizes if isinstance(sizes, tuple) and isinstance(like, tuple) else [sizes])]


def dynamic_decode(decoder, output_time_major=False, impute_finished=False, maximum_iterations=None,
                   parallel_iterations=32, swap_memory=False, scope=None, **kwargs):
    """Runs the decoder until all sequences are finished. Returns (outputs, last state, lengths)."""
    if not isinstance(decoder, Decoder):
        raise TypeError('Expected decoder to be type Decoder, but saw: %s' % type(decoder))
    with tf.variable_scope(scope, 'decoder'):
        if maximum_iterations is not None:
            maximum_iterations = tf.convert_to_tensor(maximum_iterations, dtype=tf.int32, name='maximum_iterations')
        finished, inputs, state = decoder.initialize()
        dtypes = decoder.output_dtype
        flat_dtypes = tf.nest.flatten(dtypes)
        flat_sizes = _flat_sizes(decoder.output_size, dtypes)
        zeros = tf.nest.pack_sequence_as(dtypes, [
            tf.zeros(tf.concat([[decoder.batch_size], s.as_list()], 0), dtype=t)
            for s, t in zip(flat_sizes, flat_dtypes)])
        if maximum_iterations is not None:
            finished = tf.logical_or(finished, 0 >= maximum_iterations)
        lengths = tf.zeros_like(finished, dtype=tf.int32)
        arrays = tf.nest.pack_sequence_as(dtypes, [
            tf.TensorArray(dtype=t, size=0, dynamic_size=True,
                           element_shape=tf.TensorShape([None]).concatenate(s))
            for s, t in zip(flat_sizes, flat_dtypes)])

        def body(time, arrays, state, inputs, finished, lengths):
            outputs, new_state, new_inputs, decoder_finished = decoder.step(time, inputs, state)
            new_finished = decoder_finished if decoder.tracks_own_finished else tf.logical_or(decoder_finished, finished)
            if maximum_iterations is not None:
                new_finished = tf.logical_or(new_finished, time + 1 >= maximum_iterations)
            new_lengths = tf.where(tf.logical_not(finished), tf.fill(tf.shape(lengths), time + 1), lengths)
            if impute_finished:
                outputs = _map(lambda out, zero: tf.where(finished, zero, out), outputs, zeros)

                def keep(new, old):
                    if isinstance(old, tf.TensorArray) or new.get_shape().ndims == 0:
                        return new
                    new.set_shape(old.get_shape())
                    return tf.where(finished, old, new)
                new_state = _map(keep, new_state, state)
            arrays = _map(lambda array, out: array.write(time, out), arrays, outputs)
            return time + 1, arrays, new_state, new_inputs, new_finished, new_lengths

        _, arrays, state, _, _, lengths = tf.while_loop(
            lambda time, arrays, state, inputs, finished, lengths: tf.logical_not(tf.reduce_all(finished)), body,
            [tf.constant(0, dtype=tf.int32), arrays, state, inputs, finished, lengths],
            parallel_iterations=parallel_iterations, swap_memory=swap_memory)
        outputs = _map(lambda array: array.stack(), arrays)
        try:
            outputs, state = decoder.finalize(outputs, state, lengths)
        except NotImplementedError:
            pass
        if not output_time_major:
            outputs = _map(_transpose_batch_time, outputs)
    return outputs, state, lengths


class Helper(object):
    """The interface of helpers, which sample outputs and choose the next inputs."""
    sample_ids_shape = property(lambda self: tf.TensorShape([]))
    sample_ids_dtype = property(lambda self: tf.int32)
    batch_size = property(lambda self: self._batch_size)

    def initialize(self, name=None):
        raise NotImplementedError

    def sample(self, time, outputs, state, name=None):
        raise NotImplementedError

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        raise NotImplementedError


class CustomHelper(Helper):
    """A helper of three functions."""

    def __init__(self, initialize_fn, sample_fn, next_inputs_fn, sample_ids_shape=None, sample_ids_dtype=None):
        self._initialize, self._sample, self._next = initialize_fn, sample_fn, next_inputs_fn
        self._shape, self._dtype, self._batch_size = tf.TensorShape(sample_ids_shape or []), sample_ids_dtype, None

    sample_ids_shape = property(lambda self: self._shape)
    sample_ids_dtype = property(lambda self: self._dtype or tf.int32)

    def initialize(self, name=None):
        finished, inputs = self._initialize()
        if self._batch_size is None:
            self._batch_size = tf.size(finished)
        return finished, inputs

    def sample(self, time, outputs, state, name=None):
        return self._sample(time=time, outputs=outputs, state=state)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        return self._next(time=time, outputs=outputs, state=state, sample_ids=sample_ids)


class TrainingHelper(Helper):
    """Feeds the given inputs."""

    def __init__(self, inputs, sequence_length, time_major=False, name=None):
        with tf.name_scope(name, 'TrainingHelper', [inputs, sequence_length]):
            inputs = _map(tf.convert_to_tensor, inputs)
            self._inputs = inputs
            if not time_major:
                inputs = _map(_transpose_batch_time, inputs)
            self._arrays = _map(lambda x: tf.TensorArray(dtype=x.dtype, size=tf.shape(x)[0],
                                                         element_shape=x.get_shape()[1:]).unstack(x), inputs)
            self._lengths = tf.convert_to_tensor(sequence_length, name='sequence_length')
            if self._lengths.get_shape().ndims != 1:
                raise ValueError('Expected sequence_length to be a vector, but received shape: %s'
                                 % self._lengths.get_shape())
            self._zeros = _map(lambda x: tf.zeros_like(x[0, :]), inputs)
            self._batch_size = tf.size(sequence_length)

    inputs = property(lambda self: self._inputs)
    sequence_length = property(lambda self: self._lengths)

    def _at(self, time, finished):
        return tf.cond(tf.reduce_all(finished), lambda: self._zeros,
                       lambda: _map(lambda array: array.read(time), self._arrays))

    def initialize(self, name=None):
        with tf.name_scope(name, 'TrainingHelperInitialize'):
            finished = tf.equal(0, self._lengths)
            return finished, self._at(0, finished)

    def sample(self, time, outputs, name=None, **unused):
        with tf.name_scope(name, 'TrainingHelperSample', [time, outputs]):
            return tf.cast(tf.argmax(outputs, axis=-1), tf.int32)

    def next_inputs(self, time, outputs, state, name=None, **unused):
        with tf.name_scope(name, 'TrainingHelperNextInputs', [time, outputs]):
            finished = time + 1 >= self._lengths
            return finished, self._at(time + 1, finished), state


def _categorical(logits, seed):
    shape = tf.shape(logits)[:-1]
    flat = tf.reshape(logits, [-1, tf.shape(logits)[-1]])
    return tf.reshape(tf.multinomial(flat, 1, seed=seed, output_dtype=tf.int32), shape)


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """Feeds the given inputs or, with a probability, what was sampled."""

    def __init__(self, inputs, sequence_length, embedding, sampling_probability, time_major=False, seed=None,
                 scheduling_seed=None, name=None):
        self._embedding = embedding if callable(embedding) else lambda ids: tf.nn.embedding_lookup(embedding, ids)
        self._probability = tf.convert_to_tensor(sampling_probability, name='sampling_probability')
        self._seed, self._scheduling_seed = seed, scheduling_seed
        TrainingHelper.__init__(self, inputs, sequence_length, time_major, name)

    def _select(self):
        drawn = tf.random_uniform([self.batch_size], seed=self._scheduling_seed, dtype=self._probability.dtype)
        return drawn < self._probability

    def sample(self, time, outputs, state, name=None):
        return tf.where(self._select(), _categorical(outputs, self._seed), tf.fill([self.batch_size], -1))

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        finished, given, state = TrainingHelper.next_inputs(self, time, outputs, state)
        sampled = self._embedding(tf.maximum(sample_ids, 0))
        return finished, tf.where(sample_ids > -1, sampled, given), state


class ScheduledOutputTrainingHelper(ScheduledEmbeddingTrainingHelper):
    """Feeds the given inputs or, with a probability, the outputs."""

    def __init__(self, inputs, sequence_length, sampling_probability, time_major=False, seed=None, next_inputs_fn=None,
                 auxiliary_inputs=None, name=None):
        if auxiliary_inputs is not None:
            raise NotImplementedError('ScheduledOutputTrainingHelper: tensh has no auxiliary_inputs')
        self._next_fn = next_inputs_fn or (lambda outputs: outputs)
        ScheduledEmbeddingTrainingHelper.__init__(self, inputs, sequence_length, self._next_fn, sampling_probability,
                                                  time_major, seed, seed, name)

    def sample(self, time, outputs, state, name=None):
        return tf.cast(self._select(), tf.int32)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        finished, given, state = TrainingHelper.next_inputs(self, time, outputs, state)
        return finished, tf.where(tf.cast(sample_ids, tf.bool), self._next_fn(outputs), given), state


class GreedyEmbeddingHelper(Helper):
    """Feeds the embedding of the most probable symbol, until end_token."""

    def __init__(self, embedding, start_tokens, end_token):
        self._embedding = embedding if callable(embedding) else lambda ids: tf.nn.embedding_lookup(embedding, ids)
        self._start = tf.convert_to_tensor(start_tokens, dtype=tf.int32, name='start_tokens')
        self._end = tf.convert_to_tensor(end_token, dtype=tf.int32, name='end_token')
        if self._start.get_shape().ndims != 1:
            raise ValueError('start_tokens must be a vector')
        self._batch_size = tf.size(start_tokens)
        if self._end.get_shape().ndims != 0:
            raise ValueError('end_token must be a scalar')
        self._start_inputs = self._embedding(self._start)

    def initialize(self, name=None):
        return tf.tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time, outputs, state, name=None):
        return tf.argmax(outputs, axis=-1, output_type=tf.int32)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        finished = tf.equal(sample_ids, self._end)
        inputs = tf.cond(tf.reduce_all(finished), lambda: self._start_inputs, lambda: self._embedding(sample_ids))
        return finished, inputs, state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Feeds the embedding of a symbol that is drawn from the outputs."""

    def __init__(self, embedding, start_tokens, end_token, softmax_temperature=None, seed=None):
        GreedyEmbeddingHelper.__init__(self, embedding, start_tokens, end_token)
        self._temperature, self._seed = softmax_temperature, seed

    def sample(self, time, outputs, state, name=None):
        return _categorical(outputs if self._temperature is None else outputs / self._temperature, self._seed)


class InferenceHelper(Helper):
    """Feeds what sample_fn returns."""

    def __init__(self, sample_fn, sample_shape, sample_dtype, start_inputs, end_fn, next_inputs_fn=None):
        self._sample_fn, self._end_fn = sample_fn, end_fn
        self._shape, self._dtype, self._next = tf.TensorShape(sample_shape), sample_dtype, next_inputs_fn
        self._start_inputs = tf.convert_to_tensor(start_inputs, name='start_inputs')
        self._batch_size = tf.shape(start_inputs)[0]

    sample_ids_shape = property(lambda self: self._shape)
    sample_ids_dtype = property(lambda self: self._dtype)

    def initialize(self, name=None):
        return tf.tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time, outputs, state, name=None):
        return self._sample_fn(outputs)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        inputs = sample_ids if self._next is None else self._next(sample_ids)
        return self._end_fn(sample_ids), inputs, state


class BasicDecoder(Decoder):
    """A cell whose outputs a helper samples."""

    def __init__(self, cell, helper, initial_state, output_layer=None):
        if not isinstance(helper, Helper):
            raise TypeError('helper must be a Helper, received: %s' % type(helper))
        self._cell, self._helper, self._initial_state, self._layer = cell, helper, initial_state, output_layer

    batch_size = property(lambda self: self._helper.batch_size)

    def _output_size(self):
        size = self._cell.output_size
        if self._layer is None:
            return size
        known = tf.TensorShape([None]).concatenate(_sizes(size))
        return self._layer.compute_output_shape(known)[1:]

    @property
    def output_size(self):
        return BasicDecoderOutput(rnn_output=self._output_size(), sample_id=self._helper.sample_ids_shape)

    @property
    def output_dtype(self):
        dtype = tf.nest.flatten(self._initial_state)[0].dtype
        return BasicDecoderOutput(dtype, self._helper.sample_ids_dtype)

    def initialize(self, name=None):
        return self._helper.initialize() + (self._initial_state,)

    def step(self, time, inputs, state, name=None):
        with tf.name_scope(name, 'BasicDecoderStep', [time, inputs]):
            outputs, state = self._cell(inputs, state)
            if self._layer is not None:
                outputs = self._layer(outputs)
            ids = self._helper.sample(time=time, outputs=outputs, state=state)
            finished, inputs, state = self._helper.next_inputs(time=time, outputs=outputs, state=state, sample_ids=ids)
        return BasicDecoderOutput(outputs, ids), state, inputs, finished


def sequence_loss(logits, targets, weights, average_across_timesteps=True, average_across_batch=True,
                  sum_over_timesteps=False, sum_over_batch=False, softmax_loss_function=None, name=None):
    """The weighted cross-entropy of logits [batch, time, classes]."""
    if len(logits.get_shape()) != 3:
        raise ValueError('Logits must be a [batch_size x sequence_length x logits] tensor')
    targets, weights = tf.convert_to_tensor(targets), tf.convert_to_tensor(weights)
    if len(targets.get_shape()) != 2:
        raise ValueError('Targets must be a [batch_size x sequence_length] tensor')
    if len(weights.get_shape()) != 2:
        raise ValueError('Weights must be a [batch_size x sequence_length] tensor')
    if average_across_timesteps and sum_over_timesteps:
        raise ValueError('average_across_timesteps and sum_over_timesteps cannot be set to True at same time.')
    if average_across_batch and sum_over_batch:
        raise ValueError('average_across_batch and sum_over_batch cannot be set to True at same time.')
    with tf.name_scope(name, 'sequence_loss', [logits, targets, weights]):
        flat = tf.reshape(logits, [-1, tf.shape(logits)[2]])
        labels = tf.reshape(targets, [-1])
        loss = softmax_loss_function or tf.nn.sparse_softmax_cross_entropy_with_logits
        crossent = loss(labels=labels, logits=flat) * tf.reshape(weights, [-1])
        if average_across_timesteps and average_across_batch:
            return tf.div_no_nan(tf.reduce_sum(crossent), tf.reduce_sum(weights))
        crossent = tf.reshape(crossent, tf.shape(logits)[:2])
        for axis, average, total in ((1, average_across_timesteps, sum_over_timesteps),
                                     (0, average_across_batch, sum_over_batch)):
            if average or total:
                crossent = tf.reduce_sum(crossent, axis=[axis])
            if average:
                crossent = tf.div_no_nan(crossent, tf.reduce_sum(weights, axis=[axis]))
        return crossent
