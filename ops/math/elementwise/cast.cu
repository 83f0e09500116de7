// Cast on GPUs.
#include "devices/cuda/cuda_complex.h"

namespace tensh::cuda {
namespace {

template <class To>
struct Convert {
  template <class From>
  TENSH_DEVICE To operator()(From x) const {
    return static_cast<To>(x);
  }
  template <class From>
  TENSH_DEVICE To operator()(Complex<From> x) const {
    return static_cast<To>(x.re);
  }
};
template <>
struct Convert<bool> {
  template <class From>
  TENSH_DEVICE bool operator()(From x) const {
    return !(x == From(0));
  }
};
template <class T>
struct Convert<Complex<T>> {
  template <class From>
  TENSH_DEVICE Complex<T> operator()(From x) const {
    return {static_cast<T>(x), T(0)};
  }
  template <class From>
  TENSH_DEVICE Complex<T> operator()(Complex<From> x) const {
    return {static_cast<T>(x.re), static_cast<T>(x.im)};
  }
};

// Converts each element. A float out of an integer's range gives the GPU's own result, which C++
// leaves undefined.
template <class From, class To>
Status CastTo(KernelCtx& c) {
  const auto in = In<From>(c.in(0));
  TENSH_OUTPUT(y, c.Output(0, c.in(0).shape()));
  const auto out = Out<To>(y);
  return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
    out[i] = Convert<To>()(static_cast<Computed<From>>(in[i]));
  });
}

struct Cast {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    using From = Seen<T>;
    static constexpr struct {
      DType to;
      KernelFn fn;
    } kRows[] = {{DType::kFloat, CastTo<From, float>},
                 {DType::kDouble, CastTo<From, double>},
                 {DType::kInt32, CastTo<From, int32_t>},
                 {DType::kInt64, CastTo<From, int64_t>},
                 {DType::kBool, CastTo<From, bool>},
                 {DType::kUint8, CastTo<From, uint8_t>},
                 {DType::kInt8, CastTo<From, int8_t>},
                 {DType::kInt16, CastTo<From, int16_t>},
                 {DType::kUint16, CastTo<From, uint16_t>},
                 {DType::kUint32, CastTo<From, uint32_t>},
                 {DType::kUint64, CastTo<From, uint64_t>},
                 {DType::kHalf, CastTo<From, Half>},
                 {DType::kBfloat16, CastTo<From, Bfloat16>},
                 {DType::kComplex64, CastTo<From, Complex<float>>},
                 {DType::kComplex128, CastTo<From, Complex<double>>}};
    for (const auto& row : kRows)
      if (row.to == c.out_dtype(0)) return row.fn(c);
    return Unimplemented("a cast to ", Name(c.out_dtype(0)), " on a GPU");
  }
};

}  // namespace

TENSH_CUDA_KERNELS(math_elementwise_cast) {
  r.Add<float, double, Half, Bfloat16, int32_t, int64_t, bool, uint8_t, std::complex<float>,
        std::complex<double>>("Cast", Cast(), {.type_attr = "SrcT"});
}

}  // namespace tensh::cuda
