"""tf.TensorArray, and functions that loop over the rows of tensors: map_fn, scan, foldl, foldr."""


def _check_dtypes(value, dtype):
    if value.dtype.base_dtype != dtype.base_dtype:
        raise TypeError('Value to be written has dtype %s, but the TensorArray has dtype %s'
                        % (value.dtype.base_dtype.name, dtype.base_dtype.name))


class TensorArray(object):
    """An array of tensors that exists for one step. Elements are written and read by index."""

    _tensor_array = True  # tf.cond and tf.while_loop pass the array as its flow value

    def __init__(self, dtype, size=None, dynamic_size=None, clear_after_read=None,
                 tensor_array_name=None, handle=None, flow=None, infer_shape=True,
                 element_shape=None, colocate_with_first_write_call=True, name=None):
        if handle is not None and tensor_array_name:
            raise ValueError('Cannot construct with both handle and tensor_array_name')
        if handle is not None and not isinstance(handle, tf.Tensor):
            raise TypeError('Handle must be a Tensor')
        if handle is None and size is None:
            raise ValueError('Size must be provided if handle is not provided')
        if handle is not None and size is not None:
            raise ValueError('Cannot provide both a handle and size at the same time')
        if handle is not None and element_shape is not None:
            raise ValueError('Cannot provide both a handle and element_shape at the same time')
        if handle is not None and dynamic_size is not None:
            raise ValueError('Cannot provide both a handle and dynamic_size at the same time')
        if handle is not None and clear_after_read is not None:
            raise ValueError('Cannot provide both a handle and clear_after_read at the same time')
        self._dynamic_size = dynamic_size or False
        self._dtype = tf.as_dtype(dtype).base_dtype
        self._shape = [tf.TensorShape(element_shape)]
        self._infer_shape = infer_shape
        self._size = size
        with tf.name_scope(name, 'TensorArray', [handle, size, flow]) as scope:
            if handle is not None:
                if flow is None:
                    raise ValueError('flow must not be None if handle is not None.')
                self._handle, self._flow = handle, flow
            else:
                self._handle, self._flow = tf.raw_ops.TensorArrayV3(
                    size=size, dtype=self._dtype, element_shape=tf.TensorShape(element_shape),
                    dynamic_size=self._dynamic_size,
                    clear_after_read=True if clear_after_read is None else clear_after_read,
                    identical_element_shapes=infer_shape,
                    tensor_array_name=tensor_array_name or '', name=scope)

    @property
    def flow(self):
        return self._flow

    @property
    def dtype(self):
        return self._dtype

    @property
    def handle(self):
        return self._handle

    @property
    def element_shape(self):
        return self._shape[0]

    def _with_flow(self, flow):
        made = TensorArray(dtype=self._dtype, handle=self._handle, flow=flow,
                           infer_shape=self._infer_shape)
        made._shape, made._dynamic_size, made._size = self._shape, self._dynamic_size, self._size
        return made

    def _check_element_shape(self, shape):
        if not shape.is_compatible_with(self.element_shape):
            raise ValueError('Inconsistent shapes: saw %s but expected %s (and infer_shape=True)'
                             % (shape, self.element_shape))
        if self._infer_shape:
            self._shape[0] = self.element_shape.merge_with(shape)

    def identity(self):
        return self._with_flow(tf.identity(self._flow))

    def grad(self, source, flow=None, name=None):
        flow = self.flow if flow is None else flow
        with tf.name_scope(name, 'TensorArrayGrad', [self._handle]):
            handle, _ = tf.raw_ops.TensorArrayGradV3(handle=self._handle, source=source,
                                                     flow_in=flow, name=name)
            with tf.control_dependencies([handle]):
                flow = tf.identity(flow, name='gradient_flow')
            made = TensorArray(dtype=self._dtype, handle=handle, flow=flow,
                               infer_shape=self._infer_shape,
                               colocate_with_first_write_call=False)
            made._shape = self._shape
            return made

    def read(self, index, name=None):
        value = tf.raw_ops.TensorArrayReadV3(handle=self._handle, index=index, flow_in=self._flow,
                                             dtype=self._dtype, name=name)
        value.set_shape(self.element_shape)
        return value

    def write(self, index, value, name=None):
        with tf.name_scope(name, 'TensorArrayWrite', [self._handle, index, value]):
            value = tf.convert_to_tensor(value, preferred_dtype=self._dtype, name='value')
            _check_dtypes(value, self._dtype)
            self._check_element_shape(value.shape)
            return self._with_flow(tf.raw_ops.TensorArrayWriteV3(
                handle=self._handle, index=index, value=value, flow_in=self._flow, name=name))

    def stack(self, name=None):
        with tf.name_scope(name, 'TensorArrayStack', [self._handle]):
            value = self.gather(tf.range(0, self.size()), name=name)
            if self.element_shape.ndims is not None and not self._dynamic_size and self._size is not None:
                size = tf.get_static_value(self._size) if isinstance(self._size, tf.Tensor) else self._size
                value.set_shape(tf.TensorShape([size]).concatenate(self.element_shape))
            return value

    def gather(self, indices, name=None):
        value = tf.raw_ops.TensorArrayGatherV3(handle=self._handle, indices=indices,
                                               flow_in=self._flow, dtype=self._dtype,
                                               element_shape=self.element_shape, name=name)
        if self.element_shape.ndims is not None:
            value.set_shape(tf.TensorShape([None]).concatenate(self.element_shape))
        return value

    def concat(self, name=None):
        known = self.element_shape.ndims is not None
        value, _ = tf.raw_ops.TensorArrayConcatV3(
            handle=self._handle, flow_in=self._flow, dtype=self._dtype, name=name,
            element_shape_except0=self.element_shape[1:] if known else tf.TensorShape(None))
        if known:
            size = tf.get_static_value(self.size()) if self._infer_shape else None
            first = self.element_shape[0].value
            rows = int(size) * first if size is not None and first is not None else None
            value.set_shape(tf.TensorShape([rows]).concatenate(self.element_shape[1:]))
        return value

    def unstack(self, value, name=None):
        with tf.name_scope(name, 'TensorArrayUnstack', [self._handle, value]):
            return self.scatter(tf.range(0, tf.shape(value)[0]), value, name=name)

    def scatter(self, indices, value, name=None):
        with tf.name_scope(name, 'TensorArrayScatter', [self._handle, value, indices]):
            value = tf.convert_to_tensor(value, preferred_dtype=self._dtype, name='value')
            _check_dtypes(value, self._dtype)
            if value.shape.ndims is not None:
                self._check_element_shape(value.shape[1:])
            return self._with_flow(tf.raw_ops.TensorArrayScatterV3(
                handle=self._handle, indices=indices, value=value, flow_in=self._flow, name=name))

    def split(self, value, lengths, name=None):
        with tf.name_scope(name, 'TensorArraySplit', [self._handle, value, lengths]):
            value = tf.convert_to_tensor(value, dtype=self._dtype, name='value')
            lengths = tf.cast(lengths, tf.int64)
            return self._with_flow(tf.raw_ops.TensorArraySplitV3(
                handle=self._handle, value=value, lengths=lengths, flow_in=self._flow, name=name))

    def size(self, name=None):
        if not self._dynamic_size and self._size is not None:
            return tf.convert_to_tensor(self._size, dtype=tf.int32)
        return tf.raw_ops.TensorArraySizeV3(handle=self._handle, flow_in=self.flow, name=name)

    def close(self, name=None):
        return tf.raw_ops.TensorArrayCloseV3(handle=self._handle, name=name)


