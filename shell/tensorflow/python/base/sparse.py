"""Sparse tensors: indices, values and a dense shape."""
import collections

IndexedSlicesValue = collections.namedtuple('IndexedSlicesValue', ['values', 'indices', 'dense_shape'])
SparseTensorValue = collections.namedtuple('SparseTensorValue', ['indices', 'values', 'dense_shape'])


def _cast(x, dtype, name):
    with tf.name_scope(name, 'Cast', [x]) as scope:
        return tf.SparseTensor(x.indices, tf.cast(x.values, dtype, name=scope), x.dense_shape)


def _with_values(x, op, name):
    return tf.SparseTensor(x.indices, getattr(tf.raw_ops, op)(x=x.values, name=name), x.dense_shape)


class SparseTensor(object):
    """A tensor that is defined by its values at some indices."""
    __module__ = 'tensorflow.python.framework.sparse_tensor'

    def __init__(self, indices, values, dense_shape):
        with tf.name_scope(None, 'SparseTensor', [indices, values, dense_shape]):
            self.indices = tf.convert_to_tensor(indices, name='indices', dtype=tf.int64)
            self.values = tf.convert_to_tensor(values, name='values')
            self.dense_shape = tf.convert_to_tensor(dense_shape, name='dense_shape', dtype=tf.int64)
        indices_shape = self.indices.get_shape().with_rank(2)
        indices_shape[0].merge_with(self.values.get_shape().with_rank(1)[0])
        indices_shape[1].merge_with(self.dense_shape.get_shape().with_rank(1)[0])

    @property
    def dtype(self):
        return self.values.dtype

    @property
    def op(self):
        return self.values.op

    @property
    def graph(self):
        return self.indices.graph

    @property
    def shape(self):
        known = tf.get_static_value(self.dense_shape)
        if known is None:
            rank = self.dense_shape.get_shape()
            return tf.TensorShape([None] * rank[0].value if rank.ndims == 1 and rank[0].value is not None else None)
        return tf.TensorShape([int(d) for d in known])

    def get_shape(self):
        return self.shape

    @classmethod
    def from_value(cls, value):
        return cls(value.indices, value.values, value.dense_shape)

    def eval(self, feed_dict=None, session=None):
        session = tf.get_default_session() if session is None else session
        return session.run(self, feed_dict=feed_dict)

    def __repr__(self):
        return 'SparseTensor(indices=%s, values=%s, dense_shape=%s)' % (self.indices, self.values, self.dense_shape)

    def _with_dense(self, y, op_type, scope):
        with tf.name_scope(None, scope, [self.values, y]) as name:
            y = tf.convert_to_tensor(y, dtype=self.dtype.base_dtype, name='y')
            values = getattr(tf.raw_ops, op_type)(sp_indices=self.indices, sp_values=self.values,
                                                  sp_shape=self.dense_shape, dense=y, name=name)
            return SparseTensor(self.indices, values, self.dense_shape)

    def __mul__(self, y):
        return self._with_dense(y, 'SparseDenseCwiseMul', 'mul')

    def __truediv__(self, y):
        return self._with_dense(y, 'SparseDenseCwiseDiv', 'truediv')

    __div__ = __truediv__

    def consumers(self):
        return self.values.consumers() + self.indices.consumers()

    # The tensors that a session fetches and feeds for this object.
    def _fetch_parts(self):
        return (self.indices, self.values, self.dense_shape)

    def _fetch_value(self, parts):
        return SparseTensorValue(*parts)


def sparse_placeholder(dtype, shape=None, name=None):
    """Returns a placeholder for a sparse tensor."""
    shape_name = None if name is None else name + '/shape'
    rank = None if shape is None else shape.get_shape()[0].value if isinstance(shape, tf.Tensor) else len(shape)
    if shape is None or (not isinstance(shape, tf.Tensor) and None in list(shape)):
        shape = tf.placeholder(tf.int64, shape=[rank], name=shape_name)
    else:
        shape = tf.convert_to_tensor(shape, dtype=tf.int64, name=shape_name)
    return SparseTensor(
        values=tf.placeholder(dtype, shape=[None], name=None if name is None else name + '/values'),
        indices=tf.placeholder(tf.int64, shape=[None, rank], name=None if name is None else name + '/indices'),
        dense_shape=shape)


