// Ints and bools of any size through the language: operators, conversions, methods and errors.
#include "tests/unit/shell/python/rows.h"

namespace tensh::shell {
namespace {

TEST(Int, Arithmetic) {
  CheckRows({
      {"7 // 2, -7 // 2, 7 // -2, -7 // -2", "(3, -4, -4, 3)"},
      {"7 % 2, -7 % 2, 7 % -2, -7 % -2", "(1, 1, -1, -1)"},
      {"0 // 5, 0 % -5, -0", "(0, 0, 0)"},
      {"divmod(-7, 2), divmod(7, -2)", "((-4, 1), (-4, -1))"},
      {"divmod(2**70, -3)", "(-393530540239137101142, -2)"},
      {"2 ** 10, (-2) ** 3, 0 ** 0, 2 ** -2", "(1024, -8, 1, 0.25)"},
      {"(-2) ** -1", "-0.5"},
      {"-2 ** 2, 2 ** 3 ** 2, (2 ** 3) ** 2", "(-4, 512, 64)"},
      {"10 / 4, -1 / 3, 6 / 3, 2**60 / 2**58", "(2.5, -0.3333333333333333, 2.0, 4.0)"},
      {"1 / 3 * 3 == 1, 0.1 + 0.2", "(True, 0.30000000000000004)"},
      {"True + True, True * 3, -True, ~True", "(2, 3, -1, -2)"},
      {"True / 2", "0.5"},
      {"+5, -(-5), ~0, ~7, ~-1", "(5, 5, -1, -8, 0)"},
      {"5 - -5, 5 --5, 5 + +5", "(10, 10, 10)"},
  });
}

TEST(Int, Bits) {
  CheckRows({
      {"6 & 3, 6 | 3, 6 ^ 3, -6 & 3, -6 | 3, -6 ^ 3", "(2, 7, 5, 2, -5, -7)"},
      {"1 << 10, -1 << 3, 1 >> 1, -1 >> 1, -8 >> 1", "(1024, -8, 0, -1, -4)"},
      {"5 >> 100, -5 >> 100", "(0, -1)"},
      {"1 << 63, 1 << 64, (1 << 64) >> 63", "(9223372036854775808, 18446744073709551616, 2)"},
      {"True & False, True | 2, True ^ True", "(False, 3, False)"},
      {"(2**65 + 1) & 1, -(2**65) | 1", "(1, -36893488147419103231)"},
      {"(2**65) ^ (2**65)", "0"},
      {"1 << 0, 0 << 1000000", "(1, 0)"},
  });
}

TEST(Int, OverflowsToBigInts) {
  CheckRows({
      {"9223372036854775807 + 1", "9223372036854775808"},
      {"-9223372036854775808 - 1", "-9223372036854775809"},
      {"9223372036854775807 * 2", "18446744073709551614"},
      {"-9223372036854775808 * -1", "9223372036854775808"},
      {"-(-9223372036854775808)", "9223372036854775808"},
      {"abs(-9223372036854775808)", "9223372036854775808"},
      {"-9223372036854775808 // -1", "9223372036854775808"},
      {"divmod(-9223372036854775808, -1)", "(9223372036854775808, 0)"},
      {"3037000500 * 3037000500", "9223372037000250000"},
      {"9223372036854775808 - 1", "9223372036854775807"},
      {"2**63 - 2**63", "0"},
      {"(2**64 - 2**64 + 5).bit_length()", "3"},
      {"sum([2**62] * 4)", "18446744073709551616"},
      {"x = 2**62; x += x; x -= 1; x", "9223372036854775807"},
  });
}

TEST(Int, Comparisons) {
  CheckRows({
      {"1 < 2 < 3, 1 < 3 < 2, 1 == 1.0, 1 == True", "(True, False, True, True)"},
      {"0 == False", "True"},
      {"2**64 > 2**63, -2**64 < -2**63", "(True, True)"},
      {"2**64 == 2.0**64, 2**53 + 1 == 2.0**53", "(True, False)"},
      {"2**1000 > 1e300, 10**400 > float('inf')", "(True, False)"},
      {"-10**400 < float('-inf')", "False"},
      {"1 == '1', 1 != '1', 2**70 == None", "(False, True, False)"},
      {"1 < float('nan'), 1 >= float('nan')", "(False, False)"},
      {"2**70 != float('nan')", "True"},
      {"hash(1) == hash(1.0) == hash(True), hash(2**64) == hash(2.0**64)", "(True, True)"},
      {"hash(-1), hash(-2), hash(2**61 - 1)", "(-2, -2, 0)"},
      {"hash(2**61), hash(0)", "(1, 0)"},
  });
}

TEST(Int, FromText) {
  CheckRows({
      {"int('  42  '), int('-0'), int('+7')", "(42, 0, 7)"},
      {"int('1_000'), int('007')", "(1000, 7)"},
      {"int('ff', 16), int('0xff', 16)", "(255, 255)"},
      {"int('0xFF', 0), int('0b101', 0)", "(255, 5)"},
      {"int('0o17', 0)", "15"},
      {"int('z', 36), int('-Zz', 36), int('1' * 30)",
       "(35, -1295, 111111111111111111111111111111)"},
      {"int(b'12'), int('0', 0), int('00', 0)", "(12, 0, 0)"},
      {"int('12', base=8), int(x := 5), int()", "(10, 5, 0)"},
      {"int('')", "ValueError: invalid literal for int() with base 10: ''"},
      {"int(' ')", "ValueError: invalid literal for int() with base 10: ' '"},
      {"int('1__0')", "ValueError: invalid literal for int() with base 10: '1__0'"},
      {"int('_1')", "ValueError: invalid literal for int() with base 10: '_1'"},
      {"int('1_')", "ValueError: invalid literal for int() with base 10: '1_'"},
      {"int('0x')", "ValueError: invalid literal for int() with base 10: '0x'"},
      {"int('12a')", "ValueError: invalid literal for int() with base 10: '12a'"},
      {"int('9', 8)", "ValueError: invalid literal for int() with base 8: '9'"},
      {"int('010', 0)", "ValueError: invalid literal for int() with base 0: '010'"},
      {"int('1', 1)", "ValueError: int() base must be >= 2 and <= 36, or 0"},
      {"int('1', 37)", "ValueError: int() base must be >= 2 and <= 36, or 0"},
      {"int(12, 10)", "TypeError: int() can't convert non-string with explicit base"},
      {"int('1.5')", "ValueError: invalid literal for int() with base 10: '1.5'"},
      {"int([1])",
       "TypeError: int() argument must be a string, a bytes-like object or a real number, not "
       "'list'"},
      {"int(None)",
       "TypeError: int() argument must be a string, a bytes-like object or a real number, not "
       "'NoneType'"},
      {"int('a\\x00b')", "ValueError: invalid literal for int() with base 10: 'a\\x00b'"},
  });
}

TEST(Int, FromNumbers) {
  CheckRows({
      {"int(3.99), int(-3.99), int(1e20), int(True)", "(3, -3, 100000000000000000000, 1)"},
      {"int(-0.0)", "0"},
      {"int(float('nan'))", "ValueError: cannot convert float NaN to integer"},
      {"int(float('inf'))", "OverflowError: cannot convert float infinity to integer"},
      {"int(1j)",
       "TypeError: int() argument must be a string, a bytes-like object or a real number, not "
       "'complex'"},
      {"round(5), round(15, -1), round(25, -1)", "(5, 20, 20)"},
      {"round(-15, -1), round(12345, -3)", "(-20, 12000)"},
      {"round(5, 3)", "5"},
      {"round(2**70, -5), round(-2**70, -20)", "(1180591620717411300000, -1200000000000000000000)"},
      {"round(7, -1), round(1, -400)", "(10, 0)"},
  });
}

TEST(Int, Methods) {
  CheckRows({
      {"(0).bit_length(), (255).bit_length()", "(0, 8)"},
      {"(-256).bit_length(), (2**100).bit_length()", "(9, 101)"},
      {"(255).bit_count(), (-7).bit_count()", "(8, 3)"},
      {"(2**100 - 1).bit_count()", "100"},
      {"(1024).to_bytes(2, 'big')", "b'\\x04\\x00'"},
      {"(1024).to_bytes(4, 'little')", "b'\\x00\\x04\\x00\\x00'"},
      {"(-1).to_bytes(2, 'big', signed=True)", "b'\\xff\\xff'"},
      {"(0).to_bytes(0, 'big'), (5).to_bytes()", "(b'', b'\\x05')"},
      {"int.from_bytes(b'\\x04\\x00', 'big')", "1024"},
      {"int.from_bytes(b'\\xff\\xff', 'little', signed=True)", "-1"},
      {"int.from_bytes(b'', 'big')", "0"},
      {"int.from_bytes([1, 2], 'big'), int.from_bytes(b'\\x80' + b'\\x00' * 8, 'big')",
       "(258, 2361183241434822606848)"},
      {"(256).to_bytes(1, 'big')", "OverflowError: int too big to convert"},
      {"(-1).to_bytes(1, 'big')", "OverflowError: can't convert negative int to unsigned"},
      {"(1).to_bytes(1, 'middle')", "ValueError: byteorder must be either 'little' or 'big'"},
      {"(128).to_bytes(1, 'big', signed=True)", "OverflowError: int too big to convert"},
      {"(5).real, (5).imag, (5).numerator", "(5, 0, 5)"},
      {"(5).denominator, (5).conjugate()", "(1, 5)"},
      {"(7).as_integer_ratio(), True.real", "((7, 1), 1)"},
      {"(5).__index__()", "5"},
      {"(5).__add__(2), (5).__add__('x')", "(7, NotImplemented)"},
      {"isinstance(True, int), issubclass(bool, int)", "(True, True)"},
      {"type(True + 1)", "<class 'int'>"},
  });
}

TEST(Int, BuiltinFunctions) {
  CheckRows({
      {"abs(-5), abs(True), pow(2, 10)", "(5, 1, 1024)"},
      {"pow(2, 10, 1000), pow(3, -1, 7)", "(24, 5)"},
      {"pow(2, 5, -7)", "-3"},
      {"pow(2, 0, 1), pow(-3, 5, 7)", "(0, 2)"},
      {"pow(2, 1000, 2**61 - 1)", "16777216"},
      {"bin(10), bin(-10), oct(8), hex(255)", "('0b1010', '-0b1010', '0o10', '0xff')"},
      {"hex(-255), bin(0), hex(2**70)", "('-0xff', '0b0', '0x400000000000000000')"},
      {"chr(97), chr(0x1f600), ord('a'), ord('€')", "('a', '😀', 97, 8364)"},
      {"ord(b'a')", "97"},
      {"max(3, 1, 2), min([4, 2, 9]), max('b', 'a')", "(3, 2, 'b')"},
      {"max([], default=7), min(3, -3, key=abs)", "(7, 3)"},
      {"max([1, -3], key=abs)", "-3"},
      {"sum([1, 2], 10), sum([])", "(13, 0)"},
      {"sum([[1], [2]], []), sum([0.1] * 3)", "([1, 2], 0.30000000000000004)"},
      {"sum([True, True])", "2"},
      {"any([]), all([]), any([0, ''])", "(False, True, False)"},
      {"all([1, 'a', []])", "False"},
      {"any(x > 2 for x in [1, 3])", "True"},
      {"divmod(7, 0)", "ZeroDivisionError: integer division or modulo by zero"},
      {"7 // 0", "ZeroDivisionError: integer division or modulo by zero"},
      {"7 % 0", "ZeroDivisionError: integer modulo by zero"},
      {"7 / 0", "ZeroDivisionError: division by zero"},
      {"0 ** -1", "ZeroDivisionError: 0.0 cannot be raised to a negative power"},
      {"pow(2, 2, 0)", "ValueError: pow() 3rd argument cannot be 0"},
      {"pow(2, -1, 4)", "ValueError: base is not invertible for the given modulus"},
      {"pow(2.0, 2, 3)",
       "TypeError: pow() 3rd argument not allowed unless all arguments are integers"},
      {"1 << -1", "ValueError: negative shift count"},
      {"1 >> -1", "ValueError: negative shift count"},
      {"10**400 / 3", "OverflowError: integer division result too large for a float"},
      {"10**400 * 1.0", "OverflowError: int too large to convert to float"},
      {"float(10**400)", "OverflowError: int too large to convert to float"},
      {"chr(-1)", "ValueError: chr() arg not in range(0x110000)"},
      {"chr(0x110000)", "ValueError: chr() arg not in range(0x110000)"},
      {"ord('ab')", "TypeError: ord() expected a character, but string of length 2 found"},
      {"ord(5)", "TypeError: ord() expected string of length 1, but int found"},
      {"abs('a')", "TypeError: bad operand type for abs(): 'str'"},
      {"hex(1.5)", "TypeError: 'float' object cannot be interpreted as an integer"},
      {"sum(['a'], '')", "TypeError: sum() can't sum strings [use ''.join(seq) instead]"},
      {"sum(['a'])", "TypeError: unsupported operand type(s) for +: 'int' and 'str'"},
      {"max([])", "ValueError: max() arg is an empty sequence"},
      {"max(1)", "TypeError: 'int' object is not iterable"},
      {"max(1, 'a')", "TypeError: '>' not supported between instances of 'str' and 'int'"},
      {"min(1, 2, default=3)",
       "TypeError: Cannot specify a default for min() with multiple positional arguments"},
  });
}

TEST(Int, OperandErrors) {
  CheckRows({
      {"1 + '1'", "TypeError: unsupported operand type(s) for +: 'int' and 'str'"},
      {"1 - None", "TypeError: unsupported operand type(s) for -: 'int' and 'NoneType'"},
      {"'a' * 1.5", "TypeError: can't multiply sequence by non-int of type 'float'"},
      {"[1] + (1,)", "TypeError: can only concatenate list (not \"tuple\") to list"},
      {"{} | 1", "TypeError: unsupported operand type(s) for |: 'dict' and 'int'"},
      {"1 @ 2", "TypeError: unsupported operand type(s) for @: 'int' and 'int'"},
      {"-'a'", "TypeError: bad operand type for unary -: 'str'"},
      {"~1.5", "TypeError: bad operand type for unary ~: 'float'"},
      {"1 & 1.0", "TypeError: unsupported operand type(s) for &: 'int' and 'float'"},
      {"1 < 'a'", "TypeError: '<' not supported between instances of 'int' and 'str'"},
      {"None >= None",
       "TypeError: '>=' not supported between instances of 'NoneType' and 'NoneType'"},
      {"'a' in 5", "TypeError: argument of type 'int' is not iterable"},
      {"5 in 'abc'", "TypeError: 'in <string>' requires string as left operand, not int"},
      {"x = 1; x += 'a'", "TypeError: unsupported operand type(s) for +=: 'int' and 'str'"},
      {"x = [1]; x -= [1]", "TypeError: unsupported operand type(s) for -=: 'list' and 'list'"},
      {"1 ** 'a'", "TypeError: unsupported operand type(s) for ** or pow(): 'int' and 'str'"},
      {"'a' % ()", "'a'"},
      {"'%d' % 'a'", "TypeError: %d format: a real number is required, not str"},
      {"not_a_thing + 1", "NameError: name 'not_a_thing' is not defined"},
      {"5()", "TypeError: 'int' object is not callable"},
      {"5[0]", "TypeError: 'int' object is not subscriptable"},
      {"5[0] = 1", "TypeError: 'int' object does not support item assignment"},
      {"del 5[0]", "TypeError: 'int' object does not support item deletion"},
      {"5 .x", "AttributeError: 'int' object has no attribute 'x'"},
      {"for i in 5: pass", "TypeError: 'int' object is not iterable"},
      {"a, b = 5", "TypeError: cannot unpack non-iterable int object"},
      {"a, b = 1, 2, 3", "ValueError: too many values to unpack (expected 2)"},
      {"a, *b, c = [1]", "ValueError: not enough values to unpack (expected at least 2, got 1)"},
      {"a, b = []", "ValueError: not enough values to unpack (expected 2, got 0)"},
      {"[*5]", "TypeError: Value after * must be an iterable, not int"},
      {"f(*5) if (f := print) else 0",
       "TypeError: print() argument after * must be an iterable, not int"},
      {"print(**5)", "TypeError: print() argument after ** must be a mapping, not int"},
  });
}

}  // namespace
}  // namespace tensh::shell
