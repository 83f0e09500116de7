// Statements: control flow, try, with, assert, import, del, and the exceptions they raise.
#include "tests/unit/shell/python/rows.h"

namespace tensh::shell {
namespace {

TEST(Flow, Loops) {
  CheckRows({
      {"for i in range(5):\n  if i == 3: break\nelse: print('no')\ni", "3"},
      {"for i in []: pass\nelse: print('empty')", "empty\n"},
      {"n = 3\nwhile n:\n  n -= 1\n  if n == 1: continue\n  print(n)\nelse: print('done')",
       "2\n0\ndone\n"},
      {"for i, (a, *b) in enumerate([(1, 2, 3), 'xy']): print(i, a, b)", "0 1 [2, 3]\n1 x ['y']\n"},
      {"for x.y in []: pass\nd = {}\nfor d['k'] in range(3): pass\nd", "{'k': 2}"},
      {"for i in range(3):\n  for j in range(3):\n    if j == 1: break\n  else: print('never')\n  "
       "print(i, j)",
       "0 1\n1 1\n2 1\n"},
      {"def f():\n  for i in range(3):\n    try:\n      if i == 1: continue\n      if i == 2: "
       "return 'r'\n    finally: print('f', i)\nf()",
       "f 0\nf 1\nf 2\n'r'"},
      {"while True:\n  try: break\n  finally: print('out')", "out\n"},
      {"for i in range(2):\n  try: 1/0\n  except ZeroDivisionError: continue\n  finally: "
       "print('c', i)",
       "c 0\nc 1\n"},
      {"if 0: print(1)\nelif []: print(2)\nelif 'a': print(3)\nelse: print(4)", "3\n"},
      {"x = 5; 0 < x < 10, 0 < x > 3 < 4", "(True, True)"},
      {"x = 5; 1 < 2 == 2 != 3 is not None", "True"},
      {"x = 5; not x == 5, x if x > 3 else 0", "(False, 5)"},
      {"x = 5; 1 or 1/0, 0 and 1/0", "(1, 0)"},
      {"def t(v): print(v, end=' '); return v\nt(1) < t(3) < t(2) < t(9)", "1 3 2 False"},
      {"def t(v): print(v, end=' '); return v\n[t(1), t(2)][t(0)] + t(3) * t(4)", "1 2 0 3 4 13"},
      {"def t(v): print(v, end=' '); return v\nd = {}; d[t('k')] = t('v'); a = {t(1): t(2)}",
       "v k 1 2 "},
      {"a = b = c = []; a is b is c, a == b", "(True, True)"},
      {"a = b = c = []; a is not []", "True"},
      {"def f(): pass\nf(); (); [pass_ for pass_ in 'x']", "['x']"},
      {"x = 1; x -= 3; x *= 5; x **= 2; x //= 3; x %= 7; x <<= 3; x >>= 1; x |= 1; x ^= 3; x &= "
       "14; x /= 4; x",
       "1.5"},
      {"pass; ...; 5; 'a'", "'a'"},
      {"x: int = 5; x", "5"},
  });
}

TEST(Try, Clauses) {
  CheckRows({
      {"try: 1/0\nexcept ValueError: print('v')\nexcept ZeroDivisionError: print('z')\nelse: "
       "print('e')\nfinally: print('f')",
       "z\nf\n"},
      {"try: pass\nexcept: print('x')\nelse: print('else')\nfinally: print('fin')", "else\nfin\n"},
      {"try: {}['k']\nexcept (IndexError, KeyError) as e: print(type(e).__name__, e, e.args, "
       "repr(e))",
       "KeyError 'k' ('k',) KeyError('k')\n"},
      {"try: [][0]\nexcept LookupError as e: print(e)", "list index out of range\n"},
      {"try: raise ValueError\nexcept ValueError as e: print(repr(e), e.args, str(e) == '')",
       "ValueError() () True\n"},
      {"try: raise ValueError('a', 1)\nexcept ValueError as e: print(e, repr(e), e.args)",
       "('a', 1) ValueError('a', 1) ('a', 1)\n"},
      {"def f():\n  try: return 1\n  finally: return 2\nf()", "2"},
      {"def f():\n  try: raise ValueError\n  finally: return 'swallowed'\nf()", "'swallowed'"},
      {"def f():\n  try: return 'try'\n  finally: print('finally')\nf()", "finally\n'try'"},
      {"def f():\n  for i in range(3):\n    try: return i\n    finally: continue\nf()", "None"},
      {"try:\n  try: 1/0\n  finally: print('inner')\nexcept ArithmeticError as e: print('outer', "
       "e)",
       "inner\nouter division by zero\n"},
      {"try:\n  try: 1/0\n  except ZeroDivisionError: raise\nexcept Exception as e: print('again', "
       "e)",
       "again division by zero\n"},
      {"try:\n  try: 1/0\n  except ZeroDivisionError as e: raise KeyError('k') from e\nexcept "
       "KeyError as e: print(repr(e.__cause__), repr(e.__context__), e.__suppress_context__)",
       "ZeroDivisionError('division by zero') ZeroDivisionError('division by zero') True\n"},
      {"try:\n  try: 1/0\n  except ZeroDivisionError: {}['x']\nexcept KeyError as e: "
       "print(repr(e.__context__), e.__cause__)",
       "ZeroDivisionError('division by zero') None\n"},
      {"try:\n  try: 1/0\n  except ZeroDivisionError: raise KeyError from None\nexcept KeyError as "
       "e: print(e.__suppress_context__, repr(e.__context__))",
       "True ZeroDivisionError('division by zero')\n"},
      {"try: 1/0\nexcept Exception as e: pass\ne", "NameError: name 'e' is not defined"},
      {"import sys\ntry: 1/0\nexcept: print(sys.exc_info()[0].__name__)\nsys.exc_info()",
       "ZeroDivisionError\n(None, None, None)"},
      {"raise", "RuntimeError: No active exception to reraise"},
      {"raise 5", "TypeError: exceptions must derive from BaseException"},
      {"raise ValueError from 5", "TypeError: exception causes must derive from BaseException"},
      {"raise int", "TypeError: exceptions must derive from BaseException"},
      {"raise ValueError, 'x'", "SyntaxError: invalid syntax"},
      {"try: 1/0\nexcept 5: pass",
       "TypeError: catching classes that do not inherit from BaseException is not allowed"},
      {"try: 1/0\nexcept (ValueError, 'a'): pass",
       "TypeError: catching classes that do not inherit from BaseException is not allowed"},
      {"class E(Exception): pass\nraise E", "E: "},
      {"class E(Exception):\n  def __init__(self, a, b): super().__init__(a); self.b = b\n  def "
       "__str__(self): return 'E:%s:%s' % (self.args[0], self.b)\nraise E(1, 2)",
       "E: E:1:2"},
      {"class E(ValueError): pass\ntry: raise E('m')\nexcept ValueError as e: print(repr(e), "
       "isinstance(e, E), E.__mro__[1:3])",
       "E('m') True (<class 'ValueError'>, <class 'Exception'>)\n"},
      {"assert 1 == 1, 'no'; assert (), 'yes'", "AssertionError: yes"},
      {"assert 1 > 2", "AssertionError: "},
      {"assert [], [1, 2]", "AssertionError: [1, 2]"},
      {"try: raise KeyError('a\\nb')\nexcept KeyError as e: print(str(e), repr(e))",
       "'a\\nb' KeyError('a\\nb')\n"},
      {"e = ValueError('x'); e.note = 5; e.note", "5"},
      {"e = ValueError('x'); e.note = 5; e == ValueError('x')", "False"},
      {"e = ValueError('x'); e.note = 5; e.with_traceback(None) is e", "True"},
      {"e = ValueError('x'); e.note = 5; BaseException('a', 'b').args", "('a', 'b')"},
      {"e = ValueError('x'); e.note = 5; Exception().args", "()"},
      {"StopIteration(5).value, SystemExit(3).code", "(5, 3)"},
      {"KeyError('k').args", "('k',)"},
      {"OSError(2, 'No such').errno", "2"},
      {"str(OSError(2, 'No such'))", "'[Errno 2] No such'"},
      {"UnicodeError('u').args", "('u',)"},
      {"str(OSError(2, 'm', 'file'))", "\"[Errno 2] m: 'file'\""},
      {"issubclass(KeyError, LookupError)", "True"},
      {"issubclass(ZeroDivisionError, ArithmeticError)", "True"},
      {"issubclass(NotImplementedError, RuntimeError)", "True"},
      {"issubclass(KeyboardInterrupt, Exception)", "False"},
      {"issubclass(FileNotFoundError, OSError)", "True"},
      {"IOError is OSError", "True"},
      {"issubclass(UnicodeDecodeError, ValueError)", "True"},
      {"issubclass(RecursionError, RuntimeError)", "True"},
      {"issubclass(ModuleNotFoundError, ImportError)", "True"},
      {"issubclass(IndentationError, SyntaxError)", "True"},
      {"issubclass(BrokenPipeError, ConnectionError)", "True"},
  });
}

TEST(With, Statement) {
  CheckRows({
      {"class C:\n  def __init__(s, n, eat=False): s.n, s.eat = n, eat\n  def __enter__(s): "
       "print('in', s.n); return s.n\n  def __exit__(s, t, v, tb): print('out', s.n, t and "
       "t.__name__); return s.eat\nwith C(1) as a, C(2) as b: print(a, b)",
       "in 1\nin 2\n1 2\nout 2 None\nout 1 None\n"},
      {"class C:\n  def __enter__(s): return s\n  def __exit__(s, *a): return True\nwith C(): "
       "1/0\nprint('after')",
       "after\n"},
      {"class C:\n  def __enter__(s): pass\n  def __exit__(s, t, v, tb): print(t.__name__, v); "
       "return False\nwith C(): [].pop()",
       "IndexError pop from empty list\nIndexError: pop from empty list"},
      {"class C:\n  def __enter__(s): pass\n  def __exit__(s, *a): print('exit', a)\ndef f():\n  "
       "with C(): return 5\nf()",
       "exit (None, None, None)\n5"},
      {"class C:\n  def __enter__(s): pass\n  def __exit__(s, *a): print('x')\nfor i in "
       "range(2):\n  with C(): continue",
       "x\nx\n"},
      {"class C:\n  def __enter__(s): return 1, [2]\n  def __exit__(s, *a): pass\nwith C() as (a, "
       "[b]): print(a, b)",
       "1 2\n"},
      {"class C:\n  def __enter__(s): pass\n  def __exit__(s, *a): pass\nwith (C() as a, C() as "
       "b): print('paren')",
       "paren\n"},
      {"with 5: pass", "TypeError: 'int' object does not support the context manager protocol"},
      {"class C:\n  def __enter__(s): pass\nwith C(): pass",
       "TypeError: 'C' object does not support the context manager protocol (missed __exit__ "
       "method)"},
      {"import contextlib\n@contextlib.contextmanager\ndef m(x):\n  print('a'); yield x; "
       "print('z')\nwith m(3) as v: print(v)",
       "a\n3\nz\n"},
      {"import contextlib\nwith contextlib.suppress(ZeroDivisionError): 1/0\nprint('ok')", "ok\n"},
  });
}

TEST(Import, Forms) {
  CheckRows({
      {"import math; import math as m; from math import pi, sqrt as s; m is math, pi == m.pi, s(4)",
       "(True, True, 2.0)"},
      {"from math import *; floor(2.5)", "2"},
      {"import os.path; os.path.join('a', 'b')", "'a/b'"},
      {"import collections.abc as c; c.__name__", "'collections.abc'"},
      {"import nope_not_here", "ModuleNotFoundError: No module named 'nope_not_here'"},
      {"from nope import x", "ModuleNotFoundError: No module named 'nope'"},
      {"math.pi", "NameError: name 'math' is not defined"},
  });
}

TEST(Del, Forms) {
  CheckRows({
      {"a = [1, 2, 3]; d = {'k': 1}; del a[0], d['k']; a, d", "([2, 3], {})"},
      {"a = b = 1; del (a, b)\na", "NameError: name 'a' is not defined"},
      {"class A: pass\nx = A(); x.v = 1; del x.v\nx.v",
       "AttributeError: 'A' object has no attribute 'v'"},
      {"class A: pass\ndel A().v", "AttributeError: 'A' object has no attribute 'v'"},
      {"a = [1]; del a; a = 2; a", "2"},
  });
}

TEST(Builtins, Misc) {
  CheckRows({
      {"isinstance(1, (str, int))", "True"},
      {"isinstance([], list), isinstance(1, ())", "(True, False)"},
      {"issubclass(bool, (int, str)), callable(len)", "(True, True)"},
      {"callable(5), type(5) is int, type('a')('b')", "(False, True, 'b')"},
      {"hasattr(5, 'real'), getattr(5, 'nope', 'd')", "(True, 'd')"},
      {"getattr(5, 'imag'), id(None) == id(None)", "(0, True)"},
      {"isinstance(1, 5)",
       "TypeError: isinstance() arg 2 must be a type, a tuple of types, or a union"},
      {"isinstance(1, (int, 5))", "True"},
      {"issubclass(1, int)", "TypeError: issubclass() arg 1 must be a class"},
      {"getattr(5, 'nope')", "AttributeError: 'int' object has no attribute 'nope'"},
      {"dir([])[-3:], 'append' in dir([])", "(['remove', 'reverse', 'sort'], True)"},
      {"sorted(vars(type('A', (), {'q': 1})))[-1:]", "['q']"},
      {"[n for n in dir(type('A', (), {'q': 1})()) if n[0] != '_']", "['q']"},
      {"vars(5)", "TypeError: vars() argument must have __dict__ attribute"},
      {"repr(len), repr(print), str(int), repr(type)",
       "('<built-in function len>', '<built-in function print>', \"<class 'int'>\", \"<class "
       "'type'>\")"},
      {"repr(type(len))", "\"<class 'builtin_function_or_method'>\""},
      {"list(map(int, '123'))", "[1, 2, 3]"},
      {"list(zip('ab', [1, 2], (3, 4)))", "[('a', 1, 3), ('b', 2, 4)]"},
      {"sorted([3, 1, 2], key=lambda x: -x)", "[3, 2, 1]"},
      {"list(reversed((1, 2)))", "[2, 1]"},
      {"[bool(x) for x in (0, 0.0, '', [], (), {}, None, 'a', [0])]",
       "[False, False, False, False, False, False, False, True, True]"},
      {"list(iter('ab'))", "['a', 'b']"},
      {"reversed(5)", "TypeError: 'int' object is not reversible"},
      {"reversed({1})", "TypeError: 'set' object is not reversible"},
      {"list(reversed({1: 2}))", "[1]"},
      {"map(5)", "TypeError: map() must have at least two arguments."},
      {"list(map(5, [1]))", "TypeError: 'int' object is not callable"},
      {"zip(5)", "TypeError: 'int' object is not iterable"},
      {"enumerate(5)", "TypeError: 'int' object is not iterable"},
      {"filter(None)", "TypeError: filter expected 2 arguments, got 1"},
      {"input(1, 2)", "TypeError: input expected at most 1 argument, got 2"},
      {"str(object())[:18], object() == object()", "('<object object at ', False)"},
      {"hash(object()) == hash(1), object.__name__", "(False, 'object')"},
  });
}

}  // namespace
}  // namespace tensh::shell
