// Decoders for connectionist temporal classification: the sequence of labels given by the scores of
// classes at each step. CTCGreedyDecoder takes the best class of each step; CTCBeamSearchDecoder
// searches over prefixes (Graves and Jaitly, 2014).
#include <algorithm>
#include <cmath>
#include <deque>
#include <unordered_map>

#include "ops/op_file.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct DecoderState : KernelState {
  bool merge = false;
  int64_t blank = -1, beam = 1, paths = 1;
  Status Read(PrepareCtx& c) {
    merge = c.attrs().Bool("merge_repeated");
    if (c.attrs().Find("blank_index")) blank = c.attrs().Int("blank_index");
    if (c.attrs().Find("beam_width")) {
      beam = c.attrs().Int("beam_width");
      paths = c.attrs().Int("top_paths");
      if (paths > beam)
        return InvalidArgument("requested more paths than the beam width: ", paths, " of ", beam);
    }
    return {};
  }
};

struct Sizes {
  int64_t steps = 0, batch = 0, classes = 0;
};

Status ReadSizes(KernelCtx& c, Sizes& s) {
  const Tensor &inputs = c.in(0), &lengths = c.in(1);
  s = {inputs.dim(0), inputs.dim(1), inputs.dim(2)};
  if (inputs.num_elements() == 0) return InvalidArgument("inputs must not be empty");
  if (s.classes < 1 || s.classes > INT32_MAX)
    return InvalidArgument("num_classes must be positive, got ", s.classes);
  if (lengths.dim(0) != s.batch)
    return FailedPrecondition("len(sequence_length) != batch_size.  len(sequence_length):  ",
                              lengths.dim(0), " batch_size: ", s.batch);
  for (int64_t b = 0; b < s.batch; ++b)
    if (lengths.data<int32_t>()[b] > s.steps)
      return FailedPrecondition("sequence_length(", b, ") <= ", s.steps);
  return {};
}

using Labels = std::vector<int64_t>;

// Writes the sequences of a batch as a sparse tensor to the outputs `first`, first + stride and
// first + 2 stride.
Status StoreSparse(KernelCtx& c, int first, int stride, const std::vector<Labels>& all) {
  int64_t count = 0, longest = 0;
  for (const Labels& labels : all) {
    count += static_cast<int64_t>(labels.size());
    longest = std::max(longest, static_cast<int64_t>(labels.size()));
  }
  TENSH_OUTPUT(indices, c.Output(first, Shape({count, 2})));
  TENSH_OUTPUT(values, c.Output(first + stride, Shape({count})));
  TENSH_OUTPUT(shape, c.Output(first + 2 * stride, Shape({2})));
  int64_t *at = indices->data<int64_t>(), *value = values->data<int64_t>();
  for (size_t b = 0; b < all.size(); ++b)
    for (size_t i = 0; i < all[b].size(); ++i) {
      *at++ = static_cast<int64_t>(b);
      *at++ = static_cast<int64_t>(i);
      *value++ = all[b][i];
    }
  shape->data<int64_t>()[0] = static_cast<int64_t>(all.size());
  shape->data<int64_t>()[1] = longest;
  return {};
}

struct Greedy {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<DecoderState>();
    Sizes z;
    TENSH_RETURN_IF_ERROR(ReadSizes(c, z));
    const int64_t blank = s.blank < 0 ? z.classes + s.blank : s.blank;
    if (blank < 0 || blank >= z.classes)
      return InvalidArgument("blank_index expected to be between ", -z.classes, " and ",
                             z.classes - 1, " but was ", s.blank);
    TENSH_OUTPUT(scores, c.Output(3, Shape({z.batch, 1})));
    std::vector<Labels> all(static_cast<size_t>(z.batch));
    for (int64_t b = 0; b < z.batch && !c.cancelled(); ++b) {
      T score{0};
      int64_t previous = -1;
      for (int64_t t = 0; t < c.in(1).data<int32_t>()[b]; ++t) {
        const T* row = c.in(0).data<T>() + (t * z.batch + b) * z.classes;
        const int64_t best = std::max_element(row, row + z.classes) - row;
        score -= row[best];
        if (best != blank && !(s.merge && best == previous))
          all[static_cast<size_t>(b)].push_back(best);
        previous = best;
      }
      scores->data<T>()[b] = score;
    }
    return StoreSparse(c, 0, 1, all);
  }
};

// ---- beam search ----

constexpr double kNever = -std::numeric_limits<double>::infinity();

