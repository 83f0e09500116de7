"""tf.feature_column: columns of features, and the tensors that models take."""
import collections
import math


def _rank2(x, dtype=None):
    if dtype is not None and not isinstance(x, tf.SparseTensor):
        x = tf.cast(x, dtype)
    rank = x.get_shape().ndims
    if rank == 0:
        raise ValueError('Feature cannot have rank 0. Give: ' + str(x))
    if rank != 1:
        return x
    if isinstance(x, tf.SparseTensor):
        return tf.sparse_reshape(x, [tf.gather(x.dense_shape, 0), 1])
    return tf.expand_dims(x, -1)


class _LazyBuilder(object):
    """The tensors of features and columns. Each is made when it is first needed."""

    def __init__(self, features):
        self._features, self._made = dict(features), {}

    def get(self, key):
        """Returns the tensor of a feature, by name, or the value of a column."""
        if key not in self._made:
            if isinstance(key, _Column):
                self._made[key] = key._transform_feature(self)
            elif key in self._features:
                self._made[key] = _rank2(tf.convert_to_tensor_or_sparse_tensor(self._features[key]))
            else:
                near = ', '.join(sorted(str(k) for k in self._features))
                raise ValueError('Feature %s is not in features dictionary. The input_fn returns: %s' % (key, near))
        return self._made[key]


IdWeightPair = collections.namedtuple('IdWeightPair', ('id_tensor', 'weight_tensor'))


class _Column(object):
    """The base class of columns. Fields are the arguments of the function that makes the column. Methods take the builder
    whose features the column belongs to."""
    __module__ = 'tensorflow.python.feature_column.feature_column_v2'
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

    def _transform_feature(self, inputs):
        """Returns the value of the column that methods below read from the builder."""
        return inputs.get(self.parent)

    parse_example_spec = _parse_example_spec = property(lambda self: self.parse_spec())
    _var_scope_name = property(lambda self: self.name)


class _Dense(_Column):
    """A column whose values are a vector of floats. width: its length."""
    variable_shape = _variable_shape = property(lambda self: tf.TensorShape([self.width]))

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        return inputs.get(self)


class _Categorical(_Column):
    """A column whose values are numbers below num_buckets."""
    _num_buckets = property(lambda self: self.num_buckets)

    def _transform_feature(self, inputs):
        x = _sparse(inputs.get(self.key))
        return tf.SparseTensor(x.indices, self.transform(x), x.dense_shape)

    def _get_sparse_tensors(self, inputs, weight_collections=None, trainable=None):
        return IdWeightPair(inputs.get(self), None)

    def parse_spec(self):
        return {self.key: tf.VarLenFeature(self.dtype)}


def _sparse(x, absent=None):
    """Returns a dense tensor as a sparse one, without the elements that mean nothing: '' and -1, or `absent`."""
    if isinstance(x, tf.SparseTensor):
        return x
    with tf.name_scope(None, 'to_sparse_input', [x]):
        if absent is None:
            absent = '' if x.dtype == tf.string else -1 if x.dtype.is_integer else 0.
        absent = tf.cast(absent, x.dtype, name='ignore_value')
        indices = tf.where(tf.not_equal(x, absent), name='indices')
        return tf.SparseTensor(indices, tf.gather_nd(x, indices, name='values'),
                               tf.shape(x, out_type=tf.int64, name='dense_shape'))


class NumericColumn(_Dense):
    fields = ('key', 'shape', 'default_value', 'dtype', 'normalizer_fn')
    name = property(lambda self: self.key)
    width = property(lambda self: int(np.prod(self.shape)))
    variable_shape = _variable_shape = property(lambda self: tf.TensorShape(self.shape))

    def _transform_feature(self, inputs):
        x = inputs.get(self.key)
        if isinstance(x, tf.SparseTensor):
            raise ValueError('The corresponding Tensor of numerical column must be a Tensor. SparseTensor is not supported. '
                             'key: %s. Convert it with tf.sparse_tensor_to_dense' % self.key)
        return tf.cast(x if self.normalizer_fn is None else self.normalizer_fn(x), tf.float32)

    def parse_spec(self):
        return {self.key: tf.FixedLenFeature(self.shape, self.dtype, self.default_value)}


