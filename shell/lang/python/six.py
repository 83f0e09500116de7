"""six: names for both Pythons."""
PY2, PY3 = False, True
string_types, integer_types, text_type, binary_type = (str,), (int,), str, bytes


def iteritems(d):
    return iter(d.items())


def iterkeys(d):
    return iter(d.keys())


def itervalues(d):
    return iter(d.values())


def ensure_str(s, encoding='utf-8', errors='strict'):
    return s.decode(encoding) if isinstance(s, bytes) else s
