// Reductions of slices by segment: sorted segments, segments in any order, and slices picked by
// index first.
#include <algorithm>
#include <cmath>

#include "ops/op_file.h"
#include "ops/support/grad_util.h"
#include "ops/support/reducers.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

enum class Scale { kNone, kMean, kSqrt };

Result<Shape> SegmentsShape(const Shape& data, int drop, int64_t segments) {
  int64_t dims[Shape::kMaxRank + 1] = {segments};
  size_t rank = 1;
  for (int i = drop; i < data.rank(); ++i) dims[rank++] = data[i];
  return Shape::Make({dims, rank}, false);
}

int64_t RunOf(const Shape& data, int drop) {
  int64_t run = 1;
  for (int i = drop; i < data.rank(); ++i) run *= data[i];
  return run;
}

// Ids must not fall; gives how many segments there are.
Result<int64_t> CountSegments(const Tensor& ids) {
  const int64_t n = ids.num_elements();
  int64_t last = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t id = IndexAt(ids, i);
    if (id < 0 || id > INT64_MAX / 2)
      return InvalidArgument("segment ids must be >= 0, got segment_ids[", i, "] = ", id);
    if (i && id < last) return InvalidArgument("segment ids are not increasing");
    last = id;
  }
  return n ? last + 1 : 0;
}

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

// data, segment_ids. Segments with no slices hold `Gap`.
template <template <class> class R, bool mean = false, bool product = false>
struct Segment {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &data = c.in(0), &ids = c.in(1);
    if (ids.rank() != 1) return InvalidArgument("segment_ids should be a vector.");
    if (data.rank() < 1 || data.dim(0) != ids.dim(0))
      return InvalidArgument("segment_ids should be the same size as dimension 0 of input: ",
                             ids.shape(), " and ", data.shape());
    TENSH_ASSIGN(int64_t segments, CountSegments(ids));
    TENSH_ASSIGN(Shape shape, SegmentsShape(data.shape(), 1, segments));
    TENSH_OUTPUT(out, c.Output(0, shape));
    const int64_t run = RunOf(data.shape(), 1), n = ids.num_elements();
    T* to = out->data<T>();
    std::fill_n(to, out->num_elements(), product ? T{1} : T{0});
    for (int64_t i = 0; i < n;) {
      const int64_t id = IndexAt(ids, i);
      int64_t end = i;
      for (; end < n && IndexAt(ids, end) == id; ++end)
        Combine<T, R<T>>(to + id * run, data.data<T>() + end * run, run, end == i);
      if (mean) Divide(to + id * run, run, end - i, Scale::kMean);
      i = end;
    }
    return {};
  }
};

// data, segment_ids, num_segments: ids in any order, negative ones are left out.
template <template <class> class R>
struct Unsorted {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &data = c.in(0), &ids = c.in(1);
    if (c.in(2).rank() != 0)
      return InvalidArgument("num_segments should be a scalar, not shape ", c.in(2).shape());
    const int64_t segments = IndexAt(c.in(2), 0);
    if (segments < 0)
      return InvalidArgument("Input num_segments == ", segments, " must not be negative.");
    if (data.rank() < ids.rank() ||
        !std::equal(ids.shape().dims().begin(), ids.shape().dims().end(),
                    data.shape().dims().begin()))
      return InvalidArgument("data.shape = ", data.shape(),
                             " does not start with segment_ids.shape = ", ids.shape());
    TENSH_ASSIGN(Shape shape, SegmentsShape(data.shape(), ids.rank(), segments));
    TENSH_OUTPUT(out, c.Output(0, shape));
    T* to = out->data<T>();
    using Limits = std::numeric_limits<T>;
    const T unit = std::is_same_v<R<T>, MaxReducer<T>>   ? Limits::lowest()
                   : std::is_same_v<R<T>, MinReducer<T>> ? Limits::max()
                                                         : R<T>::Identity();
    std::fill_n(to, out->num_elements(), unit);
    const int64_t run = RunOf(data.shape(), ids.rank()), n = ids.num_elements();
    for (int64_t i = 0; i < n; ++i) {
      const int64_t id = IndexAt(ids, i);
      if (id < 0) continue;
      if (id >= segments)
        return InvalidArgument("segment_ids[", i, "] = ", id, " is out of range [0, ", segments,
                               ")");
      Combine<T, R<T>>(to + id * run, data.data<T>() + i * run, run, false);
    }
    return {};
  }
};

