// CropAndResize: boxes cut out of images and resized to a common size, with its gradient ops for
// the images and for the boxes.
#include <algorithm>
#include <cmath>

#include "ops/image/crop.h"
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
void CropState::Read(PrepareCtx& c) {
  nearest = c.attrs().String("method") == "nearest";
  if (c.attrs().Find("extrapolation_value")) outside = c.attrs().Float("extrapolation_value");
}

Result<int64_t> CountBoxes(const Tensor& boxes, const Tensor& indices, int64_t batch) {
  if (boxes.num_elements() == 0 && indices.num_elements() == 0) return int64_t{0};
  if (boxes.rank() != 2) return InvalidArgument("boxes must be 2-D", boxes.shape());
  if (boxes.dim(1) != 4) return InvalidArgument("boxes must have 4 columns");
  if (indices.rank() != 1) return InvalidArgument("box_index must be 1-D", indices.shape());
  if (indices.dim(0) != boxes.dim(0)) return InvalidArgument("box_index has incompatible shape");
  for (int64_t i = 0; i < indices.num_elements(); ++i) {
    const int64_t b = indices.data<int32_t>()[i];
    if (b < 0 || b >= batch)
      return OutOfRange("box_index has values outside [0, batch_size): ", b, " with ", batch,
                        " images");
  }
  return boxes.dim(0);
}

Result<Shape> CropsShape(KernelCtx& c) {
  const Shape& image = c.in(0).shape();
  TENSH_RETURN_IF_ERROR(CheckImage(image));
  TENSH_ASSIGN(const int64_t count, CountBoxes(c.in(1), c.in(2), image[0]));
  const int64_t rows = IndexAt(c.in(3), 0), columns = IndexAt(c.in(3), 1);
  if (rows <= 0 || columns <= 0) return InvalidArgument("crop dimensions must be positive");
  const int64_t dims[] = {count, rows, columns, image[3]};
  return Shape::Make(dims, true);
}

Status CheckImage(const Shape& image) {
  if (image[1] <= 0 || image[2] <= 0) return InvalidArgument("image dimensions must be positive");
  return {};
}

Status CheckCropGrads(const Tensor& grads, int64_t count) {
  if (grads.dim(1) <= 0 || grads.dim(2) <= 0)
    return InvalidArgument("grads dimensions must be positive");
  if (grads.dim(0) != count) return InvalidArgument("boxes and grads have incompatible shape");
  return {};
}

namespace {

using Box = CropBox<float>;
using Samples = CropSamples<float>;
using Sides = CropSides<float>;

Box BoxAt(const Tensor& boxes, int64_t n, const Shape& image, const Shape& crops) {
  return {boxes.data<float>() + 4 * n, image[1], image[2], crops[1], crops[2]};
}

struct CropAndResize {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& image = c.in(0);
    TENSH_ASSIGN(const Shape shape, CropsShape(c));
    TENSH_OUTPUT(crops, c.Output(0, shape));
    if (!crops->num_elements()) return {};
    const CropState& s = c.state<CropState>();
    float* out = crops->data<float>();
    const int64_t count = shape[0], rows = shape[1], line = shape[2] * image.dim(3);
    c.ParallelFor(count * rows, 4.0 * static_cast<double>(line), [&](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end; ++at) {
        const int64_t n = at / rows;
        const T* from =
            image.data<T>() + c.in(2).data<int32_t>()[n] * (image.num_elements() / image.dim(0));
        Row(s, BoxAt(c.in(1), n, image.shape(), shape), at % rows, image.shape(), from,
            out + at * line);
      }
    });
    return {};
  }

  template <class T>
  static void Row(const CropState& s, const Box& box, int64_t r, const Shape& image, const T* in,
                  float* out) {
    const int64_t depth = image[3], row = image[2] * depth;
    const float y = box.rows.At(r);
    for (int64_t q = 0; q < box.columns.count; ++q, out += depth) {
      const float x = box.columns.At(q);
      if (!box.rows.Inside(y) || !box.columns.Inside(x)) {
        std::fill_n(out, depth, s.outside);
      } else if (s.nearest) {
        const T* pixel = in + box.rows.Nearest(y) * row + box.columns.Nearest(x) * depth;
        for (int64_t d = 0; d < depth; ++d) out[d] = static_cast<float>(pixel[d]);
      } else {
        Mix(Sides(box.rows, y), Sides(box.columns, x), depth, row, in, out);
      }
    }
  }

  template <class T>
  static void Mix(const Sides& y, const Sides& x, int64_t depth, int64_t row, const T* in,
                  float* out) {
    const T *top = in + y.low * row, *bottom = in + y.high * row;
    for (int64_t d = 0; d < depth; ++d) {
      const int64_t left = x.low * depth + d, right = x.high * depth + d;
      const float tl = static_cast<float>(top[left]), tr = static_cast<float>(top[right]);
      const float bl = static_cast<float>(bottom[left]), br = static_cast<float>(bottom[right]);
      const float above = tl + (tr - tl) * x.part, below = bl + (br - bl) * x.part;
      out[d] = above + (below - above) * y.part;
    }
  }
};

