// SparseSegmentSum, …Mean and …SqrtN: reductions by segment of rows picked by index. The gradient
// ops cover all rows of the data or, in V2, only the picked ones.
#include <algorithm>
#include <cmath>

#include "ops/array/segment/segment_ids.h"
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/reducers.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

enum class Scale { kNone, kMean, kSqrt };

template <class T, class R>
void Combine(T* to, const T* from, int64_t n, bool first) {
  for (int64_t i = 0; i < n; ++i) to[i] = first ? from[i] : R::Combine(to[i], from[i]);
}

template <class T>
void Divide(T* to, int64_t n, int64_t count, Scale scale) {
  if (scale == Scale::kNone || count <= 0) return;
  if constexpr (std::is_floating_point_v<T>) {
    const T by = scale == Scale::kMean ? static_cast<T>(count) : std::sqrt(static_cast<T>(count));
    for (int64_t i = 0; i < n; ++i) to[i] /= by;
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(to[i] / static_cast<T>(count));
  }
}

// The inputs are data, indices, segment_ids and, in some ops, num_segments. Picks rows of data by
// index, then reduces them by segment.
template <Scale scale>
struct SparseSegment {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &data = c.in(0), &indices = c.in(1), &ids = c.in(2);
    TENSH_ASSIGN(const Shape shape, SparseSegmentOutput(c));
    TENSH_OUTPUT(out, c.Output(0, shape));
    const int64_t run = SegmentRun(data.shape(), 1), n = ids.num_elements();
    T* to = out->data<T>();
    ZeroElements(c, out->dtype(), out->raw(), out->num_elements());
    for (int64_t i = 0; i < n;) {
      const int64_t id = IndexAt(ids, i);
      int64_t end = i;
      for (; end < n && IndexAt(ids, end) == id; ++end) {
        const int64_t row = IndexAt(indices, end);
        if (row < 0 || row >= data.dim(0))
          return InvalidArgument("Bad: indices[", end, "] == ", row, " out of range [0, ",
                                 data.dim(0), ")");
        Combine<T, SumReducer<T>>(to + id * run, data.data<T>() + row * run, run, end == i);
      }
      Divide(to + id * run, run, end - i, scale);
      i = end;
    }
    return {};
  }
};

// The checked inputs of a gradient: grad, indices, segment_ids, and the number of rows of the data.
struct Picked {
  int64_t rows = 0;             // number of rows in the data
  std::vector<int64_t> counts;  // number of picked rows in each segment
};

Result<Picked> ReadPicked(KernelCtx& c) {
  const Tensor &grad = c.in(0), &indices = c.in(1), &ids = c.in(2);
  if (ids.dim(0) != indices.dim(0))
    return InvalidArgument("segment_ids and indices should have same size.");
  Picked p;
  p.rows = IndexAt(c.in(3), 0);
  if (p.rows < 0) return InvalidArgument("output_dim0 must not be negative, got ", p.rows);
  const int64_t used = grad.num_elements() ? grad.dim(0) : 0;
  p.counts.resize(static_cast<size_t>(used));
  for (int64_t i = 0; i < ids.num_elements(); ++i) {
    const int64_t id = IndexAt(ids, i), row = IndexAt(indices, i);
    if (id < 0 || id >= grad.dim(0))
      return InvalidArgument("Segment id ", id, " out of range [0, ", grad.dim(0), ").");
    if (row < 0 || row >= p.rows)
      return InvalidArgument("Index ", row, " out of range [0, ", p.rows, ").");
    if (used) ++p.counts[static_cast<size_t>(id)];
  }
  return p;
}

// Adds the gradient of each segment to the rows that it picked. row_of(i) is the row of `out` that
// slice i is added to.
template <class T, class RowOf>
void AddRows(KernelCtx& c, const Picked& p, Scale scale, Tensor* out, RowOf row_of) {
  const Tensor& ids = c.in(2);
  const int64_t run = SegmentRun(out->shape(), 1);
  T* to = out->data<T>();
  ZeroElements(c, out->dtype(), out->raw(), out->num_elements());
  for (int64_t i = 0; i < ids.num_elements() && !p.counts.empty(); ++i) {
    const int64_t id = IndexAt(ids, i);
    const T count = static_cast<T>(p.counts[static_cast<size_t>(id)]);
    const T factor = scale == Scale::kMean   ? T{1} / count
                     : scale == Scale::kSqrt ? T{1} / std::sqrt(count)
                                             : T{1};
    const T* from = c.in(0).data<T>() + id * run;
    T* row = to + row_of(i) * run;
    for (int64_t k = 0; k < run; ++k) row[k] += from[k] * factor;
  }
}

