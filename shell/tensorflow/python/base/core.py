"""Functions of tf that are composed of other functions."""


def div_no_nan(x, y, name=None):
    """x / y, but 0 where y is 0."""
    with tf.name_scope(name, 'div_no_nan') as scope:
        x = tf.convert_to_tensor(x, name='x')
        y = tf.convert_to_tensor(y, name='y', dtype=x.dtype.base_dtype)
        zero = tf.equal(y, 0)
        safe = tf.where(zero, tf.ones_like(y), y)
        ratio = x / safe
        return tf.where(zero, tf.zeros_like(ratio), ratio, name=scope)


def eye(num_rows, num_columns=None, batch_shape=None, dtype=tf.float32, name=None):
    """A matrix with ones on the diagonal and zeros elsewhere, or a batch of them. The sizes may be tensors."""
    with tf.name_scope(name, 'eye', [num_rows, num_columns, batch_shape]):
        sizes = [num_rows, num_rows if num_columns is None else num_columns]
        batch = [] if batch_shape is None else batch_shape
        unknown = [isinstance(size, tf.Tensor) for size in sizes]
        if any(unknown):
            square, shortest = num_columns is None, tf.minimum(*sizes)
        else:
            square, shortest = sizes[0] == sizes[1], min(sizes)
        if any(unknown) or isinstance(batch, tf.Tensor):
            batch = tf.convert_to_tensor(batch, name='shape', dtype=tf.int32)
            diagonal = tf.concat((batch, [shortest]), axis=0)
            whole = None if square else tf.concat((batch, sizes), axis=0)
        else:
            diagonal, whole = list(batch) + [shortest], list(batch) + sizes
        ones = tf.ones(diagonal, dtype=dtype)
        return tf.matrix_diag(ones) if square else tf.matrix_set_diag(tf.zeros(whole, dtype=dtype), ones)


class _Initializer(object):
    def __init__(self, seed, dtype):
        self.seed, self.dtype = seed, tf.as_dtype(dtype)

    @classmethod
    def from_config(cls, config):
        return cls(**config)


class orthogonal_initializer(_Initializer):
    """Returns an orthogonal matrix, multiplied by gain."""

    def __init__(self, gain=1.0, seed=None, dtype=tf.float32):
        super(orthogonal_initializer, self).__init__(seed, dtype)
        self.gain = gain

    def __call__(self, shape, dtype=None, partition_info=None):
        dtype = self.dtype if dtype is None else dtype
        shape = tf.TensorShape(shape).as_list()
        if len(shape) < 2:
            raise ValueError('The tensor to initialize must be at least two-dimensional')
        rows = 1
        for d in shape[:-1]:
            rows *= d
        flat = (shape[-1], rows) if rows < shape[-1] else (rows, shape[-1])
        a = tf.random_normal(flat, dtype=dtype, seed=self.seed)
        q, r = tf.qr(a, full_matrices=False)
        q *= tf.sign(tf.diag_part(r))
        if rows < shape[-1]:
            q = tf.matrix_transpose(q)
        return self.gain * tf.reshape(q, shape)


class identity_initializer(_Initializer):
    """Returns an identity matrix, multiplied by gain."""

    def __init__(self, gain=1.0, dtype=tf.float32):
        super(identity_initializer, self).__init__(None, dtype)
        self.gain = gain

    def __call__(self, shape, dtype=None, partition_info=None):
        shape = tf.TensorShape(shape).as_list()
        if len(shape) != 2:
            raise ValueError('Identity matrix initializer can only be used for 2D matrices.')
        made = tf.eye(shape[0], shape[1], dtype=self.dtype if dtype is None else dtype)
        return made if self.gain == 1.0 else self.gain * made


class uniform_unit_scaling_initializer(_Initializer):
    """Draws uniform values that preserve the variance from inputs to outputs."""

    def __init__(self, factor=1.0, seed=None, dtype=tf.float32):
        super(uniform_unit_scaling_initializer, self).__init__(seed, dtype)
        self.factor = factor

    def __call__(self, shape, dtype=None, partition_info=None):
        size = 1.0
        for d in tf.TensorShape(shape).as_list()[:-1]:
            size *= float(d)
        limit = np.sqrt(3 / max(1.0, size)) * self.factor
        return tf.random_uniform(shape, -limit, limit, dtype=self.dtype if dtype is None else dtype, seed=self.seed)


def _initialized_value(v):
    """Implements Variable.initialized_value."""
    with tf.control_dependencies(None):
        return tf.cond(tf.is_variable_initialized(v), v.read_value, lambda: v.initial_value)


