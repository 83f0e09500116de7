"""tf.train: input pipelines with queues."""


def limit_epochs(tensor, num_epochs=None, name=None):
    """Returns tensor a limited number of times, and then raises OutOfRangeError."""
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
    """Returns a queue of the rows of input_tensor, with the runner that fills it."""
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
    """Returns a queue of strings, usually file names."""
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
    """Returns a queue of the integers below limit."""
    with tf.name_scope(name, 'input_producer', [limit]) as name:
        return input_producer(tf.range(limit), [], num_epochs, shuffle, seed, capacity, shared_name,
                              'fraction_of_%d_full' % capacity, name)


def slice_input_producer(tensor_list, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None,
                         name=None):
    """Returns one row of each tensor; all have the same index."""
    with tf.name_scope(name, 'input_producer', tensor_list):
        tensor_list = [tf.convert_to_tensor(t) for t in tensor_list]
        if not tensor_list:
            raise ValueError('Expected at least one tensor in slice_input_producer().')
        range_size = tf.shape(tensor_list[0])[0]
        queue = range_input_producer(range_size, num_epochs=num_epochs, shuffle=shuffle, seed=seed,
                                     capacity=capacity, shared_name=shared_name)
        index = queue.dequeue()
        return [tf.gather(t, index) for t in tensor_list]


def _row_shapes(rows, shapes, enqueue_many):
    """Returns the common part of the shapes of each column."""
    if shapes is not None:
        return shapes
    found = []
    for column in zip(*rows):
        known = [t.shape[1:] if enqueue_many else t.shape for t in column]
        merged = known[0]
        for shape in known[1:]:
            merged = _common(merged, shape)
        found.append(merged)
    return found


def _common(a, b):
    if a.ndims is None or a.ndims != b.ndims:
        return tf.TensorShape(None)
    return tf.TensorShape([m if m == n else None for m, n in zip(a.as_list(), b.as_list())])


def _is_sparse(t):
    return isinstance(t, (tf.SparseTensor, tf.SparseTensorValue))


def _values(tensors):
    keys = sorted(tensors) if isinstance(tensors, dict) else None
    values = [tensors[k] for k in keys] if keys else list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]
    values = [tf.SparseTensor.from_value(t) if isinstance(t, tf.SparseTensorValue) else t for t in values]
    return keys, [t if _is_sparse(t) else tf.convert_to_tensor(t) for t in values]


def _as_given(keys, dequeued):
    """Returns a dict for a dict; otherwise the queue's result, which is a tensor instead of a list for a single
    component."""
    if keys:
        return dict(zip(keys, dequeued if isinstance(dequeued, (list, tuple)) else [dequeued]))
    return dequeued


class _SparseColumn(object):
    """Sparse tensors pass through a queue as handles of a map that stores them."""

    def __init__(self, enqueue_many):
        self._many = enqueue_many
        self._map = None

    def store(self, sp, keep):
        if keep.get_shape().ndims == 1:
            sp = tf.sparse_retain(sp, tf.gather(keep, sp.indices[:, 0]))
        elif tf.get_static_value(keep) is None:
            rows = sp.dense_shape[:1] if self._many else []
            return tf.cond(keep, lambda: self._stored(sp), lambda: tf.fill(rows, tf.constant(-1, tf.int64)))
        return self._stored(sp)

    def _stored(self, sp):
        make = tf.raw_ops.AddManySparseToTensorsMap if self._many else tf.raw_ops.AddSparseToTensorsMap
        handle = make(sparse_indices=sp.indices, sparse_values=sp.values, sparse_shape=sp.dense_shape,
                      shared_name=self._map)
        if self._map is None:
            self._map, self._dtype = handle.op.name, sp.dtype
            rank = sp.get_shape().ndims
            self._rank = None if rank is None else rank if self._many else rank + 1
        if self._many:
            handle.set_shape(sp.get_shape()[:1])
        return handle

    def restore(self, handles):
        indices, values, shape = tf.raw_ops.TakeManySparseFromTensorsMap(
            sparse_handles=handles, dtype=self._dtype, shared_name=self._map)
        indices.set_shape([None, self._rank])
        shape.set_shape([self._rank])
        return tf.SparseTensor(indices, values, shape)