// The gradient for every row of the data.
template <Scale scale>
struct SparseSegmentGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Picked p, ReadPicked(c));
    TENSH_ASSIGN(Shape shape, SegmentsShape(c.in(0).shape(), 1, p.rows));
    TENSH_OUTPUT(out, c.Output(0, shape));
    AddRows<T>(c, p, scale, out, [&](int64_t i) { return IndexAt(c.in(1), i); });
    return {};
  }
};

// The gradient for the picked rows only, together with their indices in ascending order.
template <Scale scale>
struct SparseSegmentGradV2 {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Picked p, ReadPicked(c));
    std::vector<int64_t> unique = IndexValues(c.in(1));
    std::sort(unique.begin(), unique.end());
    unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
    const int64_t n = static_cast<int64_t>(unique.size());
    TENSH_ASSIGN(Shape shape, SegmentsShape(c.in(0).shape(), 1, n));
    TENSH_OUTPUT(out, c.Output(0, shape));
    AddRows<T>(c, p, scale, out, [&](int64_t i) {
      return std::lower_bound(unique.begin(), unique.end(), IndexAt(c.in(1), i)) - unique.begin();
    });
    c.SetOutput(1, IndexVector(c.out_dtype(1), unique));
    return {};
  }
};

// ---- shapes ----

// The first extent is the value of scalar input `I`, if the op has it.
template <int I>
Status SparseShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(MergeShapes(c.in(1), c.in(2)).status());
  int64_t rows = -1;
  if (I) {
    const std::optional<int64_t> given = ConstantScalar(c, I);
    if (given && *given < 0) return InvalidArgument("Cannot specify a negative value: ", *given);
    rows = given.value_or(-1);
  }
  if (!c.in(0).has_rank()) return {};
  Shape out = c.in(0);
  out.set_dim(0, rows);
  c.Set(0, out);
  return {};
}

Status PickedRowsShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(SparseShape<3>(c));
  if (c.in(0).has_rank()) {
    Shape out = c.in(0);
    out.set_dim(0, -1);
    c.Set(0, out);
  }
  c.Set(1, Shape({-1}));
  return {};
}

// ---- gradients ----

Out GatherRows(GradScope& g, Out t, Out ids) {
  return g.Op("GatherV2", {t, ids, ConstInt(g, 0, "GatherV2/axis")});
}

Out FirstExtent(GradScope& g) {
  Out shape = ShapeOf(g, g.x(0));
  return g.Op(
      "StridedSlice",
      {shape, ConstInts(g, {0}, "strided_slice/stack"), ConstInts(g, {1}, "strided_slice/stack_1"),
       ConstInts(g, {1}, "strided_slice/stack_2")},
      {{"shrink_axis_mask", 1}}, "strided_slice");
}

Status ReturnFirst(GradScope& g, Out dx) {
  std::vector<Out> grads(static_cast<size_t>(g.num_inputs()));
  grads[0] = dx;
  return g.Return(std::move(grads));
}

Status SparseSumGrad(GradScope& g) {
  Out rows = GatherRows(g, g.dy(), g.x(2));
  return ReturnFirst(g, g.Op("UnsortedSegmentSum", {rows, g.x(1), FirstExtent(g)}));
}
Status SparseMeanGrad(GradScope& g) {
  return ReturnFirst(g, g.Op("SparseSegmentMeanGrad", {g.dy(), g.x(1), g.x(2), FirstExtent(g)}));
}
Status SparseSqrtGrad(GradScope& g) {
  return ReturnFirst(g, g.Op("SparseSegmentSqrtNGrad", {g.dy(), g.x(1), g.x(2), FirstExtent(g)}));
}

// ---- registration ----

constexpr char kReals[] =
    "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";
constexpr char kGradTypes[] =
    "T: {bfloat16, half, float, double}, Tidx: {int32, int64} = int32, Tsegmentids: {int32, int64} "
    "= int32";

