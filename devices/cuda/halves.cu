// Runs kernels of floats for 16-bit floats, with conversions before and after; see RunByFloat.
#include <numeric>

#include "devices/cuda/cuda_kernel.h"

namespace tensh::cuda {
namespace {

bool IsHalfType(DType type) { return type == DType::kHalf || type == DType::kBfloat16; }

template <class From, class To>
Status Convert(KernelCtx& c, const Tensor& from, const Tensor& to) {
  if (from.on_host()) {
    for (int64_t i = 0; i < from.num_elements(); ++i)
      to.data<To>()[i] = static_cast<To>(from.data<From>()[i]);
    return {};
  }
  const auto in = In<From>(from);
  const auto out = Out<To>(to);
  return ForEach(c, from.num_elements(),
                 [=] TENSH_DEVICE(int64_t i) { out[i] = static_cast<To>(in[i]); });
}

Result<Tensor> Widened(KernelCtx& c, const Tensor& from) {
  TENSH_ASSIGN(Tensor wide, Tensor::Make(DType::kFloat, from.shape(), from.allocator()));
  TENSH_RETURN_IF_ERROR((from.dtype() == DType::kHalf ? Convert<Half, float>(c, from, wide)
                                                      : Convert<Bfloat16, float>(c, from, wide)));
  return wide;
}

}  // namespace

Status RunByFloat(KernelCtx& c, KernelFn kernel, bool has_state) {
  const int n_in = c.num_inputs(), n_out = c.num_outputs();
  std::vector<Tensor> slots;
  std::vector<DType> types;
  for (int i = 0; i < n_in; ++i) {
    slots.push_back(c.in(i));
    if (!IsHalfType(c.in(i).dtype())) continue;
    TENSH_ASSIGN(slots.back(), Widened(c, c.in(i)));
  }
  for (int i = 0; i < n_out; ++i)
    types.push_back(IsHalfType(c.out_dtype(i)) ? DType::kFloat : c.out_dtype(i));
  slots.resize(static_cast<size_t>(n_in + n_out));
  std::vector<uint32_t> numbers(slots.size());
  std::iota(numbers.begin(), numbers.end(), 0u);
  const KernelCall call{.in = numbers.data(),
                        .out = numbers.data() + n_in,
                        .out_dtypes = types.data(),
                        .state = has_state ? &c.state<KernelState>() : nullptr,
                        .n_in = static_cast<uint16_t>(n_in),
                        .n_out = static_cast<uint16_t>(n_out),
                        .forwardable = 0};
  KernelCtx wide(slots.data(), c.runner(), c.cancel(), c.allocator());
  wide.Bind(call);
  TENSH_RETURN_IF_ERROR(kernel(wide));
  for (int i = 0; i < n_out; ++i) {
    const Tensor& made = slots[static_cast<size_t>(n_in + i)];
    if (!IsHalfType(c.out_dtype(i))) {
      c.SetOutput(i, made);
      continue;
    }
    TENSH_OUTPUT(y, c.Output(i, made.shape()));
    TENSH_RETURN_IF_ERROR((c.out_dtype(i) == DType::kHalf ? Convert<float, Half>(c, made, *y)
                                                          : Convert<float, Bfloat16>(c, made, *y)));
  }
  return {};
}

}  // namespace tensh::cuda
