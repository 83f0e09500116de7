"""inspect: signatures of functions and classes, files, callers."""
import collections
import os
import sys

FullArgSpec = collections.namedtuple(
    'FullArgSpec', 'args varargs varkw defaults kwonlyargs kwonlydefaults annotations')
ArgSpec = collections.namedtuple('ArgSpec', 'args varargs keywords defaults')


class _Empty(object):
    def __repr__(self):
        return "<class 'inspect._empty'>"


_empty = _Empty()


class _Source(object):
    """A default value of which only the source text is known."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


class Parameter(object):
    POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD, VAR_POSITIONAL, KEYWORD_ONLY, VAR_KEYWORD = range(5)
    empty = _empty

    def __init__(self, name, kind, default=_empty):
        self.name = name
        self.kind = kind
        self.default = default
        self.annotation = _empty

    def __str__(self):
        star = {self.VAR_POSITIONAL: '*', self.VAR_KEYWORD: '**'}.get(self.kind, '')
        return star + self.name + ('' if self.default is _empty else '=' + repr(self.default))

    def __repr__(self):
        return '<Parameter "%s">' % self


class Signature(object):
    empty = _empty

    def __init__(self, parameters=(), return_annotation=_empty):
        self.parameters = collections.OrderedDict((p.name, p) for p in parameters)
        self.return_annotation = return_annotation

    def __str__(self):
        parts, starred, before = [], False, None
        for p in self.parameters.values():
            if before == Parameter.POSITIONAL_ONLY and p.kind != before:
                parts.append('/')
            before = p.kind
            if p.kind == Parameter.VAR_POSITIONAL:
                starred = True
            if p.kind == Parameter.KEYWORD_ONLY and not starred:
                parts.append('*')
                starred = True
            parts.append(str(p))
        if before == Parameter.POSITIONAL_ONLY:
            parts.append('/')
        return '(' + ', '.join(parts) + ')'

    def __repr__(self):
        return '<Signature %s>' % self


_WORDS = {'None': None, 'True': True, 'False': False}


def _literal(text):
    if text in _WORDS:
        return _WORDS[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    if len(text) > 1 and text[0] == text[-1] and text[0] in '\'"' and '\\' not in text:
        return text[1:-1]
    return _Source(text)


def _pieces(text):
    """Splits the text at commas outside brackets and strings."""
    piece, depth, quote = '', 0, None
    for c in text:
        if quote:
            quote = None if c == quote else quote
        elif c in '\'"':
            quote = c
        elif c in '([{':
            depth += 1
        elif c in ')]}':
            depth -= 1
        elif c == ',' and depth == 0:
            yield piece.strip()
            piece = ''
            continue
        piece += c
    if piece.strip():
        yield piece.strip()


def _of_text(text):
    parameters, kind = [], Parameter.POSITIONAL_OR_KEYWORD
    for piece in _pieces(text[1:-1]):
        if piece == '/':
            for p in parameters:
                p.kind = Parameter.POSITIONAL_ONLY
        elif piece == '*':
            kind = Parameter.KEYWORD_ONLY
        elif piece.startswith('**'):
            parameters.append(Parameter(piece[2:], Parameter.VAR_KEYWORD))
        elif piece.startswith('*'):
            parameters.append(Parameter(piece[1:], Parameter.VAR_POSITIONAL))
            kind = Parameter.KEYWORD_ONLY
        else:
            name, equals, default = piece.partition('=')
            parameters.append(Parameter(name, kind, _literal(default) if equals else _empty))
    return parameters


def _of_function(f):
    code, parameters = f.__code__, []
    names, count = code.co_varnames, code.co_argcount
    defaults = f.__defaults__ or ()
    for i in range(count):
        at = i - (count - len(defaults))
        kind = Parameter.POSITIONAL_ONLY if i < code.co_posonlyargcount else Parameter.POSITIONAL_OR_KEYWORD
        parameters.append(Parameter(names[i], kind, defaults[at] if at >= 0 else _empty))
    after = count + code.co_kwonlyargcount
    if code.co_flags & 4:
        parameters.append(Parameter(names[after], Parameter.VAR_POSITIONAL))
    given = f.__kwdefaults__ or {}
    for name in names[count:after]:
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, given.get(name, _empty)))
    if code.co_flags & 8:
        parameters.append(Parameter(names[after + (1 if code.co_flags & 4 else 0)], Parameter.VAR_KEYWORD))
    return parameters


def _parameters(f):
    if hasattr(f, '__wrapped__'):
        return _parameters(f.__wrapped__)
    if isinstance(f, type):
        if hasattr(f.__dict__.get('__new__'), '__code__'):
            return _of_function(f.__dict__['__new__'])[1:]
        if isinstance(getattr(f, '_fields', None), tuple):
            return [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in f._fields]
        if hasattr(f.__init__, '__code__'):
            return _of_function(f.__init__)[1:]
        text = f.__text_signature__
        for base in f.__mro__:
            text = text or base.__text_signature__
        return _of_text(text or '()')
    if hasattr(f, '__self__') and hasattr(f, '__func__'):
        inner = _parameters(f.__func__)
        return inner[1:] if hasattr(f.__func__, '__code__') else inner
    if hasattr(f, '__code__'):
        return _of_function(f)
    if getattr(f, '__text_signature__', None):
        return _of_text(f.__text_signature__)
    if hasattr(type(f), '__call__') and hasattr(type(f).__call__, '__code__'):
        return _of_function(type(f).__call__)[1:]
    raise TypeError('%r is not a callable object' % (f,))


def signature(obj):
    return Signature(_parameters(obj))


def getfullargspec(func):
    kinds = {}
    for p in _parameters(func):
        kinds.setdefault(p.kind, []).append(p)
    plain = kinds.get(Parameter.POSITIONAL_ONLY, []) + kinds.get(Parameter.POSITIONAL_OR_KEYWORD, [])
    only = kinds.get(Parameter.KEYWORD_ONLY, [])
    defaults = tuple(p.default for p in plain if p.default is not _empty)
    one = lambda kind: kinds[kind][0].name if kind in kinds else None
    return FullArgSpec([p.name for p in plain], one(Parameter.VAR_POSITIONAL), one(Parameter.VAR_KEYWORD), defaults or None,
                       [p.name for p in only], {p.name: p.default for p in only if p.default is not _empty} or None, {})


def getargspec(func):
    spec = getfullargspec(func)
    return ArgSpec(spec.args, spec.varargs, spec.varkw, spec.defaults)


def isclass(object):
    return isinstance(object, type)


def isfunction(object):
    return type(object).__name__ == 'function'


def ismethod(object):
    return type(object).__name__ == 'method'


def isbuiltin(object):
    return type(object).__name__ == 'builtin_function_or_method'


def ismodule(object):
    return type(object).__name__ == 'module'


def isgenerator(object):
    return type(object).__name__ == 'generator'


def isgeneratorfunction(object):
    return isfunction(object) and bool(object.__code__.co_flags & 32)


def getmembers(object, predicate=None):
    found = [(name, getattr(object, name)) for name in sorted(set(dir(object))) if hasattr(object, name)]
    return [pair for pair in found if predicate is None or predicate(pair[1])]


def getdoc(object):
    doc = object.__doc__
    if not doc:
        return None
    lines = doc.expandtabs().split('\n')
    margins = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    margin = min(margins) if margins else 0
    lines = [lines[0].lstrip()] + [line[margin:] for line in lines[1:]]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return '\n'.join(lines)


# ---- files and callers ----

FrameInfo = collections.namedtuple('FrameInfo', 'frame filename lineno function code_context index')


def isframe(object):
    return type(object).__name__ == 'frame'


def iscode(object):
    return type(object).__name__ == 'code'


def isroutine(object):
    return isfunction(object) or ismethod(object) or isbuiltin(object)


def currentframe():
    return sys._getframe()


def stack(context=1):
    """Returns the calls from that of the caller outwards."""
    found, frame = [], sys._getframe()
    while frame is not None:
        found.append(FrameInfo(frame, frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name, None, None))
        frame = frame.f_back
    return found


def getmodule(object):
    return object if ismodule(object) else sys.modules.get(getattr(object, '__module__', None))


def getfile(object):
    """Returns the file that defines the object."""
    if ismodule(object) or isclass(object):
        file = getattr(getmodule(object), '__file__', None)
        if file:
            return file
        raise TypeError('%r is a built-in %s' % (object, 'module' if ismodule(object) else 'class'))
    object = object.__func__ if ismethod(object) else object
    code = object.f_code if isframe(object) else getattr(object, '__code__', object)
    if iscode(code):
        return code.co_filename
    raise TypeError('module, class, method, function, traceback, frame, or code object was expected, got %s' %
                    type(object).__name__)


getsourcefile = getfile


def getabsfile(object):
    return os.path.abspath(getfile(object))
