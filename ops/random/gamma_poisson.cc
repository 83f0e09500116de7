// Gamma and Poisson random numbers, by rejection sampling. Each number has a fixed position in the
// stream and draws from there what TensorFlow draws, so that the numbers are the same.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/math/special/special_functions.h"
#include "ops/op_file.h"
#include "ops/random/distributions.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// Doubles from a generator in TensorFlow's order: each pair is used last number first.
template <class Distribution>
class Pairs {
 public:
  double Next(Philox& philox) {
    if (left_ == 0) {
      Distribution()(philox, pair_);
      left_ = 2;
    }
    return pair_[--left_];
  }

 private:
  double pair_[2] = {};
  int left_ = 0;
};

// Draws `shape` numbers for each parameter, one parameter after the other, by fn(parameter,
// philox).
template <class T, class R, class Fn>
Status FillEach(KernelCtx& c, Fn fn) {
  const Tensor &dims = c.in(0), &parameters = c.in(1);
  TENSH_ASSIGN(const Shape each, ShapeFromTensor(dims));
  std::vector<int64_t> all(each.dims().begin(), each.dims().end());
  all.insert(all.end(), parameters.shape().dims().begin(), parameters.shape().dims().end());
  TENSH_ASSIGN(const Shape shape, Shape::Make(all, true));
  TENSH_OUTPUT(out, c.Output(0, shape));
  const int64_t n = out->num_elements(), count = parameters.num_elements();
  if (n == 0) return {};
  const int64_t samples = n / count;
  const Philox start =
      c.state<RandomState>().generator->Reserve(static_cast<uint64_t>(n) * kBlocksPerNumber);
  const T* in = parameters.data<T>();
  R* to = out->data<R>();
  c.ParallelFor(n, 300, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end && !c.cancelled(); ++k) {
      Philox philox = start;
      philox.Skip(kBlocksPerNumber * static_cast<uint64_t>(k));
      to[k % samples * count + k / samples] = fn(in[k / samples], philox);
    }
  });
  return {};
}

// ---- gamma: Marsaglia and Tsang's method ----

double GammaNumber(double alpha, Philox& philox) {
  Pairs<Uniform<double>> uniform;
  if (alpha == 1.0) return -std::log1p(-uniform.Next(philox));
  if (!(alpha > 0) || std::isinf(alpha))  // the loop below would never accept a number
    return alpha == 0 ? 0.0 : std::numeric_limits<double>::quiet_NaN();
  const bool below_one = alpha < 1;
  const double d = alpha + (below_one ? 2.0 / 3 : -1.0 / 3);
  const double scale = 1.0 / 3 / std::sqrt(d);
  Pairs<Normal<double>> normal;
  for (;;) {
    const double x = normal.Next(philox);
    double v = 1 + scale * x;
    if (v <= 0) continue;
    v = v * v * v;
    const double u = uniform.Next(philox);
    if (!(u < 1 - 0.0331 * (x * x) * (x * x)) &&
        !(std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v))))
      continue;
    return below_one ? d * v * std::pow(uniform.Next(philox), 1 / alpha) : d * v;
  }
}

struct RandomGamma {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return FillEach<T, T>(c, [](T alpha, Philox& philox) {
      return static_cast<T>(GammaNumber(static_cast<double>(alpha), philox));
    });
  }
};

// The derivative of a sample with respect to its parameter.
struct RandomGammaGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapBinary<T>(
        c,
        [](T alpha, T sample) {
          return static_cast<T>(
              GammaSlope(static_cast<double>(alpha), static_cast<double>(sample)));
        },
        400);
  }
};

// The gradient of alpha, whose dimensions are the last ones of the samples. Sums over the others.
Status GammaGradient(GradScope& g) {
  Out alpha = g.x(1), sample = g.y(0);
  Out slope = g.Op("RandomGammaGrad", {alpha, sample});
  Out count = g.Op("Sub", {RankOf(g, sample), RankOf(g, alpha, "Rank_1")}, {}, "sub");
  Out axes = g.Op("Range", {ConstInt(g, 0, "range/start"), count, ConstInt(g, 1, "range/delta")},
                  {}, "range");
  return g.Return({{}, g.Op("Sum", {g.Mul(g.dy(), slope), axes})});
}

// ---- Poisson: Knuth's method for rates below 10, otherwise Hörmann's transformed rejection ----

// Counts events until the sum of their waiting times exceeds 1.
double SmallPoisson(double rate, double most, Philox& philox) {
  Pairs<Uniform<double>> uniform;
  const double enough = std::exp(-rate);
  double product = 1, count = 0;
  for (;; count += 1) {
    product *= uniform.Next(philox);
    if (product <= enough && count <= most) return count;
  }
}

double LargePoisson(double rate, double most, Philox& philox) {
  Pairs<Uniform<double>> uniform;
  const double log_rate = std::log(rate);
  const double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  for (int tries = 0; tries < 100000; ++tries) {
    const double u = uniform.Next(philox) - 0.5, v = uniform.Next(philox);
    const double shifted = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / shifted + b) * u + rate + 0.43);
    if (k > most) continue;
    if (shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (shifted < 0.013 && v > shifted)) continue;
    const double s = std::log(v * inverse_alpha / (a / (shifted * shifted) + b));
    int sign = 0;
    if (s <= -rate + k * log_rate - ::lgamma_r(k + 1, &sign)) return k;
  }
  return most;  // the count exceeded the type's range in every attempt
}

