// Fourier transforms on GPUs, by cuFFT.
#include "devices/cuda/cuda_complex.h"
#include "devices/cuda/library_calls.h"
#include "ops/math/fft/real_box.h"

namespace tensh::cuda {
namespace {

Status Transform(KernelCtx& c, const FftCall& call) {
  return CallLibrary(c, [&](MathLibraries& l, int gpu, Stream stream, void* scratch) {
    return l.Fft(gpu, stream, call, scratch);
  });
}

// Returns the description of transforms of the last dimensions of `shape`.
template <class T, int rank>
FftCall CallFor(const Shape& shape, bool real, bool inverse, const void* in, void* out) {
  FftCall call{sizeof(T) == 8, real, inverse, rank, {}, 1, in, out};
  for (int i = 0; i < shape.rank(); ++i) {
    const int dim = i - (shape.rank() - rank);
    (dim < 0 ? call.batch : call.n[dim]) = dim < 0 ? call.batch * shape[i] : shape[i];
  }
  return call;
}

template <int rank, bool inverse>
struct ComplexFft {
  template <class C>
  Status operator()(KernelCtx& c) const {
    using T = typename C::value_type;
    const Tensor& x = c.in(0);
    TENSH_OUTPUT(y, c.Output(0, x.shape()));
    const int64_t n = y->num_elements();
    if (!n) return {};
    const FftCall call = CallFor<T, rank>(x.shape(), false, inverse, x.raw(), y->raw());
    TENSH_RETURN_IF_ERROR(Transform(c, call));
    if (!inverse) return {};
    const auto out = Out<Complex<T>>(y);
    const T scale = static_cast<T>(static_cast<double>(call.batch) / static_cast<double>(n));
    return ForEach(c, n, [=] TENSH_DEVICE(int64_t i) { out[i] = out[i] * Complex<T>(scale); });
  }
};

template <class E>
Status Zeros(KernelCtx& c, Tensor* y) {
  const auto out = Out<E>(y);
  return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) { out[i] = E(0); });
}

template <int rank>
struct RealFft {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    ops::RealBox<rank> box;
    TENSH_RETURN_IF_ERROR(box.Read(c, true));
    TENSH_OUTPUT(y, c.Output(0, box.shape));
    if (!y->num_elements() || !x.num_elements()) return Zeros<Complex<T>>(c, y);
    // The elements that take part, without gaps.
    const ops::RealSizes<rank> r = box;
    const int64_t n = r.last();
    TENSH_ASSIGN(const Tensor lines, Scratch(c, kDTypeOf<T>, r.rows * n));
    const auto in = In<T>(x);
    const auto line = Out<T>(lines);
    TENSH_RETURN_IF_ERROR(ForEach(c, r.rows * n, [=] TENSH_DEVICE(int64_t i) {
      line[i] = in[r.RowOf(i / n) + i % n];
    }));
    FftCall call = CallFor<T, rank>(box.shape, true, false, lines.raw(), y->raw());
    call.n[rank - 1] = n;
    return Transform(c, call);
  }
};

// The half spectrum of real numbers. Its elements with a frequency of 0 or n / 2 in the last dimension are their own mirror
// images; the part that is not is ignored, as on the CPU. cuFFT does not define what happens to it.
template <int rank>
struct InverseRealFft {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    ops::RealBox<rank> box;
    TENSH_RETURN_IF_ERROR(box.Read(c, false));
    TENSH_OUTPUT(y, c.Output(0, box.shape));
    if (!y->num_elements() || !x.num_elements()) return Zeros<T>(c, y);
    const ops::RealSizes<rank> r = box;
    constexpr DType kComplex = kDTypeOf<std::complex<T>>;
    TENSH_ASSIGN(const Tensor halves, Scratch(c, kComplex, r.rows * r.half));
    const auto in = In<Complex<T>>(x);
    const auto half = Out<Complex<T>>(halves);
    const T scale = static_cast<T>(1 / r.size());
    TENSH_RETURN_IF_ERROR(ForEach(c, r.rows * r.half, [=] TENSH_DEVICE(int64_t i) {
      const int64_t row = i / r.half, k = i % r.half;
      Complex<T> e = in[r.RowOf(row) + k];
      if (k == 0 || 2 * k == r.last()) {
        const Complex<T> mirrored = in[r.RowOf(r.MirrorOf(row)) + k];
        e = Complex<T>((e.re + mirrored.re) / 2, (e.im - mirrored.im) / 2);
      }
      half[i] = e * Complex<T>(scale);
    }));
    return Transform(c, CallFor<T, rank>(box.shape, true, true, halves.raw(), y->raw()));
  }
};

}  // namespace

TENSH_CUDA_KERNELS(math_fft_fft) {
  if (!HasLibraryFor({"FFT", "FFT2D", "FFT3D", "IFFT", "IFFT2D", "IFFT3D", "RFFT", "RFFT2D", "RFFT3D", "IRFFT", "IRFFT2D",
                      "IRFFT3D"},
                     MathLibrary::kFft))
    return;
  using C64 = std::complex<float>;
  using C128 = std::complex<double>;
  // Plans are made by the first call, which allocates memory.
  const RowOptions complex{.type_attr = "Tcomplex", .can_record = false};
  r.Add<C64, C128>("FFT", ComplexFft<1, false>(), complex);
  r.Add<C64, C128>("FFT2D", ComplexFft<2, false>(), complex);
  r.Add<C64, C128>("FFT3D", ComplexFft<3, false>(), complex);
  r.Add<C64, C128>("IFFT", ComplexFft<1, true>(), complex);
  r.Add<C64, C128>("IFFT2D", ComplexFft<2, true>(), complex);
  r.Add<C64, C128>("IFFT3D", ComplexFft<3, true>(), complex);
  const RowOptions real{.host = "fft_length", .type_attr = "Treal", .can_record = false};
  r.Add<float, double>("RFFT", RealFft<1>(), real);
  r.Add<float, double>("RFFT2D", RealFft<2>(), real);
  r.Add<float, double>("RFFT3D", RealFft<3>(), real);
  r.Add<float, double>("IRFFT", InverseRealFft<1>(), real);
  r.Add<float, double>("IRFFT2D", InverseRealFft<2>(), real);
  r.Add<float, double>("IRFFT3D", InverseRealFft<3>(), real);
}

}  // namespace tensh::cuda
