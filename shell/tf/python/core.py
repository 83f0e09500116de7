"""Names of tf itself that are compositions."""


def div_no_nan(x, y, name=None):
    """x / y, and 0 where y is 0."""
    with tf.name_scope(name, 'div_no_nan'):
        x = tf.convert_to_tensor(x, name='x')
        y = tf.convert_to_tensor(y, name='y', dtype=x.dtype.base_dtype)
        zero = tf.equal(y, 0)
        safe = tf.where(zero, tf.ones_like(y), y)
        return tf.where(zero, tf.zeros_like(x / safe), x / safe)


class _Initializer(object):
    def __init__(self, seed, dtype):
        self.seed, self.dtype = seed, tf.as_dtype(dtype)

    @classmethod
    def from_config(cls, config):
        return cls(**config)


class orthogonal_initializer(_Initializer):
    """Fills with an orthogonal matrix, times gain."""

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
    """Fills with an identity matrix, times gain."""

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
    """Fills evenly, so that outputs are spread as inputs are."""

    def __init__(self, factor=1.0, seed=None, dtype=tf.float32):
        super(uniform_unit_scaling_initializer, self).__init__(seed, dtype)
        self.factor = factor

    def __call__(self, shape, dtype=None, partition_info=None):
        size = 1.0
        for d in tf.TensorShape(shape).as_list()[:-1]:
            size *= float(d)
        limit = np.sqrt(3 / max(1.0, size)) * self.factor
        return tf.random_uniform(shape, -limit, limit, dtype=self.dtype if dtype is None else dtype, seed=self.seed)


def confusion_matrix(labels, predictions, num_classes=None, dtype=tf.int32, name=None, weights=None):
    """How often each label was predicted as each class."""
    with tf.name_scope(name, 'confusion_matrix'):
        labels, predictions = tf.to_int64(tf.convert_to_tensor(labels)), tf.to_int64(tf.convert_to_tensor(predictions))
        if num_classes is None:
            num_classes = tf.maximum(tf.reduce_max(predictions), tf.reduce_max(labels)) + 1
        else:
            num_classes = tf.cast(num_classes, tf.int64)
        at = labels * num_classes + predictions
        if weights is not None:
            weights = tf.cast(weights, dtype)
        else:
            weights = tf.ones_like(predictions, dtype)
        counts = tf.unsorted_segment_sum(weights, at, num_classes * num_classes)
        return tf.reshape(counts, tf.stack([num_classes, num_classes]))


def _split_axes(x, axes, contracted_first):
    """x as a matrix, the extents of the axes that stay, and those as far as they are known."""
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
    """The axes of a and b that are summed over."""
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
    """The product summed over axes: a number of them, or a list for each side."""
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
