"""tf.nn: candidate samplers with state or given weights."""


def _drawn(op, true_classes, num_true, num_sampled, unique, seed, name, **given):
    graph_seed, op_seed = tf.get_seed(seed)
    return op(true_classes=true_classes, num_true=num_true, num_sampled=num_sampled, unique=unique,
              seed=graph_seed or 0, seed2=op_seed or 0, name=name, **given)


def all_candidate_sampler(true_classes, num_true, num_sampled, unique, seed=None, name=None):
    """Returns all classes."""
    return _drawn(tf.raw_ops.AllCandidateSampler, true_classes, num_true, num_sampled, unique, seed, name)


def learned_unigram_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Draws classes in proportion to their frequency as true classes."""
    return _drawn(tf.raw_ops.LearnedUnigramCandidateSampler, true_classes, num_true, num_sampled, unique, seed, name,
                  range_max=range_max)


def fixed_unigram_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, vocab_file='',
                                    distortion=1.0, num_reserved_ids=0, num_shards=1, shard=0, unigrams=(), seed=None,
                                    name=None):
    """Draws classes with given weights."""
    return _drawn(tf.raw_ops.FixedUnigramCandidateSampler, true_classes, num_true, num_sampled, unique, seed, name,
                  range_max=range_max, vocab_file=vocab_file, distortion=distortion,
                  num_reserved_ids=num_reserved_ids, num_shards=num_shards, shard=shard, unigrams=list(unigrams))
