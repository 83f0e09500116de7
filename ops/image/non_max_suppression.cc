// NonMaxSuppression in all versions: selects boxes in the order of their scores and skips those
// that overlap a selected box too much.
#include <algorithm>
#include <cmath>
#include <queue>

#include "ops/op_file.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"
#include "runtime/core/half.h"

namespace tensh::ops {
namespace {

struct Box {
  float top, left, bottom, right, area;
};

Box ReadBox(const float* b) {
  Box box{std::min(b[0], b[2]), std::min(b[1], b[3]), std::max(b[0], b[2]), std::max(b[1], b[3]),
          0};
  box.area = (box.bottom - box.top) * (box.right - box.left);
  return box;
}

// Returns the intersection over union of two boxes.
float Overlap(const Box& a, const Box& b) {
  if (a.area <= 0 || b.area <= 0) return 0;
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const float common = std::max(height, 0.0f) * std::max(width, 0.0f);
  return common / (a.area + b.area - common);
}

float Threshold(const Tensor& t) {
  return t.dtype() == DType::kHalf ? HalfToFloat(*t.data<uint16_t>()) : *t.data<float>();
}

Status CheckOverlap(float overlap) {
  if (overlap >= 0 && overlap <= 1) return {};
  return InvalidArgument("iou_threshold must be in [0, 1], got ", overlap);
}

Result<std::vector<Box>> ReadBoxes(const Tensor& boxes, const Tensor& scores) {
  if (scores.dim(0) != boxes.dim(0))
    return InvalidArgument("scores has incompatible shape: ", scores.shape(), " for boxes ",
                           boxes.shape());
  std::vector<Box> all;
  for (int64_t i = 0; i < boxes.dim(0); ++i) all.push_back(ReadBox(boxes.data<float>() + 4 * i));
  return all;
}

struct Limits {
  int64_t most = 0;   // maximum number of selected boxes
  float overlap = 0;  // boxes with a larger overlap exclude each other
  float least = kAnyScore;
  float sigma = 0;  // if not 0, overlapping boxes are not skipped but have their score reduced
  static constexpr float kAnyScore = -std::numeric_limits<float>::max();
};

struct Taken {
  std::vector<int32_t> boxes;
  std::vector<float> scores;
  int64_t size() const { return static_cast<int64_t>(boxes.size()); }
};

struct Candidate {
  int32_t box;
  float score;
  size_t seen;  // number of selected boxes that the score already takes into account
};

// Selects the best boxes, best first. similar(i, j) returns the overlap of two boxes.
template <class F>
Taken Take(KernelCtx& c, const float* score, int64_t stride, int64_t n, const Limits& limits,
           F similar) {
  const auto worse = [](const Candidate& a, const Candidate& b) {
    return a.score < b.score || (a.score == b.score && a.box > b.box);
  };
  std::priority_queue<Candidate, std::vector<Candidate>, decltype(worse)> queue(worse);
  for (int64_t i = 0; i < n; ++i)
    if (score[i * stride] > limits.least)
      queue.push({static_cast<int32_t>(i), score[i * stride], 0});
  const bool soft = limits.sigma > 0;
  Taken taken;
  while (taken.size() < limits.most && !queue.empty() && !c.cancelled()) {
    Candidate next = queue.top();
    queue.pop();
    const float before = next.score;
    bool excluded = false;
    for (size_t j = taken.boxes.size(); j-- > next.seen && !excluded;) {
      const float overlap = similar(next.box, taken.boxes[j]);
      if (soft) next.score *= std::exp(-0.5f / limits.sigma * overlap * overlap);
      excluded = soft ? next.score <= limits.least : overlap > limits.overlap;
    }
    next.seen = taken.boxes.size();
    if (excluded) continue;
    if (next.score != before) {
      queue.push(next);
      continue;
    }
    taken.boxes.push_back(next.box);
    taken.scores.push_back(next.score);
  }
  return taken;
}

Result<Taken> TakeBoxes(KernelCtx& c, const Limits& limits) {
  TENSH_ASSIGN(const std::vector<Box> boxes, ReadBoxes(c.in(0), c.in(1)));
  TENSH_RETURN_IF_ERROR(CheckOverlap(limits.overlap));
  const auto similar = [&](int32_t i, int32_t j) {
    return Overlap(boxes[static_cast<size_t>(i)], boxes[static_cast<size_t>(j)]);
  };
  return Take(c, c.in(1).data<float>(), 1, c.in(1).dim(0), limits, similar);
}

// Stores the values in output i, padded with zeros to `size`.
template <class T>
Status GivePadded(KernelCtx& c, int i, const std::vector<T>& values, int64_t size) {
  TENSH_OUTPUT(out, c.Output(i, Shape({size})));
  std::fill(std::copy(values.begin(), values.end(), out->data<T>()), out->data<T>() + size, T{});
  return {};
}

Status Suppress(KernelCtx& c, Limits limits) {
  limits.most = IndexAt(c.in(2), 0);
  TENSH_ASSIGN(const Taken taken, TakeBoxes(c, limits));
  return GivePadded(c, 0, taken.boxes, taken.size());
}

struct ThresholdState : KernelState {
  float overlap = 0;
  void Read(PrepareCtx& c) { overlap = c.attrs().Float("iou_threshold"); }
};

Status Suppress1(KernelCtx& c) {
  return Suppress(c, {.overlap = c.state<ThresholdState>().overlap});
}

struct Suppress2 {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return Suppress(c, {.overlap = Threshold(c.in(3))});
  }
};

struct Suppress3 {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return Suppress(c, {.overlap = Threshold(c.in(3)), .least = Threshold(c.in(4))});
  }
};

