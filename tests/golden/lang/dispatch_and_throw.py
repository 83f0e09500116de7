# functools' orderings, cached properties and dispatch by class; exceptions thrown into generators.
import functools
import operator


@functools.total_ordering
class Version(object):
    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        return self.n == other.n

    def __lt__(self, other):
        return self.n < other.n


print(Version(1) <= Version(2), Version(2) > Version(1), Version(1) >= Version(1), Version(3) <= Version(2), [v.n for v in sorted([Version(2), Version(1)])])


class Lazy(object):
    @functools.cached_property
    def value(self):
        print('computed')
        return 42


lazy = Lazy()
print(lazy.value, lazy.value, lazy.__dict__)


@functools.singledispatch
def describe(v):
    return 'something'


@describe.register(int)
def _(v):
    return 'a number'


@describe.register(list)
def _(v):
    return 'a list of ' + describe(v[0])


print(describe(3), describe([True]), describe('x'), describe.dispatch(float) is describe.dispatch(str), operator.index(True))


def inner():
    try:
        got = yield 1
        print('got', got)
        yield 2
    except ValueError as e:
        print('inner caught', e)
        yield 'after'
    finally:
        print('inner finally')
    return 'value'


def outer():
    try:
        print('result', (yield from inner()))
    except KeyError as e:
        print('outer caught', e)
    yield 'end'


g = outer()
print(next(g), g.throw(ValueError('v')), next(g), list(g))
g = outer()
print(next(g), g.throw(KeyError('k')), list(g))
g = outer()
print(next(g), g.send('s'))
g.close()
g = outer()
g.close()
print(list(g))
g = inner()
try:
    g.throw(ValueError('early'))
except ValueError as e:
    print('nothing handled', e)
for wrong in (lambda: ''.find(), lambda: 'a'.partition(0), lambda: operator.index('a'), lambda: functools.total_ordering(Lazy)):
    try:
        wrong()
    except (TypeError, ValueError) as e:
        print(e)


class Named(object):
    def __getattr__(self, name):
        return name * 2 if len(name) < 4 else object.__getattribute__(self, name)


named = Named()
print(named.ab, getattr(named, 'longer', 'none'), hasattr(named, 'long'))
g = inner()
print(next(g), next(g))
try:
    next(g)
except StopIteration as e:
    print('returned', e.value, e.args)
print('%s' % type(lazy), Lazy.value.attrname)
