"""tf.train: input pipelines of queues."""


def limit_epochs(tensor, num_epochs=None, name=None):
    """tensor, so many times; then OutOfRangeError."""
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError('num_epochs must be > 0 not %d.' % num_epochs)
    with tf.name_scope(name, 'limit_epochs', [tensor]) as name:
        zero64 = tf.constant(0, dtype=tf.int64)
        epochs = tf.Variable(zero64, name='epochs', trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES])
        counter = epochs.count_up_to(num_epochs)
        with tf.control_dependencies([counter]):
            return tf.identity(tensor, name=name)


def _full(queue, above, capacity, name):
    size = queue.size()
    if above is not None:
        size = tf.maximum(0, size - above)
    tf.summary.scalar(name, tf.cast(size, tf.float32) * (1. / (capacity - (above or 0))))


def input_producer(input_tensor, element_shape=None, num_epochs=None, shuffle=True, seed=None, capacity=32,
                   shared_name=None, summary_name=None, name=None, cancel_op=None):
    """A queue of the rows of input_tensor, and the runner that fills it."""
    with tf.name_scope(name, 'input_producer', [input_tensor]):
        input_tensor = tf.convert_to_tensor(input_tensor, name='input_tensor')
        shape = input_tensor.shape[1:] if element_shape is None else tf.TensorShape(element_shape)
        if not shape.is_fully_defined():
            raise ValueError('Either `input_tensor` must have a fully defined shape or `element_shape` must be '
                             'specified')
        if shuffle:
            input_tensor = tf.random_shuffle(input_tensor, seed=seed)
        input_tensor = limit_epochs(input_tensor, num_epochs)
        q = tf.FIFOQueue(capacity=capacity, dtypes=[input_tensor.dtype.base_dtype], shapes=[shape],
                         shared_name=shared_name, name='input_producer' if name is None else name)
        enq = q.enqueue_many([input_tensor])
        tf.train.add_queue_runner(tf.train.QueueRunner(q, [enq], cancel_op=cancel_op))
        if summary_name is not None:
            _full(q, None, capacity, summary_name)
        return q


def string_input_producer(string_tensor, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None,
                          name=None, cancel_op=None):
    """A queue of strings, file names usually."""
    not_null_err = 'string_input_producer requires a non-null input tensor'
    if not tf.is_tensor(string_tensor) and not len(string_tensor):
        raise ValueError(not_null_err)
    with tf.name_scope(name, 'input_producer', [string_tensor]) as name:
        string_tensor = tf.convert_to_tensor(string_tensor, dtype=tf.string)
        with tf.control_dependencies([tf.Assert(tf.greater(tf.size(string_tensor), 0), [not_null_err])]):
            string_tensor = tf.identity(string_tensor)
        return input_producer(string_tensor, [], num_epochs=num_epochs, shuffle=shuffle, seed=seed,
                              capacity=capacity, shared_name=shared_name, name=name,
                              summary_name='fraction_of_%d_full' % capacity, cancel_op=cancel_op)


def range_input_producer(limit, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None):
    """A queue of the integers below limit."""
    with tf.name_scope(name, 'input_producer', [limit]) as name:
        return input_producer(tf.range(limit), [], num_epochs, shuffle, seed, capacity, shared_name,
                              'fraction_of_%d_full' % capacity, name)


def slice_input_producer(tensor_list, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None,
                         name=None):
    """One row of each tensor, the rows in step."""
    with tf.name_scope(name, 'input_producer', tensor_list):
        tensor_list = [tf.convert_to_tensor(t) for t in tensor_list]
        if not tensor_list:
            raise ValueError('Expected at least one tensor in slice_input_producer().')
        range_size = tf.shape(tensor_list[0])[0]
        queue = range_input_producer(range_size, num_epochs=num_epochs, shuffle=shuffle, seed=seed,
                                     capacity=capacity, shared_name=shared_name)
        index = queue.dequeue()
        return [tf.gather(t, index) for t in tensor_list]


