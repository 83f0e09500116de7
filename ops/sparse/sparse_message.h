#pragma once
// Sparse tensors stored as three elements of a tensor, one for each part (indices, values, shape).
// An element is the part's serialized TensorProto, or a variant that holds the part. Also stacks
// several sparse tensors. Stateless.
#include <algorithm>
#include <array>
#include <vector>

#include "ops/sparse/sparse_tensor.h"

namespace tensh::ops {

using SparseParts = std::array<Tensor, 3>;  // indices, values, shape

// Makes variants of parts readable in messages.
void AddReaderOfParts();
// Stores the parts in out[at…at + 2]. `out` is of type string or variant.
Status PutSparse(const SparseParts& parts, Tensor& out, int64_t at);
// Returns the sparse tensor in in[at…at + 2], whose values must be of type `dtype`.
Result<Sparse> GetSparse(const Tensor& in, int64_t at, DType dtype);

// Calls fn(index, parts) for each index of the first dimension that has values, with the sparse
// tensor at that index, whose rank is one less. Requires CheckRows.
template <class Fn>
Status ForEachRow(const Sparse& s, Fn fn);

// Stacks sparse tensors of equal rank and stores the result in outputs 0 to 2. `outer` gives the
// new leading dimensions; the other extents are the largest of any part.
Status GiveStacked(KernelCtx& c, const std::vector<Sparse>& parts, std::vector<int64_t> outer);
// Returns InvalidArgument unless the rank is at least 2 and the rows are sorted, in bounds and
// unique.
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
