// SegmentSum and its relatives for sorted ids, and UnsortedSegmentProd, …Min and …Max.
#include <algorithm>
#include <limits>

#include "ops/array/segment/segment_ids.h"
#include "ops/math/reduce/reduce_loops.h"
#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/grad_util.h"
#include "ops/support/reducers.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

template <class T, class R>
void Combine(T* to, const T* from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] = R::Combine(to[i], from[i]);
}

template <class T>
void Divide(T* to, int64_t n, int64_t count) {
  if (count <= 0) return;
  if constexpr (kIsComplex<T>) {
    for (int64_t i = 0; i < n; ++i) to[i] /= static_cast<typename T::value_type>(count);
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(to[i] / static_cast<T>(count));
  }
}

// Combines the slices of a segment, which has at least one. A block of floats stays in registers.
template <class T, class R>
struct SegmentRows {
  static constexpr int64_t kBlock = 128 / sizeof(T);

  TENSH_ALWAYS_INLINE static void Run(T* to, const T* from, int64_t slices, int64_t run) {
    const int64_t whole = std::is_floating_point_v<T> ? run - run % kBlock : 0;
    for (int64_t at = 0; at < whole; at += kBlock) {
      T block[kBlock];
      for (int64_t j = 0; j < kBlock; ++j) block[j] = from[at + j];
      for (int64_t i = 1; i < slices; ++i) {
        const T* row = from + i * run + at;
        for (int64_t j = 0; j < kBlock; ++j) block[j] = R::Combine(block[j], row[j]);
      }
      for (int64_t j = 0; j < kBlock; ++j) to[at + j] = block[j];
    }
    if (whole == run) return;
    for (int64_t j = whole; j < run; ++j) to[j] = from[j];
    for (int64_t i = 1; i < slices; ++i)
      ReduceInto<T, R>::Run(to + whole, from + i * run + whole, run - whole);
  }
};

// Returns the first of n sorted ids that is at least `least`.
int64_t FirstId(const Tensor& ids, int64_t n, int64_t least) {
  int64_t begin = 0, end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if (IndexAt(ids, middle) < least)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

template <class I>
int64_t EndOfRun(const I* ids, int64_t i, int64_t n, int64_t id) {
  while (i < n && ids[i] == id) ++i;
  return i;
}

// Returns the first position from i on, at most n, whose id is not `id`.
int64_t EndOfSegment(const Tensor& ids, int64_t i, int64_t n, int64_t id) {
  return ids.dtype() == DType::kInt32 ? EndOfRun(ids.data<int32_t>(), i, n, id)
                                      : EndOfRun(ids.data<int64_t>(), i, n, id);
}

// The inputs are data and segment_ids. A segment without slices is 0, or 1 for products.
template <template <class> class R, bool mean = false, bool product = false>
struct Segment {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &data = c.in(0), &ids = c.in(1);
    TENSH_ASSIGN(const Shape shape, SegmentOutput(data, ids));
    TENSH_OUTPUT(out, c.Output(0, shape));
    const int64_t run = SegmentRun(data.shape(), 1), n = ids.num_elements();
    if (!out->num_elements()) return {};
    T* to = out->data<T>();
    const double each =
        static_cast<double>(data.num_elements() + out->num_elements()) * 0.2 + 3.0 * n;
    c.ParallelFor(shape[0], each / static_cast<double>(shape[0]), [&](int64_t begin, int64_t end) {
      int64_t i = FirstId(ids, n, begin);
      for (int64_t id = begin; id < end; ++id) {
        const int64_t first = i;
        i = EndOfSegment(ids, i, n, id);
        if (i == first) {
          std::fill_n(to + id * run, run, product ? T{1} : T{0});
          continue;
        }
        DispatchFor<T, SegmentRows<T, R<T>>>(to + id * run, data.data<T>() + first * run, i - first,
                                             run);
        if (mean) Divide(to + id * run, run, i - first);
      }
    });
    return {};
  }
};