class BucketizedColumn(_Dense):
    fields = ('source_column', 'boundaries')
    name = property(lambda self: self.source_column.name + '_bucketized')
    num_buckets = _num_buckets = property(lambda self: (len(self.boundaries) + 1) * self.source_column.width)
    width = num_buckets
    variable_shape = _variable_shape = property(
        lambda self: tf.TensorShape(tuple(self.source_column.shape) + (len(self.boundaries) + 1,)))
    parent = property(lambda self: self.source_column)

    def _transform_feature(self, inputs):
        return tf.raw_ops.Bucketize(input=inputs.get(self.source_column), boundaries=list(self.boundaries))

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        return tf.one_hot(tf.cast(inputs.get(self), tf.int64), len(self.boundaries) + 1, on_value=1., off_value=0.)

    def _get_sparse_tensors(self, inputs, weight_collections=None, trainable=None):
        buckets, width = inputs.get(self), self.source_column.shape[0]
        size = tf.shape(buckets)[0]
        rows = tf.reshape(tf.tile(tf.expand_dims(tf.range(0, size), 1), [1, width]), (-1,))
        columns = tf.tile(tf.range(0, width), [size])
        ids = tf.reshape(buckets, (-1,)) + (len(self.boundaries) + 1) * columns
        indices = tf.cast(tf.transpose(tf.stack((rows, columns))), tf.int64)
        return IdWeightPair(tf.SparseTensor(indices, ids, tf.cast(tf.stack([size, width]), tf.int64)), None)


class VocabularyListCategoricalColumn(_Categorical):
    fields = ('key', 'vocabulary_list', 'dtype', 'default_value', 'num_oov_buckets')
    name = property(lambda self: self.key)
    num_buckets = property(lambda self: len(self.vocabulary_list) + self.num_oov_buckets)

    def transform(self, x):
        dtype = tf.int64 if x.dtype.is_integer else self.dtype
        values = tf.cast(x.values, tf.int64) if x.dtype.is_integer else x.values
        return tf.lookup.index_table_from_tensor(
            tf.constant(list(self.vocabulary_list), dtype), num_oov_buckets=self.num_oov_buckets,
            default_value=self.default_value, dtype=dtype, name=self.key + '_lookup').lookup(values)


class VocabularyFileCategoricalColumn(_Categorical):
    fields = ('key', 'vocabulary_file', 'vocabulary_size', 'num_oov_buckets', 'dtype', 'default_value')
    name = property(lambda self: self.key)
    num_buckets = property(lambda self: self.vocabulary_size + self.num_oov_buckets)

    def transform(self, x):
        dtype = tf.int64 if x.dtype.is_integer else self.dtype
        values = tf.cast(x.values, tf.int64) if x.dtype.is_integer else x.values
        return tf.lookup.index_table_from_file(
            self.vocabulary_file, num_oov_buckets=self.num_oov_buckets, vocab_size=self.vocabulary_size,
            default_value=self.default_value, key_dtype=dtype, name=self.key + '_lookup').lookup(values)


class IdentityCategoricalColumn(_Categorical):
    fields = ('key', 'number_buckets', 'default_value')
    dtype = tf.int64
    name = property(lambda self: self.key)
    num_buckets = property(lambda self: self.number_buckets)

    def transform(self, x):
        if not x.dtype.is_integer:
            raise ValueError('Invalid input, not integer. key: %s dtype: %s' % (self.key, x.dtype))
        values = x.values if x.dtype == tf.int64 else tf.cast(x.values, tf.int64, name='values')
        count, zero = tf.cast(self.number_buckets, tf.int64, name='num_buckets'), tf.cast(0, tf.int64, name='zero')
        if self.default_value is None:
            with tf.control_dependencies([
                    tf.assert_less(values, count, data=(values, count), name='assert_less_than_num_buckets'),
                    tf.assert_greater_equal(values, zero, data=(values,), name='assert_greater_or_equal_0')]):
                return tf.identity(values)
        default = tf.fill(tf.shape(values), tf.cast(self.default_value, tf.int64), name='default_values')
        return tf.where(tf.logical_or(values < zero, values >= count, name='out_of_range'), default, values)


