"""json: encoding and decoding of JSON."""
import _codecs

# Not built on the parser of shell/text/json.h: Python's texts, errors with their positions, NaN,
# hooks for the objects of a program, and integers of any size are not supported by it.


class JSONDecodeError(ValueError):
    def __init__(self, msg, doc, pos):
        self.msg, self.doc, self.pos = msg, doc, pos
        self.lineno = doc.count('\n', 0, pos) + 1
        self.colno = pos - doc.rfind('\n', 0, pos)
        super().__init__('%s: line %d column %d (char %d)' % (msg, self.lineno, self.colno, pos))


_SHORT = {'"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\f': '\\f', '\b': '\\b'}


def _quote(text, ascii_only):
    out = []
    for c in text:
        code = ord(c)
        if c in _SHORT:
            out.append(_SHORT[c])
        elif code < 32 or ascii_only and 126 < code < 0x10000:
            out.append('\\u%04x' % code)
        elif ascii_only and code > 126:
            code -= 0x10000
            out.append('\\u%04x\\u%04x' % (0xd800 | code >> 10, 0xdc00 | code & 0x3ff))
        else:
            out.append(c)
    return '"' + ''.join(out) + '"'


def _number(x, allow_nan):
    special = {'nan': 'NaN', 'inf': 'Infinity', '-inf': '-Infinity'}.get(repr(x))
    if special and not allow_nan:
        raise ValueError('Out of range float values are not JSON compliant')
    return special or float.__repr__(x)


class JSONEncoder(object):
    item_separator, key_separator = ', ', ': '

    def __init__(self, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True, sort_keys=False,
                 indent=None, separators=None, default=None):
        self.skipkeys, self.ensure_ascii, self.allow_nan = skipkeys, ensure_ascii, allow_nan
        self.sort_keys = sort_keys
        self.indent = ' ' * indent if isinstance(indent, int) else indent
        if separators is not None:
            self.item_separator, self.key_separator = separators
        elif indent is not None:
            self.item_separator = ','
        if default is not None:
            self.default = default

    def default(self, o):
        raise TypeError('Object of type %s is not JSON serializable' % type(o).__name__)

    def encode(self, o):
        text = _codecs.json_text(o, self.ensure_ascii, self.sort_keys, self.indent, self.item_separator, self.key_separator)
        return self._text(o, 0, []) if text is None else text

    def iterencode(self, o):
        return iter([self.encode(o)])

    def _key(self, key):
        if isinstance(key, str):
            return key
        if key is None or isinstance(key, (bool, int, float)):
            return self._text(key, 0, [])
        if self.skipkeys:
            return None
        raise TypeError('keys must be str, int, float, bool or None, not ' + type(key).__name__)

    def _text(self, o, level, around):
        if o is None or o is True or o is False:
            return {None: 'null', True: 'true', False: 'false'}[o]
        if isinstance(o, str):
            return _quote(o, self.ensure_ascii)
        if isinstance(o, int):
            return int.__repr__(o)
        if isinstance(o, float):
            return _number(o, self.allow_nan)
        if any(o is p for p in around):
            raise ValueError('Circular reference detected')
        around = around + [o]
        if isinstance(o, (list, tuple)):
            return self._wrap('[', [self._text(v, level + 1, around) for v in o], ']', level)
        if isinstance(o, dict):
            items = sorted(o.items()) if self.sort_keys else o.items()
            pairs = [(self._key(k), v) for k, v in items]
            return self._wrap('{', [_quote(k, self.ensure_ascii) + self.key_separator + self._text(v, level + 1, around)
                                    for k, v in pairs if k is not None], '}', level)
        return self._text(self.default(o), level, around)

    def _wrap(self, opening, parts, closing, level):
        if not parts or self.indent is None:
            return opening + self.item_separator.join(parts) + closing
        pad = '\n' + self.indent * (level + 1)
        return opening + pad + (self.item_separator + pad).join(parts) + '\n' + self.indent * level + closing


def dumps(obj, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True, cls=None, indent=None,
          separators=None, default=None, sort_keys=False):
    return (cls or JSONEncoder)(skipkeys=skipkeys, ensure_ascii=ensure_ascii, check_circular=check_circular,
                                allow_nan=allow_nan, indent=indent, separators=separators, default=default,
                                sort_keys=sort_keys).encode(obj)


def dump(obj, fp, **kwargs):
    fp.write(dumps(obj, **kwargs))