def _shapes(tensors, shapes, enqueue_many):
    if shapes is not None:
        return shapes
    found = [t.shape for t in tensors]
    if enqueue_many:
        found = [s[1:] for s in found]
    return found


def _tensors(tensors):
    keys = sorted(tensors) if isinstance(tensors, dict) else None
    values = [tensors[k] for k in keys] if keys else list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]
    return keys, [tf.convert_to_tensor(t) for t in values]


def _as_given(tensors, keys, dequeued):
    """A dict for a dict; else what the queue answers: of one tensor the tensor, not a list."""
    if keys:
        return dict(zip(keys, dequeued if isinstance(dequeued, (list, tuple)) else [dequeued]))
    return dequeued


def _enqueue(queue, tensors, threads, enqueue_many):
    op = queue.enqueue_many(tensors) if enqueue_many else queue.enqueue(tensors)
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [op] * threads))


def _dequeue(queue, batch_size, smaller, name):
    return queue.dequeue_up_to(batch_size, name=name) if smaller else queue.dequeue_many(batch_size, name=name)


def _batch(tensors, keep_input, batch_size, num_threads, capacity, enqueue_many, shapes, dynamic_pad, smaller,
           shared_name, name):
    keys, values = _tensors(tensors)
    with tf.name_scope(name, 'batch', values) as name:
        keep = tf.convert_to_tensor(keep_input)
        types = [t.dtype.base_dtype for t in values]
        shapes = _shapes(values, shapes, enqueue_many)
        make = tf.PaddingFIFOQueue if dynamic_pad else tf.FIFOQueue
        if not dynamic_pad and not all(tf.TensorShape(s).is_fully_defined() for s in shapes):
            raise ValueError('All shapes must be fully defined: %s' % (shapes,))
        queue = make(capacity=capacity, dtypes=types, shapes=shapes, shared_name=shared_name)
        _enqueue(queue, values, num_threads, enqueue_many)
        _full(queue, None, capacity, 'fraction_of_%d_full' % capacity)
        return _as_given(tensors, keys, _dequeue(queue, batch_size, smaller, name))


def batch(tensors, batch_size, num_threads=1, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
          allow_smaller_final_batch=False, shared_name=None, name=None):
    """Batches of what the tensors are, filled by threads."""
    return _batch(tensors, True, batch_size, num_threads, capacity, enqueue_many, shapes, dynamic_pad,
                  allow_smaller_final_batch, shared_name, name)


def shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, num_threads=1, seed=None, enqueue_many=False,
                  shapes=None, allow_smaller_final_batch=False, shared_name=None, name=None):
    """Mixed batches of what the tensors are, filled by threads."""
    keys, values = _tensors(tensors)
    with tf.name_scope(name, 'shuffle_batch', values) as name:
        if capacity <= min_after_dequeue:
            raise ValueError('capacity %d must be bigger than min_after_dequeue %d.' % (capacity, min_after_dequeue))
        keep = tf.convert_to_tensor(True)
        types = [t.dtype.base_dtype for t in values]
        shapes = _shapes(values, shapes, enqueue_many)
        queue = tf.RandomShuffleQueue(capacity=capacity, min_after_dequeue=min_after_dequeue, seed=seed,
                                      dtypes=types, shapes=shapes, shared_name=shared_name)
        _enqueue(queue, values, num_threads, enqueue_many)
        _full(queue, min_after_dequeue, capacity,
              'fraction_over_%d_of_%d_full' % (min_after_dequeue, capacity - min_after_dequeue))
        return _as_given(tensors, keys, _dequeue(queue, batch_size, allow_smaller_final_batch, name))


def match_filenames_once(pattern, name=None):
    """A variable of the files that the pattern matches."""
    with tf.name_scope(name, 'matching_filenames', [pattern]) as name:
        return tf.Variable(tf.matching_files(pattern), trainable=False, name=name, validate_shape=False,
                           collections=[tf.GraphKeys.LOCAL_VARIABLES])
