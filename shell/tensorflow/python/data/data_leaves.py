"""tf.data: the leaves of elements, which are arrays or sparse tensors. A sparse leaf is a Sparse, and steps are fed with its
three arrays."""

_flat = tf.nest.flatten


class Sparse(object):
    """The arrays of a sparse tensor: the indices, the values and the dense shape."""

    def __init__(self, indices, values, dense_shape):
        self.parts = [indices, values, dense_shape]

    def row(self, i):
        indices, values, dense_shape = self.parts
        chosen = indices[:, 0] == i
        return Sparse(indices[chosen][:, 1:], values[chosen], dense_shape[1:])


def flat_shapes(shapes):
    if isinstance(shapes, (tuple, dict)):
        parts = [shapes[k] for k in sorted(shapes)] if isinstance(shapes, dict) else shapes
        return sum([flat_shapes(p) for p in parts], [])
    return [shapes]


def class_of(x):
    return tf.SparseTensor if isinstance(x, tf.SparseTensor) else tf.Tensor


def parts(leaves):
    """Replaces sparse leaves by their three tensors or arrays."""
    out = []
    for x in leaves:
        out += x.parts if isinstance(x, Sparse) else x._fetch_parts() if isinstance(x, tf.SparseTensor) else [x]
    return out


def joined(classes, values, make):
    """Returns the leaves whose `parts` are `values`. make(indices, values, dense_shape) makes a sparse one."""
    values = iter(values)
    return [make(*[next(values) for _ in range(3)]) if c is tf.SparseTensor else next(values) for c in classes]


def specs(dataset):
    """Returns the type and the shape of each part of an element."""
    out = []
    shapes = flat_shapes(dataset.output_shapes)
    for dtype, shape, c in zip(_flat(dataset.output_types), shapes, _flat(dataset.output_classes)):
        if c is tf.SparseTensor:
            rank = tf.TensorShape(shape).ndims
            out += [(tf.int64, tf.TensorShape([None, rank])), (dtype, tf.TensorShape([None])),
                    (tf.int64, tf.TensorShape([rank]))]
        else:
            out.append((dtype, shape))
    return out


def placeholders(dataset):
    """Returns placeholders for the parts of an element, and an element of tensors that consists of them."""
    made = [tf.placeholder(dtype, shape, name='args_%d' % i) for i, (dtype, shape) in enumerate(specs(dataset))]
    leaves = joined(_flat(dataset.output_classes), made, tf.SparseTensor)
    return made, tf.nest.pack_sequence_as(dataset.output_types, leaves)


def length(x):
    return x.parts[2][0] if isinstance(x, Sparse) else len(x)


def row(x, i):
    return x.row(i) if isinstance(x, Sparse) else x[i]


def stacked(column):
    """Returns a batch. The dense shape of sparse tensors is the largest of each dimension."""
    if not isinstance(column[0], Sparse):
        return np.stack(column)
    each = [x.parts for x in column]
    indices = [np.concatenate([np.full((len(p[0]), 1), i, np.int64), p[0]], axis=1) for i, p in enumerate(each)]
    widest = np.max([p[2] for p in each], axis=0)
    return Sparse(np.concatenate(indices), np.concatenate([p[1] for p in each]),
                  np.concatenate([[len(each)], widest]).astype(np.int64))


def padded(parts, shape, value):
    """Batches arrays. Each is padded with `value` to `shape`, whose unknown sizes are the maximum of the batch."""
    sizes = [max(np.shape(p)[i] for p in parts) if n is None else n for i, n in enumerate(shape)]
    rows = []
    for p in parts:
        if any(have > want for have, want in zip(np.shape(p), sizes)):
            raise tf.errors.DataLossError(None, None, 'Attempted to pad to a smaller size than the input element.')
        row = np.full(sizes, value, dtype=np.asarray(p).dtype)
        row[tuple([slice(0, have) for have in np.shape(p)])] = p
        rows.append(row)
    return np.stack(rows)
