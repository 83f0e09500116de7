"""tf.contrib.seq2seq: attention."""
import collections

from _library.rnn_cell import RNNCell


class AttentionMechanism(object):
    """The base class of attention mechanisms."""
    alignments_size = property(lambda self: self._alignments_size)
    state_size = property(lambda self: self._alignments_size)
    batch_size = property(lambda self: self._batch_size)
    values = property(lambda self: self._values)
    keys = property(lambda self: self._keys)
    query_layer = property(lambda self: self._query_layer)
    memory_layer = property(lambda self: self._memory_layer)


def _prepare(memory, lengths):
    """Sets the values after the end of each sequence to zero."""
    if lengths is None:
        return memory
    mask = tf.sequence_mask(lengths, maxlen=tf.shape(memory)[1], dtype=memory.dtype)
    for _ in range(memory.get_shape().ndims - 2):
        mask = tf.expand_dims(mask, -1)
    return memory * mask


class _Mechanism(AttentionMechanism):
    def __init__(self, query_layer, memory, probability_fn, memory_sequence_length=None, memory_layer=None,
                 score_mask_value=None):
        self._query_layer, self._memory_layer = query_layer, memory_layer
        self.dtype = memory_layer.dtype if memory_layer is not None and memory_layer.dtype else memory.dtype
        mask_value = tf.as_dtype(self.dtype).as_numpy_dtype(float('-inf')) if score_mask_value is None \
            else score_mask_value
        lengths = memory_sequence_length

        def probabilities(score, previous):
            if lengths is not None:
                mask = tf.sequence_mask(lengths, maxlen=tf.shape(score)[1])
                score = tf.where(mask, score, mask_value * tf.ones_like(score))
            return probability_fn(score, previous)
        self._probability_fn = probabilities
        with tf.name_scope(None, 'BaseAttentionMechanismInit', [memory]):
            self._values = _prepare(tf.convert_to_tensor(memory, name='memory'), lengths)
            self._keys = memory_layer(self._values) if memory_layer else self._values
            self._batch_size = self._keys.get_shape()[0].value or tf.shape(self._keys)[0]
            self._alignments_size = self._keys.get_shape()[1].value or tf.shape(self._keys)[1]

    def initial_alignments(self, batch_size, dtype):
        size = self._alignments_size
        made = tf.zeros(tf.stack([batch_size, size]), dtype)
        known = tf.get_static_value(batch_size) if isinstance(batch_size, tf.Tensor) else batch_size
        made.set_shape([None if known is None else int(known), None if isinstance(size, tf.Tensor) else size])
        return made

    initial_state = initial_alignments

    def __call__(self, query, state):
        with tf.variable_scope(None, self._SCOPE, [query]):
            alignments = self._probability_fn(self._score(query), state)
        return alignments, alignments


def _dense(units, name, dtype):
    return tf.layers.Dense(units, name=name, use_bias=False, dtype=dtype)


class BahdanauAttention(_Mechanism):
    """Additive attention."""
    _SCOPE = 'bahdanau_attention'

    def __init__(self, num_units, memory, memory_sequence_length=None, normalize=False, probability_fn=None,
                 score_mask_value=None, dtype=None, custom_key_value_fn=None, name='BahdanauAttention'):
        probability = probability_fn or tf.nn.softmax
        dtype = dtype or tf.float32
        _Mechanism.__init__(self, _dense(num_units, 'query_layer', dtype), memory, lambda score, _: probability(score),
                            memory_sequence_length, _dense(num_units, 'memory_layer', dtype), score_mask_value)
        self._num_units, self._normalize, self._name = num_units, normalize, name

    def _score(self, query):
        query = tf.expand_dims(self._query_layer(query), 1)
        v = tf.get_variable('attention_v', [self._num_units], dtype=query.dtype)
        if not self._normalize:
            return tf.reduce_sum(v * tf.tanh(self._keys + query), [2])
        g = tf.get_variable('attention_g', dtype=query.dtype, shape=(),
                            initializer=tf.constant_initializer((1. / self._num_units) ** 0.5))
        b = tf.get_variable('attention_b', [self._num_units], dtype=query.dtype, initializer=tf.zeros_initializer())
        normed = g * v * tf.rsqrt(tf.reduce_sum(tf.square(v)))
        return tf.reduce_sum(normed * tf.tanh(self._keys + query + b), [2])


