// Making arrays: types and shapes of literals, ranges, grids, fills, copies, and errors. The
// expected texts are numpy's.
#include "tests/unit/shell/numpy/rows.h"

namespace tensh::shell {
namespace {

TEST(Making, FromLiterals) {
  CheckNumpyRows({
      {"np.array([1, 2, 3])", "array([1, 2, 3])"},
      {"np.array([1, 2.5])", "array([1. , 2.5])"},
      {"np.array([True, 2])", "array([1, 2])"},
      {"np.array(['a', 'bcd'])", "array(['a', 'bcd'], dtype='<U3')"},
      {"np.array([[1, 2], [3, 4]]), np.array(5), np.array([]), np.array([[]]), np.array([[], "
       "[]]).shape",
       "(array([[1, 2],\n"
       "       [3, 4]]), array(5), array([], dtype=float64), array([], shape=(1, 0), "
       "dtype=float64), (2, 0))"},
      {"np.array([1, 2], np.float32), np.array([1.9, -1.9], int), np.array([0, 2], bool), "
       "np.array([1, 2], 'i1'), np.array([1], dtype=complex)",
       "(array([1., 2.], dtype=float32), array([ 1, -1]), array([False,  True]), array([1, 2], "
       "dtype=int8), array([1.+0.j]))"},
      {"np.array(b'ab'), np.array([b'a', b'bcd']), np.array('é').dtype, np.array(['é', "
       "'ab']).itemsize",
       "(array(b'ab', dtype='|S2'), array([b'a', b'bcd'], dtype='|S3'), dtype('<U1'), 8)"},
      {"[np.array(v).dtype for v in (1, 1., 1j, True, 'a', b'a', 2 ** 40, 2 ** 63, [1, 2.], (1, "
       "2))]",
       "[dtype('int64'), dtype('float64'), dtype('complex128'), dtype('bool'), dtype('<U1'), "
       "dtype('S1'), dtype('int64'), dtype('uint64'), dtype('float64'), dtype('int64')]"},
      {"np.array([[1, 2], [3]])",
       "ValueError: setting an array element with a sequence. The requested array has an "
       "inhomogeneous shape after 1 dimensions. The detected shape was (2,) + inhomogeneous part."},
      {"np.array([1, [2]], dtype=object)", "array([1, list([2])], dtype=object)"},
      {"np.array([1, 2], dtype='nope')", "TypeError: data type 'nope' not understood"},
      {"np.array(range(4)), np.array((i for i in [1])).shape, np.array([np.array([1, 2]), [3, "
       "4]]), np.array([np.float32(1), 2]).dtype",
       "(array([0, 1, 2, 3]), (), array([[1, 2],\n"
       "       [3, 4]]), dtype('float64'))"},
      {"np.array([1, 2, 3], ndmin=2), np.array([[1]], ndmin=1).shape, np.array(3, ndmin=3).shape",
       "(array([[1, 2, 3]]), (1, 1), (1, 1, 1))"},
      {"np.array('a', dtype=float)", "ValueError: could not convert string to float: 'a'"},
      {"np.array(['1', '2.5']).astype(float)", "array([1. , 2.5])"},
      {"np.array(['7', '8']).astype(int)", "array([7, 8])"},
      {"np.array([300, -1]).astype(np.uint8), np.array([1e10]).astype(np.int16).dtype, "
       "np.array([1.5, float('nan')]).astype(bool)",
       "(array([ 44, 255], dtype=uint8), dtype('int16'), array([ True,  True]))"},
      {"np.array([None, 1]), np.array([None, 1]).dtype, np.array([{1: 2}]).dtype",
       "(array([None, 1], dtype=object), dtype('O'), dtype('O'))"},
      {"a = np.array([1, 2])\n"
       "b = np.array(a)\n"
       "c = np.asarray(a)\n"
       "a[0] = 9\n"
       "b",
       "array([1, 2])"},
      {"a = np.array([1, 2])\n"
       "b = np.array(a)\n"
       "c = np.asarray(a)\n"
       "a[0] = 9\n"
       "c",
       "array([9, 2])"},
  });
}

TEST(Making, Fills) {
  CheckNumpyRows({
      {"np.zeros(3), np.zeros((2, 2), int), np.ones((1, 2)), np.full(2, 7), np.full((1, 2), 'ab'), "
       "np.empty((0, 3)).shape",
       "(array([0., 0., 0.]), array([[0, 0],\n"
       "       [0, 0]]), array([[1., 1.]]), array([7, 7]), array([['ab', 'ab']], dtype='<U2'), (0, "
       "3))"},
      {"np.zeros_like([1, 2]), np.ones_like([[1.5]]), np.full_like([1, 2], 2.7), "
       "np.zeros_like(np.array(['a'])), np.empty_like([1, 2]).dtype",
       "(array([0, 0]), array([[1.]]), array([2, 2]), array([''], dtype='<U1'), dtype('int64'))"},
      {"np.zeros(-1)", "ValueError: negative dimensions are not allowed"},
      {"np.zeros((2, 'a'))", "TypeError: 'str' object cannot be interpreted as an integer"},
      {"np.zeros(2.5)",
       "TypeError: expected a sequence of integers or a single integer, got '2.5'"},
      {"np.eye(2), np.eye(2, 3, k=1), np.identity(2), np.eye(3, k=-1, dtype=int), np.tri(2, 3, "
       "dtype=int)",
       "(array([[1., 0.],\n"
       "       [0., 1.]]), array([[0., 1., 0.],\n"
       "       [0., 0., 1.]]), array([[1., 0.],\n"
       "       [0., 1.]]), array([[0, 0, 0],\n"
       "       [1, 0, 0],\n"
       "       [0, 1, 0]]), array([[1, 0, 0],\n"
       "       [1, 1, 0]]))"},
      {"np.diag([1, 2]), np.diag([[1, 2], [3, 4]]), np.diag([1], k=1), np.diagflat([[1, 2]]), "
       "np.tril([[1, 2], [3, 4]]), np.triu([[1, 2], [3, 4]], 1)",
       "(array([[1, 0],\n"
       "       [0, 2]]), array([1, 4]), array([[0, 1],\n"
       "       [0, 0]]), array([[1, 0],\n"
       "       [0, 2]]), array([[1, 0],\n"
       "       [3, 4]]), array([[0, 2],\n"
       "       [0, 0]]))"},
      {"False, np.zeros(2, '<i2').dtype, np.ones(2, 'f2')",
       "(False, dtype('int16'), array([1., 1.], dtype=float16))"},
      {"np.vander([1, 2, 3], 3), np.indices((2, 2)).tolist(), np.tri(2)",
       "(array([[1, 1, 1],\n"
       "       [4, 2, 1],\n"
       "       [9, 3, 1]]), [[[0, 0], [1, 1]], [[0, 1], [0, 1]]], array([[1., 0.],\n"
       "       [1., 1.]]))"},
  });
}

TEST(Making, Ranges) {
  CheckNumpyRows({
      {"np.arange(4), np.arange(1, 4), np.arange(0, 1, .25), np.arange(5, 0, -2), np.arange(3.), "
       "np.arange(0), np.arange(3, 1)",
       "(array([0, 1, 2, 3]), array([1, 2, 3]), array([0.  , 0.25, 0.5 , 0.75]), array([5, 3, 1]), "
       "array([0., 1., 2.]), array([], dtype=int64), array([], dtype=int64))"},
      {"np.arange(3, dtype=np.int8), np.arange(2, dtype=float), np.arange(1, 2, .1).shape, "
       "np.arange(0)",
       "(array([0, 1, 2], dtype=int8), array([0., 1.]), (10,), array([], dtype=int64))"},
      {"np.arange()", "TypeError: arange() requires stop to be specified."},
      {"np.arange(1, 2, 0)", "ZeroDivisionError: division by zero"},
      {"np.linspace(0, 1, 5), np.linspace(0, 10, 3, dtype=int), np.linspace(0, 1, 4, "
       "endpoint=False), np.linspace(3, 3, 1), np.linspace(0, 1, 0)",
       "(array([0.  , 0.25, 0.5 , 0.75, 1.  ]), array([ 0,  5, 10]), array([0.  , 0.25, 0.5 , "
       "0.75]), array([3.]), array([], dtype=float64))"},
      {"np.linspace(0, 1, 3, retstep=True), np.linspace([0, 10], [1, 20], 3)",
       "((array([0. , 0.5, 1. ]), 0.5), array([[ 0. , 10. ],\n"
       "       [ 0.5, 15. ],\n"
       "       [ 1. , 20. ]]))"},
      {"np.linspace(0, 1, -1)", "ValueError: Number of samples, -1, must be non-negative."},
      {"np.logspace(0, 2, 3), np.logspace(0, 3, 4, base=2), np.geomspace(1, 8, 4)",
       "(array([  1.,  10., 100.]), array([1., 2., 4., 8.]), array([1., 2., 4., 8.]))"},
      {"np.meshgrid([1, 2], [3, 4], indexing='ij')[0]",
       "array([[1, 1],\n"
       "       [2, 2]])"},
      {"np.mgrid[0:2, 0:3].shape", "(2, 2, 3)"},
      {"np.mgrid[0:1:3j]", "array([0. , 0.5, 1. ])"},
      {"np.r_[1:4, 0, 9]", "array([1, 2, 3, 0, 9])"},
      {"np.c_[[1, 2], [3, 4]]",
       "array([[1, 3],\n"
       "       [2, 4]])"},
      {"np.fromfunction(lambda i, j: i + j, (2, 2)), np.fromiter((i * i for i in range(3)), int), "
       "np.frombuffer(b'\\x01\\x02', np.uint8), np.fromstring('1 2', sep=' ')",
       "(array([[0., 1.],\n"
       "       [1., 2.]]), array([0, 1, 4]), array([1, 2], dtype=uint8), array([1., 2.]))"},
  });
}

TEST(Making, Types) {
  CheckNumpyRows({
      {"np.dtype('f4')", "dtype('float32')"},
      {"np.dtype(int)", "dtype('int64')"},
      {"np.dtype('<i4')", "dtype('int32')"},
      {"np.dtype(bool)", "dtype('bool')"},
      {"np.dtype('complex64')", "dtype('complex64')"},
      {"np.dtype('f4').itemsize, np.dtype('f4').kind, np.dtype('f4').name, np.dtype('f4').str, "
       "np.dtype('f4').char, np.dtype('i8').type",
       "(4, 'f', 'float32', '<f4', 'f', <class 'numpy.int64'>)"},
      {"np.dtype('f4') == np.float32, np.dtype('f4') == 'float32', np.dtype('f4') != 'f8', "
       "hash(np.dtype('f4')) == hash(np.dtype(np.float32))",
       "(True, True, True, True)"},
      {"np.dtype('zz')", "TypeError: data type 'zz' not understood"},
      {"np.finfo(np.float32).eps, np.finfo(np.float64).max, np.finfo('f4').bits, "
       "np.iinfo(np.int8).min, np.iinfo('u2').max, np.iinfo(np.int64).max",
       "(1.1920929e-07, 1.7976931348623157e+308, 32, -128, 65535, 9223372036854775807)"},
      {"np.issubdtype(np.int32, np.integer), np.issubdtype('f4', np.floating), np.issubdtype(int, "
       "float), np.issubdtype(np.bool_, np.number)",
       "(True, True, False, False)"},
      {"np.result_type(np.int8, np.float32)", "dtype('float32')"},
      {"np.promote_types('i4', 'f4')", "dtype('float64')"},
      {"np.can_cast('i4', 'f8')", "True"},
      {"np.can_cast('f8', 'i4')", "False"},
      {"isinstance(np.float64(1), float), isinstance(np.int64(1), int), isinstance(np.bool_(1), "
       "bool), issubclass(np.float32, np.floating), np.int32.__mro__[1].__name__",
       "(True, False, False, True, 'signedinteger')"},
      {"np.float64(1) / 3", "0.3333333333333333"},
      {"np.int8(5) // 2", "2"},
      {"np.int32(7) % 4", "3"},
      {"-np.uint8(1)", "255"},
      {"np.bool_(True) + np.bool_(True)", "True"},
      {"np.int16(7).item(), np.float32(2.5).item(), type(np.int64(3).item()).__name__, "
       "np.float64('1e3'), np.int64('12'), np.float32(True)",
       "(7, 2.5, 'int', 1000.0, 12, 1.0)"},
      {"np.int64('a')", "ValueError: invalid literal for int() with base 10: 'a'"},
      {"repr(np.str_('ab')), np.str_('ab').upper(), np.bytes_(b'a'), np.complex64(1 + 2j).real, "
       "np.complex128(1 + 2j).conjugate()",
       "(\"'ab'\", 'AB', b'a', 1.0, (1-2j))"},
      {"np.float64(2.5).is_integer()", "False"},
      {"np.float64(4).as_integer_ratio()", "(4, 1)"},
      {"3", "3"},
      {"round(np.float64(2.567), 1)", "2.6"},
      {"int(np.float32(3.9))", "3"},
      {"np.int64(3) ** 2", "9"},
      {"np.float32, np.dtype(np.half), np.dtype('longlong') == np.int64, np.dtype(np.intc), "
       "np.dtype('double')",
       "(<class 'numpy.float32'>, dtype('float16'), True, dtype('int32'), dtype('float64'))"},
  });
}

TEST(Scalars, MethodsOfPythonFloats) {
  CheckNumpyRows({
      {"x = np.float64(2.5)\n"
       "x.is_integer(), x.as_integer_ratio(), x.hex(), round(x), round(x, 1), int(x), "
       "x.__trunc__(), x.__float__(), np.float64(4).is_integer()",
       "(False, (5, 2), '0x1.4000000000000p+1', 2, 2.5, 2, 2, 2.5, True)"},
  });
}

}  // namespace
}  // namespace tensh::shell
