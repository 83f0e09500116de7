"""operator: the operators as functions."""


def add(a, b):
    return a + b


def sub(a, b):
    return a - b


def mul(a, b):
    return a * b


def truediv(a, b):
    return a / b


def floordiv(a, b):
    return a // b


def mod(a, b):
    return a % b


def pow(a, b):
    return a ** b


def matmul(a, b):
    return a @ b


def neg(a):
    return -a


def pos(a):
    return +a


def abs(a):
    return a if a >= 0 else -a


def and_(a, b):
    return a & b


def or_(a, b):
    return a | b


def xor(a, b):
    return a ^ b


def invert(a):
    return ~a


def not_(a):
    return not a


def truth(a):
    return bool(a)


def eq(a, b):
    return a == b


def ne(a, b):
    return a != b


def lt(a, b):
    return a < b


def le(a, b):
    return a <= b


def gt(a, b):
    return a > b


def ge(a, b):
    return a >= b


def is_(a, b):
    return a is b


def is_not(a, b):
    return a is not b


def contains(a, b):
    return b in a


def concat(a, b):
    return a + b


def getitem(a, b):
    return a[b]


def setitem(a, b, c):
    a[b] = c


def delitem(a, b):
    del a[b]


def itemgetter(*items):
    if len(items) == 1:
        return lambda x: x[items[0]]
    return lambda x: tuple(x[i] for i in items)


def _follow(x, path):
    for name in path.split('.'):
        x = getattr(x, name)
    return x


def attrgetter(*names):
    if len(names) == 1:
        return lambda x: _follow(x, names[0])
    return lambda x: tuple(_follow(x, n) for n in names)


def methodcaller(name, *args, **kwargs):
    return lambda x: getattr(x, name)(*args, **kwargs)


def index(a):
    if not hasattr(a, '__index__'):
        raise TypeError("'%s' object cannot be interpreted as an integer" % type(a).__name__)
    return a.__index__()
