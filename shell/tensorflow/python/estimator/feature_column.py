"""tf.feature_column: columns of features, and the tensors that models take."""
import math


def _rank2(x, dtype=None):
    if dtype is not None and not isinstance(x, tf.SparseTensor):
        x = tf.cast(x, dtype)
    rank = x.get_shape().ndims
    if rank == 0:
        raise ValueError('Feature cannot have rank 0. Give: ' + str(x))
    return tf.expand_dims(x, -1) if rank == 1 else x


def _get(features, key):
    if key not in features:
        near = ', '.join(sorted(str(k) for k in features))
        raise ValueError('Feature %s is not in features dictionary. The input_fn returns: %s' % (key, near))
    x = features[key]
    return x if isinstance(x, (tf.SparseTensor, tf.Tensor)) else tf.convert_to_tensor(x)


class _Column(object):
    """The base class of columns. Fields are the arguments of the function that makes the column."""
    fields = ()

    def __init__(self, **kwargs):
        for k, v in kwargs.items():
            setattr(self, k, v)

    def __repr__(self):
        return '%s(%s)' % (type(self).__name__, ', '.join('%s=%r' % (f, getattr(self, f)) for f in self.fields))

    def __eq__(self, other):
        return type(self) is type(other) and all(getattr(self, f) == getattr(other, f) for f in self.fields)

    def __hash__(self):
        return hash(self.name)

    def parse_spec(self):
        return self.parent.parse_spec()


class _Dense(_Column):
    """A column whose values are a vector of floats. width: its length."""


class _Categorical(_Column):
    """A column whose values are numbers below num_buckets."""

    def ids(self, features):
        """Returns a matrix of numbers, in which -1 means nothing."""
        x = _get(features, self.key)
        if isinstance(x, tf.SparseTensor):
            missing = '' if x.dtype == tf.string else -1
            x = tf.sparse_tensor_to_dense(x, default_value=missing)
        x = _rank2(x)
        absent = tf.equal(x, '' if x.dtype == tf.string else tf.cast(-1, x.dtype))
        return tf.where(absent, -tf.ones_like(x, dtype=tf.int64), tf.cast(self.transform(x), tf.int64))

    def parse_spec(self):
        return {self.key: tf.VarLenFeature(self.dtype)}


class NumericColumn(_Dense):
    fields = ('key', 'shape', 'default_value', 'dtype', 'normalizer_fn')
    name = property(lambda self: self.key)
    width = property(lambda self: int(np.prod(self.shape)))

    def dense(self, features):
        x = _rank2(_get(features, self.key), tf.float32)
        x = x if self.normalizer_fn is None else self.normalizer_fn(x)
        return tf.reshape(x, [-1, self.width])

    def parse_spec(self):
        return {self.key: tf.FixedLenFeature(self.shape, self.dtype, self.default_value)}


class BucketizedColumn(_Dense):
    fields = ('source_column', 'boundaries')
    name = property(lambda self: self.source_column.name + '_bucketized')
    num_buckets = property(lambda self: (len(self.boundaries) + 1) * self.source_column.width)
    width = num_buckets
    parent = property(lambda self: self.source_column)

    def _buckets(self, features):
        return tf.raw_ops.Bucketize(input=self.source_column.dense(features), boundaries=list(self.boundaries))

    def dense(self, features):
        n = len(self.boundaries) + 1
        return tf.reshape(tf.one_hot(self._buckets(features), n), [-1, self.width])

    def ids(self, features):
        steps = tf.range(self.source_column.width, dtype=tf.int32) * (len(self.boundaries) + 1)
        return tf.cast(self._buckets(features) + steps, tf.int64)


class VocabularyListCategoricalColumn(_Categorical):
    fields = ('key', 'vocabulary_list', 'dtype', 'default_value', 'num_oov_buckets')
    name = property(lambda self: self.key)
    num_buckets = property(lambda self: len(self.vocabulary_list) + self.num_oov_buckets)

    def transform(self, x):
        table = tf.lookup.index_table_from_tensor(
            tf.constant(list(self.vocabulary_list), self.dtype), num_oov_buckets=self.num_oov_buckets,
            default_value=self.default_value, dtype=self.dtype)
        return table.lookup(tf.cast(x, self.dtype) if self.dtype != tf.string else x)


