"""Conversion of strings and bytes to tensors, and of tensors to strings."""
import pprint
import random
import sys


def string_to_number(string_tensor=None, out_type=None, name=None, input=None):
    """Parses strings as numbers."""
    return tf.raw_ops.StringToNumber(string_tensor=input if string_tensor is None else string_tensor,
                                     out_type=out_type, name=name)


def substr(input, pos, len, name=None, unit='BYTE'):
    """Substrings."""
    return tf.raw_ops.Substr(input=input, pos=pos, len=len, unit=unit, name=name)


def string_length(input, name=None, unit='BYTE'):
    """The lengths of strings."""
    return tf.raw_ops.StringLength(input=input, unit=unit, name=name)


def string_strip(input, name=None):
    """Removes white space at both ends of strings."""
    return tf.raw_ops.StringStrip(input=input, name=name)


def strings_split(input=None, sep=None, maxsplit=-1, result_type='SparseTensor', source=None, name=None):
    """tf.strings.split: splits strings at a separator, or at white space."""
    if result_type != 'SparseTensor':
        raise NotImplementedError('ragged tensors are not part of tensh: leave result_type as it is')
    with tf.name_scope(name, 'StringSplit'):
        text = tf.convert_to_tensor(source if input is None else input, dtype=tf.string, name='input')
        if text.get_shape().ndims == 0:
            text = tf.expand_dims(text, 0)
        indices, values, shape = tf.raw_ops.StringSplitV2(input=text, sep='' if sep is None else sep, maxsplit=maxsplit)
        indices.set_shape([None, 2])
        values.set_shape([None])
        shape.set_shape([2])
        return tf.SparseTensor(indices, values, shape)


def string_split(source=None, sep=None, skip_empty=True, delimiter=None, result_type='SparseTensor', name=None,
                 input=None):
    """Splits strings. The result is a sparse matrix."""
    delimiter = ' ' if sep is None and delimiter is None else sep if delimiter is None else delimiter
    source = tf.convert_to_tensor(input if source is None else source, dtype=tf.string)
    indices, values, shape = tf.raw_ops.StringSplit(input=source, delimiter=delimiter, skip_empty=skip_empty,
                                                    name=name)
    indices.set_shape([None, 2])
    values.set_shape([None])
    shape.set_shape([2])
    return tf.SparseTensor(indices, values, shape)


def decode_raw(input_bytes=None, out_type=None, little_endian=True, name=None, bytes=None):
    """Interprets bytes as numbers."""
    return tf.raw_ops.DecodeRaw(bytes=bytes if input_bytes is None else input_bytes, out_type=out_type,
                                little_endian=little_endian, name=name)


def decode_csv(records, record_defaults, field_delim=',', use_quote_delim=True, name=None, na_value='',
               select_cols=None):
    """Parses lines of comma-separated values into columns."""
    return tf.raw_ops.DecodeCSV(records=records, record_defaults=record_defaults, field_delim=field_delim,
                                use_quote_delim=use_quote_delim, na_value=na_value, select_cols=select_cols,
                                name=name)


def regex_replace(input, pattern, rewrite, replace_global=True, name=None):
    """Replaces matches of pattern in strings."""
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        return tf.raw_ops.StaticRegexReplace(input=input, pattern=pattern, rewrite=rewrite,
                                             replace_global=replace_global, name=name)
    return tf.raw_ops.RegexReplace(input=input, pattern=pattern, rewrite=rewrite, replace_global=replace_global,
                                   name=name)


def regex_full_match(input, pattern, name=None):
    """True for strings that match completely."""
    if isinstance(pattern, (str, bytes)):
        return tf.raw_ops.StaticRegexFullMatch(input=input, pattern=pattern, name=name)
    return tf.raw_ops.RegexFullMatch(input=input, pattern=pattern, name=name)


def string_to_hash_bucket(string_tensor=None, num_buckets=None, name=None, input=None):
    """Assigns strings to buckets."""
    return tf.raw_ops.StringToHashBucket(string_tensor=input if string_tensor is None else string_tensor,
                                         num_buckets=num_buckets, name=name)


def string_to_hash_bucket_fast(input, num_buckets, name=None):
    """Assigns strings to buckets with a fast hash."""
    return tf.raw_ops.StringToHashBucketFast(input=input, num_buckets=num_buckets, name=name)


to_hash_bucket_fast = string_to_hash_bucket_fast


def string_to_hash_bucket_strong(input, num_buckets, key, name=None):
    """Assigns strings to buckets with a keyed hash."""
    return tf.raw_ops.StringToHashBucketStrong(input=input, num_buckets=num_buckets, key=key, name=name)


def encode_base64(input, pad=False, name=None):
    """Encodes bytes as base64."""
    return tf.raw_ops.EncodeBase64(input=input, pad=pad, name=name)


def decode_base64(input, name=None):
    """Decodes base64."""
    return tf.raw_ops.DecodeBase64(input=input, name=name)


