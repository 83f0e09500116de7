// Calls, arguments, scopes, closures, comprehensions and generators.
#include "tests/unit/shell/python/rows.h"

namespace tensh::shell {
namespace {

TEST(Calls, BindsArguments) {
  CheckRows({
      {"def f(a, b=2, *c, d, e=5, **g): return a, b, c, d, e, g\nf(1, d=4)",
       "(1, 2, (), 4, 5, {})"},
      {"def f(a, b=2, *c, d, e=5, **g): return a, b, c, d, e, g\nf(1, 2, 3, 4, d=0, z=9)",
       "(1, 2, (3, 4), 0, 5, {'z': 9})"},
      {"def f(a, b=2, *c, d, e=5, **g): return a, b, c, d, e, g\nf(*[1, 2], **{'d': 3})",
       "(1, 2, (), 3, 5, {})"},
      {"def f(a, b=2, *c, d, e=5, **g): return a, b, c, d, e, g\nf(d=1, a=2)",
       "(2, 2, (), 1, 5, {})"},
      {"def f(a, b=2, *c, d, e=5, **g): return a, b, c, d, e, g\nf(1, *(), d=2, **{})",
       "(1, 2, (), 2, 5, {})"},
      {"def f(a, b=2, *c, d, e=5, **g): return a, b, c, d, e, g\nf(*'ab', *'c', d=1, **{'x': 1}, "
       "**{'y': 2})",
       "('a', 'b', ('c',), 1, 5, {'x': 1, 'y': 2})"},
      {"def f(a, /, b, *, c): return a, b, c\nf(1, 2, c=3), f(1, b=2, c=3)",
       "((1, 2, 3), (1, 2, 3))"},
      {"def f(a, /, **k): return a, k\nf(1, a=2)", "(1, {'a': 2})"},
      {"def f(*, a=1): return a\nf(), f(a=2)", "(1, 2)"},
      {"f = lambda a, b=2, *c, **d: (a, b, c, d)\nf(1), f(1, 2, 3, k=4)",
       "((1, 2, (), {}), (1, 2, (3,), {'k': 4}))"},
      {"f = lambda a, b=2, *c, **d: (a, b, c, d)\n(lambda: 7)()", "7"},
      {"f = lambda a, b=2, *c, **d: (a, b, c, d)\n(lambda *a: a)(1, 2)", "(1, 2)"},
      {"def f(x=[]): x.append(1); return x\nf(), f(), f([5])", "([1, 1], [1, 1], [5, 1])"},
      {"x = 1\ndef f(y=x): return y\nx = 2\nf()", "1"},
      {"def f(a, b): return a - b\nf(b=1, a=5)", "4"},
      {"def f(a, b): return a - b\nf(*{'a': 0, 'b': 0} and (3, 1))", "2"},
      {"def f(a, b): return a - b\nf(**{'b': 1, 'a': 2})", "1"},
      {"print(1, 2, sep='-', end='!\\n'); print(*'abc'); print(); print('a', sep=''); print(None, "
       "[1], end='')",
       "1-2!\na b c\n\na\nNone [1]"},
      {"def f():\n  'doc'\nf.__doc__, f.attr if hasattr(f, 'attr') else setattr(f, 'attr', 3) or "
       "f.attr",
       "('doc', 3)"},
  });
}

TEST(Calls, RefusesArguments) {
  CheckRows({
      {"def f(a): pass\nf()", "TypeError: f() missing 1 required positional argument: 'a'"},
      {"def f(a, b): pass\nf()",
       "TypeError: f() missing 2 required positional arguments: 'a' and 'b'"},
      {"def f(a, b, c): pass\nf()",
       "TypeError: f() missing 3 required positional arguments: 'a', 'b', and 'c'"},
      {"def f(a, b=1): pass\nf(1, 2, 3)",
       "TypeError: f() takes from 1 to 2 positional arguments but 3 were given"},
      {"def f(): pass\nf(1)", "TypeError: f() takes 0 positional arguments but 1 was given"},
      {"def f(a): pass\nf(1, 2)", "TypeError: f() takes 1 positional argument but 2 were given"},
      {"def f(*, a): pass\nf()", "TypeError: f() missing 1 required keyword-only argument: 'a'"},
      {"def f(*, a, b): pass\nf()",
       "TypeError: f() missing 2 required keyword-only arguments: 'a' and 'b'"},
      {"def f(*, a): pass\nf(1, a=2)",
       "TypeError: f() takes 0 positional arguments but 1 positional argument (and 1 keyword-only "
       "argument) were given"},
      {"def f(a): pass\nf(1, a=2)", "TypeError: f() got multiple values for argument 'a'"},
      {"def f(a): pass\nf(b=1)", "TypeError: f() got an unexpected keyword argument 'b'"},
      {"def f(a, /): pass\nf(a=1)",
       "TypeError: f() got some positional-only arguments passed as keyword arguments: 'a'"},
      {"def f(a): pass\nf(**{'a': 1}, **{'a': 2})",
       "TypeError: __main__.f() got multiple values for keyword argument 'a'"},
      {"def f(**k): pass\nf(**{1: 2})", "TypeError: keywords must be strings"},
      {"def f(**k): pass\nf(x=1, **{'x': 2})",
       "TypeError: __main__.f() got multiple values for keyword argument 'x'"},
      {"def f(a, *b): pass\nf(*5)",
       "TypeError: __main__.f() argument after * must be an iterable, not int"},
      {"class A:\n  def m(self, x): pass\nA().m()",
       "TypeError: A.m() missing 1 required positional argument: 'x'"},
      {"class A:\n  def m(self): pass\nA().m(1)",
       "TypeError: A.m() takes 1 positional argument but 2 were given"},
      {"class A:\n  def m(): pass\nA().m()",
       "TypeError: A.m() takes 0 positional arguments but 1 was given"},
      {"class A:\n  def __init__(self, x): pass\nA()",
       "TypeError: A.__init__() missing 1 required positional argument: 'x'"},
      {"class A: pass\nA(1)", "TypeError: A() takes no arguments"},
      {"len()", "TypeError: len() takes exactly one argument (0 given)"},
      {"len(1, 2)", "TypeError: len() takes exactly one argument (2 given)"},
      {"len(5)", "TypeError: object of type 'int' has no len()"},
      {"isinstance(1)", "TypeError: isinstance expected 2 arguments, got 1"},
      {"(lambda x: x)()", "TypeError: <lambda>() missing 1 required positional argument: 'x'"},
  });
}

TEST(Scopes, Names) {
  CheckRows({
      {"x = 1\ndef f():\n  global x\n  x = 2\nf(); x", "2"},
      {"def f():\n  x = 1\n  def g():\n    nonlocal x\n    x += 1\n    return x\n  return g(), "
       "g(), x\nf()",
       "(2, 3, 3)"},
      {"x = 'global'\ndef f():\n  def g(): return x\n  x = 'local'\n  return g()\nf()", "'local'"},
      {"x = 1\ndef f():\n  print(x)\n  x = 2\nf()",
       "UnboundLocalError: cannot access local variable 'x' where it is not associated with a "
       "value"},
      {"def f():\n  del x\n  x = 1\nf()",
       "UnboundLocalError: cannot access local variable 'x' where it is not associated with a "
       "value"},
      {"def f():\n  x = 1\n  del x\n  return x\nf()",
       "UnboundLocalError: cannot access local variable 'x' where it is not associated with a "
       "value"},
      {"def f():\n  def g(): return y\n  if 0: y = 1\n  return g()\nf()",
       "NameError: cannot access free variable 'y' where it is not associated with a value in "
       "enclosing scope"},
      {"del nope", "NameError: name 'nope' is not defined"},
      {"x = 1\ndel x\nx", "NameError: name 'x' is not defined"},
      {"x = 5\nclass A:\n  x = x + 1\n  y = [x for _ in range(2)]\n  def m(self): return x\nA.x, "
       "A.y, A().m()",
       "(6, [5, 5], 5)"},
      {"class A:\n  a = 1\n  b = [a for _ in range(1)] if 0 else a\n  c = [i for i in "
       "range(a)]\nA.b, A.c",
       "(1, [0])"},
      {"class A:\n  a = 1\n  b = [a for _ in range(1)]", "NameError: name 'a' is not defined"},
      {"fs = [lambda: i for i in range(3)]; [f() for f in fs], [f() for f in [lambda i=i: i for i "
       "in range(3)]]",
       "([2, 2, 2], [0, 1, 2])"},
      {"def f(n): return lambda: (n, [n for _ in range(n)])\nf(2)()", "(2, [2, 2])"},
      {"x = 9; [x for x in range(3)], x", "([0, 1, 2], 9)"},
      {"x = 9; {x: x for x in 'a'}, x", "({'a': 'a'}, 9)"},
      {"[y := 5, y ** 2], y", "([5, 25], 5)"},
      {"if (n := len('abc')) > 2: print(n)", "3\n"},
      {"def f(): return [z := i for i in range(3)], z\nf()", "([0, 1, 2], 2)"},
      {"def outer():\n  a = 1\n  class B:\n    b = a\n    def m(self): return a + self.b\n  return "
       "B().m()\nouter()",
       "2"},
      {"def f(a):\n  def g(): return a\n  a += 1\n  return g()\nf(1)", "2"},
      {"list = 5; list", "5"},
      {"len = lambda x: 'mine'; len([])", "'mine'"},
      {"def f(x):\n  for x in range(2): pass\n  return x\nf('a')", "1"},
      {"def f():\n  try: 1/0\n  except ZeroDivisionError as e: pass\n  return e\nf()",
       "UnboundLocalError: cannot access local variable 'e' where it is not associated with a "
       "value"},
  });
}

TEST(Scopes, Refused) {
  CheckRows({
      {"def f():\n  x = 1\n  global x",
       "SyntaxError: name 'x' is assigned to before global declaration"},
      {"def f():\n  nonlocal q", "SyntaxError: no binding for nonlocal 'q' found"},
      {"nonlocal x", "SyntaxError: nonlocal declaration not allowed at module level"},
      {"def f(x):\n  global x", "SyntaxError: name 'x' is parameter and global"},
      {"def f(x, x): pass", "SyntaxError: duplicate argument 'x' in function definition"},
      {"def f(a=1, b): pass", "SyntaxError: non-default argument follows default argument"},
      {"def f(*): pass", "SyntaxError: named arguments must follow bare *"},
      {"f(a=1, 2)", "SyntaxError: positional argument follows keyword argument"},
      {"f(**a, *b)", "SyntaxError: iterable argument unpacking follows keyword argument unpacking"},
      {"f(a=1, a=2)", "SyntaxError: keyword argument repeated: a"},
      {"def f(**k, a): pass", "SyntaxError: arguments cannot follow var-keyword argument"},
      {"def f(*a, *b): pass", "SyntaxError: * argument may appear only once"},
      {"break", "SyntaxError: 'break' outside loop"},
      {"continue", "SyntaxError: 'continue' not properly in loop"},
      {"return", "SyntaxError: 'return' outside function"},
      {"yield 1", "SyntaxError: 'yield' outside function"},
      {"def f(): break", "SyntaxError: 'break' outside loop"},
      {"for i in []:\n  def g(): continue", "SyntaxError: 'continue' not properly in loop"},
      {"1 = x", "SyntaxError: cannot assign to literal here. Maybe you meant '==' instead of '='?"},
      {"f() = 1",
       "SyntaxError: cannot assign to function call here. Maybe you meant '==' instead of '='?"},
      {"x + 1 = 2",
       "SyntaxError: cannot assign to expression here. Maybe you meant '==' instead of '='?"},
      {"None = 1", "SyntaxError: cannot assign to None"},
      {"def None(): pass", "SyntaxError: invalid syntax"},
      {"x += y += 1", "SyntaxError: invalid syntax"},
      {"del f()", "SyntaxError: cannot delete function call"},
      {"del 1", "SyntaxError: cannot delete literal"},
      {"for 1 in x: pass", "SyntaxError: cannot assign to literal"},
      {"a, b += 1", "SyntaxError: 'tuple' is an illegal expression for augmented assignment"},
      {"*a = 1", "SyntaxError: starred assignment target must be in a list or tuple"},
      {"*a, *b = 1", "SyntaxError: multiple starred expressions in assignment"},
      {"(x := 1) = 2",
       "SyntaxError: cannot assign to named expression here. Maybe you meant '==' instead of '='?"},
      {"import a.b as c.d", "SyntaxError: invalid syntax"},
      {"from x import", "SyntaxError: invalid syntax"},
      {"class A: return 1", "SyntaxError: 'return' outside function"},
      {"'a' = 1",
       "SyntaxError: cannot assign to literal here. Maybe you meant '==' instead of '='?"},
      {"with open() as 5: pass", "SyntaxError: cannot assign to literal"},
  });
}

TEST(Comprehensions, Nest) {
  CheckRows({
      {"[(x, y) for x in range(3) for y in range(x) if x + y > 1]", "[(2, 0), (2, 1)]"},
      {"[[j for j in range(i)] for i in range(3)]", "[[], [0], [0, 1]]"},
      {"{(a, b) for a in (1,) for b in (2,)}", "{(1, 2)}"},
      {"{k: v for k, v in zip('ab', range(2)) if v}", "{'b': 1}"},
      {"sum(x * x for x in range(4))", "14"},
      {"list(x for x in ())", "[]"},
      {"[a for a, *b in [(1, 2), (3,)]]", "[1, 3]"},
      {"g = (x for x in [1, 2, 3]); next(g), list(g), list(g)", "(1, [2, 3], [])"},
      {"[i for i in range(3) if i if i > 1]", "[2]"},
      {"[x if x else 'zero' for x in (0, 1)]", "['zero', 1]"},
      {"[lambda: 1 for _ in range(1)][0]()", "1"},
      {"''.join(c for c in 'a-b' if c.isalpha())", "'ab'"},
      {"[*range(2), *'ab'], (*[1], 2), {*[1], *[1]}", "([0, 1, 'a', 'b'], (1, 2), {1})"},
      {"{**{1: 2}, 3: 4}", "{1: 2, 3: 4}"},
      {"[x for x in 5]", "TypeError: 'int' object is not iterable"},
      {"[1 / x for x in (1, 0)]", "ZeroDivisionError: division by zero"},
      {"[y for x in range(3)]", "NameError: name 'y' is not defined"},
  });
}

TEST(Generators, Protocol) {
  CheckRows({
      {"def g():\n  yield 1\n  yield 2\n  return 3\na = g(); print(next(a), next(a))\ntry: "
       "next(a)\nexcept StopIteration as e: print(e.value)\nprint(list(a), next(a, 'end'))",
       "1 2\n3\n[] end\n"},
      {"def g():\n  x = yield 'a'\n  while True: x = yield x * 2\na = g(); next(a), a.send(3), "
       "a.send('z')",
       "('a', 6, 'zz')"},
      {"def g():\n  try: yield 1\n  except ValueError as e: yield 'caught ' + str(e)\n  finally: "
       "print('fin')\na = g(); print(next(a), a.throw(ValueError('v'))); a.close()",
       "1 caught v\nfin\n"},
      {"def g():\n  try: yield 1\n  finally: print('closed')\na = g(); next(a); a.close(); list(a)",
       "closed\n[]"},
      {"def a(): x = yield from b(); yield x\ndef b(): y = yield 1; return y * 2\ng = a(); "
       "next(g), g.send(5)",
       "(1, 10)"},
      {"def g(): yield from 'ab'; yield from [1]; return 5\n[*g()]", "['a', 'b', 1]"},
      {"def g(n):\n  if n: yield n; yield from g(n - 1)\nlist(g(4)), sum(g(10))",
       "([4, 3, 2, 1], 55)"},
      {"def g(): return; yield\nlist(g())", "[]"},
      {"def fib():\n  a, b = 0, 1\n  while True: yield a; a, b = b, a + b\nimport itertools; "
       "list(itertools.islice(fib(), 10))",
       "[0, 1, 1, 2, 3, 5, 8, 13, 21, 34]"},
      {"def g(): yield; yield None\nlist(g())", "[None, None]"},
      {"def g(): 1 / 0; yield\na = g()\ntry: next(a)\nexcept ZeroDivisionError: "
       "print('zero')\nlist(a)",
       "zero\n[]"},
      {"def g(): yield 1\na = g(); a.send(5)",
       "TypeError: can't send non-None value to a just-started generator"},
      {"def g(): yield 1\na = g(); a.throw(KeyError('k'))", "KeyError: 'k'"},
      {"def g(): raise StopIteration; yield\nnext(g())",
       "RuntimeError: generator raised StopIteration"},
      {"def g(): yield next(a)\na = g(); next(a)", "ValueError: generator already executing"},
      {"def g():\n  try: yield 1\n  except GeneratorExit: yield 2\na = g(); next(a); a.close()",
       "RuntimeError: generator ignored GeneratorExit"},
      {"next(iter([]))", "StopIteration: "},
      {"next([])", "TypeError: 'list' object is not an iterator"},
      {"iter(5)", "TypeError: 'int' object is not iterable"},
      {"def g(): yield 1\ng()[0]", "TypeError: 'generator' object is not subscriptable"},
      {"def g(): yield 1\nlen(g())", "TypeError: object of type 'generator' has no len()"},
      {"def g(): yield 1\nbool(g()), type(g()).__name__, iter(a := g()) is a",
       "(True, 'generator', True)"},
      {"class It:\n  def __iter__(self): return iter('ab')\nlist(It()), [*It()], dict(zip(It(), "
       "It())), 'b' in It(), max(It())",
       "(['a', 'b'], ['a', 'b'], {'a': 'a', 'b': 'b'}, True, 'b')"},
      {"class It:\n  def __init__(s): s.n = 0\n  def __iter__(s): return s\n  def __next__(s):\n   "
       " s.n += 1\n    if s.n > 3: raise StopIteration\n    return s.n\nlist(It()), sum(It()), "
       "sorted(It(), reverse=True)",
       "([1, 2, 3], 6, [3, 2, 1])"},
      {"class Old:\n  def __getitem__(s, i):\n    if i > 2: raise IndexError\n    return i * "
       "10\nlist(Old()), 20 in Old(), [*reversed([*Old()])]",
       "([0, 10, 20], True, [20, 10, 0])"},
      {"class Bad:\n  def __iter__(s): return 5\nlist(Bad())",
       "TypeError: iter() returned non-iterator of type 'int'"},
      {"list(iter(iter([1, 2, 3]).__next__, 3))", "[1, 2]"},
      {"list(map(lambda a, b: a + b, [1, 2], [3, 4, 5]))", "[4, 6]"},
      {"list(zip()), list(zip([1], [2, 3]))", "([], [(1, 2)])"},
      {"list(enumerate('a', start=5))", "[(5, 'a')]"},
      {"list(filter(lambda x: x % 2, range(5)))", "[1, 3]"},
      {"list(zip([1], [2, 3], strict=True))",
       "ValueError: zip() argument 2 is longer than argument 1"},
      {"it = iter([1, 2]); list(zip(it, it)), list(map(None, []))", "([(1, 2)], [])"},
  });
}

}  // namespace
}  // namespace tensh::shell
