"""tf.nn: embedding tables in several parts, and lookups with sparse ids."""


def _clip(params, ids, max_norm):
    if max_norm is None:
        return params
    ids_rank, params_rank = ids.get_shape().ndims, params.get_shape().ndims
    if ids_rank is not None and params_rank is not None:
        axes = list(range(ids_rank, params_rank))
    else:
        axes = tf.range(tf.rank(ids), tf.rank(params))
    return tf.clip_by_norm(params, max_norm, axes=axes)


def _assign(flat_ids, params, strategy):
    np = len(params)
    if strategy == 'mod':
        return flat_ids % np, flat_ids // np
    if strategy != 'div':
        raise ValueError('Unrecognized partition strategy: ' + strategy)
    sizes = [p.get_shape()[0].value for p in params]
    if all(s is not None for s in sizes):
        total = tf.constant(sum(sizes), flat_ids.dtype)
    else:
        rows = []
        for p, size in zip(params, sizes):
            with tf.colocate_with(p):
                rows.append(tf.shape(p)[0] if size is None else size)
        total = tf.reduce_sum(tf.cast(tf.stack(rows), flat_ids.dtype))
    per_part = total // np
    extras = total % np
    parts = tf.maximum(flat_ids // (per_part + 1), (flat_ids - extras) // per_part)
    return parts, tf.where(parts < extras, flat_ids % (per_part + 1), (flat_ids - extras) % per_part)


def embedding_lookup_parts(params, ids, partition_strategy, name, max_norm):
    """tf.nn.embedding_lookup for parameters in several parts."""
    in_parts = isinstance(params, (list, tuple, tf.PartitionedVariable))
    params = list(params) if in_parts else [params]
    if not params:
        raise ValueError('Need at least one param')
    with tf.name_scope(name, 'embedding_lookup', params + [ids]) as name:
        ids = tf.convert_to_tensor(ids, name='ids')
        if not any(isinstance(p, tf.Variable) for p in params):
            params = [tf.convert_to_tensor(p, name='params_%d' % i) for i, p in enumerate(params)]
        if len(params) == 1:
            with tf.colocate_with(params[0]):
                result = _clip(tf.gather(params[0], ids, name=name), ids, max_norm)
            return tf.identity(result)
        flat_ids = tf.reshape(ids, [-1])
        original_indices = tf.range(tf.size(flat_ids))
        parts, new_ids = _assign(flat_ids, params, partition_strategy)
        parts = tf.cast(parts, tf.int32)
        gather_ids = tf.dynamic_partition(new_ids, parts, len(params))
        pindices = tf.dynamic_partition(original_indices, parts, len(params))
        found = []
        for p, pids in zip(params, gather_ids):
            with tf.device(None), tf.colocate_with(p):
                found.append(tf.gather(p, pids))
        ret = tf.raw_ops.ParallelDynamicStitch(indices=pindices, data=found, name=name)
        element = params[0].get_shape()[1:]
        for p in params[1:]:
            element = element.merge_with(p.get_shape()[1:])
        if element.is_fully_defined():
            element_shape = element.as_list()
        else:
            with tf.colocate_with(params[0]):
                element_shape = tf.shape(params[0])[1:]
        ret = tf.reshape(ret, tf.concat([tf.shape(ids), element_shape], 0))
        ret.set_shape(ids.get_shape().concatenate(element))
        return _clip(ret, ids, max_norm)


def _weighted(embeddings, weights, idx, segment_ids, combiner, name):
    if weights.dtype != embeddings.dtype:
        weights = tf.cast(weights, embeddings.dtype)
    embeddings = tf.gather(embeddings, idx)
    ones = tf.fill(tf.expand_dims(tf.rank(embeddings) - 1, 0), 1)
    known = weights.get_shape()
    weights = tf.reshape(weights, tf.concat([tf.shape(weights), ones], 0))
    if embeddings.get_shape().ndims is not None:
        weights.set_shape(known.concatenate([1] * (embeddings.get_shape().ndims - 1)))
    embeddings *= weights
    if combiner == 'sum':
        return tf.segment_sum(embeddings, segment_ids, name=name)
    embeddings = tf.segment_sum(embeddings, segment_ids)
    if combiner == 'mean':
        return tf.div(embeddings, tf.segment_sum(weights, segment_ids), name=name)
    squares = tf.segment_sum(tf.pow(weights, 2), segment_ids)
    return tf.div(embeddings, tf.sqrt(squares), name=name)


def embedding_lookup_sparse(params, sp_ids, sp_weights, partition_strategy='mod', name=None, combiner=None,
                            max_norm=None):
    """Combines the embeddings of the ids in each row."""
    combiner = 'mean' if combiner is None else combiner
    if combiner not in ('mean', 'sqrtn', 'sum'):
        raise ValueError("combiner must be one of 'mean', 'sqrtn' or 'sum'")
    params = list(params) if isinstance(params, (list, tuple)) else [params]
    if not isinstance(sp_ids, tf.SparseTensor):
        raise TypeError('sp_ids must be SparseTensor')
    if sp_weights is not None:
        if not isinstance(sp_weights, tf.SparseTensor):
            raise TypeError('sp_weights must be either None or SparseTensor')
        sp_ids.values.get_shape().assert_is_compatible_with(sp_weights.values.get_shape())
    with tf.name_scope(name, 'embedding_lookup_sparse', params + [sp_ids.values]) as name:
        segment_ids = sp_ids.indices[:, 0]
        if segment_ids.dtype != tf.int32:
            segment_ids = tf.cast(segment_ids, tf.int32)
        ids, idx = tf.unique(sp_ids.values)
        embeddings = tf.nn.embedding_lookup(params, ids, partition_strategy=partition_strategy, max_norm=max_norm)
        if sp_weights is not None:
            return _weighted(embeddings, sp_weights.values, idx, segment_ids, combiner, name)
        join = {'sum': tf.sparse_segment_sum, 'mean': tf.sparse_segment_mean, 'sqrtn': tf.sparse_segment_sqrt_n}
        return join[combiner](embeddings, idx, segment_ids, name=name)


def _as_rows(sp_ids, sp_weights):
    """Returns the ids and weights as matrices, whose rows are the last axis of the ids; and the shape before."""
    shape = sp_ids.dense_shape
    known = shape.get_shape()[0].value
    rank = tf.size(shape) if known is None else known
    sp_ids = tf.sparse_reshape(sp_ids, [tf.reduce_prod(tf.slice(shape, [0], [rank - 1])), tf.gather(shape, rank - 1)])
    if sp_weights is not None:
        sp_weights = tf.SparseTensor(sp_ids.indices, sp_weights.values, sp_ids.dense_shape)
    return sp_ids, sp_weights, tf.slice(tf.cast(shape, tf.int32), [0], [rank - 1]), known


def _without(sp_ids, sp_weights, combiner):
    """Returns the ids and weights without negative ids and, unless they are added, without weights that are not positive."""
    valid = tf.greater_equal(sp_ids.values, 0)
    if sp_weights is not None:
        valid = tf.logical_and(valid, tf.ones_like(sp_weights.values, dtype=tf.bool))
    sp_ids = tf.sparse_retain(sp_ids, valid)
    if sp_weights is None:
        return sp_ids, None
    sp_weights = tf.sparse_retain(sp_weights, valid)
    if combiner == 'sum':
        return sp_ids, sp_weights
    valid = tf.greater(sp_weights.values, 0)
    return tf.sparse_retain(sp_ids, valid), tf.sparse_retain(sp_weights, valid)


def safe_embedding_lookup_sparse(embedding_weights, sparse_ids, sparse_weights=None, combiner='mean', default_id=None,
                                 name=None, partition_strategy='div', max_norm=None):
    """Combines the embeddings of the ids in each row. A row without valid ids has the embedding of default_id, or zeros."""
    if embedding_weights is None or isinstance(embedding_weights, (list, tuple)) and not embedding_weights:
        raise ValueError('Missing embedding_weights %s.' % (embedding_weights,))
    parts = isinstance(embedding_weights, (list, tuple, tf.PartitionedVariable))
    weights = list(embedding_weights) if parts else [embedding_weights]
    given = [x for x in (sparse_ids, sparse_weights) if x is not None]
    with tf.name_scope(name, 'embedding_lookup', weights + [x.values for x in given]) as scope:
        ids, factors, outer, rank = _as_rows(sparse_ids, sparse_weights)
        ids, factors = _without(ids, factors, combiner)
        ids, empty = tf.sparse_fill_empty_rows(ids, default_id or 0)
        if factors is not None:
            factors, _ = tf.sparse_fill_empty_rows(factors, 1.0)
        result = embedding_lookup_sparse(weights, ids, factors, combiner=combiner, partition_strategy=partition_strategy,
                                         name=None if default_id is None else scope, max_norm=max_norm)
        if default_id is None:
            empty = tf.tile(tf.reshape(empty, [-1, 1]), tf.stack([1, tf.shape(result)[1]]))
            result = tf.where(empty, tf.zeros_like(result), result, name=scope)
        width = result.get_shape()[1:]
        result = tf.reshape(result, tf.concat([outer, tf.slice(tf.shape(result), [1], [-1])], 0))
        result.set_shape(tf.TensorShape([None] * (rank - 1) if rank is not None else None).concatenate(width))
        return result