template <Scale scale>
void Sparse(OpRegistry& r, const std::string& name, const char* doc, GradFn grad,
            const char* result) {
  const std::string types = scale == Scale::kNone ? kReals : "{bfloat16, half, float, double}";
  const std::string text =
      StrCat(doc,
             " of rows picked by index, by segment. data: rows along the first dimension. indices: "
             "the rows to pick. segment_ids: the segment of each, in ascending order. T, Tidx, "
             "Tsegmentids: the types of the inputs. sparse_gradient: ignored.");
  auto kernels = [](OpRegistry::OpEntry entry) {
    if constexpr (scale == Scale::kNone)
      entry.Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint16_t, uint32_t,
                uint64_t>(SparseSegment<scale>{});
    else
      entry.Cpu<float, double>(SparseSegment<scale>{});
  };
  kernels(r.Op(
      {.name = name,
       .inputs = "data: T, indices: Tidx, segment_ids: Tsegmentids",
       .outputs = "output: T",
       .attrs = StrCat("T: ", types,
                       ", Tidx: {int32, int64} = int32, Tsegmentids: {int32, int64} = int32, "
                       "sparse_gradient: bool = false"),
       .doc = text,
       .contract = "data: rank 1+, indices: vector, segment_ids: vector",
       .shape = SparseShape<0>,
       .grad = grad,
       .examples = {
           {StrCat("tf.raw_ops.", name, "(data=[[1.], [3.]], indices=[0, 1], segment_ids=[0, 0])"),
            result}}}));
  kernels(r.Op(
      {.name = StrCat(name, "WithNumSegments"),
       .inputs = "data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments",
       .outputs = "output: T",
       .attrs = StrCat("T: ", types,
                       ", Tidx: {int32, int64} = int32, Tnumsegments: {int32, int64} = int32, "
                       "Tsegmentids: {int32, int64} = int32, sparse_gradient: bool = false"),
       .doc = StrCat(text, " num_segments: the number of segments. Tnumsegments: its type."),
       .contract = "data: rank 1+, indices: vector, segment_ids: vector, num_segments: scalar",
       .shape = SparseShape<3>,
       .grad = grad,
       .examples = {{StrCat("tf.raw_ops.", name,
                            "WithNumSegments(data=[[1.], [3.]], indices=[0, 1], "
                            "segment_ids=[0, 0], num_segments=1)"),
                     result}}}));
}

template <Scale scale>
void SparseGrads(OpRegistry& r, const std::string& name) {
  r.Op({.name = StrCat(name, "Grad"),
        .inputs = "grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32",
        .outputs = "output: T",
        .attrs = kGradTypes,
        .doc = StrCat(
            "The gradient of ", name,
            ". grad: the incoming gradient. indices, segment_ids: those of the op. output_dim0: "
            "the number of rows of data. T, Tidx, Tsegmentids: the types of the inputs."),
        .contract = "grad: rank 1+, indices: vector, segment_ids: vector, output_dim0: scalar",
        .shape = SparseShape<3>,
        .examples = {{StrCat("tf.raw_ops.", name,
                             "Grad(grad=[[1.]], indices=[0], segment_ids=[0], output_dim0=1)"),
                      "[[1.]]"}}})
      .template Cpu<float, double>(SparseSegmentGrad<scale>{});
  r.Op({.name = StrCat(name, "GradV2"),
        .inputs = "grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: int32",
        .outputs = "output: T, sorted_unique_indices: Tidx",
        .attrs = kGradTypes,
        .doc = StrCat("The gradient of ", name,
                      " for the picked rows only: output has one row for each of "
                      "sorted_unique_indices. grad: the incoming gradient. indices, segment_ids: "
                      "those of the op. dense_output_dim0: the number of rows of data. T, Tidx, "
                      "Tsegmentids: the types of the inputs."),
        .contract =
            "grad: rank 1+, indices: vector, segment_ids: vector, dense_output_dim0: scalar",
        .shape = PickedRowsShape,
        .examples = {{StrCat("tf.raw_ops.", name,
                             "GradV2(grad=[[1.]], indices=[3], segment_ids=[0], "
                             "dense_output_dim0=5)[1]"),
                      "[3]"}}})
      .template Cpu<float, double>(SparseSegmentGradV2<scale>{});
}

}  // namespace

TENSH_OPS(array_segment_sparse_segment) {
  Sparse<Scale::kNone>(r, "SparseSegmentSum", "Sums", SparseSumGrad, "[[4.]]");
  SparseGrads<Scale::kNone>(r, "SparseSegmentSum");
  Sparse<Scale::kMean>(r, "SparseSegmentMean", "Means", SparseMeanGrad, "[[2.]]");
  SparseGrads<Scale::kMean>(r, "SparseSegmentMean");
  Sparse<Scale::kSqrt>(r, "SparseSegmentSqrtN", "Sums divided by the square root of the number",
                       SparseSqrtGrad, "[[2.828427]]");
  SparseGrads<Scale::kSqrt>(r, "SparseSegmentSqrtN");
}

}  // namespace tensh::ops
