#include "ops/sparse/sparse_tensor.h"

#include <algorithm>
#include <numeric>

#include "ops/support/array_copy.h"

namespace tensh::ops {

Result<int64_t> CheckedProduct(const std::vector<int64_t>& dims) {
  int64_t product = 1;
  for (int64_t d : dims)
    if (__builtin_mul_overflow(product, d, &product) || product > (int64_t{1} << 62))
      return InvalidArgument("the dimensions' product overflows");
  return product;
}

Result<Sparse> ReadSparse(const Tensor& indices, const Tensor* values, const Tensor& shape,
                          bool check_bounds) {
  if (indices.rank() != 2)
    return InvalidArgument("Input indices should be a matrix but received shape ", indices.shape());
  if (values && values->rank() != 1)
    return InvalidArgument("Input values should be a vector but received shape ", values->shape());
  if (shape.rank() != 1)
    return InvalidArgument("Input shape should be a vector but received shape ", shape.shape());
  if (values && values->dim(0) != indices.dim(0))
    return InvalidArgument("Number of values must match first dimension of indices: ",
                           values->dim(0), " vs. ", indices.dim(0));
  if (indices.dim(1) != shape.dim(0))
    return InvalidArgument("Number of dimensions must match second dimension of indices: ",
                           shape.dim(0), " vs. ", indices.dim(1));
  Sparse s;
  s.indices = indices;
  if (values) s.values = *values;
  s.n = indices.dim(0);
  s.rank = static_cast<int>(indices.dim(1));
  const auto dims = shape.flat<int64_t>();
  s.dims.assign(dims.begin(), dims.end());
  for (int64_t d : s.dims)
    if (d < 0) return InvalidArgument("a dimension of a sparse tensor must not be negative: ", d);
  TENSH_RETURN_IF_ERROR(CheckedProduct(s.dims).status());
  if (check_bounds) TENSH_RETURN_IF_ERROR(CheckBounds(s));
  return s;
}

Status CheckBounds(const Sparse& s) {
  for (int64_t i = 0; i < s.n; ++i)
    for (int d = 0; d < s.rank; ++d)
      if (s.row(i)[d] < 0 || s.row(i)[d] >= s.dims[static_cast<size_t>(d)])
        return InvalidArgument("indices[", i, "] is out of bounds: ", s.row(i)[d],
                               " along dimension ", d, ", need 0 <= index < ",
                               s.dims[static_cast<size_t>(d)]);
  return {};
}

int CompareRows(const int64_t* a, const int64_t* b, int rank) {
  for (int d = 0; d < rank; ++d)
    if (a[d] != b[d]) return a[d] < b[d] ? -1 : 1;
  return 0;
}

std::vector<int64_t> SortedRows(const Sparse& s) {
  std::vector<int64_t> rows(static_cast<size_t>(s.n));
  std::iota(rows.begin(), rows.end(), int64_t{0});
  std::stable_sort(rows.begin(), rows.end(), [&](int64_t a, int64_t b) {
    return CompareRows(s.row(a), s.row(b), s.rank) < 0;
  });
  return rows;
}

Result<Shape> DenseShape(const std::vector<int64_t>& dims) { return Shape::Make(dims, true); }

Result<Tensor> TakeIndices(const Sparse& s, const std::vector<int64_t>& rows) {
  TENSH_ASSIGN(Tensor out,
               Tensor::Make(DType::kInt64, Shape({static_cast<int64_t>(rows.size()), s.rank})));
  for (size_t i = 0; i < rows.size(); ++i)
    std::copy_n(s.row(rows[i]), s.rank, out.data<int64_t>() + static_cast<int64_t>(i) * s.rank);
  return out;
}

Result<Tensor> TakeValues(const Sparse& s, const std::vector<int64_t>& rows) {
  const DType type = s.values.dtype();
  TENSH_ASSIGN(Tensor out, Tensor::Make(type, Shape({static_cast<int64_t>(rows.size())})));
  for (size_t i = 0; i < rows.size(); ++i)
    CopyElements(type, At(out, static_cast<int64_t>(i)), At(s.values, rows[i]), 1);
  return out;
}

Tensor DimsTensor(const std::vector<int64_t>& dims) { return Tensor::Vector<int64_t>(dims); }

}  // namespace tensh::ops