class VocabularyFileCategoricalColumn(_Categorical):
    fields = ('key', 'vocabulary_file', 'vocabulary_size', 'num_oov_buckets', 'dtype', 'default_value')
    name = property(lambda self: self.key)
    num_buckets = property(lambda self: self.vocabulary_size + self.num_oov_buckets)

    def transform(self, x):
        table = tf.lookup.index_table_from_file(self.vocabulary_file, num_oov_buckets=self.num_oov_buckets,
                                                vocab_size=self.vocabulary_size, default_value=self.default_value,
                                                key_dtype=self.dtype)
        return table.lookup(x)


class IdentityCategoricalColumn(_Categorical):
    fields = ('key', 'number_buckets', 'default_value')
    dtype = tf.int64
    name = property(lambda self: self.key)
    num_buckets = property(lambda self: self.number_buckets)

    def transform(self, x):
        x = tf.cast(x, tf.int64)
        wrong = tf.logical_or(x < 0, x >= self.number_buckets)
        if self.default_value is None:
            with tf.control_dependencies([tf.Assert(tf.logical_not(tf.reduce_any(tf.logical_and(wrong, x != -1))), [
                    'The column %s has a value that is not below num_buckets=%d' % (self.key, self.number_buckets), x])]):
                return tf.identity(x)
        return tf.where(wrong, tf.ones_like(x) * self.default_value, x)


class HashedCategoricalColumn(_Categorical):
    fields = ('key', 'hash_bucket_size', 'dtype')
    name = property(lambda self: self.key)
    num_buckets = property(lambda self: self.hash_bucket_size)

    def transform(self, x):
        return tf.string_to_hash_bucket_fast(x if x.dtype == tf.string else tf.as_string(x), self.hash_bucket_size)


def _present(ids):
    where = tf.where(tf.greater_equal(ids, 0))
    return tf.SparseTensor(where, tf.gather_nd(ids, where), tf.cast(tf.shape(ids), tf.int64))


class CrossedColumn(_Categorical):
    fields = ('keys', 'hash_bucket_size', 'hash_key')
    num_buckets = property(lambda self: self.hash_bucket_size)

    def _leaves(self):
        out = []
        for k in self.keys:
            out += k._leaves() if isinstance(k, CrossedColumn) else [k]
        return out

    @property
    def name(self):
        return '_X_'.join(sorted(k if isinstance(k, str) else k.name for k in self._leaves()))

    def ids(self, features):
        # The op takes sparse matrices before dense ones. As in TensorFlow, features are dense and columns are sparse.
        dense, sparse = [], []
        for k in self._leaves():
            x = _get(features, k) if isinstance(k, str) else _present(k.ids(features))
            if isinstance(x, tf.SparseTensor):
                sparse.append(x)
            else:
                dense.append(_rank2(x if x.dtype == tf.string else tf.cast(x, tf.int64)))
        key = 0xDECAFCAFFE if self.hash_key is None else self.hash_key
        indices, ids, shape = tf.raw_ops.SparseCross(
            indices=[x.indices for x in sparse], values=[x.values for x in sparse],
            shapes=[x.dense_shape for x in sparse], dense_inputs=dense, hashed_output=True, num_buckets=self.hash_bucket_size,
            hash_key=key, out_type=tf.int64, internal_type=tf.int64)
        return tf.sparse_tensor_to_dense(tf.SparseTensor(indices, ids, shape), default_value=-1)

    def parse_spec(self):
        spec = {}
        for k in self._leaves():
            spec.update({k: tf.VarLenFeature(tf.string)} if isinstance(k, str) else k.parse_spec())
        return spec


class IndicatorColumn(_Dense):
    fields = ('categorical_column',)
    name = property(lambda self: self.categorical_column.name + '_indicator')
    width = property(lambda self: self.categorical_column.num_buckets)
    parent = property(lambda self: self.categorical_column)

    def dense(self, features):
        out = tf.reduce_sum(tf.one_hot(self.categorical_column.ids(features), self.width), axis=1)
        return tf.reshape(out, [-1, self.width])