def moving_average_variables(scope=None):
    """Returns the variables for which ExponentialMovingAverage keeps averages."""
    return tf.get_collection(tf.GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def model_variables(scope=None):
    """Returns the model variables."""
    return tf.get_collection(tf.GraphKeys.MODEL_VARIABLES, scope)


def confusion_matrix(labels, predictions, num_classes=None, dtype=tf.int32, name=None, weights=None):
    """The number of times that each label was predicted as each class."""
    with tf.name_scope(name, 'confusion_matrix'):
        labels, predictions = tf.to_int64(tf.convert_to_tensor(labels)), tf.to_int64(tf.convert_to_tensor(predictions))
        if num_classes is None:
            num_classes = tf.maximum(tf.reduce_max(predictions), tf.reduce_max(labels)) + 1
        else:
            num_classes = tf.cast(num_classes, tf.int64)
        shape = tf.stack([num_classes, num_classes])
        indices = tf.stack([labels, predictions], axis=1)
        values = tf.ones_like(predictions, dtype) if weights is None else tf.cast(weights, dtype)
        counts = tf.SparseTensor(indices, values, tf.to_int64(shape))
        return tf.sparse_add(tf.zeros(tf.to_int32(shape), dtype), counts)


def _split_axes(x, axes, contracted_first):
    """Returns x as a matrix, the extents of the remaining axes, and these extents as far as they are known."""
    shape, given = x.get_shape(), isinstance(axes, (list, tuple))
    if shape.is_fully_defined() and given:
        dims = shape.as_list()
        axes = [i if i >= 0 else i + len(dims) for i in axes]
        free = [i for i in range(len(dims)) if i not in axes]
        sizes = [int(np.prod([dims[i] for i in part])) for part in (free, axes)]
        perm = axes + free if contracted_first else free + axes
        if contracted_first:
            sizes.reverse()
        stay = [dims[i] for i in free]
        return tf.reshape(tf.transpose(x, perm), sizes), stay, stay
    known = None
    if shape.ndims is not None and given:
        dims = shape.as_list()
        axes = [i if i >= 0 else i + len(dims) for i in axes]
        free = [i for i in range(len(dims)) if i not in axes]
        known = [dims[i] for i in free]
        axes = tf.convert_to_tensor(axes, dtype=tf.int32, name='axes')
        free = tf.convert_to_tensor(free, dtype=tf.int32, name='free')
        size = tf.shape(x)
    else:
        size = tf.shape(x)
        rank = tf.rank(x)
        axes = tf.convert_to_tensor(axes, dtype=tf.int32, name='axes')
        axes = tf.where(axes >= 0, axes, axes + rank)
        free = tf.setdiff1d(tf.range(rank), axes)[0]
    stay, gone = tf.gather(size, free), tf.gather(size, axes)
    sizes = [tf.reduce_prod(stay), tf.reduce_prod(gone)]
    if contracted_first:
        sizes.reverse()
    perm = tf.concat([axes, free] if contracted_first else [free, axes], 0)
    to = tf.stack(sizes)
    return tf.reshape(tf.transpose(x, perm), to), stay, known


def _contracted(a, axes):
    """Returns the axes of a and b that are summed."""
    if isinstance(axes, int):
        rank = a.get_shape().ndims
        if axes < 0:
            raise ValueError("'axes' must be at least 0.")
        if rank is None:
            rank = tf.rank(a)
            return tf.range(rank - axes, rank, dtype=tf.int32), tf.range(axes, dtype=tf.int32)
        if axes > rank:
            raise ValueError("'axes' must not be larger than the number of dimensions of tensor %s." % a)
        return list(range(rank - axes, rank)), list(range(axes))
    if isinstance(axes, (list, tuple)):
        if len(axes) != 2:
            raise ValueError("'axes' must be an integer or have length 2.")
        first, second = axes
        if isinstance(first, int):
            first, second = [first], [second]
        if len(first) != len(second):
            raise ValueError('Different number of contraction axes \'a\' and \'b\', %s != %s.'
                             % (len(first), len(second)))
        return list(first), list(second)
    axes = tf.convert_to_tensor(axes, name='axes', dtype=tf.int32)
    return axes[0], axes[1]


def tensordot(a, b, axes, name=None):
    """A tensor product with summation over axes: a number of axes, or a list for each side."""
    with tf.name_scope(name, 'Tensordot') as name:
        a = tf.convert_to_tensor(a, name='a')
        b = tf.convert_to_tensor(b, name='b')
        a_axes, b_axes = _contracted(a, axes)
        a_matrix, a_free, a_known = _split_axes(a, a_axes, False)
        b_matrix, b_free, b_known = _split_axes(b, b_axes, True)
        product = tf.matmul(a_matrix, b_matrix)
        if isinstance(a_free, list) and isinstance(b_free, list):
            return tf.reshape(product, a_free + b_free, name=name)
        a_free = tf.convert_to_tensor(a_free, dtype=tf.int32)
        b_free = tf.convert_to_tensor(b_free, dtype=tf.int32)
        product = tf.reshape(product, tf.concat([a_free, b_free], 0), name=name)
        if a_known is not None and b_known is not None:
            product.set_shape(a_known + b_known)
        return product


# ---- composed functions ----


def log_sigmoid(x, name=None):
    """log(sigmoid(x))"""
    with tf.name_scope(name, 'LogSigmoid'):
        x = tf.convert_to_tensor(x, name='x')
        return tf.negative(tf.nn.softplus(-x), name=name)


def saturate_cast(value, dtype, name=None):
    """Converts to another type. Values out of range become the nearest possible value."""
    with tf.name_scope(name, 'saturate_cast') as name:
        value = tf.convert_to_tensor(value, name='value')
        dtype = tf.as_dtype(dtype).base_dtype
        if value.dtype.min < dtype.min:
            value = tf.maximum(value, tf.convert_to_tensor(dtype.min, dtype=value.dtype, name='min'))
        if value.dtype.max > dtype.max:
            value = tf.minimum(value, tf.convert_to_tensor(dtype.max, dtype=value.dtype, name='max'))
        return tf.cast(value, dtype, name=name)


def to_bfloat16(x, name='ToBFloat16'):
    """Converts to bfloat16."""
    return tf.cast(x, tf.bfloat16, name=name)


def sequence_mask(lengths, maxlen=None, dtype=tf.bool, name=None):
    """For each length n, a row with n times True, followed by False."""
    with tf.name_scope(name, 'SequenceMask'):
        lengths = tf.convert_to_tensor(lengths)
        if maxlen is None:
            maxlen = tf.maximum(tf.constant(0, lengths.dtype), tf.reduce_max(lengths))
        else:
            maxlen = tf.convert_to_tensor(maxlen)
        row = tf.range(tf.constant(0, maxlen.dtype), maxlen, tf.constant(1, maxlen.dtype))
        matrix = tf.cast(tf.expand_dims(lengths, -1), maxlen.dtype)
        result = row < matrix
        return result if tf.as_dtype(dtype) == tf.bool else tf.cast(result, dtype)


def meshgrid(*args, **kwargs):
    """The coordinates of a grid, from those along each axis."""
    indexing, name = kwargs.pop('indexing', 'xy'), kwargs.pop('name', 'meshgrid')
    for key in kwargs:
        raise TypeError("'%s' is an invalid keyword argument for this function" % key)
    if indexing not in ('xy', 'ij'):
        raise ValueError("indexing parameter must be either 'xy' or 'ij'")
    with tf.name_scope(name, 'meshgrid'):
        n = len(args)
        shaped = [tf.reshape(tf.convert_to_tensor(x), [1] * i + [-1] + [1] * (n - 1 - i)) for i, x in enumerate(args)]
        sizes = [tf.size(x) for x in args]
        if indexing == 'xy' and n > 1:
            shaped[0] = tf.reshape(shaped[0], [1, -1] + [1] * (n - 2))
            shaped[1] = tf.reshape(shaped[1], [-1, 1] + [1] * (n - 2))
            sizes[0], sizes[1] = sizes[1], sizes[0]
        ones = tf.fill(sizes, tf.ones([], shaped[0].dtype.base_dtype))
        return [x * ones for x in shaped]


def clip_by_average_norm(t, clip_norm, name=None):
    """Clips t, if its norm divided by the number of its elements exceeds clip_norm."""
    with tf.name_scope(name, 'clip_by_average_norm') as name:
        t = tf.convert_to_tensor(t, name='t')
        n = tf.cast(tf.size(t), tf.float32)
        inverse = tf.rsqrt(tf.reduce_sum(t * t, tf.range(tf.rank(t))))
        return tf.identity(t * clip_norm * tf.minimum(inverse * n, tf.constant(1.0) / clip_norm), name=name)


def random_crop(value, size, seed=None, name=None):
    """Cuts a part of this size at a random position."""
    with tf.name_scope(name, 'random_crop') as name:
        value = tf.convert_to_tensor(value, name='value')
        size = tf.convert_to_tensor(size, dtype=tf.int32, name='size')
        shape = tf.shape(value)
        check = tf.Assert(tf.reduce_all(shape >= size), ['Need value.shape >= size, got ', shape, size],
                          summarize=1000)
        with tf.control_dependencies([check]):
            shape = tf.identity(shape)
        limit = shape - size + 1
        offset = tf.random_uniform(tf.shape(shape), dtype=size.dtype, maxval=size.dtype.max, seed=seed) % limit
        return tf.slice(value, offset, size, name=name)


def hessians(ys, xs, name='hessians', colocate_gradients_with_ops=False, gate_gradients=False,
             aggregation_method=None):
    """The second derivatives of ys with respect to each of xs."""
    xs = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    made = []
    for x, gradient in zip(xs, tf.gradients(ys, xs, name=name)):
        n = tf.size(x)
        flat = tf.reshape(gradient, [-1])
        size = x.get_shape().num_elements()
        if size is None:
            raise NotImplementedError('tf.hessians needs shapes that are known')
        rows = [tf.gradients(flat[i], x)[0] for i in range(size)]
        made.append(tf.reshape(tf.stack(rows), tf.concat([tf.shape(x), tf.shape(x)], 0)))
    return made


# ---- scopes ----


def variable_op_scope(values, name_or_scope, default_name=None, **kwargs):
    """tf.variable_scope with its arguments in the older order."""
    return tf.variable_scope(name_or_scope, default_name, values, **kwargs)


class _Template(object):
    def __init__(self, name, func, scope_now, unique_name, custom_getter, kwargs):
        self._func, self._kwargs, self._getter = func, kwargs, custom_getter
        self._unique_name, self._name = unique_name, name
        self._called, self._scope = False, None
        if scope_now:
            with self._new_scope() as scope:
                self._scope = scope

    def _new_scope(self):
        return tf.variable_scope(self._unique_name, default_name=self._name, custom_getter=self._getter)

    name = property(lambda self: self._name)
    func = property(lambda self: self._func)
    variable_scope = property(lambda self: self._scope)
    var_scope = property(lambda self: self._scope)
    variables = property(lambda self: tf.global_variables(self._scope.name + '/'))
    global_variables = property(lambda self: tf.global_variables(self._scope.name + '/'))
    trainable_variables = property(lambda self: tf.trainable_variables(self._scope.name + '/'))

    def __call__(self, *args, **kwargs):
        again = self._scope is not None
        with tf.variable_scope(self._scope, reuse=self._called) if again else self._new_scope() as scope:
            self._scope = scope if self._scope is None else self._scope
            result = self._func(*args, **dict(self._kwargs, **kwargs))
        self._called = True
        return result


def make_template(name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None, **kwargs):
    """Returns a function that creates its variables at the first call and shares them afterwards."""
    return _Template(name_, func_, create_scope_now_, unique_name_, custom_getter_, kwargs)


def NoGradient(op_type):
    """Does nothing, because the gradients of ops are fixed."""


NotDifferentiable = NoGradient


def setdiff1d(x, y, index_dtype=tf.int32, name=None):
    """Returns (the values of x that are not in y, their indices in x)."""
    return tf.raw_ops.ListDiff(x=x, y=y, out_idx=index_dtype, name=name)


py_func = tf.data.py_func


class UnconnectedGradients(object):
    """The gradient for a variable that the result does not depend on: none or zeros."""

    NONE = 'none'
    ZERO = 'zero'


def switch_case(branch_index, branch_fns, default=None, name='switch_case'):
    """Calls the branch with this number. If it does not exist, calls the default or the last branch."""
    if isinstance(branch_fns, dict):
        branches = sorted(branch_fns.items())
    else:
        branches = [b if isinstance(b, (list, tuple)) else (i, b) for i, b in enumerate(branch_fns)]
    if not branches:
        raise ValueError('branch_fns must not be empty.')
    for pair in branches:
        if len(pair) != 2 or not isinstance(pair[0], int):
            raise TypeError('key must be a Python `int`, got {}'.format(repr(pair[0])))
        if not callable(pair[1]):
            raise TypeError('fn for key {} must be callable.'.format(pair[0]))
    keys = [key for key, _ in branches]
    if len(set(keys)) != len(keys):
        raise ValueError('branch_fns contains the same key twice: {}'.format(keys))
    if keys != list(range(len(keys))):
        raise ValueError('branch indices must form contiguous range of [0 to {}) but found {{{}}}'.format(
            len(keys), ','.join(str(key) for key in keys)))
    if default is None:
        default = branches[-1][1]
    elif not callable(default):
        raise TypeError('default must be callable.')

    def choose(rest):
        if not rest:
            return default()
        return tf.cond(tf.equal(index, rest[0][0]), rest[0][1], lambda: choose(rest[1:]))
    with tf.name_scope(name, 'case'):
        index = tf.convert_to_tensor(branch_index, dtype=tf.int32, name='branch_index')
        return choose(branches)
