"""pprint: printing of long values over several lines."""


def _order(items):
    try:
        return sorted(items)
    except TypeError:
        return sorted(items, key=lambda v: (str(type(v)), id(v)))


def _repr(value):
    """Returns repr with the keys of dictionaries sorted at every level."""
    kind = type(value)
    if kind is dict:
        return '{%s}' % ', '.join('%s: %s' % (_repr(k), _repr(value[k])) for k in _order(value))
    if kind is list:
        return '[%s]' % ', '.join(map(_repr, value))
    if kind is tuple:
        return '(%s%s)' % (', '.join(map(_repr, value)), ',' if len(value) == 1 else '')
    return repr(value)


def _lines(value, width, indent, level):
    text = _repr(value)
    if len(text) <= width or not isinstance(value, (list, tuple, dict, set)) or not value:
        return text
    opening, closing = {list: '[]', tuple: '()', dict: '{}', set: '{}'}[type(value)]
    pad = ' ' * (level + indent)
    if isinstance(value, dict):
        parts = []
        for k in _order(value):
            key = repr(k) + ': '
            parts.append(key + _lines(value[k], width - len(key) - indent, indent, level + indent + len(key)))
    else:
        items = _order(value) if isinstance(value, set) else value
        parts = [_lines(v, width - indent, indent, level + indent) for v in items]
    tail = ',' if isinstance(value, tuple) and len(value) == 1 else ''
    return opening + ' ' * (indent - 1) + (',\n' + pad).join(parts) + tail + closing


def pformat(object, indent=1, width=80, depth=None):
    return _lines(object, width, indent, 0)


def pprint(object, stream=None, indent=1, width=80, depth=None):
    print(pformat(object, indent, width))


pp = pprint


class PrettyPrinter(object):
    def __init__(self, indent=1, width=80, depth=None, stream=None):
        self._indent, self._width = indent, width

    def pprint(self, object):
        pprint(object, None, self._indent, self._width)

    def pformat(self, object):
        return pformat(object, self._indent, self._width)
