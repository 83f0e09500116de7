"""pickle: values as bytes, in the format of Python. Protocols 2 to 4 are written; these and older ones are read.

Loading creates only plain values: numbers, text, containers, arrays, and objects of the program's classes. No other
function that a file names is called."""
import collections
import struct as _struct
from _pickle_program import class_of_program as _class_of_program, is_message as _is_message, is_of_program as _is_of_program

HIGHEST_PROTOCOL, DEFAULT_PROTOCOL = 4, 4
_BATCH = 1000


class PickleError(Exception):
    pass


class PicklingError(PickleError):
    pass


class UnpicklingError(PickleError):
    pass


class _Global(object):
    """A function or a class, saved by its name."""

    def __init__(self, module, name):
        self.module, self.name = module, name


_RECONSTRUCT = _Global('numpy.core.multiarray', '_reconstruct')
_SCALAR = _Global('numpy.core.multiarray', 'scalar')
_DTYPE = _Global('numpy', 'dtype')
_ENCODE = _Global('_codecs', 'encode')
_NAMED = {np.ndarray: _Global('numpy', 'ndarray'), set: _Global('builtins', 'set'),
          frozenset: _Global('builtins', 'frozenset'), complex: _Global('builtins', 'complex'),
          range: _Global('builtins', 'range'), int: _Global('builtins', 'int'), str: _Global('builtins', 'str'),
          float: _Global('builtins', 'float'), list: _Global('builtins', 'list'), dict: _Global('builtins', 'dict'),
          tuple: _Global('builtins', 'tuple'), bool: _Global('builtins', 'bool'), bytes: _Global('builtins', 'bytes'),
          collections.OrderedDict: _Global('collections', 'OrderedDict')}
_DTYPES = {}


def _dtype(dtype):
    return _DTYPES.setdefault(dtype.str, dtype)


