#pragma once
// Sparse tensors as three elements: each the TensorProto message of a part (indices, values,
// shape), or a variant that holds the part. And several sparse tensors as one. Stateless.
#include <algorithm>
#include <array>
#include <vector>

#include "ops/support/sparse.h"

namespace tensh::ops {

using SparseParts = std::array<Tensor, 3>;  // indices, values, shape

// out[at…at + 2] = the parts; out is of type string or variant.
Status PutSparse(const SparseParts& parts, Tensor& out, int64_t at);
// The sparse tensor, values of type `dtype`, that in[at…at + 2] hold.
Result<Sparse> GetSparse(const Tensor& in, int64_t at, DType dtype);

// fn(index, parts) for each index of the first dimension that has values: the sparse tensor, of a
// rank less, that lies there. Precondition: CheckRows.
template <class Fn>
Status ForEachRow(const Sparse& s, Fn fn);

// Sparse tensors of one rank as outputs 0 to 2: behind each other in new first dimensions `outer`,
// as wide as the widest.
Status GiveStacked(KernelCtx& c, const std::vector<Sparse>& parts, std::vector<int64_t> outer);
// InvalidArgument unless the rank is 2 or more and the rows are in order, in bounds, no two alike.
Status CheckRows(const Sparse& s);

// ---- implementation ----

template <class Fn>
Status ForEachRow(const Sparse& s, Fn fn) {
  const std::vector<int64_t> dims(s.dims.begin() + 1, s.dims.end());
  const Tensor shape = DimsTensor(dims);
  const int rank = s.rank - 1;
  for (int64_t i = 0, end = 0; i < s.n; i = end) {
    const int64_t index = s.row(i)[0];
    std::vector<int64_t> rows;
    for (end = i; end < s.n && s.row(end)[0] == index; ++end) rows.push_back(end);
    TENSH_ASSIGN(Tensor indices, Tensor::Make(DType::kInt64, Shape({end - i, rank})));
    for (int64_t k = i; k < end; ++k)
      std::copy_n(s.row(k) + 1, rank, indices.data<int64_t>() + (k - i) * rank);
    TENSH_ASSIGN(Tensor values, TakeValues(s, rows));
    TENSH_RETURN_IF_ERROR(fn(index, SparseParts{std::move(indices), std::move(values), shape}));
  }
  return {};
}

}  // namespace tensh::ops
