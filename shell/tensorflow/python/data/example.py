"""TFRecord files, and the ops that parse examples."""
import collections
import os
import _zlib


# ---- record files ----

def _crc(data):
    return _zlib.masked_crc32c(data).to_bytes(4, 'little')


def _unpack(data, kind):
    """Decompresses the contents of a file: kind is '', 'ZLIB' or 'GZIP'."""
    if kind not in ('', 'ZLIB', 'GZIP'):
        raise ValueError('Not a valid compression_type: "%s"' % kind)
    out = []
    while kind and data:
        try:
            part, taken = _zlib.inflate(data, 31 if kind == 'GZIP' else 15)
        except (ValueError, EOFError) as e:
            raise tf.errors.DataLossError(None, None, str(e).replace('Error ', 'inflate() failed with error ', 1)
                                          .replace(' while decompressing data', '')) from None
        out.append(part)
        data = data[taken:] if kind == 'GZIP' else b''  # only gzip files may have several members
    return b''.join(out) if kind else data


class TFRecordCompressionType(object):
    """The compression types of record files."""

    NONE, ZLIB, GZIP = 0, 1, 2


class TFRecordOptions(object):
    """The compression of a record file."""
    compression_type_map = {0: '', 1: 'ZLIB', 2: 'GZIP'}

    def __init__(self, compression_type=None, flush_mode=None, input_buffer_size=None, output_buffer_size=None,
                 window_bits=None, compression_level=None, compression_method=None, mem_level=None,
                 compression_strategy=None):
        self.get_compression_type_string(compression_type)
        self.compression_type, self.flush_mode = compression_type, flush_mode
        self.input_buffer_size, self.output_buffer_size = input_buffer_size, output_buffer_size
        self.window_bits, self.compression_level = window_bits, compression_level
        self.compression_method, self.mem_level = compression_method, mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options):
        if isinstance(options, TFRecordOptions):
            options = options.compression_type
        if not options:
            return ''
        kind = cls.compression_type_map.get(options, options)
        if kind not in cls.compression_type_map.values():
            raise ValueError('Not a valid compression_type: "%s"' % (options,))
        return kind


class TFRecordWriter(object):
    """Writes byte strings to a file of records."""

    def __init__(self, path, options=None):
        self._kind = TFRecordOptions.get_compression_type_string(options)
        self._level = getattr(options, 'compression_level', None)
        self._file = open(path, 'wb')
        self._parts = []  # the records of a compressed file, which is written when it is closed

    def write(self, record):
        size = len(record).to_bytes(8, 'little')
        data = size + _crc(size) + record + _crc(record)
        if self._kind:
            self._parts.append(data)
        else:
            self._file.write(data)

    def flush(self):
        self._file.flush()

    def close(self):
        if self._kind and not self._file.closed:
            level = -1 if self._level is None else self._level
            self._file.write(_zlib.deflate(b''.join(self._parts), level, 31 if self._kind == 'GZIP' else 15))
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


def tf_record_iterator(path, options=None):
    """Iterates over the records of a file."""
    if not os.path.exists(path):
        raise tf.errors.NotFoundError(None, None, path + '; No such file or directory')
    with open(path, 'rb') as f:
        data = _unpack(f.read(), TFRecordOptions.get_compression_type_string(options))
    at = 0
    while at < len(data):
        head = data[at:at + 12]
        size = int.from_bytes(head[:8], 'little') if len(head) == 12 else 0
        if len(head) < 12 or head[8:] != _crc(head[:8]):
            raise tf.errors.DataLossError(None, None, 'corrupted record at %d' % at)
        record = data[at + 12:at + 12 + size]
        if len(record) < size or data[at + 12 + size:at + 16 + size] != _crc(record):
            raise tf.errors.DataLossError(None, None, 'truncated record at %d' % at)
        yield record
        at += 16 + size


# ---- parsing in the graph ----

class FixedLenFeature(collections.namedtuple('FixedLenFeature', 'shape dtype default_value')):
    """A feature with the same number of values in every example."""

    def __new__(cls, shape, dtype, default_value=None):
        return super(FixedLenFeature, cls).__new__(cls, shape, dtype, default_value)


