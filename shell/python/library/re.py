"""re: regular expressions, matched by PCRE2."""
import _re

A = ASCII = 256
I = IGNORECASE = 2
M = MULTILINE = 8
S = DOTALL = 16
U = UNICODE = 32
X = VERBOSE = 64
L = LOCALE = 4
NOFLAG = 0


class error(Exception):
    def __init__(self, msg, pattern=None, pos=None):
        super().__init__(msg)
        self.msg, self.pattern, self.pos = msg, pattern, pos


class Match(object):
    def __init__(self, pattern, text, spans, pos, endpos):
        self.re, self.string, self.pos, self.endpos = pattern, text, pos, endpos
        self._spans = spans
        self.lastindex = None
        last_end = -1
        for i in range(1, pattern.groups + 1):
            if spans[2 * i] >= 0 and spans[2 * i + 1] > last_end:
                self.lastindex, last_end = i, spans[2 * i + 1]
        self.lastgroup = None
        for name, i in pattern.groupindex.items():
            if i == self.lastindex:
                self.lastgroup = name

    def _number(self, group):
        if isinstance(group, str):
            group = self.re.groupindex.get(group, -1)
        if not 0 <= group <= self.re.groups:
            raise IndexError('no such group')
        return group

    def _text(self, group, default=None):
        i = self._number(group)
        return default if self._spans[2 * i] < 0 else self.string[self._spans[2 * i]:self._spans[2 * i + 1]]

    def group(self, *groups):
        if len(groups) <= 1:
            return self._text(groups[0] if groups else 0)
        return tuple(self._text(g) for g in groups)

    def __getitem__(self, group):
        return self._text(group)

    def groups(self, default=None):
        return tuple(self._text(i, default) for i in range(1, self.re.groups + 1))

    def groupdict(self, default=None):
        return {name: self._text(i, default) for name, i in self.re.groupindex.items()}

    def start(self, group=0):
        return self._spans[2 * self._number(group)]

    def end(self, group=0):
        return self._spans[2 * self._number(group) + 1]

    def span(self, group=0):
        return (self.start(group), self.end(group))

    def expand(self, template):
        return _expand(_parse(template, self.re), self)

    def __repr__(self):
        return '<re.Match object; span=%r, match=%r>' % (self.span(), self.group())


class Pattern(object):
    def __init__(self, pattern, flags):
        if not isinstance(pattern, (str, bytes)):
            raise TypeError('first argument must be string or compiled pattern')
        self._empty = pattern[:0]
        # A pattern of bytes is one of the characters with the same numbers.
        self._source = pattern if isinstance(pattern, str) else pattern.decode('latin-1')
        self._flags = flags if isinstance(pattern, str) else flags | A
        info = _re.info(self._source, self._flags)
        if isinstance(info, str):
            raise error(info, pattern)
        self.pattern, self.flags = pattern, flags | U if isinstance(pattern, str) else flags
        self.groups, self.groupindex = info

    def _find(self, text, pos=0, endpos=None, limit=1 << 60, anchor=0):
        if not isinstance(text, (str, bytes)):
            raise TypeError("expected string or bytes-like object, got '%s'" % type(text).__name__)
        if isinstance(text, str) != isinstance(self._empty, str):
            raise TypeError('cannot use a %s pattern on a %s-like object' % (
                ('bytes', 'string') if isinstance(text, str) else ('string', 'bytes')))
        characters = text if isinstance(text, str) else text.decode('latin-1')
        size = len(text)
        endpos = size if endpos is None else max(0, min(endpos, size))
        pos = max(0, pos)
        if pos > endpos:
            return []
        return [Match(self, text, spans, pos, endpos)
                for spans in _re.spans(self._source, self._flags, characters, pos, endpos, limit, anchor)]

    def _first(self, text, pos, endpos, anchor):
        found = self._find(text, pos, endpos, 1, anchor)
        return found[0] if found else None

    def search(self, string, pos=0, endpos=None):
        return self._first(string, pos, endpos, 0)

    def match(self, string, pos=0, endpos=None):
        return self._first(string, pos, endpos, 1)

    def fullmatch(self, string, pos=0, endpos=None):
        return self._first(string, pos, endpos, 2)

    def finditer(self, string, pos=0, endpos=None):
        return iter(self._find(string, pos, endpos))

    def findall(self, string, pos=0, endpos=None):
        found = self._find(string, pos, endpos)
        if self.groups == 0:
            return [m.group() for m in found]
        if self.groups == 1:
            return [m._text(1, self._empty) for m in found]
        return [m.groups(self._empty) for m in found]

    def split(self, string, maxsplit=0):
        out, at = [], 0
        for m in self._find(string, limit=maxsplit or 1 << 60):
            out.append(string[at:m.start()])
            out.extend(m.groups())
            at = m.end()
        out.append(string[at:])
        return out

    def subn(self, repl, string, count=0):
        parts = None if callable(repl) else _parse(repl, self)
        out, at, n = [], 0, 0
        for m in self._find(string, limit=count or 1 << 60):
            out.append(string[at:m.start()])
            out.append(repl(m) if parts is None else _expand(parts, m))
            at, n = m.end(), n + 1
        out.append(string[at:])
        return (self._empty.join(out), n)

    def sub(self, repl, string, count=0):
        return self.subn(repl, string, count)[0]

    def __repr__(self):
        names = [n for n, f in (('re.IGNORECASE', I), ('re.MULTILINE', M), ('re.DOTALL', S), ('re.VERBOSE', X),
                                ('re.ASCII', A)) if self.flags & f]
        return 're.compile(%r%s)' % (self.pattern, ', ' + '|'.join(names) if names else '')

    def __eq__(self, other):
        return isinstance(other, Pattern) and (self.pattern, self._flags) == (other.pattern, other._flags)

    def __hash__(self):
        return hash((self.pattern, self._flags))