def _join_axes(inputs, axis):
    if axis is not None:
        return axis
    rank = tf.convert_to_tensor(inputs).get_shape().ndims
    if rank is not None:
        return tf.constant(list(range(rank - 1, -1, -1)), dtype=tf.int32)
    return tf.range(tf.rank(inputs) - 1, -1, -1)


def reduce_join(inputs, axis=None, keep_dims=None, separator='', name=None, reduction_indices=None, keepdims=None):
    """Joins strings along dimensions."""
    inputs = tf.convert_to_tensor(inputs, dtype=tf.string)
    keep = keep_dims if keepdims is None else keepdims
    axes = _join_axes(inputs, reduction_indices if axis is None else axis)
    return tf.raw_ops.ReduceJoin(inputs=inputs, reduction_indices=axes, keep_dims=bool(keep), separator=separator,
                                 name=name)


def unsorted_segment_join(inputs, segment_ids, num_segments, separator='', name=None):
    """Joins strings by segment."""
    return tf.raw_ops.UnsortedSegmentJoin(inputs=inputs, segment_ids=segment_ids, num_segments=num_segments,
                                          separator=separator, name=name)


def string_format(template, inputs, placeholder='{}', summarize=3, name=None):
    """Inserts the values of tensors into a template."""
    if _is_tensor(inputs):
        inputs = [inputs]
    inputs = list(inputs)
    if template.count(placeholder) != len(inputs):
        raise ValueError('%s placeholder(s) in template does not match %s tensor(s) provided as input' % (
            template.count(placeholder), len(inputs)))
    return tf.raw_ops.StringFormat(inputs=inputs, template=template, placeholder=placeholder, summarize=summarize,
                                   name=name)


format = string_format


def _is_tensor(x):
    return isinstance(x, (tf.Tensor, tf.Variable, tf.SparseTensor, tf.IndexedSlices))


def _placeholder(text):
    placeholder = '{}'
    rng = random.Random(5)
    while placeholder in text:
        placeholder = '{%d}' % rng.randint(0, 1000000000)
    return placeholder


def _stream(output_stream):
    if isinstance(output_stream, str) and output_stream.startswith('file://'):
        return output_stream
    for stream, name in ((sys.stdout, 'stdout'), (sys.stderr, 'stderr'), (tf.logging.INFO, 'log(info)'),
                         (tf.logging.WARN, 'log(warning)'), (tf.logging.ERROR, 'log(error)')):
        if output_stream is stream or (isinstance(output_stream, int) and output_stream == stream):
            return name
    raise ValueError('Unsupported output stream, logging level, or file.' + str(output_stream))


def _template(x, placeholder, tensors):
    if isinstance(x, str):
        return x
    placeholders = []
    for part in tf.nest.flatten(x):
        if isinstance(part, tf.SparseTensor):
            tensors.extend([part.indices, part.values, part.dense_shape])
            placeholders.append('SparseTensor(indices={}, values={}, shape={})'.replace('{}', placeholder))
        elif _is_tensor(part):
            tensors.append(part)
            placeholders.append(placeholder)
        else:
            placeholders.append(part)
    return pprint.pformat(tf.nest.pack_sequence_as(x, placeholders))


def print_v2(*inputs, **kwargs):
    """Returns an operation that prints tensors."""
    output_stream = kwargs.pop('output_stream', sys.stderr)
    name = kwargs.pop('name', None)
    summarize = kwargs.pop('summarize', 3)
    sep = kwargs.pop('sep', ' ')
    end = kwargs.pop('end', '\n')
    if kwargs:
        raise ValueError('Unrecognized keyword arguments for tf.print: %s' % kwargs)
    stream = _stream(output_stream)
    if len(inputs) == 1 and isinstance(inputs[0], tf.Tensor) and inputs[0].shape.ndims == 0 and inputs[
            0].dtype == tf.string:
        text = inputs[0]
    else:
        plain = ' '.join(pprint.pformat(tf.nest.map_structure(lambda x: '' if _is_tensor(x) else x, i))
                         for i in inputs)
        placeholder = _placeholder(plain)
        tensors = []
        template = sep.join([_template(i, placeholder, tensors) for i in inputs])
        template = template.replace("'" + placeholder + "'", placeholder)
        text = string_format(template, tensors, placeholder=placeholder, summarize=summarize,
                             name=name + '_format' if name else None)
    return tf.raw_ops.PrintV2(input=text, output_stream=stream, end=end, name=name)


print = print_v2


def timestamp(name=None):
    """The time in seconds when the operation runs."""
    return tf.raw_ops.Timestamp(name=name)


def unicode_transcode(input, input_encoding, output_encoding, errors='replace', replacement_char=65533,
                      replace_control_characters=False, name=None):
    """Converts strings to another encoding."""
    return tf.raw_ops.UnicodeTranscode(input=input, input_encoding=input_encoding, output_encoding=output_encoding,
                                       errors=errors, replacement_char=replacement_char,
                                       replace_control_characters=replace_control_characters, name=name)