// data, indices, segment_ids[, num_segments]: rows of data picked by index, then summed.
template <Scale scale>
struct SparseSegment {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &data = c.in(0), &indices = c.in(1), &ids = c.in(2);
    if (indices.rank() != 1) return InvalidArgument("indices should be a vector.");
    if (ids.rank() != 1) return InvalidArgument("segment_ids should be a vector.");
    if (indices.dim(0) != ids.dim(0))
      return InvalidArgument("segment_ids and indices should have same size.");
    if (data.rank() < 1) return InvalidArgument("Shape must be at least rank 1");
    TENSH_ASSIGN(int64_t segments, CountSegments(ids));
    if (c.num_inputs() == 4) {
      if (c.in(3).rank() != 0)
        return InvalidArgument("num_segments should be a scalar, not shape ", c.in(3).shape());
      const int64_t given = IndexAt(c.in(3), 0);
      if (given < 0) return InvalidArgument("segment ids must be >= 0");
      if (segments > given) return InvalidArgument("segment ids must be < num_segments");
      segments = given;
    }
    TENSH_ASSIGN(Shape shape, SegmentsShape(data.shape(), 1, segments));
    TENSH_OUTPUT(out, c.Output(0, shape));
    const int64_t run = RunOf(data.shape(), 1), n = ids.num_elements();
    T* to = out->data<T>();
    std::fill_n(to, out->num_elements(), T{0});
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

// grad, indices, segment_ids, output_dim0
template <Scale scale>
struct SparseSegmentGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &grad = c.in(0), &indices = c.in(1), &ids = c.in(2);
    if (indices.rank() != 1) return InvalidArgument("indices should be a vector.");
    if (ids.rank() != 1 || ids.dim(0) != indices.dim(0))
      return InvalidArgument("segment_ids and indices should have same size.");
    if (c.in(3).rank() != 0) return InvalidArgument("output_dim0 should be a scalar.");
    if (grad.rank() < 1) return InvalidArgument("Shape must be at least rank 1");
    const int64_t rows = IndexAt(c.in(3), 0), n = ids.num_elements();
    if (rows < 0) return InvalidArgument("output_dim0 must not be negative, got ", rows);
    TENSH_ASSIGN(Shape shape, SegmentsShape(grad.shape(), 1, rows));
    const int64_t used = grad.num_elements() ? grad.dim(0) : 0;
    std::vector<int64_t> counts(static_cast<size_t>(used));
    for (int64_t i = 0; i < n; ++i) {
      const int64_t id = IndexAt(ids, i), row = IndexAt(indices, i);
      if (id < 0 || id >= grad.dim(0))
        return InvalidArgument("Segment id ", id, " out of range [0, ", grad.dim(0), ").");
      if (row < 0 || row >= rows)
        return InvalidArgument("Index ", row, " out of range [0, ", rows, ").");
      if (used) ++counts[static_cast<size_t>(id)];
    }
    TENSH_OUTPUT(out, c.Output(0, shape));
    const int64_t run = RunOf(shape, 1);
    T* to = out->data<T>();
    std::fill_n(to, out->num_elements(), T{0});
    for (int64_t i = 0; i < n && used; ++i) {
      const int64_t id = IndexAt(ids, i);
      const T count = static_cast<T>(counts[static_cast<size_t>(id)]);
      const T factor = scale == Scale::kMean   ? T{1} / count
                       : scale == Scale::kSqrt ? T{1} / std::sqrt(count)
                                               : T{1};
      const T* from = grad.data<T>() + id * run;
      T* row = to + IndexAt(indices, i) * run;
      for (int64_t k = 0; k < run; ++k) row[k] += from[k] * factor;
    }
    return {};
  }
};

// ---- shapes ----

Status SegmentShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1));
  TENSH_RETURN_IF_ERROR(c.WithRank(1, 1));
  const Shape &data = c.in(0), &ids = c.in(1);
  if (!data.has_rank()) return {};
  if (ids.has_rank() && ids[0] >= 0 && data[0] >= 0 && ids[0] != data[0])
    return InvalidArgument("Dimensions must be equal, but are ", data[0], " and ", ids[0]);
  Shape out = data;
  out.set_dim(0, -1);
  c.Set(0, out);
  return {};
}

