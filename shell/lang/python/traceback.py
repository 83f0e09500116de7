"""traceback: errors as text, in Python's form."""
import collections
import sys as _sys

_Frame = collections.namedtuple('FrameSummary', 'filename lineno name line')


class FrameSummary(_Frame):
    def __repr__(self):
        return '<FrameSummary file %s, line %s in %s>' % (self.filename, self.lineno, self.name)


def _carets(entry):
    """The marks under a line; '' where they would be under all of it."""
    file, line, name, text, column, end_line, end_column = entry
    text = text.rstrip('\r\n')
    begin = len(text) - len(text.lstrip())
    end = end_column - 1 if end_line == line else len(text.rstrip())
    first = column - 1
    if first < begin or end <= first:
        return ''
    at, size = _anchor(text[first:end]) if end_line == line else (0, 0)
    if not size and first == begin and end == len(text.rstrip()):
        return ''
    marks = '~' * at + '^' * size + '~' * (end - first - at - size) if size else '^' * (end - first)
    return '    ' + ' ' * (first - begin) + marks + '\n'


_BINARY = [('|',), ('^',), ('&',), ('<<', '>>'), ('+', '-'), ('*', '/', '//', '%', '@'), ('**',)]
_WORDS = ('and', 'or', 'not', 'if', 'else', 'lambda', 'in', 'is', 'for', 'await', 'yield')


def _tokens(text):
    """[(token, where)] outside of brackets and strings; a bracket and what is in it are one token, of its kind."""
    out, i, n = [], 0, len(text)
    while i < n:
        c, begin = text[i], i
        if c in '([{':
            depth = 0
            while i < n:
                depth += (text[i] in '([{') - (text[i] in ')]}')
                i += 1
                if depth == 0:
                    break
            out.append((c, begin, i))
        elif c in '\'"':
            i += 1
            while i < n and text[i] != c:
                i += 2 if text[i] == '\\' else 1
            i += 1
            out.append(('name', begin, i))
        elif c.isalnum() or c == '_' or c == '.':
            while i < n and (text[i].isalnum() or text[i] in '_.' or
                             text[i] in '+-' and text[i - 1] in 'eE' and text[begin].isdigit()):
                i += 1
            word = text[begin:i]
            out.append((word if word in _WORDS else 'name', begin, i))
        elif c.isspace():
            i += 1
        else:
            i += 2 if text[i:i + 2] in ('**', '//', '<<', '>>', '==', '!=', '<=', '>=', ':=') else 1
            out.append((text[begin:i], begin, i))
    return out


def _anchor(text):
    """(where, length) of what Python marks in an expression: its operator, or its index."""
    tokens = _tokens(text)
    if not tokens or any(t in _WORDS or t in ('==', '!=', '<=', '>=', '<', '>', '=', ':=', ',') for t, _, _ in tokens):
        return 0, 0
    operators = []
    for i, (t, begin, end) in enumerate(tokens):
        before = tokens[i - 1][0] if i else ''
        if any(t in level for level in _BINARY) and before not in ('',) and (before == 'name' or before in '([{'):
            operators.append((t, begin, end))
    for level in _BINARY:
        found = [o for o in operators if o[0] in level]
        if found:
            t, begin, end = found[0] if level == ('**',) else found[-1]
            return begin, end - begin
    if len(tokens) > 1 and tokens[-1][0] == '[' and tokens[0][0] not in ('-', '+', '~'):
        return tokens[-1][1], tokens[-1][2] - tokens[-1][1]
    return 0, 0


def _entry_lines(entry):
    file, line, name, text = entry[:4]
    out = '  File "%s", line %d, in %s\n' % (file, line, name)
    if text.strip():
        out += '    ' + text.strip() + '\n' + _carets(entry)
    return out


def _entries(tb, limit=None):
    entries = tb._entries if tb is not None else []
    if limit is None:
        return entries
    return entries[:limit] if limit >= 0 else entries[limit:]


def format_tb(tb, limit=None):
    return [_entry_lines(e) for e in _entries(tb, limit)]


def extract_tb(tb, limit=None):
    out = []
    for e in _entries(tb, limit):
        out.append(FrameSummary(e[0], e[1], e[2], e[3].strip()))
        out[-1]._entry = e
    return out


def format_list(extracted_list):
    return [_entry_lines(f._entry) if isinstance(f, FrameSummary) and hasattr(f, '_entry') else
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
    return [_name(type(value)) + (': ' + text if text else '') + '\n']


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
