"""Strings and bytes to tensors."""


def string_to_number(string_tensor=None, out_type=None, name=None, input=None):
    """The numbers that strings spell."""
    return tf.raw_ops.StringToNumber(string_tensor=input if string_tensor is None else string_tensor,
                                     out_type=out_type, name=name)


def substr(input, pos, len, name=None, unit='BYTE'):
    """Parts of strings."""
    return tf.raw_ops.Substr(input=input, pos=pos, len=len, unit=unit, name=name)


def string_length(input, name=None, unit='BYTE'):
    """How long strings are."""
    return tf.raw_ops.StringLength(input=input, unit=unit, name=name)


def string_strip(input, name=None):
    """Strings without the spaces around them."""
    return tf.raw_ops.StringStrip(input=input, name=name)


def string_split(source=None, sep=None, skip_empty=True, delimiter=None, result_type='SparseTensor', input=None,
                 name=None):
    """The pieces of strings, as a sparse matrix."""
    delimiter = ' ' if sep is None and delimiter is None else sep if delimiter is None else delimiter
    source = tf.convert_to_tensor(input if source is None else source, dtype=tf.string)
    indices, values, shape = tf.raw_ops.StringSplit(input=source, delimiter=delimiter, skip_empty=skip_empty,
                                                    name=name)
    indices.set_shape([None, 2])
    values.set_shape([None])
    shape.set_shape([2])
    return tf.SparseTensor(indices, values, shape)


def decode_raw(input_bytes=None, out_type=None, little_endian=True, name=None, bytes=None):
    """Numbers out of raw bytes."""
    return tf.raw_ops.DecodeRaw(bytes=bytes if input_bytes is None else input_bytes, out_type=out_type,
                                little_endian=little_endian, name=name)


def decode_csv(records, record_defaults, field_delim=',', use_quote_delim=True, name=None, na_value='',
               select_cols=None):
    """The columns of lines of comma-separated values."""
    return tf.raw_ops.DecodeCSV(records=records, record_defaults=record_defaults, field_delim=field_delim,
                                use_quote_delim=use_quote_delim, na_value=na_value, select_cols=select_cols,
                                name=name)