class Pickler(object):
    def __init__(self, file, protocol=None, *, fix_imports=True, buffer_callback=None):
        self._file = file
        self.proto = DEFAULT_PROTOCOL if protocol is None else HIGHEST_PROTOCOL if protocol < 0 else protocol
        if self.proto > 5:
            raise ValueError('pickle protocol must be <= 5')
        self.proto = min(max(self.proto, 2), 4)
        self._names = {}

    def dump(self, obj):
        self._out, self._memo, self._alive = [], {}, []
        self._save(obj)
        self._out.append(b'.')
        body = b''.join(self._out)
        frame = b'\x95' + _struct.pack('<Q', len(body)) if self.proto >= 4 and len(body) >= 4 else b''
        self._file.write(b'\x80' + bytes([self.proto]) + frame + body)

    def _memoize(self, key, obj):
        n = len(self._memo)
        self._memo[key] = n
        self._alive.append(obj)
        if self.proto >= 4:
            self._out.append(b'\x94')
        else:
            self._out.append(b'q' + bytes([n]) if n < 256 else b'r' + _struct.pack('<I', n))

    def _known(self, key):
        n = self._memo.get(key)
        if n is None:
            return False
        self._out.append(b'h' + bytes([n]) if n < 256 else b'j' + _struct.pack('<I', n))
        return True

    def _save(self, obj):
        kind, out = type(obj), self._out
        if obj is None:
            out.append(b'N')
        elif kind is bool:
            out.append(b'\x88' if obj else b'\x89')
        elif kind is int:
            self._save_int(obj)
        elif kind is float:
            out.append(b'G' + _struct.pack('>d', obj))
        elif not self._known(('text', obj) if kind is str else id(obj)):
            self._save_object(obj, kind)

    def _save_int(self, n):
        if -0x80000000 <= n <= 0x7fffffff:
            self._out.append(b'K' + bytes([n]) if 0 <= n < 256 else b'M' + _struct.pack('<H', n)
                             if 0 <= n < 65536 else b'J' + _struct.pack('<i', n))
            return
        data = n.to_bytes(n.bit_length() // 8 + 1, 'little', signed=True)
        if n < 0 and len(data) > 1 and data[-1] == 255 and data[-2] & 128:
            data = data[:-1]
        self._out.append((b'\x8a' + bytes([len(data)]) if len(data) < 256 else b'\x8b' + _struct.pack('<i', len(data)))
                         + data)

    def _save_object(self, obj, kind):
        if kind is str:
            data = obj.encode('utf-8', 'surrogatepass')
            short = len(data) < 256 and self.proto >= 4
            self._out.append((b'\x8c' + bytes([len(data)]) if short else b'X' + _struct.pack('<I', len(data))) + data)
            self._memoize(('text', obj), obj)
        elif kind is bytes:
            self._save_bytes(obj)
        elif kind is tuple:
            self._save_tuple(obj)
        elif kind is list:
            self._out.append(b']')
            self._memoize(id(obj), obj)
            self._items(obj)
        elif kind is dict:
            self._out.append(b'}')
            self._memoize(id(obj), obj)
            self._pairs(obj)
        elif kind in (set, frozenset) and self.proto >= 4:
            self._save_set(obj, kind)
        elif isinstance(obj, _Global):
            self._save_global(obj)
        elif isinstance(obj, type):
            self._save_type(obj)
        else:
            self._save_reduced(obj, kind)

    def _save_bytes(self, obj):
        if self.proto < 3:
            if obj:
                self._reduce(_ENCODE, (obj.decode('latin-1'), 'latin1'), id(obj), obj)
            else:
                self._reduce(_NAMED[bytes], (), id(obj), obj)
            return
        size = len(obj)
        self._out.append((b'C' + bytes([size]) if size < 256 else b'B' + _struct.pack('<I', size)) + obj)
        self._memoize(id(obj), obj)

    def _save_tuple(self, obj):
        if not obj:
            self._out.append(b')')
            return
        if len(obj) > 3:
            self._out.append(b'(')
        for item in obj:
            self._save(item)
        if not self._known_twice(obj):
            self._out.append(b't' if len(obj) > 3 else (b'\x85', b'\x86', b'\x87')[len(obj) - 1])
            self._memoize(id(obj), obj)

    def _known_twice(self, obj):
        """Handles a tuple that contains itself and was therefore written by its own item."""
        if id(obj) not in self._memo:
            return False
        self._out.append(b'1' if len(obj) > 3 else b'0' * len(obj))
        return self._known(id(obj))

    def _save_set(self, obj, kind):
        if kind is set:
            self._out.append(b'\x8f')
            self._memoize(id(obj), obj)
        if kind is frozenset or obj:
            self._out.append(b'(')
            for item in obj:
                self._save(item)
            self._out.append(b'\x90' if kind is set else b'\x91')
        if kind is frozenset:
            self._memoize(id(obj), obj)

    def _items(self, items):
        items = list(items)
        if len(items) == 1:
            self._save(items[0])
            self._out.append(b'a')
            return
        for at in range(0, len(items), _BATCH):
            self._out.append(b'(')
            for item in items[at:at + _BATCH]:
                self._save(item)
            self._out.append(b'e')

    def _pairs(self, mapping):
        pairs = list(mapping.items())
        if len(pairs) == 1:
            self._save(pairs[0][0])
            self._save(pairs[0][1])
            self._out.append(b's')
            return
        for at in range(0, len(pairs), _BATCH):
            self._out.append(b'(')
            for key, value in pairs[at:at + _BATCH]:
                self._save(key)
                self._save(value)
            self._out.append(b'u')

    def _save_global(self, named):
        module, name = named.module, named.name
        if self._known((module, name)):
            return
        if self.proto >= 4:
            self._save(module)
            self._save(name)
            self._out.append(b'\x93')
        else:
            if module == 'builtins' and self.proto < 3:
                module, name = '__builtin__', {'range': 'xrange', 'int': 'long', 'str': 'unicode'}.get(name, name)
            self._out.append(b'c' + module.encode() + b'\n' + name.encode() + b'\n')
        self._memoize((named.module, named.name), named)

    def _save_type(self, cls):
        if cls in _NAMED:
            self._save_global(_NAMED[cls])
        elif _is_of_program(cls, _program_globals()):
            path = (cls.__module__, cls.__qualname__)
            self._save_global(self._names.setdefault(path, _Global(*path)))
        elif _is_message(cls):
            path = (cls.__module__, cls.__qualname__)
            self._save_global(self._names.setdefault(path, _Global(*path)))
        elif getattr(np, cls.__name__, None) is cls:
            self._save_global(self._names.setdefault('np.' + cls.__name__, _Global('numpy', cls.__name__)))
        else:
            raise PicklingError("Can't pickle %r: it's not found as %s.%s" % (cls, cls.__module__, cls.__name__))

    def _reduce(self, function, args, key, obj):
        self._save(function)
        self._save(args)
        self._out.append(b'R')
        if key not in self._memo:
            self._memoize(key, obj)

    def _save_reduced(self, obj, kind):
        state = None
        if isinstance(obj, np.dtype):
            obj = _dtype(obj)
            if self._known(id(obj)):
                return
            order = obj.str[0]
            self._reduce(_DTYPE, (obj.str[1:] if order != '|' else obj.str[1:], False, True), id(obj), obj)
            state = (3, order, None, None, None, -1, -1, 0)
        elif isinstance(obj, np.ndarray):
            self._reduce(_RECONSTRUCT, (np.ndarray, (0,), b'b'), id(obj), obj)
            state = (1, obj.shape, _dtype(obj.dtype), False, obj.tobytes())
        elif isinstance(obj, np.generic):
            self._reduce(_SCALAR, (_dtype(obj.dtype), obj.tobytes()), id(obj), obj)
        elif kind is complex:
            self._reduce(_NAMED[complex], (obj.real, obj.imag), id(obj), obj)
        elif kind is range:
            self._reduce(_NAMED[range], (obj.start, obj.stop, obj.step), id(obj), obj)
        elif kind in (set, frozenset):
            self._reduce(_NAMED[kind], (list(obj),), id(obj), obj)
        elif kind is collections.OrderedDict:
            self._reduce(_NAMED[kind], (), id(obj), obj)
            self._pairs(obj)
        elif _is_message(kind):
            self._reduce(kind, (), id(obj), obj)
            state = obj.__getstate__()
        elif _is_of_program(kind, _program_globals()):
            self._save_instance(obj, kind)
            return
        else:
            raise TypeError("cannot pickle '%s' object" % kind.__name__)
        if state is not None:
            self._save(state)
            self._out.append(b'b')

    def _save_instance(self, obj, kind):
        self._save_type(kind)
        base = next((t for t in (int, float, str, tuple, list, dict) if isinstance(obj, t)), None)
        self._save((base(obj),) if base in (int, float, str, tuple) else ())
        self._out.append(b'\x81')
        self._memoize(id(obj), obj)
        if base is list and len(obj):
            self._items(obj)
        elif base is dict and len(obj):
            self._pairs(obj)
        own = getattr(obj, '__getstate__', None)
        state = own() if own is not None else obj.__dict__
        if state:
            self._save(state)
            self._out.append(b'b')


def _program_globals():
    return globals()


_MARK = object()


class _ArrayShell(object):
    """An array of which only the first part has been read."""

    def __init__(self):
        self.made = None


class _DtypeShell(object):
    def __init__(self, code):
        self.code, self.order = code, '<'

    def dtype(self):
        return np.dtype(('' if self.code[0] in 'SUV' or self.order in '|=' else self.order) + self.code)


def _dtype_of(value):
    return value.dtype() if isinstance(value, _DtypeShell) else value


def _scalar(dtype, data):
    return np.frombuffer(data if isinstance(data, bytes) else data.encode('latin-1'), dtype=_dtype_of(dtype))[0]


_FOUND = {('numpy.core.multiarray', '_reconstruct'): lambda cls, shape, code: _ArrayShell(),
          ('numpy._core.multiarray', '_reconstruct'): lambda cls, shape, code: _ArrayShell(),
          ('numpy.core.multiarray', 'scalar'): _scalar, ('numpy._core.multiarray', 'scalar'): _scalar,
          ('numpy', 'dtype'): lambda code, align=False, copy=False: _DtypeShell(
              code if isinstance(code, str) else code.decode('ascii')),
          ('_codecs', 'encode'): lambda text, encoding: text.encode(encoding),
          ('__builtin__', 'xrange'): range, ('__builtin__', 'unicode'): str, ('__builtin__', 'long'): int}


def _find_class(module, name):
    if (module, name) in _FOUND:
        return _FOUND[module, name]
    plain = 'builtins' if module == '__builtin__' else module
    for cls, named in _NAMED.items():
        if (named.module, named.name) == (plain, name):
            return cls
    if module == 'numpy' and isinstance(getattr(np, name, None), type):
        return getattr(np, name)
    found = _class_of_program(module, name, _program_globals())
    if found is not None:
        return found
    raise UnpicklingError('%s.%s: only plain values, arrays and classes of the program are read' % (module, name))


class Unpickler(object):
    def __init__(self, file, *, fix_imports=True, encoding='ASCII', errors='strict', buffers=None):
        self._file, self._encoding, self._errors = file, encoding, errors

    def load(self):
        self._data = self._file.read()
        value, used = _Reader(self._data, self._encoding, self._errors).read()
        if used < len(self._data):
            try:
                self._file.seek(self._file.tell() - (len(self._data) - used))
            except (AttributeError, OSError):
                pass
        return value


class _Reader(object):
    def __init__(self, data, encoding, errors):
        self.data, self.at, self.encoding, self.errors = data, 0, encoding, errors
        self.stack, self.memo = [], {}

    def take(self, n):
        if self.at + n > len(self.data):
            raise UnpicklingError('pickle data was truncated')
        self.at += n
        return self.data[self.at - n:self.at]

    def number(self, form):
        return _struct.unpack(form, self.take(_struct.calcsize(form)))[0]

    def rest_of_line(self):
        begin = self.at
        end = self.data.find(b'\n', begin)
        if end < 0:
            raise UnpicklingError('pickle data was truncated')
        self.at = end + 1
        return self.data[begin:end]

    def marked(self):
        items = []
        while True:
            if not self.stack:
                raise UnpicklingError('unexpected MARK found')
            item = self.stack.pop()
            if item is _MARK:
                return items[::-1]
            items.append(item)

    def text(self, data):
        return data if self.encoding == 'bytes' else data.decode(self.encoding, self.errors)

    def read(self):
        stack = self.stack
        while True:
            if self.at == len(self.data):
                raise EOFError('Ran out of input')
            code = self.take(1)
            if code == b'.':
                value = _finished(stack.pop())
                return value, self.at
            action = _ACTIONS.get(code)
            if action is None:
                raise UnpicklingError("invalid load key, '%s'." % code.decode('latin-1'))
            try:
                action(self, stack)
            except IndexError:
                raise UnpicklingError('unpickling stack underflow') from None


def _finished(value):
    """Replaces the shells of arrays and dtypes by the finished values."""
    if isinstance(value, _ArrayShell):
        return value.made
    return _dtype_of(value)


def _unless_dtype(value):
    """Keeps a dtype as a shell among the arguments that make an array, because its state follows later."""
    return value if isinstance(value, _DtypeShell) else _finished(value)


def _push(value):
    return lambda r, s: s.append(value)


def _number(form):
    return lambda r, s: s.append(r.number(form))


def _tuple(n):
    def act(r, s):
        items = s[-n:]
        if len(items) < n:
            raise IndexError
        del s[-n:]
        s.append(tuple(_unless_dtype(v) for v in items))
    return act


def _counted(form, text):
    def act(r, s):
        data = r.take(r.number(form))
        s.append(data if text == 'bytes' else data.decode('utf-8', 'surrogatepass') if text == 'utf-8' else
                 r.text(data))
    return act


def _long(form):
    return lambda r, s: s.append(int.from_bytes(r.take(r.number(form)), 'little', signed=True))


def _integer_line(r, s):
    line = r.rest_of_line()
    s.append({b'00': False, b'01': True}.get(line, None) if line in (b'00', b'01') else int(line.rstrip(b'L')))


def _string_line(r, s):
    import json
    text = r.rest_of_line().decode('latin-1')
    s.append(r.text(json.loads('"' + text[1:-1].replace('"', '\\"').replace("\\'", "'") + '"').encode('latin-1')))


def _raw_unicode(text):
    first, *rest = text.split('\\u')
    return first + ''.join(chr(int(part[:4], 16)) + part[4:] for part in rest)


def _extend(r, s):
    items = r.marked()
    for item in items:
        s[-1].append(_finished(item))


def _set_pairs(r, s):
    items = r.marked()
    for i in range(0, len(items), 2):
        s[-1][_finished(items[i])] = _finished(items[i + 1])


def _set_pair(r, s):
    value, key = s.pop(), s.pop()
    s[-1][_finished(key)] = _finished(value)


def _append(r, s):
    item = s.pop()
    s[-1].append(_finished(item))


def _make_dict(r, s):
    items = r.marked()
    s.append(dict((items[i], _finished(items[i + 1])) for i in range(0, len(items), 2)))


def _add(r, s):
    items = r.marked()
    s[-1].update(items)


def _call(r, s):
    args, function = s.pop(), s.pop()
    s.append(function(*[_unless_dtype(a) for a in args]))


def _new(r, s):
    args, cls = s.pop(), s.pop()
    s.append(cls.__new__(cls, *args))


def _build(r, s):
    state = s.pop()
    obj = s[-1]
    if isinstance(obj, _ArrayShell):
        version, shape, dtype, fortran, data = state
        if not isinstance(data, bytes):
            data = data.encode('latin-1')
        array = np.frombuffer(data, dtype=_dtype_of(dtype)).copy()
        obj.made = array.reshape(shape[::-1]).T.copy() if fortran else array.reshape(shape)
    elif isinstance(obj, _DtypeShell):
        order = state[1]
        obj.order = order if isinstance(order, str) else order.decode('ascii')
    elif hasattr(obj, '__setstate__'):
        obj.__setstate__(state)
    else:
        state = state[0] if isinstance(state, tuple) else state
        for key, value in (state or {}).items():
            setattr(obj, key if isinstance(key, str) else key.decode('ascii'), _finished(value))


def _get(r, s, key):
    if key not in r.memo:
        raise UnpicklingError('Memo value not found at index %d' % key)
    s.append(r.memo[key])


def _pop_mark(r, s):
    r.marked()


def _global(r, s):
    module = r.rest_of_line().decode('utf-8')
    s.append(_find_class(module, r.rest_of_line().decode('utf-8')))


def _stack_global(r, s):
    name, module = s.pop(), s.pop()
    s.append(_find_class(module, name))


def _protocol(r, s):
    n = r.number('<B')
    if n > 5:
        raise ValueError('unsupported pickle protocol: %d' % n)


_ACTIONS = {
    b'\x80': _protocol, b'\x95': lambda r, s: r.take(8), b'(': lambda r, s: s.append(_MARK), b'N': _push(None),
    b'\x88': _push(True), b'\x89': _push(False), b'K': _number('<B'), b'M': _number('<H'), b'J': _number('<i'),
    b'\x8a': _long('<B'), b'\x8b': _long('<i'), b'G': _number('>d'), b'I': _integer_line, b'L': _integer_line,
    b'F': lambda r, s: s.append(float(r.rest_of_line())), b'S': _string_line,
    b'V': lambda r, s: s.append(_raw_unicode(r.rest_of_line().decode('latin-1'))),
    b'X': _counted('<I', 'utf-8'), b'\x8c': _counted('<B', 'utf-8'), b'\x8d': _counted('<Q', 'utf-8'),
    b'U': _counted('<B', ''), b'T': _counted('<i', ''), b'C': _counted('<B', 'bytes'), b'B': _counted('<I', 'bytes'),
    b'\x8e': _counted('<Q', 'bytes'), b')': _push(()), b'\x85': _tuple(1), b'\x86': _tuple(2), b'\x87': _tuple(3),
    b't': lambda r, s: s.append(tuple(_unless_dtype(v) for v in r.marked())),
    b']': lambda r, s: s.append([]), b'l': lambda r, s: s.append(r.marked()), b'}': lambda r, s: s.append({}),
    b'd': _make_dict, b'a': _append, b'e': _extend, b's': _set_pair, b'u': _set_pairs,
    b'\x8f': lambda r, s: s.append(set()), b'\x90': _add, b'\x91': lambda r, s: s.append(frozenset(r.marked())),
    b'c': _global, b'\x93': _stack_global, b'R': _call, b'\x81': _new, b'b': _build, b'0': lambda r, s: s.pop(),
    b'1': _pop_mark, b'2': lambda r, s: s.append(s[-1]),
    b'q': lambda r, s: r.memo.__setitem__(r.number('<B'), s[-1]),
    b'r': lambda r, s: r.memo.__setitem__(r.number('<I'), s[-1]),
    b'p': lambda r, s: r.memo.__setitem__(int(r.rest_of_line()), s[-1]),
    b'\x94': lambda r, s: r.memo.__setitem__(len(r.memo), s[-1]),
    b'h': lambda r, s: _get(r, s, r.number('<B')), b'j': lambda r, s: _get(r, s, r.number('<I')),
    b'g': lambda r, s: _get(r, s, int(r.rest_of_line())),
}


def dumps(obj, protocol=None, *, fix_imports=True, buffer_callback=None):
    import io
    file = io.BytesIO()
    Pickler(file, protocol).dump(obj)
    return file.getvalue()


def dump(obj, file, protocol=None, *, fix_imports=True, buffer_callback=None):
    Pickler(file, protocol).dump(obj)


def loads(data, /, *, fix_imports=True, encoding='ASCII', errors='strict', buffers=()):
    return _Reader(data, encoding, errors).read()[0]


def load(file, *, fix_imports=True, encoding='ASCII', errors='strict', buffers=()):
    return Unpickler(file, encoding=encoding, errors=errors).load()
