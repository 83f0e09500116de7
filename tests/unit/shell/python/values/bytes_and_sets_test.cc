// bytes and bytearray, complex numbers, sets, ranges and slices. The expected texts are CPython's.
#include "tests/unit/shell/python/rows.h"

namespace tensh::shell {
namespace {

TEST(Bytes, Literals) {
  CheckRows({
      {"b'ab\\x00\\xff', b\"it's\", bytes(3), bytes([65, 66]), bytes('é', 'utf-8'), "
       "bytes(range(3)), bytes(b'x'), b'a' b'b'",
       "(b'ab\\x00\\xff', b\"it's\", b'\\x00\\x00\\x00', b'AB', b'\\xc3\\xa9', b'\\x00\\x01\\x02', "
       "b'x', b'ab')"},
      {"bytes([256])", "ValueError: bytes must be in range(0, 256)"},
      {"bytes('a')", "TypeError: string argument without an encoding"},
      {"bytes(-1)", "ValueError: negative count"},
      {"bytes('é', 'ascii')",
       "UnicodeEncodeError: 'ascii' codec can't encode character '\\xe9' in position 0: ordinal "
       "not in range(128)"},
      {"b'é'", "SyntaxError: bytes can only contain ASCII literal characters"},
      {"bytearray(b'ab')", "bytearray(b'ab')"},
      {"bytearray(2)", "bytearray(b'\\x00\\x00')"},
      {"bytearray([1])", "bytearray(b'\\x01')"},
      {"bytes.fromhex('ff 00')", "b'\\xff\\x00'"},
      {"b'\\xff'.hex()", "'ff'"},
      {"bytes.fromhex('f')",
       "ValueError: non-hexadecimal number found in fromhex() arg at position 0"},
  });
}

TEST(Bytes, Methods) {
  CheckRows({
      {"b = b'hello world'\n"
       "b[0]",
       "104"},
      {"b = b'hello world'\n"
       "b[-1]",
       "100"},
      {"b = b'hello world'\n"
       "b[1:3]",
       "b'el'"},
      {"b = b'hello world'\n"
       "b[::-1][:3]",
       "b'dlr'"},
      {"b = b'hello world'\n"
       "len(b)",
       "11"},
      {"b = b'hello world'\n"
       "104 in b",
       "True"},
      {"b = b'hello world'\n"
       "b'lo' in b",
       "True"},
      {"b = b'hello world'\n"
       "list(b[:3])",
       "[104, 101, 108]"},
      {"b = b'hello world'\n"
       "b.index(b'o')",
       "4"},
      {"b = b'hello world'\n"
       "b.rfind(b'o')",
       "7"},
      {"b'a,b,c'.split(b','), b'a b'.split(), b'-'.join([b'a', b'b']), b'xax'.strip(b'x'), "
       "b'abc'.replace(b'b', b'--'), b'aB'.upper(), b'aB'.swapcase(), b'ab'.center(4, b'*')",
       "([b'a', b'b', b'c'], [b'a', b'b'], b'a-b', b'a', b'a--c', b'AB', b'Ab', b'*ab*')"},
      {"b'ab'.startswith(b'a'), b'ab'.endswith((b'b', b'c')), b'a1'.isalnum(), b'12'.isdigit(), "
       "b'A'.isupper(), b'a=b'.partition(b'='), b'7'.zfill(3), b'a\\nb'.splitlines()",
       "(True, True, True, True, True, (b'a', b'=', b'b'), b'007', [b'a', b'b'])"},
      {"b'caf\\xc3\\xa9'.decode(), b'\\xff'.decode('latin-1'), b'\\xff'.decode(errors='replace'), "
       "b'a\\xffb'.decode('utf-8', 'ignore')",
       "('café', 'ÿ', '�', 'ab')"},
      {"b'\\xff'.decode()",
       "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start "
       "byte"},
      {"b'a' + 'b'", "TypeError: can't concat str to bytes"},
      {"b'a' == 'a', b'a' < b'b', b'a' * 3, hash(b'a') == hash(b'a'), {b'k': 1}[b'k'], b'%d %s' % "
       "(3, b'x'), bool(b'')",
       "(False, True, b'aaa', True, 1, b'3 x', False)"},
      {"b'abc'[5]", "IndexError: index out of range"},
      {"b = b'ab'\n"
       "b[0] = 1\n"
       "1",
       "TypeError: 'bytes' object does not support item assignment"},
      {"a = bytearray(b'abc')\n"
       "a[0] = 120\n"
       "a.append(33)\n"
       "a.extend(b'yz')\n"
       "del a[1]\n"
       "a += b'!'\n"
       "a, a.pop(), a.reverse(), a, bytes(a), a == b'zy!cx', len(a)",
       "(bytearray(b'zy!cx'), 33, None, bytearray(b'zy!cx'), b'zy!cx', True, 5)"},
      {"a = bytearray(b'abc')\n"
       "a[1:2] = b'XYZ'\n"
       "a.insert(0, 48)\n"
       "a.remove(99)\n"
       "a, a.find(b'Y'), a.copy() is a, a.upper()",
       "(bytearray(b'0aXYZ'), 3, False, bytearray(b'0AXYZ'))"},
      {"bytearray(b'a').append(300)\n"
       "1",
       "ValueError: byte must be in range(0, 256)"},
      {"m = memoryview(b'abcd')\n"
       "m[1], bytes(m[1:3]), len(m), m.tolist(), m.nbytes",
       "(98, b'bc', 4, [97, 98, 99, 100], 4)"},
  });
}

TEST(Complex, Arithmetic) {
  CheckRows({
      {"1j * 1j, (1 + 2j) * (3 - 1j), (1 + 2j) / (1 - 1j), abs(3 + 4j), (1 + 2j).conjugate(), -(1 "
       "+ 2j), (2j) ** 2, 1j ** 0.5",
       "((-1+0j), (5+5j), (-0.5+1.5j), 5.0, (1-2j), (-1-2j), (-4+0j), "
       "(0.7071067811865476+0.7071067811865475j))"},
      {"complex(1, 2), complex('1+2j'), complex('-j'), complex(' 3 '), complex(2.5), "
       "complex(True), complex(1j, 1j)",
       "((1+2j), (1+2j), -1j, (3+0j), (2.5+0j), (1+0j), (-1+1j))"},
      {"complex('1 + 2j')", "ValueError: complex() arg is a malformed string"},
      {"complex('a')", "ValueError: complex() arg is a malformed string"},
      {"complex('1', 2)", "TypeError: complex() can't take second arg if first is a string"},
      {"1j < 2", "TypeError: '<' not supported between instances of 'complex' and 'int'"},
      {"int(1j)",
       "TypeError: int() argument must be a string, a bytes-like object or a real number, not "
       "'complex'"},
      {"1j / 0", "ZeroDivisionError: complex division by zero"},
      {"1j // 1", "TypeError: unsupported operand type(s) for //: 'complex' and 'int'"},
      {"(1 + 0j) == 1", "True"},
      {"hash(1 + 0j) == hash(1)", "True"},
      {"bool(0j)", "False"},
      {"(1j).real", "0.0"},
      {"(1j).imag", "1.0"},
      {"2 - 1j + 1", "(3-1j)"},
      {"2.5 * 1j", "2.5j"},
      {"sum([1j, 2])", "(2+1j)"},
  });
}

TEST(Sets, Operations) {
  CheckRows({
      {"a, b = {1, 2, 3}, {3, 4}\n"
       "sorted(a | b), a & b, sorted(a - b), sorted(a ^ b), a <= b, {3} < b, a.isdisjoint({9}), "
       "a.issuperset({1}), 1 in a, len(a)",
       "([1, 2, 3, 4], {3}, [1, 2], [1, 2, 4], False, True, True, True, True, 3)"},
      {"a = {1, 2}\n"
       "a.add(3)\n"
       "a.discard(9)\n"
       "a.update([4, 5], (6,))\n"
       "a.remove(1)\n"
       "a -= {2}\n"
       "a |= {7}\n"
       "a &= {3, 4, 7}\n"
       "a ^= {4}\n"
       "sorted(a), a.copy() == a, sorted(a.union([9])), a.intersection([3], [3, 7]), "
       "a.difference([3]), sorted(a.symmetric_difference([3, 5]))",
       "([3, 7], True, [3, 7, 9], {3}, {7}, [5, 7])"},
      {"{1}.remove(2)\n"
       "1",
       "KeyError: 2"},
      {"set().pop()\n"
       "1",
       "KeyError: 'pop from an empty set'"},
      {"{[]}", "TypeError: unhashable type: 'list'"},
      {"{1} | [2]", "TypeError: unsupported operand type(s) for |: 'set' and 'list'"},
      {"{1} < [2]", "TypeError: '<' not supported between instances of 'set' and 'list'"},
      {"set('aab') == {'a', 'b'}, set(), frozenset([1]), {frozenset([1]): 2}[frozenset({1})], "
       "repr({1}), {1, 1.0, True}, {x % 2 for x in range(5)}",
       "(True, set(), frozenset({1}), 2, '{1}', {1}, {0, 1})"},
      {"frozenset([1]).add(2)\n"
       "1",
       "AttributeError: 'frozenset' object has no attribute 'add'"},
      {"hash(frozenset([1, 2])) == hash(frozenset([2, 1])), frozenset('a') | {'b'} == {'a', 'b'}, "
       "type(frozenset([1]) | {2}).__name__, type({2} | frozenset([1])).__name__",
       "(True, True, 'frozenset', 'set')"},
      {"s = {1, 2, 3}\n"
       "for x in s: s.add(x + 10)\n"
       "1",
       "RuntimeError: Set changed size during iteration"},
  });
}

TEST(Ranges, AndSlices) {
  CheckRows({
      {"range(5), range(1, 5, 2), list(range(5, 0, -2)), len(range(0, 10, 3)), range(10)[2:8:3], "
       "range(5)[-1], 3 in range(5), range(3) == range(0, 3, 1), range(0) == range(5, 5)",
       "(range(0, 5), range(1, 5, 2), [5, 3, 1], 4, range(2, 8, 3), 4, True, True, True)"},
      {"range(3)[5]", "IndexError: range object index out of range"},
      {"range(1, 2, 0)", "ValueError: range() arg 3 must not be zero"},
      {"range(1.5)", "TypeError: 'float' object cannot be interpreted as an integer"},
      {"slice(1, 2)", "slice(1, 2, None)"},
      {"slice(None, None, -1).indices(5)", "(4, -1, -1)"},
      {"slice(-3, None).indices(5)", "(2, 5, 1)"},
      {"slice(1) == slice(None, 1, None)", "True"},
      {"slice(1, 10, 3).step", "3"},
      {"slice(1, 2, 0).indices(5)", "ValueError: slice step cannot be zero"},
      {"len(range(10 ** 20))", "OverflowError: Python int too large to convert to C ssize_t"},
  });
}

TEST(Iterators, Builtins) {
  CheckRows({
      {"list(zip([1, 2], 'ab')), list(enumerate('ab', 5)), list(map(lambda a, b: a + b, [1, 2], "
       "[3, 4])), list(filter(None, [0, 1, '', 'a'])), list(reversed([1, 2])), next(iter([7]))",
       "([(1, 'a'), (2, 'b')], [(5, 'a'), (6, 'b')], [4, 6], [1, 'a'], [2, 1], 7)"},
      {"list(zip([1], [1, 2], strict=True))",
       "ValueError: zip() argument 2 is longer than argument 1"},
      {"next(iter([]))", "StopIteration: "},
      {"next(iter([]), 'end'), any([0, 1]), all([]), sum([[1], [2]], []), min(3, 1), max('ab'), "
       "max([1, -5], key=abs), min([], default=4), sorted('bca', reverse=True)",
       "('end', True, True, [1, 2], 1, 'b', -5, 4, ['c', 'b', 'a'])"},
      {"max([])", "ValueError: max() arg is an empty sequence"},
      {"sum(['a'])", "TypeError: unsupported operand type(s) for +: 'int' and 'str'"},
      {"iter(5)", "TypeError: 'int' object is not iterable"},
      {"sorted([1, 'a'])", "TypeError: '<' not supported between instances of 'str' and 'int'"},
      {"n = [0]\n"
       "def f():\n"
       "  n[0] += 1\n"
       "  return n[0]\n"
       "list(iter(f, 4)), divmod(-7, 2), pow(2, 10, 1000), pow(3, -1, 7), round(2.5), round(-1.25, "
       "1), abs(-3), bin(10), oct(8), hex(255), chr(97), ord('a')",
       "([1, 2, 3], (-4, 1), 24, 5, 2, -1.2, 3, '0b1010', '0o10', '0xff', 'a', 97)"},
      {"ord('ab')", "TypeError: ord() expected a character, but string of length 2 found"},
      {"pow(2, -1, 4)", "ValueError: base is not invertible for the given modulus"},
      {"isinstance(1, (str, int)), issubclass(bool, int), callable(len), type(1) is int, id([]) == "
       "id, hasattr([], 'append'), getattr([], 'nope', 3), vars(type('T', (), {'a': 1}))['a']",
       "(True, True, True, True, False, True, 3, 1)"},
      {"getattr([], 'nope')", "AttributeError: 'list' object has no attribute 'nope'"},
      {"isinstance(1, 'int')",
       "TypeError: isinstance() arg 2 must be a type, a tuple of types, or a union"},
  });
}

TEST(Generators, Use) {
  CheckRows({
      {"def g():\n"
       "  x = yield 1\n"
       "  yield x * 2\n"
       "i = g()\n"
       "next(i), i.send(5), list(i)",
       "(1, 10, [])"},
      {"def g():\n"
       "  try: yield 1\n"
       "  finally: print('closed')\n"
       "i = g()\n"
       "next(i)\n"
       "i.close()\n"
       "list(i)",
       "closed\n"
       "[]"},
      {"def g():\n"
       "  try: yield 1\n"
       "  except ValueError as e: yield 'caught ' + str(e)\n"
       "i = g()\n"
       "next(i)\n"
       "i.throw(ValueError('x')), list(i)",
       "('caught x', [])"},
      {"def g():\n"
       "  r = yield from h()\n"
       "  yield r\n"
       "def h():\n"
       "  yield 1\n"
       "  return 2\n"
       "list(g()), list(x for x in range(3) if x), sum(x * x for x in range(4))",
       "([1, 2], [1, 2], 14)"},
      {"def g(): yield 1\n"
       "i = g()\n"
       "i.send(5)\n"
       "1",
       "TypeError: can't send non-None value to a just-started generator"},
      {"def g():\n"
       "  next(i)\n"
       "  yield\n"
       "i = g()\n"
       "next(i)\n"
       "1",
       "ValueError: generator already executing"},
      {"def g():\n"
       "  yield 1\n"
       "  raise StopIteration\n"
       "list(g())",
       "RuntimeError: generator raised StopIteration"},
      {"def g(): return (yield)\n"
       "i = g()\n"
       "next(i)\n"
       "try: i.send('v')\n"
       "except StopIteration as e: r = e.value\n"
       "r",
       "'v'"},
  });
}

}  // namespace
}  // namespace tensh::shell
