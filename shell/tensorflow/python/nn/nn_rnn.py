"""tf.nn.static_rnn, dynamic_rnn and similar functions."""
from _library.rnn_cell import _check_cell, _concat_sizes, _static_size


def _flat(structure):
    return tf.nest.flatten(structure)


def _state_dtype(dtype, state):
    if dtype is not None:
        return dtype
    kinds = [t.dtype for t in _flat(state)]
    if not kinds:
        raise ValueError('Unable to infer dtype from empty state.')
    if any(k != kinds[0] for k in kinds):
        raise ValueError('State has tensors of different inferred_dtypes. Unable to infer a single representative '
                         'dtype.')
    return kinds[0]


def _initial(cell, initial_state, batch_size, dtype):
    if initial_state is not None:
        return initial_state
    if not dtype:
        raise ValueError('If there is no initial_state, you must give a dtype.')
    if getattr(cell, 'get_initial_state', None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)


def _swap_batch_time(x):
    shape = x.get_shape()
    if shape.ndims is not None and shape.ndims < 2:
        raise ValueError('Expected input tensor %s to have rank at least 2, but saw shape: %s' % (x, shape))
    rank = tf.rank(x)
    swapped = tf.transpose(x, tf.concat(([1, 0], tf.range(2, rank)), axis=0))
    if shape.ndims is not None:
        known = shape.as_list()
        swapped.set_shape([known[1], known[0]] + known[2:])
    return swapped


def _batch_size(flat_input):
    """For inputs of the form [time, batch, ...]."""
    for x in flat_input:
        if x.get_shape().ndims is not None and x.get_shape()[1].value is not None:
            return x.get_shape()[1].value
    return tf.shape(flat_input[0])[1]


def _step(time, lengths, shortest, longest, zero_output, state, call_cell, skip_conditionals=False):
    """One step, in which finished rows keep their state and return zeros."""
    flat_state, flat_zero = _flat(state), _flat(zero_output)
    ended = time >= lengths

    def merge(old, new):
        if isinstance(old, tf.TensorArray) or old.get_shape().ndims == 0:
            return new
        with tf.colocate_with(new):
            return tf.where(ended, old, new)

    def called():
        output, new_state = call_cell()
        tf.nest.assert_same_structure(zero_output, output)
        tf.nest.assert_same_structure(state, new_state)
        return _flat(output), _flat(new_state)

    def merged(outputs, states):
        return ([merge(z, o) for z, o in zip(flat_zero, outputs)] +
                [merge(s, n) for s, n in zip(flat_state, states)])

    def some_ended():
        outputs, states = called()
        return tf.cond(time < shortest, lambda: outputs + states, lambda: merged(outputs, states))

    if skip_conditionals:
        final = merged(*called())
    else:
        final = tf.cond(time >= longest, lambda: flat_zero + flat_state, some_ended)
    outputs, states = final[:len(flat_zero)], final[len(flat_zero):]
    for new, old in zip(outputs + states, flat_zero + flat_state):
        if not isinstance(new, tf.TensorArray):
            new.set_shape(old.get_shape())
    return tf.nest.pack_sequence_as(zero_output, outputs), tf.nest.pack_sequence_as(state, states)


def _zero_outputs(output_size, batch_size, known_batch, dtype):
    made = []
    for size in _flat(output_size):
        zeros = tf.zeros(_concat_sizes(batch_size, size), dtype)
        if known_batch is not _unset:
            zeros.set_shape(_static_size(known_batch) + _static_size(size))
        made.append(zeros)
    return tf.nest.pack_sequence_as(output_size, made)


_unset = object()


