// Reductions of slices by sorted segments, whose numbers are in host memory.
#include "devices/cuda/cuda_rules.h"
#include "devices/cuda/cuda_view.h"
#include "ops/support/segments.h"
#include "ops/support/shape_util.h"

namespace tensh::cuda {
namespace {

// Segment s holds slices [first[s], first[s + 1]), where the device can read it.
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

// Segments with no slices hold `kEmpty`.
template <class Rule, int kEmpty = 0, bool kMean = false>
struct Segment {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &data = c.in(0), &ids = c.in(1);
    TENSH_ASSIGN(const Shape shape, ops::SegmentOutput(data, ids));
    TENSH_OUTPUT(y, c.Output(0, shape));
    TENSH_ASSIGN(const Tensor slices, FirstSlices(c, ids, shape[0]));
    const int64_t run = ops::SegmentRun(data.shape(), 1);
    const auto first = In<int64_t>(slices);
    const auto from = In<T>(data);
    const auto out = Out<T>(y);
    return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const int64_t segment = i / run, k = i % run;
      const int64_t begin = first[segment], end = first[segment + 1];
      if (begin == end) {
        out[i] = T(kEmpty);
        return;
      }
      T sum = from[begin * run + k];
      for (int64_t s = begin + 1; s < end; ++s) sum = Rule::Combine(sum, from[s * run + k]);
      out[i] = kMean ? sum / static_cast<T>(end - begin) : sum;
    });
  }
};

}  // namespace

TENSH_CUDA_KERNELS(array_segment) {
  const RowOptions options{.host = "segment_ids", .can_record = false};
  r.Add<float, double, Half, Bfloat16>("SegmentSum", Segment<SumRule>(), options);
  r.Add<float, double, Half, Bfloat16>("SegmentMean", Segment<SumRule, 0, true>(), options);
  r.Add<float, double, Half, Bfloat16>("SegmentProd", Segment<ProdRule, 1>(), options);
  r.Add<float, double, Half, Bfloat16>("SegmentMax", Segment<MaxRule>(), options);
  r.Add<float, double, Half, Bfloat16>("SegmentMin", Segment<MinRule>(), options);
}

}  // namespace tensh::cuda