double LogAdd(double a, double b) {
  if (a == kNever) return b;
  if (b == kNever) return a;
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

// The log probability of a prefix: in total, and split by whether the last step was a blank or a
// label.
struct Score {
  double total = kNever, blank = kNever, label = kNever;
};

// A prefix of labels, represented by its parent and its last label.
struct Prefix {
  Prefix* parent = nullptr;
  int64_t label = -1;
  Score before, now;
  std::unordered_map<int64_t, Prefix*> children = {};  // all that were ever in the beam
};

class Beam {
 public:
  Beam(int64_t width, int64_t classes) : width_(static_cast<size_t>(width)), classes_(classes) {
    root_.now = {.total = 0, .blank = 0, .label = kNever};
    leaves_.push_back(&root_);
  }

  // Processes the scores of one step. The last class is the blank.
  template <class T>
  void Step(const T* row) {
    double most = static_cast<double>(row[0]), sum = 0;
    for (int64_t k = 1; k < classes_; ++k) most = std::max(most, static_cast<double>(row[k]));
    for (int64_t k = 0; k < classes_; ++k) sum += std::exp(static_cast<double>(row[k]) - most);
    const double offset = most + std::log(sum);
    auto log_y = [&](int64_t k) { return static_cast<double>(row[k]) - offset; };
    const std::vector<Prefix*> branches = std::move(leaves_);
    leaves_.clear();
    for (Prefix* b : branches) b->before = b->now;
    for (Prefix* b : branches) {
      if (b->parent) {
        if (b->parent->now.total != kNever)
          b->now.label = LogAdd(b->now.label, Before(*b->parent, b->label));
        b->now.label += log_y(b->label);
      }
      b->now.blank = b->before.total + log_y(classes_ - 1);
      b->now.total = LogAdd(b->now.blank, b->now.label);
      Push(b);
    }
    for (Prefix* b : branches)
      if (IsCandidate(b->before)) Grow(b, log_y);
  }

  // Returns the n most probable prefixes, best first.
  std::vector<const Prefix*> Top(int64_t n) const {
    std::vector<const Prefix*> all(leaves_.begin(), leaves_.end());
    all.resize(std::min(all.size(), static_cast<size_t>(n)));
    return all;
  }

 private:
  // Returns the log probability of the parent before `label`. If the parent ends in the same label,
  // only paths that end in a blank count.
  static double Before(const Prefix& parent, int64_t label) {
    return label == parent.label ? parent.before.blank : parent.before.total;
  }
  bool IsCandidate(const Score& s) const {
    return s.total > kNever && (leaves_.size() < width_ || s.total > leaves_.back()->now.total);
  }
  // Inserts a prefix into leaves_, which is sorted, best first. A prefix that drops out of the beam
  // loses its score.
  void Push(Prefix* p) {
    auto at = std::upper_bound(leaves_.begin(), leaves_.end(), p,
                               [](Prefix* a, Prefix* b) { return a->now.total > b->now.total; });
    leaves_.insert(at, p);
    if (leaves_.size() <= width_) return;
    leaves_.back()->now = {};
    leaves_.pop_back();
  }
  template <class LogY>
  void Grow(Prefix* b, const LogY& log_y) {
    for (int64_t k = 0; k + 1 < classes_; ++k) {
      const auto known = b->children.find(k);
      Prefix* child = known == b->children.end() ? nullptr : known->second;
      if (child && child->now.total != kNever) continue;  // already in the beam
      const double score = log_y(k) + Before(*b, k);
      if (!IsCandidate({.total = score, .blank = kNever, .label = score})) {
        if (child) child->before = {};
        continue;
      }
      if (!child) {
        child = &pool_.emplace_back();
        child->parent = b;
        child->label = k;
        b->children[k] = child;
      }
      child->now = {.total = score, .blank = kNever, .label = score};
      Push(child);
    }
  }

  size_t width_;
  int64_t classes_;
  Prefix root_;
  std::deque<Prefix> pool_;  // all other prefixes; parent chains are as long as there are steps
  std::vector<Prefix*> leaves_;
};

Labels Spell(const Prefix* p, bool merge) {
  Labels labels;
  int64_t previous = -1;
  for (; p->parent; p = p->parent) {
    if (!merge || p->label != previous) labels.push_back(p->label);
    previous = p->label;
  }
  std::reverse(labels.begin(), labels.end());
  return labels;
}

struct BeamSearch {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<DecoderState>();
    Sizes z;
    TENSH_RETURN_IF_ERROR(ReadSizes(c, z));
    TENSH_OUTPUT(scores, c.Output(c.num_outputs() - 1, Shape({z.batch, s.paths})));
    std::vector<std::vector<Labels>> all(static_cast<size_t>(s.paths));
    for (auto& path : all) path.resize(static_cast<size_t>(z.batch));
    for (int64_t b = 0; b < z.batch && !c.cancelled(); ++b) {
      Beam beam(s.beam, z.classes);
      for (int64_t t = 0; t < c.in(1).data<int32_t>()[b] && !c.cancelled(); ++t)
        beam.Step(c.in(0).data<T>() + (t * z.batch + b) * z.classes);
      const auto top = beam.Top(s.paths);
      if (static_cast<int64_t>(top.size()) < s.paths)
        return InvalidArgument("Less leaves in the beam search than requested: ", top.size(),
                               " of ", s.paths);
      for (int64_t k = 0; k < s.paths; ++k) {
        const Prefix* p = top[static_cast<size_t>(k)];
        all[static_cast<size_t>(k)][static_cast<size_t>(b)] = Spell(p, s.merge);
        scores->data<T>()[b * s.paths + k] = static_cast<T>(p->now.total);
      }
    }
    const int paths = static_cast<int>(s.paths);
    for (int k = 0; k < paths; ++k)
      TENSH_RETURN_IF_ERROR(StoreSparse(c, k, paths, all[static_cast<size_t>(k)]));
    return {};
  }
};

