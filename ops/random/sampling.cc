// Drawing classes: by logits, or as negative examples for a loss. TensorFlow's streams, number for
// number.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "ops/op_file.h"
#include "ops/support/op_types.h"
#include "ops/support/philox.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

double NextDouble(Philox32& bits) {
  const uint32_t high = bits.Next(), low = bits.Next();
  return UnitDouble(high, low);
}

uint64_t NextBits64(Philox32& bits) {
  const uint64_t low = bits.Next();
  return low | uint64_t{bits.Next()} << 32;
}

// Running sums of exp(logit - most); logits that are not finite get nothing.
template <class T>
double Cumulate(const T* logits, int64_t n, std::vector<double>& sums) {
  T most = std::numeric_limits<T>::lowest();
  for (int64_t i = 0; i < n; ++i)
    if (std::isfinite(logits[i])) most = std::max(most, logits[i]);
  double total = 0;
  sums.resize(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    if (std::isfinite(logits[i]))
      total += std::exp(static_cast<double>(logits[i]) - static_cast<double>(most));
    sums[static_cast<size_t>(i)] = total;
  }
  return total;
}

struct Draws {
  int64_t rows = 0, classes = 0, samples = 0;
};

// logits, num_samples
Result<Draws> ReadDraws(KernelCtx& c) {
  const Tensor& logits = c.in(0);
  if (logits.rank() != 2)
    return InvalidArgument("logits should be a matrix, got shape ", logits.shape());
  if (c.in(1).rank() != 0)
    return InvalidArgument("num_samples should be a scalar, got shape ", c.in(1).shape());
  const Draws d{logits.dim(0), logits.dim(1), IndexAt(c.in(1), 0)};
  if (d.samples < 0) return InvalidArgument("num_samples should be nonnegative, got ", d.samples);
  if (d.classes <= 0) return InvalidArgument("num_classes should be positive, got ", d.classes);
  return d;
}

template <class T>
Status Draw(KernelCtx& c, const Draws& d, const Philox& start) {
  const int64_t dims[] = {d.rows, d.samples};
  TENSH_ASSIGN(Shape shape, Shape::Make(dims, true));
  TENSH_OUTPUT(out, c.Output(0, shape));
  if (!out->num_elements()) return {};
  Philox32 bits(start);
  std::vector<double> sums;
  for (int64_t r = 0; r < d.rows && !c.cancelled(); ++r) {
    const double total = Cumulate(c.in(0).data<T>() + r * d.classes, d.classes, sums);
    for (int64_t i = 0; i < d.samples; ++i) {
      const double find = NextDouble(bits) * total;
      const int64_t at = std::upper_bound(sums.begin(), sums.end(), find) - sums.begin();
      if (out->dtype() == DType::kInt64)
        out->data<int64_t>()[r * d.samples + i] = at;
      else
        out->data<int32_t>()[r * d.samples + i] = static_cast<int32_t>(at);
    }
  }
  return {};
}

struct Multinomial {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Draws d, ReadDraws(c));
    if (d.rows == 0 || d.samples == 0) return Draw<T>(c, d, {});
    const uint64_t reserved = static_cast<uint64_t>(d.samples + 3) / 4 * 4 * 2;
    return Draw<T>(
        c, d,
        c.state<RandomState>().generator->Reserve(static_cast<uint64_t>(d.rows) * reserved * 256));
  }
};

struct StatelessMultinomial {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Draws d, ReadDraws(c));
    TENSH_ASSIGN(const PhiloxPlace place, PlaceOfSeed(c.in(2)));
    return Draw<T>(c, d, place.Start());
  }
};

Status MultinomialShape(ShapeCtx& c) {
  if (c.num_inputs() > 2) {
    if (c.in(2).has_rank() && c.in(2)[0] >= 0 && c.in(2)[0] != 2)
      return InvalidArgument("Dimension must be 2 but is ", c.in(2)[0]);
  }
  const std::optional<int64_t> samples = ConstantScalar(c, 1);
  if (samples && *samples < 0)
    return InvalidArgument("Dimension size, given by scalar input 1, must be non-negative but is ",
                           *samples);
  c.Set(0, Shape({c.in(0).has_rank() ? c.in(0)[0] : -1, samples.value_or(-1)}));
  return {};
}

// ---- candidates ----

struct SamplerState : RandomState {
  int64_t num_true = 0, num_sampled = 0, range = 0;
  bool unique = false, logarithmic = false;
  double log_range = 0;

