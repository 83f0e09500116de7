#pragma once
// Sparse tensors as ops see them: a matrix of indices, a vector of values and a shape. Checked
// once, then read row by row. Stateless.
#include <vector>

#include "runtime/core/kernel.h"

namespace tensh::ops {

struct Sparse {
  Tensor indices, values;  // values may be null
  std::vector<int64_t> dims;
  int64_t n = 0;
  int rank = 0;

  const int64_t* row(int64_t i) const { return indices.data<int64_t>() + i * rank; }
};

// Indices [n, rank] and values [n] of int64, shape [rank], non-negative; its dimensions multiply to
// what fits. `indices_in_bounds`: each index lies in the shape.
Result<Sparse> ReadSparse(const Tensor& indices, const Tensor* values, const Tensor& shape,
                          bool check_bounds);
Status CheckBounds(const Sparse& s);
// Rows in the order of their indices; equal ones as they came.
std::vector<int64_t> SortedRows(const Sparse& s);
int CompareRows(const int64_t* a, const int64_t* b, int rank);
// The product of dims, or InvalidArgument when it does not fit.
Result<int64_t> CheckedProduct(const std::vector<int64_t>& dims);
// Dimensions of an output with so many of them, as a Shape; tensors have at most kMaxRank.
Result<Shape> DenseShape(const std::vector<int64_t>& dims);
// A tensor [rows.size(), rank] and one [rows.size()] with these rows of s.
Result<Tensor> TakeIndices(const Sparse& s, const std::vector<int64_t>& rows);
Result<Tensor> TakeValues(const Sparse& s, const std::vector<int64_t>& rows);
Tensor DimsTensor(const std::vector<int64_t>& dims);

}  // namespace tensh::ops