class HashedCategoricalColumn(_Categorical):
    fields = ('key', 'hash_bucket_size', 'dtype')
    name = property(lambda self: self.key)
    num_buckets = property(lambda self: self.hash_bucket_size)

    def transform(self, x):
        values = x.values if self.dtype == tf.string else tf.as_string(x.values)
        return tf.string_to_hash_bucket_fast(values, self.hash_bucket_size, name='lookup')


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

    def _transform_feature(self, inputs):
        # As in TensorFlow, features are dense and columns are sparse.
        crossed = [inputs.get(k) if isinstance(k, str) else k._get_sparse_tensors(inputs).id_tensor for k in self._leaves()]
        return tf.sparse.cross_hashed(crossed, num_buckets=self.hash_bucket_size, hash_key=self.hash_key)

    def parse_spec(self):
        spec = {}
        for k in self._leaves():
            spec.update({k: tf.VarLenFeature(tf.string)} if isinstance(k, str) else k.parse_spec())
        return spec


class WeightedCategoricalColumn(_Categorical):
    fields = ('categorical_column', 'weight_feature_key', 'dtype')
    name = property(lambda self: '%s_weighted_by_%s' % (self.categorical_column.name, self.weight_feature_key))
    num_buckets = property(lambda self: self.categorical_column.num_buckets)

    def _transform_feature(self, inputs):
        weights = inputs.get(self.weight_feature_key)
        if weights.dtype.base_dtype != self.dtype:
            raise ValueError('Bad dtype, expected %s, but got %s.' % (self.dtype, weights.dtype))
        weights = _sparse(weights, 0.0)
        return inputs.get(self.categorical_column), weights if weights.dtype.is_floating else tf.cast(weights, tf.float32)

    def _get_sparse_tensors(self, inputs, weight_collections=None, trainable=None):
        return IdWeightPair(*inputs.get(self))

    def parse_spec(self):
        spec = self.categorical_column.parse_spec()
        if self.weight_feature_key in spec:
            raise ValueError('Parse config %s already exists for %s.' % (spec[self.weight_feature_key], self.weight_feature_key))
        spec[self.weight_feature_key] = tf.VarLenFeature(self.dtype)
        return spec


class IndicatorColumn(_Dense):
    fields = ('categorical_column',)
    name = property(lambda self: self.categorical_column.name + '_indicator')
    width = property(lambda self: self.categorical_column.num_buckets)
    parent = property(lambda self: self.categorical_column)

    def _transform_feature(self, inputs):
        ids, weights = self.categorical_column._get_sparse_tensors(inputs)
        if weights is None:
            dense = tf.sparse_tensor_to_dense(ids, default_value=-1)
            return tf.reduce_sum(tf.one_hot(dense, self.width, on_value=1.0, off_value=0.0), axis=[-2])
        merged = tf.sparse_merge(sp_ids=ids, sp_values=weights, vocab_size=int(self.width))
        merged = tf.sparse_slice(merged, [0, 0], merged.dense_shape)  # drops the ids -1
        return tf.scatter_nd(merged.indices, merged.values, merged.dense_shape)


class EmbeddingColumn(_Dense):
    fields = ('categorical_column', 'dimension', 'combiner', 'initializer', 'max_norm', 'trainable')
    name = property(lambda self: self.categorical_column.name + '_embedding')
    width = property(lambda self: self.dimension)
    parent = property(lambda self: self.categorical_column)

    def _weights(self, collections, trainable):
        return tf.get_variable('embedding_weights', [self.categorical_column.num_buckets, self.dimension], tf.float32,
                               initializer=self.initializer, trainable=self.trainable and trainable is not False,
                               collections=collections)

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        ids, factors = self.categorical_column._get_sparse_tensors(inputs)
        return tf.nn.safe_embedding_lookup_sparse(self._weights(weight_collections, trainable), ids, factors,
                                                  combiner=self.combiner, name='%s_weights' % self.name,
                                                  max_norm=self.max_norm)