// Calls fn(crop, y, x, gradient element) for each sample that lies inside of its image.
template <class Fn>
void ForEachSample(const Tensor& grads, int64_t n, const Box& box, Fn fn) {
  for (int64_t r = 0; r < grads.dim(1); ++r) {
    const float y = box.rows.At(r);
    if (!box.rows.Inside(y)) continue;
    for (int64_t q = 0; q < grads.dim(2); ++q) {
      const float x = box.columns.At(q);
      if (box.columns.Inside(x))
        fn(r, q, y, x, ((n * grads.dim(1) + r) * grads.dim(2) + q) * grads.dim(3));
    }
  }
}

struct GradImage {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &grads = c.in(0), &boxes = c.in(1), &indices = c.in(2), &size = c.in(3);
    TENSH_ASSIGN(const Shape image, ShapeFromTensor(size));
    TENSH_RETURN_IF_ERROR(CheckImage(image));
    TENSH_ASSIGN(const int64_t count, CountBoxes(boxes, indices, image[0]));
    TENSH_RETURN_IF_ERROR(CheckCropGrads(grads, count));
    if (grads.dim(3) != image[3]) return InvalidArgument("image_size and grads are incompatible");
    TENSH_OUTPUT(dx, c.Output(0, image));
    T* out = dx->data<T>();
    ZeroElements(c, dx->dtype(), dx->raw(), dx->num_elements());
    if (!grads.num_elements()) return {};
    const bool nearest = c.state<CropState>().nearest;
    const int64_t depth = image[3], row = image[2] * depth;
    const float* dy = grads.data<float>();
    for (int64_t n = 0; n < count && !c.cancelled(); ++n) {
      T* to = out + indices.data<int32_t>()[n] * image[1] * row;
      const Box box = BoxAt(boxes, n, image, grads.shape());
      ForEachSample(grads, n, box, [&](int64_t, int64_t, float y, float x, int64_t at) {
        if (nearest) {
          T* pixel = to + box.rows.Nearest(y) * row + box.columns.Nearest(x) * depth;
          for (int64_t d = 0; d < depth; ++d) pixel[d] += static_cast<T>(dy[at + d]);
        } else {
          Spread(Sides(box.rows, y), Sides(box.columns, x), depth, row, dy + at, to);
        }
      });
    }
    return {};
  }

  template <class T>
  static void Spread(const Sides& y, const Sides& x, int64_t depth, int64_t row, const float* dy,
                     T* to) {
    T *top = to + y.low * row, *bottom = to + y.high * row;
    for (int64_t d = 0; d < depth; ++d) {
      const int64_t left = x.low * depth + d, right = x.high * depth + d;
      const float above = (1 - y.part) * dy[d], below = y.part * dy[d];
      top[left] += static_cast<T>((1 - x.part) * above);
      top[right] += static_cast<T>(x.part * above);
      bottom[left] += static_cast<T>((1 - x.part) * below);
      bottom[right] += static_cast<T>(x.part * below);
    }
  }
};