// Returns the value of a segment without slices. As in TensorFlow, it is the type's finite limit,
// not an infinity.
template <template <class> class R, class T>
T UnitOf() {
  if constexpr (std::is_same_v<R<T>, MaxReducer<T>>)
    return std::numeric_limits<T>::lowest();
  else if constexpr (std::is_same_v<R<T>, MinReducer<T>>)
    return std::numeric_limits<T>::max();
  else
    return R<T>::Identity();
}

// The inputs are data, segment_ids in any order, and num_segments. Slices with negative ids are
// skipped.
template <template <class> class R>
struct Unsorted {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &data = c.in(0), &ids = c.in(1);
    TENSH_ASSIGN(Shape shape, UnsortedSegmentOutput(data, ids, c.in(2)));
    const int64_t segments = shape[0];
    TENSH_OUTPUT(out, c.Output(0, shape));
    T* to = out->data<T>();
    const T unit = UnitOf<R, T>();
    std::fill_n(to, out->num_elements(), unit);
    const int64_t run = SegmentRun(data.shape(), ids.rank()), n = ids.num_elements();
    const T* from = data.data<T>();
    const auto combine = [&]<class I>(const I* id) {
      for (int64_t i = 0; i < n; ++i) {
        if (id[i] < 0) continue;
        if (id[i] >= segments) return i;
        if (run == 1)
          to[id[i]] = R<T>::Combine(to[id[i]], from[i]);
        else
          Combine<T, R<T>>(to + id[i] * run, from + i * run, run);
      }
      return n;
    };
    const int64_t end =
        ids.dtype() == DType::kInt32 ? combine(ids.data<int32_t>()) : combine(ids.data<int64_t>());
    if (end < n)
      return InvalidArgument("segment_ids[", end, "] = ", IndexAt(ids, end),
                             " is out of range [0, ", segments, ")");
    return {};
  }
};

// ---- shapes ----

Status SegmentShape(ShapeCtx& c) {
  const Shape &data = c.in(0), &ids = c.in(1);
  if (!data.has_rank()) return {};
  if (ids.has_rank() && ids[0] >= 0 && data[0] >= 0 && ids[0] != data[0])
    return InvalidArgument("Dimensions must be equal, but are ", data[0], " and ", ids[0]);
  Shape out = data;
  out.set_dim(0, -1);
  c.Set(0, out);
  return {};
}

// ---- gradients ----

Out GatherRows(GradScope& g, Out t, Out ids) {
  return g.Op("GatherV2", {t, ids, ConstInt(g, 0, "GatherV2/axis")});
}

Status SegmentSumGrad(GradScope& g) { return g.Return({GatherRows(g, g.dy(), g.x(1)), {}}); }

// Returns the number of slices in each segment, shaped so that dy can be divided by it.
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
// The gradient is divided equally among the elements equal to the maximum (or minimum).
Status SegmentBestGrad(GradScope& g) {
  Out best = GatherRows(g, g.y(0), g.x(1));
  Out is = g.Op("Equal", {g.x(0), best});
  Out count = g.Op("SegmentSum", {GradCast(g, is, g.dtype(g.dy())), g.x(1)});
  Out share = GatherRows(g, GradDiv(g, g.dy(), count), g.x(1));
  Out zeros = g.Op("ZerosLike", {share}, {}, "zeros_like");
  return g.Return({g.Op("SelectV2", {is, share, zeros}), {}});
}
// The gradient is prod / x if no element of the segment is zero. If exactly one is, its gradient is
// the product of the others.
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

// Gathers rows by segment id. Slices with negative ids get the result of the op `otherwise`.
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
  // The mask must have the shape of the rows, because Select does not broadcast its condition.
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

// ---- registration ----

constexpr char kReals[] =
    "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";

