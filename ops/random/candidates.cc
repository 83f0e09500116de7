// Candidate samplers, which draw classes as negative examples for a loss. The random streams are
// TensorFlow's, number for number.
#include <cfloat>
#include <charconv>
#include <cmath>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "ops/op_file.h"
#include "ops/support/philox.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"
#include "runtime/core/files/files.h"

namespace tensh::ops {
namespace {

// Returns a uniform number below n, made from the bits that next() returns.
template <class U, class Next>
U Below(U n, Next next) {
  if ((n & (n - 1)) == 0) return next() & (n - 1);
  const U rest = static_cast<U>(~U{0} % n + 1);
  U x;
  do x = next();
  while (x < rest);
  return x % n;
}

double NextDouble(Philox32& bits) {
  const uint32_t high = bits.Next(), low = bits.Next();
  return UnitDouble(high, low);
}

// ---- distributions ----

// A distribution over the classes [0, range). If it learns from the samples, it is used under its
// mutex.
class Distribution : public Resource {
 public:
  virtual int64_t Sample(Philox32& bits) const = 0;
  virtual float Probability(int64_t value) const = 0;
  virtual void Learn(std::span<const int64_t>) {}
  virtual std::mutex* mutex() { return nullptr; }
};

class Uniform : public Distribution {
 public:
  explicit Uniform(int64_t range) : range_(static_cast<uint64_t>(range)) {}
  int64_t Sample(Philox32& bits) const override {
    return static_cast<int64_t>(Below(range_, [&] {
      const uint64_t low = bits.Next();
      return low | uint64_t{bits.Next()} << 32;
    }));
  }
  float Probability(int64_t) const override {
    return static_cast<float>(1.0 / static_cast<double>(range_));
  }

 private:
  const uint64_t range_;
};

class LogUniform : public Distribution {
 public:
  explicit LogUniform(int64_t range)
      : range_(range), log_range_(std::log1p(static_cast<double>(range))) {}
  int64_t Sample(Philox32& bits) const override {
    const double value = std::exp(NextDouble(bits) * log_range_);
    return (static_cast<int64_t>(value) - 1) % range_;
  }
  float Probability(int64_t value) const override {
    const double v = static_cast<double>(value);
    return static_cast<float>(std::log((v + 2.0) / (v + 1.0)) / log_range_);
  }

 private:
  const int64_t range_;
  const double log_range_;
};

// Weights each class by one plus the number of times it was a true class. The counts are in a
// binary indexed tree, which stores only nodes that are not zero.
class Learned : public Distribution {
 public:
  explicit Learned(int64_t range) : range_(range), total_(range) {}

  int64_t Sample(Philox32& bits) const override {
    int64_t left = Below(static_cast<uint32_t>(total_), [&] { return bits.Next(); });
    int64_t before = 0;
    for (int64_t span = int64_t{1} << 31; span > 0; span /= 2) {
      if (before + span > range_) continue;
      const int64_t weight = span + CountAt(before + span);
      if (weight > left) continue;
      left -= weight;
      before += span;
    }
    return before;
  }
  float Probability(int64_t value) const override {
    int64_t count = 1;  // plus the prefix sum up to the class minus the prefix sum before it
    for (int64_t i = value + 1; i > 0; i &= i - 1) count += CountAt(i);
    for (int64_t i = value; i > 0; i &= i - 1) count -= CountAt(i);
    return static_cast<float>(count) / static_cast<float>(total_);
  }
  void Learn(std::span<const int64_t> values) override {
    for (int64_t value : values) {
      if (total_ == INT32_MAX) return;
      ++total_;
      for (int64_t i = value + 1; i <= range_; i += i & -i) ++counts_[i];
    }
  }
  std::mutex* mutex() override { return &mu_; }

 private:
  int64_t CountAt(int64_t i) const {
    const auto found = counts_.find(i);
    return found == counts_.end() ? 0 : found->second;
  }