class FixedLenSequenceFeature(collections.namedtuple('FixedLenSequenceFeature',
                                                     'shape dtype allow_missing default_value')):
    """A feature whose rows are padded to a common length."""

    def __new__(cls, shape, dtype, allow_missing=False, default_value=None):
        return super(FixedLenSequenceFeature, cls).__new__(cls, shape, dtype, allow_missing, default_value)


VarLenFeature = collections.namedtuple('VarLenFeature', 'dtype')


def _plain_name(key):
    return 'key_' + ''.join([c if c.isalnum() or c in '_.-/' else '_' for c in key])


def _default(key, feature, dtype, shape):
    given = feature.default_value
    if shape.ndims and shape.as_list()[0] is None:
        if given is None:
            return tf.constant('' if dtype == tf.string else 0, dtype)
        return tf.reshape(tf.convert_to_tensor(given, dtype=dtype, name=_plain_name(key)), [])
    if given is None:
        return tf.constant([], dtype)
    if isinstance(given, tf.Tensor):
        return given
    return tf.reshape(tf.convert_to_tensor(given, dtype=dtype, name=_plain_name(key)), shape.as_list())


def _sorted_features(features):
    """Returns (keys of sparse features, their types, keys of dense ones, their types, defaults, shapes)."""
    if not features:
        raise ValueError('Missing: features was %s.' % features)
    sparse, dense = [], []
    for key in sorted(features):
        feature = features[key]
        if isinstance(feature, VarLenFeature):
            sparse.append(key)
        elif isinstance(feature, (FixedLenFeature, FixedLenSequenceFeature)):
            if isinstance(feature, FixedLenSequenceFeature) and not feature.allow_missing:
                raise ValueError('Unsupported: FixedLenSequenceFeature requires allow_missing to be True.')
            dense.append(key)
        else:
            raise ValueError('Invalid feature %s:%s.' % (key, feature))
    types = [tf.as_dtype(features[k].dtype) for k in dense]
    shapes = []
    for key in dense:
        shape = tf.TensorShape(features[key].shape)
        if isinstance(features[key], FixedLenSequenceFeature):
            shape = tf.TensorShape([None]).concatenate(shape)
        shapes.append(shape)
    defaults = [_default(k, features[k], t, s) for k, t, s in zip(dense, types, shapes)]
    return sparse, [tf.as_dtype(features[k].dtype) for k in sparse], dense, types, defaults, shapes


def _gathered(sparse, dense, outputs):
    n = len(sparse)
    found = {k: tf.SparseTensor(outputs[i], outputs[n + i], outputs[2 * n + i]) for i, k in enumerate(sparse)}
    found.update(zip(dense, outputs[3 * n:]))
    return found


def parse_single_example(serialized, features, name=None, example_names=None):
    """Parses the features of one message, by key."""
    with tf.name_scope(name, 'ParseSingleExample'):
        serialized = tf.convert_to_tensor(serialized, dtype=tf.string, name='serialized')
        sparse, sparse_types, dense, types, defaults, shapes = _sorted_features(features)
        return _gathered(sparse, dense, tf.raw_ops.ParseSingleExample(
            serialized=serialized, dense_defaults=defaults, num_sparse=len(sparse), sparse_keys=sparse,
            dense_keys=dense, sparse_types=sparse_types, dense_shapes=shapes, name=name))


def parse_example(serialized, features, name=None, example_names=None):
    """Parses the features of a vector of messages, by key."""
    with tf.name_scope(name, 'ParseExample'):
        serialized = tf.convert_to_tensor(serialized, dtype=tf.string, name='serialized')
        sparse, sparse_types, dense, types, defaults, shapes = _sorted_features(features)
        names = tf.constant([] if example_names is None else example_names, tf.string)
        return _gathered(sparse, dense, tf.raw_ops.ParseExample(
            serialized=serialized, names=names, sparse_keys=sparse, dense_keys=dense, dense_defaults=defaults,
            sparse_types=sparse_types, dense_shapes=shapes, name=name))


# ---- sequences ----

