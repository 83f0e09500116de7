// Classes: attributes, inheritance, method resolution, operators, descriptors, metaclasses.
#include "tests/unit/shell/python/rows.h"

namespace tensh::shell {
namespace {

TEST(Classes, Attributes) {
  CheckRows({
      {"class A:\n  x = 1\n  def __init__(self): self.y = 2\na = A(); b = A(); a.x = 5; A.x = 9; "
       "a.x, b.x, a.y, A.__name__, a.__class__ is A, a.__dict__, A.__dict__['x'], vars(a) is "
       "a.__dict__",
       "(5, 9, 2, 'A', True, {'y': 2, 'x': 5}, 9, True)"},
      {"class A: pass\na = A(); setattr(a, 'b c', 1); getattr(a, 'b c'), hasattr(a, 'd'), "
       "delattr(a, 'b c'), a.__dict__",
       "(1, False, None, {})"},
      {"class A:\n  'doc'\n  def m(self): 'mdoc'\nA.__doc__, A.m.__doc__", "('doc', 'mdoc')"},
      {"class A:\n  'doc'\n  def m(self): 'mdoc'\nA.__module__", "'__main__'"},
      {"class A:\n  'doc'\n  def m(self): 'mdoc'\nA.m.__qualname__", "'A.m'"},
      {"class A:\n  'doc'\n  def m(self): 'mdoc'\nA().m.__func__ is A.m", "True"},
      {"class A:\n  'doc'\n  def m(self): 'mdoc'\nA().m.__self__.__class__ is A", "True"},
      {"class A:\n  'doc'\n  def m(self): 'mdoc'\nA.m.__name__", "'m'"},
      {"class A: pass\nA().x", "AttributeError: 'A' object has no attribute 'x'"},
      {"class A: pass\nA.x", "AttributeError: type object 'A' has no attribute 'x'"},
      {"class A:\n  __slots__ = ('a',)\n  def m(s): s.a = 1; return s.a\nA().m()", "1"},
      {"class A:\n  def __getattr__(self, n): return 'no ' + n\na = A(); a.x = 1; a.x, a.y, "
       "getattr(a, 'z')",
       "(1, 'no y', 'no z')"},
      {"class A:\n  def __setattr__(self, n, v): object.__setattr__(self, n, v * 2)\na = A(); a.x "
       "= 2; a.x",
       "4"},
      {"class A:\n  def __delattr__(self, n): print('del', n)\ndel A().q", "del q\n"},
      {"class A:\n  def __getattr__(self, n): raise AttributeError('mine ' + n)\nA().x",
       "AttributeError: mine x"},
      {"class A:\n  def __init__(self): return 5\nA()",
       "TypeError: __init__() should return None, not 'int'"},
      {"class A:\n  def __new__(cls, x): o = super().__new__(cls); o.x = x; return o\nA(3).x", "3"},
      {"class A:\n  def __new__(cls, *a): return 'str'\nA(1)", "'str'"},
      {"class A:\n  def __call__(self, *a, **k): return a, k\nA()(1, b=2), callable(A())",
       "(((1,), {'b': 2}), True)"},
      {"class A: pass\nA()()", "TypeError: 'A' object is not callable"},
  });
}

TEST(Classes, Inheritance) {
  CheckRows({
      {"class A:\n  def m(self): return 'A'\nclass B(A):\n  def m(self): return 'B' + "
       "super().m()\nclass C(A):\n  def m(self): return 'C' + super().m()\nclass D(B, C):\n  def "
       "m(self): return 'D' + super().m()\nD().m(), [c.__name__ for c in D.__mro__], D.mro()[1] is "
       "B, D.__bases__ == (B, C), issubclass(D, A), super(B, D()).m(), isinstance(D(), C)",
       "('DBCA', ['D', 'B', 'C', 'A', 'object'], True, True, True, 'CA', True)"},
      {"class A: pass\nclass B(A): pass\nclass C(A, B): pass",
       "TypeError: Cannot create a consistent method resolution\norder (MRO) for bases A, B"},
      {"class A(int, str): pass", "TypeError: multiple bases have instance lay-out conflict"},
      {"class A(bool): pass", "TypeError: type 'bool' is not an acceptable base type"},
      {"class A: pass\nclass B(A, A): pass", "TypeError: duplicate base class A"},
      {"class A:\n  def __init__(self, x): self.x = x\nclass B(A):\n  def __init__(self): "
       "super().__init__(5); A.__init__(self, self.x + 1)\nB().x",
       "6"},
      {"class A:\n  def f(self): return super().nope\nA().f()",
       "AttributeError: 'super' object has no attribute 'nope'"},
      {"class A:\n  @classmethod\n  def c(cls, x): return cls.__name__, x\n  @staticmethod\n  def "
       "s(x): return x\nclass B(A): pass\nB.c(1), B().c(2), A.s(3), A().s(4), B.s(5)",
       "(('B', 1), ('B', 2), 3, 4, 5)"},
      {"class A:\n  def __init_subclass__(cls, tag=None, **k): cls.tag = tag\nclass B(A, tag='t'): "
       "pass\nclass C(A): pass\nB.tag, C.tag",
       "('t', None)"},
      {"class L(list):\n  def total(self): return sum(self)\nl = L([1, 2]); l.append(3); "
       "l.total(), l, len(l), isinstance(l, list), l[1:], type(l[1:]).__name__, l + [1], L('ab')",
       "(6, [1, 2, 3], 3, True, [2, 3], 'list', [1, 2, 3, 1], ['a', 'b'])"},
      {"class D(dict):\n  def __getitem__(self, k): return 'D' + str(dict.get(self, k))\nd = "
       "D(a=1); d['a'], d.get('a'), d, {**d}, '%(a)s' % d",
       "('D1', 1, {'a': 1}, {'a': 1}, 'D1')"},
      {"class I(int):\n  def __add__(self, o): return I(int(self) * 10 + o)\ni = I(3); i + 4, i * "
       "2, type(i + 1).__name__, type(i * 2).__name__, i == 3, hash(i) == 3, [0, 1, 2, 'x'][i], "
       "f'{i:>4}', I('7')",
       "(34, 6, 'I', 'int', True, True, 'x', '   3', 7)"},
      {"class F(float): pass\nF('1.5') + 1", "2.5"},
      {"class F(float): pass\nrepr(F(2))", "'2.0'"},
      {"class F(float): pass\ntype(F(1) + 1).__name__", "'float'"},
      {"class F(float): pass\nF(1.5).is_integer()", "False"},
      {"class T(tuple):\n  def __new__(cls, a, b): return super().__new__(cls, (a, b))\nT(1, 2), "
       "T(1, 2)[0], T(1, 2) == (1, 2), len(T(1, 2)), {T(1, 2): 'k'}[(1, 2)]",
       "((1, 2), 1, True, 2, 'k')"},
      {"class E(Exception):\n  code = 7\n  def __init__(self, x): self.x = x\ntry: raise "
       "E('a')\nexcept E as e: print(e.x, e.code, e.args, str(e))",
       "a 7 ('a',) a\n"},
      {"object().__eq__(1)", "NotImplemented"},
      {"type('X', (object,), {'a': 1}).a", "1"},
      {"type('Y', (int,), {})(5) + 1", "6"},
      {"type('Z', (), {}).__name__", "'Z'"},
      {"type('X')() if 0 else type(5)", "<class 'int'>"},
      {"type.__call__(int, '5'), type(type)", "(5, <class 'type'>)"},
      {"type(1, 2)", "TypeError: type() takes 1 or 3 arguments"},
      {"type('X', 5, {})", "TypeError: type.__new__() argument 2 must be tuple, not int"},
  });
}

TEST(Classes, Operators) {
  CheckRows({
      {"class V:\n  def __init__(s, v): s.v = v\n  def __add__(s, o): return ('add', s.v, o)\n  "
       "def __radd__(s, o): return ('radd', s.v, o)\n  def __iadd__(s, o): s.v += o; return s\n  "
       "def __neg__(s): return -s.v\n  def __matmul__(s, o): return '@'\n  def __rsub__(s, o): "
       "return 'rsub'\na = V(3); b = a; b += 4; V(1) + 2, 2 + V(1), -a, a is b, a.v, V(1) @ 2, 5 - "
       "V(1), sum([V(1)])",
       "(('add', 1, 2), ('radd', 1, 2), -7, True, 7, '@', 'rsub', ('radd', 1, 0))"},
      {"class V:\n  def __eq__(s, o): return 'eq'\n  def __lt__(s, o): return 'lt'\n  def "
       "__le__(s, o): return NotImplemented\n  def __gt__(s, o): return 'gt'\nV() == 1, V() != 1, "
       "V() < 1, 1 < V(), 1 > V(), [V()] == [5]",
       "('eq', False, 'lt', 'gt', 'lt', True)"},
      {"class V:\n  def __le__(s, o): return NotImplemented\nV() <= 1",
       "TypeError: '<=' not supported between instances of 'V' and 'int'"},
      {"class V:\n  def __add__(s, o): return NotImplemented\nV() + 1",
       "TypeError: unsupported operand type(s) for +: 'V' and 'int'"},
      {"class A:\n  def __add__(s, o): return 'A'\nclass B(A):\n  def __radd__(s, o): return "
       "'B'\nA() + B(), B() + A(), A() + A()",
       "('B', 'A', 'A')"},
      {"class V:\n  def __bool__(s): return False\n  def __len__(s): return 5\nbool(V()), "
       "len(V()), not V(), 1 if V() else 2, V() and 1 or 2",
       "(False, 5, True, 2, 2)"},
      {"class V:\n  def __len__(s): return 0\nbool(V()), [] == V()", "(False, False)"},
      {"class V:\n  def __bool__(s): return 1\nbool(V())",
       "TypeError: __bool__ should return bool, returned int"},
      {"class V:\n  def __len__(s): return -1\nlen(V())",
       "ValueError: __len__() should return >= 0"},
      {"class V:\n  def __len__(s): return 'a'\nlen(V())",
       "TypeError: 'str' object cannot be interpreted as an integer"},
      {"class V:\n  def __getitem__(s, k): return k\n  def __setitem__(s, k, v): print('set', k, "
       "v)\n  def __delitem__(s, k): print('del', k)\n  def __contains__(s, k): return k == 3\nv = "
       "V(); v[1:2] = 3; del v[0]; v['k'], v[1, 2], 3 in v, 4 in v",
       "set slice(1, 2, None) 3\ndel 0\n('k', (1, 2), True, False)"},
      {"class V:\n  def __hash__(s): return 7\n  def __eq__(s, o): return True\n  def __repr__(s): "
       "return 'V'\n{V(): 1, V(): 2}, hash(V()), V() in [1], {V()} == {V()}, [V()].index(5)",
       "({V: 2}, 7, True, True, 0)"},
      {"class V:\n  def __hash__(s): return 'a'\nhash(V())",
       "TypeError: __hash__ method should return an integer"},
      {"class V:\n  def __repr__(s): return 5\nrepr(V())",
       "TypeError: __repr__ returned non-string (type int)"},
      {"class V:\n  def __str__(s): return 5\nstr(V())",
       "TypeError: __str__ returned non-string (type int)"},
      {"class V:\n  def __repr__(s): return 'R'\nstr(V()), f'{V()}'", "('R', 'R')"},
      {"class V:\n  def __repr__(s): return 'R'\n[V()], '%s' % V()", "([R], 'R')"},
      {"class V:\n  def __repr__(s): return 'R'\n{1: V()}", "{1: R}"},
      {"class V:\n  def __str__(s): return 'S'\nstr(V()), '%s' % V()", "('S', 'S')"},
      {"class V:\n  def __str__(s): return 'S'\nf'{V()!s}'", "'S'"},
      {"class V:\n  def __str__(s): return 'S'\nrepr(V())[:24]", "'<__main__.V object at 0x'"},
      {"class V:\n  def __int__(s): return 5\n  def __float__(s): return 2.5\n  def __index__(s): "
       "return 3\n  def __round__(s, n=None): return ('r', n)\n  def __abs__(s): return 'abs'\n  "
       "def __invert__(s): return 'inv'\n  def __pos__(s): return 'pos'\nint(V()), float(V()), [0, "
       "1, 2, 9][V()], round(V()), round(V(), 2), abs(V()), ~V(), +V(), bin(V()), 'a' * V(), "
       "range(V())",
       "(5, 2.5, 9, ('r', None), ('r', 2), 'abs', 'inv', 'pos', '0b11', 'aaa', range(0, 3))"},
      {"class V:\n  def __divmod__(s, o): return 'dm'\n  def __pow__(s, o): return ('pow', o)\n  "
       "def __rpow__(s, o): return 'rpow'\n  def __floordiv__(s, o): return '//'\n  def __mod__(s, "
       "o): return '%'\n  def __lshift__(s, o): return '<<'\n  def __and__(s, o): return '&'\n  "
       "def __ror__(s, o): return 'ror'\n  def __rtruediv__(s, o): return 'rdiv'\nv = V(); "
       "divmod(v, 1), v ** 2, 2 ** v, v // 1, v % 1, v << 1, v & 1, 1 | v, 1 / v",
       "('dm', ('pow', 2), 'rpow', '//', '%', '<<', '&', 'ror', 'rdiv')"},
      {"class V:\n  def __imul__(s, o): return 'imul'\nv = V(); v *= 2; v", "'imul'"},
      {"class V:\n  def __reversed__(s): return iter('zy')\nlist(reversed(V()))", "['z', 'y']"},
      {"class V:\n  def __missing__(s, k): return k\nV()['x']",
       "TypeError: 'V' object is not subscriptable"},
      {"class V:\n  def __class_getitem__(cls, k): return k\nV[int, 3]", "(<class 'int'>, 3)"},
      {"class V: pass\nV() + V()", "TypeError: unsupported operand type(s) for +: 'V' and 'V'"},
      {"class V: pass\nV() < V()", "TypeError: '<' not supported between instances of 'V' and 'V'"},
      {"class V: pass\n-V()", "TypeError: bad operand type for unary -: 'V'"},
      {"class V: pass\nV()[0]", "TypeError: 'V' object is not subscriptable"},
      {"class V: pass\nlen(V())", "TypeError: object of type 'V' has no len()"},
      {"class V: pass\nfor x in V(): pass", "TypeError: 'V' object is not iterable"},
      {"class V: pass\nwith V(): pass",
       "TypeError: 'V' object does not support the context manager protocol"},
  });
}

TEST(Classes, Descriptors) {
  CheckRows({
      {"class A:\n  @property\n  def x(self): return self._x\n  @x.setter\n  def x(self, v): "
       "self._x = v * 2\n  @x.deleter\n  def x(self): print('gone')\na = A(); a.x = 4; print(a.x); "
       "del a.x; isinstance(A.x, property)",
       "8\ngone\nTrue"},
      {"class A:\n  @property\n  def x(self): return 1\nA().x = 2",
       "AttributeError: property 'x' of 'A' object has no setter"},
      {"class A:\n  @property\n  def x(self): return 1\ndel A().x",
       "AttributeError: property 'x' of 'A' object has no deleter"},
      {"class D:\n  def __get__(s, o, t): return ('get', o is None, t.__name__)\n  def __set__(s, "
       "o, v): print('set', v)\n  def __set_name__(s, o, n): print('named', o.__name__, n)\nclass "
       "A: d = D()\na = A(); a.d = 1; a.d, A.d",
       "named A d\nset 1\n(('get', False, 'A'), ('get', True, 'A'))"},
      {"class D:\n  def __get__(s, o, t): return 'class'\nclass A: d = D()\na = A(); "
       "a.__dict__['d'] = 'own'; a.d",
       "'own'"},
      {"class A:\n  f = len\n  g = lambda self: 'g'\nA().f([1, 2]), A().g()", "(2, 'g')"},
      {"def deco(f): return lambda *a: ('deco', f(*a))\n@deco\ndef f(x): return x\nf(1)",
       "('deco', 1)"},
      {"def d(n): return lambda f: lambda: (n, f())\n@d(1)\n@d(2)\ndef f(): return 0\nf()",
       "(1, (2, 0))"},
      {"def add(cls): cls.added = 1; return cls\n@add\nclass A: pass\nA.added", "1"},
      {"class M(type):\n  def __new__(m, n, b, d): d['made'] = n; return super().__new__(m, n, b, "
       "d)\n  def __call__(cls, *a): return ('called', super().__call__(*a).__class__.__name__)\n  "
       "def __len__(cls): return 3\nclass A(metaclass=M): pass\nA.made, A(), type(A).__name__, "
       "len(A), isinstance(A, M)",
       "('A', ('called', 'A'), 'M', 3, True)"},
      {"import abc\nclass A(abc.ABC):\n  @abc.abstractmethod\n  def m(self): pass\nA()",
       "TypeError: Can't instantiate abstract class A with abstract method m"},
      {"import abc\nclass A(abc.ABC):\n  @abc.abstractmethod\n  def m(self): pass\nclass B(A):\n  "
       "def m(self): return 1\nB().m()",
       "1"},
      {"import enum\nclass C(enum.Enum):\n  RED = 1\n  BLUE = 2\nC.RED, C(2), C['RED']",
       "(<C.RED: 1>, <C.BLUE: 2>, <C.RED: 1>)"},
      {"import enum\nclass C(enum.Enum):\n  RED = 1\n  BLUE = 2\n[c.name for c in C]",
       "['RED', 'BLUE']"},
      {"import enum\nclass C(enum.Enum):\n  RED = 1\n  BLUE = 2\nC.RED == 1", "False"},
      {"import enum\nclass C(enum.Enum):\n  RED = 1\n  BLUE = 2\nC.RED is C(1)", "True"},
      {"import enum\nclass C(enum.Enum):\n  RED = 1\n  BLUE = 2\nrepr(C.BLUE)", "'<C.BLUE: 2>'"},
      {"import enum\nclass C(enum.Enum):\n  RED = 1\n  BLUE = 2\nstr(C.RED)", "'C.RED'"},
  });
}

}  // namespace
}  // namespace tensh::shell