  const int64_t range_;
  int64_t total_;
  std::unordered_map<int64_t, int64_t> counts_;
  std::mutex mu_;  // guards the counts
};

// Given weights, by Walker's alias method: each table entry is the share of one class, and another
// class that gets the rest.
class Weighted : public Distribution {
 public:
  static Result<std::shared_ptr<Weighted>> Make(const std::vector<float>& weights) {
    auto made = std::make_shared<Weighted>();
    made->weights_ = weights;
    const size_t n = weights.size();
    double sum = 0;
    for (float w : weights) {
      if (!(w >= 0) || std::isinf(w))
        return InvalidArgument("weights must be non-negative numbers, got ", w);
      made->total_ += w;
      sum += static_cast<double>(w);
    }
    if (!(sum > 0)) return InvalidArgument("at least one weight must be positive");
    std::vector<double> share(n);
    std::vector<size_t> high, low;
    for (size_t i = 0; i < n; ++i) {
      share[i] = static_cast<double>(weights[i] * static_cast<float>(n)) / sum;
      (share[i] < 1 ? low : high).push_back(i);
    }
    made->other_.resize(n);
    while (!high.empty() && !low.empty()) {
      const size_t l = low.back(), h = high.back();
      low.pop_back();
      high.pop_back();
      made->other_[l] = static_cast<uint32_t>(h);
      share[h] -= 1 - share[l];
      (share[h] < 1 ? low : high).push_back(h);
    }
    for (const std::vector<size_t>* full : {&high, &low}) {
      for (size_t i : *full) {
        share[i] = 1;
        made->other_[i] = static_cast<uint32_t>(i);
      }
    }
    made->share_.assign(share.begin(), share.end());
    return made;
  }

  int64_t Sample(Philox32& bits) const override {
    const float r = UnitFloat(bits.Next());
    const uint32_t n = static_cast<uint32_t>(share_.size());
    const uint32_t at = Below(n, [&] { return bits.Next(); });
    return r < share_[at] ? at : other_[at];
  }
  float Probability(int64_t value) const override {
    return weights_[static_cast<size_t>(value)] / total_;
  }

 private:
  std::vector<float> weights_, share_;
  std::vector<uint32_t> other_;
  float total_ = 0;
};

// ---- ops ----

struct SamplerState : RandomState {
  int64_t num_true = 0, num_sampled = 0, range = 0;
  bool unique = false;
  std::shared_ptr<Distribution> distribution;

  float Expected(int64_t value, int64_t tries) const {
    const float p = distribution->Probability(value);
    if (tries == num_sampled) return p * static_cast<float>(num_sampled);
    return -std::expm1(static_cast<float>(tries) * std::log1p(-p));
  }
};

Result<std::unique_ptr<SamplerState>> ReadSampler(PrepareCtx& c) {
  TENSH_ASSIGN(std::unique_ptr<KernelState> random, PrepareRandom(c));
  auto state = std::make_unique<SamplerState>();
  state->generator = static_cast<RandomState&>(*random).generator;
  state->num_true = c.attrs().Int("num_true");
  state->num_sampled = c.attrs().Int("num_sampled");
  state->range = c.attrs().Find("range_max") ? c.attrs().Int("range_max") : state->num_sampled;
  state->unique = c.attrs().Bool("unique");
  if (state->num_sampled > INT32_MAX)
    return InvalidArgument("num_sampled is too large: ", state->num_sampled);
  return state;
}

template <class D>
Result<std::unique_ptr<KernelState>> PrepareSampler(PrepareCtx& c) {
  TENSH_ASSIGN(auto state, ReadSampler(c));
  state->distribution = std::make_shared<D>(state->range);
  return {std::move(state)};
}

// Learned counts belong to the node and persist between steps.
Result<std::unique_ptr<KernelState>> PrepareLearned(PrepareCtx& c) {
  TENSH_ASSIGN(auto state, ReadSampler(c));
  if (state->range >= INT32_MAX)
    return InvalidArgument("range_max must be below ", INT32_MAX, ", got ", state->range);
  state->distribution =
      c.resources().FindOrMake<Learned>(StrCat(c.node_name(), " (learned classes)"),
                                        [&] { return std::make_shared<Learned>(state->range); });
  return {std::move(state)};
}

// Returns the last of the comma-separated fields of a line.
Result<float> CountOf(std::string_view line) {
  std::string_view field = line.substr(line.rfind(',') + 1);
  while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
  while (!field.empty() && (field.back() == ' ' || field.back() == '\r')) field.remove_suffix(1);
  float count = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), count);
  if (error != std::errc() || end != field.data() + field.size())
    return InvalidArgument("Wrong vocabulary format at line: ", line);
  return count;
}

