"""struct: conversion between values and the bytes of C structures."""
_SIZES = {'x': 1, 'c': 1, 'b': 1, 'B': 1, '?': 1, 'h': 2, 'H': 2, 'i': 4, 'I': 4, 'l': 8, 'L': 8, 'q': 8, 'Q': 8,
          'n': 8, 'N': 8, 'P': 8, 'e': 2, 'f': 4, 'd': 8, 's': 1, 'p': 1}
_FLOATS = {'e': 'f2', 'f': 'f4', 'd': 'f8'}
_WITHOUT_VALUE = 'x'


class error(Exception):
    """Raised for an invalid format, or for values that do not fit it."""


def _sizes(order):
    if order == '@':
        return _SIZES
    return dict({k: v for k, v in _SIZES.items() if k not in 'nNP'}, l=4, L=4)


def _parse(format):
    """Returns [(code, count, size, padding before it)], the byte order and the total size."""
    if isinstance(format, bytes):
        format = format.decode('ascii')
    if not isinstance(format, str):
        raise TypeError('Struct() argument 1 must be a str or bytes object, not %s' % type(format).__name__)
    order = '@'
    if format[:1] in ('@', '=', '<', '>', '!') and format:
        order, format = format[0], format[1:]
    sizes, items, total, count = _sizes(order), [], 0, ''
    for c in format:
        if c.isspace() and not count:
            continue
        if c.isdigit():
            count += c
            continue
        if c not in sizes:
            raise error('bad char in struct format')
        n, size = int(count) if count else 1, sizes[c]
        pad = -total % size if order == '@' and c not in 'xsp' else 0
        items.append((c, n, size, pad))
        total += pad + n * size
        count = ''
    if count:
        raise error('repeat count given without format specifier')
    return items, 'big' if order in '>!' else 'little', total


def calcsize(format):
    return _parse(format)[2]


def _range(code, size):
    low = -(1 << (8 * size - 1)) if code in 'bhilqn' else 0
    return low, low + (1 << (8 * size)) - 1


_NAMES = {'b': 'byte', 'B': 'ubyte', 'h': 'short', 'H': 'ushort'}


def _integer_bytes(code, size, order, native, value):
    if not isinstance(value, int):
        if not hasattr(value, '__index__'):
            raise error('required argument is not an integer')
        value = value.__index__()
    low, high = _range(code, size)
    if not low <= value <= high:
        if size == 8 and not native:
            raise error("can't convert negative int to unsigned" if low == 0 > value else 'int too large to convert')
        as_long = code in 'bBhilq' or native and code == 'H'
        if size == 8 or not (-2 ** 63 <= value < 2 ** 63 if as_long else 0 <= value < 2 ** 64):
            raise error('argument out of range')
        name = _NAMES[code] if code in 'bB' or native and code in _NAMES else "'%s'" % code
        raise error('%s format requires %d <= number <= %d' % (name, low, high))
    return (value & ((1 << (8 * size)) - 1)).to_bytes(size, order)


def _float_bytes(code, order, value):
    if not isinstance(value, (int, float, np.generic)) and not hasattr(value, '__float__'):
        raise error('required argument is not a float')
    value = float(value)
    data = np.array([value], dtype='<' + _FLOATS[code])
    if code != 'd' and np.isinf(data[0]) and not np.isinf(value):
        raise OverflowError('float too large to pack with %s format' % code)
    data = data.tobytes()
    return data if order == 'little' else data[::-1]


def _one(code, size, order, native, value):
    if code == '?':
        return b'\1' if value else b'\0'
    if code == 'c':
        if not isinstance(value, bytes) or len(value) != 1:
            raise error('char format requires a bytes object of length 1')
        return value
    if code in _FLOATS:
        return _float_bytes(code, order, value)
    return _integer_bytes(code, size, order, native, value)


def _as_c(mark, code):
    """Converts a value by the native C type, whose error messages differ, if size and order are native."""
    return mark not in '>!' and (mark in '@' or mark not in '=<' or code not in 'lL')