def _embed(weights, ids, combiner):
    present = tf.expand_dims(tf.cast(tf.greater_equal(ids, 0), tf.float32), -1)
    rows = tf.nn.embedding_lookup(weights, tf.maximum(ids, 0)) * present
    total = tf.reduce_sum(rows, axis=1)
    if combiner == 'sum':
        return total
    count = tf.reduce_sum(present, axis=1)
    return tf.div_no_nan(total, count if combiner == 'mean' else tf.sqrt(count))


class EmbeddingColumn(_Dense):
    fields = ('categorical_column', 'dimension', 'combiner', 'initializer', 'trainable')
    name = property(lambda self: self.categorical_column.name + '_embedding')
    width = property(lambda self: self.dimension)
    parent = property(lambda self: self.categorical_column)

    def dense(self, features):
        weights = tf.get_variable('embedding_weights', [self.categorical_column.num_buckets, self.dimension],
                                  initializer=self.initializer, trainable=self.trainable)
        return tf.reshape(_embed(weights, self.categorical_column.ids(features), self.combiner), [-1, self.dimension])


# ---- the functions ----

def _need(column, kinds, what):
    if not isinstance(column, kinds):
        raise ValueError('%s must be a %s. Given: %r' % (what, 'categorical column' if kinds is not NumericColumn else
                                                         'numeric column, of tf.feature_column.numeric_column', column))