class _SharedEmbeddingColumn(EmbeddingColumn):
    """An embedding column whose weights are the only element of a collection."""
    __module__ = 'tensorflow.python.feature_column.feature_column'
    fields = EmbeddingColumn.fields + ('shared_embedding_collection_name',)
    name = property(lambda self: self.categorical_column.name + '_shared_embedding')
    _var_scope_name = property(lambda self: self.shared_embedding_collection_name)

    def _weights(self, collections, trainable):
        shared = tf.get_collection(self.shared_embedding_collection_name)
        if len(shared) > 1:
            raise ValueError('Collection %s can only contain one variable. Suggested fix A: Choose a unique name for this '
                             'collection.' % shared)
        if shared:
            return shared[0]
        weights = super(_SharedEmbeddingColumn, self)._weights(collections, trainable)
        tf.add_to_collection(self.shared_embedding_collection_name, weights)
        return weights

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        with tf.name_scope(None, self.name):  # the scope of variables is that of all columns that share them
            return super(_SharedEmbeddingColumn, self)._get_dense_tensor(inputs, weight_collections, trainable)


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


def _embedding(cls, column, dimension, combiner, initializer, restored, max_norm, trainable, **fields):
    if dimension is None or dimension < 1:
        raise ValueError('Invalid dimension %s.' % (dimension,))
    if restored is not None:
        raise NotImplementedError('embedding columns: ckpt_to_load_from is not part of tensh. Restore weights with '
                                  'tf.train.init_from_checkpoint')
    if initializer is None:
        initializer = tf.truncated_normal_initializer(mean=0.0, stddev=1 / math.sqrt(dimension))
    return cls(categorical_column=column, dimension=dimension, combiner=combiner, initializer=initializer, max_norm=max_norm,
               trainable=trainable, **fields)


def embedding_column(categorical_column, dimension, combiner='mean', initializer=None, ckpt_to_load_from=None,
                     tensor_name_in_ckpt=None, max_norm=None, trainable=True):
    """A vector that is learned for each value of a categorical column."""
    _need(categorical_column, (_Categorical, BucketizedColumn), 'categorical_column')
    return _embedding(EmbeddingColumn, categorical_column, dimension, combiner, initializer, ckpt_to_load_from, max_norm,
                      trainable)


def shared_embedding_columns(categorical_columns, dimension, combiner='mean', initializer=None,
                             shared_embedding_collection_name=None, ckpt_to_load_from=None, tensor_name_in_ckpt=None,
                             max_norm=None, trainable=True):
    """Embedding columns that share the vectors of their values."""
    ordered = sorted(categorical_columns, key=lambda c: c.name)
    plain = [c.categorical_column if isinstance(c, WeightedCategoricalColumn) else c for c in ordered]
    for c in plain:
        _need(c, _Categorical, 'Each of categorical_columns')
        if type(c) is not type(plain[0]) or c.num_buckets != plain[0].num_buckets:
            raise ValueError('To use shared_embedding_column, all categorical_columns must have the same type and the same '
                             'number of buckets. Given: %r and %r' % (plain[0], c))
    name = shared_embedding_collection_name or '_'.join(c.name for c in ordered) + '_shared_embedding'
    if initializer is None and dimension:
        initializer = tf.truncated_normal_initializer(mean=0.0, stddev=1. / math.sqrt(dimension))
    return [_embedding(_SharedEmbeddingColumn, c, dimension, combiner, initializer, ckpt_to_load_from, max_norm, trainable,
                       shared_embedding_collection_name=name) for c in categorical_columns]


def weighted_categorical_column(categorical_column, weight_feature_key, dtype=tf.float32):
    """A categorical column whose values have weights, which are another feature."""
    _need(categorical_column, _Categorical, 'categorical_column')
    dtype = tf.as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError('dtype %s is not convertible to float.' % dtype)
    return WeightedCategoricalColumn(categorical_column=categorical_column, weight_feature_key=weight_feature_key, dtype=dtype)


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


