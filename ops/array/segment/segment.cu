// Reductions of slices by segment on GPUs: with sorted ids, which are in host memory; with ids in
// any order; and of rows picked by index.
#include "devices/cuda/cuda_rules.h"
#include "devices/cuda/cuda_view.h"
#include "ops/array/segment/segment_ids.h"
#include "ops/support/shape_util.h"

namespace tensh::cuda {
namespace {

enum class Scale : uint8_t { kNone, kMean, kSqrt };

// Returns the divisor for the sum of n slices.
template <Scale scale, class T>
TENSH_DEVICE T Divisor(int64_t n) {
  return scale == Scale::kMean   ? static_cast<T>(n)
         : scale == Scale::kSqrt ? std::sqrt(static_cast<T>(n))
                                 : T(1);
}

// ---- sorted ----

// Returns device-readable offsets: segment s consists of the slices [first[s], first[s + 1]).
Result<Tensor> FirstSlices(KernelCtx& c, const Tensor& ids, int64_t segments) {
  TENSH_ASSIGN(const Tensor first, Tensor::Make(DType::kInt64, Shape({segments + 1})));
  int64_t* at = first.data<int64_t>();
  const int64_t n = ids.num_elements();
  for (int64_t s = 0, i = 0; s <= segments; ++s) {
    while (i < n && ops::IndexAt(ids, i) < s) ++i;
    at[s] = i;
  }
  return first.CopyTo(c.allocator());
}

// Computes output 0 of the given shape: reduces the rows of input 0 by segment, where slice i is
// row rows[i]. A segment without slices gets the value `empty`.
template <class Rule, Scale scale, class T>
Status BySegment(KernelCtx& c, const Shape& shape, const Tensor& ids, Indices rows, T empty) {
  const Tensor& data = c.in(0);
  TENSH_OUTPUT(y, c.Output(0, shape));
  TENSH_ASSIGN(const Tensor slices, FirstSlices(c, ids, shape[0]));
  const int64_t run = ops::SegmentRun(data.shape(), 1), height = data.dim(0);
  const auto first = In<int64_t>(slices);
  const auto from = In<T>(data);
  const auto out = Out<T>(y);
  return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
    const int64_t segment = i / run, k = i % run;
    const int64_t begin = first[segment], end = first[segment + 1];
    T sum = empty;
    for (int64_t s = begin; s < end; ++s) {
      const int64_t row = rows[s];
      const T x = row >= 0 && row < height ? from[row * run + k] : T(0);
      sum = s == begin ? x : Rule::Combine(sum, x);
    }
    out[i] = begin < end ? sum / Divisor<scale, T>(end - begin) : sum;
  });
}

template <class Rule, int kEmpty = 0, Scale scale = Scale::kNone>
struct Segment {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Shape shape, ops::SegmentOutput(c.in(0), c.in(1)));
    return BySegment<Rule, scale>(c, shape, c.in(1), {}, T(kEmpty));
  }
};

// The inputs are data, indices, segment_ids and, in some ops, num_segments. An index out of range
// reads zeros.
template <Scale scale>
struct SparseSegment {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Shape shape, ops::SparseSegmentOutput(c));
    return BySegment<SumRule, scale>(c, shape, c.in(2), Indices(c.in(1)), T(0));
  }
};

// The inputs are grad, indices, segment_ids and the number of rows of the data. Indices out of
// range are skipped.
template <Scale scale>
struct SparseSegmentGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &grad = c.in(0), &indices = c.in(1), &ids = c.in(2);
    if (ids.dim(0) != indices.dim(0))
      return InvalidArgument("segment_ids and indices should have same size.");
    const int64_t height = ops::IndexAt(c.in(3), 0);
    if (height < 0) return InvalidArgument("output_dim0 must not be negative, got ", height);
    TENSH_ASSIGN(const Shape shape, ops::SegmentsShape(grad.shape(), 1, height));
    TENSH_OUTPUT(y, c.Output(0, shape));
    const int64_t n = ids.num_elements(), run = ops::SegmentRun(shape, 1), segments = grad.dim(0);
    const auto out = Out<T>(y);
    TENSH_RETURN_IF_ERROR(
        ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) { out[i] = T(0); }));
    TENSH_ASSIGN(const Tensor counts, Scratch(c, DType::kInt32, segments));
    const auto count = Out<int32_t>(counts);
    TENSH_RETURN_IF_ERROR(ForEach(c, segments, [=] TENSH_DEVICE(int64_t s) { count[s] = 0; }));
    const Indices segment(ids), row(indices);
    TENSH_RETURN_IF_ERROR(ForEach(c, n, [=] TENSH_DEVICE(int64_t i) {
      const int64_t s = segment[i];
      if (s >= 0 && s < segments) AtomicAdd(&count[s], 1);
    }));
    const auto from = In<T>(grad);
    return ForEach(c, n * run, [=] TENSH_DEVICE(int64_t i) {
      const int64_t s = segment[i / run], r = row[i / run], k = i % run;
      if (s < 0 || s >= segments || r < 0 || r >= height) return;
      AtomicAdd(&out[r * run + k], from[s * run + k] * (T(1) / Divisor<scale, T>(count[s])));
    });
  }
};