def _enqueue_when(queue, values, keep, enqueue_many):
    """Returns the enqueue operation for the rows or elements selected by `keep`."""
    if keep.get_shape().ndims == 1:
        return queue.enqueue_many([tf.boolean_mask(t, keep) for t in values])
    enqueue = queue.enqueue_many if enqueue_many else queue.enqueue
    known = tf.get_static_value(keep)
    if known is None:
        return tf.cond(keep, lambda: enqueue(values), tf.no_op)
    return enqueue(values) if known else tf.no_op()


def _pipeline(tensors_list, keep_input, enqueue_many, shapes, batch_size, smaller, capacity, above, make, threads, scope,
              name, checked=False):
    """Returns batches of the rows of tensors_list. They pass through a queue that make(types, shapes) creates."""
    parsed = [_values(tensors) for tensors in tensors_list]
    keys, rows = parsed[0][0], [values for _, values in parsed]
    flat = [t for values in rows for t in values]
    with tf.name_scope(name, scope, [t.values if _is_sparse(t) else t for t in flat]) as name:
        keep = tf.convert_to_tensor(keep_input)
        if keep.get_shape().ndims == 1 and not enqueue_many:
            raise ValueError('keep_input cannot be a vector when not enqueueing many.')
        columns = [_SparseColumn(enqueue_many) if _is_sparse(t) else None for t in rows[0]]
        rows = [[column.store(t, keep) if column else t for column, t in zip(columns, values)] for values in rows]
        types = [t.dtype.base_dtype for t in rows[0]]
        for values in rows:
            if [t.dtype.base_dtype for t in values] != types:
                raise TypeError('Expected types to be consistent: %s vs. %s.' % (types, [t.dtype for t in values]))
        shapes = _row_shapes(rows, shapes, enqueue_many)
        if checked and not all(tf.TensorShape(s).is_fully_defined() for s in shapes):
            raise ValueError('All shapes must be fully defined: %s' % (shapes,))
        queue = make(types, shapes)
        ops = [_enqueue_when(queue, values, keep, enqueue_many) for values in rows]
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, ops * threads))
        _full(queue, above, capacity, 'fraction_of_%d_full' % capacity if above is None else
              'fraction_over_%d_of_%d_full' % (above, capacity - above))
        out = queue.dequeue_up_to(batch_size, name=name) if smaller else queue.dequeue_many(batch_size, name=name)
        out = list(out) if isinstance(out, (list, tuple)) else [out]
        out = [column.restore(t) if column else t for column, t in zip(columns, out)]
        return _as_given(keys, out if len(out) > 1 else out[0])


def _plain(tensors_list, keep_input, batch_size, threads, capacity, enqueue_many, shapes, dynamic_pad, smaller,
           shared_name, scope, name):
    def make(types, shapes):
        kind = tf.PaddingFIFOQueue if dynamic_pad else tf.FIFOQueue
        return kind(capacity=capacity, dtypes=types, shapes=shapes, shared_name=shared_name)
    return _pipeline(tensors_list, keep_input, enqueue_many, shapes, batch_size, smaller, capacity, None, make, threads,
                     scope, name, checked=not dynamic_pad)


def _mixed(tensors_list, keep_input, batch_size, capacity, min_after_dequeue, threads, seed, enqueue_many, shapes, smaller,
           shared_name, scope, name):
    if capacity <= min_after_dequeue:
        raise ValueError('capacity %d must be bigger than min_after_dequeue %d.' % (capacity, min_after_dequeue))

    def make(types, shapes):
        return tf.RandomShuffleQueue(capacity=capacity, min_after_dequeue=min_after_dequeue, seed=seed, dtypes=types,
                                     shapes=shapes, shared_name=shared_name)
    return _pipeline(tensors_list, keep_input, enqueue_many, shapes, batch_size, smaller, capacity, min_after_dequeue, make,
                     threads, scope, name)