def _sorted_sequence(features, kind):
    """Returns (keys of sparse features, their types, keys of dense ones, their types, shapes)."""
    sparse, dense = [], []
    for key in sorted(features or {}):
        if isinstance(features[key], VarLenFeature):
            sparse.append(key)
        elif isinstance(features[key], kind):
            dense.append(key)
        else:
            raise ValueError('Invalid feature %s:%s.' % (key, features[key]))
    return (sparse, [tf.as_dtype(features[k].dtype) for k in sparse], dense,
            [tf.as_dtype(features[k].dtype) for k in dense], [tf.TensorShape(features[k].shape) for k in dense])


def _sequence_attrs(context_features, sequence_features):
    """Returns (keys of sparse and dense context features, those of the lists, optional lists, arguments)."""
    if not (context_features or sequence_features):
        raise ValueError('Both `context_features` and `sequence_features` argument are None, but at least one should '
                         'have values.')
    sparse, sparse_types, dense, types, shapes = _sorted_sequence(context_features, FixedLenFeature)
    lists, list_types, rows, row_types, row_shapes = _sorted_sequence(sequence_features, FixedLenSequenceFeature)
    missing = []
    for key in rows:
        if sequence_features[key].default_value is not None:
            raise ValueError('Value feature_list.dense_defaults[%s] must be None' % key)
        if sequence_features[key].allow_missing:
            missing.append(key)
    defaults = [_default(k, context_features[k], t, s) for k, t, s in zip(dense, types, shapes)]
    given = dict(context_dense_defaults=defaults, context_sparse_types=sparse_types,
                 feature_list_dense_types=row_types, context_dense_shapes=shapes,
                 feature_list_sparse_types=list_types, feature_list_dense_shapes=row_shapes)
    return (sparse, dense, lists, rows), missing, given


def _taken(outputs, sparse, dense):
    """Returns the features with these keys, and the remaining outputs."""
    n = 3 * len(sparse) + len(dense)
    return _gathered(sparse, dense, outputs[:n]), outputs[n:]


def _flat_outputs(outputs):
    return [t for part in outputs for t in (part if isinstance(part, (list, tuple)) else [part])]


def parse_single_sequence_example(serialized, context_features=None, sequence_features=None, example_name=None,
                                  name=None):
    """Parses one message into (context features, feature lists), by key."""
    with tf.name_scope(name, 'ParseSingleSequenceExample', [serialized, example_name]):
        keys, missing, given = _sequence_attrs(context_features, sequence_features)
        sparse, dense, lists, rows = keys
        outputs = _flat_outputs(tf.raw_ops.ParseSingleSequenceExample(
            serialized=tf.convert_to_tensor(serialized, dtype=tf.string, name='serialized'),
            feature_list_dense_missing_assumed_empty=tf.constant(missing, tf.string), context_sparse_keys=sparse,
            context_dense_keys=dense, feature_list_sparse_keys=lists, feature_list_dense_keys=rows,
            debug_name='' if example_name is None else example_name, name=name, **given))
        context, rest = _taken(outputs, sparse, dense)
        return context, _taken(rest, lists, rows)[0]


def parse_sequence_example(serialized, context_features=None, sequence_features=None, example_names=None, name=None):
    """Parses messages into (context features, feature lists, lengths of the dense ones), by key."""
    with tf.name_scope(name, 'ParseSequenceExample', [serialized, example_names]):
        keys, missing, given = _sequence_attrs(context_features, sequence_features)
        sparse, dense, lists, rows = keys
        outputs = _flat_outputs(tf.raw_ops.ParseSequenceExample(
            serialized=tf.convert_to_tensor(serialized, dtype=tf.string, name='serialized'),
            debug_name=tf.constant([] if example_names is None else example_names, tf.string),
            feature_list_dense_missing_assumed_empty=missing, context_sparse_keys=sparse, context_dense_keys=dense,
            feature_list_sparse_keys=lists, feature_list_dense_keys=rows, Ncontext_sparse=len(sparse),
            Ncontext_dense=len(dense), Nfeature_list_sparse=len(lists), Nfeature_list_dense=len(rows), name=name,
            **given))
        context, rest = _taken(outputs, sparse, dense)
        found, lengths = _taken(rest, lists, rows)
        return context, found, dict(zip(rows, lengths))
