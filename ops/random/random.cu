// Random numbers on GPUs. The streams of bits are identical to the CPU's. Numbers computed from
// them by logarithm and sine may differ in the last digit.
#include "devices/cuda/cuda_reduce.h"
#include "ops/random/random_inputs.h"
#include "ops/random/random_on_device.h"
#include "ops/support/bounds_bins.h"
#include "ops/support/shape_util.h"

namespace tensh::cuda {
namespace {

using Bits = ops::RandomBits;
using Place = ops::RandomPlace;
using ops::PlaceAt;

TENSH_DEVICE inline float Unit(float, const uint32_t* bits) { return ops::UnitOnDevice(float(), bits); }
TENSH_DEVICE inline double Unit(double, const uint32_t* bits) {
  return ops::UnitOnDevice(double(), bits);
}
// Uses as many bits as a 16-bit float represents exactly.
TENSH_DEVICE inline Half Unit(Half, const uint32_t* bits) {
  return static_cast<Half>(static_cast<float>(bits[0] & 0x3ffu) / 1024);
}
TENSH_DEVICE inline Bfloat16 Unit(Bfloat16, const uint32_t* bits) {
  return static_cast<Bfloat16>(static_cast<float>(bits[0] & 0x7fu) / 128);
}
// The source of the numbers: the node's own stream, which is advanced; a seed; or a key.
enum class Source : uint8_t { kStream, kSeed, kKey };

template <Source source>
Result<Place> PlaceOf(KernelCtx& c, const Tensor& y) {
  if constexpr (source == Source::kStream)
    return PlaceAt(c.state<ops::RandomState>().generator->Reserve(
        static_cast<uint64_t>(y.num_elements()) * ops::kBlocksPerNumber));
  TENSH_ASSIGN(const ops::PhiloxPlace place,
               source == Source::kSeed ? ops::PlaceOfSeed(c.in(1)) : ops::PlaceOfKey(c));
  return PlaceAt(place.Start());
}

// The number of values in a block of 128 bits, and of 32-bit words in a value.
template <class T>
constexpr int kGroup = sizeof(T) == 8 ? 2 : 4;
template <class T>
constexpr int kWords = 4 / kGroup<T>;

struct Uniform {
  template <class T>
  static Status Fill(KernelCtx& c, Place place, Dev<T> out, int64_t n) {
    return ForEach(c, n, [=] TENSH_DEVICE(int64_t i) {
      const Bits bits = place.At(static_cast<uint64_t>(i / kGroup<T>));
      out[i] = Unit(T(), bits.word + i % kGroup<T> * kWords<T>);
    });
  }
};

struct Normal {
  template <class T>
  static Status Fill(KernelCtx& c, Place place, Dev<T> out, int64_t n) {
    return ForEach(c, (n + 1) / 2, [=] TENSH_DEVICE(int64_t i) {
      constexpr int kPairs = kGroup<T> / 2;
      const Bits bits = place.At(static_cast<uint64_t>(i / kPairs));
      T pair[2];
      ops::NormalPairOnDevice(bits.word + i % kPairs * 2 * kWords<T>, pair);
      out[2 * i] = pair[0];
      if (2 * i + 1 < n) out[2 * i + 1] = pair[1];
    });
  }
};

// Draws normal numbers until a group is full of numbers within two standard deviations.
struct Truncated {
  template <class T>
  static Status Fill(KernelCtx& c, Place place, Dev<T> out, int64_t n) {
    return ForEach(c, (n + kGroup<T> - 1) / kGroup<T>, [=] TENSH_DEVICE(int64_t group) {
      constexpr uint64_t kBlocksPerGroup = kGroup<T> * ops::kBlocksPerNumber / 4;
      int found = 0;
      for (uint64_t block = 0;; ++block) {
        const Bits bits = place.At(static_cast<uint64_t>(group) * kBlocksPerGroup + block);
        for (int at = 0; at < 4; at += 2 * kWords<T>) {
          T pair[2];
          ops::NormalPairOnDevice(bits.word + at, pair);
          for (int k = 0; k < 2; ++k) {
            if (!(std::abs(pair[k]) < T(2))) continue;
            const int64_t i = group * kGroup<T> + found;
            if (i < n) out[i] = pair[k];
            if (++found == kGroup<T>) return;
          }
        }
      }
    });
  }
};

template <class Distribution, Source source>
struct Random {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Shape shape, ops::ShapeFromTensor(c.in(0)));
    TENSH_OUTPUT(y, c.Output(0, shape));
    TENSH_ASSIGN(const Place place, PlaceOf<source>(c, *y));
    return Distribution::Fill(c, place, Out<T>(y), y->num_elements());
  }
};
// Numbers in 16-bit types are rounded from float.
template <class Distribution, Source source>
struct Rounded {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return Random<Distribution, source>().template operator()<T>(c);
  }
};

// ---- Multinomial ----