  int64_t Sample(Philox32& bits) const {
    if (logarithmic) {
      const double value = std::exp(NextDouble(bits) * log_range);
      return (static_cast<int64_t>(value) - 1) % range;
    }
    const uint64_t n = static_cast<uint64_t>(range);
    if ((n & (n - 1)) == 0) return static_cast<int64_t>(NextBits64(bits) & (n - 1));
    const uint64_t rest = ~uint64_t{0} % n + 1;
    uint64_t x;
    do x = NextBits64(bits);
    while (x < rest);
    return static_cast<int64_t>(x % n);
  }
  float Probability(int64_t value) const {
    if (!logarithmic) return static_cast<float>(1.0 / static_cast<double>(range));
    const double v = static_cast<double>(value);
    return static_cast<float>(std::log((v + 2.0) / (v + 1.0)) / log_range);
  }
  float Expected(int64_t value, int64_t tries) const {
    const float p = Probability(value);
    if (tries == num_sampled) return p * static_cast<float>(num_sampled);
    return static_cast<float>(
        -std::expm1(static_cast<double>(tries) * std::log1p(-static_cast<double>(p))));
  }
};

template <bool logarithmic>
Result<std::unique_ptr<KernelState>> PrepareSampler(PrepareCtx& c) {
  TENSH_ASSIGN(std::unique_ptr<KernelState> random, PrepareRandom(c));
  auto state = std::make_unique<SamplerState>();
  state->generator = static_cast<RandomState&>(*random).generator;
  state->num_true = c.attrs().Int("num_true");
  state->num_sampled = c.attrs().Int("num_sampled");
  state->range = c.attrs().Int("range_max");
  state->unique = c.attrs().Bool("unique");
  state->logarithmic = logarithmic;
  state->log_range = std::log1p(static_cast<double>(state->range));
  if (state->num_sampled > INT32_MAX)
    return InvalidArgument("num_sampled is too large: ", state->num_sampled);
  return {std::move(state)};
}

Status CandidateSampler(KernelCtx& c) {
  const auto& s = c.state<SamplerState>();
  const Tensor& classes = c.in(0);
  if (classes.rank() != 2) return InvalidArgument("true_classes must be a matrix");
  if (classes.dim(1) != s.num_true)
    return InvalidArgument("true_classes must have num_true columns, expected: ", classes.dim(1),
                           " was: ", s.num_true);
  if (s.unique && s.num_sampled > s.range) return InvalidArgument("Sampler's range is too small.");
  TENSH_OUTPUT(sampled, c.Output(0, Shape({s.num_sampled})));
  TENSH_OUTPUT(true_count, c.Output(1, classes.shape()));
  TENSH_OUTPUT(sampled_count, c.Output(2, Shape({s.num_sampled})));
  Philox32 bits(s.generator->Reserve(static_cast<uint64_t>(s.num_sampled) * 2048 / 4));
  int64_t* to = sampled->data<int64_t>();
  int64_t tries = 0;
  std::unordered_set<int64_t> seen;
  for (int64_t picked = 0; picked < s.num_sampled;) {
    if (++tries >= INT32_MAX || (tries % 4096 == 0 && c.cancelled()))
      return InvalidArgument("too many tries to draw ", s.num_sampled, " different classes of ",
                             s.range);
    const int64_t value = s.Sample(bits);
    if (s.unique && !seen.insert(value).second) continue;
    to[picked++] = value;
  }
  for (int64_t i = 0; i < classes.num_elements(); ++i)
    true_count->data<float>()[i] = s.Expected(classes.data<int64_t>()[i], tries);
  for (int64_t i = 0; i < s.num_sampled; ++i)
    sampled_count->data<float>()[i] = s.Expected(to[i], tries);
  return {};
}

Status SamplerShape(ShapeCtx& c) {
  const int64_t n = c.attrs().Int("num_sampled");
  c.Set(0, Shape({n}));
  c.Set(1, Shape({c.in(0).has_rank() ? c.in(0)[0] : -1, c.attrs().Int("num_true")}));
  c.Set(2, Shape({n}));
  return {};
}

struct HitsState : KernelState {
  int64_t num_true;
};

Result<std::unique_ptr<KernelState>> PrepareHits(PrepareCtx& c) {
  auto state = std::make_unique<HitsState>();
  state->num_true = c.attrs().Int("num_true");
  return {std::move(state)};
}

Status AccidentalHits(KernelCtx& c) {
  const Tensor &classes = c.in(0), &sampled = c.in(1);
  if (classes.rank() != 2 || classes.dim(1) != c.state<HitsState>().num_true)
    return InvalidArgument("true_candidates must be a batch_size * num_true matrix");
  if (sampled.rank() != 1) return InvalidArgument("sampled_candidates must be a vector");
  std::unordered_map<int64_t, int64_t> places;
  for (int64_t i = 0; i < sampled.dim(0); ++i) places[sampled.data<int64_t>()[i]] = i;
  std::vector<std::pair<int64_t, int64_t>> hits;
  for (int64_t i = 0; i < classes.num_elements(); ++i) {
    auto found = places.find(classes.data<int64_t>()[i]);
    if (found != places.end()) hits.emplace_back(i / classes.dim(1), found->second);
  }
  const Shape shape({static_cast<int64_t>(hits.size())});
  TENSH_OUTPUT(indices, c.Output(0, shape));
  TENSH_OUTPUT(ids, c.Output(1, shape));
  TENSH_OUTPUT(weights, c.Output(2, shape));
  for (size_t i = 0; i < hits.size(); ++i) {
    indices->data<int32_t>()[i] = static_cast<int32_t>(hits[i].first);
    ids->data<int64_t>()[i] = hits[i].second;
    weights->data<float>()[i] = -FLT_MAX;
  }
  return {};
}