def _check_sizes(tensors, columns):
    sizes = [(t.shape[0].value, c) for t, c in zip(tensors, columns) if t.shape[0].value is not None]
    for size, column in sizes[1:]:
        if size != sizes[0][0]:
            raise ValueError('Batch size (first dimension) of each feature must be same. Batch size of columns (%s, %s): '
                             '(%s, %s)' % (sizes[0][1].name, column.name, sizes[0][0], size))


def _collections(names):
    return list(names or []) + [name for name in (tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.MODEL_VARIABLES)
                                if name not in (names or [])]


def _made_here():
    return tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope=tf.get_variable_scope().name)


def input_layer(features, feature_columns, weight_collections=None, trainable=True, cols_to_vars=None,
                cols_to_output_tensors=None):
    """Returns a matrix with a row for each example, of the columns side by side."""
    columns, outputs = _sorted(feature_columns), []
    for c in columns:
        if not isinstance(c, _Dense):
            raise ValueError('Items of feature_columns must be a _DenseColumn. You can wrap a categorical column with an '
                             'embedding_column or indicator_column. Given: %r' % (c,))
    collections_of_weights = _collections(weight_collections)
    with tf.variable_scope(None, 'input_layer', features.values()):
        builder = _LazyBuilder(features)
        for c in columns:
            with tf.variable_scope(None, _scope(c._var_scope_name)):
                dense = c._get_dense_tensor(builder, weight_collections=collections_of_weights, trainable=trainable)
                outputs.append(tf.reshape(dense, (tf.shape(dense)[0], c.width)))
                if cols_to_vars is not None:
                    cols_to_vars[c] = _made_here()
                if cols_to_output_tensors is not None:
                    cols_to_output_tensors[c] = outputs[-1]
        _check_sizes(outputs, columns)
        return tf.concat(outputs, 1)


def _weighted(column, builder, units, combiner, trainable, collections_of_weights):
    """Returns the weighted sum of a column."""
    categorical = isinstance(column, (_Categorical, BucketizedColumn))
    weights = tf.get_variable('weights', [column.num_buckets if categorical else column.width, units],
                              initializer=tf.zeros_initializer(), trainable=trainable, collections=collections_of_weights)
    if categorical:
        ids, factors = column._get_sparse_tensors(builder)
        rank = ids.dense_shape.get_shape()[0].value
        if rank is None or rank > 2:
            ids = tf.sparse_reshape(ids, [tf.gather(ids.dense_shape, 0), -1])
            factors = factors if factors is None else tf.sparse_reshape(factors, [tf.gather(factors.dense_shape, 0), -1])
        return tf.nn.safe_embedding_lookup_sparse(weights, ids, factors, combiner=combiner, name='weighted_sum')
    dense = column._get_dense_tensor(builder, weight_collections=collections_of_weights, trainable=trainable)
    return tf.matmul(tf.reshape(dense, (tf.shape(dense)[0], column.width)), weights, name='weighted_sum')


def linear_model(features, feature_columns, units=1, sparse_combiner='sum', weight_collections=None, trainable=True,
                 cols_to_vars=None):
    """Returns a weighted sum of the columns for each example."""
    columns, sums = _sorted(feature_columns), []
    collections_of_weights = _collections(weight_collections)
    with tf.variable_scope(None, 'linear_model', features.values()):
        builder = _LazyBuilder(features)
        for c in columns:
            with tf.variable_scope(None, _scope(c.name)):
                sums.append(_weighted(c, builder, units, sparse_combiner, trainable, collections_of_weights))
                if cols_to_vars is not None:
                    cols_to_vars[c] = _made_here()
        _check_sizes(sums, columns)
        bias = tf.get_variable('bias_weights', [units], initializer=tf.zeros_initializer(), trainable=trainable,
                               collections=collections_of_weights)
        if cols_to_vars is not None:
            cols_to_vars['bias'] = [bias]
        return tf.nn.bias_add(tf.add_n(sums, name='weighted_sum_no_bias'), bias, name='weighted_sum')


def make_parse_example_spec(feature_columns):
    """Returns the features that tf.parse_example reads for columns."""
    spec = {}
    for c in feature_columns:
        spec.update(c.parse_spec())
    return spec