def _rows_of(elems_flat, element_shapes=False):
    """Returns the number of rows, and the rows as arrays."""
    n = elems_flat[0].shape[0].value
    if n is None:
        n = tf.shape(elems_flat[0])[0]
    arrays = [TensorArray(dtype=elem.dtype, size=n, dynamic_size=False, infer_shape=True,
                          element_shape=elem.shape[1:] if element_shapes else None)
              for elem in elems_flat]
    return n, [array.unstack(elem) for array, elem in zip(arrays, elems_flat)]


def _set_rows(results, elems_flat):
    n = elems_flat[0].shape[:1]
    for r in results:
        if r.shape.ndims is not None:
            r.set_shape(n.concatenate(r.shape[1:]))


def map_fn(fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False,
           infer_shape=True, name=None):
    """Applies fn to each row of elems. The results become rows."""
    if not callable(fn):
        raise TypeError('fn must be callable.')
    out_like = elems if dtype is None else dtype
    with tf.name_scope(name, 'map', tf.nest.flatten(elems)):
        elems_flat = [tf.convert_to_tensor(e, name='elem') for e in tf.nest.flatten(elems)]
        if elems_flat[0].shape.ndims is not None and elems_flat[0].shape.ndims < 1:
            raise ValueError('Elements in elems must be 1+ dimensional Tensors, not scalars')
        dtypes = [tf.as_dtype(d) for d in tf.nest.flatten(dtype)] if dtype is not None else [
            e.dtype for e in elems_flat]
        n, elems_ta = _rows_of(elems_flat)
        i = tf.constant(0)
        accs = [TensorArray(dtype=d, size=n, dynamic_size=False, infer_shape=infer_shape) for d in dtypes]

        def compute(i, tas):
            row = tf.nest.pack_sequence_as(elems, [ta.read(i) for ta in elems_ta])
            out = fn(row)
            tf.nest.assert_same_structure(out_like, out)
            return i + 1, [ta.write(i, value) for ta, value in zip(tas, tf.nest.flatten(out))]

        _, r_a = tf.while_loop(lambda i, _: i < n, compute, (i, accs),
                               parallel_iterations=parallel_iterations or 10, back_prop=back_prop,
                               swap_memory=swap_memory, maximum_iterations=n)
        results = [r.stack() for r in r_a]
        _set_rows(results, elems_flat)
        return tf.nest.pack_sequence_as(out_like, results)


