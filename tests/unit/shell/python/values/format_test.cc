// format(), f-strings, % and str.format on every type.
#include "tests/unit/shell/python/rows.h"

namespace tensh::shell {
namespace {

TEST(Format, Int) {
  CheckRows({
      {"f'{42:5}|{42:<5}|{42:^5}|{42:>5}|{42:=5}|{-42:=5}|{-42:05}'",
       "'   42|42   | 42  |   42|   42|-  42|-0042'"},
      {"f'{42:+}|{42: }|{-42:+}|{-42: }|{0:+}|{42:-}'", "'+42| 42|-42|-42|+0|42'"},
      {"f'{255:x}|{255:X}|{255:#x}|{255:#X}|{255:o}|{255:#o}|{5:b}|{5:#b}|{-5:#b}'",
       "'ff|FF|0xff|0XFF|377|0o377|101|0b101|-0b101'"},
      {"f'{255:#06x}|{255:#010b}|{-255:#08x}|{255:*^#10x}'",
       "'0x00ff|0b11111111|-0x000ff|***0xff***'"},
      {"f'{1234567:,}|{1234567:_}|{-1234567:,}|{0x12345678:_x}|{255:_b}|{999:,}|{1000:,}'",
       "'1,234,567|1_234_567|-1,234,567|1234_5678|1111_1111|999|1,000'"},
      {"f'{1234567:012,}|{1234:08_}|{1234:8,}|{12:04,}|{-1234:010,}'",
       "'0,001,234,567|0_001_234|   1,234|0,012|-0,001,234'"},
      {"f'{97:c}|{0x20ac:c}|{97:5c}|{97:<5c}'", "'a|€|    a|a    '"},
      {"f'{42:f}|{42:.2f}|{42:e}|{42:g}|{42:%}|{42:.0%}|{10**20:g}|{10**20:.3f}'",
       "'42.000000|42.00|4.200000e+01|42|4200.000000%|4200%|1e+20|100000000000000000000.000'"},
      {"f'{2**100}|{2**100:,}|{2**100:x}|{-2**100:#x}|{2**100:40}|{2**100:e}'",
       "'1267650600228229401496703205376|1,267,650,600,228,229,401,496,703,205,376|"
       "10000000000000000000000000|-0x10000000000000000000000000|         "
       "1267650600228229401496703205376|1.267651e+30'"},
      {"f'{True}|{True:d}|{True:5}|{True:b}|{False:+}'", "'True|1|    1|1|+0'"},
      {"f'{42:n}|{1234567:n}|{42:d}|{0:05d}|{-0:05d}'", "'42|1234567|42|00000|00000'"},
      {"f'{42:.2}'", "ValueError: Precision not allowed in integer format specifier"},
      {"f'{42:.2d}'", "ValueError: Precision not allowed in integer format specifier"},
      {"f'{42:s}'", "ValueError: Unknown format code 's' for object of type 'int'"},
      {"f'{42:z}'",
       "ValueError: Negative zero coercion (z) not allowed in integer format specifier"},
      {"f'{42:,x}'", "ValueError: Cannot specify ',' with 'x'."},
      {"f'{42:,_}'", "ValueError: Cannot specify both ',' and '_'."},
      {"f'{42:c,}'", "ValueError: Invalid format specifier 'c,' for object of type 'int'"},
      {"f'{-1:c}'", "OverflowError: %c arg not in range(0x110000)"},
      {"f'{0x110000:c}'", "OverflowError: %c arg not in range(0x110000)"},
      {"f'{97:+c}'", "ValueError: Sign not allowed with integer format specifier 'c'"},
      {"f'{97:#c}'",
       "ValueError: Alternate form (#) not allowed with integer format specifier 'c'"},
      {"f'{42:5 5}'", "ValueError: Invalid format specifier '5 5' for object of type 'int'"},
      {"f'{42:99999999999999999999}'", "ValueError: Too many decimal digits in format string"},
      {"f'{10**400:f}'", "OverflowError: int too large to convert to float"},
  });
}

TEST(Format, Float) {
  CheckRows({
      {"f'{3.14159:.2f}|{3.14159:8.2f}|{3.14159:<8.2f}|{3.14159:^8.2f}|{-3.14159:08.2f}|{3.14159:+."
       "1f}'",
       "'3.14|    3.14|3.14    |  3.14  |-0003.14|+3.1'"},
      {"f'{0.5:.0f}|{1.5:.0f}|{2.5:.0f}|{0.125:.2f}|{0.375:.2f}|{2.675:.2f}|{1e22:.1f}|{1e23:.0f}'",
       "'0|2|2|0.12|0.38|2.67|10000000000000000000000.0|99999999999999991611392'"},
      {"f'{1234.5:e}|{1234.5:.2e}|{1234.5:E}|{0.0:e}|{1e100:e}|{1e-300:.1e}|{9.995:.2e}'",
       "'1.234500e+03|1.23e+03|1.234500E+03|0.000000e+00|1.000000e+100|1.0e-300|9.99e+00'"},
      {"f'{1234.5:g}|{0.0001:g}|{0.00001:g}|{1e6:g}|{1e5:g}|{100000.0:G}|{1e10:G}|{1.0:g}|{1.0:#g}|"
       "{0.0:g}'",
       "'1234.5|0.0001|1e-05|1e+06|100000|100000|1E+10|1|1.00000|0'"},
      {"f'{1234567.891:,}|{1234567.891:,.1f}|{1234567.0:_.2f}|{1e16:,}|{1234.5:012,.1f}|{-1234.5:,}"
       "'",
       "'1,234,567.891|1,234,567.9|1_234_567.00|1e+16|00,001,234.5|-1,234.5'"},
      {"f'{0.256:%}|{0.256:.1%}|{1:.0%}|{-0.5:8.1%}|{float(\"inf\"):%}'",
       "'25.600000%|25.6%|100%|  -50.0%|inf%'"},
      {"f'{1.0}|{1.0:}|{1.0:5}|{1e16}|{1e16:5}|{1.5:<8}|{1.5:08}|{-1.5:08}|{1.5:+}'",
       "'1.0|1.0|  1.0|1e+16|1e+16|1.5     |000001.5|-00001.5|+1.5'"},
      {"f'{1.0:.3}|{123456.0:.3}|{0.00001234:.2}|{1.0:.1}|{100.0:.3}|{123.456:.4}'",
       "'1.0|1.23e+05|1.2e-05|1e+00|1e+02|123.5'"},
      {"f'{float(\"nan\")}|{float(\"nan\"):5}|{float(\"inf\"):+}|{float(\"-inf\"):08}|{float("
       "\"nan\"):F}|{float(\"inf\"):,}|{float(\"nan\"):06.1f}'",
       "'nan|  nan|+inf|-0000inf|NAN|inf|000nan'"},
      {"f'{-0.0}|{-0.0:.1f}|{-0.04:.1f}|{0.04:-.1f}|{-0.0:z.1f}|{-0.04:z.1f}|{-0.06:z.1f}'",
       "'-0.0|-0.0|-0.0|0.0|0.0|0.0|-0.1'"},
      {"f'{1.5:#.0f}|{2.0:#.0e}|{3.0:#.3g}|{3.0:#}'", "'2.|2.e+00|3.00|3.0'"},
      {"f'{5e-324:.330f}'[-10:], f'{0.1:.25f}'", "('0004940656', '0.1000000000000000055511151')"},
      {"f'{2**0.5:.30g}', f'{1e300:.0f}'[:20]",
       "('1.41421356237309514547462185874', '10000000000000000525')"},
      {"f'{1.5:d}'", "ValueError: Unknown format code 'd' for object of type 'float'"},
      {"f'{1.5:x}'", "ValueError: Unknown format code 'x' for object of type 'float'"},
      {"f'{1.5:s}'", "ValueError: Unknown format code 's' for object of type 'float'"},
      {"f'{1.5:c}'", "ValueError: Unknown format code 'c' for object of type 'float'"},
      {"f'{1.5:.f}'", "ValueError: Format specifier missing precision"},
      {"f'{1.5:.-2f}'", "ValueError: Format specifier missing precision"},
      {"f'{1.5:99999999999999999999f}'", "ValueError: Too many decimal digits in format string"},
  });
}

TEST(Format, Str) {
  CheckRows({
      {"f'{\"ab\":5}|{\"ab\":<5}|{\"ab\":^5}|{\"ab\":>5}|{\"ab\":*^6}|{\"ab\":.1}|{\"ab\":5.1}|{"
       "\"ab\":s}|{\"ab\":05}'",
       "'ab   |ab   | ab  |   ab|**ab**|a|a    |ab|ab000'"},
      {"f'{\"é€😀\":5}|{\"é€😀\":.2}|{\"ab\":😀^6}|{\"\":3}|{\"\":.0}|{\"abc\":.10}|{\"abc\":2}'",
       "'é€😀  |é€|😀😀ab😀😀|   ||abc|abc'"},
      {"f'{\"a\":<1}|{\"a\":}>3}'", "SyntaxError: f-string: single '}' is not allowed"},
      {"f'{\"ab\":=5}'", "ValueError: '=' alignment not allowed in string format specifier"},
      {"f'{\"ab\":+}'", "ValueError: Sign not allowed in string format specifier"},
      {"f'{\"ab\":,}'", "ValueError: Cannot specify ',' with 's'."},
      {"f'{\"ab\":d}'", "ValueError: Unknown format code 'd' for object of type 'str'"},
      {"f'{\"ab\":#}'", "ValueError: Alternate form (#) not allowed in string format specifier"},
      {"f'{\"ab\": }'", "ValueError: Space not allowed in string format specifier"},
      {"f'{[1]:5}'", "TypeError: unsupported format string passed to list.__format__"},
      {"f'{None:5}'", "TypeError: unsupported format string passed to NoneType.__format__"},
      {"f'{[1]}|{None}|{(1,)}|{print is print}'", "'[1]|None|(1,)|True'"},
      {"f'{{}}:{{5}}'", "'{}:{5}'"},
  });
}

TEST(Format, FStrings) {
  CheckRows({
      {"x = 3; f'{x}{x!r}{x!s}{x!a}'", "'3333'"},
      {"f'{\"é\"!r}|{\"é\"!a}|{\"é\"!s}|{\"a\"!r:>6}'", "\"'é'|'\\\\xe9'|é|   'a'\""},
      {"x = 3; f'{x=}|{x = }|{x=!s}|{x=:4}|{x+1=}'", "'x=3|x = 3|x=3|x=   3|x+1=4'"},
      {"w = 8; p = 2; f'{3.14159:{w}.{p}f}|{\"a\":{\"*\"}^{w}}|{5:{\"0\"}{4}}'",
       "'    3.14|***a****|0005'"},
      {"f'{ {\"a\": 1}[\"a\"] }|{[i for i in range(3)]}|{(lambda: 5)()}|{1 if True else 2}'",
       "'1|[0, 1, 2]|5|1'"},
      {"f'{{x}}|{{{1}}}|}}{{'", "'{x}|{1}|}{'"},
      {"f\"{'a' 'b'}\" \"c\" f\"{1}\" 'd{}'", "'abc1d{}'"},
      {"f'''{", "SyntaxError: unterminated triple-quoted string literal (detected at line 1)"},
      {"1 +", "SyntaxError: invalid syntax"},
      {"2}'''", "SyntaxError: unmatched '}'"},
      {"rf'\\n{1}\\d', fr'{2}\\{3}'", "('\\\\n1\\\\d', '2\\\\3')"},
      {"x = 5; f'{x!r:^{x}}', f'{x:{x}}'", "('  5  ', '    5')"},
      {"x = 5; f'{f\"{x}\"}'", "'5'"},
      {"f'{1!=2}|{1==1}|{(x:=4)}|{3>2}'", "'True|True|4|True'"},
      {"f'{}'", "SyntaxError: f-string: empty expression not allowed"},
      {"f'{1'", "SyntaxError: f-string: expecting '}'"},
      {"f'}'", "SyntaxError: f-string: single '}' is not allowed"},
      {"f'{1!x}'",
       "SyntaxError: f-string: invalid conversion character: expected 's', 'r', or 'a'"},
      {"f'{1!}'", "SyntaxError: f-string: invalid conversion character: expected 's', 'r', or 'a'"},
      {"f'{#}'", "SyntaxError: f-string expression part cannot include '#'"},
      {"class A:\n  def __format__(self, spec): return 'A<' + spec + "
       "'>'\nf'{A()}|{A():abc}|{A():{1+1}}'",
       "'A<>|A<abc>|A<2>'"},
      {"class A:\n  def __format__(self, spec): return 5\nf'{A()}'",
       "TypeError: __format__ must return a str, not int"},
      {"class A:\n  def __str__(self): return 'S'\n  def __repr__(self): return "
       "'R'\nf'{A()}{A()!r}{A()!s}{A()=}'",
       "'SRSA()=R'"},
  });
}

TEST(Format, Percent) {
  CheckRows({
      {"'%d %i %u' % (1, -2, 3), '%5d|%-5d|%05d|%+d|% d' % (42, 42, 42, 42, 42)",
       "('1 -2 3', '   42|42   |00042|+42| 42')"},
      {"'%x %X %#x %o %#o %#X' % (255, 255, 255, 8, 8, 255)", "'ff FF 0xff 10 0o10 0XFF'"},
      {"'%x' % -255, '%#x' % -255, '%08x' % 255", "('-ff', '-0xff', '000000ff')"},
      {"'%.3d|%5.3d|%-6.3d|%+.3d' % (5, 5, 5, 5)", "'005|  005|005   |+005'"},
      {"'%d' % 3.99, '%d' % -3.99, '%d' % True", "('3', '-3', '1')"},
      {"'%d' % 2**100", "'1267650600228229401496703205376'"},
      {"'%f %.2f %8.3f %-8.1f| %+f %e %.1E %g' % (1.5, 1.5, 1.5, 1.5, 1.5, 15000.0, 0.00015, 1e10)",
       "'1.500000 1.50    1.500 1.5     | +1.500000 1.500000e+04 1.5E-04 1e+10'"},
      {"'%g %G %.3g %#g %#.0f' % (1e-5, 1e-10, 1234.5, 1.0, 2.0)",
       "'1e-05 1E-10 1.23e+03 1.00000 2.'"},
      {"'%f %F %e' % (float('nan'), float('inf'), float('-inf'))", "'nan INF -inf'"},
      {"'%05.1f|%-7.1f|' % (-2.55, float('inf'))", "'-02.5|inf    |'"},
      {"'%s %r %a %5s|%-5s|%.1s|%5.1s|' % ('é', 'é', 'é', 'a', 'a', 'abc', 'abc')",
       "\"é 'é' '\\\\xe9'     a|a    |a|    a|\""},
      {"'%s' % None, '%s' % [1], '%r' % (1,)", "('None', '[1]', '1')"},
      {"'%c%c%3c|%-3c|' % (97, 'é', 'b', 'c'), '%%|%5%|%d%%' % 5",
       "ValueError: unsupported format character '%' (0x25) at index 5"},
      {"'%(a)s %(b)05.1f %(a)r' % {'a': 1, 'b': 2.5}", "'1 002.5 1'"},
      {"'%(a b)s' % {'a b': 3}", "'3'"},
      {"'%(x)s' % {'x': 1, 'y': 2}", "'1'"},
      {"'%((a))s' % {'(a)': 7}", "'7'"},
      {"'%*d|%-*d|%.*f|%*.*f' % (5, 1, 5, 1, 2, 1.234, 8, 3, 1.5), '%*d|' % (-5, 1)",
       "('    1|1    |1.23|   1.500', '1    |')"},
      {"'%s' % (1,), '%s %s' % ((1, 2), 3)", "('1', '(1, 2) 3')"},
      {"'%s' % ((1, 2),), 'abc' % {}, 'abc' % []", "('(1, 2)', 'abc', 'abc')"},
      {"'' % {'a': 1}, '%s' % {}, '%s' % {1: 2}", "('', '{}', '{1: 2}')"},
      {"'%ld %hd %Lf' % (1, 2, 3.0), '%i' % 10**20", "('1 2 3.000000', '100000000000000000000')"},
      {"'%.0f %.0f' % (0.5, 1.5), '%s' % 1e16", "('0 2', '1e+16')"},
      {"'%5s' % True", "' True'"},
      {"'%s %s' % 1", "TypeError: not enough arguments for format string"},
      {"'%s' % (1, 2)", "TypeError: not all arguments converted during string formatting"},
      {"'%d' % 'a'", "TypeError: %d format: a real number is required, not str"},
      {"'%d' % None", "TypeError: %d format: a real number is required, not NoneType"},
      {"'%x' % 1.5", "TypeError: %x format: an integer is required, not float"},
      {"'%f' % 'a'", "TypeError: must be real number, not str"},
      {"'%c' % 'ab'", "TypeError: %c requires int or char"},
      {"'%c' % 1.5", "TypeError: %c requires int or char"},
      {"'%c' % 0x110000", "OverflowError: %c arg not in range(0x110000)"},
      {"'%q' % 1", "ValueError: unsupported format character 'q' (0x71) at index 1"},
      {"'%' % 1", "ValueError: incomplete format"},
      {"'%(a)s' % 1", "TypeError: format requires a mapping"},
      {"'%(a)s' % {}", "KeyError: 'a'"},
      {"'%(a' % {'a': 1}", "ValueError: incomplete format key"},
      {"'%*d' % ('a', 1)", "TypeError: * wants int"},
      {"'abc' % 1", "TypeError: not all arguments converted during string formatting"},
      {"'%s' % ()", "TypeError: not enough arguments for format string"},
      {"'%d' % float('nan')", "ValueError: cannot convert float NaN to integer"},
      {"'%d' % float('inf')", "OverflowError: cannot convert float infinity to integer"},
      {"b'%d %s %5.1f %c %x %a' % (1, b'x', 2.5, 65, 255, 'é'), b'%b|%-4s|' % (b'q', b'z')",
       "(b\"1 x   2.5 A ff '\\\\xe9'\", b'q|z   |')"},
      {"b'%s' % 'a'",
       "TypeError: %b requires a bytes-like object, or an object that implements __bytes__, not "
       "'str'"},
      {"b'%b' % 5",
       "TypeError: %b requires a bytes-like object, or an object that implements __bytes__, not "
       "'int'"},
  });
}

TEST(Format, Method) {
  CheckRows({
      {"'{} {}'.format(1, 2), '{1} {0}'.format(1, 2)", "('1 2', '2 1')"},
      {"'{a} {b}'.format(a=1, b=2)", "'1 2'"},
      {"'{0}{0}'.format(3), '{{}}{}'.format(5)", "('33', '{}5')"},
      {"'{:>5}|{:<5}|{:^5}'.format(1, 'a', 'b')", "'    1|a    |  b  '"},
      {"'{0:.2f}'.format(1.239)", "'1.24'"},
      {"'{:{}}|'.format('a', 4)", "'a   |'"},
      {"'{:{w}.{p}f}'.format(1.2345, w=8, p=2)", "'    1.23'"},
      {"'{0:{1}}|{2}'.format(1, 3, 4)", "'  1|4'"},
      {"'{!r} {!s} {!a}'.format('é', 'é', 'é')", "\"'é' é '\\\\xe9'\""},
      {"'{0!r:>5}'.format('a')", "\"  'a'\""},
      {"'{a!s:*^7}'.format(a='mid')", "'**mid**'"},
      {"'{0.real} {0.imag}'.format(1+2j)", "'1.0 2.0'"},
      {"'{0[1]} {a[k]} {0[0][1]}'.format([[7, 8], 2], a={'k': 3})", "'2 3 8'"},
      {"'{a[0].real}'.format(a=[5])", "'5'"},
      {"'{0[a b]}'.format({'a b': 1})", "'1'"},
      {"'{}'.format([1]), '{!r}'.format(None)", "('[1]', 'None')"},
      {"'{:}'.format(1), '{:%}'.format(0.5)", "('1', '50.000000%')"},
      {"''.format(1), '{[1]}'.format((4, 5))", "('', '5')"},
      {"'{a}'.format_map({'a': 1}), 'x{y}'.format_map({'y': [1]})", "('1', 'x[1]')"},
      {"'{} {}'.format(1)",
       "IndexError: Replacement index 1 out of range for positional args tuple"},
      {"'{0} {}'.format(1)",
       "ValueError: cannot switch from manual field specification to automatic field numbering"},
      {"'{} {0}'.format(1)",
       "ValueError: cannot switch from automatic field numbering to manual field specification"},
      {"'{a}'.format(1)", "KeyError: 'a'"},
      {"'{2}'.format(1)", "IndexError: Replacement index 2 out of range for positional args tuple"},
      {"'{'.format(1)", "ValueError: Single '{' encountered in format string"},
      {"'}'.format(1)", "ValueError: Single '}' encountered in format string"},
      {"'{0'.format(1)", "ValueError: expected '}' before end of string"},
      {"'{!x}'.format(1)", "ValueError: Unknown conversion specifier x"},
      {"'{!'.format(1)", "ValueError: end of string while looking for conversion specifier"},
      {"'{0.x}'.format(1)", "AttributeError: 'int' object has no attribute 'x'"},
      {"'{0[x]}'.format([1])", "TypeError: list indices must be integers or slices, not str"},
      {"'{0[}'.format([1])", "ValueError: expected '}' before end of string"},
      {"'{0]}'.format([1])", "KeyError: '0]'"},
      {"'{:d}'.format('a')", "ValueError: Unknown format code 'd' for object of type 'str'"},
      {"'{0.}'.format(1)", "ValueError: Empty attribute in format string"},
      {"'{a}'.format_map({})", "KeyError: 'a'"},
      {"'{:{:{}}}'.format(1, 2, 3)", "ValueError: Max string recursion exceeded"},
  });
}

TEST(Format, Function) {
  CheckRows({
      {"format(5), format('a'), format(1.5, '')", "('5', 'a', '1.5')"},
      {"format(5, '>3'), format(None, '')", "('  5', 'None')"},
      {"format([1], ''), format(True, 'd')", "('[1]', '1')"},
      {"format(5, 5)", "TypeError: format() argument 2 must be str, not int"},
      {"format(1, 2, 3)", "TypeError: format expected at most 2 arguments, got 3"},
      {"format([], 'x')", "TypeError: unsupported format string passed to list.__format__"},
      {"str(b'a'), str(b'\\xc3\\xa9', 'utf-8'), str(5)", "(\"b'a'\", 'é', '5')"},
      {"str(None), str(), str(object=3)", "('None', '', '3')"},
      {"str(b'ab', encoding='ascii'), repr('a')", "('ab', \"'a'\")"},
      {"ascii('é€😀\\n')", "\"'\\\\xe9\\\\u20ac\\\\U0001f600\\\\n'\""},
  });
}

}  // namespace
}  // namespace tensh::shell
