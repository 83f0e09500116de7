"""tf.contrib.legacy_seq2seq: sequence-to-sequence models as unrolled graphs."""
import copy

from _library.contrib_cells import EmbeddingWrapper, OutputProjectionWrapper, _linear


def _flat(structure):
    return tf.nest.flatten(structure)


def _embed_and_feed_previous(embedding, output_projection=None, update_embedding=True):
    def loop_function(prev, _):
        if output_projection is not None:
            prev = tf.nn.xw_plus_b(prev, output_projection[0], output_projection[1])
        found = tf.nn.embedding_lookup(embedding, tf.argmax(prev, 1))
        return found if update_embedding else tf.stop_gradient(found)
    return loop_function


_extract_argmax_and_embed = _embed_and_feed_previous


def rnn_decoder(decoder_inputs, initial_state, cell, loop_function=None, scope=None):
    """Runs the cell over the inputs. loop_function(previous output, step) replaces all inputs but the first."""
    with tf.variable_scope(scope or 'rnn_decoder'):
        state, outputs, prev = initial_state, [], None
        for i, inp in enumerate(decoder_inputs):
            if loop_function is not None and prev is not None:
                with tf.variable_scope('loop_function', reuse=True):
                    inp = loop_function(prev, i)
            if i > 0:
                tf.get_variable_scope().reuse_variables()
            output, state = cell(inp, state)
            outputs.append(output)
            if loop_function is not None:
                prev = output
    return outputs, state


def basic_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, dtype=tf.float32, scope=None):
    """An encoder whose last state starts a decoder with separate weights."""
    with tf.variable_scope(scope or 'basic_rnn_seq2seq'):
        _, state = tf.nn.static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, loop_function=None, dtype=tf.float32, scope=None):
    """An encoder and a decoder that share their weights."""
    with tf.variable_scope(scope or 'tied_rnn_seq2seq'):
        name = scope or 'tied_rnn_seq2seq'
        _, state = tf.nn.static_rnn(cell, encoder_inputs, dtype=dtype, scope=name)
        tf.get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function=loop_function, scope=name)


def embedding_rnn_decoder(decoder_inputs, initial_state, cell, num_symbols, embedding_size, output_projection=None,
                          feed_previous=False, update_embedding_for_previous=True, scope=None):
    """An rnn_decoder of symbols."""
    dtype = None if output_projection is None else output_projection[0].dtype.base_dtype
    with tf.variable_scope(scope or 'embedding_rnn_decoder', dtype=dtype):
        embedding = tf.get_variable('embedding', [num_symbols, embedding_size])
        loop = _embed_and_feed_previous(embedding, output_projection, update_embedding_for_previous) \
            if feed_previous else None
        inputs = [tf.nn.embedding_lookup(embedding, i) for i in decoder_inputs]
        return rnn_decoder(inputs, initial_state, cell, loop_function=loop)


def _either(feed_previous, decode, state_like):
    """Decodes with and without feeding back, and chooses when the step runs."""
    def branch(value):
        def run():
            with tf.variable_scope(tf.get_variable_scope(), reuse=None if value else True):
                outputs, state = decode(value)
                return outputs + _flat(state)
        return run
    found = tf.cond(feed_previous, branch(True), branch(False))
    count = len(found) - len(_flat(state_like))
    return found[:count], tf.nest.pack_sequence_as(state_like, found[count:])


def embedding_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, num_encoder_symbols, num_decoder_symbols, embedding_size,
                          output_projection=None, feed_previous=False, dtype=None, scope=None):
    """An encoder and a decoder of symbols."""
    with tf.variable_scope(scope or 'embedding_rnn_seq2seq', dtype=dtype) as scope:
        dtype = scope.dtype
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        _, state = tf.nn.static_rnn(encoder, encoder_inputs, dtype=dtype)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decode(feed):
            return embedding_rnn_decoder(decoder_inputs, state, cell, num_decoder_symbols, embedding_size,
                                         output_projection, feed)
        return decode(feed_previous) if isinstance(feed_previous, bool) else _either(feed_previous, decode, state)


def embedding_tied_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, num_symbols, embedding_size,
                               num_decoder_symbols=None, output_projection=None, feed_previous=False, dtype=None,
                               scope=None):
    """An encoder and a decoder that share the embedding and the weights."""
    with tf.variable_scope(scope or 'embedding_tied_rnn_seq2seq', dtype=dtype) as scope:
        dtype = scope.dtype
        embedding = tf.get_variable('embedding', [num_symbols, embedding_size], dtype)
        encoded = [tf.nn.embedding_lookup(embedding, x) for x in encoder_inputs]
        decoded = [tf.nn.embedding_lookup(embedding, x) for x in decoder_inputs]
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols or num_symbols)

        def decode(feed):
            loop = _embed_and_feed_previous(embedding, output_projection) if feed else None
            return tied_rnn_seq2seq(encoded, decoded, cell, loop_function=loop, dtype=dtype)
        like = tf.nest.map_structure(lambda size: size, cell.state_size)
        return decode(feed_previous) if isinstance(feed_previous, bool) else _either(feed_previous, decode, like)