double PoissonNumber(double rate, double most, Philox& philox) {
  if (!std::isfinite(rate) || rate < 0)
    return rate > 0 ? rate : std::numeric_limits<double>::quiet_NaN();
  return rate < 10 ? SmallPoisson(rate, most, philox) : LargePoisson(rate, most, philox);
}

// Converts a count to the output's type. NaN becomes 0 in an integer type.
template <class R>
R Count(double x) {
  if constexpr (std::is_integral_v<R>) {
    if (!(x == x)) return 0;
    constexpr double kLimit = static_cast<double>(std::numeric_limits<R>::max());
    return x >= kLimit ? std::numeric_limits<R>::max() : static_cast<R>(x);
  } else {
    return R(static_cast<float>(x));
  }
}
template <>
double Count(double x) {
  return x;
}

template <class T>
struct Poisson {
  template <class R>
  Status operator()(KernelCtx& c) const {
    double most = 0;
    if constexpr (kIsHalf<R>)
      most = 65504;
    else
      most = static_cast<double>(std::numeric_limits<R>::max());
    return FillEach<T, R>(c, [most](T rate, Philox& philox) {
      double r = 0;
      if constexpr (kIsHalf<T>)
        r = static_cast<double>(static_cast<float>(rate));
      else
        r = static_cast<double>(rate);
      return Count<R>(PoissonNumber(r, most, philox));
    });
  }
};

template <class T>
Status PoissonTo(KernelCtx& c) {
  switch (c.out_dtype(0)) {
    case DType::kHalf:
      return Poisson<T>{}.template operator()<Half>(c);
    case DType::kFloat:
      return Poisson<T>{}.template operator()<float>(c);
    case DType::kDouble:
      return Poisson<T>{}.template operator()<double>(c);
    case DType::kInt32:
      return Poisson<T>{}.template operator()<int32_t>(c);
    default:
      return Poisson<T>{}.template operator()<int64_t>(c);
  }
}

struct RandomPoisson {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return PoissonTo<T>(c);
  }
};

// The shape of the samples is the requested shape followed by that of the parameters.
Status EachShape(ShapeCtx& c) {
  TENSH_ASSIGN(Shape out, ShapeInput(c, 0));
  const Shape& parameters = c.in(1);
  if (!out.has_rank() || !parameters.has_rank()) return {};
  if (out.rank() + parameters.rank() > Shape::kMaxRank)
    return InvalidArgument("a tensor of rank ", out.rank() + parameters.rank(),
                           " was requested; tensh supports ranks 0 to ", Shape::kMaxRank);
  for (int i = 0; i < parameters.rank(); ++i) out.Append(parameters[i]);
  c.Set(0, out);
  return {};
}

constexpr char kSeedDoc[] =
    " seed and seed2 determine the random stream unless both are 0; each run of the node continues "
    "it.";

}  // namespace

TENSH_OPS(random_gamma_poisson) {
  r.Op({.name = "RandomGamma",
        .inputs = "shape: S, alpha: T",
        .outputs = "output: T",
        .attrs = "seed: int = 0, seed2: int = 0, S: {int32, int64}, T: {half, float, double}",
        .doc = StrCat(
            "Random numbers from gamma distributions. shape: the number for each entry of alpha, a "
            "vector of type S. alpha: the parameters of the distributions, of type T.",
            kSeedDoc),
        .contract = "shape: vector",
        .shape = EachShape,
        .grad = GammaGradient,
        .stateful = true,
        .never_waits = true,
        .examples = {{"tf.random_gamma([0], 1.5)", "[]"}}})
      .Cpu<float, double>(RandomGamma{}, {.prepare = PrepareRandom});
  r.Op({.name = "RandomGammaGrad",
        .inputs = "alpha: T, sample: T",
        .outputs = "output: T",
        .attrs = "T: {float, double}",
        .doc = "The derivative of samples from gamma distributions with respect to alpha. alpha: "
               "the parameters. sample: the output of RandomGamma; both broadcast. T: their type.",
        .shape = BroadcastInputs,
        .examples = {{"tf.raw_ops.RandomGammaGrad(alpha=[1.], sample=[0.])", "[0.]"}}})
      .Cpu<float, double>(RandomGammaGrad{});
  r.Op({.name = "RandomPoissonV2",
        .inputs = "shape: S, rate: R",
        .outputs = "output: dtype",
        .attrs = "seed: int = 0, seed2: int = 0, S: {int32, int64}, "
                 "R: {half, float, double, int32, int64} = double, "
                 "dtype: {half, float, double, int32, int64} = int64",
        .doc = StrCat(
            "Random counts from Poisson distributions. shape: the number for each entry of rate, a "
            "vector of type S. rate: the expected counts, of type R. dtype: the type of output.",
            kSeedDoc),
        .contract = "shape: vector",
        .shape = EachShape,
        .no_gradient = true,
        .stateful = true,
        .never_waits = true,
        .examples = {{"tf.random_poisson(3., [0])", "[]"}}})
      .Cpu<Half, float, double, int32_t, int64_t>(RandomPoisson{},
                                                  {.prepare = PrepareRandom, .type_attr = "R"});
}

}  // namespace tensh::ops