// Stores the cumulative sums of exp(logit - max) of each row in `sums`. Non-finite logits count as
// probability 0.
template <class T>
Status CumulateRows(KernelCtx& c, const ops::Draws& d, Dev<double> sums) {
  const auto logits = In<T>(c.in(0));
  const int64_t n = d.classes;
  TENSH_RETURN_IF_ERROR(ForRows(c, d.rows, n, [=] TENSH_DEVICE(Team team, int64_t row) {
    const auto finite = [&](int64_t k) {
      const T x = logits[row * n + k];
      return x - x == T(0);
    };
    const T least = std::numeric_limits<T>::lowest();
    const T most = team.Reduce(
        n, least, [&](int64_t k) { return finite(k) ? logits[row * n + k] : least; },
        [](T x, T y) { return x < y ? y : x; });
    team.For(n, [&](int64_t k) {
      const double x = static_cast<double>(logits[row * n + k]) - static_cast<double>(most);
      sums[row * n + k] = finite(k) ? std::exp(x) : 0.0;
    });
  }));
  return Scan(
      c, d.rows, n, false, 0.0, [=] TENSH_DEVICE(int64_t row, int64_t k) { return sums[row * n + k]; },
      [] TENSH_DEVICE(double a, double b) { return a + b; },
      [=] TENSH_DEVICE(int64_t row, int64_t k, double, double after) { sums[row * n + k] = after; });
}

template <class T>
Status Draw(KernelCtx& c, const ops::Draws& d, const Shape& shape, Place place) {
  TENSH_OUTPUT(y, c.Output(0, shape));
  if (!y->num_elements()) return {};
  TENSH_ASSIGN(const Tensor room, Scratch(c, DType::kDouble, d.rows * d.classes));
  const auto sums = Out<double>(room);
  TENSH_RETURN_IF_ERROR(CumulateRows<T>(c, d, sums));
  const bool wide = y->dtype() == DType::kInt64;
  const auto out = Out<char>(y);
  const int64_t n = d.classes, samples = d.samples;
  return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
    const Bits bits = place.At(static_cast<uint64_t>(i / 2));
    const double* row = sums.at + i / samples * n;
    const int64_t at =
        ops::BoundIn(row, n, Unit(double(), bits.word + i % 2 * 2) * row[n - 1], true);
    if (wide)
      reinterpret_cast<int64_t*>(out.at)[i] = at;
    else
      reinterpret_cast<int32_t*>(out.at)[i] = static_cast<int32_t>(at);
  });
}

template <bool stateless>
struct Multinomial {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const ops::Draws d, ops::ReadDraws(c));
    const int64_t dims[] = {d.rows, d.samples};
    TENSH_ASSIGN(const Shape shape, Shape::Make(dims, true));
    ops::Philox philox;
    if constexpr (stateless)
      philox = ops::PlaceOfSeed(c.in(2)).Start();
    else if (shape.num_elements())
      philox = c.state<ops::RandomState>().generator->Reserve(d.reserved());
    return Draw<T>(c, d, shape, PlaceAt(philox));
  }
};

template <Source source>
void RegisterFloats(KernelTable& r, const char* uniform, const char* normal, const char* truncated,
                    const RowOptions& options) {
  r.Add<float, double, Half, Bfloat16>(uniform, Random<Uniform, source>(), options);
  r.Add<float, double, Half, Bfloat16>(normal, Rounded<Normal, source>(), options);
  r.Add<float, double, Half, Bfloat16>(truncated, Rounded<Truncated, source>(), options);
}

}  // namespace

TENSH_CUDA_KERNELS(random_random) {
  RegisterFloats<Source::kStream>(
      r, "RandomUniform", "RandomStandardNormal", "TruncatedNormal",
      {.host = "shape", .type_attr = "dtype", .prepare = ops::PrepareRandom});
  RegisterFloats<Source::kSeed>(r, "StatelessRandomUniform", "StatelessRandomNormal",
                                "StatelessTruncatedNormal",
                                {.host = "shape seed", .type_attr = "dtype"});
  RegisterFloats<Source::kKey>(r, "StatelessRandomUniformV2", "StatelessRandomNormalV2",
                               "StatelessTruncatedNormalV2",
                               {.host = "shape key counter alg", .type_attr = "dtype"});
  // Integers are mostly small and used as shapes, so they are drawn in host memory.
  r.OnHost<int32_t, int64_t>("RandomUniformInt", "Tout");
  for (const char* op : {"StatelessRandomUniformInt", "StatelessRandomUniformIntV2",
                         "StatelessRandomUniformFullIntV2"})
    r.OnHost<int32_t, int64_t>(op, "dtype");
  for (const char* op :
       {"StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg", "StatelessRandomGetAlg"})
    r.OnHostAny(op);
  r.Add<float, double, Half, Bfloat16>("Multinomial", Multinomial<false>(),
                                       {.host = "num_samples", .prepare = ops::PrepareRandom});
  r.Add<float, double, Half, Bfloat16>("StatelessMultinomial", Multinomial<true>(),
                                       {.host = "num_samples seed"});
}

}  // namespace tensh::cuda