def numeric_column(key, shape=(1,), default_value=None, dtype=tf.float32, normalizer_fn=None):
    """A column of numbers."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if any(d <= 0 for d in shape):
        raise ValueError('shape dimensions must be greater than 0, shape: %s' % (shape,))
    return NumericColumn(key=key, shape=shape, default_value=default_value, dtype=tf.as_dtype(dtype),
                         normalizer_fn=normalizer_fn)


def bucketized_column(source_column, boundaries):
    """The buckets between boundaries that numbers are in."""
    _need(source_column, NumericColumn, 'source_column')
    boundaries = tuple(boundaries)
    if not boundaries or any(a >= b for a, b in zip(boundaries, boundaries[1:])):
        raise ValueError('boundaries must be a sorted list.')
    return BucketizedColumn(source_column=source_column, boundaries=boundaries)


def categorical_column_with_vocabulary_list(key, vocabulary_list, dtype=None, default_value=-1, num_oov_buckets=0):
    """The positions of values in a list."""
    if not len(vocabulary_list):
        raise ValueError('vocabulary_list must be non-empty, column_name: ' + key)
    words = tuple(vocabulary_list)
    if len(set(words)) != len(words):
        raise ValueError('Duplicate keys in vocabulary_list: %s, column_name: %s' % (words, key))
    dtype = tf.as_dtype(dtype) if dtype is not None else tf.string if isinstance(words[0], (str, bytes)) else tf.int64
    return VocabularyListCategoricalColumn(key=key, vocabulary_list=words, dtype=dtype, default_value=default_value,
                                           num_oov_buckets=num_oov_buckets)


def categorical_column_with_vocabulary_file(key, vocabulary_file, vocabulary_size=None, num_oov_buckets=0,
                                            default_value=None, dtype=tf.string):
    """The lines of a file that values are in."""
    if vocabulary_size is None:
        with open(vocabulary_file) as f:
            vocabulary_size = len(f.read().splitlines())
    return VocabularyFileCategoricalColumn(key=key, vocabulary_file=vocabulary_file, vocabulary_size=vocabulary_size,
                                           num_oov_buckets=num_oov_buckets, dtype=tf.as_dtype(dtype),
                                           default_value=-1 if default_value is None else default_value)


def categorical_column_with_identity(key, num_buckets, default_value=None):
    """Numbers below num_buckets."""
    if num_buckets < 1:
        raise ValueError('num_buckets %s < 1, column_name %s' % (num_buckets, key))
    return IdentityCategoricalColumn(key=key, number_buckets=num_buckets, default_value=default_value)


def categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=tf.string):
    """The hashes of values."""
    if hash_bucket_size < 1:
        raise ValueError('hash_bucket_size must be at least 1. hash_bucket_size: %s, key: %s' % (hash_bucket_size, key))
    return HashedCategoricalColumn(key=key, hash_bucket_size=hash_bucket_size, dtype=tf.as_dtype(dtype))


def crossed_column(keys, hash_bucket_size, hash_key=None):
    """The hashes of combinations of values."""
    if not keys or len(keys) < 2:
        raise ValueError('keys must be a list with length > 1. Given: %r' % (keys,))
    return CrossedColumn(keys=tuple(keys), hash_bucket_size=hash_bucket_size, hash_key=hash_key)


def indicator_column(categorical_column):
    """A vector that counts each value of a categorical column."""
    _need(categorical_column, (_Categorical, BucketizedColumn), 'categorical_column')
    return IndicatorColumn(categorical_column=categorical_column)


def embedding_column(categorical_column, dimension, combiner='mean', initializer=None, ckpt_to_load_from=None,
                     tensor_name_in_ckpt=None, max_norm=None, trainable=True):
    """A vector that is learned for each value of a categorical column."""
    _need(categorical_column, (_Categorical, BucketizedColumn), 'categorical_column')
    if dimension is None or dimension < 1:
        raise ValueError('Invalid dimension %s.' % (dimension,))
    if max_norm is not None or ckpt_to_load_from is not None:
        raise NotImplementedError('embedding_column: max_norm and ckpt_to_load_from are not part of tensh. Restore weights '
                                  'with tf.train.init_from_checkpoint')
    if initializer is None:
        initializer = tf.truncated_normal_initializer(mean=0.0, stddev=1 / math.sqrt(dimension))
    return EmbeddingColumn(categorical_column=categorical_column, dimension=dimension, combiner=combiner,
                           initializer=initializer, trainable=trainable)


def _sorted(columns):
    columns = [columns] if isinstance(columns, _Column) else list(columns)
    for c in columns:
        if not isinstance(c, _Column):
            raise ValueError('Items of feature_columns must be columns of tf.feature_column. Given: %r' % (c,))
    names = [c.name for c in columns]
    for n in names:
        if names.count(n) > 1:
            raise ValueError('Duplicate feature column name found for columns: %s' % n)
    return sorted(columns, key=lambda c: c.name)


def _scope(name):
    return ''.join(c if c.isalnum() or c in '_.\\-/' else '_' for c in name)


def input_layer(features, feature_columns, weight_collections=None, trainable=True, cols_to_vars=None,
                cols_to_output_tensors=None):
    """Returns a matrix with a row for each example, of the columns side by side."""
    columns, outputs = _sorted(feature_columns), []
    with tf.variable_scope(None, 'input_layer'):
        for c in columns:
            if not isinstance(c, _Dense):
                raise ValueError('Items of feature_columns must be a dense column. You can wrap a categorical column with an '
                                 'embedding_column or indicator_column. Given: %r' % (c,))
            with tf.variable_scope(None, _scope(c.name)):
                before = len(tf.global_variables())
                outputs.append(c.dense(features))
                if cols_to_vars is not None:
                    cols_to_vars[c] = tf.global_variables()[before:]
                if cols_to_output_tensors is not None:
                    cols_to_output_tensors[c] = outputs[-1]
        return tf.concat(outputs, 1)


def linear_model(features, feature_columns, units=1, sparse_combiner='sum', weight_collections=None, trainable=True,
                 cols_to_vars=None):
    """Returns a weighted sum of the columns for each example."""
    total = []
    with tf.variable_scope(None, 'linear_model'):
        for c in _sorted(feature_columns):
            with tf.variable_scope(None, _scope(c.name)):
                n = c.num_buckets if isinstance(c, (_Categorical, BucketizedColumn)) else c.width
                weights = tf.get_variable('weights', [n, units], initializer=tf.zeros_initializer(), trainable=trainable)
                if isinstance(c, (_Categorical, BucketizedColumn)):
                    total.append(_embed(weights, c.ids(features), sparse_combiner))
                else:
                    total.append(tf.matmul(c.dense(features), weights))
                if cols_to_vars is not None:
                    cols_to_vars[c] = [weights]
        bias = tf.get_variable('bias_weights', [units], initializer=tf.zeros_initializer(), trainable=trainable)
        if cols_to_vars is not None:
            cols_to_vars['bias'] = [bias]
        return tf.nn.bias_add(tf.add_n(total, name='weighted_sum_no_bias'), bias, name='weighted_sum')


def make_parse_example_spec(feature_columns):
    """Returns the features that tf.parse_example reads for columns."""
    spec = {}
    for c in feature_columns:
        spec.update(c.parse_spec())
    return spec
