// Connectionist temporal classification (Graves et al., 2006). The loss is the negative log
// probability of a label sequence, summed over all paths that produce it. The gradient is computed
// along with it.
#include <algorithm>
#include <cmath>

#include "ops/op_file.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"
#include "ops/support/stop.h"

namespace tensh::ops {
namespace {

struct CtcState : KernelState {
  bool collapse = false, merge = true, ignore_longer = false;
  void Read(PrepareCtx& c) {
    collapse = c.attrs().Bool("preprocess_collapse_repeated");
    merge = c.attrs().Bool("ctc_merge_repeated");
    ignore_longer = c.attrs().Bool("ignore_longer_outputs_than_inputs");
  }
};

constexpr double kNever = -std::numeric_limits<double>::infinity();  // log(0)

double LogAdd(double a, double b) {
  if (a == kNever) return b;
  if (b == kNever) return a;
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

constexpr int64_t kMostPlaces = int64_t{1} << 27;  // maximum of steps * path length of one sequence

using Labels = std::vector<int32_t>;

struct Sizes {
  int64_t steps = 0, batch = 0, classes = 0;
};

Status ReadSizes(KernelCtx& c, Sizes& s) {
  const Tensor &inputs = c.in(0), &indices = c.in(1), &values = c.in(2), &lengths = c.in(3);
  if (indices.dim(1) != 2)
    return InvalidArgument("labels_indices must have 2 columns, got ", indices.shape());
  if (indices.dim(0) != values.dim(0))
    return InvalidArgument(
        "labels_indices and labels_values must contain the same number of rows, but saw shapes: ",
        indices.shape(), " vs. ", values.shape());
  s = {inputs.dim(0), inputs.dim(1), inputs.dim(2)};
  if (s.batch == 0) return InvalidArgument("batch_size must not be 0");
  if (s.classes < 1 || s.classes > INT32_MAX)
    return InvalidArgument("num_classes must be positive, got ", s.classes);
  if (lengths.dim(0) != s.batch)
    return InvalidArgument("len(sequence_length) != batch_size.  len(sequence_length):  ",
                           lengths.dim(0), " batch_size: ", s.batch);
  for (int64_t b = 0; b < s.batch; ++b) {
    const int32_t length = lengths.data<int32_t>()[b];
    if (length < 0 || length > s.steps)
      return InvalidArgument("sequence_length(", b, ") = ", length, " is not in [0, ", s.steps,
                             "]");
  }
  return {};
}

// Returns the labels of each sequence in the batch. The sparse indices must be in ascending order.
Result<std::vector<Labels>> ReadLabels(KernelCtx& c, const Sizes& s) {
  std::vector<Labels> all(static_cast<size_t>(s.batch));
  const int64_t* at = c.in(1).data<int64_t>();
  const int32_t* values = c.in(2).data<int32_t>();
  for (int64_t i = 0; i < c.in(2).dim(0); ++i) {
    const int64_t b = at[2 * i], place = at[2 * i + 1];
    if (b < 0 || b >= s.batch || place < 0)
      return InvalidArgument("label SparseTensor is not valid: indices[", i, "] = [", b, ",", place,
                             "] is out of bounds: need 0 <= index < [", s.batch, ",...]");
    if (i > 0 && !(at[2 * i - 2] < b || (at[2 * i - 2] == b && at[2 * i - 1] < place)))
      return InvalidArgument("label SparseTensor is not valid: indices[", i, "] = [", b, ",", place,
                             "] is out of order or repeated");
    all[static_cast<size_t>(b)].push_back(values[i]);
  }
  return all;
}

// Reduces `labels` to those that a path must produce: none after the first that is not a class.
Status CleanLabels(const CtcState& s, int64_t b, int64_t classes, Labels& labels) {
  Labels kept;
  bool ended = false;
  for (size_t i = 0; i < labels.size(); ++i) {
    const int32_t label = labels[i];
    if (label < 0)
      return InvalidArgument("All labels must be nonnegative integers, batch: ", b,
                             " label: ", label);
    if (label >= classes - 1) {
      ended = true;
      continue;
    }
    if (ended)
      return InvalidArgument(
          "Saw a non-null label (index >= num_classes - 1) following a null "
          "label, batch: ",
          b, " num_classes: ", classes);
    if (s.collapse && i > 0 && label == labels[i - 1]) continue;
    kept.push_back(label);
  }
  labels = std::move(kept);
  return {};
}

// The alignment of one sequence: the probabilities of all classes at each step, and the path of
// labels with blanks between and around them.
class Alignment {
 public:
  Alignment(const CtcState& s, const Labels& labels, int64_t steps, int64_t classes)
      : merge_(s.merge), steps_(steps), classes_(classes) {
    const int32_t blank = static_cast<int32_t>(classes - 1);
    path_.assign(2 * labels.size() + 1, blank);
    for (size_t i = 0; i < labels.size(); ++i) path_[2 * i + 1] = labels[i];
    blank_ = blank;
  }

  // Reads the logits, one row of `stride` elements per step.
  template <class T>
  void Softmax(const T* logits, int64_t stride) {
    y_.resize(static_cast<size_t>(steps_ * classes_));
    for (int64_t t = 0; t < steps_; ++t) {
      StopIfCancelled();
      const T* row = logits + t * stride;
      double* y = y_.data() + t * classes_;
      const double most = static_cast<double>(*std::max_element(row, row + classes_));
      double sum = 0;
      for (int64_t k = 0; k < classes_; ++k)
        sum += y[k] = std::exp(static_cast<double>(row[k]) - most);
      for (int64_t k = 0; k < classes_; ++k) y[k] /= sum;
    }
  }

  // Returns the log probability of the labels, and computes the share of each step and class in it,
  // by the forward-backward algorithm.
  double Run() {
    const size_t n = path_.size();
    std::vector<double> forward(static_cast<size_t>(steps_) * n, kNever);
    for (size_t u = 0; u < std::min<size_t>(n, 2); ++u) forward[u] = LogY(0, u);
    for (int64_t t = 1; t < steps_; ++t) {
      StopIfCancelled();
      const double* before = forward.data() + static_cast<size_t>(t - 1) * n;
      for (size_t u = 0; u < n; ++u)
        forward[static_cast<size_t>(t) * n + u] = From(before, u) + LogY(t, u);
    }
    const double* last = forward.data() + static_cast<size_t>(steps_ - 1) * n;
    const double total = n > 1 ? LogAdd(last[n - 1], last[n - 2]) : last[0];
    shares_.assign(static_cast<size_t>(steps_ * classes_), kNever);
    if (total != kNever) Backward(forward, total);
    return total;
  }

  // Returns the gradient with respect to the logit of class k at step t: y - share.
  double Gradient(int64_t t, int64_t k) const {
    const size_t at = static_cast<size_t>(t * classes_ + k);
    return y_[at] - std::exp(shares_[at]);
  }

 private:
  double LogY(int64_t t, size_t u) const {
    return std::log(y_[static_cast<size_t>(t * classes_ + path_[u])]);
  }
  bool MayStay(size_t u) const { return merge_ || path_[u] == blank_; }
  // True if a path may go from u - 2 to u and skip the blank between two labels. The blank is
  // required between equal labels if repeated labels are merged.
  bool MaySkipTo(size_t u) const {
    return u >= 2 && path_[u] != blank_ && !(merge_ && path_[u] == path_[u - 2]);
  }
  double From(const double* before, size_t u) const {
    double sum = MayStay(u) ? before[u] : kNever;
    if (u >= 1) sum = LogAdd(sum, before[u - 1]);
    return MaySkipTo(u) ? LogAdd(sum, before[u - 2]) : sum;
  }
  void Backward(const std::vector<double>& forward, double total) {
    const size_t n = path_.size();
    std::vector<double> after(n, kNever), next(n);  // log probability of the rest of the path
    for (size_t u = n - std::min<size_t>(n, 2); u < n; ++u) after[u] = 0;
    for (int64_t t = steps_ - 1; t >= 0; --t) {
      StopIfCancelled();
      for (size_t u = 0; u < n; ++u) {
        double& share = shares_[static_cast<size_t>(t * classes_ + path_[u])];
        share = LogAdd(share, forward[static_cast<size_t>(t) * n + u] + after[u] - total);
      }
      if (t == 0) return;
      for (size_t u = 0; u < n; ++u) {
        next[u] = MayStay(u) ? after[u] + LogY(t, u) : kNever;
        if (u + 1 < n) next[u] = LogAdd(next[u], after[u + 1] + LogY(t, u + 1));
        if (u + 2 < n && MaySkipTo(u + 2)) next[u] = LogAdd(next[u], after[u + 2] + LogY(t, u + 2));
      }
      std::swap(after, next);
    }
  }

  bool merge_;
  int64_t steps_, classes_;
  int32_t blank_ = 0;
  Labels path_;
  std::vector<double> y_, shares_;
};

struct CtcLoss {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<CtcState>();
    Sizes sizes;
    TENSH_RETURN_IF_ERROR(ReadSizes(c, sizes));
    TENSH_ASSIGN(std::vector<Labels> labels, ReadLabels(c, sizes));
    const int32_t* lengths = c.in(3).data<int32_t>();
    for (int64_t b = 0; b < sizes.batch; ++b) {
      Labels& own = labels[static_cast<size_t>(b)];
      TENSH_RETURN_IF_ERROR(CleanLabels(s, b, sizes.classes, own));
      if (own.empty()) return InvalidArgument("Labels length is zero in batch ", b);
      const int64_t places = 2 * static_cast<int64_t>(own.size()) + 1;
      if (static_cast<int64_t>(own.size()) <= lengths[b] &&
          places > kMostPlaces / std::max(lengths[b], 1))
        return ResourceExhausted("OOM when aligning ", own.size(), " labels with ", lengths[b],
                                 " steps");
      if (static_cast<int64_t>(own.size()) > lengths[b] && !s.ignore_longer)
        return InvalidArgument("Not enough time for target transition sequence (required: ",
                               static_cast<int64_t>(own.size()), ", available: ", lengths[b], ")",
                               b,
                               "You can turn this error into a warning by using the flag "
                               "ignore_longer_outputs_than_inputs");
    }
    TENSH_OUTPUT(loss, c.Output(0, Shape({sizes.batch})));
    TENSH_OUTPUT(gradient, c.Output(1, c.in(0).shape()));
    std::fill_n(loss->data<T>(), sizes.batch, T{0});
    std::fill_n(gradient->data<T>(), gradient->num_elements(), T{0});
    const double ns = 400.0 * static_cast<double>(sizes.steps * sizes.classes);
    c.ParallelFor(sizes.batch, ns, [&](int64_t begin, int64_t end) {
      const StopsWith step(c.cancel());
      for (int64_t b = begin; b < end && !c.cancelled(); ++b) {
        const Labels& own = labels[static_cast<size_t>(b)];
        if (!lengths[b] || static_cast<int64_t>(own.size()) > lengths[b]) continue;
        One(sizes, b, Alignment(s, own, lengths[b], sizes.classes), lengths[b], c.in(0).data<T>(),
            loss->template data<T>(), gradient->template data<T>());
      }
    });
    return {};
  }

  template <class T>
  static void One(const Sizes& sizes, int64_t b, Alignment a, int64_t steps, const T* inputs,
                  T* loss, T* gradient) {
    const int64_t stride = sizes.batch * sizes.classes, first = b * sizes.classes;
    a.Softmax(inputs + first, stride);
    loss[b] = static_cast<T>(-a.Run());
    for (int64_t t = 0; t < steps; ++t)
      for (int64_t k = 0; k < sizes.classes; ++k)
        gradient[t * stride + first + k] = static_cast<T>(a.Gradient(t, k));
  }
};

// ---- shapes, gradients, registrations ----

Status LossShape(ShapeCtx& c) {
  const Shape indices = c.in(1), values = c.in(2);
  if (indices.has_rank() && values.has_rank())
    TENSH_RETURN_IF_ERROR(MergeShapes(Shape({indices[0]}), values).status());
  Shape batch({-1});
  if (c.in(0).has_rank()) batch.set_dim(0, c.in(0)[1]);
  TENSH_ASSIGN(batch, MergeShapes(batch, c.in(3)));
  Shape inputs = c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(3);
  inputs.set_dim(1, batch[0]);
  c.Set(0, batch);
  c.Set(1, inputs);
  return {};
}

// The op has computed the gradient already; it is scaled by the incoming one. PreventGradient
// rejects second derivatives, as in TensorFlow.
Status LossBackward(GradScope& g) {
  const Out once =
      g.Op("PreventGradient", {g.y(1)},
           {{"message",
             "Currently there is no way to take the second  derivative of ctc_loss due to the "
             "fused implementation's interaction  with tf.gradients()"}});
  const Out last = ConstInt(g, -1, "ExpandDims/dim");
  const Out scale = g.Op("ExpandDims", {g.dy(), last});
  return g.Return({g.Mul(scale, once), {}, {}, {}});
}

}  // namespace

TENSH_OPS(nn_ctc_loss) {
  r.Op({.name = "CTCLoss",
        .inputs = "inputs: T, labels_indices: int64, labels_values: int32, sequence_length: int32",
        .outputs = "loss: T, gradient: T",
        .attrs = "preprocess_collapse_repeated: bool = false, ctc_merge_repeated: bool = true, "
                 "ignore_longer_outputs_than_inputs: bool = false, T: {float, double} = float",
        .doc = "The negative log probability of a sequence of labels, over all alignments with the "
               "steps. inputs: [steps, batch, classes], logits; the last class is the blank. "
               "labels_indices: [batch, position] of each label. labels_values: the labels. "
               "sequence_length: the number of steps of each sequence in the batch. "
               "preprocess_collapse_repeated: merge repeated labels first. ctc_merge_repeated: "
               "repeated classes are one label unless a blank is in between. "
               "ignore_longer_outputs_than_inputs: the loss of sequences with more labels than "
               "steps is 0; otherwise they are an error. T: the element type.",
        .contract = "inputs: rank 3, labels_indices: matrix, labels_values: vector, "
                    "sequence_length: vector",
        .shape = LossShape,
        .grad = LossBackward,
        .examples =
            {{"tf.raw_ops.CTCLoss(inputs=[[[0., 0.]], [[0., 0.]]], labels_indices=[[0, 0]], "
              "labels_values=[0], sequence_length=[2])[0]",
              "[0.2876821]"}}})
      .Cpu<float, double>(CtcLoss{}, {.prepare = PrepareFrom<CtcState>});
}

}  // namespace tensh::ops
