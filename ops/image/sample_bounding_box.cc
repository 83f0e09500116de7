// SampleDistortedBoundingBox: a random crop of an image that still covers enough of a box. The
// random numbers are TensorFlow's, one by one.
#include <algorithm>
#include <cmath>

#include "ops/op_file.h"
#include "ops/support/philox.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct Range {
  float low = 0, high = 0;
};

struct SampleState : RandomState {
  float covered = 0;  // attribute min_object_covered of the first version
  Range ratio, area;
  int32_t attempts = 0;
  bool whole_image = false;  // use the whole image if there are no boxes
};

Result<Range> ReadRange(Attrs attrs, const char* name) {
  const AttrValue::Floats& list = attrs.Get<AttrValue::Floats>(name);
  if (list.size() != 2) return InvalidArgument(name, " field must specify 2 dimensions");
  if (!(list[0] > 0 && list[1] > 0))
    return InvalidArgument(name, " must be positive: [", list[0], "], [", list[1], "]");
  return Range{list[0], list[1]};
}

Result<std::unique_ptr<KernelState>> PrepareSample(PrepareCtx& c) {
  TENSH_ASSIGN(std::unique_ptr<KernelState> random, PrepareRandom(c));
  auto s = std::make_unique<SampleState>();
  s->generator = static_cast<RandomState&>(*random).generator;
  if (c.attrs().Find("min_object_covered")) s->covered = c.attrs().Float("min_object_covered");
  s->whole_image = c.attrs().Bool("use_image_if_no_bounding_boxes");
  TENSH_ASSIGN(s->ratio, ReadRange(c.attrs(), "aspect_ratio_range"));
  TENSH_ASSIGN(s->area, ReadRange(c.attrs(), "area_range"));
  if (s->area.high > 1)
    return InvalidArgument("area_range must be less then or equal to 1.0: ", s->area.high);
  const int64_t attempts = c.attrs().Int("max_attempts");
  if (attempts <= 0 || attempts > std::numeric_limits<int32_t>::max() / 4)
    return InvalidArgument("max_attempts must be positive, got ", attempts);
  s->attempts = static_cast<int32_t>(attempts);
  return std::unique_ptr<KernelState>(std::move(s));
}

struct Rectangle {
  int64_t left = 0, top = 0, right = 0, bottom = 0;
  float Area() const {
    if (right < left || bottom < top) return 0;
    return static_cast<float>(right - left) * static_cast<float>(bottom - top);
  }
  Rectangle With(const Rectangle& b) const {
    return {std::max(left, b.left), std::max(top, b.top), std::min(right, b.right),
            std::min(bottom, b.bottom)};
  }
};

// Rounds to an integer. Larger values and NaN are clamped; no image is that large, so they only
// need to remain too large.
constexpr float kHighest = 3e9f;
int64_t Rounded(float x) { return std::lrint(std::min(kHighest, x)); }

// Draws a crop of the given aspect ratio whose area, relative to the image, is in the range.
// Returns false if this attempt failed.
bool DrawCrop(const Rectangle& image, Range relative, float ratio, Philox32& bits,
              Rectangle* crop) {
  const float width_of = static_cast<float>(image.right);
  const auto width_for = [ratio](int64_t height) {
    return Rounded(static_cast<float>(height) * ratio);
  };
  const auto area_of = [](int64_t w, int64_t h) { return static_cast<float>(w * h); };
  const Range area{relative.low * width_of * static_cast<float>(image.bottom),
                   relative.high * width_of * static_cast<float>(image.bottom)};
  if (relative.low > relative.high || !(ratio > 0) || image.right <= 0 || image.bottom <= 0)
    return false;
  int64_t height = Rounded(std::sqrt(area.low / ratio));
  int64_t most = Rounded(std::sqrt(area.high / ratio));
  if (static_cast<float>(most) * ratio > width_of + 0.5f || width_for(most) > image.right) {
    most = static_cast<int64_t>(std::min(kHighest, (width_of + 0.5f - 0.0000001f) / ratio));
    if (width_for(most) > image.right) --most;
  }
  most = std::min(most, image.bottom);
  height = std::min(height, most);
  if (height < most)
    height += static_cast<int64_t>(bits.Next() % static_cast<uint32_t>(most - height + 1));
  int64_t width = width_for(height);
  if (area_of(width, height) < area.low) width = width_for(++height);
  if (area_of(width, height) > area.high) width = width_for(--height);
  const float got = area_of(width, height);
  if (got < area.low || got > area.high || width > image.right || height > image.bottom ||
      width <= 0 || height <= 0)
    return false;
  const auto place = [&bits](int64_t room) {
    return room > 0 ? static_cast<int64_t>(bits.Next() % static_cast<uint32_t>(room)) : 0;
  };
  crop->top = place(image.bottom - height);
  crop->left = place(image.right - width);
  crop->right = crop->left + width;
  crop->bottom = crop->top + height;
  return true;
}

bool Shows(const Rectangle& crop, const std::vector<Rectangle>& boxes, float covered) {
  if (crop.Area() < 1) return false;
  return std::any_of(boxes.begin(), boxes.end(), [&](const Rectangle& box) {
    return box.Area() >= 1 && crop.With(box).Area() / box.Area() >= covered;
  });
}

Result<std::vector<Rectangle>> ReadBoxes(const SampleState& s, const Tensor& boxes,
                                         const Rectangle& image) {
  std::vector<Rectangle> out;
  const float width = static_cast<float>(image.right), height = static_cast<float>(image.bottom);
  for (int64_t i = 0; i < boxes.num_elements(); i += 4) {
    const float* b = boxes.data<float>() + i;
    for (int k = 0; k < 4; ++k)
      if (!(b[k] >= 0 && b[k] <= 1))
        return InvalidArgument("All bounding box coordinates must be in [0.0, 1.0]: ", b[k]);
    out.push_back({static_cast<int64_t>(b[1] * width), static_cast<int64_t>(b[0] * height),
                   static_cast<int64_t>(b[3] * width), static_cast<int64_t>(b[2] * height)});
  }
  if (!out.empty()) return out;
  if (!s.whole_image)
    return InvalidArgument(
        "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if "
        "you wish to not provide any bounding boxes.");
  out.push_back(image);
  return out;
}