def static_rnn(cell, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
    """Runs a cell over a list of inputs, with separate nodes for each. Returns (outputs, state)."""
    _check_cell('cell', cell)
    if not isinstance(inputs, (list, tuple)):
        raise TypeError('inputs must be a sequence')
    if not inputs:
        raise ValueError('inputs must not be empty')
    outputs = []
    with tf.variable_scope(scope or 'rnn') as varscope:
        first = _flat(inputs)[0]
        known_batch = first.get_shape()[0].value
        for x in _flat(inputs):
            x.get_shape()[0].assert_is_compatible_with(first.get_shape()[0])
            for i, size in enumerate(x.get_shape().as_list()[1:]):
                if size is None:
                    raise ValueError('Input size (dimension %d of inputs) must be accessible via shape inference, '
                                     'but saw value None.' % i)
        batch_size = known_batch if known_batch else tf.shape(first)[0]
        state = _initial(cell, initial_state, batch_size, dtype)
        if sequence_length is not None:
            sequence_length = tf.convert_to_tensor(sequence_length, name='sequence_length')
            if sequence_length.get_shape().ndims not in (None, 1):
                raise ValueError('sequence_length must be a vector of length batch_size')
            zero_output = _zero_outputs(cell.output_size, batch_size, known_batch, _state_dtype(dtype, state))
            sequence_length = tf.to_int32(sequence_length)
            shortest, longest = tf.reduce_min(sequence_length), tf.reduce_max(sequence_length)
        for time, x in enumerate(inputs):
            if time > 0:
                varscope.reuse_variables()
            if sequence_length is None:
                output, state = cell(x, state)
            else:
                output, state = _step(time, sequence_length, shortest, longest, zero_output, state,
                                      lambda: cell(x, state))
            outputs.append(output)
    return outputs, state


def _loop(cell, inputs, state, parallel_iterations, swap_memory, sequence_length, dtype):
    flat_input, output_sizes = _flat(inputs), _flat(cell.output_size)
    time_steps = tf.shape(flat_input[0])[0]
    batch_size = _batch_size(flat_input)
    shapes = [x.get_shape().with_rank_at_least(3) for x in flat_input]
    known_time, known_batch = shapes[0].as_list()[:2]
    for shape in shapes:
        if not all(d is not None for d in shape.as_list()[2:]):
            raise ValueError('Input size (depth of inputs) must be accessible via shape inference, but saw value '
                             'None.')
        if shape.as_list()[0] != known_time:
            raise ValueError('Time steps is not the same for all the elements in the input in a batch.')
        if shape.as_list()[1] != known_batch:
            raise ValueError('Batch_size is not the same for all the elements in the input.')
    kind = _state_dtype(dtype, state)
    zero_output = _zero_outputs(cell.output_size, batch_size, _unset, kind)
    if sequence_length is not None:
        shortest, longest = tf.reduce_min(sequence_length), tf.reduce_max(sequence_length)
    else:
        longest = time_steps
    time = tf.constant(0, dtype=tf.int32, name='time')
    with tf.name_scope('dynamic_rnn') as base_name:
        pass

    def array(name, element_shape, dtype):
        return tf.TensorArray(dtype=dtype, size=time_steps, element_shape=element_shape,
                              tensor_array_name=base_name + name)
    output_arrays = tuple([array('output_%d' % i, [known_batch] + tf.TensorShape(size).as_list(), kind)
                           for i, size in enumerate(output_sizes)])
    input_arrays = [array('input_%d' % i, x.get_shape().as_list()[1:], x.dtype) for i, x in enumerate(flat_input)]
    input_arrays = [a.unstack(x) for a, x in zip(input_arrays, flat_input)]

    def body(time, arrays, state):
        now = [a.read(time) for a in input_arrays]
        for x, shape in zip(now, shapes):
            x.set_shape(shape.as_list()[1:])
        now = tf.nest.pack_sequence_as(inputs, now)
        if sequence_length is None:
            output, new_state = cell(now, state)
        else:
            output, new_state = _step(time, sequence_length, shortest, longest, zero_output, state,
                                      lambda: cell(now, state), skip_conditionals=True)
        arrays = tuple([a.write(time, out) for a, out in zip(arrays, _flat(output))])
        return time + 1, arrays, new_state

    bound = tf.minimum(time_steps, tf.maximum(1, longest))
    _, arrays, final_state = tf.while_loop(
        cond=lambda time, *_: time < bound, body=body, loop_vars=(time, output_arrays, state),
        parallel_iterations=parallel_iterations, maximum_iterations=time_steps, swap_memory=swap_memory)
    outputs = [a.stack() for a in arrays]
    for output, size in zip(outputs, output_sizes):
        output.set_shape(_static_size([known_time, known_batch]) + _static_size(size))
    return tf.nest.pack_sequence_as(cell.output_size, outputs), final_state


def _check_lengths(lengths, batch_size):
    shape, wanted = tf.shape(lengths), tf.stack([batch_size])
    return tf.Assert(tf.reduce_all(tf.equal(shape, wanted)),
                     ['Expected shape for Tensor %s is ' % lengths.name, wanted, ' but saw shape: ', shape])


def dynamic_rnn(cell, inputs, sequence_length=None, initial_state=None, dtype=None, parallel_iterations=None,
                swap_memory=False, time_major=False, scope=None):
    """Runs a cell over the time dimension of inputs in a loop. Returns (outputs, state)."""
    _check_cell('cell', cell)
    with tf.variable_scope(scope or 'rnn'):
        flat_input = _flat(inputs)
        if not time_major:
            flat_input = [_swap_batch_time(x) for x in [tf.convert_to_tensor(x) for x in flat_input]]
        parallel_iterations = parallel_iterations or 32
        if sequence_length is not None:
            sequence_length = tf.to_int32(sequence_length)
            if sequence_length.get_shape().ndims not in (None, 1):
                raise ValueError('sequence_length must be a vector of length batch_size, but saw shape: %s'
                                 % sequence_length.get_shape())
            sequence_length = tf.identity(sequence_length, name='sequence_length')
        batch_size = _batch_size(flat_input)
        state = _initial(cell, initial_state, batch_size, dtype)
        if sequence_length is not None:
            with tf.control_dependencies([_check_lengths(sequence_length, batch_size)]):
                sequence_length = tf.identity(sequence_length, name='CheckSeqLen')
        inputs = tf.nest.pack_sequence_as(inputs, flat_input)
        outputs, final_state = _loop(cell, inputs, state, parallel_iterations, swap_memory, sequence_length, dtype)
        if not time_major:
            outputs = tf.nest.map_structure(_swap_batch_time, outputs)
    return outputs, final_state


def bidirectional_dynamic_rnn(cell_fw, cell_bw, inputs, sequence_length=None, initial_state_fw=None,
                              initial_state_bw=None, dtype=None, parallel_iterations=None, swap_memory=False,
                              time_major=False, scope=None):
    """Runs one cell forwards and one backwards. Returns ((out_fw, out_bw), (state_fw, state_bw))."""
    _check_cell('cell_fw', cell_fw)
    _check_cell('cell_bw', cell_bw)
    time_axis, batch_axis = (0, 1) if time_major else (1, 0)

    def backwards(x):
        if sequence_length is not None:
            return tf.reverse_sequence(x, sequence_length, seq_axis=time_axis, batch_axis=batch_axis)
        return tf.reverse(x, axis=[time_axis])
    with tf.variable_scope(scope or 'bidirectional_rnn'):
        with tf.variable_scope('fw') as fw_scope:
            output_fw, state_fw = dynamic_rnn(cell_fw, inputs, sequence_length, initial_state_fw, dtype,
                                              parallel_iterations, swap_memory, time_major, fw_scope)
        with tf.variable_scope('bw') as bw_scope:
            reversed_inputs = tf.nest.map_structure(backwards, inputs)
            output, state_bw = dynamic_rnn(cell_bw, reversed_inputs, sequence_length, initial_state_bw, dtype,
                                           parallel_iterations, swap_memory, time_major, bw_scope)
    return (output_fw, tf.nest.map_structure(backwards, output)), (state_fw, state_bw)


def _reverse_list(inputs, lengths):
    if lengths is None:
        return list(reversed(inputs))
    joined = tf.reverse_sequence(tf.stack(inputs), lengths, seq_axis=0, batch_axis=1)
    return tf.unstack(joined)


def static_bidirectional_rnn(cell_fw, cell_bw, inputs, initial_state_fw=None, initial_state_bw=None, dtype=None,
                             sequence_length=None, scope=None):
    """Runs one cell forwards and one backwards over a list. Returns (concatenated outputs, state_fw, state_bw)."""
    _check_cell('cell_fw', cell_fw)
    _check_cell('cell_bw', cell_bw)
    with tf.variable_scope(scope or 'bidirectional_rnn'):
        with tf.variable_scope('fw') as fw_scope:
            output_fw, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length, fw_scope)
        with tf.variable_scope('bw') as bw_scope:
            output, state_bw = static_rnn(cell_bw, _reverse_list(inputs, sequence_length), initial_state_bw, dtype,
                                          sequence_length, bw_scope)
    output_bw = _reverse_list(output, sequence_length)
    return [tf.concat([f, b], 1) for f, b in zip(output_fw, output_bw)], state_fw, state_bw