Result<std::vector<float>> CountsInFile(const std::string& path) {
  TENSH_ASSIGN(const std::string text, ReadWholeFile(path));
  std::vector<float> counts;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    TENSH_ASSIGN(const float count, CountOf(std::string_view(text).substr(at, end - at)));
    counts.push_back(count);
    at = end + 1;
  }
  return counts;
}

// Returns how many of the numbers [first, first + count) belong to this shard.
int64_t OfShard(int64_t first, int64_t count, int64_t shard, int64_t shards) {
  const auto below = [&](int64_t n) { return n > shard ? (n - shard - 1) / shards + 1 : 0; };
  return below(first + count) - below(first);
}

// Returns the weights of the classes of this shard. Reserved classes come first and have weight 0.
// The remaining classes are numbered after them and distributed over the shards too.
Result<std::vector<float>> ReadWeights(Attrs attrs, int64_t range) {
  const std::string& file = attrs.String("vocab_file");
  std::vector<float> counts = attrs.Get<AttrValue::Floats>("unigrams");
  if (file.empty() == counts.empty())
    return InvalidArgument(file.empty() ? "Must provide either vocab_file or unigrams."
                                        : "Must only provide one of vocab_file and unigrams.");
  if (!file.empty()) {
    TENSH_ASSIGN(counts, CountsInFile(file));
  }
  const int64_t shards = attrs.Int("num_shards"), shard = attrs.Int("shard");
  if (range >= INT32_MAX || shards > INT32_MAX || shard >= shards)
    return InvalidArgument("range_max and num_shards must be below ", INT32_MAX,
                           " and shard below num_shards, got ", range, ", ", shards, " and ",
                           shard);
  const int64_t reserved_ids = std::clamp<int64_t>(attrs.Int("num_reserved_ids"), 0, INT32_MAX);
  const int64_t reserved = OfShard(0, reserved_ids, shard, shards);
  const int64_t count = static_cast<int64_t>(counts.size());
  const int64_t own = OfShard(reserved, count, shard, shards);
  if (range != reserved + own)
    return InvalidArgument("range is ", range, " must be equal to weights size  ", reserved + own);
  // Checks that the memory for the tables is available, because a failing std::vector would throw.
  TENSH_RETURN_IF_ERROR(Tensor::Make(DType::kDouble, Shape({4 * range})).status());
  std::vector<float> weights(static_cast<size_t>(reserved));
  const float distortion = attrs.Float("distortion");
  for (int64_t i = 0; i < count; ++i)
    if ((reserved + i) % shards == shard)
      weights.push_back(std::pow(counts[static_cast<size_t>(i)], distortion));
  return weights;
}

Result<std::unique_ptr<KernelState>> PrepareFixed(PrepareCtx& c) {
  TENSH_ASSIGN(auto state, ReadSampler(c));
  TENSH_ASSIGN(const std::vector<float> weights, ReadWeights(c.attrs(), state->range));
  TENSH_ASSIGN(state->distribution, Weighted::Make(weights));
  const auto some = std::count_if(weights.begin(), weights.end(), [](float w) { return w > 0; });
  if (state->unique && some < state->num_sampled)  // the others would be drawn for ever
    return InvalidArgument("cannot draw ", state->num_sampled, " unique classes: only ", some,
                           " have a weight above 0");
  return {std::move(state)};
}

