"""traceback: errors as text in Python's form."""
import collections
import sys as _sys

_Frame = collections.namedtuple('FrameSummary', 'filename lineno name line')


class FrameSummary(_Frame):
    def __repr__(self):
        return '<FrameSummary file %s, line %s in %s>' % (self.filename, self.lineno, self.name)


def _entries(tb, limit=None):
    entries = tb._entries if tb is not None else []
    if limit is None:
        return entries
    return entries[:limit] if limit >= 0 else entries[limit:]


def format_tb(tb, limit=None):
    return [e[-1] for e in _entries(tb, limit)]


def extract_tb(tb, limit=None):
    out = []
    for e in _entries(tb, limit):
        out.append(FrameSummary(e[0], e[1], e[2], e[3].strip()))
        out[-1]._entry = e
    return out


def format_list(extracted_list):
    return [f._entry[-1] if isinstance(f, FrameSummary) and hasattr(f, '_entry') else
            '  File "%s", line %d, in %s\n%s' % (f[0], f[1], f[2], '    %s\n' % f[3].strip() if f[3] else '')
            for f in extracted_list]


def print_tb(tb, limit=None, file=None):
    _write(''.join(format_tb(tb, limit)), file)


def _name(kind):
    module = kind.__module__
    return kind.__qualname__ if module in ('builtins', '__main__') else '%s.%s' % (module, kind.__qualname__)


def format_exception_only(exc, /, value=None):
    value = exc if value is None else value
    text = str(value)
    return [_name(type(value)) + (': ' + text if text else '') + '\n'] + [n + '\n' for n in getattr(value, '__notes__', [])]


def format_exception(exc, /, value=None, tb=None, limit=None, chain=True):
    value = exc if value is None or not isinstance(value, BaseException) else value
    if value is None or isinstance(value, type):
        return ['NoneType: None\n']
    out = []
    if chain and value.__cause__ is not None:
        out += format_exception(value.__cause__)
        out.append('\nThe above exception was the direct cause of the following exception:\n\n')
    elif chain and value.__context__ is not None and not value.__suppress_context__:
        out += format_exception(value.__context__)
        out.append('\nDuring handling of the above exception, another exception occurred:\n\n')
    frames = format_tb(value.__traceback__, limit)
    if frames:
        out += ['Traceback (most recent call last):\n'] + frames
    return out + format_exception_only(value)


def print_exception(exc, /, value=None, tb=None, limit=None, file=None, chain=True):
    _write(''.join(format_exception(exc, value, tb, limit, chain)), file)


def format_exc(limit=None, chain=True):
    return ''.join(format_exception(_sys.exc_info()[1], None, None, limit, chain))


def print_exc(limit=None, file=None, chain=True):
    _write(format_exc(limit, chain), file)


def _write(text, file):
    (_sys.stderr if file is None else file).write(text)
