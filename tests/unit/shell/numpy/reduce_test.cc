// Reductions, sorting, sets, statistics and polynomials.
#include "tests/unit/shell/numpy/rows.h"

namespace tensh::shell {
namespace {

TEST(Reductions, Values) {
  CheckNumpyRows({
      {"a = np.arange(6).reshape(2, 3)\n"
       "a.sum(), a.sum(0), a.sum(1), a.sum((0, 1)), a.sum(axis=1, keepdims=True), a.prod(1), "
       "a.mean(), a.mean(0), a.max(), a.min(1), np.ptp(a, 0)",
       "(15, array([3, 5, 7]), array([ 3, 12]), 15, array([[ 3],\n"
       "       [12]]), array([ 0, 60]), 2.5, array([1.5, 2.5, 3.5]), 5, array([0, 3]), array([3, "
       "3, 3]))"},
      {"a = np.arange(6).reshape(2, 3)\n"
       "a.argmax(), a.argmax(0), a.argmin(1), a.cumsum(), a.cumsum(0), a.cumprod(1), a.any(), "
       "a.all(0), a.std(), a.var(1), a.trace()",
       "(5, array([1, 1, 1]), array([0, 0]), array([ 0,  1,  3,  6, 10, 15]), array([[0, 1, 2],\n"
       "       [3, 5, 7]]), array([[ 0,  0,  0],\n"
       "       [ 3, 12, 60]]), True, array([False,  True,  True]), 1.707825127659933, "
       "array([0.66666667, 0.66666667]), 4)"},
      {"np.sum([])", "0.0"},
      {"np.prod([])", "1.0"},
      {"np.sum([True, True])", "2"},
      {"np.sum([1, 2], dtype=float)", "3.0"},
      {"np.sum([[1, 2]], axis=-1)", "array([3])"},
      {"np.max([])",
       "ValueError: zero-size array to reduction operation maximum which has no identity"},
      {"np.argmax([])", "ValueError: attempt to get argmax of an empty sequence"},
      {"np.sum(np.zeros((2, 2)), axis=2)",
       "AxisError: axis 2 is out of bounds for array of dimension 2"},
      {"np.sum(np.zeros((2, 2)), axis=(0, 0))", "ValueError: duplicate value in 'axis'"},
      {"np.mean([1, 2, 3, 4]), np.median([3, 1, 2]), np.median([4, 1, 2, 3]), np.median([[1, 2], "
       "[3, 5]], axis=0), np.average([1, 2, 3], weights=[3, 1, 0]), np.std([1, 3], ddof=1)",
       "(2.5, 2.0, 2.5, array([2. , 3.5]), 1.25, 1.4142135623730951)"},
      {"np.percentile([1, 2, 3, 4], 50), np.percentile([1, 2, 3, 4], [25, 75]), np.quantile([1, 2, "
       "3], .5), np.percentile([[1, 2], [3, 4]], 50, axis=0)",
       "(2.5, array([1.75, 3.25]), 2.0, array([2., 3.]))"},
      {"np.percentile([1, 2], 101)", "ValueError: Quantiles must be in the range [0, 1]"},
      {"np.nansum([1, np.nan]), np.nanmean([1, np.nan, 3]), np.nanmax([np.nan, 2]), "
       "np.nanargmax([np.nan, 2]), np.nanstd([1., 3.]), np.nanmedian([1, np.nan, 5])",
       "(1.0, 2.0, 2.0, 1, 1.0, 3.0)"},
      {"np.count_nonzero([[0, 1], [2, 0]]), np.count_nonzero([[0, 1], [2, 1]], axis=0), "
       "np.diff([1, 4, 9]), np.diff([1, 4, 9], 2), np.ediff1d([1, 3, 2]), np.gradient([1., 4., "
       "9.])",
       "(2, array([1, 2]), array([3, 5]), array([2]), array([ 2, -1]), array([3., 4., 5.]))"},
      {"np.bincount([0, 1, 1, 3])", "array([1, 2, 0, 1])"},
      {"np.bincount([1, 2], weights=[.5, 1])", "array([0. , 0.5, 1. ])"},
      {"np.bincount([1], minlength=4)", "array([0, 1, 0, 0])"},
      {"np.histogram([1, 2, 2, 5], bins=2)", "(array([3, 1]), array([1., 3., 5.]))"},
      {"np.digitize([.5, 2], [0, 1, 3])", "array([1, 2])"},
      {"np.bincount([-1])", "ValueError: 'list' argument must have no negative elements"},
      {"np.cov([1., 2., 3.], [1., 2., 4.]).round(4), np.corrcoef([1, 2, 3], [1, 2, 3]).round(4), "
       "np.histogram2d([0, 1], [0, 1], bins=2)[0]",
       "(array([[1.    , 1.5   ],\n"
       "       [1.5   , 2.3333]]), array([[1., 1.],\n"
       "       [1., 1.]]), array([[1., 0.],\n"
       "       [0., 1.]]))"},
      {"np.dot([1, 2], [3, 4]), np.dot([[1, 2]], [[3], [4]]), np.inner([1, 2], [3, 4]), "
       "np.outer([1, 2], [3, 4]), np.vdot([1j], [1j]), np.tensordot(np.ones((2, 3)), np.ones((3, "
       "2)), 1), np.kron([1, 2], [1, 1])",
       "(11, array([[11]]), 11, array([[3, 4],\n"
       "       [6, 8]]), (1+0j), array([[3., 3.],\n"
       "       [3., 3.]]), array([1, 1, 2, 2]))"},
      {"np.dot([1, 2], [1, 2, 3])",
       "ValueError: shapes (2,) and (3,) not aligned: 2 (dim 0) != 3 (dim 0)"},
      {"np.einsum('ij,jk', [[1, 2]], [[3], [4]]), np.einsum('ii', [[1, 2], [3, 4]]), "
       "np.einsum('i,j->ij', [1, 2], [3, 4]), np.einsum('...j->...', [[1, 2], [3, 4]])",
       "(array([[11]]), 5, array([[3, 4],\n"
       "       [6, 8]]), array([3, 7]))"},
      {"np.einsum('ij', [1, 2])",
       "ValueError: einstein sum subscripts string contains too many subscripts for operand 0"},
  });
}

TEST(Sorting, Values) {
  CheckNumpyRows({
      {"np.sort([3, 1, 2]), np.sort([[3, 1], [2, 4]], axis=0), np.argsort([3, 1, 2]), "
       "np.sort(['b', 'a']), np.sort([2, np.nan, 1]), np.sort([[3, 1], [2, 4]], axis=None)",
       "(array([1, 2, 3]), array([[2, 1],\n"
       "       [3, 4]]), array([1, 2, 0]), array(['a', 'b'], dtype='<U1'), array([ 1.,  2., nan]), "
       "array([1, 2, 3, 4]))"},
      {"a = np.array([3, 1, 2])\n"
       "a.sort(), a, a.argsort(), np.sort(a)[::-1], np.lexsort(([1, 0, 1], [0, 0, 1])), "
       "np.argsort([1, 1, 0], kind='stable')",
       "(None, array([1, 2, 3]), array([0, 1, 2]), array([3, 2, 1]), array([1, 0, 2]), array([2, "
       "0, 1]))"},
      {"np.sort([1], axis=1)", "AxisError: axis 1 is out of bounds for array of dimension 1"},
      {"np.partition([4, 1, 3, 2], 1)[:2].tolist().sort(), np.argpartition([4, 1, 3], 0)[0], "
       "np.searchsorted([1, 3, 5], [0, 3, 6]), np.searchsorted([1, 3], 3, side='right')",
       "(None, 1, array([0, 1, 3]), 2)"},
      {"np.unique([3, 1, 1])", "array([1, 3])"},
      {"np.unique([3, 1, 1], return_index=True)", "(array([1, 3]), array([1, 0]))"},
      {"np.unique([3, 1, 1], return_inverse=True)", "(array([1, 3]), array([1, 0, 0]))"},
      {"np.unique([3, 1, 1], return_counts=True)", "(array([1, 3]), array([2, 1]))"},
      {"np.union1d([1, 2], [2, 3]), np.intersect1d([1, 2], [2, 3]), np.setdiff1d([1, 2], [2, 3]), "
       "np.setxor1d([1, 2], [2, 3]), np.isin([1, 2], [2]), np.isin([[1], [2]], [2])",
       "(array([1, 2, 3]), array([2]), array([1]), array([1, 3]), array([False,  True]), "
       "array([[False],\n"
       "       [ True]]))"},
      {"np.flip([1, 2]), np.flip([[1, 2], [3, 4]], 0), np.fliplr([[1, 2]]), np.flipud([[1], [2]]), "
       "np.roll([1, 2, 3], 1), np.roll([[1, 2], [3, 4]], 1, axis=0), np.rot90([[1, 2], [3, 4]])",
       "(array([2, 1]), array([[3, 4],\n"
       "       [1, 2]]), array([[2, 1]]), array([[2],\n"
       "       [1]]), array([3, 1, 2]), array([[3, 4],\n"
       "       [1, 2]]), array([[2, 4],\n"
       "       [1, 3]]))"},
  });
}

TEST(Polynomials, Values) {
  CheckNumpyRows({
      {"np.polyfit([0, 1, 2], [1, 3, 5], 1).round(6)", "array([2., 1.])"},
      {"np.polyval([1, 2, 3], 2)", "11"},
      {"np.poly([1, 2])", "array([ 1., -3.,  2.])"},
      {"np.polyadd([1, 2], [3])", "array([1, 5])"},
      {"np.polymul([1, 1], [1, -1])", "array([ 1,  0, -1])"},
      {"np.polyder([1, 2, 3]), np.polyint([2, 2]), np.polysub([1, 2], [1]), np.polydiv([1, 0, -1], "
       "[1, 1])",
       "(array([2, 2]), array([1., 2., 0.]), array([1, 1]), (array([ 1., -1.]), array([0.])))"},
  });
}

TEST(Linalg, Values) {
  CheckNumpyRows({
      {"a = np.array([[2., 1.], [1., 3.]])\n"
       "np.linalg.det(a).round(6), np.linalg.inv(a).round(4), np.linalg.solve(a, [3, 4]).round(6), "
       "np.linalg.matrix_rank(a), np.linalg.norm([3, 4]), np.linalg.norm(a, 1), np.linalg.norm([1, "
       "-2], np.inf)",
       "(5.0, array([[ 0.6, -0.2],\n"
       "       [-0.2,  0.4]]), array([1., 1.]), 2, 5.0, 4.0, 2.0)"},
      {"np.linalg.inv(np.zeros((2, 2)))", "LinAlgError: Singular matrix"},
      {"np.linalg.inv(np.zeros((2, 3)))",
       "LinAlgError: Last 2 dimensions of the array must be square"},
      {"np.linalg.solve(np.eye(2), [1, 2, 3])",
       "ValueError: solve1: Input operand 1 has a mismatch in its core dimension 0, with gufunc "
       "signature (m,m),(m)->(m) (size 3 is different from 2)"},
      {"np.linalg.cholesky([[4., 0.], [0., 9.]]), np.linalg.eigvalsh([[2., 0.], [0., 1.]]), "
       "np.linalg.svd([[3., 0.], [0., 4.]], compute_uv=False), np.linalg.matrix_power([[1, 1], [0, "
       "1]], 3)",
       "(array([[2., 0.],\n"
       "       [0., 3.]]), array([1., 2.]), array([4., 3.]), array([[1, 3],\n"
       "       [0, 1]]))"},
      {"np.linalg.cholesky([[1., 2.], [2., 1.]])", "LinAlgError: Matrix is not positive definite"},
      {"w, v = np.linalg.eigh([[2., 1.], [1., 2.]])\n"
       "w.round(6), (v @ np.diag(w) @ v.T).round(6), np.linalg.pinv([[1., 0.], [0., 0.]]), "
       "np.linalg.lstsq(np.eye(2), [1., 2.], rcond=None)[0], np.linalg.cond(np.eye(2)), "
       "np.trace(np.eye(3))",
       "(array([1., 3.]), array([[2., 1.],\n"
       "       [1., 2.]]), array([[1., 0.],\n"
       "       [0., 0.]]), array([1., 2.]), 1.0, 3.0)"},
      {"q, r = np.linalg.qr(np.array([[3., 0.], [4., 5.]]))\n"
       "(q @ r).round(6)",
       "array([[3., 0.],\n"
       "       [4., 5.]])"},
      {"q, r = np.linalg.qr(np.array([[3., 0.], [4., 5.]]))\n"
       "np.linalg.multi_dot([np.eye(2), [[1], [2]], [[3]]])",
       "array([[3.],\n"
       "       [6.]])"},
      {"np.linalg.norm([[1, 2]], 'nope')", "ValueError: Invalid norm order for matrices."},
      {"np.fft.fft([1, 0, 0, 0]), np.fft.ifft([4, 0, 0, 0]), np.fft.rfft([1, 1]), "
       "np.fft.fftfreq(4), np.fft.fftshift([0, 1, 2, 3]), np.fft.irfft([2, 0]).round(6)",
       "(array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j]), array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j]), "
       "array([2.+0.j, 0.+0.j]), array([ 0.  ,  0.25, -0.5 , -0.25]), array([2, 3, 0, 1]), "
       "array([1., 1.]))"},
      {"np.fft.fft([])", "ValueError: Invalid number of FFT data points (0) specified."},
  });
}

}  // namespace
}  // namespace tensh::shell
