// Gamma and Poisson random numbers on GPUs, with the algorithms and streams of the CPU. A thread draws a number until it is
// accepted. The logarithms that decide about it may differ from the CPU's in the last digit.
#include "devices/cuda/cuda_view.h"
#include "ops/math/special/special_on_device.h"
#include "ops/random/random_inputs.h"
#include "ops/random/random_on_device.h"
#include "ops/random/rejection.h"

namespace tensh::cuda {
namespace {

// The doubles of a stream from one of its blocks on.
struct DoublesFrom {
  ops::RandomPlace place;
  uint64_t block;

  constexpr void UniformPair(double* pair) {
    const ops::RandomBits bits = place.At(block++);
    for (int i = 0; i < 2; ++i) pair[i] = ops::UnitOnDevice(double(), bits.word + 2 * i);
  }
  template <class T>
  constexpr void NormalPair(T* pair) {
    const ops::RandomBits bits = place.At(block++);
    ops::NormalPairOnDevice(bits.word, pair);
  }
};

// Draws `shape` numbers for each parameter. `number` computes one from a parameter and its numbers.
template <class T, class R, class Fn>
Status FillEach(KernelCtx& c, Fn number) {
  TENSH_ASSIGN(const Shape shape, ops::ShapeOfSamples(c));
  TENSH_OUTPUT(y, c.Output(0, shape));
  const int64_t n = y->num_elements();
  if (n == 0) return {};
  const auto in = In<T>(c.in(1));
  const auto out = Out<R>(y);
  const int64_t count = c.in(1).num_elements(), samples = n / count;
  const ops::RandomPlace place = ops::PlaceAt(c.state<ops::RandomState>().generator->Reserve(
      static_cast<uint64_t>(n) * ops::kBlocksPerNumber));
  return ForEach(c, n, [=] TENSH_DEVICE(int64_t k) {
    const DoublesFrom stream{place, static_cast<uint64_t>(k) * ops::kBlocksPerNumber};
    out[k % samples * count + k / samples] =
        number(static_cast<double>(static_cast<Computed<T>>(in[k / samples])), ops::Numbers(stream));
  });
}

template <class T>
struct GammaOf {
  TENSH_DEVICE T operator()(double alpha, ops::Numbers<DoublesFrom> numbers) const {
    return static_cast<T>(ops::GammaNumber(alpha, numbers));
  }
};
template <class R>
struct CountOf {
  double most;
  TENSH_DEVICE R operator()(double rate, ops::Numbers<DoublesFrom> numbers) const {
    return ops::ToCount<R>(ops::PoissonNumber(rate, most, numbers));
  }
};

struct RandomGamma {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return FillEach<T, T>(c, GammaOf<T>());
  }
};

struct GammaSlope {
  template <class T>
  TENSH_DEVICE T operator()(T alpha, T sample) const {
    return static_cast<T>(ops::special::GammaSlope(double{alpha}, double{sample}));
  }
};

struct RandomPoisson {
  template <class T>
  Status operator()(KernelCtx& c) const {
    switch (c.out_dtype(0)) {
      case DType::kHalf:
        return FillEach<T, Half>(c, CountOf<Half>{ops::kMostHalf});
      case DType::kFloat:
        return FillEach<T, float>(c, CountOf<float>{ops::MostCounts<float>()});
      case DType::kDouble:
        return FillEach<T, double>(c, CountOf<double>{ops::MostCounts<double>()});
      case DType::kInt32:
        return FillEach<T, int32_t>(c, CountOf<int32_t>{ops::MostCounts<int32_t>()});
      default:
        return FillEach<T, int64_t>(c, CountOf<int64_t>{ops::MostCounts<int64_t>()});
    }
  }
};

}  // namespace

TENSH_CUDA_KERNELS(random_gamma_poisson) {
  const RowOptions stream{.host = "shape", .prepare = ops::PrepareRandom};
  r.Add<float, double>("RandomGamma", RandomGamma(), stream);
  r.Add<float, double>("RandomGammaGrad", Binary<GammaSlope>());
  r.Add<float, double>("RandomPoissonV2", RandomPoisson(),
                       {.host = "shape", .type_attr = "R", .prepare = ops::PrepareRandom});
}

}  // namespace tensh::cuda