// Computes the change of the crop with each edge of its box, from the slope of the image.
struct GradBoxes {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &grads = c.in(0), &image = c.in(1), &boxes = c.in(2), &indices = c.in(3);
    TENSH_RETURN_IF_ERROR(CheckImage(image.shape()));
    TENSH_ASSIGN(const int64_t count, CountBoxes(boxes, indices, image.dim(0)));
    TENSH_RETURN_IF_ERROR(CheckCropGrads(grads, count));
    if (grads.dim(3) != image.dim(3)) return InvalidArgument("image, grads depth differ");
    TENSH_OUTPUT(db, c.Output(0, Shape({count, 4})));
    float* out = db->data<float>();
    std::fill_n(out, db->num_elements(), 0.0f);
    const int64_t per_image = image.dim(1) * image.dim(2) * image.dim(3);
    const double ns =
        6.0 * static_cast<double>(grads.dim(1) * grads.dim(2)) * static_cast<double>(grads.dim(3));
    c.ParallelFor(count, ns, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n)
        OneBox(grads, n, BoxAt(boxes, n, image.shape(), grads.shape()), image.shape(),
               image.data<T>() + indices.data<int32_t>()[n] * per_image, out + 4 * n);
    });
    return {};
  }

  template <class T>
  static void OneBox(const Tensor& grads, int64_t n, const Box& box, const Shape& image,
                     const T* in, float* out) {
    const int64_t depth = image[3], row = image[2] * depth;
    ForEachSample(grads, n, box, [&](int64_t r, int64_t q, float y, float x, int64_t at) {
      const Sides down(box.rows, y), across(box.columns, x);
      float slope_y = 0, slope_x = 0;
      for (int64_t d = 0; d < depth; ++d) {
        auto pixel = [&](int64_t i, int64_t j) {
          return static_cast<float>(in[i * row + j * depth + d]);
        };
        const float tl = pixel(down.low, across.low), tr = pixel(down.low, across.high);
        const float bl = pixel(down.high, across.low), br = pixel(down.high, across.high);
        const float dy = grads.data<float>()[at + d];
        slope_y += dy * ((1 - across.part) * (bl - tl) + across.part * (br - tr));
        slope_x += dy * ((1 - down.part) * (tr - tl) + down.part * (br - bl));
      }
      Add(box.rows, r, slope_y, out[0], out[2]);
      Add(box.columns, q, slope_x, out[1], out[3]);
    });
  }

  static void Add(const Samples& s, int64_t i, float slope, float& first, float& last) {
    first += slope * (s.extent - s.Moved(i));
    last += slope * s.Moved(i);
  }
};

// ---- shapes, gradients, registrations ----

Status CropShape(ShapeCtx& c) {
  const Shape &image = c.in(0), &boxes = c.in(1), &indices = c.in(2);
  Shape count({boxes.has_rank() ? boxes[0] : -1});
  TENSH_ASSIGN(count, MergeShapes(count, indices));
  Shape out({count[0], -1, -1, image.has_rank() ? image[3] : -1});
  if (const Tensor* given = c.constant(3)) {
    for (int i = 0; i < 2; ++i) {
      if (IndexAt(*given, i) < 0)
        return InvalidArgument("Dimension ", IndexAt(*given, i), " must be >= 0");
      out.set_dim(i + 1, IndexAt(*given, i));
    }
  }
  c.Set(0, out);
  return {};
}

Status ImageSizeShape(ShapeCtx& c) {
  TENSH_ASSIGN(Shape out, ShapeInput(c, 3));
  if (out.has_rank() && out.rank() != 4)
    return InvalidArgument("Shape must be rank 4 but is rank ", out.rank());
  c.Set(0, out.has_rank() ? out : Shape::UnknownOfRank(4));
  return {};
}

