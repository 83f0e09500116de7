// Gamma and Poisson random numbers, by rejection sampling. Each number has a fixed position in the
// stream and draws from there what TensorFlow draws, so that the numbers are the same.
#include <algorithm>
#include <cmath>

#include "ops/math/special/special_functions.h"
#include "ops/op_file.h"
#include "ops/random/distributions.h"
#include "ops/random/random_inputs.h"
#include "ops/random/rejection.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// The doubles of a generator.
struct DoublesOf {
  Philox& philox;
  void UniformPair(double* pair) { Uniform<double>()(philox, pair); }
  void NormalPair(double* pair) { Normal<double>()(philox, pair); }
};

// Draws `shape` numbers for each parameter, one parameter after the other, by fn(parameter,
// philox).
template <class T, class R, class Fn>
Status FillEach(KernelCtx& c, Fn fn) {
  TENSH_ASSIGN(const Shape shape, ShapeOfSamples(c));
  TENSH_OUTPUT(out, c.Output(0, shape));
  const Tensor& parameters = c.in(1);
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

struct RandomGamma {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return FillEach<T, T>(c, [](T alpha, Philox& philox) {
      return static_cast<T>(GammaNumber(static_cast<double>(alpha), Numbers(DoublesOf{philox})));
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

template <class T>
struct Poisson {
  template <class R>
  Status operator()(KernelCtx& c) const {
    double most = kMostHalf;
    if constexpr (!kIsHalf<R>) most = MostCounts<R>();
    return FillEach<T, R>(c, [most](T rate, Philox& philox) {
      double r = 0;
      if constexpr (kIsHalf<T>)
        r = static_cast<double>(static_cast<float>(rate));
      else
        r = static_cast<double>(rate);
      return ToCount<R>(PoissonNumber(r, most, Numbers(DoublesOf{philox})));
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

Result<Shape> ShapeOfSamples(KernelCtx& c) {
  TENSH_ASSIGN(const Shape each, ShapeFromTensor(c.in(0)));
  std::vector<int64_t> all(each.dims().begin(), each.dims().end());
  const Shape& parameters = c.in(1).shape();
  all.insert(all.end(), parameters.dims().begin(), parameters.dims().end());
  return Shape::Make(all, true);
}

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