Status UnsortedShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(c.WithRank(2, 0));
  const Shape &data = c.in(0), &ids = c.in(1);
  const std::optional<int64_t> segments = ConstantScalar(c, 2);
  if (segments && *segments < 0)
    return InvalidArgument("Dimension size, given by scalar input 2, must be non-negative but is ",
                           *segments);
  if (!data.has_rank() || !ids.has_rank()) return {};
  if (data.rank() < ids.rank())
    return InvalidArgument("Shape must be at least rank ", ids.rank(), " but is rank ",
                           data.rank());
  for (int i = 0; i < ids.rank(); ++i)
    if (data[i] >= 0 && ids[i] >= 0 && data[i] != ids[i])
      return InvalidArgument("Dimensions must be equal, but are ", data[i], " and ", ids[i]);
  TENSH_ASSIGN(Shape out, SegmentsShape(data, ids.rank(), segments.value_or(-1)));
  c.Set(0, out);
  return {};
}

// The first dimension is scalar input `I`, where there is one.
template <int I>
Status SparseShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1));
  TENSH_RETURN_IF_ERROR(c.WithRank(1, 1));
  TENSH_RETURN_IF_ERROR(c.WithRank(2, 1));
  TENSH_RETURN_IF_ERROR(MergeShapes(c.in(1), c.in(2)).status());
  int64_t rows = -1;
  if (I) {
    TENSH_RETURN_IF_ERROR(c.WithRank(I, 0));
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

// ---- gradients ----

Out GatherRows(GradScope& g, Out t, Out ids) {
  return g.Op("GatherV2", {t, ids, ConstInt(g, 0, "GatherV2/axis")});
}

Status SegmentSumGrad(GradScope& g) { return g.Return({GatherRows(g, g.dy(), g.x(1)), {}}); }

// How many slices each segment has, shaped to divide dy.
Out SegmentCounts(GradScope& g) {
  Out ones_shape = Concat(
      g,
      {ShapeOf(g, g.x(1)),
       g.Op("Fill", {g.Op("ExpandDims", {g.Op("Sub", {RankOf(g, g.x(0)), ConstInt(g, 1, "sub/y")}),
                                         ConstInt(g, 0, "ExpandDims/dim")}),
                     ConstInt(g, 1, "Fill/value")})},
      ConstInt(g, 0, "concat/axis"));
  Out ones = g.Op("Fill", {ones_shape, g.Like(1, g.dy(), "ones/Const")}, {}, "ones");
  return g.Op("SegmentSum", {ones, g.x(1)});
}
Status SegmentMeanGrad(GradScope& g) {
  Out scaled = GradDiv(g, g.dy(), SegmentCounts(g));
  return g.Return({GatherRows(g, scaled, g.x(1)), {}});
}
// Shared among the elements that are the greatest (or least).
Status SegmentBestGrad(GradScope& g) {
  Out best = GatherRows(g, g.y(0), g.x(1));
  Out is = g.Op("Equal", {g.x(0), best});
  Out count = g.Op("SegmentSum", {GradCast(g, is, g.dtype(g.dy())), g.x(1)});
  Out share = GatherRows(g, GradDiv(g, g.dy(), count), g.x(1));
  Out zeros = g.Op("ZerosLike", {share}, {}, "zeros_like");
  return g.Return({g.Op("SelectV2", {is, share, zeros}), {}});
}
// prod / x, where nothing is zero; else the product of the others, if only one is.
Status SegmentProdGrad(GradScope& g) {
  Out data = g.x(0), ids = g.x(1), dy = g.dy();
  Out zero = g.Like(0, data, "zero");
  Out is_zero = g.Op("Equal", {data, zero});
  Out zeros = g.Op("SegmentSum", {g.Op("Cast", {is_zero}, {{"DstT", DType::kInt32}}), ids});
  Out many = g.Op("Greater", {zeros, ConstInt(g, 1, "Greater/y")});
  Out flowing = g.Op("SelectV2", {many, g.Op("ZerosLike", {dy}), dy});
  Out ones = g.Op("OnesLike", {data});
  Out others = g.Op("SegmentProd", {g.Op("SelectV2", {is_zero, ones, data}), ids});
  Out rows = GatherRows(g, g.y(0), ids), rest = GatherRows(g, others, ids);
  Out slope = g.Op("SelectV2", {is_zero, rest, g.Op("RealDiv", {rows, data})});
  return g.Return({g.Mul(GatherRows(g, flowing, ids), slope), {}});
}

// Rows by segment where the segment number is not negative, else `otherwise`.
struct Gathered {
  Out rows, taken;
};
Gathered GatherTaken(GradScope& g, Out t, Out ids, const char* otherwise, bool fill = true) {
  Out clipped = g.Op("Maximum", {ids, g.Op("ZerosLike", {ids}, {}, "zeros_like")});
  Out rows = GatherRows(g, t, clipped);
  Out taken = g.Op("GreaterEqual", {ids, ConstInt(g, 0, "GreaterEqual/y", g.dtype(ids))});
  Out missing = g.Op("Sub", {RankOf(g, rows), RankOf(g, ids, "Rank_1")}, {}, "sub");
  Out ones =
      g.Op("Fill", {Pack(g, {missing}, "ones/packed"), ConstInt(g, 1, "ones/Const")}, {}, "ones");
  Out shape = Concat(g, {g.Op("Shape", {ids}), ones}, ConstInt(g, 0, "concat/axis"));
  taken = g.Op("Reshape", {taken, shape});
  // LogicalAnd with a mask of the rows' shape: Select takes no broadcasts for booleans of its own.
  if (fill) rows = g.Op("SelectV2", {taken, rows, g.Op(otherwise, {rows})});
  return {rows, taken};
}

Status UnsortedBestGrad(GradScope& g) {
  Out ids = g.x(1);
  Gathered best = GatherTaken(g, g.y(0), ids, "ZerosLike");
  Out is = g.Op("Equal", {g.x(0), best.rows});
  is = g.Op("LogicalAnd", {is, best.taken});
  Out count = g.Op("UnsortedSegmentSum", {GradCast(g, is, g.dtype(g.dy())), ids, g.x(2)});
  Out share = GatherTaken(g, GradDiv(g, g.dy(), count), ids, "ZerosLike", false).rows;
  return g.Return({g.Op("SelectV2", {is, share, g.Op("ZerosLike", {share})}), {}, {}});
}

Status UnsortedProdGrad(GradScope& g) {
  Out data = g.x(0), ids = g.x(1), dy = g.dy();
  Out is_zero = g.Op("Equal", {data, g.Like(0, data, "zero")});
  Out zeros =
      g.Op("UnsortedSegmentSum", {g.Op("Cast", {is_zero}, {{"DstT", DType::kInt32}}), ids, g.x(2)});
  Out many = g.Op("Greater", {zeros, ConstInt(g, 1, "Greater/y")});
  Out flowing = g.Op("SelectV2", {many, g.Op("ZerosLike", {dy}), dy});
  Out nonzero = g.Op("SelectV2", {is_zero, g.Op("OnesLike", {data}), data});
  Out others = g.Op("UnsortedSegmentProd", {nonzero, ids, g.x(2)});
  Out clipped = g.Op("Maximum", {ids, g.Op("ZerosLike", {ids})});
  Out rows = GatherRows(g, g.y(0), clipped), rest = GatherRows(g, others, clipped);
  Out slope = g.Op("SelectV2", {is_zero, rest, g.Op("RealDiv", {rows, data})});
  return g.Return({g.Mul(GatherTaken(g, flowing, ids, "ZerosLike").rows, slope), {}, {}});
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

template <class Kernel>
void Sorted(OpRegistry& r, const char* name, const char* types, const char* what, GradFn grad,
            Kernel kernel, const char* example, const char* result) {
  r.Op({.name = name,
        .inputs = "data: T, segment_ids: Tindices",
        .outputs = "output: T",
        .attrs = StrCat("T: ", types, ", Tindices: {int32, int64}"),
        .doc = StrCat(what,
                      " of the slices of each segment. data: slices along the first "
                      "dimension. segment_ids: the segment of each; they must not fall. T, "
                      "Tindices: the types of both."),
        .shape = SegmentShape,
        .grad = grad,
        .examples = {{example, result}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint16_t, uint32_t, uint64_t>(
          kernel);
}

template <class Kernel>
void AnyOrder(OpRegistry& r, const char* name, const char* types, const char* indices,
              const char* what, GradFn grad, Kernel kernel, const char* example,
              const char* result) {
  r.Op({.name = name,
        .inputs = "data: T, segment_ids: Tindices, num_segments: Tnumsegments",
        .outputs = "output: T",
        .attrs =
            StrCat("T: ", types, ", Tindices: ", indices, ", Tnumsegments: {int32, int64} = int32"),
        .doc = StrCat(what,
                      " of the slices of each segment, in any order. data: slices. "
                      "segment_ids: the segment of each; negative ones are left out. "
                      "num_segments: how many segments there are. T, Tindices, Tnumsegments: "
                      "the types."),
        .shape = UnsortedShape,
        .grad = grad,
        .examples = {{example, result}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint16_t, uint32_t, uint64_t>(
          kernel);
}

template <Scale scale>
void Sparse(OpRegistry& r, const std::string& what, const char* doc, GradFn grad,
            const char* result) {
  const std::string name = StrCat("SparseSegment", what);
  const std::string types = scale == Scale::kNone ? kReals : "{bfloat16, half, float, double}";
  const std::string text =
      StrCat(doc,
             " of rows picked by index, by segment. data: rows along the first dimension. "
             "indices: which rows. segment_ids: the segment of each; they must not fall. T, "
             "Tidx, Tsegmentids: the types. sparse_gradient: changes nothing here.");
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
       .doc = StrCat(text, " num_segments: how many segments there are. Tnumsegments: its type."),
       .shape = SparseShape<3>,
       .grad = grad,
       .examples = {{StrCat("tf.raw_ops.", name,
                            "WithNumSegments(data=[[1.], [3.]], indices=[0, 1], "
                            "segment_ids=[0, 0], num_segments=1)"),
                     result}}}));
  r.Op({.name = StrCat(name, "Grad"),
        .inputs = "grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32",
        .outputs = "output: T",
        .attrs = "T: {bfloat16, half, float, double}, Tidx: {int32, int64} = int32, Tsegmentids: "
                 "{int32, int64} = int32",
        .doc = StrCat("The gradient of ", name,
                      ". grad: the gradient that arrives. indices, segment_ids: what the op took. "
                      "output_dim0: how many rows data had. T, Tidx, Tsegmentids: the types."),
        .shape = SparseShape<3>,
        .examples = {{StrCat("tf.raw_ops.", name,
                             "Grad(grad=[[1.]], indices=[0], segment_ids=[0], output_dim0=1)"),
                      "[[1.]]"}}})
      .template Cpu<float, double>(SparseSegmentGrad<scale>{});
}

}  // namespace

TENSH_OPS(array_segment) {
  Sorted(r, "SegmentSum", kNumberTypes, "Sums", SegmentSumGrad, Segment<SumReducer>{},
         "tf.segment_sum([1, 2, 3], [0, 0, 1])", "[3 3]");
  Sorted(r, "SegmentMean", kNumberTypes, "Means", SegmentMeanGrad, Segment<SumReducer, true>{},
         "tf.segment_mean([1., 2., 3.], [0, 0, 1])", "[1.5 3. ]");
  Sorted(r, "SegmentProd", kNumberTypes, "Products", SegmentProdGrad,
         Segment<ProdReducer, false, true>{}, "tf.segment_prod([1, 2, 3], [0, 0, 1])", "[2 3]");
  Sorted(r, "SegmentMax", kReals, "The greatest", SegmentBestGrad, Segment<MaxReducer>{},
         "tf.segment_max([1, 2, 3], [0, 0, 1])", "[2 3]");
  Sorted(r, "SegmentMin", kReals, "The least", SegmentBestGrad, Segment<MinReducer>{},
         "tf.segment_min([1, 2, 3], [0, 0, 1])", "[1 3]");
  constexpr char kTwo[] = "{int16, int32, int64}";
  AnyOrder(r, "UnsortedSegmentProd", kNumberTypes, kTwo, "Products", UnsortedProdGrad,
           Unsorted<ProdReducer>{}, "tf.unsorted_segment_prod([2, 3, 4], [1, 0, 1], 2)", "[3 8]");
  AnyOrder(r, "UnsortedSegmentMax", kReals, kTwo, "The greatest", UnsortedBestGrad,
           Unsorted<MaxReducer>{}, "tf.unsorted_segment_max([2, 3, 4], [1, 0, 1], 2)", "[3 4]");
  AnyOrder(r, "UnsortedSegmentMin", kReals, kTwo, "The least", UnsortedBestGrad,
           Unsorted<MinReducer>{}, "tf.unsorted_segment_min([2, 3, 4], [1, 0, 1], 2)", "[3 2]");
  Sparse<Scale::kNone>(r, "Sum", "Sums", SparseSumGrad, "[[4.]]");
  Sparse<Scale::kMean>(r, "Mean", "Means", SparseMeanGrad, "[[2.]]");
  Sparse<Scale::kSqrt>(r, "SqrtN", "Sums over the square root of their number", SparseSqrtGrad,
                       "[[2.828427]]");
}

}  // namespace tensh::ops
