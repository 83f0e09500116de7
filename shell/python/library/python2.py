"""The builtins and operations of Python 2. The builtins are named with an underscore in front; do_NAME are the
helpers that the parser calls (parse_python2.cc)."""
import functools
import itertools
import sys

_unicode, _long, _basestring, _xrange, _unichr, _raw_input = str, int, (str, bytes), range, chr, input
_reduce, _StandardError, _buffer, _intern = functools.reduce, Exception, memoryview, str
_VIEWS = (type({}.keys()), type({}.values()), type({}.items()))
_soft = {}


class _Short(float):
    """A float that str() shows with 12 digits."""
    def __str__(self):
        return _short(self)

    def __format__(self, spec):
        return format(float(self), spec) if spec else _short(self)


def _short(x):
    text = '%.12g' % x
    return text + '.0' if text.lstrip('-').isdigit() else text


def _plain(x):
    return _Short(x) if type(x) is float else do_str(x) if type(x) is bytes else x


def do_str(x):
    if type(x) is float:
        return _short(x)
    return _text(x) if type(x) is bytes else str(x)


def do_repr(x):
    return repr(x)


def do_print(file, newline, *items):
    out = sys.stdout if file is None else file
    soft, pieces = _soft.pop(id(out), False), []
    for item in items:
        text = do_str(item)
        pieces.append(' ' + text if soft else text)
        soft = not (isinstance(item, str) and text and text[-1].isspace() and text[-1] != ' ')
    if newline:
        pieces.append('\n')
    elif soft:
        _soft[id(out)] = True
    out.write(''.join(pieces))


def do_end():
    if _soft.pop(id(sys.stdout), False):
        sys.stdout.write('\n')
    _soft.clear()


def do_exec(code, *names):
    raise NotImplementedError('tensh does not run text as code. Write the statements into the script or a module')


def do_raise(kind, value):
    if value is None or isinstance(value, kind):
        return value or kind
    return kind(*value) if isinstance(value, tuple) else kind(value)


def _is_integers(x):
    kind = getattr(getattr(x, 'dtype', None), 'kind', None)
    return kind in ('i', 'u', 'b') if isinstance(kind, str) else isinstance(x, int)


def do_div(a, b):
    if _is_integers(a) and _is_integers(b):
        return a // b
    if hasattr(a, 'graph') or hasattr(b, 'graph'):
        import tensorflow as tf
        return tf.div(a, b)
    return a / b


def do_idiv(a, b):
    if hasattr(a, 'dtype') and hasattr(a, 'flags'):
        if _is_integers(a) and _is_integers(b):
            a //= b
        else:
            a /= b
        return a
    return do_div(a, b)


def do_mod(text, values):
    if isinstance(values, tuple):
        return text % tuple(_plain(v) for v in values)
    return text % ({k: _plain(v) for k, v in values.items()} if isinstance(values, dict) else _plain(values))


def do_format(text, *args, **names):
    return text.format(*[_plain(v) for v in args], **{k: _plain(v) for k, v in names.items()})


def do_list(x):
    return list(x) if isinstance(x, _VIEWS) else x


def _key(cmp, key):
    if cmp is None:
        return key
    return functools.cmp_to_key(cmp if key is None else lambda x, y: cmp(key(x), key(y)))


def do_sort(x, *args, **named):
    if not isinstance(x, list):
        return x.sort(*args, **named)
    cmp, key, reverse = (args + (None,) * 3)[:3]
    x.sort(key=_key(named.get('cmp', cmp), named.get('key', key)), reverse=bool(named.get('reverse', reverse)))


def _sorted(iterable, cmp=None, key=None, reverse=False):
    return sorted(iterable, key=_key(cmp, key), reverse=bool(reverse))


def do_encode(text, encoding='ascii', errors='strict'):
    if not isinstance(text, str):
        return text.encode(encoding, errors)
    if encoding in ('hex', 'base64'):
        import base64
        data = text.encode('latin-1')
        return (base64.b16encode(data).lower() if encoding == 'hex' else base64.encodebytes(data)).decode()
    return text.encode('utf-8' if encoding == 'ascii' and errors == 'strict' else encoding, errors).decode(encoding)


def _cmp(x, y):
    return (x > y) - (x < y)


def _apply(function, args=(), named=None):
    return function(*args, **(named or {}))


def _range(*args):
    return list(range(*args))


def _map(function, *iterables):
    if function is str:
        function = do_str
    if len(iterables) == 1:
        return list(iterables[0]) if function is None else [function(x) for x in iterables[0]]
    rows = itertools.zip_longest(*iterables)
    return list(rows) if function is None else [function(*row) for row in rows]


def _filter(function, iterable):
    kept = [x for x in iterable if (x if function is None else function(x))]
    return ''.join(kept) if isinstance(iterable, str) else tuple(kept) if isinstance(iterable, tuple) else kept