Result<std::unique_ptr<KernelState>> PrepareAll(PrepareCtx& c) {
  TENSH_ASSIGN(auto state, ReadSampler(c));
  return {std::move(state)};
}

Status CheckClasses(const SamplerState& s, const Tensor& classes) {
  if (classes.dim(1) != s.num_true)
    return InvalidArgument("true_classes must have num_true columns, expected: ", classes.dim(1),
                           " was: ", s.num_true);
  if (s.unique && s.num_sampled > s.range) return InvalidArgument("Sampler's range is too small.");
  for (int64_t value : classes.flat<int64_t>())
    if (value < 0 || value >= s.range)
      return InvalidArgument("`true_candidate` out of range [0, ", s.range, "), received ", value);
  return {};
}

Status CandidateSampler(KernelCtx& c) {
  const auto& s = c.state<SamplerState>();
  const Tensor& classes = c.in(0);
  TENSH_RETURN_IF_ERROR(CheckClasses(s, classes));
  TENSH_OUTPUT(sampled, c.Output(0, Shape({s.num_sampled})));
  TENSH_OUTPUT(true_count, c.Output(1, classes.shape()));
  TENSH_OUTPUT(sampled_count, c.Output(2, Shape({s.num_sampled})));
  std::unique_lock<std::mutex> lock;
  if (std::mutex* mu = s.distribution->mutex()) lock = std::unique_lock(*mu);
  Philox32 bits(s.generator->Reserve(static_cast<uint64_t>(s.num_sampled) * 2048 / 4));
  int64_t* to = sampled->data<int64_t>();
  int64_t tries = 0;
  std::unordered_set<int64_t> seen;
  for (int64_t picked = 0; picked < s.num_sampled;) {
    if (++tries >= INT32_MAX || (tries % 4096 == 0 && c.cancelled()))
      return InvalidArgument("too many attempts to draw ", s.num_sampled, " different classes of ",
                             s.range);
    const int64_t value = s.distribution->Sample(bits);
    if (s.unique && !seen.insert(value).second) continue;
    to[picked++] = value;
  }
  for (int64_t i = 0; i < classes.num_elements(); ++i)
    true_count->data<float>()[i] = s.Expected(classes.data<int64_t>()[i], tries);
  for (int64_t i = 0; i < s.num_sampled; ++i)
    sampled_count->data<float>()[i] = s.Expected(to[i], tries);
  s.distribution->Learn(classes.flat<int64_t>());
  return {};
}

Status AllCandidates(KernelCtx& c) {
  const auto& s = c.state<SamplerState>();
  TENSH_RETURN_IF_ERROR(CheckClasses(s, c.in(0)));
  TENSH_OUTPUT(sampled, c.Output(0, Shape({s.num_sampled})));
  TENSH_OUTPUT(true_count, c.Output(1, c.in(0).shape()));
  TENSH_OUTPUT(sampled_count, c.Output(2, Shape({s.num_sampled})));
  for (int64_t i = 0; i < s.num_sampled; ++i) sampled->data<int64_t>()[i] = i;
  for (Tensor* count : {true_count, sampled_count})
    std::fill_n(count->data<float>(), count->num_elements(), 1.0f);
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
  void Read(PrepareCtx& c) { num_true = c.attrs().Int("num_true"); }
};

