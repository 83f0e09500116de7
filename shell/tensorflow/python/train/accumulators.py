"""tf.ConditionalAccumulator and tf.SparseConditionalAccumulator."""


def _int64(value):
    return tf.cast(tf.convert_to_tensor(value), tf.int64)


class ConditionalAccumulatorBase(object):
    """The base class of both kinds of accumulators."""

    _kind = ''  # prefix of the ops' names

    def __init__(self, dtype, shape, accumulator_ref):
        self._dtype = dtype
        self._shape = tf.TensorShape(shape)
        self._accumulator_ref = accumulator_ref
        self._name = accumulator_ref.op.name.split('/')[-1]

    @property
    def accumulator_ref(self):
        return self._accumulator_ref

    @property
    def name(self):
        return self._name

    @property
    def dtype(self):
        return self._dtype

    def num_accumulated(self, name=None):
        if name is None:
            name = '%s_NumAccumulated' % self._name
        return self._op('NumAccumulated', name)

    def set_global_step(self, new_global_step, name=None):
        return self._op('SetGlobalStep', name, new_global_step=_int64(new_global_step))

    def _op(self, what, name, **inputs):
        op = getattr(tf.raw_ops, self._kind + 'Accumulator' + what)
        return op(handle=self._accumulator_ref, name=name, **inputs)


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """Sums gradients. Taking the mean waits until enough gradients have arrived."""

    _kind = 'Resource'

    def __init__(self, dtype, shape=None, shared_name=None, name='conditional_accumulator', reduction_type='MEAN'):
        ref = tf.raw_ops.ResourceConditionalAccumulator(
            dtype=dtype, shape=tf.TensorShape(shape), shared_name=shared_name or '', name=name,
            reduction_type=reduction_type)
        super(ConditionalAccumulator, self).__init__(dtype, shape, ref)

    def apply_grad(self, grad, local_step=0, name=None):
        grad = tf.convert_to_tensor(grad, self._dtype)
        grad.get_shape().assert_is_compatible_with(self._shape)
        return self._op('ApplyGradient', name, local_step=_int64(local_step), gradient=grad)

    def take_grad(self, num_required, name=None):
        out = self._op('TakeGradient', name, num_required=num_required, dtype=self._dtype)
        out.set_shape(self._shape)
        return out


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Sums gradients of rows. Taking the means waits until enough gradients have arrived."""

    def __init__(self, dtype, shape=None, shared_name=None, name='sparse_conditional_accumulator',
                 reduction_type='MEAN'):
        ref = tf.raw_ops.SparseConditionalAccumulator(
            dtype=dtype, shape=tf.TensorShape(shape), shared_name=shared_name or '', name=name,
            reduction_type=reduction_type)
        super(SparseConditionalAccumulator, self).__init__(dtype, shape, ref)

    def apply_indexed_slices_grad(self, grad, local_step=0, name=None):
        return self.apply_grad(grad_indices=grad.indices, grad_values=grad.values, grad_shape=grad.dense_shape,
                               local_step=local_step, name=name)

    def apply_grad(self, grad_indices, grad_values, grad_shape=None, local_step=0, name=None):
        local_step = _int64(local_step)
        known = grad_shape is not None
        return tf.raw_ops.SparseAccumulatorApplyGradient(
            handle=self._accumulator_ref, local_step=local_step, gradient_indices=tf.to_int64(grad_indices),
            gradient_values=grad_values,
            gradient_shape=tf.to_int64(grad_shape) if known else tf.constant([], tf.int64),
            has_known_shape=known, name=name)

    def take_grad(self, num_required, name=None):
        return tf.raw_ops.SparseAccumulatorTakeGradient(
            handle=self._accumulator_ref, num_required=num_required, dtype=self._dtype, name=name)

    def take_indexed_slices_grad(self, num_required, name=None):
        indices, values, shape = self.take_grad(num_required, name)
        return tf.IndexedSlices(indices=indices, values=values, dense_shape=shape)


def parallel_stack(values, name='parallel_stack'):
    """Stacks tensors of one known shape as the rows of one tensor."""
    with tf.name_scope(name):
        first = tf.convert_to_tensor(values[0])
        shape = tf.TensorShape([len(values)]).concatenate(first.get_shape())
        return tf.raw_ops.ParallelConcat(values=[tf.expand_dims(value, 0) for value in values], shape=shape)