def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0, validate_indices=True, name=None):
    """A dense tensor with these values at these indices."""
    return tf.raw_ops.SparseToDense(sparse_indices=sparse_indices, output_shape=output_shape,
                                    sparse_values=sparse_values, default_value=default_value,
                                    validate_indices=validate_indices, name=name)


def sparse_tensor_to_dense(sp_input, default_value=None, validate_indices=True, name=None):
    """Converts a sparse tensor to a dense one."""
    if default_value is None:
        default_value = '' if sp_input.dtype == tf.string else 0
    return sparse_to_dense(sp_input.indices, sp_input.dense_shape, sp_input.values, default_value=default_value,
                           validate_indices=validate_indices, name=name)


def sparse_tensor_dense_matmul(sp_a, b, adjoint_a=False, adjoint_b=False, name=None):
    """The product of a sparse matrix and a dense one."""
    with tf.name_scope(name, 'SparseTensorDenseMatMul', [sp_a.indices, sp_a.values, b]) as name:
        b = tf.convert_to_tensor(b, name='b')
        return tf.raw_ops.SparseTensorDenseMatMul(a_indices=sp_a.indices, a_values=sp_a.values,
                                                  a_shape=sp_a.dense_shape, b=b, adjoint_a=adjoint_a,
                                                  adjoint_b=adjoint_b, name=name)


def _sparse(x):
    if isinstance(x, SparseTensorValue):
        return SparseTensor.from_value(x)
    if not isinstance(x, SparseTensor):
        raise TypeError('Input must be a SparseTensor.')
    return x


def sparse_add(a, b, threshold=None, thresh=None):
    """The sum of two tensors, at least one of which is sparse."""
    threshold = threshold if thresh is None else thresh
    kinds = [isinstance(x, (SparseTensor, SparseTensorValue)) for x in (a, b)]
    if not any(kinds):
        raise TypeError('At least one input should be SparseTensor; do you mean to use tf.add()?')
    if not all(kinds):
        a, b = (a, b) if kinds[0] else (b, a)
        a = _sparse(a)
        return tf.raw_ops.SparseTensorDenseAdd(a_indices=a.indices, a_values=a.values, a_shape=a.dense_shape, b=b)
    a, b = _sparse(a), _sparse(b)
    thresh = tf.convert_to_tensor(0 if threshold is None else threshold, dtype=a.values.dtype.real_dtype,
                                  name='thresh')
    indices, values, shape = tf.raw_ops.SparseAdd(a_indices=a.indices, a_values=a.values, a_shape=a.dense_shape,
                                                  b_indices=b.indices, b_values=b.values, b_shape=b.dense_shape,
                                                  thresh=thresh)
    a.get_shape().assert_is_compatible_with(b.get_shape())
    return SparseTensor(indices, values, shape)


def sparse_concat(axis=None, sp_inputs=None, name=None, expand_nonconcat_dim=False, concat_dim=None,
                  expand_nonconcat_dims=None):
    """Concatenates sparse tensors along a dimension."""
    axis = concat_dim if axis is None else axis
    sp_inputs = [_sparse(s) for s in sp_inputs]
    if len(sp_inputs) == 1:
        return sp_inputs[0]
    shapes = [s.dense_shape for s in sp_inputs]
    if expand_nonconcat_dims or expand_nonconcat_dim:
        largest = tf.reduce_max(tf.concat([tf.reshape(s, [1, -1]) for s in shapes], 0), 0)
        shapes = [tf.concat([largest[:axis], s[-1:] if axis == -1 else s[axis:axis + 1],
                             [] if axis == -1 else largest[axis + 1:]], axis=0) for s in shapes]
    indices, values, shape = tf.raw_ops.SparseConcat(
        indices=[s.indices for s in sp_inputs], values=[s.values for s in sp_inputs], shapes=shapes, concat_dim=axis,
        name=name)
    return SparseTensor(indices, values, shape)


