"""six: names that work in Python 2 and 3."""
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


def with_metaclass(meta, *bases):
    """Returns a base class whose subclasses use the metaclass."""
    return meta('temporary_class', bases or (object,), {})


def add_metaclass(metaclass):
    def remake(cls):
        return metaclass(cls.__name__, cls.__bases__, dict(cls.__dict__))
    return remake


def python_2_unicode_compatible(cls):
    return cls


def b(s):
    return s.encode('latin-1')


def u(s):
    return s