template <bool complex = false, class Kernel>
void Sorted(OpRegistry& r, const char* name, const char* types, const char* what, GradFn grad,
            Kernel kernel, const char* example, const char* result) {
  auto entry =
      r.Op({.name = name,
            .inputs = "data: T, segment_ids: Tindices",
            .outputs = "output: T",
            .attrs = StrCat("T: ", types, ", Tindices: {int32, int64}"),
            .doc = StrCat(what,
                          " of the slices of each segment. data: slices along the first dimension. "
                          "segment_ids: the segment of each slice, in ascending order. T, "
                          "Tindices: the types of data and segment_ids."),
            .contract = "data: rank 1+, segment_ids: vector",
            .shape = SegmentShape,
            .grad = grad,
            .examples = {{example, result}}});
  entry.template Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint16_t, uint32_t,
                     uint64_t>(kernel);
  if constexpr (complex) entry.template Cpu<Complex64, Complex128>(kernel);
}

template <bool complex = false, class Kernel>
void AnyOrder(OpRegistry& r, const char* name, const char* types, const char* indices,
              const char* what, GradFn grad, Kernel kernel, const char* example,
              const char* result) {
  auto entry = r.Op(
      {.name = name,
       .inputs = "data: T, segment_ids: Tindices, num_segments: Tnumsegments",
       .outputs = "output: T",
       .attrs =
           StrCat("T: ", types, ", Tindices: ", indices, ", Tnumsegments: {int32, int64} = int32"),
       .doc = StrCat(what,
                     " of the slices of each segment, in any order. data: slices. segment_ids: the "
                     "segment of each slice; slices with negative ids are skipped. num_segments: "
                     "the number of segments. T, Tindices, Tnumsegments: the types of the inputs."),
       .contract = "num_segments: scalar",
       .shape = UnsortedSegmentShape,
       .grad = grad,
       .examples = {{example, result}}});
  entry.template Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint16_t, uint32_t,
                     uint64_t>(kernel);
  if constexpr (complex) entry.template Cpu<Complex64, Complex128>(kernel);
}

}  // namespace

TENSH_OPS(array_segment_segment) {
  Sorted<true>(r, "SegmentSum", kNumberTypes, "Sums", SegmentSumGrad, Segment<SumReducer>{},
               "tf.segment_sum([1, 2, 3], [0, 0, 1])", "[3 3]");
  Sorted<true>(r, "SegmentMean", kNumberTypes, "Means", SegmentMeanGrad,
               Segment<SumReducer, true>{}, "tf.segment_mean([1., 2., 3.], [0, 0, 1])",
               "[1.5 3. ]");
  Sorted<true>(r, "SegmentProd", kNumberTypes, "Products", SegmentProdGrad,
               Segment<ProdReducer, false, true>{}, "tf.segment_prod([1, 2, 3], [0, 0, 1])",
               "[2 3]");
  Sorted(r, "SegmentMax", kReals, "The greatest", SegmentBestGrad, Segment<MaxReducer>{},
         "tf.segment_max([1, 2, 3], [0, 0, 1])", "[2 3]");
  Sorted(r, "SegmentMin", kReals, "The least", SegmentBestGrad, Segment<MinReducer>{},
         "tf.segment_min([1, 2, 3], [0, 0, 1])", "[1 3]");
  static constexpr char kTwo[] = "{int32, int64}";
  AnyOrder<true>(r, "UnsortedSegmentProd", kNumberTypes, kTwo, "Products", UnsortedProdGrad,
                 Unsorted<ProdReducer>{}, "tf.unsorted_segment_prod([2, 3, 4], [1, 0, 1], 2)",
                 "[3 8]");
  AnyOrder(r, "UnsortedSegmentMax", kReals, kTwo, "The greatest", UnsortedBestGrad,
           Unsorted<MaxReducer>{}, "tf.unsorted_segment_max([2, 3, 4], [1, 0, 1], 2)", "[3 4]");
  AnyOrder(r, "UnsortedSegmentMin", kReals, kTwo, "The least", UnsortedBestGrad,
           Unsorted<MinReducer>{}, "tf.unsorted_segment_min([2, 3, 4], [1, 0, 1], 2)", "[3 2]");
}

}  // namespace tensh::ops
