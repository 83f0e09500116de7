"""tf.data: datasets that read files."""
import io
from _library.data import Dataset, _int
from _library.example import _unpack


def _files(names):
    """Returns f(session, feed_dict), which gives the names of files. They may be text, tensors, or elements of a
    dataset."""
    if isinstance(names, Dataset):
        return lambda session, feed: [tf.compat.as_str_any(n) for n in names._make(session, feed)]
    if isinstance(names, (tf.Tensor, tf.Variable)):
        return lambda session, feed: [tf.compat.as_str_any(n) for n in np.reshape(session.run(names, feed), [-1])]
    listed = [names] if isinstance(names, (str, bytes)) else list(names)
    return lambda session, feed: [tf.compat.as_str_any(n) for n in listed]


def _text(x):
    """A string that may require a step: f(session, feed_dict) returns it, or '' for None."""
    if isinstance(x, (tf.Tensor, tf.Variable)):
        return lambda session, feed: tf.compat.as_str_any(session.run(x, feed))
    return lambda session, feed: tf.compat.as_str_any(x or '')


class TextLineDataset(Dataset):
    """The lines of text files."""

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None):
        names, kind = _files(filenames), _text(compression_type)

        def make(session, feed):
            packed = kind(session, feed)
            for name in names(session, feed):
                data = tf.gfile.GFile(name, 'rb')
                for line in io.BytesIO(_unpack(data.read(), packed)) if packed else data:
                    line = line[:-1] if line.endswith(b'\n') else line
                    yield line[:-1] if line.endswith(b'\r') else line
        Dataset.__init__(self, make, tf.string, tf.TensorShape([]))


class TFRecordDataset(Dataset):
    """The records of TFRecord files."""

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None):
        names, kind = _files(filenames), _text(compression_type)

        def make(session, feed):
            packed = kind(session, feed)
            for name in names(session, feed):
                for record in tf.python_io.tf_record_iterator(name, packed):
                    yield record
        Dataset.__init__(self, make, tf.string, tf.TensorShape([]))


class FixedLengthRecordDataset(Dataset):
    """Records of a fixed number of bytes."""

    def __init__(self, filenames, record_bytes, header_bytes=None, footer_bytes=None, buffer_size=None,
                 compression_type=None, num_parallel_reads=None, name=None):
        kind = _text(compression_type)
        names, size = _files(filenames), _int(record_bytes)
        head, foot = _int(header_bytes or 0), _int(footer_bytes or 0)

        def make(session, feed):
            n = size(session, feed)
            for name in names(session, feed):
                data = _unpack(tf.gfile.GFile(name, 'rb').read(), kind(session, feed))
                data = data[head(session, feed):len(data) - foot(session, feed)]
                for at in range(0, len(data), n):
                    yield data[at:at + n]
        Dataset.__init__(self, make, tf.string, tf.TensorShape([]))