struct Sample {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<SampleState>();
    const int64_t height = IndexAt(c.in(0), 0), width = IndexAt(c.in(0), 1);
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    if (height < 0 || height >= kMost || width < 0 || width >= kMost)
      return InvalidArgument("image height and width cannot be negative or >= int32 max, got ",
                             height, " and ", width);
    const float covered = c.num_inputs() > 2 ? *c.in(2).data<float>() : s.covered;
    const Rectangle image{0, 0, width, height};
    TENSH_ASSIGN(const std::vector<Rectangle> boxes, ReadBoxes(s, c.in(1), image));
    Philox32 bits(s.generator->Reserve(static_cast<uint64_t>(s.attempts)));
    Rectangle crop = image;
    for (int32_t i = 0; i < s.attempts && !c.cancelled(); ++i) {
      const float ratio = UnitFloat(bits.Next()) * (s.ratio.high - s.ratio.low) + s.ratio.low;
      Rectangle drawn;
      if (!DrawCrop(image, s.area, ratio, bits, &drawn) || !Shows(drawn, boxes, covered)) continue;
      crop = drawn;
      break;
    }
    return Give<T>(c, crop, image);
  }

 private:
  template <class T>
  static Status Give(KernelCtx& c, const Rectangle& crop, const Rectangle& image) {
    TENSH_OUTPUT(begin, c.Output(0, Shape({3})));
    TENSH_OUTPUT(size, c.Output(1, Shape({3})));
    TENSH_OUTPUT(box, c.Output(2, Shape({1, 1, 4})));
    const auto set = [](Tensor* t, int64_t row, int64_t column, int64_t channel) {
      t->data<T>()[0] = static_cast<T>(row);
      t->data<T>()[1] = static_cast<T>(column);
      t->data<T>()[2] = static_cast<T>(channel);
    };
    set(begin, crop.top, crop.left, 0);
    set(size, crop.bottom - crop.top, crop.right - crop.left, -1);
    const float height = static_cast<float>(image.bottom), width = static_cast<float>(image.right);
    const float edges[] = {
        static_cast<float>(crop.top) / height, static_cast<float>(crop.left) / width,
        static_cast<float>(crop.bottom) / height, static_cast<float>(crop.right) / width};
    std::copy_n(edges, 4, box->data<float>());
    return {};
  }
};

Status SampleShape(ShapeCtx& c) {
  c.Set(0, Shape({3}));
  c.Set(1, Shape({3}));
  c.Set(2, Shape({1, 1, 4}));
  return {};
}

}  // namespace

TENSH_OPS(image_sample_bounding_box) {
  const std::string attrs =
      "aspect_ratio_range: list(float) = [0.75, 1.33], area_range: list(float) = [0.05, 1.0], "
      "max_attempts: int = 100, use_image_if_no_bounding_boxes: bool = false";
  const std::string doc =
      "Draws a random crop of an image that covers enough of a bounding box. begin and size are "
      "arguments for tf.slice; bboxes is the crop as an argument for tf.image.draw_bounding_boxes. "
      "image_size: rows, columns and channels, of type T. bounding_boxes: top, left, bottom and "
      "right, relative to the image. min_object_covered: the part of at least one box that must be "
      "in the crop. aspect_ratio_range: width divided by height. area_range: the crop's area "
      "relative to the image's. max_attempts: the number of attempts, after which the whole image "
      "is used. use_image_if_no_bounding_boxes: without boxes, use the whole image as one; "
      "otherwise that is an error. seed, seed2: determine the random stream unless both are 0.";
  const char* const call =
      "(image_size=[4, 4, 3], bounding_boxes=[[[0., 0., 1., 1.]]], min_object_covered=1., "
      "seed=1)[1]";
  r.Op({.name = "SampleDistortedBoundingBox",
        .inputs = "image_size: T, bounding_boxes: float",
        .outputs = "begin: T, size: T, bboxes: float",
        .attrs = "T: {uint8, int8, int16, int32, int64}, seed: int = 0, seed2: int = 0, "
                 "min_object_covered: float = 0.1, " +
                 attrs,
        .doc = doc,
        .contract = "image_size: vector of 3, bounding_boxes: rank 3 of 4",
        .shape = SampleShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{StrCat("tf.raw_ops.SampleDistortedBoundingBox", call), "[ 4  4 -1]"}}})
      .Cpu<uint8_t, int8_t, int16_t, int32_t, int64_t>(Sample{}, {.prepare = PrepareSample});
  r.Op({.name = "SampleDistortedBoundingBoxV2",
        .inputs = "image_size: T, bounding_boxes: float, min_object_covered: float",
        .outputs = "begin: T, size: T, bboxes: float",
        .attrs = "T: {uint8, int8, int16, int32, int64}, seed: int = 0, seed2: int = 0, " + attrs,
        .doc = doc,
        .contract =
            "image_size: vector of 3, bounding_boxes: rank 3 of 4, min_object_covered: scalar",
        .shape = SampleShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{StrCat("tf.raw_ops.SampleDistortedBoundingBoxV2", call), "[ 4  4 -1]"}}})
      .Cpu<uint8_t, int8_t, int16_t, int32_t, int64_t>(Sample{}, {.prepare = PrepareSample});
}

}  // namespace tensh::ops