class LuongAttention(_Mechanism):
    """Multiplicative attention."""
    _SCOPE = 'luong_attention'

    def __init__(self, num_units, memory, memory_sequence_length=None, scale=False, probability_fn=None,
                 score_mask_value=None, dtype=None, custom_key_value_fn=None, name='LuongAttention'):
        probability = probability_fn or tf.nn.softmax
        _Mechanism.__init__(self, None, memory, lambda score, _: probability(score), memory_sequence_length,
                            _dense(num_units, 'memory_layer', dtype or tf.float32), score_mask_value)
        self._num_units, self._scale, self._name = num_units, scale, name

    def _score(self, query):
        depth, units = query.get_shape()[-1].value, self._keys.get_shape()[-1].value
        if depth != units:
            raise ValueError('Incompatible or unknown inner dimensions between query and keys.  Query (%s) has units: '
                             '%s.  Keys (%s) have units: %s.  Perhaps you need to set num_units to the keys\' '
                             'dimension (%s)?' % (query, depth, self._keys, units, units))
        score = tf.squeeze(tf.matmul(tf.expand_dims(query, 1), self._keys, transpose_b=True), [1])
        if self._scale:
            score = tf.get_variable('attention_g', dtype=query.dtype, shape=(), initializer=tf.ones_initializer()) * score
        return score


def safe_cumprod(x, *args, **kwargs):
    """The cumulative product of numbers of [0, 1]."""
    x = tf.convert_to_tensor(x, name='x')
    tiny = x.dtype.as_numpy_dtype(1.1754944e-38)
    return tf.exp(tf.cumsum(tf.log(tf.clip_by_value(x, tiny, 1)), *args, **kwargs))


def monotonic_attention(p_choose_i, previous_attention, mode):
    """The distribution of a monotonic attention. mode: recursive, parallel or hard."""
    p = tf.convert_to_tensor(p_choose_i, name='p_choose_i')
    previous = tf.convert_to_tensor(previous_attention, name='previous_attention')
    if mode == 'recursive':
        shifted = tf.concat([tf.ones_like(p[:, :1]), 1 - p[:, :-1]], 1)
        return p * tf.transpose(tf.scan(lambda x, yz: tf.reshape(yz[0] * x + yz[1], tf.shape(x)),
                                        [tf.transpose(shifted), tf.transpose(previous)], tf.zeros_like(p[:, 0])))
    if mode == 'parallel':
        product = safe_cumprod(1 - p, axis=1, exclusive=True)
        return p * product * tf.cumsum(previous / tf.clip_by_value(product, 1e-10, 1.), axis=1)
    if mode == 'hard':
        p *= tf.cumsum(previous, axis=1)
        return p * tf.cumprod(1 - p, axis=1, exclusive=True)
    raise ValueError("mode must be 'recursive', 'parallel', or 'hard'.")


def _monotonic(score, previous, noise, mode, seed):
    if noise > 0:
        score += noise * tf.random_normal(tf.shape(score), dtype=score.dtype, seed=seed)
    p = tf.cast(score > 0, score.dtype) if mode == 'hard' else tf.sigmoid(score)
    return monotonic_attention(p, previous, mode)


class _Monotonic(object):
    def _prepare_monotonic(self, score_bias_init, sigmoid_noise, sigmoid_noise_seed, mode):
        self._bias_init = score_bias_init
        self._noise, self._noise_seed, self._mode = sigmoid_noise, sigmoid_noise_seed, mode

    def _score(self, query):
        score = super(_Monotonic, self)._score(query)
        return score + tf.get_variable('attention_score_bias', dtype=score.dtype, shape=(),
                                       initializer=tf.constant_initializer(self._bias_init))

    def __call__(self, query, state):
        with tf.variable_scope(None, self._MONOTONIC, [query]):
            score = self._score(query)
            if self._lengths is not None:
                mask = tf.sequence_mask(self._lengths, maxlen=tf.shape(score)[1])
                score = tf.where(mask, score, float('-inf') * tf.ones_like(score))
            alignments = _monotonic(score, state, self._noise, self._mode, self._noise_seed)
        return alignments, alignments

    def initial_alignments(self, batch_size, dtype):
        return tf.one_hot(tf.zeros([batch_size], tf.int32), self._alignments_size, dtype=dtype)

    initial_state = initial_alignments


