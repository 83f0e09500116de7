class A(object):
    count = 0
    def __init__(self, v=1, *a, **k): self.v = v; A.count += 1
    def __add__(self, o): return A(self.v + (o.v if isinstance(o, A) else o))
    __radd__ = __add__
    def __eq__(self, o): return isinstance(o, A) and self.v == o.v
    def __hash__(self): return hash(self.v)
    def __lt__(self, o): return self.v < o.v
    def __repr__(self): return f'A({self.v})'
    def __len__(self): return self.v
    def __getitem__(self, i):
        if i >= self.v: raise IndexError(i)
        return i * 10
    def __contains__(self, x): return x == self.v
    def __call__(self, *a, **k): return a, k
    def __iter__(self): return iter(range(self.v))
    def __bool__(self): return self.v > 0
    @property
    def double(self): return self.v * 2
    @double.setter
    def double(self, x): self.v = x // 2
    @staticmethod
    def st(x): return x + 1
    @classmethod
    def make(cls, x): return cls(x)
a = A(3)
print(a + 1, 1 + a, a + a, a == A(3), a != A(3), a < A(4), sorted([A(3), A(1)]), len(a), a[2], list(a), 3 in a, a(1, x=2), a.double, A.st(1), A.make(7), bool(A(0)))
a.double = 20; print(a, A.count, sum([A(1), A(2)], A(0)))
class B(A):
    def __init__(self, v):
        super().__init__(v)
        self.w = 5
    def __repr__(self): return 'B' + super(B, self).__repr__()
    def __getattr__(self, n):
        if n.startswith('z'): return n
        raise AttributeError(n)
b = B(2); print(b, b.w, b.zed, hasattr(b, 'q'), isinstance(b, A), issubclass(B, A), B.__mro__, type(b).__name__, B.__name__, b.__class__)
try: b.nope
except AttributeError as e: print('AE', e)
try: A().foo
except AttributeError as e: print('AE', e)
class C:
    def __enter__(self): print('enter'); return self
    def __exit__(self, t, v, tb): print('exit', t.__name__ if t else None, v); return t is ValueError
with C() as c: print('in')
with C(): raise ValueError('x')
try:
    with C(): raise KeyError('k')
except KeyError as e: print('KE', e)
class MyErr(Exception):
    def __init__(self, msg, code): super().__init__(msg); self.code = code
try: raise MyErr('bad', 3)
except MyErr as e: print(e, e.code, repr(e), e.args)
class E2(ValueError): pass
try: raise E2('q')
except ValueError as e: print(type(e), e)
class L(list):
    def total(self): return sum(self)
l = L([1,2,3]); l.append(4); print(l, l.total(), len(l), isinstance(l, list), l[1:])
class D(dict):
    def __missing__(self, k): return k * 2
    def __setitem__(self, k, v): super().__setitem__(k, v + 1)
d = D(); d['a'] = 1; print(d, d['zz'], d.get('q'))
class M1:
    def f(self): return 'M1'
class M2:
    def f(self): return 'M2' 
class M(M1, M2):
    def f(self): return 'M' + super().f() + M2.f(self)
print(M().f(), [k.__name__ for k in M.__mro__])
class Meta:
    x = [i for i in range(3)]
    y = sum(x)
    def g(self): return [self.y * i for i in self.x]
print(Meta.x, Meta.y, Meta().g())
class It:
    def __init__(self): self.i = 0
    def __iter__(self): return self
    def __next__(self):
        self.i += 1
        if self.i > 3: raise StopIteration
        return self.i
print(list(It()), sum(It()), max(It()), *It())
class Cnt:
    n = 0
    def __new__(cls, *a):
        o = object.__new__(cls); cls.n += 1; return o
Cnt(); Cnt(); print(Cnt.n)
class Cmp:
    def __init__(self, v): self.v = v
    def __le__(self, o): return self.v <= o.v
    def __ge__(self, o): return self.v >= o.v
print(Cmp(1) <= Cmp(2), Cmp(1) >= Cmp(2))
try: Cmp(1) < Cmp(2)
except TypeError as e: print(e)
class S:
    __slots__ = ('a',)
    def __init__(self): self.a = 1
    def __str__(self): return 'S!'
print(S(), '%s' % S(), '{}'.format(S()), f'{S()}', [S().a])
class F:
    def __format__(self, s): return 'F<' + s + '>'
print(f'{F():abc}', '{:x}'.format(F()), format(F(), 'q'))
class Outer:
    class Inner:
        z = 4
    def m(self):
        class Local: k = Outer.Inner.z
        return Local().k
print(Outer().m(), Outer.Inner.z)
def deco(c): c.tag = 'T'; return c
@deco
class T: pass
print(T.tag, T().tag)
a.new = 5; print(vars(a), a.__dict__); del a.new; print(hasattr(a, 'new')); setattr(a, 'k', 2); print(getattr(a, 'k'), getattr(a, 'j', 'dflt'))
X = type('X', (A,), {'y': 3}); print(X(2).y, X)
class Desc:
    def __get__(self, o, t): return 'got'
    def __set__(self, o, v): print('set', v)
class UD: d = Desc()
u = UD(); print(u.d); u.d = 3
class Abs:
    def run(self): raise NotImplementedError
try: Abs().run()
except NotImplementedError as e: print('NI', repr(e))
class V:
    def __init__(s, x, y): s.x, s.y = x, y
    def __mul__(s, k): return V(s.x*k, s.y*k)
    def __rmul__(s, k): return s * k
    def __sub__(s, o): return V(s.x-o.x, s.y-o.y)
    def __neg__(s): return V(-s.x, -s.y)
    def __abs__(s): return (s.x**2+s.y**2)**.5
    def __iadd__(s, o): s.x += o.x; return s
    def __repr__(s): return 'V(%r, %r)' % (s.x, s.y)
    def __float__(s): return 1.5
    def __int__(s): return 7
    def __index__(s): return 2
v = V(3, 4); w = v; w += V(1, 1); print(2 * v * 2, v - V(1,1), -v, abs(V(3,4)), v is w, float(v), int(v), [1,2,3][v], range(10)[v])
try: A(1,2) + 'x' ; V(1,2) + 3
except TypeError as e: print(e)
try: V(1)
except TypeError as e: print(e)
try: Cmp()
except TypeError as e: print(e)
try: object().x = 3
except AttributeError as e: print(e)
