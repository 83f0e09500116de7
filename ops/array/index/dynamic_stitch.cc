// DynamicStitch and ParallelDynamicStitch: interleave slices of several tensors by index.
#include <algorithm>

#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/rows_shape.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

bool StartsWith(const Shape& shape, const Shape& prefix) {
  return shape.rank() >= prefix.rank() &&
         std::equal(prefix.dims().begin(), prefix.dims().end(), shape.dims().begin());
}

// The first n inputs are indices, the other n are data. The shape of each data input begins with
// that of its indices. The rest is the shape of a slice, which must be the same for all.
Result<Shape> SliceShapeOf(KernelCtx& c, int n) {
  Shape slice;
  for (int i = 0; i < n; ++i) {
    const Shape &index = c.in(i).shape(), &data = c.in(n + i).shape();
    if (!StartsWith(data, index))
      return InvalidArgument("data[", i, "].shape = ", data, " does not start with indices[", i,
                             "].shape = ", index);
    Shape rest;
    for (int d = index.rank(); d < data.rank(); ++d) rest.Append(data[d]);
    if (i == 0) slice = rest;
    if (!(rest == slice))
      return InvalidArgument("Need data[0].shape[", c.in(0).rank(), ":] = data[", i, "].shape[",
                             index.rank(), ":], got data[0].shape = ", c.in(n).shape(), ", data[",
                             i, "].shape = ", data, ", indices[0].shape = ", c.in(0).shape(),
                             ", indices[", i, "].shape = ", index);
  }
  return slice;
}

// True if each of the rows is named by an index.
bool NamesEveryRow(KernelCtx& c, int n, int64_t rows) {
  std::vector<bool> named(static_cast<size_t>(rows));
  int64_t left = rows;
  for (int i = 0; i < n; ++i) {
    for (int64_t k = 0; k < c.in(i).num_elements(); ++k) {
      std::vector<bool>::reference row = named[static_cast<size_t>(IndexAt(c.in(i), k))];
      left -= !row;
      row = true;
    }
  }
  return left == 0;
}

Status DynamicStitch(KernelCtx& c) {
  int n = c.num_inputs() / 2;
  TENSH_ASSIGN(Shape slice, SliceShapeOf(c, n));
  int64_t rows = 0, covered = 0;
  for (int i = 0; i < n; ++i) {
    covered += c.in(i).num_elements();
    for (int64_t k = 0; k < c.in(i).num_elements(); ++k) {
      int64_t row = IndexAt(c.in(i), k);
      if (row < 0 || row == INT32_MAX) return InvalidArgument("indices[", k, "] is out of range");
      rows = std::max(rows, row + 1);
    }
  }
  TENSH_ASSIGN(const Shape shape, RowsShape(rows, slice));
  TENSH_OUTPUT(merged, c.Output(0, shape));
  // Rows that no index names are zero. The count of indices does not tell whether there are any,
  // because indices may repeat; only a row for each of them shows that none is left out.
  if (covered != rows || !NamesEveryRow(c, n, rows))
    ZeroElements(c, merged->dtype(), merged->raw(), merged->num_elements());
  int64_t run = slice.num_elements();
  for (int i = 0; i < n && run; ++i) {
    std::vector<int64_t> to = IndexValues(c.in(i));
    TENSH_RETURN_IF_ERROR(CopyRuns(c, merged->dtype(), merged->raw(), to.data(), c.in(n + i).raw(),
                                   nullptr, static_cast<int64_t>(to.size()), run));
  }
  return {};
}

Status StitchShape(ShapeCtx& c) {
  int n = c.num_inputs() / 2;
  Shape slice = Shape::Unknown();
  int64_t rows = 0;
  for (int i = 0; i < n; ++i) {
    const Tensor* index = c.constant(i);
    if (!index) rows = -1;
    for (int64_t k = 0; rows >= 0 && k < index->num_elements(); ++k)
      rows = std::max(rows, IndexAt(*index, k) + 1);
    // TensorFlow counts rows with 32 bits and reports the overflow.
    if (rows > INT32_MAX) return InvalidArgument("Dimension -2147483648 must be >= 0");
    const Shape &in = c.in(i), &data = c.in(n + i);
    if (!in.has_rank() || !data.has_rank()) continue;
    if (data.rank() < in.rank())
      return InvalidArgument("Shape must be at least rank ", in.rank(), " but is rank ",
                             data.rank());
    Shape rest;
    for (int d = 0; d < data.rank(); ++d) {
      if (d >= in.rank())
        rest.Append(data[d]);
      else if (in[d] >= 0 && data[d] >= 0 && in[d] != data[d])
        return InvalidArgument("Dimensions must be equal, but are ", data[d], " and ", in[d]);
    }
    TENSH_ASSIGN(slice, MergeShapes(slice, rest));
  }
  if (!slice.has_rank() || slice.rank() >= Shape::kMaxRank) return {};
  Shape out({rows});
  for (int64_t d : slice.dims()) out.Append(d);
  c.Set(0, out);
  return {};
}

Status StitchGrad(GradScope& g) {
  int n = g.num_inputs() / 2;
  std::vector<Out> grads(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) {
    std::string name = i ? StrCat("GatherV2_", i) : "GatherV2";
    Out axis = ConstInt(g, 0, name + "/axis");
    grads.push_back(g.Op("GatherV2", {g.dy(0), g.x(i), axis}, {}, name));
  }
  return g.Return(std::move(grads));
}

}  // namespace

TENSH_OPS(array_index_dynamic_stitch) {
  for (const char* name : {"DynamicStitch", "ParallelDynamicStitch"})
    r.Op({.name = name,
          .inputs = "indices: N * int32, data: N * T",
          .outputs = "merged: T",
          .attrs = "N: int >= 1, T: type",
          .doc = "Merges slices of several tensors by index. Slice k of data[i], of type T, "
                 "becomes slice indices[i][k] of merged. N is the number of pairs. If an index "
                 "occurs twice, the later one wins. Slices without an index are zero.",
          .shape = StitchShape,
          .grad = StitchGrad,
          .examples = {{StrCat("tf.raw_ops.", name,
                               "(indices=[[0, 2], [1]], data=[[10, 30], [20]])"),
                        "[10 20 30]"}}})
        .CpuAny(DynamicStitch);
}

}  // namespace tensh::ops