def sparse_slice(sp_input, start, size, name=None):
    """Cuts a box out of a sparse tensor."""
    sp_input = _sparse(sp_input)
    start = tf.convert_to_tensor(start, tf.int64)
    size = tf.convert_to_tensor(size, tf.int64)
    with tf.name_scope(name, 'SparseSlice', [sp_input.values]) as name:
        return SparseTensor(*tf.raw_ops.SparseSlice(indices=sp_input.indices, values=sp_input.values,
                                                    shape=sp_input.dense_shape, start=start, size=size, name=name))


def sparse_split(keyword_required=None, sp_input=None, num_split=None, axis=None, name=None, split_dim=None):
    """Splits a sparse tensor along a dimension."""
    if keyword_required is not None:
        raise ValueError('Keyword arguments are required for this function.')
    if sp_input is None or num_split is None:
        raise ValueError('sp_input and num_split are required')
    axis = split_dim if axis is None else axis
    if axis is None:
        raise ValueError('axis is required')
    sp_input = _sparse(sp_input)
    outputs = tf.raw_ops.SparseSplit(
        split_dim=tf.convert_to_tensor(axis, tf.int64, name='split_dim'), indices=sp_input.indices,
        values=sp_input.values, shape=sp_input.dense_shape, num_split=num_split, name=name)
    return [SparseTensor(*outputs[i::num_split]) for i in range(num_split)]


def _axes(sp_input, axis):
    if axis is not None:
        return axis
    size = sp_input.dense_shape.get_shape()
    if size.is_fully_defined():
        return tf.constant(list(range(size[0].value)), dtype=tf.int32)
    return tf.range(0, tf.size(sp_input.dense_shape))


def _reduce(op_type, sp_input, axis, keepdims, reduction_axes, keep_dims):
    sp_input = _sparse(sp_input)
    keep = keep_dims if keepdims is None else keepdims
    return getattr(tf.raw_ops, op_type)(
        input_indices=sp_input.indices, input_values=sp_input.values, input_shape=sp_input.dense_shape,
        reduction_axes=_axes(sp_input, reduction_axes if axis is None else axis), keep_dims=bool(keep))