// ---- in any order ----

// Ids out of range are skipped. As on the CPU, a segment without slices gets the type's finite
// limit, not an infinity.
template <class Rule>
struct Unsorted {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &data = c.in(0), &ids = c.in(1);
    TENSH_ASSIGN(const Shape shape, ops::UnsortedSegmentOutput(data, ids, c.in(2)));
    TENSH_OUTPUT(y, c.Output(0, shape));
    const auto out = Out<T>(y);
    using Limits = std::numeric_limits<T>;
    const T first = Rule::template First<T>();
    const T unit = first > Limits::max()      ? Limits::max()
                   : first < Limits::lowest() ? Limits::lowest()
                                              : first;
    TENSH_RETURN_IF_ERROR(
        ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) { out[i] = unit; }));
    if (!data.num_elements()) return {};
    const int64_t segments = shape[0], run = data.num_elements() / ids.num_elements();
    const auto from = In<T>(data);
    const Indices id(ids);
    return ForEach(c, data.num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const int64_t segment = id[i / run];
      if (segment < 0 || segment >= segments) return;
      T* const to = &out[segment * run + i % run];
      const T x = from[i];
      if constexpr (std::is_same_v<Rule, SumRule>)
        AtomicAdd(to, x);
      else
        AtomicUpdate(to, [=](T so_far) { return Rule::Combine(so_far, x); });
    });
  }
};

void RegisterSparse(KernelTable& r) {
  const RowOptions sorted{.host = "segment_ids", .can_record = false};
  const RowOptions given{.host = "segment_ids num_segments", .can_record = false};
  r.Add<float, double, Half, Bfloat16>("SparseSegmentSum", SparseSegment<Scale::kNone>(), sorted);
  r.Add<float, double, Half, Bfloat16>("SparseSegmentMean", SparseSegment<Scale::kMean>(), sorted);
  r.Add<float, double, Half, Bfloat16>("SparseSegmentSqrtN", SparseSegment<Scale::kSqrt>(), sorted);
  r.Add<float, double, Half, Bfloat16>("SparseSegmentSumWithNumSegments",
                                       SparseSegment<Scale::kNone>(), given);
  r.Add<float, double, Half, Bfloat16>("SparseSegmentMeanWithNumSegments",
                                       SparseSegment<Scale::kMean>(), given);
  r.Add<float, double, Half, Bfloat16>("SparseSegmentSqrtNWithNumSegments",
                                       SparseSegment<Scale::kSqrt>(), given);
  const RowOptions back{.host = "output_dim0"};
  r.Add<float, double, Half, Bfloat16>("SparseSegmentSumGrad", SparseSegmentGrad<Scale::kNone>(),
                                       back);
  r.Add<float, double, Half, Bfloat16>("SparseSegmentMeanGrad", SparseSegmentGrad<Scale::kMean>(),
                                       back);
  r.Add<float, double, Half, Bfloat16>("SparseSegmentSqrtNGrad", SparseSegmentGrad<Scale::kSqrt>(),
                                       back);
}

}  // namespace

TENSH_CUDA_KERNELS(array_segment_segment) {
  const RowOptions sorted{.host = "segment_ids", .can_record = false};
  r.Add<float, double, Half, Bfloat16>("SegmentSum", Segment<SumRule>(), sorted);
  r.Add<float, double, Half, Bfloat16>("SegmentMean", Segment<SumRule, 0, Scale::kMean>(), sorted);
  r.Add<float, double, Half, Bfloat16>("SegmentProd", Segment<ProdRule, 1>(), sorted);
  r.Add<float, double, Half, Bfloat16>("SegmentMax", Segment<MaxRule>(), sorted);
  r.Add<float, double, Half, Bfloat16>("SegmentMin", Segment<MinRule>(), sorted);
  RegisterSparse(r);
  const RowOptions unsorted{.host = "num_segments"};
  r.Add<float, double>("UnsortedSegmentSum", Unsorted<SumRule>(), unsorted);
  r.Add<float, double, Half, Bfloat16>("UnsortedSegmentProd", Unsorted<ProdRule>(), unsorted);
  r.Add<float, double, int64_t>("UnsortedSegmentMax", Unsorted<MaxRule>(), unsorted);
  r.Add<float, double, int64_t>("UnsortedSegmentMin", Unsorted<MinRule>(), unsorted);
}

}  // namespace tensh::cuda