// Integer images get no gradient. The boxes get the gradient of bilinear sampling, whatever the
// method was.
Status CropBackward(GradScope& g) {
  const Out image = g.x(0), boxes = g.x(1), indices = g.x(2), dy = g.dy();
  const DType type = g.dtype(image);
  Out dx;
  if (type == DType::kHalf || type == DType::kFloat || type == DType::kDouble) {
    const Out shape = ShapeOf(g, image);
    dx = g.Op("CropAndResizeGradImage", {dy, boxes, indices, shape},
              {{"T", type}, {"method", g.attrs().String("method")}});
  }
  return g.Return({dx, g.Op("CropAndResizeGradBoxes", {dy, image, boxes, indices}), {}, {}});
}

constexpr char kTypes[] = "T: {uint8, uint16, int8, int16, int32, int64, half, float, double}, ";
constexpr char kBoxes[] =
    " boxes: one per row, [y1, x1, y2, x2], relative to the image. box_ind: the number of the "
    "image for each box. method: the interpolation method. T: the type of images.";

}  // namespace

TENSH_OPS(image_crop_and_resize) {
  constexpr KernelOptions kOptions = {.prepare = PrepareFrom<CropState>};
  r.Op({.name = "CropAndResize",
        .inputs = "image: T, boxes: float, box_ind: int32, crop_size: int32",
        .outputs = "crops: float",
        .attrs = StrCat(kTypes,
                        "method: {'bilinear', 'nearest'} = 'bilinear', extrapolation_value: float "
                        "= 0"),
        .doc = StrCat("Cuts boxes out of images and resizes them to one size. image: [batch, rows, "
                      "columns, channels]. crop_size: rows and columns. extrapolation_value: the "
                      "value outside of the image.",
                      kBoxes),
        .contract = "image: rank 4, boxes: matrix of 4, box_ind: vector, crop_size: vector of 2",
        .shape = CropShape,
        .grad = CropBackward,
        .examples = {{"tf.image.crop_and_resize([[[[1.], [3.]]]], [[0., 0., 1., 1.]], [0], [1, 3])"
                      "[0, 0, :, 0]",
                      "[1. 2. 3.]"}}})
      .Cpu<float, double, int32_t, int64_t>(CropAndResize{}, kOptions);
  r.Op({.name = "CropAndResizeGradImage",
        .inputs = "grads: float, boxes: float, box_ind: int32, image_size: int32",
        .outputs = "output: T",
        .attrs = "T: {float, half, double}, method: {'bilinear', 'nearest'} = 'bilinear'",
        .doc = StrCat("The gradient of CropAndResize for the images. grads: the incoming gradient. "
                      "image_size: the shape of the images.",
                      kBoxes),
        .contract = "grads: rank 4 at run, image_size: vector of 4 at run",
        .shape = ImageSizeShape,
        .examples = {{"tf.raw_ops.CropAndResizeGradImage(grads=[[[[2.]]]], boxes=[[0., 0., 1., "
                      "1.]], box_ind=[0], image_size=[1, 1, 2, 1], T=tf.float32)[0, 0, :, 0]",
                      "[1. 1.]"}}})
      .Cpu<float, double>(GradImage{}, kOptions);
  r.Op({.name = "CropAndResizeGradBoxes",
        .inputs = "grads: float, image: T, boxes: float, box_ind: int32",
        .outputs = "output: float",
        .attrs = StrCat(kTypes, "method: {'bilinear'} = 'bilinear'"),
        .doc = StrCat("The gradient of CropAndResize for the boxes. grads: the incoming gradient. "
                      "image: [batch, rows, columns, channels].",
                      kBoxes),
        .contract = "grads: rank 4 at run, image: rank 4 at run",
        .shape = SameAsInput<2>,
        .examples = {{"tf.raw_ops.CropAndResizeGradBoxes(grads=[[[[2.]]]], image=[[[[1.], [3.]]]], "
                      "boxes=[[0., 0., 1., 1.]], box_ind=[0])",
                      "[[0. 2. 0. 2.]]"}}})
      .Cpu<float, double, int32_t, int64_t>(GradBoxes{}, kOptions);
}

}  // namespace tensh::ops
