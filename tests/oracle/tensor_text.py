"""The text form of tensors in the oracle's files: "float[2,3] 1 2.5 nan -0 inf 1e-45" (see README.md).

A number is the shortest decimal with the same bits. Booleans are 0 and 1. Strings are percent-encoded and separated
by single spaces; the empty one is "%". A leading "&" marks a reference variable that holds the tensor, and "~" one
that has its dtype and shape but is uninitialised.
"""
import urllib.parse

import numpy as np

try:
    from ml_dtypes import bfloat16
except ImportError:  # comes with TensorFlow
    bfloat16 = np.float32

NAMES = {'float32': 'float', 'float64': 'double', 'float16': 'half', 'object': 'string'}
DTYPES = {'float': np.float32, 'double': np.float64, 'int32': np.int32, 'int64': np.int64,
          'bool': np.bool_, 'string': np.object_, 'half': np.float16, 'bfloat16': bfloat16, 'int8': np.int8,
          'uint8': np.uint8, 'int16': np.int16, 'uint16': np.uint16, 'uint32': np.uint32, 'uint64': np.uint64,
          'complex64': np.complex64, 'complex128': np.complex128}


class Ref:
    """An input that is a reference variable: a VariableV2 with this value, or an uninitialised one."""

    def __init__(self, value, initialized=True):
        self.value, self.initialized = value, initialized


def number(x):
    if isinstance(x, (bool, np.bool_)):
        return '01'[bool(x)]
    if isinstance(x, (complex, np.complexfloating)):
        return number(x.real) + ',' + number(x.imag)
    if isinstance(x, bfloat16):
        x = np.float32(x)
    if isinstance(x, (np.floating, float)):
        if np.isnan(x):
            return 'nan'
        if np.isinf(x):
            return 'inf' if x > 0 else '-inf'
        s = np.format_float_scientific(x, unique=True, trim='-') if x and not 1e-4 <= abs(x) < 1e7 else \
            np.format_float_positional(x, unique=True, trim='-')
        return s
    if isinstance(x, (bytes, str)):
        x = x if isinstance(x, bytes) else x.encode()
        return urllib.parse.quote_from_bytes(x, safe='') or '%'
    return str(int(x))


def dtype_name(array):
    if array.dtype.kind in 'SUO':
        return 'string'
    return NAMES.get(array.dtype.name, array.dtype.name)


def encode(value):
    if isinstance(value, list):
        return [encode(v) for v in value]
    if isinstance(value, Ref):
        if value.initialized:
            return '&' + encode(value.value)
        return '~' + encode(value.value).split(' ')[0]
    # numpy's own strings lose trailing zero bytes.
    array = np.asarray(value, object) if isinstance(value, (bytes, str)) else np.asarray(value)
    head = '%s[%s]' % (dtype_name(array), ','.join(map(str, array.shape)))
    return ' '.join([head] + [number(x) for x in array.ravel()])


def decode(text):
    if isinstance(text, list):
        return [decode(t) for t in text]
    if text.startswith('&'):
        return Ref(decode(text[1:]))
    if text.startswith('~'):
        name, dims = text[1:-1].split('[')
        return Ref(np.zeros([int(d) for d in dims.split(',') if d], DTYPES[name]), False)
    head, *rest = text.split(' ')
    name, dims = head[:-1].split('[')
    shape = [int(d) for d in dims.split(',')] if dims else []
    if name == 'string':
        out = np.empty(len(rest), object)
        out[:] = [b'' if r == '%' else urllib.parse.unquote_to_bytes(r) for r in rest]
        return out.reshape(shape)
    if name == 'bool':
        return np.array([r == '1' for r in rest], np.bool_).reshape(shape)
    if name.startswith('complex'):
        parts = [[float(p) for p in r.split(',')] for r in rest]
        return np.array([complex(*p) for p in parts], DTYPES[name]).reshape(shape)
    real = name in ('float', 'double', 'half', 'bfloat16')
    return np.array([float(r) if real else int(r) for r in rest], DTYPES[name]).reshape(shape)


def shape_text(dims):
    """Returns "[2,?]", or "?" for None, the unknown rank."""
    if dims is None:
        return '?'
    return '[%s]' % ','.join('?' if d is None or d < 0 else str(d) for d in dims)
