#include "ops/math/reduce/reduce_loops.h"

#include <algorithm>
#include <vector>

namespace tensh::ops {
namespace {

Status InvalidAxis(int64_t axis, int rank) {
  return InvalidArgument("Invalid reduction dimension (", axis, " for input with ", rank,
                         " dimension(s)");
}

// Returns the set of dimensions named by the axes.
Result<DimSet> AxisSet(const Tensor& axes, int rank) {
  DimSet set;
  for (int64_t i = 0; i < axes.num_elements(); ++i) {
    const int64_t axis = axes.IntScalar(i);
    if (axis < -rank || axis >= rank) return InvalidAxis(axis, rank);
    const auto d = static_cast<size_t>(axis < 0 ? axis + rank : axis);
    if (set[d])
      return InvalidArgument("Invalid reduction arguments: Axes contains duplicate dimension: ", d);
    set.set(d);
  }
  return set;
}

}  // namespace

Status MakeReducePlan(const Shape& in, const Tensor& axes, bool keep_dims, ReducePlan& plan) {
  TENSH_ASSIGN(const DimSet set, AxisSet(axes, in.rank()));
  bool last_reduced = false;
  for (int i = 0; i < in.rank(); ++i) {
    const bool reduced = set[static_cast<size_t>(i)];
    if (reduced) plan.reduced_elements *= in[i];
    if (!reduced || keep_dims) plan.out.Append(reduced ? 1 : in[i]);
    if (in[i] == 1) continue;
    if (plan.rank && last_reduced == reduced) {
      plan.dims[plan.rank - 1] *= in[i];
    } else {
      if (!plan.rank) plan.first_reduced = reduced;
      plan.dims[plan.rank++] = in[i];
    }
    last_reduced = reduced;
  }
  return {};
}

int64_t ArgAxis(const Tensor& dimension) {
  return dimension.dtype() == DType::kInt16 ? *dimension.data<int16_t>() : dimension.IntScalar();
}

Result<ArgPlan> MakeArgPlan(const Shape& in, const Tensor& dimension) {
  const int64_t dim = ArgAxis(dimension);
  if (dim < -in.rank() || dim >= in.rank())
    return InvalidArgument("Expected dimension in the range [", -in.rank(), ", ", in.rank(),
                           "), but got ", dim);
  const int axis = static_cast<int>(dim < 0 ? dim + in.rank() : dim);
  ArgPlan plan;
  plan.n = in[axis];
  if (plan.n == 0) return InvalidArgument("Reduction axis ", dim, " is empty in shape ", in);
  for (int i = 0; i < in.rank(); ++i) {
    if (i == axis) continue;
    plan.out.Append(in[i]);
    (i < axis ? plan.outer : plan.inner) *= in[i];
  }
  return plan;
}

void ReduceState::Read(PrepareCtx& c) { keep_dims = c.attrs().Bool("keep_dims"); }

Status ReduceShape(ShapeCtx& c) {
  const Shape& in = c.in(0);
  const bool keep_dims = c.attrs().Bool("keep_dims");
  const Tensor* axes = c.constant(1);
  if (!in.has_rank()) return {};
  if (axes) {
    TENSH_ASSIGN(const DimSet set, AxisSet(*axes, in.rank()));
    Shape out;
    for (int i = 0; i < in.rank(); ++i) {
      const bool reduced = set[static_cast<size_t>(i)];
      if (!reduced || keep_dims) out.Append(reduced ? 1 : in[i]);
    }
    c.Set(0, out);
  } else if (keep_dims) {
    c.Set(0, Shape::UnknownOfRank(in.rank()));
  }
  return {};
}

namespace {

Out IntVector(GradScope& g, std::span<const int32_t> values, std::string_view name) {
  return g.Const(Tensor::Vector<int32_t>(values), name);
}

std::vector<int32_t> KeptDims(const Shape& in, const DimSet& set) {
  std::vector<int32_t> kept;
  for (int i = 0; i < in.rank(); ++i)
    kept.push_back(set[static_cast<size_t>(i)] ? 1 : static_cast<int32_t>(in[i]));
  return kept;
}

// The static case: the input's shape and the axes are known, so that the shape with kept dimensions
// and the multiples for Tile become constants.
Out SpreadStatic(GradScope& g, Out dy, const Shape& in, const DimSet& set) {
  std::vector<int32_t> tiles;
  for (int i = 0; i < in.rank(); ++i)
    tiles.push_back(set[static_cast<size_t>(i)] ? static_cast<int32_t>(in[i]) : 1);
  Out reshaped = g.Op("Reshape", {dy, IntVector(g, KeptDims(in, set), "Reshape/shape")});
  return g.Op("Tile", {reshaped, IntVector(g, tiles, "Const")});
}

}  // namespace

Out KeptDimsShape(GradScope& g) {
  const Shape in = g.shape(g.x(0));
  const Tensor* constant_axes = g.constant(g.x(1));
  if (constant_axes && in.IsFullyKnown()) {
    Result<DimSet> set = AxisSet(*constant_axes, in.rank());
    if (set.ok()) return IntVector(g, KeptDims(in, *set), "Reshape/shape");
  }
  Out shape = g.Op("Shape", {g.x(0)});
  Out axes = g.x(1);
  if (g.dtype(axes) != DType::kInt32) axes = g.Op("Cast", {axes}, {{"DstT", DType::kInt32}});
  Out rank = g.Op("Size", {shape});
  Out positive = g.Op("FloorMod", {g.Op("AddV2", {axes, rank}, {}, "add"), rank}, {}, "mod");
  Out axes_shape = g.Op("Shape", {axes});
  Out all = g.Op("Range",
                 {g.Const(Tensor::Scalar<int32_t>(0), "range/start"), rank,
                  g.Const(Tensor::Scalar<int32_t>(1), "range/delta")},
                 {}, "range");
  Out ones = g.Op("Fill", {axes_shape, g.Const(Tensor::Scalar<int32_t>(1), "Fill/value")});
  const Out inputs[] = {all, positive, shape, ones};
  return g.OpN("DynamicStitch", inputs, {{"N", 2}});
}

Out SpreadReduced(GradScope& g, Out dy) {
  const Shape in = g.shape(g.x(0));
  const Tensor* axes = g.constant(g.x(1));
  if (axes && in.IsFullyKnown()) {
    Result<DimSet> set = AxisSet(*axes, in.rank());
    if (set.ok()) return SpreadStatic(g, dy, in, *set);
  }
  Out kept = KeptDimsShape(g);
  Out one = g.Const(Tensor::Scalar<int32_t>(1), "Maximum/y");
  Out tiles =
      g.Op("FloorDiv", {g.Op("Shape", {g.x(0)}), g.Op("Maximum", {kept, one})}, {}, "floordiv");
  return g.Op("Tile", {g.Op("Reshape", {dy, kept}), tiles});
}

namespace {

// Stores the sum of at least one row in `sums`.
struct RowSum {
  TENSH_ALWAYS_INLINE static void Run(const float* in, int64_t rows, int64_t n, float* sums) {
    for (int64_t j = 0; j < n; ++j) sums[j] = in[j];
    for (--rows, in += n; rows >= 4; rows -= 4, in += 4 * n) {
      TENSH_VECTORIZE
      for (int64_t j = 0; j < n; ++j)
        sums[j] += (in[j] + in[n + j]) + (in[2 * n + j] + in[3 * n + j]);
    }
    for (; rows > 0; --rows, in += n) {
      TENSH_VECTORIZE
      for (int64_t j = 0; j < n; ++j) sums[j] += in[j];
    }
  }
};

}  // namespace

void SumColumns(KernelCtx& c, const float* in, int64_t rows, int64_t n, float* out) {
  if (!n) return;
  const int64_t size = std::clamp<int64_t>(16384 / n, 64, 1024), blocks = (rows + size - 1) / size;
  std::vector<float> sums(static_cast<size_t>(blocks * n));
  c.ParallelFor(blocks, 0.1 * static_cast<double>(size * n), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b)
      Dispatch<RowSum>(in + b * size * n, std::min(size, rows - b * size), n,
                       &sums[static_cast<size_t>(b * n)]);
  });
  Dispatch<RowSum>(static_cast<const float*>(sums.data()), blocks, n, out);
}

}  // namespace tensh::ops