class BahdanauMonotonicAttention(_Monotonic, BahdanauAttention):
    _MONOTONIC = 'bahdanau_monotonic_attention'

    def __init__(self, num_units, memory, memory_sequence_length=None, normalize=False, score_mask_value=None,
                 sigmoid_noise=0., sigmoid_noise_seed=None, score_bias_init=0., mode='parallel', dtype=None,
                 name='BahdanauMonotonicAttention'):
        BahdanauAttention.__init__(self, num_units, memory, memory_sequence_length, normalize, None, score_mask_value,
                                   dtype, name=name)
        self._lengths = memory_sequence_length
        self._prepare_monotonic(score_bias_init, sigmoid_noise, sigmoid_noise_seed, mode)


class LuongMonotonicAttention(_Monotonic, LuongAttention):
    _MONOTONIC = 'luong_monotonic_attention'

    def __init__(self, num_units, memory, memory_sequence_length=None, scale=False, score_mask_value=None,
                 sigmoid_noise=0., sigmoid_noise_seed=None, score_bias_init=0., mode='parallel', dtype=None,
                 name='LuongMonotonicAttention'):
        LuongAttention.__init__(self, num_units, memory, memory_sequence_length, scale, None, score_mask_value, dtype,
                                name=name)
        self._lengths = memory_sequence_length
        self._prepare_monotonic(score_bias_init, sigmoid_noise, sigmoid_noise_seed, mode)


class AttentionWrapperState(collections.namedtuple(
        'AttentionWrapperState',
        ('cell_state', 'attention', 'time', 'alignments', 'alignment_history', 'attention_state'))):
    """The state of an AttentionWrapper."""

    def clone(self, **kwargs):
        """Returns a copy with some parts replaced."""
        return self._replace(**kwargs)


def hardmax(logits, name=None):
    """One at the largest value, and zero elsewhere."""
    with tf.name_scope(name, 'Hardmax', [logits]):
        logits = tf.convert_to_tensor(logits, name='logits')
        depth = logits.get_shape()[-1].value or tf.shape(logits)[-1]
        return tf.one_hot(tf.argmax(logits, -1), depth, dtype=logits.dtype)


def _compute_attention(mechanism, output, state, layer):
    alignments, next_state = mechanism(output, state=state)
    context = tf.squeeze(tf.matmul(tf.expand_dims(alignments, 1), mechanism.values), [1])
    return (context if layer is None else layer(tf.concat([output, context], 1))), alignments, next_state


