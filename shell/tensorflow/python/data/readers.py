"""Readers of records from files whose names come from a queue."""


class ReaderBase(object):
    """The base class of all readers."""
    supports_serialize = False

    def __init__(self, reader_ref):
        self.reader_ref = reader_ref
        self._name = reader_ref.op.name

    def _queue(self, queue):
        return getattr(queue, 'queue_ref', queue)

    def read(self, queue, name=None):
        """Returns (key, value) of the next record."""
        return tf.raw_ops.ReaderReadV2(reader_handle=self.reader_ref, queue_handle=self._queue(queue), name=name)

    def read_up_to(self, queue, num_records, name=None):
        """Returns (keys, values) of the next records."""
        return tf.raw_ops.ReaderReadUpToV2(reader_handle=self.reader_ref, queue_handle=self._queue(queue),
                                           num_records=num_records, name=name)

    def num_records_produced(self, name=None):
        return tf.raw_ops.ReaderNumRecordsProducedV2(reader_handle=self.reader_ref, name=name)

    def num_work_units_completed(self, name=None):
        return tf.raw_ops.ReaderNumWorkUnitsCompletedV2(reader_handle=self.reader_ref, name=name)

    def serialize_state(self, name=None):
        return tf.raw_ops.ReaderSerializeStateV2(reader_handle=self.reader_ref, name=name)

    def restore_state(self, state, name=None):
        return tf.raw_ops.ReaderRestoreStateV2(reader_handle=self.reader_ref, state=state, name=name)

    def reset(self, name=None):
        return tf.raw_ops.ReaderResetV2(reader_handle=self.reader_ref, name=name)


class TextLineReader(ReaderBase):
    """Reads files line by line."""

    def __init__(self, skip_header_lines=None, name=None):
        super(TextLineReader, self).__init__(
            tf.raw_ops.TextLineReaderV2(skip_header_lines=skip_header_lines, name=name))


class WholeFileReader(ReaderBase):
    """Reads each file as one record."""
    supports_serialize = True

    def __init__(self, name=None):
        super(WholeFileReader, self).__init__(tf.raw_ops.WholeFileReaderV2(name=name))


class IdentityReader(ReaderBase):
    """Returns the names themselves."""
    supports_serialize = True

    def __init__(self, name=None):
        super(IdentityReader, self).__init__(tf.raw_ops.IdentityReaderV2(name=name))


class TFRecordReader(ReaderBase):
    """Reads the records of TFRecord files."""

    def __init__(self, name=None, options=None):
        super(TFRecordReader, self).__init__(tf.raw_ops.TFRecordReaderV2(
            compression_type=tf.io.TFRecordOptions.get_compression_type_string(options), name=name))


class FixedLengthRecordReader(ReaderBase):
    """Reads records of a fixed length."""

    def __init__(self, record_bytes, header_bytes=None, footer_bytes=None, hop_bytes=None, name=None, encoding=None):
        super(FixedLengthRecordReader, self).__init__(
            tf.raw_ops.FixedLengthRecordReaderV2(record_bytes=record_bytes, header_bytes=header_bytes,
                                                 footer_bytes=footer_bytes, hop_bytes=hop_bytes, encoding=encoding, name=name))