struct PadState : KernelState {
  bool pad = false;
  void Read(PrepareCtx& c) { pad = c.attrs().Bool("pad_to_max_output_size"); }
};

// The kernel of V4 and, with an additional output for the scores, V5.
template <bool kScores>
struct SuppressPadded {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Limits limits{.most = IndexAt(c.in(2), 0),
                        .overlap = Threshold(c.in(3)),
                        .least = Threshold(c.in(4)),
                        .sigma = kScores ? Threshold(c.in(5)) : 0};
    if (!(limits.sigma >= 0))
      return InvalidArgument("soft_nms_sigma must be >= 0, got ", limits.sigma);
    TENSH_ASSIGN(const Taken taken, TakeBoxes(c, limits));
    const int64_t size = c.state<PadState>().pad ? limits.most : taken.size();
    TENSH_RETURN_IF_ERROR(GivePadded(c, 0, taken.boxes, size));
    if (kScores) TENSH_RETURN_IF_ERROR(GivePadded(c, 1, taken.scores, size));
    TENSH_OUTPUT(count, c.Output(kScores ? 2 : 1, Shape()));
    *count->data<int32_t>() = static_cast<int32_t>(taken.size());
    return {};
  }
};

Status SuppressOverlaps(KernelCtx& c) {
  const Tensor &overlaps = c.in(0), &scores = c.in(1);
  const int64_t n = overlaps.dim(0);
  if (overlaps.dim(1) != n)
    return InvalidArgument("overlaps must be square, got shape ", overlaps.shape());
  if (scores.dim(0) != n)
    return InvalidArgument("scores has incompatible shape: ", scores.shape(), " for overlaps ",
                           overlaps.shape());
  const Limits limits{.most = IndexAt(c.in(2), 0),
                      .overlap = *c.in(3).data<float>(),
                      .least = *c.in(4).data<float>()};
  const float* overlap = overlaps.data<float>();
  const Taken taken = Take(c, scores.data<float>(), 1, n, limits,
                           [&](int32_t i, int32_t j) { return overlap[i * n + j]; });
  return GivePadded(c, 0, taken.boxes, taken.size());
}

// ---- CombinedNonMaxSuppression ----

struct CombinedState : KernelState {
  bool pad_per_class = false, clip = false;
  void Read(PrepareCtx& c) {
    pad_per_class = c.attrs().Bool("pad_per_class");
    clip = c.attrs().Bool("clip_boxes");
  }
};

struct Detection {
  const float* box;
  float score;
  int64_t of_class;
};

// Returns the selected boxes of one image in the order of their scores. Boxes are [n, q, 4], scores
// [n, classes].
std::vector<Detection> Detect(KernelCtx& c, const Limits& limits, int64_t image) {
  const Tensor &boxes = c.in(0), &scores = c.in(1);
  const int64_t n = boxes.dim(1), q = boxes.dim(2), classes = scores.dim(2);
  const float* box = boxes.data<float>() + image * n * q * 4;
  const float* score = scores.data<float>() + image * n * classes;
  std::vector<Detection> found;
  for (int64_t k = 0; k < classes; ++k) {
    const auto at = [&](int64_t i) { return box + (i * q + (q > 1 ? k : 0)) * 4; };
    const Taken taken = Take(c, score + k, classes, n, limits, [&](int32_t i, int32_t j) {
      return Overlap(ReadBox(at(i)), ReadBox(at(j)));
    });
    for (size_t i = 0; i < taken.boxes.size(); ++i)
      found.push_back({at(taken.boxes[i]), taken.scores[i], k});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Detection& a, const Detection& b) { return a.score > b.score; });
  return found;
}

