// Fake quantization and its gradients, which treat the rounding as the identity within the range.
// The ranges of FakeQuantWithMinMax… are read on the device, without a copy to the host.
#include "devices/cuda/cuda_reduce.h"
#include "ops/nn/quantize/fake_quant.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::cuda {
namespace {

using Range = ops::QuantRange<float>;

// ---- FakeQuantWithMinMax… ----

// The source of a range: attributes, two scalars, or two numbers per channel.
enum class From : uint8_t { kArgs, kVars, kChannels };

template <From from>
struct Ranges {
  ops::QuantSteps<float> steps;
  Range fixed;
  Dev<const float> min, max;
  int64_t channels;

  // Returns the range of channel k. `rounding` is false in gradients.
  TENSH_DEVICE Range Of(int64_t k, bool rounding) const {
    if (from == From::kArgs) return fixed;
    return from == From::kVars && rounding ? steps.NudgeOne(min[0], max[0])
                                           : steps.Nudge(min[k], max[k]);
  }
};

// Returns the ranges whose ends are the inputs `first` and `first + 1`.
template <From from>
Result<Ranges<from>> RangesOf(KernelCtx& c, const Tensor& x, int first) {
  const auto& s = c.state<ops::FakeQuantState>();
  if constexpr (from == From::kArgs) return Ranges<from>{s.steps, s.range, {}, {}, 1};
  const Tensor &min = c.in(first), &max = c.in(first + 1);
  if constexpr (from == From::kChannels)
    TENSH_RETURN_IF_ERROR(ops::CheckQuantChannels(x, min, max));
  return Ranges<from>{
      s.steps, {}, In<float>(min), In<float>(max), from == From::kChannels ? min.dim(0) : 1};
}

template <From from>
Status FakeQuant(KernelCtx& c) {
  const Tensor& x = c.in(0);
  TENSH_ASSIGN(const Ranges<from> ranges, RangesOf<from>(c, x, 1));
  TENSH_OUTPUT(y, c.Output(0, x.shape()));
  const auto in = In<float>(x);
  const auto out = Out<float>(y);
  return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
    const Range r = ranges.Of(i % ranges.channels, true);
    out[i] = r.Round(in[i], r.Zero());
  });
}

// The sums of the gradients outside the range, below and above it.
struct Outside {
  double below, above;
};

template <From from>
Status FakeQuantGrad(KernelCtx& c) {
  TENSH_RETURN_IF_ERROR(ops::CheckQuantGrad(c));
  const Tensor& inputs = c.in(1);
  TENSH_ASSIGN(const Ranges<from> ranges, RangesOf<from>(c, inputs, 2));
  TENSH_OUTPUT(dx, c.Output(0, inputs.shape()));
  const auto dy = In<float>(c.in(0)), x = In<float>(inputs);
  const auto out = Out<float>(dx);
  const int64_t n = inputs.num_elements(), channels = ranges.channels;
  TENSH_RETURN_IF_ERROR(ForEach(c, n, [=] TENSH_DEVICE(int64_t i) {
    const Range r = ranges.Of(i % channels, false);
    out[i] = r.empty || r.Holds(x[i]) ? dy[i] : dy[i] * 0.0f;
  }));
  if (from == From::kArgs) return {};
  TENSH_OUTPUT(dmin, c.Output(1, c.in(2).shape()));
  TENSH_OUTPUT(dmax, c.Output(2, c.in(2).shape()));
  const auto to_min = Out<float>(dmin), to_max = Out<float>(dmax);
  return Reduce(
      c, channels, channels ? n / channels : 0, from == From::kChannels, Outside{0, 0},
      [=] TENSH_DEVICE(int64_t k, int64_t row) -> Outside {
        const int64_t i = row * channels + k;
        const Range r = ranges.Of(k, false);
        const double flows = r.empty || r.Holds(x[i]) ? 0.0 : static_cast<double>(dy[i]);
        return {x[i] < r.least ? flows : 0, x[i] > r.most ? flows : 0};
      },
      [] TENSH_DEVICE(Outside a, Outside b) -> Outside {
        return {a.below + b.below, a.above + b.above};
      },
      [=] TENSH_DEVICE(int64_t k, Outside sum) {
        to_min[k] = static_cast<float>(sum.below);
        to_max[k] = static_cast<float>(sum.above);
      });
}

// ---- QuantizeAndDequantize… ----

template <class T>
struct Ends {
  T low, high;
};

// Stores the ends of each range in device memory. They are given in host memory or computed from x.
template <class T>
Status FindEnds(KernelCtx& c, const ops::QuantSlice& slice, int64_t count, Dev<Ends<T>> ends) {
  const auto in = In<T>(c.in(0));
  const int64_t inner = slice.inner, step = slice.step;
  using Limits = std::numeric_limits<T>;
  return Reduce(
      c, count, slice.outer * inner, false, Ends<T>{Limits::infinity(), -Limits::infinity()},
      [=] TENSH_DEVICE(int64_t k, int64_t i) -> Ends<T> {
        const T x = in[i / inner * step + k * inner + i % inner];
        return {x, x};
      },
      [] TENSH_DEVICE(Ends<T> a, Ends<T> b) -> Ends<T> {
        return {b.low < a.low ? b.low : a.low, a.high < b.high ? b.high : a.high};
      },
      [=] TENSH_DEVICE(int64_t k, Ends<T> found) { ends[k] = found; });
}