class _Reader(object):
    WORDS = (('null', None), ('true', True), ('false', False), ('NaN', float('nan')), ('Infinity', float('inf')),
             ('-Infinity', float('-inf')))
    ESCAPES = {'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

    def __init__(self, text, object_hook=None, pairs_hook=None):
        self.text, self.at, self.hook, self.pairs_hook = text, 0, object_hook, pairs_hook

    def fail(self, message, at=None):
        raise JSONDecodeError(message, self.text, self.at if at is None else at)

    def space(self):
        while self.text[self.at:self.at + 1] in (' ', '\t', '\n', '\r'):
            self.at += 1
        return self.text[self.at:self.at + 1]

    def value(self):
        c = self.text[self.at:self.at + 1]
        if c == '"':
            return self.string()
        if c == '{':
            return self.object()
        if c == '[':
            return self.array()
        for word, meaning in self.WORDS:
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return meaning
        return self.number()

    def digits(self, at):
        while self.text[at:at + 1] in ('0', '1', '2', '3', '4', '5', '6', '7', '8', '9'):
            at += 1
        return at

    def number(self):
        first = self.at + (self.text[self.at:self.at + 1] == '-')
        end = first + 1 if self.text[first:first + 1] == '0' else self.digits(first)
        if end == first:
            self.fail('Expecting value')
        is_int = True
        if self.text[end:end + 1] == '.' and self.digits(end + 1) > end + 1:
            is_int, end = False, self.digits(end + 1)
        if self.text[end:end + 1] in ('e', 'E'):
            after = end + 1 + (self.text[end + 1:end + 2] in ('+', '-'))
            if self.digits(after) > after:
                is_int, end = False, self.digits(after)
        text, self.at = self.text[self.at:end], end
        return int(text) if is_int else float(text)

    def escape(self, begin):
        c = self.text[self.at:self.at + 1]
        self.at += 1
        if c == 'u':
            code = self.hex4()
            if 0xd800 <= code <= 0xdbff and self.text.startswith('\\u', self.at):
                at = self.at
                self.at += 2
                low = self.hex4()
                if 0xdc00 <= low <= 0xdfff:
                    return chr(0x10000 + ((code - 0xd800) << 10 | low - 0xdc00))
                self.at = at
            return chr(code)
        if c == '':
            self.fail('Unterminated string starting at', begin)
        if c not in self.ESCAPES:
            self.fail('Invalid \\escape', self.at - 2)
        return self.ESCAPES[c]

    def hex4(self):
        digits = self.text[self.at:self.at + 4]
        if len(digits) != 4 or not all(d in '0123456789abcdefABCDEF' for d in digits):
            self.fail('Invalid \\uXXXX escape', self.at - 1)
        self.at += 4
        return int(digits, 16)

    def string(self):
        begin, out = self.at, []
        self.at += 1
        while True:
            c = self.text[self.at:self.at + 1]
            if c == '':
                self.fail('Unterminated string starting at', begin)
            if ord(c) < 32:
                self.fail('Invalid control character at')
            self.at += 1
            if c == '"':
                return ''.join(out)
            out.append(self.escape(begin) if c == '\\' else c)

    def array(self):
        out = []
        self.at += 1
        if self.space() == ']':
            self.at += 1
            return out
        while True:
            out.append(self.value())
            c = self.space()
            if c not in (',', ']'):
                self.fail("Expecting ',' delimiter")
            self.at += 1
            if c == ']':
                return out
            self.space()

    def object(self):
        pairs = []
        self.at += 1
        if self.space() == '}':
            self.at += 1
        else:
            while True:
                if self.space() != '"':
                    self.fail('Expecting property name enclosed in double quotes')
                key = self.string()
                if self.space() != ':':
                    self.fail("Expecting ':' delimiter")
                self.at += 1
                self.space()
                pairs.append((key, self.value()))
                c = self.space()
                if c not in (',', '}'):
                    self.fail("Expecting ',' delimiter")
                self.at += 1
                if c == '}':
                    break
        if self.pairs_hook:
            return self.pairs_hook(pairs)
        return self.hook(dict(pairs)) if self.hook else dict(pairs)


def loads(s, *, cls=None, object_hook=None, parse_float=None, parse_int=None, parse_constant=None,
          object_pairs_hook=None):
    if isinstance(s, bytes):
        s = s.decode('utf-8')
    if not isinstance(s, str):
        raise TypeError('the JSON object must be str, bytes or bytearray, not ' + type(s).__name__)
    if object_hook is None and object_pairs_hook is None:
        value = _codecs.json_value(s)
        if value is not None:
            return value[0]
    reader = _Reader(s, object_hook, object_pairs_hook)
    reader.space()
    value = reader.value()
    if reader.space():
        reader.fail('Extra data')
    return value


def load(fp, **kwargs):
    return loads(fp.read(), **kwargs)
