// Boxes of which no two overlap much: the best first, then each next one that overlaps none taken.
#include <algorithm>
#include <numeric>

#include "ops/op_file.h"
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

// The common area by the area of both.
float Overlap(const Box& a, const Box& b) {
  if (a.area <= 0 || b.area <= 0) return 0;
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const float common = std::max(height, 0.0f) * std::max(width, 0.0f);
  return common / (a.area + b.area - common);
}

Status ReadThreshold(const Tensor& t, const char* name, float* out) {
  if (t.rank() != 0) return InvalidArgument(name, " must be 0-D, got shape ", t.shape());
  *out = t.dtype() == DType::kHalf ? HalfToFloat(*t.data<uint16_t>()) : *t.data<float>();
  return {};
}

Status CheckBoxes(const Tensor& boxes, const Tensor& scores, const Tensor& most) {
  if (most.rank() != 0)
    return InvalidArgument("max_output_size must be 0-D, got shape ", most.shape());
  if (boxes.rank() != 2) return InvalidArgument("boxes must be 2-D", boxes.shape());
  if (boxes.dim(1) != 4) return InvalidArgument("boxes must have 4 columns");
  if (scores.rank() != 1) return InvalidArgument("scores must be 1-D", scores.shape());
  if (scores.dim(0) != boxes.dim(0)) return InvalidArgument("scores has incompatible shape");
  return {};
}

Status Suppress(KernelCtx& c, float overlap, float least) {
  const Tensor &boxes = c.in(0), &scores = c.in(1), &most = c.in(2);
  TENSH_RETURN_IF_ERROR(CheckBoxes(boxes, scores, most));
  if (!(overlap >= 0 && overlap <= 1)) return InvalidArgument("iou_threshold must be in [0, 1]");
  const int64_t wanted = IndexAt(most, 0), n = boxes.dim(0);
  if (wanted < 0) return InvalidArgument("output size must be non-negative");
  std::vector<Box> all;
  std::vector<int32_t> order;
  const float* score = scores.data<float>();
  for (int64_t i = 0; i < n; ++i) {
    all.push_back(ReadBox(boxes.data<float>() + 4 * i));
    if (score[i] > least) order.push_back(static_cast<int32_t>(i));
  }
  std::stable_sort(order.begin(), order.end(),
                   [score](int32_t a, int32_t b) { return score[a] > score[b]; });
  std::vector<int32_t> taken;
  for (int32_t i : order) {
    if (static_cast<int64_t>(taken.size()) == wanted || c.cancelled()) break;
    const bool free = std::none_of(taken.rbegin(), taken.rend(), [&](int32_t j) {
      return Overlap(all[static_cast<size_t>(i)], all[static_cast<size_t>(j)]) > overlap;
    });
    if (free) taken.push_back(i);
  }
  TENSH_OUTPUT(out, c.Output(0, Shape({static_cast<int64_t>(taken.size())})));
  std::copy(taken.begin(), taken.end(), out->data<int32_t>());
  return {};
}

struct ThresholdState : KernelState {
  float overlap = 0;
};

Result<std::unique_ptr<KernelState>> PrepareThreshold(PrepareCtx& c) {
  auto state = std::make_unique<ThresholdState>();
  state->overlap = c.attrs().Float("iou_threshold");
  return {std::move(state)};
}

constexpr float kAnyScore = -std::numeric_limits<float>::max();

Status Suppress1(KernelCtx& c) { return Suppress(c, c.state<ThresholdState>().overlap, kAnyScore); }

struct Suppress2 {
  template <class T>
  Status operator()(KernelCtx& c) const {
    float overlap = 0;
    TENSH_RETURN_IF_ERROR(ReadThreshold(c.in(3), "iou_threshold", &overlap));
    return Suppress(c, overlap, kAnyScore);
  }
};

struct Suppress3 {
  template <class T>
  Status operator()(KernelCtx& c) const {
    float overlap = 0, least = 0;
    TENSH_RETURN_IF_ERROR(ReadThreshold(c.in(3), "iou_threshold", &overlap));
    TENSH_RETURN_IF_ERROR(ReadThreshold(c.in(4), "score_threshold", &least));
    return Suppress(c, overlap, least);
  }
};

Status SuppressShape(ShapeCtx& c) {
  const Shape &boxes = c.in(0), &scores = c.in(1);
  if (boxes.has_rank() && boxes[1] >= 0 && boxes[1] != 4)
    return InvalidArgument("Dimension must be 4 but is ", boxes[1]);
  if (boxes.has_rank() && scores.has_rank() && boxes[0] >= 0 && scores[0] >= 0 &&
      boxes[0] != scores[0])
    return InvalidArgument("Dimensions must be equal, but are ", boxes[0], " and ", scores[0]);
  c.Set(0, Shape::UnknownOfRank(1));
  return {};
}

constexpr char kDoc[] =
    "The indices of the best boxes of which no two overlap much. boxes: one a row, two opposite "
    "corners. scores: how good each is. max_output_size: how many boxes at most. iou_threshold: "
    "common area by area of both above which two overlap much.";
constexpr char kTypes[] = "T: {half, float} = float, T_threshold: {half, float} = float";

}  // namespace

TENSH_OPS(image_non_max_suppression) {
  r.Op({.name = "NonMaxSuppression",
        .inputs = "boxes: float, scores: float, max_output_size: int32",
        .outputs = "selected_indices: int32",
        .attrs = "iou_threshold: float = 0.5",
        .doc = kDoc,
        .contract = "boxes: matrix of 4, scores: vector, max_output_size: scalar",
        .shape = SuppressShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.NonMaxSuppression(boxes=[[0., 0., 1., 1.], [0., 0., 1., 1.1]], "
                      "scores=[.5, .9], max_output_size=2)",
                      "[1]"}}})
      .CpuAny(Suppress1, PrepareThreshold);
  r.Op({.name = "NonMaxSuppressionV2",
        .inputs = "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold",
        .outputs = "selected_indices: int32",
        .attrs = kTypes,
        .doc = StrCat(kDoc, " T, T_threshold: the types."),
        .contract =
            "boxes: matrix of 4, scores: vector, max_output_size: scalar, iou_threshold: scalar",
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
                      " score_threshold: boxes with no better score are left out. T, "
                      "T_threshold: the types."),
        .contract = "boxes: matrix of 4, scores: vector, max_output_size: scalar, iou_threshold: "
                    "scalar, score_threshold: scalar",
        .shape = SuppressShape,
        .no_gradient = true,
        .examples = {{"tf.image.non_max_suppression([[0., 0., 1., 1.], [0., 0., 1., 1.1]], "
                      "[.5, .9], 2)",
                      "[1]"}}})
      .Cpu<float>(Suppress3{});
}

}  // namespace tensh::ops
