"""Tables from keys to values: tf.lookup, tf.contrib.lookup, tf.tables_initializer."""
import collections


class TextFileIndex(object):
    """Columns of a text file that stand for the whole line or for its number."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


HasherSpec = collections.namedtuple('HasherSpec', ['hasher', 'key'])
FastHashSpec = HasherSpec('fasthash', None)


class StrongHashSpec(HasherSpec):
    """A keyed hash for the buckets of unknown keys. The key consists of two numbers."""

    def __new__(cls, key):
        if len(key) != 2:
            raise ValueError('key must have size 2, got %s.' % len(key))
        return super(StrongHashSpec, cls).__new__(cls, 'stronghash', key)


def _check_types(table, key_dtype, value_dtype):
    if key_dtype.base_dtype != table.key_dtype:
        raise TypeError('Invalid key dtype, expected %s but got %s.' % (table.key_dtype, key_dtype))
    if value_dtype.base_dtype != table.value_dtype:
        raise TypeError('Invalid value dtype, expected %s but got %s.' % (table.value_dtype, value_dtype))


class LookupInterface(object):
    """The base class of all tables."""

    def __init__(self, key_dtype, value_dtype):
        self._key_dtype, self._value_dtype = tf.as_dtype(key_dtype), tf.as_dtype(value_dtype)

    key_dtype = property(lambda self: self._key_dtype)
    value_dtype = property(lambda self: self._value_dtype)
    resource_handle = property(lambda self: self._resource_handle)
    name = property(lambda self: self._name)
    default_value = property(lambda self: self._default_value)

    def size(self, name=None):
        """The number of keys."""
        with tf.name_scope(name, '%s_Size' % self.name, [self.resource_handle]):
            return tf.raw_ops.LookupTableSizeV2(table_handle=self.resource_handle)

    def _export(self):
        keys, values = tf.raw_ops.LookupTableExportV2(table_handle=self.resource_handle, Tkeys=self._key_dtype,
                                                      Tvalues=self._value_dtype)
        values.set_shape(keys.get_shape().concatenate(self._value_shape))
        return keys, values


class KeyValueTensorInitializer(object):
    """Initializes a table from tensors."""
    _shared_name = None

    def __init__(self, keys, values, key_dtype=None, value_dtype=None, name=None):
        self._keys = tf.convert_to_tensor(keys, dtype=key_dtype, name='keys')
        self._values = tf.convert_to_tensor(values, dtype=value_dtype, name='values')
        self._name = 'key_value_init' if name is None else name
        self.key_dtype, self.value_dtype = self._keys.dtype, self._values.dtype

    def initialize(self, table):
        _check_types(table, self.key_dtype, self.value_dtype)
        with tf.name_scope(self._name, values=[table.resource_handle, self._keys, self._values]):
            op = tf.raw_ops.LookupTableImportV2(table_handle=table.resource_handle, keys=self._keys,
                                                values=self._values)
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, op)
        return op


class TextFileInitializer(object):
    """Initializes a table from the lines of a file."""

    def __init__(self, filename, key_dtype, key_index, value_dtype, value_index, vocab_size=None, delimiter='\t',
                 name=None):
        if not isinstance(filename, tf.Tensor) and not filename:
            raise ValueError('Filename required for %s.' % name)
        self.key_dtype, self.value_dtype = tf.as_dtype(key_dtype), tf.as_dtype(value_dtype)
        for index, dtype, what in ((key_index, self.key_dtype, 'key'), (value_index, self.value_dtype, 'value')):
            if index < -2:
                raise ValueError('Invalid %s index %s.' % (what, index))
            if index == TextFileIndex.LINE_NUMBER and dtype != tf.int64:
                raise ValueError('Signature mismatch. %s must be dtype %s, got %s.' % (what.title() + 's', tf.int64, dtype))
            if index == TextFileIndex.WHOLE_LINE and not dtype.is_integer and dtype != tf.string:
                raise ValueError('Signature mismatch. %s must be integer or string, got %s.' % (what.title() + 's', dtype))
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError('Invalid vocab_size %s.' % vocab_size)
        self._filename, self._key_index, self._value_index = filename, key_index, value_index
        self._vocab_size, self._delimiter, self._name = vocab_size, delimiter, name

    @property
    def _shared_name(self):
        parts = [self._filename if isinstance(self._filename, str) else self._filename.name]
        if self._vocab_size:
            parts.append(str(self._vocab_size))
        return 'hash_table_' + '_'.join(parts + [str(self._key_index), str(self._value_index)])

    def initialize(self, table):
        _check_types(table, self.key_dtype, self.value_dtype)
        with tf.name_scope(self._name, 'text_file_init', [table.resource_handle]):
            filename = tf.convert_to_tensor(self._filename, tf.string, name='asset_filepath')
            op = tf.raw_ops.InitializeTableFromTextFileV2(
                table_handle=table.resource_handle, filename=filename, key_index=self._key_index,
                value_index=self._value_index, vocab_size=-1 if self._vocab_size is None else self._vocab_size,
                delimiter=self._delimiter)
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, op)
        if filename.op.type == 'Const':
            tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, filename)
        return op


class TextFileIdTableInitializer(TextFileInitializer):
    def __init__(self, filename, key_column_index=-2, value_column_index=-1, vocab_size=None, delimiter='\t',
                 name='text_file_id_table_init', key_dtype=tf.string):
        super(TextFileIdTableInitializer, self).__init__(filename, key_dtype, key_column_index, tf.int64,
                                                         value_column_index, vocab_size, delimiter, name)


class TextFileStringTableInitializer(TextFileInitializer):
    def __init__(self, filename, key_column_index=-1, value_column_index=-2, vocab_size=None, delimiter='\t',
                 name='text_file_string_table_init'):
        super(TextFileStringTableInitializer, self).__init__(filename, tf.int64, key_column_index, tf.string,
                                                             value_column_index, vocab_size, delimiter, name)


class StaticHashTable(LookupInterface):
    """A table that its initializer fills once."""

    def __init__(self, initializer, default_value, name=None, _shared_name=None):
        super(StaticHashTable, self).__init__(initializer.key_dtype, initializer.value_dtype)
        self._initializer = initializer
        self._default_value = tf.convert_to_tensor(default_value, dtype=self._value_dtype)
        self._default_value.get_shape().merge_with(tf.TensorShape([]))
        self._value_shape = self._default_value.get_shape()
        self._resource_handle = tf.raw_ops.HashTableV2(
            shared_name=_shared_name or initializer._shared_name or '', key_dtype=self._key_dtype,
            value_dtype=self._value_dtype, name=name or 'hash_table')
        self._name = self._resource_handle.op.name.split('/')[-1]
        self._init_op = initializer.initialize(self)

    initializer = property(lambda self: self._init_op)

    @property
    def init(self):
        return self._init_op

    def lookup(self, keys, name=None):
        """The values of keys, or the default for missing keys."""
        key_tensor = keys.values if isinstance(keys, tf.SparseTensor) else keys
        if keys.dtype.base_dtype != self._key_dtype:
            raise TypeError('Signature mismatch. Keys must be dtype %s, got %s.' % (self._key_dtype, keys.dtype))
        with tf.name_scope(name, '%s_Lookup' % self.name, [self.resource_handle, key_tensor, self._default_value]):
            values = tf.raw_ops.LookupTableFindV2(table_handle=self.resource_handle, keys=key_tensor,
                                                  default_value=self._default_value)
        values.set_shape(key_tensor.get_shape())
        if isinstance(keys, tf.SparseTensor):
            return tf.SparseTensor(keys.indices, values, keys.dense_shape)
        return values

    def export(self, name=None):
        """Returns all keys and values."""
        with tf.name_scope(name, '%s_Export' % self.name, [self.resource_handle]):
            return self._export()


class HashTable(StaticHashTable):
    """StaticHashTable under its name in tf.contrib.lookup."""

    def __init__(self, initializer, default_value, shared_name=None, name='hash_table'):
        super(HashTable, self).__init__(initializer, default_value, name, shared_name)


class _MutableTable(LookupInterface):
    def _finish(self, handle, checkpoint):
        self._resource_handle = handle
        self._name = handle.op.name.split('/')[-1]
        if checkpoint:
            self.export()  # the tensors that a Saver would save

    def _scope(self, name, what):
        return tf.name_scope(name, '%s_lookup_table_%s' % (self.name, what), [self.resource_handle])

    def lookup(self, keys, name=None):
        with self._scope(name, 'find'):
            keys = tf.convert_to_tensor(keys, dtype=self._key_dtype, name='keys')
            with tf.colocate_with(self.resource_handle):
                values = tf.raw_ops.LookupTableFindV2(table_handle=self.resource_handle, keys=keys,
                                                      default_value=self._default_value)
        values.set_shape(keys.get_shape()[:keys.get_shape().ndims - self._key_rank].concatenate(self._value_shape)
                         if keys.get_shape().ndims is not None else tf.TensorShape(None))
        return values

    def insert(self, keys, values, name=None):
        with self._scope(name, 'insert'):
            keys = tf.convert_to_tensor(keys, self._key_dtype, name='keys')
            values = tf.convert_to_tensor(values, self._value_dtype, name='values')
            with tf.colocate_with(self.resource_handle):
                return tf.raw_ops.LookupTableInsertV2(table_handle=self.resource_handle, keys=keys, values=values)

    def remove(self, keys, name=None):
        if hasattr(keys, 'dtype') and keys.dtype != self._key_dtype:
            raise TypeError('Signature mismatch. Keys must be dtype %s, got %s.' % (self._key_dtype, keys.dtype))
        with self._scope(name, 'remove'):
            return tf.raw_ops.LookupTableRemoveV2(table_handle=self.resource_handle,
                                                  keys=tf.convert_to_tensor(keys, self._key_dtype))

    def export(self, name=None):
        with self._scope(name, 'export_values'):
            with tf.colocate_with(self.resource_handle):
                return self._export()


class MutableHashTable(_MutableTable):
    """A mutable table."""
    _key_rank = 0

    def __init__(self, key_dtype, value_dtype, default_value, shared_name=None, name='MutableHashTable',
                 checkpoint=True):
        super(MutableHashTable, self).__init__(key_dtype, value_dtype)
        self._default_value = tf.convert_to_tensor(default_value, dtype=self._value_dtype)
        self._value_shape = self._default_value.get_shape()
        args = dict(shared_name=shared_name or '', use_node_name_sharing=checkpoint and shared_name is None,
                    key_dtype=self._key_dtype, value_dtype=self._value_dtype, name=name)
        if self._value_shape.ndims == 0:
            handle = tf.raw_ops.MutableHashTableV2(**args)
        else:
            handle = tf.raw_ops.MutableHashTableOfTensorsV2(value_shape=self._value_shape, **args)
        self._finish(handle, checkpoint)


class MutableDenseHashTable(_MutableTable):
    """A table whose keys may be vectors."""

    def __init__(self, key_dtype, value_dtype, default_value, empty_key, deleted_key, initial_num_buckets=None,
                 shared_name=None, name='MutableDenseHashTable', checkpoint=True):
        super(MutableDenseHashTable, self).__init__(key_dtype, value_dtype)
        self._default_value = tf.convert_to_tensor(default_value, dtype=self._value_dtype, name='default_value')
        self._value_shape = self._default_value.get_shape()
        empty_key = tf.convert_to_tensor(empty_key, dtype=self._key_dtype, name='empty_key')
        deleted_key = tf.convert_to_tensor(deleted_key, dtype=self._key_dtype, name='deleted_key')
        self._key_rank = empty_key.get_shape().ndims
        self._finish(tf.raw_ops.MutableDenseHashTableV2(
            empty_key=empty_key, deleted_key=deleted_key, shared_name=shared_name or '',
            use_node_name_sharing=checkpoint and shared_name is None, value_dtype=self._value_dtype,
            value_shape=self._value_shape, initial_num_buckets=initial_num_buckets, name=name), checkpoint)


DenseHashTable = MutableDenseHashTable


class IdTableWithHashBuckets(object):
    """Returns ids from a table, and hashed ids for missing keys."""

    def __init__(self, table, num_oov_buckets, hasher_spec=FastHashSpec, name=None, key_dtype=None):
        if name:
            name = name.rstrip('/')
        if table:
            self._key_dtype = table.key_dtype if key_dtype is None else key_dtype
            self._name = name or table.name
        else:
            self._key_dtype = tf.string if key_dtype is None else key_dtype
            self._name = name or 'hash_bucket'
        if num_oov_buckets < 0:
            raise ValueError('num_oov_buckets must be greater than or equal 0.')
        if not table and num_oov_buckets == 0:
            raise ValueError('table and num_oov_buckets: one must be there')
        self._table, self._num_oov_buckets, self._hasher_spec = table, num_oov_buckets, hasher_spec
        if not isinstance(hasher_spec, HasherSpec):
            raise TypeError('hasher_spec must be of type HasherSpec, got %s' % hasher_spec)

    key_dtype = property(lambda self: self._key_dtype)
    value_dtype = property(lambda self: tf.int64)
    name = property(lambda self: self._name)
    resource_handle = property(lambda self: None if self._table is None else self._table.resource_handle)
    initializer = property(lambda self: tf.no_op() if self._table is None else self._table.initializer)
    init = initializer

    def size(self, name=None):
        with tf.name_scope(name, '%s_Size' % self.name):
            known = self._table.size() if self._table else tf.constant(0, tf.int64)
            return known + self._num_oov_buckets

    def _hash(self, strings):
        if self._hasher_spec.hasher == 'fasthash':
            return tf.string_to_hash_bucket_fast(strings, num_buckets=self._num_oov_buckets, name='hash_bucket')
        return tf.string_to_hash_bucket_strong(strings, num_buckets=self._num_oov_buckets,
                                               key=list(self._hasher_spec.key), name='hash_bucket')

    def lookup(self, keys, name=None):
        if keys.dtype.base_dtype != self._key_dtype:
            raise TypeError('Signature mismatch. Keys must be dtype %s, got %s.' % (self._key_dtype, keys.dtype))
        values = keys.values if isinstance(keys, tf.SparseTensor) else keys
        if self._table and self._table.key_dtype.base_dtype == tf.int64:
            values = tf.cast(values, tf.int64)
        if self._num_oov_buckets == 0:
            ids = self._table.lookup(values, name=name)
        else:
            with tf.name_scope(name, '%s_Lookup' % self.name):
                strings = values if values.dtype.base_dtype == tf.string else tf.as_string(values)
                ids = buckets = self._hash(strings)
                if self._table:
                    ids = self._table.lookup(values)
                    buckets = tf.add(buckets, self._table.size())
                    ids = tf.where(tf.not_equal(ids, self._table.default_value), ids, buckets)
        if isinstance(keys, tf.SparseTensor):
            return tf.SparseTensor(keys.indices, ids, keys.dense_shape)
        return ids


class StaticVocabularyTable(IdTableWithHashBuckets):
    """Returns ids from an initializer, and hashed ids for missing keys."""

    def __init__(self, initializer, num_oov_buckets, lookup_key_dtype=None, name=None):
        if num_oov_buckets <= 0:
            raise ValueError('`num_oov_buckets` must be > 0; use StaticHashTable.')
        super(StaticVocabularyTable, self).__init__(StaticHashTable(initializer, -1) if initializer else None, num_oov_buckets,
                                                    name=name, key_dtype=lookup_key_dtype)


def _with_buckets(table, num_oov_buckets, hasher_spec, key_dtype):
    if not num_oov_buckets:
        return table
    return IdTableWithHashBuckets(table, num_oov_buckets=num_oov_buckets, hasher_spec=hasher_spec, key_dtype=key_dtype)


def index_table_from_file(vocabulary_file=None, num_oov_buckets=0, vocab_size=None, default_value=-1,
                          hasher_spec=FastHashSpec, key_dtype=tf.string, name=None, key_column_index=-2,
                          value_column_index=-1, delimiter='\t'):
    """A table from the words of a file to their numbers."""
    if vocabulary_file is None or (isinstance(vocabulary_file, str) and not vocabulary_file):
        raise ValueError('vocabulary_file must be specified and must not be empty.')
    if num_oov_buckets < 0:
        raise ValueError('num_oov_buckets must be greater or equal than 0, got %d.' % num_oov_buckets)
    if vocab_size is not None and vocab_size < 1:
        raise ValueError('vocab_size must be greater than 0, got %d.' % vocab_size)
    if not key_dtype.is_integer and key_dtype != tf.string:
        raise TypeError('Only integer and string keys are supported.')
    with tf.name_scope(name, 'string_to_index'):
        with tf.name_scope(None, 'hash_table'):
            init = TextFileIdTableInitializer(
                vocabulary_file, vocab_size=vocab_size, key_dtype=tf.int64 if key_dtype.is_integer else key_dtype,
                name='table_init', key_column_index=key_column_index, value_column_index=value_column_index,
                delimiter=delimiter)
            table = StaticHashTable(init, default_value)
        return _with_buckets(table, num_oov_buckets, hasher_spec, key_dtype)


def index_table_from_tensor(mapping=None, num_oov_buckets=0, default_value=-1, hasher_spec=FastHashSpec,
                            dtype=tf.string, name=None, vocabulary_list=None):
    """A table from words to their numbers."""
    mapping = vocabulary_list if mapping is None else mapping
    if mapping is None:
        raise ValueError('vocabulary_list must be specified.')
    if num_oov_buckets < 0:
        raise ValueError('num_oov_buckets must be greater or equal than 0, got %d.' % num_oov_buckets)
    if not dtype.is_integer and dtype != tf.string:
        raise TypeError('Only integer and string keys are supported.')
    with tf.name_scope(name, 'string_to_index'):
        keys = tf.convert_to_tensor(mapping)
        if keys.dtype.is_integer != dtype.is_integer or (not dtype.is_integer and keys.dtype.base_dtype != dtype):
            raise ValueError('Expected %s, got %s.' % ('integer' if dtype.is_integer else dtype, keys.dtype))
        values = tf.cast(tf.range(tf.size(keys)), tf.int64)
        with tf.name_scope(None, 'hash_table'):
            table_keys = tf.cast(keys, tf.int64) if keys.dtype.is_integer else keys
            init = KeyValueTensorInitializer(table_keys, values, table_keys.dtype.base_dtype, tf.int64,
                                             name='table_init')
            table = StaticHashTable(init, default_value)
        return _with_buckets(table, num_oov_buckets, hasher_spec, dtype)


def index_to_string_table_from_file(vocabulary_file, vocab_size=None, default_value='UNK', name=None,
                                    key_column_index=-1, value_column_index=-2, delimiter='\t'):
    """A table from numbers to the words of a file."""
    if vocabulary_file is None or (isinstance(vocabulary_file, str) and not vocabulary_file):
        raise ValueError('vocabulary_file must be specified and must not be empty.')
    if vocab_size is not None and vocab_size < 1:
        raise ValueError('vocab_size must be greater than 0, got %d.' % vocab_size)
    with tf.name_scope(name, 'index_to_string'):
        init = TextFileStringTableInitializer(vocabulary_file, vocab_size=vocab_size, name='table_init',
                                              key_column_index=key_column_index,
                                              value_column_index=value_column_index, delimiter=delimiter)
        return StaticHashTable(init, default_value)


def index_to_string_table_from_tensor(mapping=None, default_value='UNK', name=None, vocabulary_list=None):
    """A table from numbers to words."""
    mapping = vocabulary_list if mapping is None else mapping
    if mapping is None:
        raise ValueError('vocabulary_list must be specified.')
    with tf.name_scope(name, 'index_to_string'):
        words = tf.convert_to_tensor(mapping, tf.string)
        keys = tf.cast(tf.range(tf.size(words)), tf.int64)
        init = KeyValueTensorInitializer(keys, words, tf.int64, tf.string, name='table_init')
        return StaticHashTable(init, default_value)


def string_to_index(tensor, mapping, default_value=-1, name=None):
    """Maps words to numbers."""
    return index_table_from_tensor(mapping, default_value=default_value, name=name).lookup(tensor)


def index_to_string(tensor, mapping, default_value='UNK', name=None):
    """Maps numbers to words."""
    return index_to_string_table_from_tensor(mapping, default_value=default_value, name=name).lookup(tensor)


def tables_initializer(name='init_all_tables'):
    """Returns an operation that initializes all tables."""
    initializers = tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)
    return tf.group(*initializers, name=name) if initializers else tf.no_op(name=name)


initialize_all_tables = tables_initializer
