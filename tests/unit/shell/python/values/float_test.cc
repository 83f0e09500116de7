// Floats and complex numbers through the language: text, operators, rounding, methods and errors.
#include "tests/unit/shell/python/rows.h"

namespace tensh::shell {
namespace {

TEST(Float, Repr) {
  CheckRows({
      {"0.0, -0.0, 1.0, -1.5, 100.0, 1e15, 1e16",
       "(0.0, -0.0, 1.0, -1.5, 100.0, 1000000000000000.0, 1e+16)"},
      {"1e-4, 1e-5", "(0.0001, 1e-05)"},
      {"0.1, 1/3, 2/3, 1e22, 1e23", "(0.1, 0.3333333333333333, 0.6666666666666666, 1e+22, 1e+23)"},
      {"123456789012345680.0, 5e-324", "(1.2345678901234568e+17, 5e-324)"},
      {"1.7976931348623157e308", "1.7976931348623157e+308"},
      {"float('inf'), float('-inf'), float('nan')", "(inf, -inf, nan)"},
      {"-float('nan')", "nan"},
      {"3.0e0, 1_0.5_0, .5, 5., 1e+3, 1E-3, 0e0", "(3.0, 10.5, 0.5, 5.0, 1000.0, 0.001, 0.0)"},
      {"00.5", "0.5"},
      {"9007199254740993.0, 9007199254740992.0, 4.35",
       "(9007199254740992.0, 9007199254740992.0, 4.35)"},
      {"2.675, 1.005", "(2.675, 1.005)"},
      {"1e100, 1.5e300, 1e-300, 123e-7, 0.00012345",
       "(1e+100, 1.5e+300, 1e-300, 1.23e-05, 0.00012345)"},
      {"0.000012345", "1.2345e-05"},
      {"str(1.0), f'{1.0}', repr(1e16), str(-0.0)", "('1.0', '1.0', '1e+16', '-0.0')"},
  });
}

TEST(Float, FromText) {
  CheckRows({
      {"float(' 1.5 '), float('1e3'), float('-.5')", "(1.5, 1000.0, -0.5)"},
      {"float('5.'), float('1_0.0'), float('+1')", "(5.0, 10.0, 1.0)"},
      {"float('INF'), float('-Infinity')", "(inf, -inf)"},
      {"float('NaN'), float('+nan'), float('1e400')", "(nan, nan, inf)"},
      {"float('-1e-400')", "-0.0"},
      {"float(b'1.5'), float(True), float()", "(1.5, 1.0, 0.0)"},
      {"float(2**53 + 1)", "9007199254740992.0"},
      {"float('')", "ValueError: could not convert string to float: ''"},
      {"float('1.5.2')", "ValueError: could not convert string to float: '1.5.2'"},
      {"float('1e')", "ValueError: could not convert string to float: '1e'"},
      {"float('_1')", "ValueError: could not convert string to float: '_1'"},
      {"float('0x1p3')", "ValueError: could not convert string to float: '0x1p3'"},
      {"float('infinit')", "ValueError: could not convert string to float: 'infinit'"},
      {"float(None)",
       "TypeError: float() argument must be a string or a real number, not 'NoneType'"},
      {"float('1 2')", "ValueError: could not convert string to float: '1 2'"},
      {"float.fromhex('0x1.8p1')", "3.0"},
      {"float.fromhex('-0x0.1p-4')", "-0.00390625"},
      {"float.fromhex('inf'), float.fromhex('1.8')", "(inf, 1.5)"},
      {"(0.1).hex(), (-0.0).hex(), (1e-310).hex()",
       "('0x1.999999999999ap-4', '-0x0.0p+0', '0x0.012688b70e62bp-1022')"},
  });
}

TEST(Float, Arithmetic) {
  CheckRows({
      {"7.5 // 2, -7.5 // 2, 7.5 % 2, -7.5 % 2", "(3.0, -4.0, 1.5, 0.5)"},
      {"7.5 % -2, -0.0 % 2, 0.0 // -1", "(-0.5, 0.0, -0.0)"},
      {"divmod(-7.5, 2), divmod(7.5, -2)", "((-4.0, 0.5), (-4.0, -0.5))"},
      {"divmod(1e300, 1e-300)", "(inf, 4.891554850853602e-301)"},
      {"1e308 * 10, -1e308 * 10", "(inf, -inf)"},
      {"1e308 + 1e308 - 1e308", "inf"},
      {"float('inf') - float('inf')", "nan"},
      {"2.0 ** 0.5, (-8) ** (1/3), (-2.0) ** 2",
       "(1.4142135623730951, (1.0000000000000002+1.7320508075688772j), 4.0)"},
      {"(-2.0) ** 3, 0.0 ** 0, float('nan') ** 0", "(-8.0, 1.0, 1.0)"},
      {"1.0 ** float('nan')", "1.0"},
      {"float('inf') ** -1, 0.5 ** float('inf')", "(0.0, 0.0)"},
      {"(-1.0) ** float('inf'), (-0.0) ** 3", "(1.0, -0.0)"},
      {"5 % float('inf'), -5 % float('inf')", "(5.0, inf)"},
      {"float('inf') // 2, 5.0 // float('inf')", "(nan, 0.0)"},
      {"-5.0 // float('inf')", "-1.0"},
      {"0.1 + 0.7, 0.1 * 3, 1 - 0.9, 1e16 + 1",
       "(0.7999999999999999, 0.30000000000000004, 0.09999999999999998, 1e+16)"},
      {"1e16 + 2", "1.0000000000000002e+16"},
      {"-0.0 + 0.0, -0.0 - 0.0, -0.0 + -0.0", "(0.0, -0.0, -0.0)"},
      {"0.0 * -1, 0 * -1.0", "(-0.0, -0.0)"},
      {"0.0 == -0.0, float('nan') == float('nan')", "(True, False)"},
      {"float('nan') != float('nan')", "True"},
      {"n = float('nan'); n is n, [n] == [n], n in [n], n == n, {n: 1}[n]",
       "(True, True, True, False, 1)"},
      {"1.0 / 0", "ZeroDivisionError: float division by zero"},
      {"1.0 // 0", "ZeroDivisionError: float floor division by zero"},
      {"1.0 % 0", "ZeroDivisionError: float modulo"},
      {"0.0 ** -1", "ZeroDivisionError: 0.0 cannot be raised to a negative power"},
      {"2.0 ** 10000", "OverflowError: (34, 'Numerical result out of range')"},
      {"1e308 ** 2", "OverflowError: (34, 'Numerical result out of range')"},
      {"divmod(1.0, 0.0)", "ZeroDivisionError: float divmod()"},
      {"1.5 & 1", "TypeError: unsupported operand type(s) for &: 'float' and 'int'"},
      {"1.5 << 1", "TypeError: unsupported operand type(s) for <<: 'float' and 'int'"},
  });
}

TEST(Float, Rounding) {
  CheckRows({
      {"round(0.5), round(1.5), round(2.5)", "(0, 2, 2)"},
      {"round(-0.5), round(-1.5), round(2.675, 2)", "(0, -2, 2.67)"},
      {"round(1.005, 2)", "1.0"},
      {"round(1234.5678, -2), round(1234.5678, 2)", "(1200.0, 1234.57)"},
      {"round(-1234.5678, -3), round(0.5, 0)", "(-1000.0, 0.0)"},
      {"round(1.5, 0), round(1e300, 2)", "(2.0, 1e+300)"},
      {"round(5e15 + 0.5), round(1e20)", "(5000000000000000, 100000000000000000000)"},
      {"round(2.5, None), type(round(2.5))", "(2, <class 'int'>)"},
      {"type(round(2.5, 0)), type(round(2, 1))", "(<class 'float'>, <class 'int'>)"},
      {"round(1e-320, 310), round(0.1, 400)", "(0.0, 0.1)"},
      {"round(1.5, -400), round(12.5, -1)", "(0.0, 10.0)"},
      {"round(-0.04, 1)", "-0.0"},
      {"round(float('nan'), 2), round(float('inf'), 2)", "(nan, inf)"},
      {"round(float('nan'))", "ValueError: cannot convert float NaN to integer"},
      {"round(float('inf'))", "OverflowError: cannot convert float infinity to integer"},
      {"round(1.5, 1.5)", "TypeError: 'float' object cannot be interpreted as an integer"},
      {"round('a')", "TypeError: type str doesn't define __round__ method"},
  });
}

TEST(Float, Methods) {
  CheckRows({
      {"(2.0).is_integer(), (2.5).is_integer()", "(True, False)"},
      {"float('inf').is_integer()", "False"},
      {"(0.75).as_integer_ratio()", "(3, 4)"},
      {"(-0.5).as_integer_ratio()", "(-1, 2)"},
      {"(1e20).as_integer_ratio()", "(100000000000000000000, 1)"},
      {"(1.5).real, (1.5).imag, (1.5).conjugate()", "(1.5, 0.0, 1.5)"},
      {"(2.7).__int__(), (2.7).__trunc__()", "(2, 2)"},
      {"hash(0.5), hash(1.5), hash(float('inf'))",
       "(1152921504606846976, 1152921504606846977, 314159)"},
      {"hash(-0.0), hash(1e300), hash(0.1)", "(0, 1224995262755759164, 230584300921369408)"},
      {"float('inf').as_integer_ratio()",
       "OverflowError: cannot convert Infinity to integer ratio"},
      {"float('nan').as_integer_ratio()", "ValueError: cannot convert NaN to integer ratio"},
      {"(1.5).__add__(1), (1.5).__eq__('a')", "(2.5, NotImplemented)"},
      {"float.__mul__(2.0, 3)", "6.0"},
      {"abs(-1.5), abs(-0.0), max(1, 1.0)", "(1.5, 0.0, 1)"},
      {"min(1.0, 1), sum([1, 2.5]), bool(0.0)", "(1.0, 3.5, False)"},
      {"bool(-0.0), bool(float('nan'))", "(False, True)"},
      {"max(float('nan'), 1), max(1, float('nan'))", "(nan, 1)"},
      {"sorted([3.5, -1, 2])", "[-1, 2, 3.5]"},
  });
}

TEST(Complex, Repr) {
  CheckRows({
      {"1j, 1+2j, -1j, 1-0j, -0j, 0j", "(1j, (1+2j), (-0-1j), (1+0j), (-0-0j), 0j)"},
      {"complex(-0.0, 1)", "(-0+1j)"},
      {"complex(1e20, 1e-7)", "(1e+20+1e-07j)"},
      {"complex(float('inf'), float('nan')), 1.5j", "((inf+nanj), 1.5j)"},
      {"1e16j, complex(float('nan'), -1)", "(1e+16j, (nan-1j))"},
      {"complex(0, float('-inf'))", "-infj"},
      {"str(1j), f'{1+2j}', f'{1.5+2j:.2f}'", "('1j', '(1+2j)', '1.50+2.00j')"},
      {"f'{3+4j:10.1f}|', format(1j, 'e')", "('  3.0+4.0j|', '0.000000e+00+1.000000e+00j')"},
  });
}

TEST(Complex, FromText) {
  CheckRows({
      {"complex('1+2j'), complex('j'), complex('-j')", "((1+2j), 1j, -1j)"},
      {"complex(' (1-2j) '), complex('1e3')", "((1-2j), (1000+0j))"},
      {"complex('infj'), complex('nan-infj')", "(infj, (nan-infj))"},
      {"complex(1, 2), complex(1j, 1j), complex()", "((1+2j), (-1+1j), 0j)"},
      {"complex(real=1, imag=2)", "(1+2j)"},
      {"complex('1.5e-3-2.5e+2j')", "(0.0015-250j)"},
      {"complex('1 + 2j')", "ValueError: complex() arg is a malformed string"},
      {"complex('')", "ValueError: complex() arg is a malformed string"},
      {"complex('1j2')", "ValueError: complex() arg is a malformed string"},
      {"complex('1', 2)", "TypeError: complex() can't take second arg if first is a string"},
      {"complex(1, '2')", "TypeError: complex() second arg can't be a string"},
      {"complex(None)",
       "TypeError: complex() first argument must be a string or a number, not 'NoneType'"},
  });
}

TEST(Complex, Arithmetic) {
  CheckRows({
      {"(1+2j) * (3-4j), (1+2j) / (3-4j), (1+2j) + 1", "((11+2j), (-0.2+0.4j), (2+2j))"},
      {"1 - (1+2j), -(1+2j), +(1j)", "(-2j, (-1-2j), 1j)"},
      {"(1+2j) ** 2, 1j ** 2, (1+2j) ** 0", "((-3+4j), (-1+0j), (1+0j))"},
      {"(1+2j) ** -1, 2 ** 1j, (1+2j) ** (1+1j)",
       "((0.2-0.4j), (0.7692389013639721+0.6389612763136348j), "
       "(-0.24720004426291722+0.6964504870825432j))"},
      {"(1+2j) == (1+2j), 1+0j == 1, 1j != 1j", "(True, True, False)"},
      {"(1+2j) == 'a', hash(1+0j) == hash(1)", "(False, True)"},
      {"abs(3+4j), (1+2j).real, (1+2j).imag", "(5.0, 1.0, 2.0)"},
      {"(1+2j).conjugate(), bool(0j), bool(1j)", "((1-2j), False, True)"},
      {"abs(complex(float('inf'), float('nan'))), complex(1e308, 1e308) * 10", "(inf, (inf+infj))"},
      {"(1+2j) / 0", "ZeroDivisionError: complex division by zero"},
      {"0j ** -1", "ZeroDivisionError: 0.0 to a negative or complex power"},
      {"(1j) < 2", "TypeError: '<' not supported between instances of 'complex' and 'int'"},
      {"(1j) // 2", "TypeError: unsupported operand type(s) for //: 'complex' and 'int'"},
      {"(1j) % 2", "TypeError: unsupported operand type(s) for %: 'complex' and 'int'"},
      {"int(1j)",
       "TypeError: int() argument must be a string, a bytes-like object or a real number, not "
       "'complex'"},
      {"float(1j)", "TypeError: float() argument must be a string or a real number, not 'complex'"},
      {"abs(complex(1e308, 1e308))", "1.4142135623730951e+308"},
      {"round(1j)", "TypeError: type complex doesn't define __round__ method"},
  });
}

}  // namespace
}  // namespace tensh::shell
