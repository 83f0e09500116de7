// Isotonic regression: the non-increasing sequence nearest to each row, by pooling neighbors that
// increase (Best and Chakravarti, 1990).
#include "ops/op_file.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"
#include "ops/support/shape_util.h"
#include "runtime/core/half.h"

namespace tensh::ops {
namespace {

// A run of elements whose fitted value is their mean.
struct Run {
  double sum;
  int64_t count;
  double mean() const { return sum / static_cast<double>(count); }
};

template <class R>
R Rounded(double x) {
  if constexpr (std::is_same_v<R, double>)
    return x;
  else
    return R(static_cast<float>(x));
}

// Writes the fit of in[0, n) and the number of the run that each element belongs to.
template <class T, class R>
void FitRow(const T* in, int64_t n, R* out, int32_t* segments, std::vector<Run>& runs) {
  runs.clear();
  for (int64_t i = 0; i < n; ++i) {
    runs.push_back({static_cast<double>(in[i]), 1});
    while (runs.size() > 1 && runs[runs.size() - 2].mean() < runs.back().mean()) {
      const Run last = runs.back();
      runs.pop_back();
      runs.back().sum += last.sum;
      runs.back().count += last.count;
    }
  }
  int64_t at = 0;
  for (size_t k = 0; k < runs.size(); ++k)
    for (int64_t i = 0; i < runs[k].count; ++i, ++at) {
      out[at] = Rounded<R>(runs[k].mean());
      segments[at] = static_cast<int32_t>(k);
    }
}

template <class T, class R>
void FitRows(const Tensor& x, Tensor* y, Tensor* segments, int64_t rows, int64_t n) {
  std::vector<Run> runs;
  for (int64_t i = 0; i < rows; ++i)
    FitRow(x.data<T>() + i * n, n, y->data<R>() + i * n, segments->data<int32_t>() + i * n, runs);
}

struct Fit {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    if (x.rank() < 1) return InvalidArgument("input must be at least 1-D, got a scalar");
    const int64_t n = x.dim(x.rank() - 1), rows = n ? x.num_elements() / n : 0;
    if (n > INT32_MAX) return InvalidArgument("rows of ", n, " elements are too long");
    TENSH_OUTPUT(y, c.Output(0, x.shape()));
    TENSH_OUTPUT(segments, c.Output(1, x.shape()));
    switch (c.out_dtype(0)) {
      case DType::kFloat:
        FitRows<T, float>(x, y, segments, rows, n);
        return {};
      case DType::kDouble:
        FitRows<T, double>(x, y, segments, rows, n);
        return {};
      case DType::kHalf:
        FitRows<T, Half>(x, y, segments, rows, n);
        return {};
      default:
        FitRows<T, Bfloat16>(x, y, segments, rows, n);
        return {};
    }
  }
};

Status FitShape(ShapeCtx& c) {
  c.Set(0, c.in(0));
  c.Set(1, c.in(0));
  return {};
}

// The gradient is the mean of the incoming gradient over each run. The runs of all rows are
// numbered consecutively, so that one segment sum suffices.
Status FitBackward(GradScope& g) {
  const Out dy = g.dy(), segments = g.y(1);
  const DType type = g.dtype(g.x(0));
  if (type != g.dtype(dy)) return g.Return({{}});  // integers have no gradient
  const Out shape = ShapeOf(g, segments), all = SizeOfTensor(g, segments);
  const Out zero = ConstInt(g, 0, "Const"), one = ConstInt(g, 1, "Const_1");
  const Out flat = ConstInts(g, {-1}, "Reshape/shape");
  const Out last = g.Op("Sub", {SizeOfTensor(g, shape, "Size_1"), one}, {}, "sub");
  const Out width = g.Op("GatherV2", {shape, last, zero});
  const Out row = g.Op("FloorDiv", {g.Op("Range", {zero, all, one}), width}, {}, "floordiv");
  const Out own = g.Op("Reshape", {segments, flat});
  const Out ids = GradAdd(g, own, g.Mul(row, width));
  const Out arrived = g.Op("Reshape", {dy, flat}, {}, "Reshape_1");
  const Out sums = g.Op("UnsortedSegmentSum", {arrived, ids, all});
  const Out ones = g.Op("OnesLike", {arrived});
  const Out counts = g.Op("UnsortedSegmentSum", {ones, ids, all}, {}, "UnsortedSegmentSum_1");
  const Out means = g.Op("DivNoNan", {sums, counts});
  const Out spread = g.Op("GatherV2", {means, ids, zero}, {}, "GatherV2_1");
  return g.Return({g.Op("Reshape", {spread, shape}, {}, "Reshape_2")});
}

}  // namespace

TENSH_OPS(nn_isotonic_regression) {
  r.Op({.name = "IsotonicRegression",
        .inputs = "input: T",
        .outputs = "output: output_dtype, segments: int32",
        .attrs = TENSH_REALS ", output_dtype: {half, bfloat16, float, double} = float",
        .doc = "The non-increasing sequences nearest to each row, and the number of the run of "
               "equal elements that each element belongs to. input: rows along the last dimension. "
               "T: the element type. output_dtype: the type of the result.",
        .shape = FitShape,
        .grad = FitBackward,
        .examples = {{"tf.raw_ops.IsotonicRegression(input=[3., 1., 2.])[0]", "[3.  1.5 1.5]"}}})
      .Cpu<float, double, int32_t, int64_t, uint64_t>(Fit{});
}

}  // namespace tensh::ops