template <class T>
Result<Tensor> GivenEnds(KernelCtx& c, const Tensor* min, const Tensor* max, int64_t count) {
  const auto& s = c.state<ops::QuantizeState>();
  TENSH_ASSIGN(const Tensor here, Tensor::Make(kDTypeOf<T>, Shape({count, 2})));
  for (int64_t k = 0; k < count; ++k) {
    const T low = min ? min->data<T>()[k] : static_cast<T>(s.min);
    const T high = max ? max->data<T>()[k] : static_cast<T>(s.max);
    if (low > high) return InvalidArgument("Invalid range: input_min ", low, " > input_max ", high);
    here.data<T>()[2 * k] = low;
    here.data<T>()[2 * k + 1] = high;
  }
  return here.CopyTo(c.allocator());
}

// If min and max are null, uses the range given by the attributes.
template <class T>
Status RunQuantize(KernelCtx& c, int64_t bits, const Tensor* min, const Tensor* max) {
  const auto& s = c.state<ops::QuantizeState>();
  const Tensor& x = c.in(0);
  ops::QuantSlice slice;
  int64_t count = 0;
  TENSH_RETURN_IF_ERROR(ops::MakeQuantSlices(x.shape(), s.axis, slice, count));
  if (min && s.range_given) TENSH_RETURN_IF_ERROR(ops::CheckQuantEnds(*min, *max, s.axis, count));
  TENSH_OUTPUT(y, c.Output(0, x.shape()));
  if (!y->num_elements()) return {};
  TENSH_ASSIGN(const Tensor room, s.range_given ? GivenEnds<T>(c, min, max, count)
                                                : Scratch(c, kDTypeOf<T>, 2 * count));
  const Dev<Ends<T>> ends{reinterpret_cast<Ends<T>*>(Out<T>(room).at)};
  if (!s.range_given) TENSH_RETURN_IF_ERROR(FindEnds<T>(c, slice, count, ends));
  const ops::QuantLimits<T> limits = ops::QuantLimitsOf<T>(s, bits);
  const bool clip = s.range_given, half_up = s.half_up;
  const int64_t inner = slice.inner;
  const auto in = In<T>(x);
  const auto out = Out<T>(y);
  return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
    const Ends<T> e = ends[i / inner % count];
    out[i] = ops::RoundBy(ops::ScaleOf(limits, e.low, e.high), clip, half_up, in[i]);
  });
}

struct Quantize1 {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return RunQuantize<T>(c, c.state<ops::QuantizeState>().bits, nullptr, nullptr);
  }
};
struct Quantize2 {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return RunQuantize<T>(c, c.state<ops::QuantizeState>().bits, &c.in(1), &c.in(2));
  }
};
struct Quantize3 {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const int64_t bits = ops::IndexAt(c.in(3), 0);
    TENSH_RETURN_IF_ERROR(ops::CheckQuantBits(c.state<ops::QuantizeState>(), bits));
    return RunQuantize<T>(c, bits, &c.in(1), &c.in(2));
  }
};

// As in TensorFlow, the ends of the range get no gradient.
struct QuantizeGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &x = c.in(1), &min = c.in(2), &max = c.in(3);
    const int64_t axis = c.state<ops::QuantizeState>().axis;
    TENSH_RETURN_IF_ERROR(ops::CheckQuantGrad(c));
    ops::QuantSlice slice;
    int64_t count = 0;
    TENSH_RETURN_IF_ERROR(ops::MakeQuantSlices(x.shape(), axis, slice, count));
    TENSH_RETURN_IF_ERROR(ops::CheckQuantEnds(min, max, axis, count));
    TENSH_OUTPUT(dx, c.Output(0, x.shape()));
    for (int k : {1, 2}) {
      TENSH_OUTPUT(end, c.Output(k, min.shape()));
      ops::ZeroElements(c, end->dtype(), end->raw(), end->num_elements());
    }
    const auto in = In<T>(x), dy = In<T>(c.in(0)), low = In<T>(min), high = In<T>(max);
    const auto out = Out<T>(dx);
    const int64_t inner = slice.inner;
    return ForEach(c, dx->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const int64_t k = i / inner % count;
      out[i] = in[i] >= low[k] && in[i] <= high[k] ? dy[i] : T(0);
    });
  }
};

}  // namespace

TENSH_CUDA_KERNELS(nn_quantize_fake_quant) {
  const RowOptions fake{.prepare = ops::PrepareFrom<ops::FakeQuantState>};
  r.AddAny("FakeQuantWithMinMaxArgs", FakeQuant<From::kArgs>, fake);
  r.AddAny("FakeQuantWithMinMaxVars", FakeQuant<From::kVars>, fake);
  r.AddAny("FakeQuantWithMinMaxVarsPerChannel", FakeQuant<From::kChannels>, fake);
  r.AddAny("FakeQuantWithMinMaxArgsGradient", FakeQuantGrad<From::kArgs>, fake);
  r.AddAny("FakeQuantWithMinMaxVarsGradient", FakeQuantGrad<From::kVars>, fake);
  r.AddAny("FakeQuantWithMinMaxVarsPerChannelGradient", FakeQuantGrad<From::kChannels>, fake);
  const auto quantize = [](const char* host) {
    return RowOptions{.host = host, .prepare = ops::PrepareQuantize, .can_record = false};
  };
  r.Add<float, double, Half, Bfloat16>("QuantizeAndDequantize", Quantize1(), quantize(""));
  for (const char* op : {"QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4"})
    r.Add<float, double, Half, Bfloat16>(op, Quantize2(), quantize("input_min input_max"));
  r.Add<float, double, Half, Bfloat16>("QuantizeAndDequantizeV3", Quantize3(),
                                       quantize("input_min input_max num_bits"));
  r.Add<float, double, Half, Bfloat16>("QuantizeAndDequantizeV4Grad", QuantizeGrad(),
                                       {.prepare = ops::PrepareQuantize});
}

}  // namespace tensh::cuda
