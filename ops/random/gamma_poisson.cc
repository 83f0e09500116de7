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

bool EndsWith(const Shape& shape, const Shape& end) {
  const int more = shape.rank() - end.rank();
  if (more < 0) return false;
  for (int i = 0; i < end.rank(); ++i)
    if (shape[more + i] != end[i]) return false;
  return true;
}

// The doubles of a generator.
struct DoublesOf {
  Philox& philox;
  void UniformPair(double* pair) { Uniform<double>()(philox, pair); }
  void NormalPair(double* pair) { Normal<double>()(philox, pair); }
};

// Draws numbers for each parameter, one parameter after the other, by fn(parameter, philox). The last input has the
// parameters. If the inputs give no place in a stream, the node has a generator, and `shape` is the number for each
// parameter; otherwise `shape` is that of the output, and ends with the shape of the parameters.
template <class T, class R, class Fn>
Status FillEach(KernelCtx& c, Fn fn) {
  const bool placed = c.num_inputs() > 2;
  const Tensor& parameters = c.in(c.num_inputs() - 1);
  TENSH_ASSIGN(const Shape shape, placed ? ShapeFromTensor(c.in(0)) : ShapeOfSamples(c));
  if (placed && !EndsWith(shape, parameters.shape()))
    return InvalidArgument("Shape passed in must end with broadcasted shape.");
  TENSH_OUTPUT(out, c.Output(0, shape));
  const int64_t n = out->num_elements(), count = parameters.num_elements();
  if (n == 0) return {};
  const int64_t samples = n / count;
  Philox start;
  if (placed) {
    TENSH_ASSIGN(const PhiloxPlace place, PlaceOf(c, n));
    start = place.Start();
  } else {
    start = c.state<RandomState>().generator->Reserve(static_cast<uint64_t>(n) * kBlocksPerNumber);
  }
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
  const int last = g.num_inputs() - 1;
  Out alpha = g.x(last), sample = g.y(0);
  Out slope = g.Op("RandomGammaGrad", {alpha, sample});
  Out count = g.Op("Sub", {RankOf(g, sample), RankOf(g, alpha, "Rank_1")}, {}, "sub");
  Out axes = g.Op("Range", {ConstInt(g, 0, "range/start"), count, ConstInt(g, 1, "range/delta")},
                  {}, "range");
  std::vector<Out> grads(static_cast<size_t>(last));
  grads.push_back(g.Op("Sum", {g.Mul(g.dy(), slope), axes}));
  return g.Return(grads);
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

// An op whose inputs give the place in a stream. `parameter` is the name of the last one.
OpSpec Placed(std::string_view name, bool keyed, std::string_view inputs, std::string_view attrs,
              std::string_view doc, std::string_view parameter, std::string_view result) {
  return {
      .name = name,
      .inputs =
          StrCat("shape: ",
                 keyed ? "shape_dtype, key: uint64, counter: uint64, alg: int32" : "T, seed: Tseed",
                 inputs),
      .outputs = "output: dtype",
      .attrs = StrCat(attrs, keyed ? "shape_dtype: {int32, int64} = int32"
                                   : "T: {int32, int64}, Tseed: {int32, int64} = int64"),
      .doc = StrCat(
          doc, keyed ? ", as a function of key and counter" : ", as a function of the seed",
          ". shape: the shape of output, which ends with that of ", parameter,
          ", a vector of type ",
          keyed
              ? "shape_dtype. key: one word. counter: two words, the start in the stream. alg: the "
                "generator; 1 is Philox."
              : "T. seed: two integers of type Tseed."),
      .contract = keyed ? "shape: vector, key: vector, counter: vector, alg: scalar"
                        : "shape: vector, seed: vector of 2",
      .shape = RandomShape,
      .grad = parameter == "alpha" ? GammaGradient : nullptr,
      .no_gradient = parameter != "alpha",
      .examples = {{StrCat("tf.raw_ops.", name, "(shape=[0], ",
                           keyed ? "key=tf.constant([1], tf.uint64), counter=tf.constant([2, 3], "
                                   "tf.uint64), alg=1, "
                                 : "seed=[1, 2], ",
                           parameter, "=1.5", result, ")"),
                    "[]"}}};
}

void RegisterPlaced(OpRegistry& r) {
  for (const bool keyed : {false, true})
    r.Op(Placed(
             keyed ? "StatelessRandomGammaV3" : "StatelessRandomGammaV2", keyed, ", alpha: dtype",
             "dtype: {half, float, double}, ",
             "Random numbers from gamma distributions, whose parameters are alpha, of type dtype",
             "alpha", ""))
        .Cpu<float, double>(RandomGamma{}, {.type_attr = "dtype"});
  r.Op(Placed("StatelessRandomPoisson", false, ", lam: Rtype",
              "Rtype: {half, float, double, int32, int64}, dtype: {half, float, double, int32, "
              "int64}, ",
              "Random counts from Poisson distributions, whose expected counts are lam, of type "
              "Rtype; dtype is "
              "the type of output",
              "lam", ", dtype=tf.int32"))
      .Cpu<Half, float, double, int32_t, int64_t>(RandomPoisson{}, {.type_attr = "Rtype"});
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
  RegisterPlaced(r);
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