_ESCAPES = {'n': '\n', 't': '\t', 'r': '\r', 'f': '\f', 'v': '\v', 'a': '\a', 'b': '\b', '\\': '\\'}


def _parse(template, pattern):
    """Returns the parts of a replacement: texts and group numbers."""
    parts, i = [], 0
    template = template if isinstance(template, str) else template.decode('latin-1')
    while i < len(template):
        c = template[i]
        i += 1
        if c != '\\':
            parts.append(c)
            continue
        if i == len(template):
            raise error('bad escape (end of pattern)', template, i - 1)
        c = template[i]
        i += 1
        if c == 'g':
            end = template.find('>', i)
            if template[i:i + 1] != '<' or end < 0:
                raise error('missing <', template, i)
            name = template[i + 1:end]
            i = end + 1
            if not name.isdigit() and name not in pattern.groupindex:
                raise IndexError('unknown group name %r' % name)
            parts.append(_group(int(name) if name.isdigit() else pattern.groupindex[name], pattern))
        elif c == '0' or len(template[i - 1:i + 2]) == 3 and all(d in '01234567' for d in template[i - 1:i + 2]):
            digits = c
            while i < len(template) and template[i] in '01234567' and len(digits) < 3:
                digits += template[i]
                i += 1
            parts.append(chr(int(digits, 8)))
        elif c.isdigit():
            number = c
            if i < len(template) and template[i].isdigit():
                number += template[i]
                i += 1
            parts.append(_group(int(number), pattern))
        elif c in _ESCAPES:
            parts.append(_ESCAPES[c])
        elif c.isalpha() and c.isascii():
            raise error('bad escape \\' + c, template, i - 2)
        else:
            parts.append('\\' + c)
    return parts


def _group(number, pattern):
    if number > pattern.groups:
        raise error('invalid group reference %d' % number)
    return number


def _expand(parts, m):
    empty = m.re._empty
    return empty.join((p if empty == '' else p.encode('latin-1')) if isinstance(p, str) else m._text(p, empty) for p in parts)


def compile(pattern, flags=0):
    return pattern if isinstance(pattern, Pattern) else Pattern(pattern, flags)


def search(pattern, string, flags=0):
    return compile(pattern, flags).search(string)


def match(pattern, string, flags=0):
    return compile(pattern, flags).match(string)


def fullmatch(pattern, string, flags=0):
    return compile(pattern, flags).fullmatch(string)


def findall(pattern, string, flags=0):
    return compile(pattern, flags).findall(string)


def finditer(pattern, string, flags=0):
    return compile(pattern, flags).finditer(string)


def split(pattern, string, maxsplit=0, flags=0):
    return compile(pattern, flags).split(string, maxsplit)


def sub(pattern, repl, string, count=0, flags=0):
    return compile(pattern, flags).sub(repl, string, count)


def subn(pattern, repl, string, count=0, flags=0):
    return compile(pattern, flags).subn(repl, string, count)


def escape(pattern):
    if isinstance(pattern, bytes):
        return escape(pattern.decode('latin-1')).encode('latin-1')
    return ''.join('\\' + c if c in '()[]{}?*+-|^$\\.&~# \t\n\r\v\f' else c for c in pattern)


def purge():
    pass