def _fold(fn, elems, initializer, parallel_iterations, back_prop, swap_memory, name, default, right):
    if not callable(fn):
        raise TypeError(str(fn) + ' is not callable.')
    with tf.name_scope(name, default, tf.nest.flatten(elems)):
        elems_flat = [tf.convert_to_tensor(e, name='elem') for e in tf.nest.flatten(elems)]
        n, elems_ta = _rows_of(elems_flat)

        def row(i):
            return tf.nest.pack_sequence_as(elems, [ta.read(i) for ta in elems_ta])

        def left_body(i, a):
            out = fn(a, row(i))
            return [i + 1, out]

        def right_body(i, a):
            i -= 1
            return [i, fn(a, row(i))]

        if right:
            i = n if initializer is not None else n - 1
            a = initializer if initializer is not None else row(i)
            cond, body = (lambda i, a: i > 0), right_body
        elif initializer is None:
            a = row(0)
            i = tf.constant(1)
            cond, body = (lambda i, a: i < n), left_body
        else:
            a, i = initializer, tf.constant(0)
            cond, body = (lambda i, a: i < n), left_body
        _, result = tf.while_loop(cond, body, [i, a], parallel_iterations=parallel_iterations,
                                  back_prop=back_prop, swap_memory=swap_memory,
                                  maximum_iterations=n)
        return result


def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """fn(… fn(fn(initializer, first row), second row) …)."""
    return _fold(fn, elems, initializer, parallel_iterations, back_prop, swap_memory, name, 'foldl', False)


def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """As foldl, from the last row to the first."""
    return _fold(fn, elems, initializer, parallel_iterations, back_prop, swap_memory, name, 'foldr', True)


def scan(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False,
         infer_shape=True, reverse=False, name=None):
    """Like foldl, but returns all intermediate values as rows."""
    if not callable(fn):
        raise TypeError('fn must be callable.')
    like = elems if initializer is None else initializer
    with tf.name_scope(name, 'scan', tf.nest.flatten(elems)):
        elems_flat = [tf.convert_to_tensor(e, name='elem') for e in tf.nest.flatten(elems)]
        n, elems_ta = _rows_of(elems_flat, True)
        if initializer is None:
            first = n - 1 if reverse else 0
            a_flat = [ta.read(first) for ta in elems_ta]
            i = 1
        else:
            a_flat = [tf.convert_to_tensor(a) for a in tf.nest.flatten(initializer)]
            i = 0
        accs = [TensorArray(dtype=a.dtype, size=n, dynamic_size=False, infer_shape=infer_shape,
                            element_shape=a.shape if infer_shape else None) for a in a_flat]
        if initializer is None:
            accs = [ta.write(n - 1 if reverse else 0, a) for ta, a in zip(accs, a_flat)]

        def compute(i, a_flat, tas):
            row = tf.nest.pack_sequence_as(elems, [ta.read(i) for ta in elems_ta])
            out = fn(tf.nest.pack_sequence_as(like, a_flat), row)
            tf.nest.assert_same_structure(like, out)
            flat = tf.nest.flatten(out)
            tas = [ta.write(i, value) for ta, value in zip(tas, flat)]
            return (i - 1 if reverse else i + 1), flat, tas

        if reverse:
            start, cond = n - 1 - i, (lambda i, _1, _2: i >= 0)
        else:
            start, cond = i, (lambda i, _1, _2: i < n)
        _, _, r_a = tf.while_loop(cond, compute, (start, a_flat, accs),
                                  parallel_iterations=parallel_iterations, back_prop=back_prop,
                                  swap_memory=swap_memory, maximum_iterations=n)
        results = [r.stack() for r in r_a]
        _set_rows(results, elems_flat)
        return tf.nest.pack_sequence_as(like, results)