Status AccidentalHits(KernelCtx& c) {
  const Tensor &classes = c.in(0), &sampled = c.in(1);
  if (classes.dim(1) != c.state<HitsState>().num_true)
    return InvalidArgument("true_candidates must be a batch_size * num_true matrix");
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

constexpr char kRange[] = "range_max: int >= 1, ";
constexpr char kRangeDoc[] = "range_max: the number of classes. ";

OpSpec SamplerSpec(const char* name, const char* how, OpText own_attrs, OpText own_doc,
                   const char* example) {
  return {.name = name,
          .inputs = "true_classes: int64",
          .outputs =
              "sampled_candidates: int64, true_expected_count: float, "
              "sampled_expected_count: float",
          .attrs = StrCat("num_true: int >= 1, num_sampled: int >= 1, unique: bool, ", own_attrs,
                          "seed: int = 0, seed2: int = 0"),
          .doc = StrCat(
              how,
              " true_classes: a matrix with num_true columns; their expected counts are returned. "
              "num_sampled: the number of classes to draw. unique: draw no class twice. ",
              own_doc, "seed, seed2: determine the random stream unless both are 0."),
          .contract = "true_classes: matrix",
          .shape = SamplerShape,
          .no_gradient = true,
          .stateful = true,
          .examples = {{StrCat("tf.raw_ops.", name, "(true_classes=[[0]], num_true=1, ", example,
                               ", seed=1)[0]"),
                        "[0]"}}};
}

constexpr char kOne[] = "num_sampled=1, unique=True, range_max=1";

void RegisterUnigrams(OpRegistry& r) {
  static constexpr char kLearned[] =
      "Draws classes by the frequency of true classes in earlier steps of this node.";
  for (const char* name : {"LearnedUnigramCandidateSampler", "ThreadUnsafeUnigramCandidateSampler"})
    r.Op(SamplerSpec(name, kLearned, kRange, kRangeDoc, kOne))
        .CpuAny(CandidateSampler, PrepareLearned);
  r.Op(SamplerSpec(
           "FixedUnigramCandidateSampler", "Draws classes by given weights.",
           "range_max: int >= 1, vocab_file: string = '', distortion: float = 1.0, "
           "num_reserved_ids: int = 0, num_shards: int >= 1 = 1, shard: int >= 0 = 0, "
           "unigrams: list(float) = [], ",
           StrCat(kRangeDoc,
                  "vocab_file: a file with one line per class, whose last comma-separated field is "
                  "the weight. unigrams: the weights, instead of a file. distortion: the power "
                  "that each weight is raised to. num_reserved_ids: the number of classes at the "
                  "start that are never drawn. num_shards, shard: use only every num_shards-th "
                  "weight, beginning with number shard. "),
           "num_sampled=1, unique=True, range_max=2, unigrams=[1., 0.]"))
      .CpuAny(CandidateSampler, PrepareFixed);
}

}  // namespace

TENSH_OPS(random_candidates) {
  r.Op(SamplerSpec("UniformCandidateSampler", "Draws classes uniformly.", kRange, kRangeDoc, kOne))
      .CpuAny(CandidateSampler, PrepareSampler<Uniform>);
  r.Op(SamplerSpec("LogUniformCandidateSampler", "Draws classes by Zipf's law.", kRange, kRangeDoc,
                   kOne))
      .CpuAny(CandidateSampler, PrepareSampler<LogUniform>);
  r.Op(SamplerSpec("AllCandidateSampler", "Returns all classes below num_sampled.", "", "",
                   "num_sampled=1, unique=True"))
      .CpuAny(AllCandidates, PrepareAll);
  RegisterUnigrams(r);
  r.Op({.name = "ComputeAccidentalHits",
        .inputs = "true_classes: int64, sampled_candidates: int64",
        .outputs = "indices: int32, ids: int64, weights: float",
        .attrs = "num_true: int, seed: int = 0, seed2: int = 0",
        .doc = "The positions at which sampled_candidates are true classes by accident. "
               "true_classes: a matrix with num_true columns. weights: the most negative float for "
               "each hit. seed, seed2: ignored.",
        .contract = "true_classes: matrix, sampled_candidates: vector at run",
        .shape = HitsShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.ComputeAccidentalHits(true_classes=[[1], [5]], "
                      "sampled_candidates=[5, 7], num_true=1)[0]",
                      "[1]"}}})
      .CpuAny(AccidentalHits, PrepareFrom<HitsState>);
}

}  // namespace tensh::ops