def attention_decoder(decoder_inputs, initial_state, attention_states, cell, output_size=None, num_heads=1,
                      loop_function=None, dtype=None, scope=None, initial_state_attention=False):
    """An rnn_decoder that attends to attention_states [batch, length, size] in each step."""
    if not decoder_inputs:
        raise ValueError('Must provide at least 1 input to attention decoder.')
    if num_heads < 1:
        raise ValueError('With less than 1 heads, use a non-attention decoder.')
    if attention_states.get_shape()[2].value is None:
        raise ValueError('Shape[2] of attention_states must be known: %s' % attention_states.get_shape())
    output_size = cell.output_size if output_size is None else output_size
    with tf.variable_scope(scope or 'attention_decoder', dtype=dtype) as scope:
        dtype = scope.dtype
        batch = tf.shape(decoder_inputs[0])[0]
        length = attention_states.get_shape()[1].value or tf.shape(attention_states)[1]
        size = attention_states.get_shape()[2].value
        hidden = tf.reshape(attention_states, [-1, length, 1, size])
        features, v = [], []
        for a in range(num_heads):
            k = tf.get_variable('AttnW_%d' % a, [1, 1, size, size], dtype=dtype)
            features.append(tf.nn.conv2d(hidden, k, [1, 1, 1, 1], 'SAME'))
            v.append(tf.get_variable('AttnV_%d' % a, [size], dtype=dtype))

        def attention(query):
            found = []
            query = tf.concat(_flat(query), 1) if isinstance(query, (list, tuple)) else query
            for a in range(num_heads):
                with tf.variable_scope('Attention_%d' % a):
                    y = tf.cast(tf.reshape(_linear(query, size), [-1, 1, 1, size]), dtype)
                    s = tf.reduce_sum(v[a] * tf.tanh(features[a] + y), [2, 3])
                    weights = tf.cast(tf.nn.softmax(tf.cast(s, tf.float32)), dtype)
                    d = tf.reduce_sum(tf.reshape(weights, [-1, length, 1, 1]) * hidden, [1, 2])
                    found.append(tf.reshape(d, [-1, size]))
            return found

        state, outputs, prev = initial_state, [], None
        attns = [tf.zeros(tf.stack([batch, size]), dtype=dtype) for _ in range(num_heads)]
        for a in attns:
            a.set_shape([None, size])
        if initial_state_attention:
            attns = attention(initial_state)
        for i, inp in enumerate(decoder_inputs):
            if i > 0:
                tf.get_variable_scope().reuse_variables()
            if loop_function is not None and prev is not None:
                with tf.variable_scope('loop_function', reuse=True):
                    inp = loop_function(prev, i)
            if inp.get_shape().with_rank(2)[1].value is None:
                raise ValueError('Could not infer input size from input: %s' % inp.name)
            x = _linear([tf.cast(e, dtype) for e in [inp] + attns], inp.get_shape()[1].value)
            output, state = cell(x, state)
            if i == 0 and initial_state_attention:
                with tf.variable_scope(tf.get_variable_scope(), reuse=True):
                    attns = attention(state)
            else:
                attns = attention(state)
            with tf.variable_scope('AttnOutputProjection'):
                output = _linear([tf.cast(output, dtype)] + attns, output_size)
            if loop_function is not None:
                prev = output
            outputs.append(output)
    return outputs, state


def embedding_attention_decoder(decoder_inputs, initial_state, attention_states, cell, num_symbols, embedding_size,
                                num_heads=1, output_size=None, output_projection=None, feed_previous=False,
                                update_embedding_for_previous=True, dtype=None, scope=None,
                                initial_state_attention=False):
    """An attention_decoder of symbols."""
    output_size = cell.output_size if output_size is None else output_size
    with tf.variable_scope(scope or 'embedding_attention_decoder', dtype=dtype):
        embedding = tf.get_variable('embedding', [num_symbols, embedding_size])
        loop = _embed_and_feed_previous(embedding, output_projection, update_embedding_for_previous) \
            if feed_previous else None
        inputs = [tf.nn.embedding_lookup(embedding, i) for i in decoder_inputs]
        return attention_decoder(inputs, initial_state, attention_states, cell, output_size=output_size,
                                 num_heads=num_heads, loop_function=loop,
                                 initial_state_attention=initial_state_attention)