// ---- shapes, registrations ----

Status DecoderShape(ShapeCtx& c) {
  Shape batch({-1});
  if (c.in(0).has_rank()) batch.set_dim(0, c.in(0)[1]);
  TENSH_ASSIGN(batch, MergeShapes(batch, c.in(1)));
  const int paths = (c.num_outputs() - 1) / 3;
  for (int k = 0; k < paths; ++k) {
    c.Set(k, Shape({-1, 2}));
    c.Set(paths + k, Shape({-1}));
    c.Set(2 * paths + k, Shape({2}));
  }
  c.Set(3 * paths, Shape({batch[0], paths}));
  return {};
}

constexpr char kDoc[] =
    " inputs: [steps, batch, classes], logits. sequence_length: the number of steps of each "
    "sequence in the batch. merge_repeated: merge repeated labels. T: the element type.";

}  // namespace

TENSH_OPS(nn_ctc_decoder) {
  constexpr KernelOptions kOptions = {.prepare = PrepareFrom<DecoderState>};
  r.Op({.name = "CTCGreedyDecoder",
        .inputs = "inputs: T, sequence_length: int32",
        .outputs = "decoded_indices: int64, decoded_values: int64, decoded_shape: int64, "
                   "log_probability: T",
        .attrs = "merge_repeated: bool = false, blank_index: int = -1, T: {float, double} = float",
        .doc = StrCat("The labels given by the most probable class of each step, as a sparse "
                      "tensor, and the negative sum of those logits.",
                      kDoc,
                      " blank_index: the class that stands for no label; a negative one counts "
                      "from the end."),
        .contract = "inputs: rank 3, sequence_length: vector",
        .shape = DecoderShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.CTCGreedyDecoder(inputs=[[[1., 0., 0.]], [[0., 0., 1.]], [[0., "
                      "1., 0.]]], sequence_length=[3])[1]",
                      "[0 1]"}}})
      .Cpu<float, double>(Greedy{}, kOptions);
  r.Op({.name = "CTCBeamSearchDecoder",
        .inputs = "inputs: T, sequence_length: int32",
        .outputs = "decoded_indices: top_paths * int64, decoded_values: top_paths * int64, "
                   "decoded_shape: top_paths * int64, log_probability: T",
        .attrs = "beam_width: int >= 1, top_paths: int >= 1, merge_repeated: bool = true, T: "
                 "{float, double} = float",
        .doc =
            StrCat("The most probable sequences of labels, over all alignments with the steps, as "
                   "sparse tensors, and their log probabilities. The last class is the blank.",
                   kDoc,
                   " beam_width: the number of prefixes to keep. top_paths: the number of "
                   "sequences to return."),
        .contract = "inputs: rank 3, sequence_length: vector",
        .shape = DecoderShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.CTCBeamSearchDecoder(inputs=[[[1., 0., 0.]], [[0., 0., 1.]], "
                      "[[0., 1., 0.]]], sequence_length=[3], beam_width=4, top_paths=1)[1]",
                      "[0 1]"}}})
      .Cpu<float, double>(BeamSearch{}, kOptions);
}

}  // namespace tensh::ops