Status HitsShape(ShapeCtx& c) {
  const int64_t num_true = c.attrs().Int("num_true");
  if (num_true < 0) return InvalidArgument("num_true must not be negative, got ", num_true);
  TENSH_RETURN_IF_ERROR(MergeShapes(c.in(0), Shape({-1, num_true})).status());
  for (int o = 0; o < 3; ++o) c.Set(o, Shape({-1}));
  return {};
}

OpSpec SamplerSpec(const char* name, const char* how) {
  return {.name = name,
          .inputs = "true_classes: int64",
          .outputs =
              "sampled_candidates: int64, true_expected_count: float, "
              "sampled_expected_count: float",
          .attrs =
              "num_true: int >= 1, num_sampled: int >= 1, unique: bool, range_max: int >= 1, "
              "seed: int = 0, seed2: int = 0",
          .doc = StrCat("Classes drawn ", how,
                        " from [0, range_max). true_classes: a matrix with num_true columns, whose "
                        "expected counts are wanted. num_sampled: how many are drawn. unique: none "
                        "twice. seed, seed2: fix the stream when not both 0."),
          .contract = "true_classes: matrix",
          .shape = SamplerShape,
          .no_gradient = true,
          .stateful = true,
          .examples = {{StrCat("tf.raw_ops.", name,
                               "(true_classes=[[0]], num_true=1, "
                               "num_sampled=1, unique=True, range_max=1, seed=1)[0]"),
                        "[0]"}}};
}

}  // namespace

TENSH_OPS(random_sampling) {
  r.Op({.name = "Multinomial",
        .inputs = "logits: T, num_samples: int32",
        .outputs = "output: output_dtype",
        .attrs = StrCat("seed: int = 0, seed2: int = 0, ", TENSH_REALS,
                        ", output_dtype: {int32, int64} = int64"),
        .doc = "Class numbers drawn by logits. logits: a row for each draw. num_samples: how many "
               "are drawn of each row. seed, seed2: fix the stream when not both 0. T: the type of "
               "logits. output_dtype: of the result.",
        .contract = "logits: matrix, num_samples: scalar",
        .shape = MultinomialShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.multinomial([[0., -1e30]], 3, seed=1)", "[[0 0 0]]"}}})
      .Cpu<float, double>(Multinomial{}, {.prepare = PrepareRandom});
  r.Op({.name = "StatelessMultinomial",
        .inputs = "logits: T, num_samples: int32, seed: Tseed",
        .outputs = "output: output_dtype",
        .attrs = StrCat(TENSH_REALS,
                        ", Tseed: {int32, int64} = int64, output_dtype: {int32, int64} = int64"),
        .doc = "Class numbers drawn by logits, the same for the same seed. logits: a row for each "
               "draw. num_samples: how many are drawn of each row. seed: two integers of type "
               "Tseed. T: the type of logits. output_dtype: of the result.",
        .contract = "logits: matrix, num_samples: scalar, seed: vector of 2",
        .shape = MultinomialShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.StatelessMultinomial(logits=[[0., -1e30]], num_samples=3, "
                      "seed=[1, 2])",
                      "[[0 0 0]]"}}})
      .Cpu<float, double>(StatelessMultinomial{});
  r.Op(SamplerSpec("UniformCandidateSampler", "evenly"))
      .CpuAny(CandidateSampler, PrepareSampler<false>);
  r.Op(SamplerSpec("LogUniformCandidateSampler", "by Zipf's law"))
      .CpuAny(CandidateSampler, PrepareSampler<true>);
  r.Op({.name = "ComputeAccidentalHits",
        .inputs = "true_classes: int64, sampled_candidates: int64",
        .outputs = "indices: int32, ids: int64, weights: float",
        .attrs = "num_true: int, seed: int = 0, seed2: int = 0",
        .doc = "Where sampled_candidates are true classes by chance. true_classes: a matrix with "
               "num_true columns. weights: the least float for each hit. seed, seed2: change "
               "nothing.",
        .contract = "true_classes: matrix",
        .shape = HitsShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.ComputeAccidentalHits(true_classes=[[1], [5]], "
                      "sampled_candidates=[5, 7], num_true=1)[0]",
                      "[1]"}}})
      .CpuAny(AccidentalHits, PrepareHits);
}

}  // namespace tensh::ops