def sparse_reduce_sum(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
    """Sums along dimensions, as a dense tensor."""
    return _reduce('SparseReduceSum', sp_input, axis, keepdims, reduction_axes, keep_dims)


def sparse_reduce_max(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
    """Maxima along dimensions, as a dense tensor."""
    return _reduce('SparseReduceMax', sp_input, axis, keepdims, reduction_axes, keep_dims)


def sparse_reduce_sum_sparse(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
    """Sums along dimensions, as a sparse tensor."""
    return SparseTensor(*_reduce('SparseReduceSumSparse', sp_input, axis, keepdims, reduction_axes, keep_dims))


def sparse_reduce_max_sparse(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
    """Maxima along dimensions, as a sparse tensor."""
    return SparseTensor(*_reduce('SparseReduceMaxSparse', sp_input, axis, keepdims, reduction_axes, keep_dims))


def sparse_reorder(sp_input, name=None):
    """Sorts the values by their indices."""
    sp_input = _sparse(sp_input)
    indices, values = tf.raw_ops.SparseReorder(input_indices=sp_input.indices, input_values=sp_input.values,
                                               input_shape=sp_input.dense_shape, name=name)
    known = sp_input.get_shape()
    return SparseTensor(indices, values, known.as_list() if known.is_fully_defined() else
                        tf.identity(sp_input.dense_shape))


def sparse_reshape(sp_input, shape, name=None):
    """Changes the dense shape."""
    sp_input = _sparse(sp_input)
    shape = tf.cast(tf.convert_to_tensor(shape, preferred_dtype=tf.int64), tf.int64)
    with tf.name_scope(name, 'SparseReshape', [sp_input.values]) as name:
        indices, new_shape = tf.raw_ops.SparseReshape(input_indices=sp_input.indices,
                                                      input_shape=sp_input.dense_shape, new_shape=shape, name=name)
        return SparseTensor(indices, tf.identity(sp_input.values), new_shape)


def sparse_softmax(sp_input, name=None):
    """Softmax over the present values."""
    with tf.name_scope(name, 'SparseSoftmax', [sp_input.indices, sp_input.values]) as name:
        values = tf.raw_ops.SparseSoftmax(sp_indices=sp_input.indices, sp_values=sp_input.values,
                                          sp_shape=sp_input.dense_shape, name=name)
        return SparseTensor(sp_input.indices, values, sp_input.dense_shape)


def sparse_fill_empty_rows(sp_input, default_value, name=None):
    """Returns (a tensor without empty rows, which rows were empty)."""
    sp_input = _sparse(sp_input)
    with tf.name_scope(name, 'SparseFillEmptyRows', [sp_input.values]):
        default_value = tf.convert_to_tensor(default_value, dtype=sp_input.values.dtype)
        indices, values, empty, _ = tf.raw_ops.SparseFillEmptyRows(
            indices=sp_input.indices, values=sp_input.values, dense_shape=sp_input.dense_shape,
            default_value=default_value)
        return SparseTensor(indices, values, sp_input.dense_shape), empty


def _best(op_type, sp_a, sp_b, name):
    with tf.name_scope(name, op_type, [sp_a.values, sp_b.values]) as name:
        indices, values = getattr(tf.raw_ops, op_type)(
            a_indices=sp_a.indices, a_values=sp_a.values, a_shape=sp_a.dense_shape, b_indices=sp_b.indices,
            b_values=sp_b.values, b_shape=sp_b.dense_shape, name=name)
    return SparseTensor(indices, values, sp_a.dense_shape)


def sparse_maximum(sp_a, sp_b, name=None):
    """The elementwise maximum of two sparse tensors."""
    return _best('SparseSparseMaximum', sp_a, sp_b, name)


def sparse_minimum(sp_a, sp_b, name=None):
    """The elementwise minimum of two sparse tensors."""
    return _best('SparseSparseMinimum', sp_a, sp_b, name)


def sparse_retain(sp_input, to_retain):
    """Keeps the values for which to_retain is true."""
    sp_input = _sparse(sp_input)
    to_retain = tf.convert_to_tensor(to_retain)
    to_retain.get_shape().assert_has_rank(1)
    where_true = tf.reshape(tf.where(to_retain), [-1])
    return SparseTensor(tf.gather(sp_input.indices, where_true), tf.gather(sp_input.values, where_true),
                        tf.identity(sp_input.dense_shape))


def sparse_transpose(sp_input, perm=None, name=None):
    """Permutes the dimensions."""
    with tf.name_scope(name, 'SparseTranspose', [sp_input.values]):
        rank = sp_input.dense_shape.get_shape()[0].value
        if perm is None:
            perm = list(range(rank - 1, -1, -1)) if rank is not None else tf.range(
                tf.size(sp_input.dense_shape) - 1, -1, -1)
        indices = tf.transpose(tf.gather(tf.transpose(sp_input.indices), perm))
        known = sp_input.get_shape()
        if known.is_fully_defined() and isinstance(perm, (list, tuple)):
            shape = [known.as_list()[p] for p in perm]
        else:
            shape = tf.gather(sp_input.dense_shape, perm)
        return sparse_reorder(SparseTensor(indices, sp_input.values, shape))


def sparse_mask(a, mask_indices, name=None):
    """Removes rows from an IndexedSlices."""
    with tf.name_scope(name, 'sparse_mask', [a.values, mask_indices]) as name:
        out_indices, to_gather = tf.setdiff1d(a.indices, mask_indices)
        return tf.IndexedSlices(tf.gather(a.values, to_gather, name=name), out_indices, a.dense_shape)


def from_dense(tensor, name=None):
    """A sparse tensor with the nonzero values of a dense one."""
    with tf.name_scope(name, 'dense_to_sparse'):
        tensor = tf.convert_to_tensor(tensor)
        indices = tf.where(tf.not_equal(tensor, tf.constant(0, tensor.dtype)))
        return SparseTensor(indices, tf.gather_nd(tensor, indices), tf.shape(tensor, out_type=tf.int64))


def sparse_eye(num_rows, num_columns=None, dtype=tf.float32, name=None):
    """A sparse identity matrix."""
    with tf.name_scope(name, 'eye', [num_rows, num_columns]):
        num_rows = tf.cast(num_rows, tf.int64)
        num_columns = num_rows if num_columns is None else tf.cast(num_columns, tf.int64)
        size = tf.minimum(num_rows, num_columns)
        numbers = tf.range(size, dtype=tf.int64)
        return SparseTensor(tf.stack([numbers, numbers], axis=1), tf.ones(size, dtype), [num_rows, num_columns])


def edit_distance(hypothesis, truth, normalize=True, name='edit_distance'):
    """The Levenshtein distance between sequences."""
    for x, what in ((hypothesis, 'Hypothesis'), (truth, 'Truth')):
        if not isinstance(x, (SparseTensor, SparseTensorValue)):
            raise TypeError('%s must be a SparseTensor.' % what)
    hypothesis, truth = _sparse(hypothesis), _sparse(truth)
    return tf.raw_ops.EditDistance(
        hypothesis_indices=hypothesis.indices, hypothesis_values=hypothesis.values,
        hypothesis_shape=hypothesis.dense_shape, truth_indices=truth.indices, truth_values=truth.values,
        truth_shape=truth.dense_shape, normalize=normalize, name=name)


# ---- serialization ----

def serialize_sparse(sp_input, name=None, out_type='string'):
    """Serializes a sparse tensor as three messages."""
    sp_input = _sparse(sp_input)
    return tf.raw_ops.SerializeSparse(sparse_indices=sp_input.indices, sparse_values=sp_input.values,
                                      sparse_shape=sp_input.dense_shape, out_type=tf.as_dtype(out_type), name=name)


def serialize_many_sparse(sp_input, name=None, out_type='string'):
    """Serializes each row of a sparse tensor as three messages."""
    sp_input = _sparse(sp_input)
    return tf.raw_ops.SerializeManySparse(sparse_indices=sp_input.indices, sparse_values=sp_input.values,
                                          sparse_shape=sp_input.dense_shape, out_type=tf.as_dtype(out_type), name=name)


def deserialize_many_sparse(serialized_sparse, dtype, rank=None, name=None):
    """Returns the sparse tensor that serialize_many_sparse serialized."""
    indices, values, shape = tf.raw_ops.DeserializeManySparse(serialized_sparse=serialized_sparse, dtype=dtype, name=name)
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)


def sparse_merge(sp_ids, sp_values, vocab_size, name=None, already_sorted=False):
    """Combines ids and values into one sparse tensor whose columns are the ids."""
    if not isinstance(sp_ids, (list, tuple)):
        sp_ids, vocab_size = [sp_ids], [vocab_size]
    with tf.name_scope(name, 'SparseMerge', [x.values for x in sp_ids] + [sp_values.values]):
        sp_ids, sp_values = [_sparse(x) for x in sp_ids], _sparse(sp_values)
        ids = [tf.expand_dims(tf.cast(x.values, tf.int64), axis=1) for x in sp_ids]
        indices = tf.concat([sp_ids[0].indices[:, :-1]] + ids, 1)
        shape = tf.concat([sp_ids[0].dense_shape[:-1], [tf.cast(size, tf.int64) for size in vocab_size]], 0)
        merged = SparseTensor(indices, sp_values.values, shape)
        if already_sorted:
            return merged
        ordered = sparse_reorder(merged)
        return SparseTensor(ordered.indices, ordered.values, shape)
