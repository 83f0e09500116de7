class M(type):
    def __new__(m, name, bases, d, **k):
        c = super().__new__(m, name, bases, d)
        c.made = sorted(x for x in d if not x.startswith('__')); return c
    def __init__(cls, name, bases, d, **k):
        super().__init__(name, bases, d)
        cls.k = k
    def __iter__(cls): return iter(cls.made)
    def __len__(cls): return 7
    def __getitem__(cls, k): return k
    def __contains__(cls, k): return k in cls.made
    def __repr__(cls): return '<M %s>' % cls.__name__
    def hello(cls): return 'hello ' + cls.__name__
    @property
    def prop(cls): return 'P'
class A(metaclass=M, x=3):
    b = 1
    a = 2
    def f(self): return type(self)
class B(A): pass
print(A, list(A), len(A), A['x'], 'a' in A, A.k, A.hello(), type(A), type(B), isinstance(A, type), isinstance(A, M), B().f(), A.prop)
print(repr(B), B.made, [A, B], {A: 1}[A])
class Singleton(type):
    _instances = {}
    def __call__(cls, *args, **kwargs):
        if cls not in cls._instances:
            cls._instances[cls] = super(Singleton, cls).__call__(*args, **kwargs)
        return cls._instances[cls]
class S(metaclass=Singleton):
    def __init__(self, v, w=2): self.v = v; self.w = w
a = S(1, w=5); b = S(2)
print(a is b, a.v, b.w)
class Base:
    def __init_subclass__(cls, tag=None, **k): cls.tag = tag
class D(Base, tag='x'): pass
print(D.tag)
try:
    class E(A, metaclass=Singleton): pass
except TypeError as e: print(e)
try:
    class F(object, q=1): pass
except TypeError as e: print(e)
T = type('T', (A,), {'z': 1})
print(T, type(T), T.z, T().b)
print(type('U', (), {})().__class__.__name__, type(3), type.__name__)
def meta(name, bases, d): return (name, bases, sorted(k for k in d if k[0] != '_'))
class G(metaclass=meta):
    q = 1
print(G)
print(A.__class__, M.__mro__, type(M), issubclass(M, type))
class R(type):
    registry = {}
    def __init__(cls, name, bases, attrs):
        type.__init__(cls, name, bases, attrs)
        R.registry[name] = cls
class X(metaclass=R): pass
class Y(X): pass
print(sorted(R.registry))
M2 = type('M2', (type,), {'hi': lambda cls: cls.__name__})
Z = M2('Z', (object,), {'q': 1})
print(Z.hi(), Z.q, Z().__class__, Z.mro())
print(B.__class__, int.__class__, A().__class__)

import abc


class Model(metaclass=abc.ABCMeta):
    @abc.abstractmethod
    def forward(self, x):
        pass

    @property
    @abc.abstractmethod
    def name(self):
        pass

    def run(self, x):
        return self.name, self.forward(x)


class Half(Model):
    def forward(self, x):
        return x + 1


class Whole(Half):
    name = 'whole'


for c in (Model, Half, Whole):
    try:
        print(c().run(2))
    except TypeError as e:
        print(e)
print(sorted(Model.__abstractmethods__), type(Whole), isinstance(Whole(), abc.ABC))


class Old(abc.ABC):
    @abc.abstractproperty
    def p(self):
        pass


try:
    Old()
except TypeError as e:
    print(e)


class Numbered(type):
    def __call__(cls, *args):
        made = super().__call__(*args)
        cls.count = getattr(cls, 'count', 0) + 1
        return made

    def __instancecheck__(cls, value):
        return value == 7

    def __subclasscheck__(cls, other):
        return other is int


class N(metaclass=Numbered):
    pass


N(), N()
print(N.count, isinstance(7, N), isinstance(8, (str, N)), issubclass(int, N), issubclass(str, N), callable(N), callable(N()))
__import__('math')
print(__import__('os.path').__name__, __import__('math').floor(2.5))
import importlib
import builtins
print(importlib.import_module('os.path').join('a', 'b'), builtins.len([1, 2]), builtins.ValueError is ValueError)
import collections.abc as cabc
print([isinstance(v, cabc.Iterable) for v in ([], 3, 'a', {}, iter([]), object())],
      [isinstance(v, cabc.Mapping) for v in ({}, [])], isinstance([], cabc.Sequence), isinstance(3, cabc.Hashable),
      isinstance([], cabc.Hashable), isinstance(len, cabc.Callable), isinstance({1}, cabc.Set), isinstance([], cabc.Sized))
import numbers
print(isinstance(3, numbers.Integral), isinstance(3.5, numbers.Integral), isinstance(3.5, numbers.Real), isinstance(1j, numbers.Number))


class Keyed(dict):
    def __iter__(self):
        return iter(['k'])

    def keys(self):
        return ['a']


k = Keyed(a=1, k=2)
print(dict(k), {**k}, list(k))
for v, spec in ((2, '\x00'), ('a', '5\x00'), (65, '4c')):
    try:
        print(repr(format(v, spec)))
    except ValueError as e:
        print(e)
try:
    type(int)[-1][-1]
except TypeError as e:
    print(e)
