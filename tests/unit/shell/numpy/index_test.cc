// Indexing arrays: basic and advanced selection, assignment, views and copies, the functions that
// select, and errors.
#include "tests/unit/shell/numpy/rows.h"

namespace tensh::shell {
namespace {

TEST(Selecting, Basic) {
  CheckNumpyRows({
      {"a = np.arange(12).reshape(3, 4)\n"
       "a[1], a[1, 2], a[-1, -1], a[:, 1], a[1:, ::2], a[::-1, 0], a[..., 1], a[1, ...], "
       "a[np.newaxis, 0].shape, a[:, None].shape",
       "(array([4, 5, 6, 7]), 6, 11, array([1, 5, 9]), array([[ 4,  6],\n"
       "       [ 8, 10]]), array([8, 4, 0]), array([1, 5, 9]), array([4, 5, 6, 7]), (1, 4), (3, 1, "
       "4))"},
      {"a = np.arange(24).reshape(2, 3, 4)\n"
       "a[1, 2, 3], a[0, ..., 1], a[..., None].shape, a[:, :, -1], a[1][2][3], a[(1, 2)], "
       "a[1:1].shape, a[5:].shape",
       "(23, array([1, 5, 9]), (2, 3, 4, 1), array([[ 3,  7, 11],\n"
       "       [15, 19, 23]]), 23, array([20, 21, 22, 23]), (0, 3, 4), (0, 3, 4))"},
      {"a = np.arange(3)\n"
       "a[3]",
       "IndexError: index 3 is out of bounds for axis 0 with size 3"},
      {"a = np.arange(3)\n"
       "a[-4]",
       "IndexError: index -4 is out of bounds for axis 0 with size 3"},
      {"a = np.zeros((2, 3))\n"
       "a[0, 3]",
       "IndexError: index 3 is out of bounds for axis 1 with size 3"},
      {"a = np.zeros((2, 3))\n"
       "a[0, 0, 0]",
       "IndexError: too many indices for array: array is 2-dimensional, but 3 were indexed"},
      {"a = np.zeros((2, 3))\n"
       "a['x']",
       "IndexError: only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and "
       "integer or boolean arrays are valid indices"},
      {"a = np.zeros((2, 3))\n"
       "a[1.0]",
       "IndexError: only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and "
       "integer or boolean arrays are valid indices"},
      {"a = np.zeros((2, 3))\n"
       "a[..., ...]",
       "IndexError: an index can only have a single ellipsis ('...')"},
      {"np.array(5)[()], np.array(5)[...], np.array([5])[0], type(np.array([5])[0]).__name__",
       "(5, array(5), 5, 'int64')"},
      {"np.array(5)[0]",
       "IndexError: too many indices for array: array is 0-dimensional, but 1 were indexed"},
  });
}

TEST(Selecting, Advanced) {
  CheckNumpyRows({
      {"a = np.arange(12).reshape(3, 4)\n"
       "a[[0, 2]], a[[0, 2], [1, 3]], a[[0, 2]][:, [1, 3]], a[np.ix_([0, 2], [1, 3])], a[:, [3, "
       "0]], a[[True, False, True]], a[a > 8]",
       "(array([[ 0,  1,  2,  3],\n"
       "       [ 8,  9, 10, 11]]), array([ 1, 11]), array([[ 1,  3],\n"
       "       [ 9, 11]]), array([[ 1,  3],\n"
       "       [ 9, 11]]), array([[ 3,  0],\n"
       "       [ 7,  4],\n"
       "       [11,  8]]), array([[ 0,  1,  2,  3],\n"
       "       [ 8,  9, 10, 11]]), array([ 9, 10, 11]))"},
      {"a = np.arange(12).reshape(3, 4)\n"
       "a[[[0], [2]], [1, 3]], a[[-1]], a[np.array([1, 0]), 0], a[[], :].shape, a[[0, 1], :2], "
       "a[:, a[0] > 1]",
       "(array([[ 1,  3],\n"
       "       [ 9, 11]]), array([[ 8,  9, 10, 11]]), array([4, 0]), (0, 4), array([[0, 1],\n"
       "       [4, 5]]), array([[ 2,  3],\n"
       "       [ 6,  7],\n"
       "       [10, 11]]))"},
      {"a = np.arange(4)\n"
       "a[[4]]",
       "IndexError: index 4 is out of bounds for axis 0 with size 4"},
      {"a = np.arange(4)\n"
       "a[[True, False]]",
       "IndexError: boolean index did not match indexed array along dimension 0; dimension is 4 "
       "but corresponding boolean dimension is 2"},
      {"a = np.zeros((2, 3))\n"
       "a[[0, 1], [0, 1, 2]]",
       "IndexError: shape mismatch: indexing arrays could not be broadcast together with shapes "
       "(2,) (3,) "},
      {"a = np.arange(4)\n"
       "a[[0.5]]",
       "IndexError: arrays used as indices must be of integer (or boolean) type"},
      {"a = np.arange(4)\n"
       "a[[]], a[np.array([], int)], a[True].shape, a[False].shape, a[np.array([[0, 1], [2, 3]])]",
       "(array([], dtype=int64), array([], dtype=int64), (1, 4), (0, 4), array([[0, 1],\n"
       "       [2, 3]]))"},
      {"a = np.arange(6).reshape(2, 3)\n"
       "np.take(a, [0, 5])",
       "array([0, 5])"},
      {"a = np.arange(6).reshape(2, 3)\n"
       "np.take(a, [0, 2], axis=1)",
       "array([[0, 2],\n"
       "       [3, 5]])"},
      {"a = np.arange(6).reshape(2, 3)\n"
       "a.take([1], 0)",
       "array([[3, 4, 5]])"},
      {"np.take([1, 2], 5)", "IndexError: index 5 is out of bounds for axis 0 with size 2"},
      {"a = np.array([[3, 1, 2], [6, 5, 4]])\n"
       "np.take_along_axis(a, a.argsort(1), 1), np.compress([True, False, True], a, axis=1), "
       "np.choose([0, 1, 0], [[1, 2, 3], [7, 8, 9]]), np.extract(a > 3, a)",
       "(array([[1, 2, 3],\n"
       "       [4, 5, 6]]), array([[3, 2],\n"
       "       [6, 4]]), array([1, 8, 3]), array([6, 5, 4]))"},
      {"np.where([True, False], [1, 2], [3, 4]), np.where([0, 1, 1]), np.where([[1, 0]], 5, [[6], "
       "[7]]), np.argwhere([[0, 1], [1, 0]]), np.nonzero([[0, 3]])",
       "(array([1, 4]), (array([1, 2]),), array([[5, 6],\n"
       "       [5, 7]]), array([[0, 1],\n"
       "       [1, 0]]), (array([0]), array([1])))"},
      {"np.select([[True, False], [True, True]], [[1, 2], [3, 4]], 9), np.piecewise(np.array([-1., "
       "2.]), [np.array([True, False])], [0, 5]), np.flatnonzero([0, 2, 0, 3])",
       "(array([1, 4]), array([0., 5.]), array([1, 3]))"},
      {"np.unravel_index(5, (2, 3)), np.unravel_index([1, 4], (2, 3)), np.ravel_multi_index(([0, "
       "1], [1, 2]), (2, 3)), np.diag_indices(2), np.tril_indices(2)",
       "((1, 2), (array([0, 1]), array([1, 1])), array([1, 5]), (array([0, 1]), array([0, 1])), "
       "(array([0, 1, 1]), array([0, 0, 1])))"},
      {"np.unravel_index(6, (2, 3))", "ValueError: index 6 is out of bounds for array with size 6"},
  });
}

TEST(Assigning, Values) {
  CheckNumpyRows({
      {"a = np.zeros(4, int)\n"
       "a[1] = 5\n"
       "a[2:] = [7, 8]\n"
       "a",
       "array([0, 5, 7, 8])"},
      {"a = np.arange(6).reshape(2, 3)\n"
       "a[:, 1] = 0\n"
       "a[1] += 10\n"
       "a[0, ::2] = a[0, ::2] * -1\n"
       "a",
       "array([[ 0,  0, -2],\n"
       "       [13, 10, 15]])"},
      {"a = np.arange(5)\n"
       "a[[0, 2]] = 9\n"
       "a[a == 1] = -1\n"
       "a[[3, 3]] += 1\n"
       "a",
       "array([ 9, -1,  9,  4,  4])"},
      {"a = np.zeros((2, 2))\n"
       "a[...] = [[1], [2]]\n"
       "a",
       "array([[1., 1.],\n"
       "       [2., 2.]])"},
      {"a = np.zeros(3, int)\n"
       "a[0] = 2.9\n"
       "a",
       "array([2, 0, 0])"},
      {"a = np.zeros(3)\n"
       "a[:2] = [1, 2, 3]\n"
       "1",
       "ValueError: could not broadcast input array from shape (3,) into shape (2,)"},
      {"a = np.zeros(3)\n"
       "a[5] = 1\n"
       "1",
       "IndexError: index 5 is out of bounds for axis 0 with size 3"},
      {"a = np.zeros(3)\n"
       "a[0] = 'x'\n"
       "1",
       "ValueError: could not convert string to float: 'x'"},
      {"a = np.arange(3)\n"
       "b = a[1:]\n"
       "b[0] = 99\n"
       "c = a[[0, 1]]\n"
       "c[0] = 77\n"
       "a",
       "array([ 0, 99,  2])"},
      {"a = np.arange(3)\n"
       "b = a[1:]\n"
       "b[0] = 99\n"
       "c = a[[0, 1]]\n"
       "c[0] = 77\n"
       "c.base is None",
       "True"},
      {"a = np.arange(4)\n"
       "a[1:] = a[:-1]\n"
       "a",
       "array([0, 0, 1, 2])"},
      {"a = np.arange(4)\n"
       "np.put(a, [0, 2], [-1, -2])\n"
       "np.place(a, a > 2, [44])\n"
       "np.copyto(a[1:2], 8)\n"
       "a",
       "array([-1,  8, -2, 44])"},
      {"a = np.arange(6).reshape(2, 3)\n"
       "np.fill_diagonal(a, -5)\n"
       "a, np.putmask(a, a < 0, 0), a",
       "(array([[0, 1, 2],\n"
       "       [3, 0, 5]]), None, array([[0, 1, 2],\n"
       "       [3, 0, 5]]))"},
      {"a = np.zeros((2, 3))\n"
       "a.flat[1] = 5\n"
       "a, a.flat[1], list(a.flat)[:2], a.item(1), a.item((0, 1))",
       "(array([[0., 5., 0.],\n"
       "       [0., 0., 0.]]), 5.0, [0.0, 5.0], 5.0, 5.0)"},
  });
}

TEST(Iterating, Arrays) {
  CheckNumpyRows({
      {"[x for x in np.arange(3)], [r.tolist() for r in np.eye(2)], list(np.ndenumerate([[5, "
       "6]])), list(np.ndindex(1, 2)), len(np.zeros((4, 2)))",
       "([0, 1, 2], [[1.0, 0.0], [0.0, 1.0]], [((0, 0), 5), ((0, 1), 6)], [(0, 0), (0, 1)], 4)"},
      {"list(np.array(5))", "TypeError: iteration over a 0-d array"},
      {"len(np.array(5))", "TypeError: len() of unsized object"},
      {"2 in np.arange(3), 9 in np.arange(3), bool(np.array([5])), bool(np.array(0)), "
       "bool(np.array([[0]]))",
       "(True, False, True, False, False)"},
      {"bool(np.array([1, 2]))",
       "ValueError: The truth value of an array with more than one element is ambiguous. Use "
       "a.any() or a.all()"},
      {"float(np.array(2.5))", "2.5"},
      {"np.array([1, 2, 3]).tolist()", "[1, 2, 3]"},
      {"np.array([[1.5]]).item()", "1.5"},
      {"[type(x).__name__ for x in np.array([1, 2]).tolist()]", "['int', 'int']"},
      {"int(np.array([1, 2]))",
       "TypeError: only length-1 arrays can be converted to Python scalars"},
      {"np.array([1, 2]).item()",
       "ValueError: can only convert an array of size 1 to a Python scalar"},
      {"x, y = np.array([1, 2])\n"
       "(a, b), (c, d) = np.eye(2)\n"
       "x, y, a, d",
       "(1, 2, 1.0, 1.0)"},
      {"it = []\n"
       "[int(v) for v in it]",
       "[]"},
  });
}

}  // namespace
}  // namespace tensh::shell
