"""tf.nn: losses over a sample of the classes."""


def _sum_rows(x):
    cols = tf.shape(x)[1]
    ones = tf.ones(tf.stack([cols, 1]), x.dtype)
    return tf.reshape(tf.matmul(x, ones), [-1])


def _compute_sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1,
                            sampled_values=None, subtract_log_q=True, remove_accidental_hits=False,
                            partition_strategy='mod', name=None, seed=None):
    with tf.name_scope(name, 'compute_sampled_logits', [weights, biases, inputs, labels]):
        labels = tf.convert_to_tensor(labels)
        if labels.dtype != tf.int64:
            labels = tf.cast(labels, tf.int64)
        labels_flat = tf.reshape(labels, [-1])
        if sampled_values is None:
            sampled_values = tf.nn.log_uniform_candidate_sampler(labels, num_true, num_sampled, True, num_classes,
                                                                 seed=seed)
        sampled, true_expected_count, sampled_expected_count = [tf.stop_gradient(s) for s in sampled_values]
        sampled = tf.cast(sampled, tf.int64)
        all_ids = tf.concat([labels_flat, sampled], 0)
        all_w = tf.nn.embedding_lookup(weights, all_ids, partition_strategy=partition_strategy)
        true_w = tf.slice(all_w, [0, 0], tf.stack([tf.shape(labels_flat)[0], -1]))
        sampled_w = tf.slice(all_w, tf.stack([tf.shape(labels_flat)[0], 0]), [-1, -1])
        sampled_logits = tf.matmul(inputs, sampled_w, transpose_b=True)
        all_b = tf.nn.embedding_lookup(biases, all_ids, partition_strategy=partition_strategy)
        true_b = tf.slice(all_b, [0], tf.shape(labels_flat))
        sampled_b = tf.slice(all_b, tf.shape(labels_flat), [-1])
        dim = tf.shape(true_w)[1:2]
        new_true_w_shape = tf.concat([[-1, num_true], dim], 0)
        row_wise_dots = tf.multiply(tf.expand_dims(inputs, 1), tf.reshape(true_w, new_true_w_shape))
        dots_as_matrix = tf.reshape(row_wise_dots, tf.concat([[-1], dim], 0))
        true_logits = tf.reshape(_sum_rows(dots_as_matrix), [-1, num_true])
        true_b = tf.reshape(true_b, [-1, num_true])
        true_logits += true_b
        sampled_logits += sampled_b
        if remove_accidental_hits:
            rows, columns, hit_weights = tf.nn.compute_accidental_hits(labels, sampled, num_true=num_true)
            places = tf.concat([tf.reshape(rows, [-1, 1]), tf.reshape(tf.cast(columns, tf.int32), [-1, 1])], 1,
                               'sparse_indices')
            shape = tf.concat([tf.shape(labels)[:1], tf.expand_dims(num_sampled, 0)], 0)
            sampled_logits += tf.scatter_nd(places, hit_weights, shape)
        if subtract_log_q:
            true_logits -= tf.log(true_expected_count)
            sampled_logits -= tf.log(sampled_expected_count)
        out_logits = tf.concat([true_logits, sampled_logits], 1, name='out_logits')
        out_labels = tf.concat([tf.ones_like(true_logits) / num_true, tf.zeros_like(sampled_logits)], 1,
                               name='out_labels')
        return out_logits, out_labels


def nce_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
             remove_accidental_hits=False, partition_strategy='mod', name='nce_loss'):
    """The noise-contrastive estimation loss of each row, with sampled classes as noise."""
    logits, labels = _compute_sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true,
                                             sampled_values, True, remove_accidental_hits, partition_strategy, name)
    losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name='sampled_losses')
    return _sum_rows(losses)


def sampled_softmax_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
                         remove_accidental_hits=True, partition_strategy='mod', name='sampled_softmax_loss',
                         seed=None):
    """The softmax cross entropy of each row, over its true and sampled classes only."""
    logits, labels = _compute_sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true,
                                             sampled_values, True, remove_accidental_hits, partition_strategy, name,
                                             seed)
    labels = tf.stop_gradient(labels, name='labels_stop_gradient')
    return tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