def _wanted(items):
    return sum(1 if code in 'sp' else 0 if code == _WITHOUT_VALUE else n for code, n, _, _ in items)


def pack(format, /, *values):
    items, order, _ = _parse(format)
    native = (format if isinstance(format, str) else format.decode('ascii'))[:1] or '@'
    wanted = _wanted(items)
    if len(values) != wanted:
        raise error('pack expected %d items for packing (got %d)' % (wanted, len(values)))
    out, at = [], 0
    for code, n, size, pad in items:
        out.append(b'\0' * pad)
        if code == 'x':
            out.append(b'\0' * n)
            continue
        if code in 'sp':
            value = values[at]
            at += 1
            if not isinstance(value, bytes):
                raise error("argument for '%s' must be a bytes object" % code)
            if code == 'p' and n:
                value = value[:n - 1]
                value = bytes([min(len(value), 255)]) + value
            out.append(value[:n] + b'\0' * (n - len(value)))
            continue
        for value in values[at:at + n]:
            out.append(_one(code, size, order, _as_c(native, code), value))
        at += n
    return b''.join(out)


def _array(code, size, order, data):
    """Converts many numbers at once."""
    kind = 'f' if code in _FLOATS else 'i' if code in 'bhilqn' else 'u'
    values = np.frombuffer(data if order == 'little' else data[::-1], dtype='<' + kind + str(size)).tolist()
    return values if order == 'little' else values[::-1]


def _unpack(items, order, data):
    out, at = [], 0
    for code, n, size, pad in items:
        at += pad
        part = data[at:at + n * size]
        at += n * size
        if code == 'x':
            continue
        if code == 's':
            out.append(part)
        elif code == 'p':
            out.append(part[1:1 + part[0]] if part else b'')
        elif code == 'c':
            out.extend(part[i:i + 1] for i in range(n))
        elif code == '?':
            out.extend(b != 0 for b in part)
        elif n > 8 or code in _FLOATS:
            out.extend(_array(code, size, order, part))
        else:
            signed = code in 'bhilqn'
            out.extend(int.from_bytes(part[i:i + size], order, signed=signed) for i in range(0, n * size, size))
    return tuple(out)


def unpack(format, buffer, /):
    items, order, total = _parse(format)
    buffer = bytes(buffer)
    if len(buffer) != total:
        raise error('unpack requires a buffer of %d bytes' % total)
    return _unpack(items, order, buffer)


def unpack_from(format, /, buffer, offset=0):
    items, order, total = _parse(format)
    buffer = bytes(buffer)
    if offset < 0:
        if offset + len(buffer) < 0:
            raise error('offset %d out of range for %d-byte buffer' % (offset, len(buffer)))
        offset += len(buffer)
    if len(buffer) - offset < total:
        raise error('unpack_from requires a buffer of at least %d bytes for unpacking %d bytes at offset %d (actual '
                    'buffer size is %d)' % (offset + total, total, offset, len(buffer)))
    return _unpack(items, order, buffer[offset:offset + total])


def iter_unpack(format, buffer, /):
    items, order, total = _parse(format)
    if total == 0:
        raise error('cannot iteratively unpack with a struct of length 0')
    if len(buffer) % total:
        raise error('iterative unpacking requires a buffer of a multiple of %d bytes' % total)
    for at in range(0, len(buffer), total):
        yield _unpack(items, order, buffer[at:at + total])


class Struct(object):
    """A parsed format for repeated use."""

    def __init__(self, format):
        self.format = format.decode('ascii') if isinstance(format, bytes) else format
        self.size = calcsize(format)

    def pack(self, *values):
        return pack(self.format, *values)

    def unpack(self, buffer):
        return unpack(self.format, buffer)

    def unpack_from(self, buffer, offset=0):
        return unpack_from(self.format, buffer, offset)

    def iter_unpack(self, buffer):
        return iter_unpack(self.format, buffer)

    def __repr__(self):
        return 'Struct(%r)' % self.format