def _zip(*iterables):
    return list(zip(*iterables))


def _round(x, ndigits=0):
    if not isinstance(x, (int, float)):
        return round(x, ndigits)
    number, over = float(x).as_integer_ratio() if x - x == 0 else (0, 1)
    number, over = (number * 10 ** ndigits, over) if ndigits >= 0 else (number, over * 10 ** -ndigits)
    if 2 * number % over or 2 * number // over % 2 == 0:
        return float(round(x, ndigits))
    up = (2 * abs(number) // over + 1) // 2  # a tie: away from 0
    return (up if x >= 0 else -up) / 10.0 ** ndigits


def _reload(module):
    from _library import reload
    return reload(module)


def _input(prompt=''):
    text = input(prompt)
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    if len(text) > 1 and text[0] == text[-1] and text[0] in '\'"':
        return text[1:-1]
    raise NotImplementedError('tensh reads numbers and texts in quotes with input(). Use: raw_input()')


def _text(data):
    try:
        return data.decode('utf-8')
    except UnicodeDecodeError:
        return data.decode('latin-1')


class _Binary(object):
    """A binary file that takes texts too, and whose lines are texts. read() returns bytes."""
    def __init__(self, file):
        self._file = file

    def __iter__(self):
        return iter(self.readlines())

    def readlines(self):
        return [_text(line) for line in self._file.readlines()]

    def write(self, data):
        self._file.write(data.encode('utf-8') if isinstance(data, str) else data)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def __getattr__(self, name):
        return getattr(self._file, name)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._file.close()


def _open(name, mode='r', *args, **named):
    file = open(name, mode.replace('U', '') or 'r', *args, **named)
    return _Binary(file) if 'b' in mode else file


_file = _open


def _execfile(name, *names):
    raise NotImplementedError('tensh has no execfile. Use: import ' + str(name).rsplit('/', 1)[-1].replace('.py', ''))


def _constant(value):
    return lambda *args, **named: value


def _has_key(d):
    return lambda key: key in d


_OF_DICTS = {
    'iteritems': lambda d: lambda: iter(d.items()), 'iterkeys': lambda d: lambda: iter(d.keys()),
    'itervalues': lambda d: lambda: iter(d.values()), 'viewitems': lambda d: d.items,
    'viewkeys': lambda d: d.keys, 'viewvalues': lambda d: d.values, 'has_key': _has_key}
_OF_FUNCTIONS = {'func_name': '__name__', 'func_defaults': '__defaults__', 'func_code': '__code__',
                 'func_doc': '__doc__', 'im_func': '__func__', 'im_self': '__self__'}
_LOWER = 'abcdefghijklmnopqrstuvwxyz'
_OF_MODULES = {
    'string': {'letters': _LOWER + _LOWER.upper(), 'lowercase': _LOWER, 'uppercase': _LOWER.upper(),
               'join': lambda words, sep=' ': sep.join(words), 'atoi': int, 'atof': float, 'atol': int,
               'joinfields': lambda words, sep=' ': sep.join(words), 'maketrans': str.maketrans},
    'sys': {'maxint': sys.maxsize, 'setdefaultencoding': _constant(None), 'exc_clear': _constant(None)},
    'itertools': {'izip': zip, 'imap': map, 'ifilter': filter, 'izip_longest': itertools.zip_longest,
                  'ifilterfalse': itertools.filterfalse},
    'types': {'StringType': str, 'UnicodeType': str, 'StringTypes': (str, bytes), 'IntType': int, 'LongType': int,
              'FloatType': float, 'BooleanType': bool, 'ListType': list, 'TupleType': tuple, 'DictType': dict,
              'NoneType': type(None)},
}


def do_attribute(v, name):
    """Returns an attribute that only Python 2 has, or NotImplemented."""
    if isinstance(v, dict) and name in _OF_DICTS:
        return _OF_DICTS[name](v)
    if name in _OF_FUNCTIONS and hasattr(v, _OF_FUNCTIONS[name]):
        return getattr(v, _OF_FUNCTIONS[name])
    if name == 'next' and hasattr(v, '__next__'):
        return lambda: next(v)
    if isinstance(v, str) and name == 'decode':
        return _constant(v)
    if isinstance(v, BaseException) and name == 'message':
        return v.args[0] if len(v.args) == 1 else ''
    module = getattr(v, '__name__', None)
    if isinstance(v, type(sys)) and isinstance(module, str):
        if module == 'os' and name == 'getcwdu':
            return v.getcwd
        if name in _OF_MODULES.get(module, ()):
            return _OF_MODULES[module][name]
        if module == 'string' and hasattr(str, name):
            return lambda text, *args: getattr(text, name)(*args)
        if module == 'urllib.request' and name in ('URLError', 'HTTPError'):
            import urllib.error
            return getattr(urllib.error, name)
    return NotImplemented
