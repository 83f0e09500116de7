#pragma once
// Sparse tensors as the ops receive them: a matrix of indices, a vector of values and a shape. They
// are checked once, then read row by row. Stateless.
#include <vector>

#include "runtime/core/kernel.h"

namespace tensh::ops {

struct Sparse {
  Tensor indices, values;  // values may be empty
  std::vector<int64_t> dims;
  int64_t n = 0;
  int rank = 0;

  const int64_t* row(int64_t i) const { return indices.data<int64_t>() + i * rank; }
};

// Checks the three parts of a sparse tensor: indices [n, rank] and shape [rank] of int64, and
// values [n], unless null. The extents must be non-negative and their product must fit into 64
// bits. If `check_bounds` is set, each index must lie within the shape.
Result<Sparse> ReadSparse(const Tensor& indices, const Tensor* values, const Tensor& shape,
                          bool check_bounds);
Status CheckBounds(const Sparse& s);
// SortedRows returns the row numbers in lexicographic order of their indices. The sort is stable.
std::vector<int64_t> SortedRows(const Sparse& s);
int CompareRows(const int64_t* a, const int64_t* b, int rank);
// Returns the product of dims, or InvalidArgument if it overflows.
Result<int64_t> CheckedProduct(const std::vector<int64_t>& dims);
// Converts the dimensions of an output to a Shape. Returns an error if there are more than
// kMaxRank.
Result<Shape> DenseShape(const std::vector<int64_t>& dims);
// Return the indices [rows.size(), rank] and the values [rows.size()] of the given rows of s.
Result<Tensor> TakeIndices(const Sparse& s, const std::vector<int64_t>& rows);
Result<Tensor> TakeValues(const Sparse& s, const std::vector<int64_t>& rows);
Tensor DimsTensor(const std::vector<int64_t>& dims);

}  // namespace tensh::ops