class AttentionWrapper(RNNCell):
    """A cell that attends to the memory of mechanisms."""

    def __init__(self, cell, attention_mechanism, attention_layer_size=None, alignment_history=False, cell_input_fn=None,
                 output_attention=True, initial_cell_state=None, name=None, attention_layer=None, attention_fn=None):
        RNNCell.__init__(self, name=name)
        self._many = isinstance(attention_mechanism, (list, tuple))
        self._mechanisms = tuple(attention_mechanism) if self._many else (attention_mechanism,)
        for mechanism in self._mechanisms:
            if not isinstance(mechanism, AttentionMechanism):
                raise TypeError('attention_mechanism must be an AttentionMechanism or list of multiple '
                                'AttentionMechanism instances, saw type: %s' % type(mechanism).__name__)
        self._cell_input_fn = cell_input_fn or (lambda inputs, attention: tf.concat([inputs, attention], -1))
        if attention_layer_size is not None and attention_layer is not None:
            raise ValueError('Only one of attention_layer_size and attention_layer should be set')
        self._layers = attention_layer
        if attention_layer_size is not None:
            sizes = attention_layer_size if isinstance(attention_layer_size, (list, tuple)) else [attention_layer_size]
            self._layers = [tf.layers.Dense(size, name='attention_layer', use_bias=False, dtype=m.dtype)
                            for size, m in zip(sizes, self._mechanisms)]
            self._attention_size = sum(sizes)
        elif attention_layer is not None:
            self._layers = list(attention_layer) if isinstance(attention_layer, (list, tuple)) else [attention_layer]
            self._attention_size = sum([
                layer.compute_output_shape([None, cell.output_size + m.values.get_shape()[-1].value])[-1].value
                for layer, m in zip(self._layers, self._mechanisms)])
        else:
            self._attention_size = sum([m.values.get_shape()[-1].value for m in self._mechanisms])
        if self._layers is not None and len(self._layers) != len(self._mechanisms):
            raise ValueError('If provided, attention_layer_size must contain exactly one integer per '
                             'attention_mechanism, saw: %d vs %d' % (len(self._layers), len(self._mechanisms)))
        self._cell, self._output_attention, self._history = cell, output_attention, alignment_history
        self._attention_fn = attention_fn or _compute_attention
        self._initial_cell_state = None
        if initial_cell_state is not None:
            self._initial_cell_state = tf.nest.map_structure(lambda s: tf.identity(s, name='check_initial_cell_state'),
                                                             initial_cell_state)

    def _of(self, seq):
        return tuple(seq) if self._many else seq[0]

    @property
    def output_size(self):
        return self._attention_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self):
        return AttentionWrapperState(
            cell_state=self._cell.state_size, time=tf.TensorShape([]), attention=self._attention_size,
            alignments=self._of([m.alignments_size for m in self._mechanisms]),
            attention_state=self._of([m.state_size for m in self._mechanisms]),
            alignment_history=self._of([m.alignments_size if self._history else () for m in self._mechanisms]))

    def zero_state(self, batch_size, dtype):
        with tf.name_scope(type(self).__name__ + 'ZeroState', values=[batch_size]):
            cell_state = self._initial_cell_state if self._initial_cell_state is not None \
                else self._cell.zero_state(batch_size, dtype)
            cell_state = tf.nest.map_structure(lambda s: tf.identity(s, name='checked_cell_state'), cell_state)
            alignments = [m.initial_alignments(batch_size, dtype) for m in self._mechanisms]
            attention = tf.zeros(tf.stack([batch_size, self._attention_size]), dtype)
            attention.set_shape([None, self._attention_size])
            return AttentionWrapperState(
                cell_state=cell_state, time=tf.zeros([], dtype=tf.int32), attention=attention,
                alignments=self._of(alignments),
                attention_state=self._of([m.initial_state(batch_size, dtype) for m in self._mechanisms]),
                alignment_history=self._of([
                    tf.TensorArray(dtype=dtype, size=0, dynamic_size=True, element_shape=a.get_shape())
                    if self._history else () for a in alignments]))

    def call(self, inputs, state):
        if not isinstance(state, AttentionWrapperState):
            raise TypeError('Expected state to be instance of AttentionWrapperState. Received type %s instead.'
                            % type(state))
        output, cell_state = self._cell(self._cell_input_fn(inputs, state.attention), state.cell_state)
        states, histories = state.attention_state, state.alignment_history
        if not self._many:
            states, histories = [states], [histories]
        attentions, alignments, new_states, new_histories = [], [], [], []
        for i, mechanism in enumerate(self._mechanisms):
            attention, alignment, new_state = self._attention_fn(mechanism, output, states[i],
                                                                 self._layers[i] if self._layers else None)
            new_states.append(new_state)
            alignments.append(alignment)
            attentions.append(attention)
            new_histories.append(histories[i].write(state.time, alignment) if self._history else ())
        attention = tf.concat(attentions, 1)
        new = AttentionWrapperState(
            time=state.time + 1, cell_state=cell_state, attention=attention, attention_state=self._of(new_states),
            alignments=self._of(alignments), alignment_history=self._of(new_histories))
        return (attention if self._output_attention else output), new