Status CheckCombined(KernelCtx& c, const Limits& limits, int64_t total) {
  const Tensor &boxes = c.in(0), &scores = c.in(1);
  if (scores.dim(0) != boxes.dim(0) || scores.dim(1) != boxes.dim(1))
    return InvalidArgument("scores has incompatible shape: ", scores.shape(), " for boxes ",
                           boxes.shape());
  if (boxes.dim(2) != 1 && boxes.dim(2) != scores.dim(2))
    return InvalidArgument("third dimension of boxes must be either 1 or num classes, ",
                           scores.dim(2), ", got ", boxes.dim(2));
  if (limits.most <= 0)
    return InvalidArgument("max_size_per_class must be positive, got ", limits.most);
  if (total <= 0) return InvalidArgument("max_total_size must be > 0, got ", total);
  return CheckOverlap(limits.overlap);
}

Status CombinedSuppress(KernelCtx& c) {
  const auto& s = c.state<CombinedState>();
  const Limits limits{.most = IndexAt(c.in(2), 0),
                      .overlap = *c.in(4).data<float>(),
                      .least = *c.in(5).data<float>()};
  int64_t total = IndexAt(c.in(3), 0);
  TENSH_RETURN_IF_ERROR(CheckCombined(c, limits, total));
  const int64_t batch = c.in(0).dim(0), classes = c.in(1).dim(2);
  if (s.pad_per_class) total = std::min(total, limits.most * classes);
  const int64_t dims[] = {batch, total, 4};
  TENSH_ASSIGN(const Shape shape, Shape::Make(dims, true));
  TENSH_OUTPUT(boxes, c.Output(0, shape));
  TENSH_OUTPUT(scores, c.Output(1, Shape({batch, total})));
  TENSH_OUTPUT(of_class, c.Output(2, Shape({batch, total})));
  TENSH_OUTPUT(counts, c.Output(3, Shape({batch})));
  for (Tensor* out : {boxes, scores, of_class})
    std::fill_n(out->data<float>(), out->num_elements(), 0.0f);
  for (int64_t b = 0; b < batch && !c.cancelled(); ++b) {
    const std::vector<Detection> found = Detect(c, limits, b);
    const int64_t n = std::min(total, static_cast<int64_t>(found.size()));
    counts->data<int32_t>()[b] = static_cast<int32_t>(n);
    for (int64_t i = 0, at = b * total; i < n; ++i, ++at) {
      const Detection& d = found[static_cast<size_t>(i)];
      scores->data<float>()[at] = d.score;
      of_class->data<float>()[at] = static_cast<float>(d.of_class);
      for (int k = 0; k < 4; ++k)
        boxes->data<float>()[4 * at + k] =
            s.clip ? std::max(std::min(d.box[k], 1.0f), 0.0f) : d.box[k];
    }
  }
  return {};
}

// ---- shapes ----

Status CheckBoxShapes(ShapeCtx& c) {
  const Shape &boxes = c.in(0), &scores = c.in(1);
  if (boxes.has_rank() && scores.has_rank() && boxes[0] >= 0 && scores[0] >= 0 &&
      boxes[0] != scores[0])
    return InvalidArgument("Dimensions must be equal, but are ", boxes[0], " and ", scores[0]);
  return {};
}

Status SuppressShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(CheckBoxShapes(c));
  c.Set(0, Shape::UnknownOfRank(1));
  return {};
}

Status PaddedShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(CheckBoxShapes(c));
  const bool pad = c.attrs().Bool("pad_to_max_output_size");
  const Shape size({pad ? ConstantScalar(c, 2).value_or(-1) : -1});
  const int last = c.num_outputs() - 1;
  for (int i = 0; i < last; ++i) c.Set(i, size);
  c.Set(last, Shape());
  return {};
}

Status OverlapsShape(ShapeCtx& c) {
  const Shape& overlaps = c.in(0);
  if (overlaps.has_rank() && overlaps[0] >= 0 && overlaps[1] >= 0 && overlaps[0] != overlaps[1])
    return InvalidArgument("Dimensions must be equal, but are ", overlaps[0], " and ", overlaps[1]);
  return SuppressShape(c);
}