def embedding_attention_seq2seq(encoder_inputs, decoder_inputs, cell, num_encoder_symbols, num_decoder_symbols,
                                embedding_size, num_heads=1, output_projection=None, feed_previous=False, dtype=None,
                                scope=None, initial_state_attention=False):
    """An encoder and an attention decoder of symbols."""
    with tf.variable_scope(scope or 'embedding_attention_seq2seq', dtype=dtype) as scope:
        dtype = scope.dtype
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        encoded, state = tf.nn.static_rnn(encoder, encoder_inputs, dtype=dtype)
        states = tf.concat([tf.reshape(e, [-1, 1, cell.output_size]) for e in encoded], 1)
        size = None
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
            size = num_decoder_symbols

        def decode(feed):
            return embedding_attention_decoder(decoder_inputs, state, states, cell, num_decoder_symbols, embedding_size,
                                               num_heads, size, output_projection, feed,
                                               initial_state_attention=initial_state_attention)
        return decode(feed_previous) if isinstance(feed_previous, bool) else _either(feed_previous, decode, state)


def one2many_rnn_seq2seq(encoder_inputs, decoder_inputs_dict, enc_cell, dec_cells_dict, num_encoder_symbols,
                         num_decoder_symbols_dict, embedding_size, feed_previous=False, dtype=None, scope=None):
    """One encoder with several decoders of symbols."""
    outputs, states = {}, {}
    with tf.variable_scope(scope or 'one2many_rnn_seq2seq', dtype=dtype) as scope:
        encoder = EmbeddingWrapper(enc_cell, num_encoder_symbols, embedding_size)
        _, state = tf.nn.static_rnn(encoder, encoder_inputs, dtype=scope.dtype)
        for name, inputs in decoder_inputs_dict.items():
            count = num_decoder_symbols_dict[name]
            with tf.variable_scope('one2many_decoder_' + str(name)):
                cell = OutputProjectionWrapper(dec_cells_dict[name], count)
                outputs[name], states[name] = embedding_rnn_decoder(inputs, state, cell, count, embedding_size,
                                                                    feed_previous=feed_previous)
    return outputs, states


def sequence_loss_by_example(logits, targets, weights, average_across_timesteps=True, softmax_loss_function=None,
                             name=None):
    """The weighted cross-entropy of each example, over lists with one entry a step."""
    if len(targets) != len(logits) or len(weights) != len(logits):
        raise ValueError('Lengths of logits, weights, and targets must be the same %d, %d, %d.'
                         % (len(logits), len(weights), len(targets)))
    with tf.name_scope(name, 'sequence_loss_by_example', logits + targets + weights):
        losses = []
        for logit, target, weight in zip(logits, targets, weights):
            if softmax_loss_function is None:
                target = tf.reshape(target, [-1])
                crossent = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=logit)
            else:
                crossent = softmax_loss_function(labels=target, logits=logit)
            losses.append(crossent * weight)
        total = tf.add_n(losses)
        return total / (tf.add_n(weights) + 1e-12) if average_across_timesteps else total


def sequence_loss(logits, targets, weights, average_across_timesteps=True, average_across_batch=True,
                  softmax_loss_function=None, name=None):
    """The weighted cross-entropy of a batch, over lists with one entry a step."""
    with tf.name_scope(name, 'sequence_loss', logits + targets + weights):
        cost = tf.reduce_sum(sequence_loss_by_example(logits, targets, weights, average_across_timesteps,
                                                      softmax_loss_function))
        return cost / tf.cast(tf.shape(targets[0])[0], cost.dtype) if average_across_batch else cost


def model_with_buckets(encoder_inputs, decoder_inputs, targets, weights, buckets, seq2seq, softmax_loss_function=None,
                       per_example_loss=False, name=None):
    """Builds the model once for each bucket (encoder length, decoder length). Returns (outputs, losses)."""
    for what, given, i in (('encoder_inputs', encoder_inputs, 0), ('targets', targets, 1), ('weights', weights, 1)):
        if len(given) < buckets[-1][i]:
            raise ValueError('Length of %s (%d) must be at least that of last bucket (%d).'
                             % (what, len(given), buckets[-1][i]))
    losses, outputs = [], []
    with tf.name_scope(name, 'model_with_buckets', encoder_inputs + decoder_inputs + targets + weights):
        for j, (encode, decode) in enumerate(buckets):
            with tf.variable_scope(tf.get_variable_scope(), reuse=True if j > 0 else None):
                made, _ = seq2seq(encoder_inputs[:encode], decoder_inputs[:decode])
                outputs.append(made)
                loss = sequence_loss_by_example if per_example_loss else sequence_loss
                losses.append(loss(made, targets[:decode], weights[:decode],
                                   softmax_loss_function=softmax_loss_function))
    return outputs, losses
