// Shapes of arrays: reshaping, joining, splitting, stacking, padding and repeating; printing;
// methods of an array.
#include "tests/unit/shell/numpy/rows.h"

namespace tensh::shell {
namespace {

TEST(Shapes, Changed) {
  CheckNumpyRows({
      {"a = np.arange(6)\n"
       "a.reshape(2, 3), a.reshape((3, -1)).shape, a.reshape(-1, 1).shape, a.reshape([6]).shape, "
       "np.reshape(a, (2, 3)).T, a.reshape(1, 6)",
       "(array([[0, 1, 2],\n"
       "       [3, 4, 5]]), (3, 2), (6, 1), (6,), array([[0, 3],\n"
       "       [1, 4],\n"
       "       [2, 5]]), array([[0, 1, 2, 3, 4, 5]]))"},
      {"np.arange(6).reshape(4, 2)", "ValueError: cannot reshape array of size 6 into shape (4,2)"},
      {"np.arange(6).reshape(-1, -1)", "ValueError: can only specify one unknown dimension"},
      {"np.arange(6).reshape(-1, 4)",
       "ValueError: cannot reshape array of size 6 into shape (-1,4)"},
      {"a = np.arange(6).reshape(2, 3)\n"
       "a.ravel(), a.flatten(), a.T, a.transpose(1, 0).shape, np.transpose(np.zeros((2, 3, 4)), "
       "(2, 0, 1)).shape, np.swapaxes(np.zeros((2, 3, 4)), 0, 2).shape, np.moveaxis(np.zeros((2, "
       "3, 4)), 0, -1).shape",
       "(array([0, 1, 2, 3, 4, 5]), array([0, 1, 2, 3, 4, 5]), array([[0, 3],\n"
       "       [1, 4],\n"
       "       [2, 5]]), (3, 2), (4, 2, 3), (4, 3, 2), (3, 4, 2))"},
      {"np.zeros((2, 3)).transpose(0)", "ValueError: axes don't match array"},
      {"np.zeros((2, 3)).transpose(0, 0)", "ValueError: repeated axis in transpose"},
      {"np.moveaxis(np.zeros((2, 3)), 0, 5)",
       "AxisError: axis 5 is out of bounds for array of dimension 2"},
      {"np.squeeze([[[1]]]), np.squeeze(np.zeros((1, 2, 1)), 0).shape, np.expand_dims([1, 2], 0), "
       "np.expand_dims([1], (0, 2)).shape, np.atleast_1d(3), np.atleast_2d([1]), "
       "np.atleast_3d([1]).shape",
       "(array(1), (2, 1), array([[1, 2]]), (1, 1, 1), array([3]), array([[1]]), (1, 1, 1))"},
      {"np.squeeze(np.zeros((2, 1)), 0)",
       "ValueError: cannot select an axis to squeeze out which has size not equal to one"},
      {"np.expand_dims([1], 5)", "AxisError: axis 5 is out of bounds for array of dimension 2"},
      {"a = np.arange(3)\n"
       "a.shape = (3, 1)\n"
       "a, a.shape, a.ndim, a.size, a.itemsize, a.nbytes, a.dtype",
       "(array([[0],\n"
       "       [1],\n"
       "       [2]]), (3, 1), 2, 3, 8, 24, dtype('int64'))"},
      {"a = np.arange(3)\n"
       "a.shape = (2, 2)\n"
       "1",
       "ValueError: cannot reshape array of size 3 into shape (2,2)"},
      {"a = np.array([1, 2, 3])\n"
       "np.resize([1, 2], (2, 3)), np.resize([1, 2, 3], 2)",
       "(array([[1, 2, 1],\n"
       "       [2, 1, 2]]), array([1, 2]))"},
      {"np.broadcast_to([1, 2], (2, 2)), np.broadcast_arrays([1], [[2], [3]])[0], "
       "np.broadcast_shapes((2, 1), (3,)), np.ndim([[1]]), np.shape([[1, 2]]), np.size([[1, 2]])",
       "(array([[1, 2],\n"
       "       [1, 2]]), array([[1],\n"
       "       [1]]), (2, 3), 2, (1, 2), 2)"},
      {"np.broadcast_to([1, 2], (3,))",
       "ValueError: operands could not be broadcast together with remapped shapes "
       "[original->remapped]: (2,)  and requested shape (3,)"},
      {"np.broadcast_shapes((2,), (3,))",
       "ValueError: shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is "
       "between arg 0 with shape (2,) and arg 1 with shape (3,)."},
  });
}

TEST(Shapes, Joined) {
  CheckNumpyRows({
      {"np.concatenate([[1], [2, 3]]), np.concatenate([[[1]], [[2]]], axis=1), "
       "np.concatenate(([1], [2.5])), np.concatenate([['a'], ['bcd']]), np.concatenate([[[1, 2]], "
       "[[3, 4]]], axis=None)",
       "(array([1, 2, 3]), array([[1, 2]]), array([1. , 2.5]), array(['a', 'bcd'], dtype='<U3'), "
       "array([1, 2, 3, 4]))"},
      {"np.concatenate([[[1, 2]], [[3]]])",
       "ValueError: all the input array dimensions except for the concatenation axis must match "
       "exactly, but along dimension 1, the array at index 0 has size 2 and the array at index 1 "
       "has size 1"},
      {"np.concatenate([[1], [[2]]])",
       "ValueError: all the input arrays must have same number of dimensions, but the array at "
       "index 0 has 1 dimension(s) and the array at index 1 has 2 dimension(s)"},
      {"np.concatenate([])", "ValueError: need at least one array to concatenate"},
      {"np.concatenate([[1], [2]], axis=1)",
       "AxisError: axis 1 is out of bounds for array of dimension 1"},
      {"np.stack([[1, 2], [3, 4]]), np.stack([[1, 2], [3, 4]], 1), np.vstack([[1, 2], [3, 4]]), "
       "np.hstack([[1], [2]]), np.dstack([[1, 2], [3, 4]]).shape, np.column_stack([[1, 2], [3, "
       "4]])",
       "(array([[1, 2],\n"
       "       [3, 4]]), array([[1, 3],\n"
       "       [2, 4]]), array([[1, 2],\n"
       "       [3, 4]]), array([1, 2]), (1, 2, 2), array([[1, 3],\n"
       "       [2, 4]]))"},
      {"np.stack([[1], [1, 2]])", "ValueError: all input arrays must have the same shape"},
      {"np.stack([])", "ValueError: need at least one array to stack"},
      {"np.split(np.arange(4), 2), np.split(np.arange(4), [1, 3]), np.array_split(np.arange(3), "
       "2), np.hsplit(np.eye(2), 2)[0], np.vsplit(np.eye(2), 2)[1]",
       "([array([0, 1]), array([2, 3])], [array([0]), array([1, 2]), array([3])], [array([0, 1]), "
       "array([2])], array([[1.],\n"
       "       [0.]]), array([[0., 1.]]))"},
      {"np.split(np.arange(4), 3)", "ValueError: array split does not result in an equal division"},
      {"np.tile([1, 2], 2)", "array([1, 2, 1, 2])"},
      {"np.tile([1, 2], (2, 1))",
       "array([[1, 2],\n"
       "       [1, 2]])"},
      {"np.repeat([1, 2], 2)", "array([1, 1, 2, 2])"},
      {"np.repeat([[1, 2]], 2, axis=0)",
       "array([[1, 2],\n"
       "       [1, 2]])"},
      {"np.repeat([1, 2], [0, 3])", "array([2, 2, 2])"},
      {"np.append([1], [2, 3]), np.append([[1]], [[2]], axis=0), np.insert([1, 2], 1, 9), "
       "np.insert([[1, 2]], 1, 9, axis=1), np.delete([1, 2, 3], 1), np.delete([[1, 2], [3, 4]], 0, "
       "axis=0), np.delete([1, 2, 3], [0, -1])",
       "(array([1, 2, 3]), array([[1],\n"
       "       [2]]), array([1, 9, 2]), array([[1, 9, 2]]), array([1, 3]), array([[3, 4]]), "
       "array([2]))"},
      {"np.delete([1, 2], 5)", "IndexError: index 5 is out of bounds for axis 0 with size 2"},
      {"np.pad([1, 2], 1), np.pad([1, 2], (1, 2), constant_values=7), np.pad([[1]], ((1, 0), (0, "
       "1))), np.pad([1, 2], 1, 'edge'), np.pad([1, 2, 3], 2, 'reflect'), np.pad([1, 2], 1, "
       "'wrap'), np.pad([1, 2], 1, mode='symmetric')",
       "(array([0, 1, 2, 0]), array([7, 1, 2, 7, 7]), array([[0, 0],\n"
       "       [1, 0]]), array([1, 1, 2, 2]), array([3, 2, 1, 2, 3, 2, 1]), array([2, 1, 2, 1]), "
       "array([1, 1, 2, 2]))"},
      {"np.pad([1], 1, 'nope')", "ValueError: mode 'nope' is not supported"},
      {"np.trim_zeros([0, 1, 0, 2, 0]), np.trim_zeros([0, 1, 0], 'f'), np.rollaxis(np.zeros((2, 3, "
       "4)), 2).shape, np.dsplit(np.zeros((1, 1, 2)), 2)[0].shape",
       "([1, 0, 2], [1, 0], (4, 2, 3), (1, 1, 1))"},
  });
}

TEST(Printing, Arrays) {
  CheckNumpyRows({
      {"print(np.array([[1, 20], [300, 4]]), np.array([1.5, 2.]), np.array([True]), "
       "np.array(['a']), np.array(2.5), np.array([]), np.zeros((0, 3)))",
       "[[  1  20]\n"
       " [300   4]] [1.5 2. ] [ True] ['a'] 2.5 [] []\n"},
      {"print(np.arange(2000), np.zeros((100, 100)))",
       "[   0    1    2 ... 1997 1998 1999] [[0. 0. 0. ... 0. 0. 0.]\n"
       " [0. 0. 0. ... 0. 0. 0.]\n"
       " [0. 0. 0. ... 0. 0. 0.]\n"
       " ...\n"
       " [0. 0. 0. ... 0. 0. 0.]\n"
       " [0. 0. 0. ... 0. 0. 0.]\n"
       " [0. 0. 0. ... 0. 0. 0.]]\n"},
      {"np.arange(1001)", "array([   0,    1,    2, ...,  998,  999, 1000])"},
      {"print(np.array([1e-10, 1.]), np.array([1e10, 1.]), np.array([.1, .25]), np.array([1., "
       "np.nan, np.inf]), np.array([1 + 2j, -.5j]))",
       "[1.e-10 1.e+00] [1.e+10 1.e+00] [0.1  0.25] [ 1. nan inf] [ 1.+2.j  -0.-0.5j]\n"},
      {"np.array([.1 + .2, 1 / 3]), np.array([1e-5, 1e5]), np.array([123456789.]), np.array([1.], "
       "'f4'), np.array([.1], 'f4'), np.array([1e20, 1.])",
       "(array([0.3       , 0.33333333]), array([1.e-05, 1.e+05]), array([1.23456789e+08]), "
       "array([1.], dtype=float32), array([0.1], dtype=float32), array([1.e+20, 1.e+00]))"},
      {"str(np.array(['it\\'s', 'x'])), repr(np.array([b'a'])), str(np.float32(.1)), "
       "repr(np.float64(.1)), str(np.int8(5)), repr(np.bool_(True)), format(np.float64(2.5), "
       "'.3f')",
       "('[\"it\\'s\" \\'x\\']', \"array([b'a'], dtype='|S1')\", '0.1', '0.1', '5', 'True', "
       "'2.500')"},
      {"np.set_printoptions(precision=3, suppress=True)\n"
       "a = str(np.array([1 / 3, 1e-9, 2000.5]))\n"
       "np.set_printoptions(precision=8, suppress=False)\n"
       "a, np.array2string(np.array([1.234567]), precision=2), np.array_str(np.array([1])), "
       "np.array_repr(np.array([1]))",
       "('[   0.333    0.    2000.5  ]', '[1.23]', '[1]', 'array([1])')"},
      {"with np.printoptions(precision=2): a = str(np.array([1 / 3]))\n"
       "a",
       "'[0.33]'"},
      {"with np.printoptions(precision=2): a = str(np.array([1 / 3]))\n"
       "str(np.array([1 / 3]))",
       "'[0.33333333]'"},
      {"repr(np.array([[1., 2.], [3., 4.]])), repr(np.zeros((2, 0))), repr(np.array([1, 2], "
       "'i1')), repr(np.array([[[1]]]))",
       "('array([[1., 2.],\\n       [3., 4.]])', 'array([], shape=(2, 0), dtype=float64)', "
       "'array([1, 2], dtype=int8)', 'array([[[1]]])')"},
      {"'%s %d %.1f' % (np.array([1]), np.int64(3), np.float32(2.5)), f'{np.float64(1) / 3:.3f}', "
       "f'{np.array([1, 2])}', '{:>5}'.format(np.int32(7))",
       "('[1] 3 2.5', '0.333', '[1 2]', '    7')"},
      {"np.base_repr(10, 2), np.binary_repr(5, 8), np.binary_repr(-3, 4), np.set_printoptions()",
       "('1010', '00000101', '1101', None)"},
  });
}

TEST(Methods, OfArrays) {
  CheckNumpyRows({
      {"a = np.array([[3, 1], [2, 4]])\n"
       "a.astype(float), a.copy() is a, a.view() is a, a.tobytes()[:8], a.T.tolist(), a.dot([1, "
       "1]), a.diagonal(), a.repeat(2), a.clip(2, 3), a.nonzero(), a.round()",
       "(array([[3., 1.],\n"
       "       [2., 4.]]), False, False, b'\\x03\\x00\\x00\\x00\\x00\\x00\\x00\\x00', [[3, 2], [1, "
       "4]], array([4, 6]), array([3, 4]), array([3, 3, 1, 1, 2, 2, 4, 4]), array([[3, 2],\n"
       "       [2, 3]]), (array([0, 0, 1, 1]), array([0, 1, 0, 1])), array([[3, 1],\n"
       "       [2, 4]]))"},
      {"a = np.array([3, 1, 2])\n"
       "a.searchsorted(2)",
       "2"},
      {"a = np.array([3, 1, 2])\n"
       "a.tolist()",
       "[3, 1, 2]"},
      {"a = np.array([3, 1, 2])\n"
       "a.real",
       "array([3, 1, 2])"},
      {"a = np.array([3, 1, 2])\n"
       "a.imag",
       "array([0, 0, 0])"},
      {"a = np.array([3, 1, 2])\n"
       "a.conj()",
       "array([3, 1, 2])"},
      {"a = np.array([3, 1, 2])\n"
       "a.flat[2]",
       "2"},
      {"a = np.array([3, 1, 2])\n"
       "a.max() - a.min()",
       "2"},
      {"a = np.array([[1., 2.]])\n"
       "b = a.copy()\n"
       "b[0, 0] = 9\n"
       "a.fill(5)\n"
       "a, b, a.astype(int).dtype, a.strides, (a == 5).all(), a.squeeze().shape, a.swapaxes(0, "
       "1).shape",
       "(array([[5., 5.]]), array([[9., 2.]]), dtype('int64'), (16, 8), True, (2,), (2, 1))"},
      {"np.array([1, 2]).nope", "AttributeError: 'numpy.ndarray' object has no attribute 'nope'"},
      {"np.array([1, 2]).astype('nope')", "TypeError: data type 'nope' not understood"},
      {"np.array([1, 2]).view('f8').dtype, np.array([1.], 'f4').view('i4'), 0",
       "(dtype('float64'), array([1065353216], dtype=int32), 0)"},
      {"np.matrix([[1, 2], [3, 4]]) * np.matrix([[1], [1]]), np.matrix('1 2; 3 4').T, "
       "np.asmatrix([[1]]).shape, np.matrix([[2]]).I, np.asmatrix([[1, 2]]).A1",
       "(matrix([[3],\n"
       "        [7]]), matrix([[1, 3],\n"
       "        [2, 4]]), (1, 1), matrix([[0.5]]), array([1, 2]))"},
      {"hash(np.float64(1.5)) == hash(1.5), hash(np.int64(3)) == hash(3), {np.int64(1): 'a'}[1], "
       "sorted([np.int64(2), 1]), max(np.float32(1), 2), sum(np.array([1, 2]))",
       "(True, True, 'a', [1, 2], 2, 3)"},
      {"hash(np.array([1]))", "TypeError: unhashable type: 'numpy.ndarray'"},
      {"np.array([3, 1]).argmax()", "0"},
      {"np.may_share_memory(np.zeros(1), np.zeros(1))", "False"},
  });
}

TEST(Random, Streams) {
  CheckNumpyRows({
      {"r = np.random.RandomState(0)\n"
       "r.rand(2), r.randn(2), r.randint(0, 10, 3), r.choice([1, 2, 3]), r.permutation(4), "
       "r.uniform(1, 2), r.normal(0, 1, (1, 2))",
       "(array([0.5488135 , 0.71518937]), array([0.97873798, 2.2408932 ]), array([9, 3, 5]), 3, "
       "array([1, 3, 2, 0]), 1.9636627605010293, array([[ 1.26611853, -0.50587654]]))"},
      {"np.random.seed(42)\n"
       "np.random.rand(), np.random.randint(5), np.random.choice(5, 3, replace=False), "
       "np.random.random_sample(1), np.random.standard_normal(), np.random.exponential()",
       "(0.3745401188473625, 4, array([1, 4, 0]), array([0.15601864]), 0.2790412922001377, "
       "1.2312500617045903)"},
      {"r = np.random.RandomState(1)\n"
       "r.binomial(10, .5, 3), r.poisson(3, 3), r.beta(1, 2), r.gamma(2., size=1), r.choice(3, 4, "
       "p=[.1, .2, .7]), r.multinomial(5, [.5, .5]), r.bytes(3)",
       "(array([5, 6, 0]), array([1, 1, 3]), 0.35355740998607027, array([1.36501454]), array([2, "
       "2, 1, 1]), array([3, 2]), b'\\x89\\xfd\\xdf')"},
      {"r = np.random.RandomState(2)\n"
       "a = np.arange(5)\n"
       "r.shuffle(a)\n"
       "a, r.permutation([1, 2, 3]), r.multivariate_normal([0, 0], np.eye(2)).shape, r.laplace(), "
       "r.logistic(), r.triangular(0, 1, 2), r.geometric(.5), r.standard_t(3)",
       "(array([2, 4, 1, 3, 0]), array([1, 2, 3]), (2,), -0.4145013492269404, -1.3574894584877868, "
       "1.1273843530518877, 1, 1.9974071363484514)"},
      {"np.random.RandomState(0).choice([1, 2], 3, replace=False)",
       "ValueError: Cannot take a larger sample than population when 'replace=False'"},
      {"np.random.RandomState(0).choice([1, 2], p=[.5, .6])",
       "ValueError: probabilities do not sum to 1"},
      {"np.random.RandomState(0).randint(5, 5)", "ValueError: low >= high"},
      {"np.random.RandomState(-1)", "ValueError: Seed must be between 0 and 2**32 - 1"},
      {"np.random.RandomState(0).normal(0, -1)", "ValueError: scale < 0"},
      {"g = np.random.default_rng(0)\n"
       "g.random(2), g.integers(0, 10, 3), g.normal(), g.choice([1, 2, 3]), g.permutation(3), "
       "g.uniform(1, 2), g.standard_normal(1)",
       "(array([0.63696169, 0.26978671]), array([3, 0, 0]), -0.535669373161111, 1, array([0, 1, "
       "2]), 1.6066357757671799, array([0.94708096]))"},
      {"g = np.random.default_rng(7)\n"
       "g.integers(5), g.exponential(), g.poisson(2, 2), g.binomial(5, .5), g.shuffle([1]), "
       "g.beta(1, 1), g.gamma(2.), g.integers(1, 6, endpoint=True)",
       "(4, 1.025203348294905, array([2, 1]), 4, None, 0.5211595790852261, 1.8064935370291701, 4)"},
      {"np.random.default_rng(0).integers(0)", "ValueError: high <= 0"},
  });
}

TEST(Files, RoundTrips) {
  CheckNumpyRows({
      {"import tempfile, os\n"
       "p = os.path.join(tempfile.mkdtemp(), 'a')\n"
       "np.save(p, np.arange(3))\n"
       "np.savez(p, x=np.eye(2), y=[1])\n"
       "z = np.load(p + '.npz')\n"
       "np.load(p + '.npy'), sorted(z.files), z['x'], z['y']",
       "(array([0, 1, 2]), ['x', 'y'], array([[1., 0.],\n"
       "       [0., 1.]]), array([1]))"},
      {"import tempfile, os\n"
       "p = os.path.join(tempfile.mkdtemp(), 't.txt')\n"
       "np.savetxt(p, [[1, 2.5]], fmt='%.2f', delimiter=';', header='h')\n"
       "open(p).read(), np.loadtxt(p, delimiter=';')",
       "('# h\\n1.00;2.50\\n', array([1. , 2.5]))"},
  });
}

}  // namespace
}  // namespace tensh::shell
