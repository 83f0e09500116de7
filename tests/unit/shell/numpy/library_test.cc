// The parts of np that are written in Python or take several steps: selections, sequences, linear
// algebra, transforms, random draws with parameters, and files.
#include "tests/unit/shell/numpy/rows.h"

namespace tensh::shell {
namespace {

TEST(Selections, OfElements) {
  CheckNumpyRows({
      {"a = np.arange(12).reshape(3, 4)\n"
       "np.apply_along_axis(sum, 0, a), np.apply_along_axis(lambda r: r[::-1], 1, a)[0], "
       "np.apply_over_axes(np.sum, a, [0, 1]), np.delete(a, [0, 2], axis=1), np.insert(a, 1, 0, "
       "axis=0).shape",
       "(array([12, 15, 18, 21]), array([3, 2, 1, 0]), array([[66]]), array([[ 1,  3],\n"
       "       [ 5,  7],\n"
       "       [ 9, 11]]), (4, 4))"},
      {"np.choose([2, 0], [[1, 2], [3, 4], [5, 6]]), np.compress([0, 1], [[1, 2], [3, 4]], "
       "axis=0), np.extract([1, 0, 1], [5, 6, 7]), np.partition([3, 1, 2], 0)[0], "
       "np.argpartition([3, 1, 2], 2)[2]",
       "(array([5, 2]), array([[3, 4]]), array([5, 7]), 1, 0)"},
      {"a = np.array([1, 2, 3, 4])\n"
       "np.put(a, [0, -1], 9)\n"
       "np.copyto(a, [7, 7, 7, 7], where=[False, True, False, False])\n"
       "a",
       "array([9, 7, 3, 9])"},
      {"np.triu_indices(2), np.tril_indices(3, -1), np.diag_indices_from(np.eye(2)), np.ix_([0, "
       "1], [2]), np.indices((1, 2)).shape",
       "((array([0, 0, 1]), array([0, 1, 1])), (array([1, 2, 2]), array([0, 0, 1])), (array([0, "
       "1]), array([0, 1])), (array([[0],\n"
       "       [1]]), array([[2]])), (2, 1, 2))"},
      {"np.searchsorted([1, 2, 2, 3], [2, 5], side='right'), np.digitize([1, 2.5], [1, 2, 3], "
       "right=True), np.argmax([[1, 9], [8, 2]], axis=1), np.flatnonzero([[0, 1], [1, 0]])",
       "(array([3, 4]), array([0, 2]), array([1, 0]), array([1, 2]))"},
      {"np.rot90([[1, 2], [3, 4]], 2), np.rot90([[1, 2], [3, 4]], -1), np.roll([[1, 2], [3, 4]], "
       "1), np.flip([[1, 2], [3, 4]]), np.rollaxis(np.zeros((2, 3)), 1).shape",
       "(array([[4, 3],\n"
       "       [2, 1]]), array([[3, 1],\n"
       "       [4, 2]]), array([[4, 1],\n"
       "       [2, 3]]), array([[4, 3],\n"
       "       [2, 1]]), (3, 2))"},
      {"np.unique(['b', 'a', 'b'])", "array(['a', 'b'], dtype='<U1')"},
      {"np.unique([[1, 2], [2, 1]])", "array([1, 2])"},
      {"np.isin([1, 2], [2], invert=True)", "array([ True, False])"},
      {"np.union1d([], [1])", "array([1.])"},
  });
}

TEST(Sequences, OfNumbers) {
  CheckNumpyRows({
      {"np.ediff1d([1, 4, 9], to_begin=0), np.diff([[1, 3], [2, 7]], axis=0), np.gradient([1., 4., "
       "9.], 2), np.cumsum([[1, 2], [3, 4]], axis=1), np.nancumsum([1, np.nan, 2]), np.cumprod([1, "
       "2, 3])",
       "(array([0, 3, 5]), array([[1, 4]]), array([1.5, 2. , 2.5]), array([[1, 3],\n"
       "       [3, 7]]), array([1., 1., 3.]), array([1, 2, 6]))"},
      {"np.interp(2.5, [1, 2, 3], [10, 20, 40])", "30.0"},
      {"np.interp([0, 9], [1, 2], [5, 6])", "array([5., 6.])"},
      {"np.convolve([1, 2], [1, 0, 2])", "array([1, 2, 2, 4])"},
      {"np.correlate([1, 2, 3], [1, 2], 'full')", "array([2, 5, 8, 3])"},
      {"np.trim_zeros([0, 0])", "[]"},
      {"np.hanning(4).round(4), np.hamming(3).round(4), np.bartlett(5), np.blackman(3).round(4), 0",
       "(array([0.  , 0.75, 0.75, 0.  ]), array([0.08, 1.  , 0.08]), array([0. , 0.5, 1. , 0.5, 0. "
       "]), array([-0.,  1., -0.]), 0)"},
      {"np.unwrap([0, 2 * np.pi]).round(4)", "array([0., 0.])"},
      {"np.angle([1, 1j], deg=True)", "array([ 0., 90.])"},
      {"np.real_if_close([1 + 1e-20j])", "array([1.])"},
      {"np.sinc(.5).round(6)", "0.63662"},
      {"np.nan_to_num([np.nan, 1], nan=7)", "array([7., 1.])"},
      {"np.vander([2, 3])",
       "array([[2, 1],\n"
       "       [3, 1]])"},
      {"np.polyfit([0, 1, 2, 3], [0, 1, 4, 9], 2).round(6)", "array([ 1., -0.,  0.])"},
      {"np.polyval([1, 0], [2, 3])", "array([2, 3])"},
      {"np.poly1d([1, -1])(3)", "2"},
      {"np.polyder([3, 2, 1])", "array([6, 2])"},
      {"np.polyint([2])", "array([2., 0.])"},
      {"np.polyfit([1, 2], [1], 1)", "TypeError: expected x and y to have same length"},
      {"np.corrcoef([[1, 2, 3], [3, 2, 1]]).round(4)",
       "array([[ 1., -1.],\n"
       "       [-1.,  1.]])"},
      {"np.cov([[1, 2, 3], [3, 2, 1]])",
       "array([[ 1., -1.],\n"
       "       [-1.,  1.]])"},
      {"np.histogram([1, 2], bins=2, range=(0, 4))", "(array([1, 1]), array([0., 2., 4.]))"},
      {"np.histogram([1, 2, 2], density=True, bins=2)",
       "(array([0.66666667, 1.33333333]), array([1. , 1.5, 2. ]))"},
      {"np.bincount([], minlength=2), np.bincount([2, 0, 2]), np.average([[1, 2], [3, 4]], "
       "axis=0), np.median([[3, 1], [2, 4]], axis=1), np.percentile([1, 2, 3, 4], 30), "
       "np.quantile([1., 2.], [0, 1]), np.ptp([3, 9])",
       "(array([0, 0]), array([1, 0, 2]), array([2., 3.]), array([2., 3.]), 1.9, array([1., 2.]), "
       "6)"},
      {"np.bincount([1.5])", "array([0, 1])"},
  });
}

TEST(Broadcasting, Shapes) {
  CheckNumpyRows({
      {"np.broadcast_to(3, (2, 2))",
       "array([[3, 3],\n"
       "       [3, 3]])"},
      {"np.atleast_2d(3)", "array([[3]])"},
      {"np.atleast_3d([[1]]).shape", "(1, 1, 1)"},
      {"np.expand_dims(np.zeros((2, 3)), (0, -1)).shape", "(1, 2, 3, 1)"},
      {"np.squeeze(np.zeros((1, 2, 1)), axis=(0, 2)).shape", "(2,)"},
      {"np.block([[np.ones((1, 1)), np.zeros((1, 2))], [np.zeros((1, 1)), np.ones((1, 2))]]), "
       "np.tile([[1]], (2, 3)), np.repeat([[1, 2], [3, 4]], [1, 2], axis=0), np.resize([[1, 2], "
       "[3, 4]], 3)",
       "(array([[1., 0., 0.],\n"
       "       [0., 1., 1.]]), array([[1, 1, 1],\n"
       "       [1, 1, 1]]), array([[1, 2],\n"
       "       [3, 4],\n"
       "       [3, 4]]), array([1, 2, 3]))"},
      {"np.array_split(np.arange(5), 3), np.array_split(np.arange(4), [1, 9]), "
       "np.dsplit(np.zeros((2, 2, 4)), 2)[0].shape, np.hsplit(np.arange(4), [1])[1], "
       "np.column_stack([[1, 2], [[3], [4]]])",
       "([array([0, 1]), array([2, 3]), array([4])], [array([0]), array([1, 2, 3]), array([], "
       "dtype=int64)], (2, 2, 2), array([1, 2, 3]), array([[1, 3],\n"
       "       [2, 4]]))"},
      {"np.array_split(np.arange(3), 0)", "ValueError: number sections must be larger than 0."},
      {"np.pad([[1, 2]], 1, mode='edge')",
       "array([[1, 1, 2, 2],\n"
       "       [1, 1, 2, 2],\n"
       "       [1, 1, 2, 2]])"},
      {"np.pad([1, 2, 3], (2, 1), 'symmetric')", "array([2, 1, 1, 2, 3, 3])"},
      {"np.pad([1, 2, 3], 3, 'wrap')", "array([1, 2, 3, 1, 2, 3, 1, 2, 3])"},
  });
}

TEST(Linalg, Decompositions) {
  CheckNumpyRows({
      {"a = np.array([[4., 2.], [2., 3.]])\n"
       "l = np.linalg.cholesky(a)\n"
       "u, s, v = np.linalg.svd(a)\n"
       "w = np.linalg.eigvalsh(a)\n"
       "(l @ l.T).round(6), (u * s @ v).round(6), w.round(4), np.linalg.eigvals([[2., 0.], [0., "
       "3.]]), np.linalg.cond(a).round(4), np.linalg.matrix_rank([[1, 2], [2, 4]])",
       "(array([[4., 2.],\n"
       "       [2., 3.]]), array([[4., 2.],\n"
       "       [2., 3.]]), array([1.4384, 5.5616]), array([2., 3.]), 3.8664, 1)"},
      {"w, v = np.linalg.eig(np.array([[0., -1.], [1., 0.]]))\n"
       "sorted(w, key=lambda z: z.imag), np.abs(v).round(4)",
       "([-1j, 1j], array([[0.7071, 0.7071],\n"
       "       [0.7071, 0.7071]]))"},
      {"np.linalg.inv(np.stack([np.eye(2), 2 * np.eye(2)])), np.linalg.det(np.stack([np.eye(2), 2 "
       "* np.eye(2)])), np.linalg.solve([[2., 0.], [0., 4.]], [[2.], [4.]]), np.linalg.inv([[0, "
       "1j], [1, 0]])",
       "(array([[[1. , 0. ],\n"
       "        [0. , 1. ]],\n"
       "\n"
       "       [[0.5, 0. ],\n"
       "        [0. , 0.5]]]), array([1., 4.]), array([[1.],\n"
       "       [1.]]), array([[0.+0.j, 1.+0.j],\n"
       "       [0.-1.j, 0.+0.j]]))"},
      {"np.linalg.norm([[3, 4], [6, 8]], axis=1)", "array([ 5., 10.])"},
      {"np.linalg.norm([[1, 2], [3, 4]], 'fro').round(4)", "5.4772"},
      {"np.linalg.norm([[1, 2], [3, 4]], np.inf)", "7.0"},
      {"np.linalg.norm([[1, 2], [3, 4]], 2).round(4)", "5.465"},
      {"np.linalg.norm([3, 4], keepdims=True)", "array([5.])"},
      {"np.linalg.matrix_power([[2, 0], [0, 3]], -1), np.linalg.matrix_power([[2, 0], [0, 3]], 0), "
       "np.linalg.pinv([[1., 2.], [2., 4.]]).round(3), np.linalg.lstsq([[1., 0.], [0., 1.], [1., "
       "1.]], [1., 2., 3.], rcond=None)[0].round(6), np.linalg.multi_dot([[[1, 2]], [[3], [4]]])",
       "(array([[0.5       , 0.        ],\n"
       "       [0.        , 0.33333333]]), array([[1, 0],\n"
       "       [0, 1]]), array([[0.04, 0.08],\n"
       "       [0.08, 0.16]]), array([1., 2.]), array([[11]]))"},
      {"np.linalg.matrix_power([[1, 2, 3]], 2)",
       "LinAlgError: Last 2 dimensions of the array must be square"},
      {"np.linalg.eig([[1, 2, 3]])", "LinAlgError: Last 2 dimensions of the array must be square"},
      {"np.linalg.solve(np.zeros((2, 2)), [1, 2])", "LinAlgError: Singular matrix"},
      {"np.linalg.svd(np.zeros(3))",
       "LinAlgError: 1-dimensional array given. Array must be at least two-dimensional"},
      {"np.einsum('ij,kj->ik', np.eye(2), np.ones((3, 2))), np.einsum('ii->i', [[1, 2], [3, 4]]), "
       "np.einsum('bij,bjk->bik', np.ones((2, 1, 2)), np.ones((2, 2, 1))), np.einsum('ij->ji', "
       "[[1, 2]]), np.einsum('i,i', [1, 2], [3, 4])",
       "(array([[1., 1., 1.],\n"
       "       [1., 1., 1.]]), array([1, 4]), array([[[2.]],\n"
       "\n"
       "       [[2.]]]), array([[1],\n"
       "       [2]]), 11)"},
      {"np.einsum('ij,jk', np.eye(2), np.ones((3, 2)))",
       "ValueError: operands could not be broadcast together with remapped shapes"},
      {"np.tensordot(np.ones((2, 3, 4)), np.ones((4, 3)), axes=([1, 2], [1, 0])), "
       "np.kron(np.eye(2), [[1, 1]]), np.cross([[1, 0, 0], [0, 1, 0]], [0, 0, 1]), 0, np.vdot([1, "
       "2j], [3, 4j])",
       "(array([12., 12.]), array([[1., 1., 0., 0.],\n"
       "       [0., 0., 1., 1.]]), array([[ 0, -1,  0],\n"
       "       [ 1,  0,  0]]), 0, (11+0j))"},
  });
}

TEST(Transforms, Fourier) {
  CheckNumpyRows({
      {"np.fft.fft([1, 2, 3]).round(4), np.fft.ifft(np.fft.fft([1, 2, 3])).real.round(6), "
       "np.fft.rfft([1, 2, 3, 4]), np.fft.irfft([10, -2 + 2j, -2]), np.fft.fft([1, 2], 4), "
       "np.fft.fft([[1, 2], [3, 4]], axis=0)",
       "(array([ 6. +0.j   , -1.5+0.866j, -1.5-0.866j]), array([1., 2., 3.]), array([10.+0.j, "
       "-2.+2.j, -2.+0.j]), array([1., 2., 3., 4.]), array([ 3.+0.j,  1.-2.j, -1.+0.j,  1.+2.j]), "
       "array([[ 4.+0.j,  6.+0.j],\n"
       "       [-2.+0.j, -2.+0.j]]))"},
      {"np.fft.fft2(np.eye(2)), np.fft.ifft2(np.fft.fft2([[1, 2], [3, 4]])).real, "
       "np.fft.fftn(np.ones((2, 2)))[0, 0], np.fft.rfftfreq(4, .5), np.fft.fftfreq(5), "
       "np.fft.ifftshift([-2, -1, 0, 1]), np.fft.fftshift(np.fft.fftfreq(4))",
       "(array([[2.+0.j, 0.+0.j],\n"
       "       [0.+0.j, 2.+0.j]]), array([[1., 2.],\n"
       "       [3., 4.]]), (4+0j), array([0. , 0.5, 1. ]), array([ 0. ,  0.2,  0.4, -0.4, -0.2]), "
       "array([ 0,  1, -2, -1]), array([-0.5 , -0.25,  0.  ,  0.25]))"},
      {"np.fft.fft([1, 2], 0)", "ValueError: Invalid number of FFT data points (0) specified."},
  });
}

TEST(Random, Parameters) {
  CheckNumpyRows({
      {"r = np.random.RandomState(11)\n"
       "r.rand(2, 1).shape, r.randint(3, size=(2, 2)), r.random_sample(2), r.choice(4, (2, 2)), "
       "r.choice(['a', 'b'], 3), r.normal([0, 100], [1, 2]), r.uniform([0, 10], [1, 11])",
       "((2, 1), array([[1, 1],\n"
       "       [0, 1]]), array([0.10517516, 0.22571272]), array([[0, 0],\n"
       "       [1, 0]]), array(['b', 'a', 'b'], dtype='<U1'), array([ -0.53662936, 100.63080534]), "
       "array([ 0.89390417, 10.85715425]))"},
      {"r = np.random.RandomState(13)\n"
       "r.randint(0, 256, 4, dtype=np.uint8), r.randint(-5, 5, dtype='i8'), "
       "r.permutation(np.arange(6).reshape(3, 2)), r.standard_exponential(2), r.standard_gamma(3), "
       "r.lognormal()",
       "(array([ 82, 129,  23, 199], dtype=uint8), -5, array([[2, 3],\n"
       "       [0, 1],\n"
       "       [4, 5]]), array([1.73885511, 3.3740453 ]), 2.5946516196771254, 1.5711570756030293)"},
      {"g = np.random.default_rng(5)\n"
       "g.integers(0, 100, 5), g.random(dtype=np.float32), g.standard_normal(2), g.choice(10, 3, "
       "replace=False), g.permutation([1, 2, 3]), g.lognormal(), g.triangular(0, 1, 2)",
       "(array([67, 80,  2, 80, 46]), 0.5153255462646484, array([0.42044524, 1.13604653]), "
       "array([5, 2, 3]), array([3, 1, 2]), 5.1283452457100065, 1.1661764114490256)"},
      {"g = np.random.default_rng([1, 2])\n"
       "g.integers(0, 2 ** 40), g.random(), g.multinomial(5, [.2, .8]), g.geometric(.3), "
       "g.laplace(), g.chisquare(3), g.integers(0, 5, (2, 2)), g.permuted([1, 2, 3])",
       "(493037664164, 0.4308819875443376, array([1, 4]), 2, 1.0323337039977247, "
       "1.2235604558697128, array([[1, 4],\n"
       "       [2, 3]]), array([2, 1, 3]))"},
      {"np.random.default_rng(0).choice([], 1)",
       "ValueError: a cannot be empty unless no samples are taken"},
      {"np.random.RandomState(0).binomial(5, 2)", "ValueError: p < 0, p > 1 or p is NaN"},
      {"np.random.RandomState(0).uniform(size=-1)",
       "ValueError: negative dimensions are not allowed"},
  });
}

TEST(Matrices, Operations) {
  CheckNumpyRows({
      {"m = np.matrix([[1, 2], [3, 4]])\n"
       "m * m",
       "matrix([[ 7, 10],\n"
       "        [15, 22]])"},
      {"m = np.matrix([[1, 2], [3, 4]])\n"
       "m.T",
       "matrix([[1, 3],\n"
       "        [2, 4]])"},
      {"m = np.matrix([[1, 2], [3, 4]])\n"
       "m[0]",
       "matrix([[1, 2]])"},
      {"m = np.matrix([[1, 2], [3, 4]])\n"
       "m[0, 1]",
       "2"},
      {"m = np.matrix([[1, 2], [3, 4]])\n"
       "m.A",
       "array([[1, 2],\n"
       "       [3, 4]])"},
      {"m = np.matrix([[1, 2], [3, 4]])\n"
       "m.sum()",
       "10"},
      {"m = np.matrix([[1, 2], [3, 4]])\n"
       "m.sum(axis=0)",
       "matrix([[4, 6]])"},
      {"m = np.matrix([[1, 2], [3, 4]])\n"
       "m ** 2",
       "matrix([[ 7, 10],\n"
       "        [15, 22]])"},
      {"m = np.matrix([[1, 2], [3, 4]])\n"
       "m + 1",
       "matrix([[2, 3],\n"
       "        [4, 5]])"},
      {"m = np.matrix([[1, 2], [3, 4]])\n"
       "m.shape",
       "(2, 2)"},
      {"m = np.matrix([[1, 2], [3, 4]])\n"
       "m.tolist()",
       "[[1, 2], [3, 4]]"},
      {"np.matrix([1, 2]).shape, np.matrix('1 2'), np.asmatrix(np.eye(2)) * [[1], [2]], "
       "np.bmat([[np.eye(1), np.ones((1, 1))]]), np.matrix([[1, 2]]).flatten()",
       "((1, 2), matrix([[1, 2]]), matrix([[1.],\n"
       "        [2.]]), matrix([[1., 1.]]), matrix([[1, 2]]))"},
      {"np.matrix([[[1]]])", "ValueError: shape too large to be a matrix."},
      {"np.matrix([[1, 2]]) * np.matrix([[1, 2]])",
       "ValueError: shapes (1,2) and (1,2) not aligned: 2 (dim 1) != 1 (dim 0)"},
  });
}

TEST(Files, Npy) {
  CheckNumpyRows({
      {"import tempfile, os\n"
       "p = os.path.join(tempfile.mkdtemp(), 'a.npy')\n"
       "out = []\n"
       "for v in (np.array(['é', 'abc']), np.array([1 + 2j]), np.zeros((2, 0)), np.array(True), "
       "np.array([b'ab'])):\n"
       "  np.save(p, v)\n"
       "  w = np.load(p)\n"
       "  out.append((w.dtype, w.shape, (w == v).all()))\n"
       "out",
       "[(dtype('<U3'), (2,), True), (dtype('complex128'), (1,), True), (dtype('float64'), (2, 0), "
       "True), (dtype('bool'), (), True), (dtype('S2'), (1,), True)]"},
      {"np.load('no_such_file.npy')",
       "FileNotFoundError: [Errno 2] No such file or directory: 'no_such_file.npy'"},
      {"import tempfile, os\n"
       "p = os.path.join(tempfile.mkdtemp(), 'a.txt')\n"
       "np.savetxt(p, np.arange(4).reshape(2, 2), fmt='%d')\n"
       "open(p).read(), np.loadtxt(p), np.loadtxt(p, dtype=int, skiprows=1), np.loadtxt(p, "
       "usecols=(1,)), np.loadtxt(p, unpack=True)",
       "('0 1\\n2 3\\n', array([[0., 1.],\n"
       "       [2., 3.]]), array([2, 3]), array([1., 3.]), array([[0., 2.],\n"
       "       [1., 3.]]))"},
      {"import tempfile, os\n"
       "p = os.path.join(tempfile.mkdtemp(), 'a.txt')\n"
       "with open(p, 'w') as f: f.write('1 2\\n3 x\\n')\n"
       "np.loadtxt(p)",
       "ValueError: could not convert string to float: 'x'"},
  });
}

}  // namespace
}  // namespace tensh::shell
