// DrawBoundingBoxes: draws rectangles on images.
#include <algorithm>
#include <cmath>

#include "ops/op_file.h"
#include "ops/support/shape_util.h"
#include "runtime/core/half.h"

namespace tensh::ops {
namespace {

using Colour = std::array<float, 4>;

// The default colors: yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia.
constexpr Colour kColours[] = {
    {1, 1, 0, 1},       {0, 0, 1, 1},    {1, 0, 0, 1},    {0, 1, 0, 1}, {0.5f, 0, 0.5f, 1},
    {0.5f, 0.5f, 0, 1}, {0.5f, 0, 0, 1}, {0, 0, 0.5f, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}};

Result<std::vector<Colour>> ColoursOf(KernelCtx& c, int64_t depth) {
  std::vector<Colour> colours;
  if (c.num_inputs() > 2) {
    const Tensor& given = c.in(2);
    if (given.dim(1) < depth)
      return InvalidArgument("colors must have equal or more channels than the image provided: ",
                             given.dim(1), " vs. ", depth);
    for (int64_t i = 0; i < given.dim(0); ++i) {
      Colour& colour = colours.emplace_back();
      std::copy_n(given.data<float>() + i * given.dim(1), std::min<int64_t>(4, given.dim(1)),
                  colour.begin());
    }
  }
  if (!colours.empty()) return colours;
  colours.assign(std::begin(kColours), std::end(kColours));
  if (depth == 1)
    for (Colour& colour : colours) colour[0] = 1;
  return colours;
}

// Returns the pixel index for a relative coordinate. NaN and out-of-range coordinates give
// INT64_MIN, which lies to the left of the image. TensorFlow behaves the same way on x86.
int64_t PixelAt(float place, int64_t extent) {
  const float at = place * static_cast<float>(extent - 1);
  const float far = 9e18f;
  return at > -far && at < far ? static_cast<int64_t>(at) : std::numeric_limits<int64_t>::min();
}

template <class T>
class Canvas {
 public:
  Canvas(T* pixels, const Shape& images)
      : pixels_(pixels), rows_(images[1]), columns_(images[2]), depth_(images[3]) {}

  // Draws those edges of a box that lie within the image. `box` is top, left, bottom, right.
  void Draw(const float* box, const Colour& colour) {
    const int64_t top = PixelAt(box[0], rows_), left = PixelAt(box[1], columns_);
    const int64_t bottom = PixelAt(box[2], rows_), right = PixelAt(box[3], columns_);
    if (top > bottom || left > right || top >= rows_ || bottom < 0 || left >= columns_ || right < 0)
      return;
    const int64_t first_row = std::max<int64_t>(top, 0), last_row = std::min(bottom, rows_ - 1);
    const int64_t first = std::max<int64_t>(left, 0), last = std::min(right, columns_ - 1);
    for (int64_t row : {top, bottom})
      for (int64_t column = first; column <= last && row >= 0 && row < rows_; ++column)
        Set(row, column, colour);
    for (int64_t column : {left, right})
      for (int64_t row = first_row; row <= last_row && column >= 0 && column < columns_; ++row)
        Set(row, column, colour);
  }

 private:
  void Set(int64_t row, int64_t column, const Colour& colour) {
    T* pixel = pixels_ + (row * columns_ + column) * depth_;
    for (int64_t k = 0; k < depth_; ++k) pixel[k] = static_cast<T>(colour[static_cast<size_t>(k)]);
  }

  T* const pixels_;
  const int64_t rows_, columns_, depth_;
};

struct Draw {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &images = c.in(0), &boxes = c.in(1);
    const int64_t depth = images.dim(3);
    if (boxes.dim(0) != images.dim(0))
      return InvalidArgument("The batch sizes should be the same, got ", images.dim(0),
                             " images and ", boxes.dim(0), " rows of boxes");
    if (depth != 1 && depth != 3 && depth != 4)
      return InvalidArgument("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA), got ",
                             depth);
    TENSH_ASSIGN(const std::vector<Colour> colours, ColoursOf(c, depth));
    TENSH_OUTPUT(out, c.Forward(0, 0, images.shape()));
    T* pixels = out->data<T>();
    if (pixels != images.data<T>()) std::copy_n(images.data<T>(), images.num_elements(), pixels);
    if (!out->num_elements()) return {};
    const int64_t image = out->num_elements() / out->dim(0), count = boxes.dim(1);
    for (int64_t b = 0; b < out->dim(0) && !c.cancelled(); ++b) {
      Canvas<T> canvas(pixels + b * image, out->shape());
      for (int64_t i = 0; i < count && !c.cancelled(); ++i)
        canvas.Draw(boxes.data<float>() + 4 * (b * count + i),
                    colours[static_cast<size_t>(i) % colours.size()]);
    }
    return {};
  }
};

Status DrawShape(ShapeCtx& c) {
  const Shape& images = c.in(0);
  if (images.has_rank() && images[3] >= 0 && images[3] != 1 && images[3] != 3 && images[3] != 4)
    return InvalidArgument("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA), got ",
                           images[3]);
  c.Set(0, images);
  return {};
}

}  // namespace

TENSH_OPS(image_draw_bounding_boxes) {
  const std::string doc =
      "Draws rectangles on images. images: [batch, rows, columns, depth], of type T, with values "
      "in [0, 1]. boxes: [batch, count, 4], the top, left, bottom and right edge of each, relative "
      "to the image.";
  const char* const example = "(images=tf.zeros([1, 3, 3, 1]), boxes=[[[0., 0., 1., 1.]]]";
  const char* const drawn = "[[1. 1. 1.]\n [1. 0. 1.]\n [1. 1. 1.]]";
  r.Op({.name = "DrawBoundingBoxes",
        .inputs = "images: T, boxes: float",
        .outputs = "output: T",
        .attrs = "T: {float, half} = float",
        .doc = doc + " Ten default colors are used in turn.",
        .contract = "images: rank 4, boxes: rank 3 of 4",
        .shape = DrawShape,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.DrawBoundingBoxes", example, ")[0, :, :, 0]"), drawn}}})
      .Cpu<float, Half>(Draw{});
  r.Op({.name = "DrawBoundingBoxesV2",
        .inputs = "images: T, boxes: float, colors: float",
        .outputs = "output: T",
        .attrs = "T: {float, half} = float",
        .doc = doc + " colors: one per row, used in turn; if empty, ten default colors.",
        .contract = "images: rank 4, boxes: rank 3 of 4, colors: matrix",
        .shape = DrawShape,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.DrawBoundingBoxesV2", example,
                             ", colors=[[1.]])[0, :, :, 0]"),
                      drawn}}})
      .Cpu<float, Half>(Draw{});
}

}  // namespace tensh::ops
