"""Sparse tensors: the places, the values there, and the shape of the whole."""
import collections

IndexedSlicesValue = collections.namedtuple('IndexedSlicesValue', ['values', 'indices', 'dense_shape'])
SparseTensorValue = collections.namedtuple('SparseTensorValue', ['indices', 'values', 'dense_shape'])


class SparseTensor(object):
    """A tensor given by the values it has at some places."""

    def __init__(self, indices, values, dense_shape):
        with tf.name_scope(None, 'SparseTensor', [indices, values, dense_shape]):
            self.indices = tf.convert_to_tensor(indices, name='indices', dtype=tf.int64)
            self.values = tf.convert_to_tensor(values, name='values')
            self.dense_shape = tf.convert_to_tensor(dense_shape, name='shape', dtype=tf.int64)

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
        return tf.TensorShape(None if known is None else [int(d) for d in known])

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

    # What a session fetches and feeds in its place.
    def _fetch_parts(self):
        return (self.indices, self.values, self.dense_shape)

    def _fetch_value(self, parts):
        return SparseTensorValue(*parts)


def sparse_placeholder(dtype, shape=None, name=None):
    """A sparse tensor that is fed."""
    shape_name = None if name is None else name + '/shape'
    if shape is None:
        shape = tf.placeholder(tf.int64, shape=[None], name=shape_name)
        rank = None
    else:
        rank = len(shape)
        shape = tf.placeholder_with_default(tf.constant(shape, tf.int64), [rank], name=shape_name)
    return SparseTensor(
        values=tf.placeholder(dtype, shape=[None], name=None if name is None else name + '/values'),
        indices=tf.placeholder(tf.int64, shape=[None, rank], name=None if name is None else name + '/indices'),
        dense_shape=shape)


def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0, validate_indices=True, name=None):
    """A dense tensor with some values at some places."""
    return tf.raw_ops.SparseToDense(sparse_indices=sparse_indices, output_shape=output_shape,
                                    sparse_values=sparse_values, default_value=default_value,
                                    validate_indices=validate_indices, name=name)


def sparse_tensor_to_dense(sp_input, default_value=None, validate_indices=True, name=None):
    """The same tensor, dense."""
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
