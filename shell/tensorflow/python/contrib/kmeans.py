"""tf.contrib.factorization: k-means clustering."""
import collections

SQUARED_EUCLIDEAN_DISTANCE, COSINE_DISTANCE = 'squared_euclidean', 'cosine'
RANDOM_INIT, KMEANS_PLUS_PLUS_INIT, KMC2_INIT = 'random', 'kmeans_plus_plus', 'kmc2'


class KMeans(object):
    """Clusters rows around their means."""

    def __init__(self, inputs, num_clusters, initial_clusters=RANDOM_INIT, distance_metric=SQUARED_EUCLIDEAN_DISTANCE,
                 use_mini_batch=False, mini_batch_steps_per_iteration=1, random_seed=0, kmeans_plus_plus_num_retries=2,
                 kmc2_chain_length=200):
        if distance_metric not in (SQUARED_EUCLIDEAN_DISTANCE, COSINE_DISTANCE):
            raise ValueError('Unsupported distance metric passed to Kmeans %s' % distance_metric)
        self._inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        self._count, self._initial, self._metric = num_clusters, initial_clusters, distance_metric
        self._mini, self._seed = use_mini_batch, random_seed

    def _start(self, rows):
        if not isinstance(self._initial, str):
            return self._initial(self._inputs, self._count) if callable(self._initial) else \
                tf.convert_to_tensor(self._initial)
        first = tf.random_shuffle(tf.range(tf.shape(rows)[0]), seed=self._seed or None)
        if self._initial == RANDOM_INIT:
            return tf.gather(rows, first[:self._count])
        chosen = [rows[first[0]]]
        for _ in range(self._count - 1):
            nearest = tf.reduce_min(self._distances(rows, tf.stack(chosen)), axis=1)
            chosen.append(rows[tf.cast(tf.multinomial(tf.expand_dims(tf.log(nearest + 1e-30), 0), 1,
                                                      seed=self._seed or None)[0, 0], tf.int32)])
        return tf.stack(chosen)

    def _distances(self, rows, centers):
        if self._metric == COSINE_DISTANCE:
            return 1 - tf.matmul(tf.nn.l2_normalize(rows, 1), tf.nn.l2_normalize(centers, 1), transpose_b=True)
        return tf.reduce_sum(tf.square(rows), 1, keepdims=True) - 2 * tf.matmul(rows, centers, transpose_b=True) + \
            tf.expand_dims(tf.reduce_sum(tf.square(centers), 1), 0)

    def training_graph(self):
        """Returns (all scores, indices of clusters, scores, centers_initialized, init_op, training_op)."""
        rows = tf.concat(self._inputs, 0)
        depth = rows.get_shape()[1].value
        centers = tf.Variable(tf.zeros([self._count, depth], rows.dtype), name='clusters', trainable=False,
                              validate_shape=False)
        counts = tf.Variable(tf.zeros([self._count], rows.dtype), name='counts', trainable=False)
        initialized = tf.Variable(False, name='initialized', trainable=False)
        shaped = tf.reshape(centers, [self._count, depth])
        all_scores, indices, scores = [], [], []
        for given in self._inputs:
            distances = self._distances(given, shaped)
            all_scores.append(distances)
            indices.append(tf.argmin(distances, axis=1))
            scores.append(tf.maximum(tf.reduce_min(distances, axis=1), 0))
        start = self._start(tf.nn.l2_normalize(rows, 1) if self._metric == COSINE_DISTANCE else rows)
        fill = tf.cond(initialized, lambda: tf.identity(centers),
                       lambda: tf.assign(centers, start, validate_shape=False))
        with tf.control_dependencies([fill]):
            init = tf.group(tf.assign(initialized, True))
        found = tf.concat(indices, 0)
        sums = tf.unsorted_segment_sum(rows, found, self._count)
        sizes = tf.unsorted_segment_sum(tf.ones_like(rows[:, 0]), found, self._count)
        if self._mini:
            total = tf.assign_add(counts, sizes)
            step = tf.expand_dims(1. / tf.maximum(total, 1.), 1)
            new = shaped + step * (sums - tf.expand_dims(sizes, 1) * shaped)
        else:
            new = tf.where(sizes > 0, sums / tf.expand_dims(tf.maximum(sizes, 1.), 1), shaped)
        train = tf.group(tf.assign(centers, new, validate_shape=False))
        return all_scores, indices, scores, initialized, init, train
