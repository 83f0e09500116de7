// Arithmetic of arrays: broadcasting, type rules, integers at their limits, elementwise functions,
// and errors.
#include "tests/unit/shell/numpy/rows.h"

namespace tensh::shell {
namespace {

TEST(Arithmetic, Operators) {
  CheckNumpyRows({
      {"a, b = np.array([7, -7]), np.array([2, 2])\n"
       "a + b, a - b, a * b, a / b, a // b, a % b, a ** b, -a, +a, abs(a), divmod(a, b)",
       "(array([ 9, -5]), array([ 5, -9]), array([ 14, -14]), array([ 3.5, -3.5]), array([ 3, "
       "-4]), array([1, 1]), array([49, 49]), array([-7,  7]), array([ 7, -7]), array([7, 7]), "
       "(array([ 3, -4]), array([1, 1])))"},
      {"a, b = np.array([6, 5]), np.array([3, 1])\n"
       "a & b, a | b, a ^ b, ~a, a << b, a >> b, a < b, a == b, a != b, a >= 5",
       "(array([2, 1]), array([7, 5]), array([5, 4]), array([-7, -6]), array([48, 10]), array([0, "
       "2]), array([False, False]), array([False, False]), array([ True,  True]), array([ True,  "
       "True]))"},
      {"np.array([1., 0., -1.]) / 0, np.array([0.]) / 0, np.array([5.]) % 0, np.inf - np.inf",
       "(array([ inf,  nan, -inf]), array([nan]), array([nan]), nan)"},
      {"np.array([True, False]) & True, ~np.array([True]), np.array([True]) + True, "
       "np.array([True, False]) * 2, np.array([True]) ^ np.array([True])",
       "(array([ True, False]), array([False]), array([ True]), array([2, 0]), array([False]))"},
      {"np.array([True]) - np.array([True])",
       "TypeError: numpy boolean subtract, the `-` operator, is not supported, use the "
       "bitwise_xor, the `^` operator, or the logical_xor function instead."},
      {"-np.array([True])",
       "TypeError: The numpy boolean negative, the `-` operator, is not supported, use the `~` "
       "operator or the logical_not function instead."},
      {"np.array([1.5]) & 1",
       "TypeError: ufunc 'bitwise_and' not supported for the input types, and the inputs could not "
       "be safely coerced to any supported types according to the casting rule ''safe''"},
      {"np.array(['a']) + 1",
       "UFuncTypeError: ufunc 'add' did not contain a loop with signature matching types "
       "(dtype('<U1'), dtype('int64')) -> None"},
      {"np.array([1, 2]) + np.array([1, 2, 3])",
       "ValueError: operands could not be broadcast together with shapes (2,) (3,) "},
      {"np.ones((2, 3)) + np.ones((3, 2))",
       "ValueError: operands could not be broadcast together with shapes (2,3) (3,2) "},
      {"(np.ones((3, 1)) + np.ones(4)).shape, (np.ones((2, 1, 3)) * np.ones((4, 1))).shape, "
       "np.array([[1], [2]]) + [10, 20]",
       "((3, 4), (2, 4, 3), array([[11, 21],\n"
       "       [12, 22]]))"},
      {"a = np.array([1, 2])\n"
       "a += 1\n"
       "a *= 3\n"
       "a //= 2\n"
       "a -= [1, 1]\n"
       "a",
       "array([2, 3])"},
      {"a = np.array([1, 2])\n"
       "a += 0.5\n"
       "a",
       "UFuncTypeError: Cannot cast ufunc 'add' output from dtype('float64') to dtype('int64') "
       "with casting rule 'same_kind'"},
      {"a = np.array([1, 2])\n"
       "a /= 2\n"
       "a",
       "UFuncTypeError: Cannot cast ufunc 'divide' output from dtype('float64') to dtype('int64') "
       "with casting rule 'same_kind'"},
      {"2 - np.array([1, 2]), 2 ** np.array([1, 2]), 10 / np.array([4., 5.]), [1, 2] + "
       "np.array([3, 4]), np.array([3]) - (1,), 7 // np.array([2]), 7 % np.array([4])",
       "(array([1, 0]), array([2, 4]), array([2.5, 2. ]), array([4, 6]), array([2]), array([3]), "
       "array([3]))"},
      {"np.array([1, 2]) == None", "array([False, False])"},
      {"np.array([1, 2]) == [1, 3]", "array([ True, False])"},
      {"np.array([2, 3]) ** -1",
       "ValueError: Integers to negative integer powers are not allowed."},
      {"np.array([2., 3.]) ** -1, np.array([4.]) ** .5, np.array([-1.]) ** .5, np.array([2, 3]) ** "
       "2.",
       "(array([0.5       , 0.33333333]), array([2.]), array([nan]), array([4., 9.]))"},
      {"np.array([[1, 2], [3, 4]]) @ np.array([1, 1]), np.array([1, 2]) @ np.array([3, 4]), "
       "np.ones((2, 3)) @ np.ones((3, 1))",
       "(array([3, 7]), 11, array([[3.],\n"
       "       [3.]]))"},
      {"np.ones((2, 3)) @ np.ones((2, 3))",
       "ValueError: matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc "
       "signature (n?,k),(k,m?)->(n?,m?) (size 2 is different from 3)"},
      {"np.array(2) @ np.array(3)",
       "ValueError: matmul: Input operand 0 does not have enough dimensions (has 0, gufunc core "
       "with signature (n?,k),(k,m?)->(n?,m?) requires 1)"},
  });
}

TEST(Arithmetic, Types) {
  CheckNumpyRows({
      {"[(np.ones(1, a) + np.ones(1, b)).dtype.name for a, b in (('i1', 'u1'), ('i4', 'f4'), "
       "('i8', 'f4'), ('u8', 'i8'), ('f2', 'i2'), ('f4', 'c8'), ('?', 'i1'), ('f4', 'f8'))]",
       "['int16', 'float64', 'float64', 'float64', 'float32', 'complex64', 'int8', 'float64']"},
      {"(np.ones(1, 'f4') + 1).dtype, (np.ones(1, 'i1') + 1).dtype, (np.ones(1, 'f4') * "
       "2.5).dtype, (np.ones(1, 'i4') + 1.5).dtype",
       "(dtype('float32'), dtype('int8'), dtype('float32'), dtype('float64'))"},
      {"(np.ones(1, 'i4') / 2).dtype, (np.ones(1, 'f4') / 2).dtype, (np.ones(1, 'i1') // 2).dtype, "
       "(np.ones(1, '?') + np.ones(1, '?')).dtype, (np.ones(1, 'i1') ** 2).dtype",
       "(dtype('float64'), dtype('float32'), dtype('int8'), dtype('bool'), dtype('int8'))"},
      {"np.array([127], 'i1') + np.array([1], 'i1'), np.array([0], 'u1') - np.array([1], 'u1'), "
       "np.array([2 ** 62]) * 2, np.array([200], 'u1') + np.array([100], 'u1')",
       "(array([-128], dtype=int8), array([255], dtype=uint8), array([-9223372036854775808]), "
       "array([44], dtype=uint8))"},
      {"np.array([2 ** 31 - 1], 'i4') + np.array([1], 'i4'), np.array([-128], 'i1') // "
       "np.array([-1], 'i1'), abs(np.array([-128], 'i1')), np.array([1], 'u8') - np.array([2], "
       "'u8')",
       "(array([-2147483648], dtype=int32), array([-128], dtype=int8), array([-128], dtype=int8), "
       "array([18446744073709551615], dtype=uint64))"},
      {"np.sqrt([4, 9]).dtype", "dtype('float64')"},
      {"np.exp(np.float32(0)).dtype", "dtype('float32')"},
      {"np.sin(np.ones(1, 'i1')).dtype", "dtype('float16')"},
      {"np.square(np.ones(1, 'i1')).dtype", "dtype('int8')"},
      {"np.add(1, 2).dtype", "dtype('int64')"},
      {"np.add([1, 2], 3, dtype=float)", "array([4., 5.])"},
      {"np.add(1, 1, dtype=np.int8).dtype", "dtype('int8')"},
      {"o = np.zeros(2)\n"
       "r = np.add([1, 2], [3, 4], out=o)\n"
       "r is o, o, np.subtract([5, 6], 1, out=np.zeros(2, int))",
       "(True, array([4., 6.]), array([4, 5]))"},
      {"np.add([1, 2], [3, 4], out=np.zeros(3))",
       "ValueError: could not broadcast input array from shape (2,) into shape (3,)"},
      {"np.add(1)", "TypeError: add expected at least 2 arguments, got 1"},
      {"np.add(1, 2, nope=3)", "TypeError: 'nope' is an invalid keyword argument for add()"},
      {"np.add([1, 2], 1, where=[True, False], out=np.array([9, 9]))", "array([2, 9])"},
  });
}

TEST(Ufuncs, Values) {
  CheckNumpyRows({
      {"np.floor([-1.5, 1.5]), np.ceil([-1.5]), np.trunc([-1.5]), np.rint([.5, 1.5]), "
       "np.round([1.25, 2.35], 1), np.around([15, 25], -1), np.fix([-1.5])",
       "(array([-2.,  1.]), array([-1.]), array([-1.]), array([0., 2.]), array([1.2, 2.4]), "
       "array([20, 20]), array([-1.]))"},
      {"np.sign([-2, 0, 3.]), np.abs([-1, 2]), np.negative([1]), np.square([3]), np.sqrt([9.]), "
       "np.reciprocal([4.]), np.cbrt([27.]), np.exp2([3])",
       "(array([-1.,  0.,  1.]), array([1, 2]), array([-1]), array([9]), array([3.]), "
       "array([0.25]), array([3.]), array([8.]))"},
      {"np.maximum([1, 5], [3, 2]), np.minimum([1, 5], 3), np.fmax([1, np.nan], [np.nan, 2]), "
       "np.maximum([1, np.nan], 2), np.clip([1, 5, 9], 2, 6), np.clip([1, 5], None, 3)",
       "(array([3, 5]), array([1, 3]), array([1., 2.]), array([ 2., nan]), array([2, 5, 6]), "
       "array([1, 3]))"},
      {"np.isnan([1, np.nan]), np.isinf([np.inf, 1]), np.isfinite([np.inf, 1]), np.signbit([-0., "
       "0.]), np.copysign(1, -0.), np.nan_to_num([np.nan, np.inf, -np.inf])",
       "(array([False,  True]), array([ True, False]), array([False,  True]), array([ True, "
       "False]), -1.0, array([ 0.00000000e+000,  1.79769313e+308, -1.79769313e+308]))"},
      {"np.logical_and([1, 0], 1), np.logical_or(0, [0, 2]), np.logical_not([0, 1]), "
       "np.logical_xor([1, 0], 1), np.greater([1, 2], 1), np.not_equal(1, 2)",
       "(array([ True, False]), array([False,  True]), array([ True, False]), array([False,  "
       "True]), array([False,  True]), True)"},
      {"np.floor_divide(-7, 2), np.mod(-7, 3), np.fmod(-7, 3), np.remainder(7, -3), np.divmod(7, "
       "2), np.true_divide(7, 2), np.power(2, 5), np.float_power(2, -1)",
       "(-4, 2, -1, -2, (3, 1), 3.5, 32, 0.5)"},
      {"np.gcd(12, 18), np.lcm(4, 6), np.hypot(3, 4), np.arctan2(1, 1) * 4 == np.pi, "
       "np.deg2rad(180) == np.pi, np.degrees(np.pi), np.heaviside([-1, 0, 1], .5)",
       "(6, 12, 5.0, True, True, 180.0, array([0. , 0.5, 1. ]))"},
      {"np.left_shift(1, 3), np.right_shift(8, 1), np.bitwise_and(6, 3), np.invert(5), "
       "np.bitwise_or([1, 2], 4), np.bitwise_xor(5, 1)",
       "(8, 4, 2, -6, array([5, 6]), 4)"},
      {"np.modf([1.5, -1.5])", "(array([ 0.5, -0.5]), array([ 1., -1.]))"},
      {"np.log2(8)", "3.0"},
      {"np.log10(1000)", "3.0"},
      {"np.log1p(0)", "0.0"},
      {"np.expm1(0)", "0.0"},
      {"np.real([1 + 2j]), np.imag([1 + 2j]), np.conj([1 + 2j]), np.angle([1j]) * 2 == np.pi, "
       "np.abs([3 + 4j]), np.isreal([1, 1j]), np.iscomplex([1, 1j]), np.real_if_close([1 + 0j])",
       "(array([1.]), array([2.]), array([1.-2.j]), array([ True]), array([5.]), array([ True, "
       "False]), array([False,  True]), array([1.]))"},
      {"np.sqrt('a')",
       "TypeError: ufunc 'sqrt' not supported for the input types, and the inputs could not be "
       "safely coerced to any supported types according to the casting rule ''safe''"},
      {"np.sqrt(-1.), np.log(0.), np.arcsin(2.)", "(nan, -inf, nan)"},
      {"f = np.vectorize(lambda a, b: a + b * 10)\n"
       "f([1, 2], 3), np.frompyfunc(lambda x: x * 2, 1, 1)([1, 2]), np.vectorize(len)(['a', 'bc'])",
       "(array([31, 32]), array([2, 4], dtype=object), array([1, 2]))"},
      {"np.interp([.5, 5], [0, 1, 2], [0, 10, 20]), np.allclose([1, 1 + 1e-9], 1), np.isclose([1, "
       "1.1], 1), np.array_equal([1, 2], [1, 2]), np.array_equiv([1, 1], 1)",
       "(array([ 5., 20.]), True, array([ True, False]), True, True)"},
      {"np.convolve([1, 2, 3], [1, 1]), np.convolve([1, 2, 3], [1, 1], 'same'), np.convolve([1, 2, "
       "3], [1, 1], 'valid'), np.correlate([1, 2, 3], [0, 1]), np.cross([1, 0, 0], [0, 1, 0])",
       "(array([1, 3, 5, 3]), array([1, 3, 5]), array([3, 5]), array([2, 3]), array([0, 0, 1]))"},
      {"np.convolve([], [1])", "ValueError: v cannot be empty"},
      {"np.errstate(divide='ignore').__class__.__name__", "'errstate'"},
      {"np.sinc([0., 1.]).round(6)", "array([1., 0.])"},
      {"np.unwrap([0, 4.]).round(4)", "array([ 0.    , -2.2832])"},
      {"4.0", "4.0"},
  });
}

}  // namespace
}  // namespace tensh::shell