def batch(tensors, batch_size, num_threads=1, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
          allow_smaller_final_batch=False, shared_name=None, name=None):
    """Returns batches of the tensors, which threads fill."""
    return _plain([tensors], True, batch_size, num_threads, capacity, enqueue_many, shapes, dynamic_pad,
                  allow_smaller_final_batch, shared_name, 'batch', name)


def maybe_batch(tensors, keep_input, batch_size, num_threads=1, capacity=32, enqueue_many=False, shapes=None,
                dynamic_pad=False, allow_smaller_final_batch=False, shared_name=None, name=None):
    """Like batch, for the elements for which keep_input is true."""
    return _plain([tensors], keep_input, batch_size, num_threads, capacity, enqueue_many, shapes, dynamic_pad,
                  allow_smaller_final_batch, shared_name, 'batch', name)


def batch_join(tensors_list, batch_size, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
               allow_smaller_final_batch=False, shared_name=None, name=None):
    """Like batch, for several lists of tensors with a thread for each."""
    return _plain(tensors_list, True, batch_size, 1, capacity, enqueue_many, shapes, dynamic_pad,
                  allow_smaller_final_batch, shared_name, 'batch_join', name)


def maybe_batch_join(tensors_list, keep_input, batch_size, capacity=32, enqueue_many=False, shapes=None,
                     dynamic_pad=False, allow_smaller_final_batch=False, shared_name=None, name=None):
    """Like batch_join, for the elements for which keep_input is true."""
    return _plain(tensors_list, keep_input, batch_size, 1, capacity, enqueue_many, shapes, dynamic_pad,
                  allow_smaller_final_batch, shared_name, 'batch_join', name)


def shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, num_threads=1, seed=None, enqueue_many=False,
                  shapes=None, allow_smaller_final_batch=False, shared_name=None, name=None):
    """Returns shuffled batches of the tensors, which threads fill."""
    return _mixed([tensors], True, batch_size, capacity, min_after_dequeue, num_threads, seed, enqueue_many, shapes,
                  allow_smaller_final_batch, shared_name, 'shuffle_batch', name)


def maybe_shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, keep_input, num_threads=1, seed=None,
                        enqueue_many=False, shapes=None, allow_smaller_final_batch=False, shared_name=None, name=None):
    """Like shuffle_batch, for the elements for which keep_input is true."""
    return _mixed([tensors], keep_input, batch_size, capacity, min_after_dequeue, num_threads, seed, enqueue_many, shapes,
                  allow_smaller_final_batch, shared_name, 'shuffle_batch', name)


def shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, seed=None, enqueue_many=False, shapes=None,
                       allow_smaller_final_batch=False, shared_name=None, name=None):
    """Like shuffle_batch, for several lists of tensors with a thread for each."""
    return _mixed(tensors_list, True, batch_size, capacity, min_after_dequeue, 1, seed, enqueue_many, shapes,
                  allow_smaller_final_batch, shared_name, 'shuffle_batch_join', name)


def maybe_shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, keep_input, seed=None,
                             enqueue_many=False, shapes=None, allow_smaller_final_batch=False, shared_name=None, name=None):
    """Like shuffle_batch_join, for the elements for which keep_input is true."""
    return _mixed(tensors_list, keep_input, batch_size, capacity, min_after_dequeue, 1, seed, enqueue_many, shapes,
                  allow_smaller_final_batch, shared_name, 'shuffle_batch_join', name)


def match_filenames_once(pattern, name=None):
    """Returns a variable with the files that match the pattern."""
    with tf.name_scope(name, 'matching_filenames', [pattern]) as name:
        return tf.Variable(tf.matching_files(pattern), trainable=False, name=name, validate_shape=False,
                           collections=[tf.GraphKeys.LOCAL_VARIABLES])