Status CombinedShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(CheckBoxShapes(c));
  const Shape &boxes = c.in(0), &scores = c.in(1);
  const auto differ = [&](int b, int s) {
    return boxes.has_rank() && scores.has_rank() && boxes[b] >= 0 && scores[s] >= 0 &&
           boxes[b] != scores[s];
  };
  if (differ(1, 1))
    return InvalidArgument("Dimensions must be equal, but are ", boxes[1], " and ", scores[1]);
  if (differ(2, 2) && boxes[2] != 1)
    return InvalidArgument("third dimension of boxes must be either 1 or num classes, got ",
                           boxes[2], " and ", scores[2]);
  const auto per_class = ConstantScalar(c, 2), total = ConstantScalar(c, 3);
  if (per_class && *per_class <= 0)
    return InvalidArgument("max_output_size_per_class must be > 0, got ", *per_class);
  if (total && *total <= 0) return InvalidArgument("max_total_size must be > 0, got ", *total);
  int64_t size = total.value_or(-1);
  if (c.attrs().Bool("pad_per_class") && size >= 0) {
    const int64_t classes = scores.has_rank() ? scores[2] : -1;
    size = per_class && classes >= 0 ? std::min(size, *per_class * classes) : -1;
  }
  const int64_t batch = boxes.has_rank() ? boxes[0] : -1;
  c.Set(0, Shape({batch, size, 4}));
  c.Set(1, Shape({batch, size}));
  c.Set(2, Shape({batch, size}));
  c.Set(3, Shape({batch}));
  return {};
}

constexpr char kDoc[] =
    "Selects the indices of the best boxes that do not overlap too much. boxes: one per row, two "
    "opposite corners. scores: the score of each box. max_output_size: the maximum number of "
    "boxes. iou_threshold: the maximum intersection over union of two selected boxes.";
constexpr char kTypes[] = "T: {half, float} = float, T_threshold: {half, float} = float";

}  // namespace

