// Methods of str and bytes, slicing, escapes and their errors.
#include "tests/unit/shell/python/rows.h"

namespace tensh::shell {
namespace {

TEST(Str, Repr) {
  CheckRows({
      {"'a', \"it's\", 'say \"hi\"', 'both \\' and \"', ''",
       "('a', \"it's\", 'say \"hi\"', 'both \\' and \"', '')"},
      {"'\\\\', '\\n\\t\\r\\0\\x1b\\x7f', 'é', '\\xa0'",
       "('\\\\', '\\n\\t\\r\\x00\\x1b\\x7f', 'é', '\\xa0')"},
      {"'\\u200b', '\\u2028', '😀', '\\ud800'", "('\\u200b', '\\u2028', '😀', '\\ud800')"},
      {"ascii('a\\xe9\\u20ac\\U0001f600'), repr('\\xad')",
       "(\"'a\\\\xe9\\\\u20ac\\\\U0001f600'\", \"'\\\\xad'\")"},
      {"'\\z' == '\\\\z', '\\8'", "(True, '\\\\8')"},
      {"'\\a\\b\\f\\v\\x41\\101\\u0041\\U00000041', r'\\n'",
       "('\\x07\\x08\\x0c\\x0bAAAA', '\\\\n')"},
      {"'a' 'b' \"c\", '''a\nb''', 'a\\\nb'", "('abc', 'a\\nb', 'ab')"},
      {"'\\z' == '\\\\z'", "True"},
  });
}

TEST(Str, Indexing) {
  CheckRows({
      {"s = 'héllo'; s[0], s[1], s[-1], s[-5]", "('h', 'é', 'o', 'h')"},
      {"s = 'héllo'; s[1:3], s[::-1], s[::2]", "('él', 'olléh', 'hlo')"},
      {"s = 'héllo'; s[-3:-1], s[10:], s[:-10]", "('ll', '', '')"},
      {"s = 'héllo'; s[3:1], s[3:1:-1], s[-1:-6:-1]", "('', 'll', 'olléh')"},
      {"'abc'[True], 'abc'[slice(1, None)]", "('b', 'bc')"},
      {"'abc'[-100:100], 'abc'[::100], 'abc'[::-100]", "('abc', 'a', 'c')"},
      {"'😀é'[1], len('😀é'), len('')", "('é', 2, 0)"},
      {"'abc'[3]", "IndexError: string index out of range"},
      {"'abc'[-4]", "IndexError: string index out of range"},
      {"''[0]", "IndexError: string index out of range"},
      {"'abc'[1.5]", "TypeError: string indices must be integers, not 'float'"},
      {"'abc'['a']", "TypeError: string indices must be integers, not 'str'"},
      {"'abc'[::0]", "ValueError: slice step cannot be zero"},
      {"'abc'[1:'a']",
       "TypeError: slice indices must be integers or None or have an __index__ method"},
      {"s = 'a'; s[0] = 'b'", "TypeError: 'str' object does not support item assignment"},
      {"s = 'a'; del s[0]", "TypeError: 'str' object doesn't support item deletion"},
      {"'a' + 'b' * 3 + 'c' * 0 + 'd' * -1, 3 * 'ab'", "('abbb', 'ababab')"},
      {"'a' * True", "'a'"},
      {"'a' + 1", "TypeError: can only concatenate str (not \"int\") to str"},
      {"'a' * 1.5", "TypeError: can't multiply sequence by non-int of type 'float'"},
      {"'a' - 'b'", "TypeError: unsupported operand type(s) for -: 'str' and 'str'"},
      {"'a' 'b' < 'ac', 'Z' < 'a', '' < 'a'", "(True, True, True)"},
      {"'a' < 'aa', 'é' > 'z', 'a' == 'a'", "(True, True, True)"},
      {"'a' != b'a', '😀' > '\\uffff'", "(True, True)"},
      {"'b' in 'abc', '' in '', '' in 'a'", "(True, True, True)"},
      {"'ac' in 'abc', 'é' in 'hé'", "(False, True)"},
      {"1 in 'abc'", "TypeError: 'in <string>' requires string as left operand, not int"},
  });
}

TEST(Str, Searching) {
  CheckRows({
      {"s = 'banana'; s.find('an'), s.find('an', 2)", "(1, 3)"},
      {"s = 'banana'; s.find('x'), s.rfind('an')", "(-1, 3)"},
      {"s = 'banana'; s.find(''), s.find('', 6)", "(0, 6)"},
      {"s = 'banana'; s.find('', 7), s.rfind('')", "(-1, 6)"},
      {"s = 'banana'; s.find('a', -1)", "5"},
      {"s = 'banana'; s.find('n', 0, 2)", "-1"},
      {"s = 'banana'; s.index('n'), s.rindex('n'), s.count('a'), s.count('ana'), s.count(''), "
       "s.count('a', 2), s.count('a', 2, 5), ''.count(''), s.count('', 3, 2)",
       "(2, 4, 3, 1, 7, 2, 1, 1, 0)"},
      {"'é€é'.find('é', 1), 'é€é'.rfind('€')", "(2, 1)"},
      {"'😀a'.index('a'), 'é€é'.count('é')", "(1, 2)"},
      {"'abc'.index('x')", "ValueError: substring not found"},
      {"'abc'.rindex('x')", "ValueError: substring not found"},
      {"'abc'.find(1)", "TypeError: must be str, not int"},
      {"'abc'.startswith('ab')", "True"},
      {"'abc'.startswith(('x', 'a'))", "True"},
      {"'abc'.startswith('b', 1)", "True"},
      {"'abc'.startswith('')", "True"},
      {"'abc'.startswith('', 4)", "False"},
      {"'abc'.endswith('bc')", "True"},
      {"'abc'.endswith(('x', 'c'), 0, 3)", "True"},
      {"'abc'.endswith('b', 0, 2)", "True"},
      {"'abc'.startswith(())", "False"},
      {"'abc'.startswith(1)",
       "TypeError: startswith first arg must be str or a tuple of str, not int"},
      {"'abc'.endswith((1,))", "TypeError: tuple for endswith must only contain str, not int"},
  });
}

TEST(Str, Splitting) {
  CheckRows({
      {"'a b  c '.split(), ' a b '.split(' ')", "(['a', 'b', 'c'], ['', 'a', 'b', ''])"},
      {"'a,b,,c'.split(','), ''.split()", "(['a', 'b', '', 'c'], [])"},
      {"''.split(','), 'a,b,c'.split(',', 1)", "([''], ['a', 'b,c'])"},
      {"'a b c'.split(None, 1)", "['a', 'b c']"},
      {"'  a b '.split(maxsplit=1)", "['a', 'b ']"},
      {"'aXXbXXc'.split('XX')", "['a', 'b', 'c']"},
      {"'a,b,c'.rsplit(',', 1)", "['a,b', 'c']"},
      {"'a b c '.rsplit(None, 1), ' a  b '.rsplit()", "(['a b', 'c'], ['a', 'b'])"},
      {"'a,b'.rsplit(',', 0)", "['a,b']"},
      {"'a\\u2003b\\x1cc\\xa0d'.split()", "['a', 'b', 'c', 'd']"},
      {"'a\\nb\\r\\nc\\rd\\x0be\\x0cf\\x1cg\\x85h\\u2028i'.splitlines()",
       "['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']"},
      {"'a\\n\\nb\\n'.splitlines(True), ''.splitlines()", "(['a\\n', '\\n', 'b\\n'], [])"},
      {"'\\n'.splitlines()", "['']"},
      {"'a'.splitlines(keepends=True)", "['a']"},
      {"'a=b=c'.partition('='), 'abc'.partition('=')", "(('a', '=', 'b=c'), ('abc', '', ''))"},
      {"'a=b=c'.rpartition('=')", "('a=b', '=', 'c')"},
      {"'abc'.rpartition('='), '='.partition('=')", "(('', '', 'abc'), ('', '=', ''))"},
      {"'-'.join(['a', 'b']), ''.join([])", "('a-b', '')"},
      {"', '.join('abc'), '-'.join(x for x in 'ab')", "('a, b, c', 'a-b')"},
      {"'-'.join({'k': 1}), '-'.join(['a'])", "('k', 'a')"},
      {"'a'.split('')", "ValueError: empty separator"},
      {"'a'.partition('')", "ValueError: empty separator"},
      {"'a'.split(1)", "TypeError: must be str or None, not int"},
      {"'-'.join([1])", "TypeError: sequence item 0: expected str instance, int found"},
      {"'-'.join(['a', 1, None])", "TypeError: sequence item 1: expected str instance, int found"},
      {"'-'.join(5)", "TypeError: can only join an iterable"},
  });
}

TEST(Str, Trimming) {
  CheckRows({
      {"'  a '.strip(), ' a '.lstrip()", "('a', 'a ')"},
      {"' a '.rstrip(), 'xyaxy'.strip('xy')", "(' a', 'a')"},
      {"'xxa'.lstrip('x'), 'axx'.rstrip('xa')", "('a', '')"},
      {"'\\t\\n a\\r\\x0b\\x0c\\u3000'.strip()", "'a'"},
      {"'a'.strip(''), 'éaé'.strip('é'), ''.strip()", "('a', 'a', '')"},
      {"'prefix-x'.removeprefix('prefix-')", "'x'"},
      {"'a'.removeprefix('ab')", "'a'"},
      {"'x.py'.removesuffix('.py')", "'x'"},
      {"'x'.removesuffix(''), 'aa'.removesuffix('a')", "('x', 'a')"},
      {"'a'.strip(1)", "TypeError: strip arg must be None or str"},
  });
}

TEST(Str, Padding) {
  CheckRows({
      {"'a'.center(5), 'ab'.center(5), 'a'.center(4)", "('  a  ', '  ab ', ' a  ')"},
      {"'abc'.center(2), 'a'.center(4, '*')", "('abc', '*a**')"},
      {"'a'.ljust(3) + '|', 'a'.rjust(3, '.')", "('a  |', '..a')"},
      {"'é'.rjust(3, '€')", "'€€é'"},
      {"'42'.zfill(5), '-42'.zfill(5), '+4'.zfill(4)", "('00042', '-0042', '+004')"},
      {"''.zfill(2), 'a'.zfill(1), '--1'.zfill(5)", "('00', 'a', '-00-1')"},
      {"'a\\tb'.expandtabs(), 'a\\tb'.expandtabs(4)", "('a       b', 'a   b')"},
      {"'\\t'.expandtabs(0)", "''"},
      {"'ab\\tc\\n\\td'.expandtabs(4)", "'ab  c\\n    d'"},
      {"'abcdefgh\\ti'.expandtabs()", "'abcdefgh        i'"},
      {"'a'.center(5, 'ab')", "TypeError: The fill character must be exactly one character long"},
      {"'a'.center('5')", "TypeError: 'str' object cannot be interpreted as an integer"},
  });
}

TEST(Str, Case) {
  CheckRows({
      {"'Hello World'.upper(), 'Hello'.lower()", "('HELLO WORLD', 'hello')"},
      {"'hELLO wORLD'.capitalize()", "'Hello world'"},
      {"\"they're bill's 3x\".title()", "\"They'Re Bill'S 3X\""},
      {"'Hello'.swapcase(), ''.capitalize()", "('hELLO', '')"},
      {"''.title()", "''"},
      {"'ß'.upper(), 'ΑΣ'.lower(), 'Σ'.lower()", "('SS', 'ας', 'σ')"},
      {"'ς'.upper(), 'ß'.casefold()", "('Σ', 'ss')"},
      {"'éCOLE'.capitalize()", "'École'"},
      {"'abc'.islower(), 'aBc'.islower()", "(True, False)"},
      {"'ABC'.isupper(), 'A1'.isupper()", "(True, True)"},
      {"'1'.islower(), 'Abc Def'.istitle()", "(False, True)"},
      {"'ABc'.istitle(), ''.islower(), ''.isupper()", "(False, False, False)"},
      {"'a1'.islower()", "True"},
  });
}

TEST(Str, Classes) {
  CheckRows({
      {"'abc'.isalpha(), 'ab1'.isalpha()", "(True, False)"},
      {"''.isalpha(), 'é'.isalpha(), '中'.isalpha()", "(False, True, True)"},
      {"'a b'.isalpha()", "False"},
      {"'123'.isdigit(), '½'.isdigit()", "(True, False)"},
      {"'٣'.isdigit(), '-1'.isdigit()", "(True, False)"},
      {"'1.5'.isdigit(), '½'.isnumeric()", "(False, True)"},
      {"'²'.isdecimal(), '٣'.isdecimal()", "(False, True)"},
      {"''.isdigit()", "False"},
      {"'a1'.isalnum(), 'a_1'.isalnum()", "(True, False)"},
      {"''.isalnum(), ' \\t\\n'.isspace()", "(False, True)"},
      {"''.isspace(), '\\xa0'.isspace()", "(False, True)"},
      {"'\\u200b'.isspace(), 'a_1'.isidentifier()", "(False, True)"},
      {"'1a'.isidentifier(), 'é'.isidentifier()", "(False, True)"},
      {"''.isidentifier(), 'for'.isidentifier()", "(False, True)"},
      {"'abc'.isascii(), 'é'.isascii(), ''.isascii()", "(True, False, True)"},
      {"'a\\n'.isprintable(), 'a b'.isprintable()", "(False, True)"},
      {"'\\xa0'.isprintable(), ''.isprintable()", "(False, True)"},
  });
}

TEST(Str, Replacing) {
  CheckRows({
      {"'banana'.replace('a', 'o')", "'bonono'"},
      {"'banana'.replace('an', '')", "'ba'"},
      {"'banana'.replace('a', 'o', 2)", "'bonona'"},
      {"'abc'.replace('', '-')", "'-a-b-c-'"},
      {"'abc'.replace('', '-', 2)", "'-a-bc'"},
      {"''.replace('', 'x')", "'x'"},
      {"'aaa'.replace('aa', 'b')", "'ba'"},
      {"'a'.replace('a', 'a', 0)", "'a'"},
      {"'é€'.replace('€', 'é')", "'éé'"},
      {"'ab'.replace('x', 'y', -1)", "'ab'"},
      {"'abc'.translate({97: 'x', 98: None, 99: 0x20ac})", "'x€'"},
      {"'abc'.translate(str.maketrans('ab', 'xy'))", "'xyc'"},
      {"'abc'.translate(str.maketrans('a', 'z', 'c'))", "'zb'"},
      {"str.maketrans({'a': 1, 98: 'q'})", "{97: 1, 98: 'q'}"},
      {"'ab'.translate(str.maketrans({'a': 'long'}))", "'longb'"},
      {"'a'.replace('a', 1)", "TypeError: replace() argument 2 must be str, not int"},
      {"str.maketrans('ab', 'c')",
       "ValueError: the first two maketrans arguments must have equal length"},
      {"str.maketrans(1)",
       "TypeError: if you give only one argument to maketrans it must be a dict"},
  });
}

TEST(Str, Encoding) {
  CheckRows({
      {"'aé€😀'.encode(), 'aé'.encode('latin-1')",
       "(b'a\\xc3\\xa9\\xe2\\x82\\xac\\xf0\\x9f\\x98\\x80', b'a\\xe9')"},
      {"'a'.encode('ascii')", "b'a'"},
      {"'aé'.encode('ascii', 'ignore')", "b'a'"},
      {"'aé'.encode('ascii', 'replace')", "b'a?'"},
      {"'é'.encode('utf-16-le')", "b'\\xe9\\x00'"},
      {"'é'.encode('ascii', 'xmlcharrefreplace')", "b'&#233;'"},
      {"'é'.encode('ascii', 'backslashreplace')", "b'\\\\xe9'"},
      {"b'a\\xc3\\xa9'.decode()", "'aé'"},
      {"b'\\xe9'.decode('latin-1')", "'é'"},
      {"b'a\\xff'.decode('utf-8', 'replace')", "'a�'"},
      {"b'a\\xff'.decode('utf-8', 'ignore')", "'a'"},
      {"b'\\xffa'.decode('ascii', 'backslashreplace')", "'\\\\xffa'"},
      {"b''.decode()", "''"},
      {"'é'.encode('ascii')",
       "UnicodeEncodeError: 'ascii' codec can't encode character '\\xe9' in position 0: ordinal "
       "not in range(128)"},
      {"'a€b'.encode('latin-1')",
       "UnicodeEncodeError: 'latin-1' codec can't encode character '\\u20ac' in position 1: "
       "ordinal not in range(256)"},
      {"b'\\xff'.decode()",
       "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start "
       "byte"},
      {"b'a\\xc3'.decode()",
       "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xc3 in position 1: unexpected end of "
       "data"},
      {"b'\\xe9'.decode('ascii')",
       "UnicodeDecodeError: 'ascii' codec can't decode byte 0xe9 in position 0: ordinal not in "
       "range(128)"},
      {"'a'.encode('nope')", "LookupError: unknown encoding: nope"},
      {"'a'.encode('ascii', 'nope'), 1", "(b'a', 1)"},
      {"str(b'\\xff', 'utf-8')",
       "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start "
       "byte"},
  });
}

TEST(Str, Types) {
  CheckRows({
      {"str(type('a')), 'a'.__class__", "(\"<class 'str'>\", <class 'str'>)"},
      {"'abc'.__len__(), 'a'.__contains__('a')", "(3, True)"},
      {"'a'.__add__('b'), 'a'.__mul__(2)", "('ab', 'aa')"},
      {"'ab'.__getitem__(1), list(iter('ab'))", "('b', ['a', 'b'])"},
      {"list(reversed('ab')), sorted('hello')", "(['b', 'a'], ['e', 'h', 'l', 'l', 'o'])"},
      {"''.join(reversed('héy')), [c for c in 'é😀']", "('yéh', ['é', '😀'])"},
      {"dict.fromkeys('aab')", "{'a': None, 'b': None}"},
      {"list(enumerate('ab', 1))", "[(1, 'a'), (2, 'b')]"},
      {"list(zip('ab', 'xyz'))", "[('a', 'x'), ('b', 'y')]"},
      {"'abc'.nope", "AttributeError: 'str' object has no attribute 'nope'"},
      {"'abc'.upper(1)", "TypeError: str.upper() takes no arguments (1 given)"},
      {"'abc'.replace('a')", "TypeError: replace expected at least 2 arguments, got 1"},
      {"str.upper()", "TypeError: unbound method str.upper() needs an argument"},
      {"str.upper(5)",
       "TypeError: descriptor 'upper' for 'str' objects doesn't apply to a 'int' object"},
      {"class S(str):\n  def upper(self): return 'mine'\ns = S('ab'); s, s.upper()",
       "('ab', 'mine')"},
      {"class S(str):\n  def upper(self): return 'mine'\ns = S('ab'); s.lower(), s + 'c'",
       "('ab', 'abc')"},
      {"class S(str):\n  def upper(self): return 'mine'\ns = S('ab'); type(s + 'c').__name__",
       "'str'"},
      {"class S(str):\n  def upper(self): return 'mine'\ns = S('ab'); len(s), s == 'ab'",
       "(2, True)"},
      {"class S(str):\n  def upper(self): return 'mine'\ns = S('ab'); {s: 1}['ab']", "1"},
  });
}

TEST(Bytes, Basics) {
  CheckRows({
      {"b'abc', b\"it's\", b'\\x00\\xff\\n\\\\', bytes(3)",
       "(b'abc', b\"it's\", b'\\x00\\xff\\n\\\\', b'\\x00\\x00\\x00')"},
      {"bytes([1, 2]), bytes('é', 'utf-8'), bytes()", "(b'\\x01\\x02', b'\\xc3\\xa9', b'')"},
      {"b'a' b'b', rb'\\n', bytes(b'x')", "(b'ab', b'\\\\n', b'x')"},
      {"bytes(range(3))", "b'\\x00\\x01\\x02'"},
      {"b'abc'[0], b'abc'[-1], b'abc'[1:]", "(97, 99, b'bc')"},
      {"b'abc'[::-1], list(b'ab'), len(b'abc')", "(b'cba', [97, 98], 3)"},
      {"b'a' + b'b', b'a' * 3, b'a' < b'b'", "(b'ab', b'aaa', True)"},
      {"b'b' in b'abc', 98 in b'abc', b'a' == 'a'", "(True, True, False)"},
      {"b'abc'[3]", "IndexError: index out of range"},
      {"bytes([256])", "ValueError: bytes must be in range(0, 256)"},
      {"bytes(-1)", "ValueError: negative count"},
      {"bytes('a')", "TypeError: string argument without an encoding"},
      {"bytes([1, 'a'])", "TypeError: 'str' object cannot be interpreted as an integer"},
      {"bytes(1.5)", "TypeError: cannot convert 'float' object to bytes"},
      {"b'a' + 'a'", "TypeError: can't concat str to bytes"},
      {"b'é'", "SyntaxError: bytes can only contain ASCII literal characters"},
      {"'a' b'b'", "SyntaxError: cannot mix bytes and nonbytes literals"},
      {"256 in b'a'", "ValueError: byte must be in range(0, 256)"},
      {"'a' in b'a'", "TypeError: a bytes-like object is required, not 'str'"},
      {"b = b'a'; b[0] = 1", "TypeError: 'bytes' object does not support item assignment"},
  });
}

TEST(Bytes, Methods) {
  CheckRows({
      {"b'banana'.find(b'an'), b'banana'.find(97)", "(1, 1)"},
      {"b'banana'.rfind(b'an')", "3"},
      {"b'banana'.count(b'a'), b'banana'.index(b'n')", "(3, 2)"},
      {"b'ab'.startswith(b'a')", "True"},
      {"b'ab'.endswith((b'x', b'b'))", "True"},
      {"b'a b c'.split(), b'a,b'.split(b',')", "([b'a', b'b', b'c'], [b'a', b'b'])"},
      {"b'a,b,c'.rsplit(b',', 1)", "[b'a,b', b'c']"},
      {"b'a\\nb\\r\\n'.splitlines()", "[b'a', b'b']"},
      {"b'a=b'.partition(b'=')", "(b'a', b'=', b'b')"},
      {"b','.join([b'a', b'b']), b' a '.strip()", "(b'a,b', b'a')"},
      {"b'xax'.strip(b'x')", "b'a'"},
      {"b'banana'.replace(b'a', b'')", "b'bnn'"},
      {"b'aB'.upper(), b'aB'.lower()", "(b'AB', b'ab')"},
      {"b'ab cd'.title(), b'aB'.swapcase()", "(b'Ab Cd', b'Ab')"},
      {"b'ab'.capitalize(), b'a'.center(3)", "(b'Ab', b' a ')"},
      {"b'a'.rjust(3, b'.'), b'4'.zfill(3)", "(b'..a', b'004')"},
      {"b'ab'.isalpha(), b'12'.isdigit()", "(True, True)"},
      {"b'\\t'.isspace()", "True"},
      {"b'ab'.hex(), bytes.fromhex('61 62')", "('6162', b'ab')"},
      {"b'abc'.translate(None, b'b')", "b'ac'"},
      {"b'ab'.removeprefix(b'a')", "b'b'"},
      {"b'a\\tb'.expandtabs(2)", "b'a b'"},
      {"bytes.fromhex('zz')",
       "ValueError: non-hexadecimal number found in fromhex() arg at position 0"},
      {"b'a'.split('a')", "TypeError: a bytes-like object is required, not 'str'"},
      {"b'a'.join(['a'])", "TypeError: sequence item 0: expected a bytes-like object, str found"},
      {"b'abc'.index(b'x')", "ValueError: subsection not found"},
      {"hash(b'a') == hash(b'a'), {b'a': 1}[b'a']", "(True, 1)"},
      {"repr(b'a\"'), repr(b'\\'\"'), str(b'a')", "('b\\'a\"\\'', 'b\\'\\\\\\'\"\\'', \"b'a'\")"},
  });
}

TEST(Bytearray, Basics) {
  CheckRows({
      {"a = bytearray(b'abc'); a[0] = 122; a.append(33); a += b'x'; del a[1]; a, bytes(a), len(a), "
       "a[1:3], a == b'zc!x'",
       "(bytearray(b'zc!x'), b'zc!x', 4, bytearray(b'c!'), True)"},
      {"a = bytearray(3); a[:] = b'hello'; a.reverse(); a.insert(0, 65); a.extend([66, 67]); "
       "a.pop(), a",
       "(67, bytearray(b'AollehB'))"},
      {"a = bytearray(1); a[0] = 256", "ValueError: byte must be in range(0, 256)"},
      {"bytearray(b'a').pop(5)", "IndexError: pop index out of range"},
      {"m = memoryview(b'abc'); m[0], bytes(m[1:]), len(m), m.tolist(), m == b'abc'",
       "(97, b'bc', 3, [97, 98, 99], True)"},
  });
}

}  // namespace
}  // namespace tensh::shell
