// Methods of list, tuple, dict, set, range and slice, and their errors.
#include "tests/unit/shell/python/rows.h"

namespace tensh::shell {
namespace {

TEST(List, Indexing) {
  CheckRows({
      {"a = [1, 2, 3, 4]; a[0], a[-1], a[1:3]", "(1, 4, [2, 3])"},
      {"a = [1, 2, 3, 4]; a[::-1], a[::2], a[-2:]", "([4, 3, 2, 1], [1, 3], [3, 4])"},
      {"a = [1, 2, 3, 4]; a[10:], a[:-10], a[3:0:-2]", "([], [], [4, 2])"},
      {"a = [1, 2, 3, 4]; a[True]", "2"},
      {"a = [1, 2, 3]; a[1] = 9; a[-1] = 8; a", "[1, 9, 8]"},
      {"a = [1, 2, 3, 4]; a[1:3] = [9]; a", "[1, 9, 4]"},
      {"a = [1, 2, 3]; a[1:1] = [7, 8]; a[len(a):] = [5]; a[:0] = 'x'; a",
       "['x', 1, 7, 8, 2, 3, 5]"},
      {"a = [1, 2, 3, 4]; a[::2] = [9, 8]; a[::-1] = [1, 2, 3, 4]; a", "[4, 3, 2, 1]"},
      {"a = [1, 2, 3, 4, 5]; del a[1], a[-1]; del a[::2]; a", "[3]"},
      {"a = [1, 2, 3]; a[:] = a; a[1:] = a; a", "[1, 1, 2, 3]"},
      {"a = [1, 2, 3]; a[2:1] = [9]; a", "[1, 2, 9, 3]"},
      {"a = list(range(5)); del a[3:1]; del a[4:1:-2]; a", "[0, 1, 3]"},
      {"[1][1]", "IndexError: list index out of range"},
      {"[1][-2]", "IndexError: list index out of range"},
      {"[1]['a']", "TypeError: list indices must be integers or slices, not str"},
      {"[1][1.0]", "TypeError: list indices must be integers or slices, not float"},
      {"a = [1]; a[1] = 2", "IndexError: list assignment index out of range"},
      {"a = [1]; del a[5]", "IndexError: list assignment index out of range"},
      {"a = [1, 2]; a[::2] = [1, 2]",
       "ValueError: attempt to assign sequence of size 2 to extended slice of size 1"},
      {"a = [1]; a[0:1] = 5", "TypeError: can only assign an iterable"},
      {"a = [1]; a['x'] = 1", "TypeError: list indices must be integers or slices, not str"},
  });
}

TEST(List, Operators) {
  CheckRows({
      {"[1] + [2], [1] * 3, 2 * [0, 1], [1] * 0", "([1, 2], [1, 1, 1], [0, 1, 0, 1], [])"},
      {"[1] * -1, [] + [], [1, 2] == [1, 2]", "([], [], True)"},
      {"[1, 2] < [1, 3], [1] < [1, 0], [] < [0]", "(True, True, True)"},
      {"[2] > [1, 9], [1, 'a'] < [2, 0], [1] != (1,)", "(True, True, True)"},
      {"a = b = [1]; a += [2]; a *= 2; a, b is a", "([1, 2, 1, 2], True)"},
      {"a = [1]; a += 'bc'; a += (x for x in [4]); a", "[1, 'b', 'c', 4]"},
      {"a = [[]] * 2; a[0].append(1); a", "[[1], [1]]"},
      {"1 in [1.0], 'a' in ['b'], None in [None]", "(True, False, True)"},
      {"[1] in [[1]], 3 not in [1, 2]", "(True, True)"},
      {"[1] + 'a'", "TypeError: can only concatenate list (not \"str\") to list"},
      {"[1] * 'a'", "TypeError: can't multiply sequence by non-int of type 'str'"},
      {"[1] * 1.5", "TypeError: can't multiply sequence by non-int of type 'float'"},
      {"[1] < (1,)", "TypeError: '<' not supported between instances of 'list' and 'tuple'"},
      {"[1, 'a'] < [1, 2]", "TypeError: '<' not supported between instances of 'str' and 'int'"},
      {"[] - []", "TypeError: unsupported operand type(s) for -: 'list' and 'list'"},
      {"hash([])", "TypeError: unhashable type: 'list'"},
      {"{[]: 1}", "TypeError: unhashable type: 'list'"},
      {"{[1]}", "TypeError: unhashable type: 'list'"},
      {"a = [1, 2]; a.append(a); a, len(a), a == a", "([1, 2, [...]], 3, True)"},
      {"bool([]), bool([0]), not [], [] or 5", "(False, True, True, 5)"},
      {"[0] and 5", "5"},
  });
}

TEST(List, Methods) {
  CheckRows({
      {"a = [3, 1, 2]; a.sort(); a, a.sort(reverse=True), a, a.sort(key=lambda x: -x % 3), a",
       "([3, 2, 1], None, [3, 2, 1], None, [3, 2, 1])"},
      {"a = ['b', 'A', 'c']; sorted(a), sorted(a, key=str.lower), sorted(a, reverse=True), a",
       "(['A', 'b', 'c'], ['A', 'b', 'c'], ['c', 'b', 'A'], ['b', 'A', 'c'])"},
      {"sorted([(1, 'b'), (0, 'z'), (1, 'a')], key=lambda p: p[0]), sorted([(1, 'b'), (0, 'z'), "
       "(1, 'a')], key=lambda p: p[0], reverse=True)",
       "([(0, 'z'), (1, 'b'), (1, 'a')], [(1, 'b'), (1, 'a'), (0, 'z')])"},
      {"a = [1]; a.append([2]); a.extend((3, 4)); a.insert(0, 0); a.insert(100, 9); a.insert(-1, "
       "8); a",
       "[0, 1, [2], 3, 4, 8, 9]"},
      {"a = [1, 2, 3, 2]; a.remove(2); a.pop(), a.pop(0), a, a.index(3), a.count(3)",
       "(2, 1, [3], 0, 1)"},
      {"a = [1, 2, 3, 2]; a.index(2), a.index(2, 2), a.index(2, -1), a.count(2), a.count('x'), "
       "a[::-1] == list(reversed(a)), a.reverse(), a, a.copy() == a, a.copy() is a, a.clear(), a",
       "(1, 3, 3, 2, 0, True, None, [], True, False, None, [])"},
      {"a = [1, 2, 3, 4]; [a.remove(x) for x in a]; a", "[2, 4]"},
      {"list(), list('ab'), list({1: 2})", "([], ['a', 'b'], [1])"},
      {"list(range(3)), [*'ab', *[1]]", "([0, 1, 2], ['a', 'b', 1])"},
      {"list(map(str, [1, 2]))", "['1', '2']"},
      {"list(filter(None, [0, 1, '', 'a']))", "[1, 'a']"},
      {"[x for x in range(10) if x % 3 == 0 if x]", "[3, 6, 9]"},
      {"[[y for y in range(x)] for x in range(3)]", "[[], [0], [0, 1]]"},
      {"[x + y for x in 'ab' for y in 'cd']", "['ac', 'ad', 'bc', 'bd']"},
      {"[].pop()", "IndexError: pop from empty list"},
      {"[1].pop(5)", "IndexError: pop index out of range"},
      {"[1].remove(2)", "ValueError: list.remove(x): x not in list"},
      {"[1].index(2)", "ValueError: 2 is not in list"},
      {"[1, 2].index(2, 0, 1)", "ValueError: 2 is not in list"},
      {"[1, 'a'].sort()", "TypeError: '<' not supported between instances of 'str' and 'int'"},
      {"[1].sort(lambda x: x)", "TypeError: sort() takes no positional arguments"},
      {"[1].sort(key=5)", "TypeError: 'int' object is not callable"},
      {"[1].append()", "TypeError: list.append() takes exactly one argument (0 given)"},
      {"[1].append(1, 2)", "TypeError: list.append() takes exactly one argument (2 given)"},
      {"[1].insert(1)", "TypeError: insert expected 2 arguments, got 1"},
      {"[1].extend(5)", "TypeError: 'int' object is not iterable"},
      {"list(5)", "TypeError: 'int' object is not iterable"},
      {"list(1, 2)", "TypeError: list expected at most 1 argument, got 2"},
      {"[1].nope", "AttributeError: 'list' object has no attribute 'nope'"},
      {"[].append = 5", "AttributeError: 'list' object attribute 'append' is read-only"},
      {"sorted(5)", "TypeError: 'int' object is not iterable"},
      {"a = [3, 2, 1]\ntry: a.sort(key=lambda x: a.append(x))\nexcept ValueError as e: print(e)",
       "TypeError: '<' not supported between instances of 'NoneType' and 'NoneType'"},
      {"sorted([3, None, 1])",
       "TypeError: '<' not supported between instances of 'NoneType' and 'int'"},
  });
}

TEST(Tuple, Basics) {
  CheckRows({
      {"(), (1,), (1, 2), 1, 1, tuple('ab')", "((), (1,), (1, 2), 1, 1, ('a', 'b'))"},
      {"tuple([]), (1, 2) + (3,), (1,) * 3", "((), (1, 2, 3), (1, 1, 1))"},
      {"(1, 2)[0], (1, 2, 3)[::-1], (1, 2) < (1, 3)", "(1, (3, 2, 1), True)"},
      {"(1, 2) == (1.0, 2), 2 in (1, 2)", "(True, True)"},
      {"hash(()) == hash(())", "True"},
      {"hash((1, 2)) == hash((1.0, 2))", "True"},
      {"{(1, 2): 'a'}[1, 2], (1, 2, 1).count(1)", "('a', 2)"},
      {"(1, 2).index(2), len((1,)), (1, [2])", "(1, 1, (1, [2]))"},
      {"t = ([],); t[0].append(1); t", "([1],)"},
      {"t = (1, 2); t += (3,); t *= 2; t", "(1, 2, 3, 1, 2, 3)"},
      {"a, (b, *c), d = 1, (2, 3, 4), 5; a, b, c, d", "(1, 2, [3, 4], 5)"},
      {"*a, b = 'xyz'; [c, d] = {1, 2}; a, b, c, d", "(['x', 'y'], 'z', 1, 2)"},
      {"a = b, c = 1, 2; a, b, c", "((1, 2), 1, 2)"},
      {"a, a = 1, 2; x = y = []; x is y, a", "(True, 2)"},
      {"i = 0; a = [5, 6]; i, a[i] = 1, 'z'; i, a", "(1, [5, 'z'])"},
      {"(1)[0]", "TypeError: 'int' object is not subscriptable"},
      {"(1,)[1]", "IndexError: tuple index out of range"},
      {"()[0]", "IndexError: tuple index out of range"},
      {"t = (1,); t[0] = 2", "TypeError: 'tuple' object does not support item assignment"},
      {"t = (1,); del t[0]", "TypeError: 'tuple' object doesn't support item deletion"},
      {"t = ([1],)\ntry: t[0] += [2]\nexcept TypeError as e: print(e)\nt",
       "'tuple' object does not support item assignment\n([1, 2],)"},
      {"hash(([],))", "TypeError: unhashable type: 'list'"},
      {"(1,) + [1]", "TypeError: can only concatenate tuple (not \"list\") to tuple"},
      {"(1, 2).index(3)", "ValueError: tuple.index(x): x not in tuple"},
      {"tuple(5)", "TypeError: 'int' object is not iterable"},
      {"(1, 'a') < (1, 2)", "TypeError: '<' not supported between instances of 'str' and 'int'"},
      {"x, y = (1,)", "ValueError: not enough values to unpack (expected 2, got 1)"},
      {"(x, y) = 'abc'", "ValueError: too many values to unpack (expected 2)"},
      {"(a, b), c = 1, 2", "TypeError: cannot unpack non-iterable int object"},
      {"a, b = None", "TypeError: cannot unpack non-iterable NoneType object"},
  });
}

TEST(Dict, Basics) {
  CheckRows({
      {"d = {'a': 1, 'b': 2}; d['a'], d.get('x'), d.get('x', 5), 'a' in d, 1 in d, len(d), "
       "list(d), list(d.items()), list(d.values()), d == {'b': 2, 'a': 1}, d != {}",
       "(1, None, 5, True, False, 2, ['a', 'b'], [('a', 1), ('b', 2)], [1, 2], True, True)"},
      {"{1: 'a', 1.0: 'b', True: 'c'}", "{1: 'c'}"},
      {"{**{'a': 1}, 'a': 2}, {'a': 1, **{'a': 3}}", "({'a': 2}, {'a': 3})"},
      {"dict(a=1, b=2), dict([(1, 2), [3, 4]])", "({'a': 1, 'b': 2}, {1: 2, 3: 4})"},
      {"dict({'a': 1}, b=2), dict()", "({'a': 1, 'b': 2}, {})"},
      {"{x: x * x for x in range(3)}", "{0: 0, 1: 1, 2: 4}"},
      {"dict(zip('ab', [1, 2])), dict(['ab', 'cd'])", "({'a': 1, 'b': 2}, {'a': 'b', 'c': 'd'})"},
      {"d = {1: 2}; d[1] += 5; d[2] = 0; del d[1]; d[1] = 9; d", "{2: 0, 1: 9}"},
      {"d = {}; d['d'] = d; d", "{'d': {...}}"},
      {"d = {'a': 1}; d.setdefault('a', 9), d.setdefault('b', []).append(1), d.setdefault('c'), d, "
       "d.pop('a'), d.pop('zz', 7), d.popitem(), d, d.clear(), d",
       "(1, None, None, {}, 1, 7, ('c', None), {}, None, {})"},
      {"d = {'a': 1}; d.update(b=2); d.update({'c': 3}, a=0); d.update([('e', 5)]); d, d | {'a': "
       "9}, {'z': 1} | d",
       "({'a': 0, 'b': 2, 'c': 3, 'e': 5}, {'a': 9, 'b': 2, 'c': 3, 'e': 5}, {'z': 1, 'a': 0, 'b': "
       "2, 'c': 3, 'e': 5})"},
      {"d = {'a': 1}; e = d; d |= {'b': 2}; d |= [('c', 3)]; e, d.copy() == d",
       "({'a': 1, 'b': 2, 'c': 3}, True)"},
      {"d = {'a': 1}; e = d; d |= {'b': 2}; d |= [('c', 3)]; d.copy() is d", "False"},
      {"d = {'a': 1}; e = d; d |= {'b': 2}; d |= [('c', 3)]; dict.fromkeys('ab')",
       "{'a': None, 'b': None}"},
      {"d = {'a': 1}; e = d; d |= {'b': 2}; d |= [('c', 3)]; dict.fromkeys([1], [])", "{1: []}"},
      {"d = dict(b=1, a=2); list(reversed(d)), sorted(d), max(d, key=d.get), min(d.items(), "
       "key=lambda p: p[1]), [*d], list(reversed(d.items()))",
       "(['a', 'b'], ['a', 'b'], 'a', ('b', 1), ['b', 'a'], [('a', 2), ('b', 1)])"},
      {"d = {'a': 1, 'b': 2}; d.keys() & {'a'}, d.keys() | {'c'} == {'a', 'b', 'c'}, d.keys() - "
       "{'a'}, d.items() & {('a', 1)}, d.keys() == {'b', 'a'}, ('a', 1) in d.items(), 2 in "
       "d.values(), d.keys() ^ {'a'}, d.keys() <= {'a', 'b'}, d.keys().isdisjoint(['z'])",
       "({'a'}, True, {'b'}, {('a', 1)}, True, True, True, {'b'}, True, True)"},
      {"d = {'a': 1}; k = d.keys(); d['b'] = 2; k, d.values()",
       "(dict_keys(['a', 'b']), dict_values([1, 2]))"},
      {"d = {'a': 1}; k = d.keys(); d['b'] = 2; d.items(), len(k)",
       "(dict_items([('a', 1), ('b', 2)]), 2)"},
      {"{}['a']", "KeyError: 'a'"},
      {"{1: 2}[2]", "KeyError: 2"},
      {"{}[[]]", "TypeError: unhashable type: 'list'"},
      {"{[]: 1}", "TypeError: unhashable type: 'list'"},
      {"d = {}; del d['x']", "KeyError: 'x'"},
      {"{}.pop('x')", "KeyError: 'x'"},
      {"{}.popitem()", "KeyError: 'popitem(): dictionary is empty'"},
      {"d = {1: 1}\nfor k in d: d[k + 1] = 1",
       "RuntimeError: dictionary changed size during iteration"},
      {"dict([1])",
       "TypeError: cannot convert dictionary update sequence element #0 to a sequence"},
      {"dict(['abc'])",
       "ValueError: dictionary update sequence element #0 has length 3; 2 is required"},
      {"dict([[1]])",
       "ValueError: dictionary update sequence element #0 has length 1; 2 is required"},
      {"dict(5)", "TypeError: 'int' object is not iterable"},
      {"{} + {}", "TypeError: unsupported operand type(s) for +: 'dict' and 'dict'"},
      {"{} < {}", "TypeError: '<' not supported between instances of 'dict' and 'dict'"},
      {"{**5}", "TypeError: 'int' object is not a mapping"},
      {"{'a': 1} | 5", "TypeError: unsupported operand type(s) for |: 'dict' and 'int'"},
      {"{}.get()", "TypeError: get expected at least 1 argument, got 0"},
      {"{}.update(5)", "TypeError: 'int' object is not iterable"},
      {"dict(1, 2)", "TypeError: dict expected at most 1 argument, got 2"},
      {"hash({})", "TypeError: unhashable type: 'dict'"},
      {"{}.nope", "AttributeError: 'dict' object has no attribute 'nope'"},
      {"{(1, 2): {'x': [3]}}[1, 2]['x'][0]", "3"},
      {"class D(dict):\n  def __missing__(self, k): return k * 2\nd = D(a=1); d['a'], d['b'], "
       "d.get('b'), len(d), 'b' in d",
       "(1, 'bb', None, 1, False)"},
      {"class K:\n  def __init__(s, n): s.n = n\n  def __hash__(s): return 1\n  def __eq__(s, o): "
       "return s.n == o.n\nd = {K(1): 'a', K(2): 'b', K(1): 'c'}; len(d), d[K(1)], d[K(2)], K(3) "
       "in d",
       "(2, 'c', 'b', False)"},
      {"class K:\n  def __eq__(s, o): return True\n{K(): 1}", "TypeError: unhashable type: 'K'"},
      {"d = {i: i for i in range(20)}\nfor i in range(0, 20, 2): del d[i]\nd[0] = 'new'; "
       "list(d.items())[-3:], len(d), next(iter(d))",
       "([(17, 17), (19, 19), (0, 'new')], 11, 1)"},
  });
}

TEST(Set, Basics) {
  CheckRows({
      {"{1, 2, 2, 1.0}, set(), {1} | {2}", "({1, 2}, set(), {1, 2})"},
      {"{1, 2} & {2, 3}, {1, 2} - {2}", "({2}, {1})"},
      {"{1, 2} ^ {2, 3}, {1} <= {1, 2}", "({1, 3}, True)"},
      {"{1, 2} < {1, 2}, {1, 2} >= {2}, {1} == {1}", "(False, True, True)"},
      {"{1} == frozenset([1])", "True"},
      {"{*'a', *[1]} == {1, 'a'}", "True"},
      {"s = {3, 1}; s.add(2); s.add(1); s.discard(9); s.remove(3); s, len(s), 1 in s, s.pop() in "
       "(1, 2), s.clear(), s",
       "(set(), 2, True, True, None, set())"},
      {"s = {1, 2, 3}; s.union([4], (5,)), s.intersection([1, 9]), s.difference([1], [2]), "
       "s.symmetric_difference([3, 4]), s.issubset(range(9)), s.issuperset([1]), "
       "s.isdisjoint([8]), s.copy() is s",
       "({1, 2, 3, 4, 5}, {1}, {3}, {1, 2, 4}, True, True, True, False)"},
      {"s = {1, 2, 3}; s.intersection_update([1, 2]); s.difference_update([1]); "
       "s.symmetric_difference_update([2, 7]); s",
       "{7}"},
      {"frozenset([2, 1]), frozenset()", "(frozenset({1, 2}), frozenset())"},
      {"frozenset([1]) | {2}, {1} | frozenset([2])", "(frozenset({1, 2}), {1, 2})"},
      {"type({1} | frozenset()).__name__", "'set'"},
      {"{frozenset([1]): 'a'}[frozenset([1])]", "'a'"},
      {"hash(frozenset([1, 2])) == hash(frozenset([2, 1]))", "True"},
      {"{x % 3 for x in range(10)}, {8, 0, 16, 1}", "({0, 1, 2}, {8, 0, 16, 1})"},
      {"{-1, -2, 5}, set(range(20, 0, -3))", "({5, -1, -2}, {2, 5, 8, 11, 14, 17, 20})"},
      {"{100, 1000, 10000}, set([7, 71, 15, 23])", "({1000, 10000, 100}, {15, 23, 71, 7})"},
      {"bool(set()), sorted({'b', 'a'})", "(False, ['a', 'b'])"},
      {"{1, 2} < {3}, {1, 2} == [1, 2]", "(False, False)"},
      {"{True, 1, 1.0}, {(1, 2), (1, 2)}, {None}", "({True}, {(1, 2)}, {None})"},
      {"{1} + {2}", "TypeError: unsupported operand type(s) for +: 'set' and 'set'"},
      {"{1} | [2]", "TypeError: unsupported operand type(s) for |: 'set' and 'list'"},
      {"{1} < [1]", "TypeError: '<' not supported between instances of 'set' and 'list'"},
      {"{[]}", "TypeError: unhashable type: 'list'"},
      {"set(5)", "TypeError: 'int' object is not iterable"},
      {"{1}.remove(2)", "KeyError: 2"},
      {"set().pop()", "KeyError: 'pop from an empty set'"},
      {"{{1}: 2}", "TypeError: unhashable type: 'set'"},
      {"{1}[0]", "TypeError: 'set' object is not subscriptable"},
      {"frozenset([1]).add(2)", "AttributeError: 'frozenset' object has no attribute 'add'"},
      {"s = {1}\nfor x in s: s.add(x + 1)", "RuntimeError: Set changed size during iteration"},
      {"hash({1})", "TypeError: unhashable type: 'set'"},
  });
}

TEST(Range, Basics) {
  CheckRows({
      {"list(range(5)), list(range(2, 5))", "([0, 1, 2, 3, 4], [2, 3, 4])"},
      {"list(range(5, 0, -2)), list(range(0))", "([5, 3, 1], [])"},
      {"list(range(5, 2)), range(5), range(1, 5)", "([], range(0, 5), range(1, 5))"},
      {"range(1, 5, 2), range(0, -3, -1)", "(range(1, 5, 2), range(0, -3, -1))"},
      {"r = range(0, 20, 3); r[0], r[-1], r[2:4], r[::-1], len(r), 9 in r, 10 in r, '3' in r, 9.0 "
       "in r, r.index(9), r.count(9), r.start, r.stop, r.step, list(reversed(r))",
       "(0, 18, range(6, 12, 3), range(18, -3, -3), 7, True, False, False, True, 3, 1, 0, 20, 3, "
       "[18, 15, 12, 9, 6, 3, 0])"},
      {"range(3) == range(0, 3, 1)", "True"},
      {"range(0) == range(5, 5)", "True"},
      {"range(0, 3, 2) == range(0, 4, 2)", "True"},
      {"hash(range(3)) == hash(range(0, 3))", "True"},
      {"bool(range(0)), max(range(10))", "(False, 9)"},
      {"sum(range(101))", "5050"},
      {"range(1, 2, 0)", "ValueError: range() arg 3 must not be zero"},
      {"range(1.5)", "TypeError: 'float' object cannot be interpreted as an integer"},
      {"range('a')", "TypeError: 'str' object cannot be interpreted as an integer"},
      {"range()", "TypeError: range expected at least 1 argument, got 0"},
      {"range(1, 2, 3, 4)", "TypeError: range expected at most 3 arguments, got 4"},
      {"range(3)[3]", "IndexError: range object index out of range"},
      {"range(3).index(5)", "ValueError: 5 is not in range"},
  });
}

TEST(Slice, Basics) {
  CheckRows({
      {"slice(3), slice(1, 2, 3)", "(slice(None, 3, None), slice(1, 2, 3))"},
      {"slice(1, 5).indices(3)", "(1, 3, 1)"},
      {"slice(None, None, -1).indices(4)", "(3, -1, -1)"},
      {"slice(-2, None).indices(5)", "(3, 5, 1)"},
      {"slice(1, 2) == slice(1, 2)", "True"},
      {"slice(1, 2).start", "1"},
      {"slice(5, 0, -2).indices(10)", "(5, 0, -2)"},
      {"slice()", "TypeError: slice expected at least 1 argument, got 0"},
      {"slice(1).indices(-1)", "ValueError: length should not be negative"},
      {"class A:\n  def __getitem__(self, k): return k\na = A(); a[1], a[1:2]",
       "(1, slice(1, 2, None))"},
      {"class A:\n  def __getitem__(self, k): return k\na = A(); a[1:2, ::3], a[...]",
       "((slice(1, 2, None), slice(None, None, 3)), Ellipsis)"},
      {"class A:\n  def __getitem__(self, k): return k\na = A(); a[()], a[:, None]",
       "((), (slice(None, None, None), None))"},
      {"class A:\n  def __getitem__(self, k): return k\na = A(); a[-1:]", "slice(-1, None, None)"},
      {"hash(slice(1))", "TypeError: unhashable type: 'slice'"},
  });
}

TEST(Singletons, Basics) {
  CheckRows({
      {"None, True, False, ..., NotImplemented", "(None, True, False, Ellipsis, NotImplemented)"},
      {"type(None), type(...), bool(None)", "(<class 'NoneType'>, <class 'ellipsis'>, False)"},
      {"None is None, None == False, Ellipsis is ...", "(True, False, True)"},
      {"repr(Ellipsis), str(None)", "('Ellipsis', 'None')"},
      {"type(NotImplemented)", "<class 'NotImplementedType'>"},
      {"None.x", "AttributeError: 'NoneType' object has no attribute 'x'"},
      {"None[0]", "TypeError: 'NoneType' object is not subscriptable"},
      {"None()", "TypeError: 'NoneType' object is not callable"},
      {"None + 1", "TypeError: unsupported operand type(s) for +: 'NoneType' and 'int'"},
      {"len(None)", "TypeError: object of type 'NoneType' has no len()"},
      {"True.x = 1", "AttributeError: 'bool' object has no attribute 'x'"},
      {"not None, None or 'a', None and 'a'", "(True, 'a', None)"},
      {"1 if None else 2, None != 0", "(2, True)"},
      {"[None] == [None]", "True"},
      {"(None,) < (None,) if False else 0", "0"},
  });
}

}  // namespace
}  // namespace tensh::shell