TENSH_OPS(image_non_max_suppression) {
  r.Op({.name = "NonMaxSuppression",
        .inputs = "boxes: float, scores: float, max_output_size: int32",
        .outputs = "selected_indices: int32",
        .attrs = "iou_threshold: float = 0.5",
        .doc = kDoc,
        .contract = "boxes: matrix of 4, scores: vector, max_output_size: scalar >= 0",
        .shape = SuppressShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.NonMaxSuppression(boxes=[[0., 0., 1., 1.], [0., 0., 1., 1.1]], "
                      "scores=[.5, .9], max_output_size=2)",
                      "[1]"}}})
      .CpuAny(Suppress1, PrepareFrom<ThresholdState>);
  r.Op({.name = "NonMaxSuppressionV2",
        .inputs = "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold",
        .outputs = "selected_indices: int32",
        .attrs = kTypes,
        .doc = StrCat(kDoc, " T, T_threshold: the types of the inputs."),
        .contract = "boxes: matrix of 4, scores: vector, max_output_size: scalar >= 0, "
                    "iou_threshold: scalar",
        .shape = SuppressShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.NonMaxSuppressionV2(boxes=[[0., 0., 1., 1.], [0., 0., 1., 1.1]], "
                      "scores=[.5, .9], max_output_size=2, iou_threshold=.5)",
                      "[1]"}}})
      .Cpu<float>(Suppress2{});
  r.Op({.name = "NonMaxSuppressionV3",
        .inputs = "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, "
                  "score_threshold: T_threshold",
        .outputs = "selected_indices: int32",
        .attrs = kTypes,
        .doc = StrCat(kDoc,
                      " score_threshold: boxes must have a higher score. T, T_threshold: the types "
                      "of the inputs."),
        .contract =
            "boxes: matrix of 4, scores: vector, max_output_size: scalar >= 0, iou_threshold: "
            "scalar, score_threshold: scalar",
        .shape = SuppressShape,
        .no_gradient = true,
        .examples = {{"tf.image.non_max_suppression([[0., 0., 1., 1.], [0., 0., 1., 1.1]], "
                      "[.5, .9], 2)",
                      "[1]"}}})
      .Cpu<float>(Suppress3{});
  const std::string padded =
      " pad_to_max_output_size: pad with zeros to max_output_size. valid_outputs is the number of "
      "selected boxes.";
  const std::string two =
      "(boxes=[[0., 0., 1., 1.], [0., 0., 1., 1.1]], scores=[.5, .9], max_output_size=2, "
      "iou_threshold=.5, score_threshold=0., ";
  const std::string contract =
      "boxes: matrix of 4, scores: vector, max_output_size: scalar >= 0, iou_threshold: scalar, "
      "score_threshold: scalar";
  r.Op({.name = "NonMaxSuppressionV4",
        .inputs = "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, "
                  "score_threshold: T_threshold",
        .outputs = "selected_indices: int32, valid_outputs: int32",
        .attrs = StrCat(kTypes, ", pad_to_max_output_size: bool = false"),
        .doc = StrCat(kDoc,
                      " score_threshold: boxes must have a higher score. T, T_threshold: the types "
                      "of the inputs.",
                      padded),
        .contract = contract,
        .shape = PaddedShape,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.NonMaxSuppressionV4", two,
                             "pad_to_max_output_size=True)[0]"),
                      "[1 0]"}}})
      .Cpu<float>(SuppressPadded<false>{}, {.prepare = PrepareFrom<PadState>});
  r.Op({.name = "NonMaxSuppressionV5",
        .inputs = "boxes: T, scores: T, max_output_size: int32, iou_threshold: T, "
                  "score_threshold: T, soft_nms_sigma: T",
        .outputs = "selected_indices: int32, selected_scores: T, valid_outputs: int32",
        .attrs = "T: {half, float} = float, pad_to_max_output_size: bool = false",
        .doc = StrCat(
            kDoc,
            " score_threshold: boxes must have a higher score. soft_nms_sigma: if not 0, "
            "overlapping boxes are not excluded, but their scores are multiplied by exp(-overlap^2 "
            "/ 2 / sigma). selected_scores: the resulting scores. T: the type of the inputs.",
            padded),
        .contract = contract + ", soft_nms_sigma: scalar",
        .shape = PaddedShape,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.NonMaxSuppressionV5", two, "soft_nms_sigma=.5)[1]"),
                      "[0.9       0.2188008]"}}})
      .Cpu<float>(SuppressPadded<true>{}, {.prepare = PrepareFrom<PadState>});
  r.Op({.name = "NonMaxSuppressionWithOverlaps",
        .inputs = "overlaps: float, scores: float, max_output_size: int32, overlap_threshold: "
                  "float, score_threshold: float",
        .outputs = "selected_indices: int32",
        .doc = "Selects the indices of the best boxes that do not overlap too much. overlaps: a "
               "square matrix with the overlap of each two boxes. scores: the score of each box. "
               "max_output_size: the maximum number of boxes. overlap_threshold: the maximum "
               "overlap of two selected boxes. score_threshold: boxes must have a higher score.",
        .contract = "overlaps: matrix, scores: vector, max_output_size: scalar >= 0, "
                    "overlap_threshold: scalar, score_threshold: scalar",
        .shape = OverlapsShape,
        .no_gradient = true,
        .examples = {{"tf.image.non_max_suppression_overlaps([[1., .9], [.9, 1.]], [.5, .9], 2)",
                      "[1]"}}})
      .CpuAny(SuppressOverlaps);
  r.Op({.name = "CombinedNonMaxSuppression",
        .inputs = "boxes: float, scores: float, max_output_size_per_class: int32, "
                  "max_total_size: int32, iou_threshold: float, score_threshold: float",
        .outputs = "nmsed_boxes: float, nmsed_scores: float, nmsed_classes: float, "
                   "valid_detections: int32",
        .attrs = "pad_per_class: bool = false, clip_boxes: bool = true",
        .doc = "Selects the best boxes of images, over all classes, such that no two of the same "
               "class overlap too much. boxes [batch, n, q, 4]: q is 1 or the number of classes. "
               "scores [batch, n, classes]. max_output_size_per_class, max_total_size: the maximum "
               "numbers of boxes. iou_threshold: the maximum intersection over union of two "
               "selected boxes. score_threshold: boxes must have a higher score. nmsed_boxes, "
               "nmsed_scores and nmsed_classes have max_total_size entries or, with pad_per_class, "
               "max_output_size_per_class for each class if that is less. valid_detections of them "
               "are valid, the others are zeros. clip_boxes: clip boxes to [0, 1].",
        .contract = "boxes: rank 4 of 4, scores: rank 3, max_output_size_per_class: scalar, "
                    "max_total_size: scalar, iou_threshold: scalar, score_threshold: scalar",
        .shape = CombinedShape,
        .no_gradient = true,
        .examples = {{"tf.image.combined_non_max_suppression([[[[0., 0., 1., 1.]]]], [[[.5, .9]]], "
                      "2, 2)[2]",
                      "[[1. 0.]]"}}})
      .CpuAny(CombinedSuppress, PrepareFrom<CombinedState>);
}

}  // namespace tensh::ops