def raw_rnn(cell, loop_fn, parallel_iterations=None, swap_memory=False, scope=None):
    """Runs an RNN whose inputs come from loop_fn(time, output, state, loop_state), until all rows are finished."""
    _check_cell('cell', cell)
    if not callable(loop_fn):
        raise TypeError('loop_fn must be a callable')
    with tf.variable_scope(scope or 'rnn'):
        time = tf.constant(0, dtype=tf.int32)
        ended, first_input, state, emitted, loop_state = loop_fn(time, None, None, None)
        keeps_state = loop_state is not None
        if not keeps_state:
            loop_state = tf.constant(0, dtype=tf.int32)
        flat_input = _flat(first_input)
        static = flat_input[0].get_shape()[0].value
        batch_size = tf.shape(flat_input[0])[0] if static is None else static
        tf.nest.assert_same_structure(state, cell.state_size)
        state = tf.nest.map_structure(tf.convert_to_tensor, state)
        if emitted is not None:
            sizes = [x.get_shape() if x.get_shape().is_fully_defined() else tf.shape(x) for x in _flat(emitted)]
            types = [x.dtype for x in _flat(emitted)]
        else:
            emitted = cell.output_size
            sizes = [tf.TensorShape(n) if not isinstance(n, int) else tf.TensorShape([n]) for n in _flat(emitted)]
            types = [_flat(state)[0].dtype] * len(sizes)

        def static_shape(size):
            return size if isinstance(size, tf.TensorShape) else tf.TensorShape(None)

        def dimensions(size):
            return size.as_list() if isinstance(size, tf.TensorShape) else size
        outputs = [tf.TensorArray(t, size=0, dynamic_size=True, name='rnn_output_%d' % i,
                                  element_shape=tf.TensorShape([static]).concatenate(static_shape(n)))
                   for i, (t, n) in enumerate(zip(types, sizes))]
        outputs = tf.nest.pack_sequence_as(emitted, outputs)
        nothing = tf.nest.pack_sequence_as(emitted, [
            tf.zeros(tf.concat([[batch_size], dimensions(n)], 0), t) for t, n in zip(types, sizes)])

        def body(time, ended, current, outputs, state, loop_state):
            output, cell_state = cell(current, state)
            tf.nest.assert_same_structure(state, cell_state)
            later = time + 1
            now_ended, following, next_state, emit, next_loop_state = loop_fn(later, output, cell_state, loop_state)
            tf.nest.assert_same_structure(state, next_state)
            tf.nest.assert_same_structure(current, following)

            def kept(old, new):
                if isinstance(old, tf.TensorArray) or old.get_shape().ndims == 0:
                    return new
                with tf.colocate_with(new):
                    return tf.where(ended, old, new)
            emit = tf.nest.map_structure(kept, nothing, emit)
            next_state = tf.nest.map_structure(kept, state, next_state)
            outputs = tf.nest.map_structure(lambda array, x: array.write(time, x), outputs, emit)
            return (later, tf.logical_or(ended, now_ended), following, outputs, next_state,
                    loop_state if next_loop_state is None else next_loop_state)
        last = tf.while_loop(lambda time, ended, *_: tf.logical_not(tf.reduce_all(ended)), body,
                             [time, ended, first_input, outputs, state, loop_state],
                             parallel_iterations=parallel_iterations or 32, swap_memory=swap_memory)
        return last[3], last[4], last[5] if keeps_state else None
