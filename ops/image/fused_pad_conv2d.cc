// FusedPadConv2D and FusedResizeAndPadConv2D: a convolution of images with mirrored borders, which
// the graph transforms of TensorFlow 1 make of MirrorPad, ResizeBilinear and Conv2D.
#include <cmath>

#include "ops/array/arrange/mirror.h"
#include "ops/image/resize_axis.h"
#include "ops/nn/conv/conv_kernels.h"
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

struct FusedState : WindowAttrs {
  int64_t skip = 0;  // 1 if the edge itself is not repeated (REFLECT), otherwise 0
  ResizeState resize;
};

Status ReadFused(Attrs attrs, FusedState& s) {
  TENSH_RETURN_IF_ERROR(ReadWindowAttrs(attrs, s));
  if (s.volume) return InvalidArgument("Sliding window strides field must specify 4 dimensions");
  if (s.strides[WindowAttrs::kBatch] != 1 || s.strides[WindowAttrs::kChannels] != 1)
    return InvalidArgument(
        "Current implementation does not yet support strides in the batch and "
        "depth dimensions.");
  s.skip = attrs.String("mode") == "REFLECT";
  if (attrs.Find("resize_align_corners"))
    s.resize.align_corners = attrs.Bool("resize_align_corners");
  return {};
}

Result<std::unique_ptr<KernelState>> PrepareFused(PrepareCtx& c) {
  auto state = std::make_unique<FusedState>();
  TENSH_RETURN_IF_ERROR(ReadFused(c.attrs(), *state));
  return {std::move(state)};
}

// For a position along one dimension of the padded image: the two input pixels that it lies
// between, and its distance from the first.
struct Between {
  int64_t low, high;
  float part;
};

std::vector<Between> Positions(const ResizeAxis& axis, int64_t resized, int64_t before,
                               int64_t padded, int64_t skip) {
  std::vector<Between> all(static_cast<size_t>(padded));
  for (int64_t p = 0; p < padded; ++p) {
    const float at = axis.At(MirrorPlace(p - before, resized, skip)), floor = std::floor(at);
    all[static_cast<size_t>(p)] = {axis.Bound(floor), axis.Bound(std::ceil(at)), at - floor};
  }
  return all;
}

// Fills `to`, images of shape `padded`, with the images x resized to `resized` and padded.
template <class T>
void Fill(KernelCtx& c, const Tensor& x, const Shape& resized, const Shape& padded,
          const Tensor& paddings, T* to) {
  const auto& s = c.state<FusedState>();
  const auto positions = [&](int d) {
    return Positions(ResizeAxis(s.resize, x.dim(d), resized[d]), resized[d],
                     IndexAt(paddings, 2 * d), padded[d], s.skip);
  };
  const std::vector<Between> rows = positions(1), columns = positions(2);
  const int64_t depth = x.dim(3), line = x.dim(2) * depth, out_line = padded[2] * depth;
  c.ParallelFor(padded[0] * padded[1], static_cast<double>(out_line), [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      const Between& r = rows[static_cast<size_t>(i % padded[1])];
      const T* image = x.data<T>() + i / padded[1] * x.dim(1) * line;
      const T *top = image + r.low * line, *bottom = image + r.high * line;
      T* out = to + i * out_line;
      const T down = static_cast<T>(r.part);
      for (const Between& k : columns) {
        const T across = static_cast<T>(k.part);
        for (int64_t d = 0; d < depth; ++d) {
          const T tl = top[k.low * depth + d], bl = bottom[k.low * depth + d];
          const T above = tl + (top[k.high * depth + d] - tl) * across;
          const T below = bl + (bottom[k.high * depth + d] - bl) * across;
          *out++ = above + (below - above) * down;
        }
      }
    }
  });
}

// Only rows and columns may be padded.
Status CheckPaddings(const Tensor& paddings) {
  for (const int d : {0, 3})
    if (paddings.num_elements() == 8 && (IndexAt(paddings, 2 * d) || IndexAt(paddings, 2 * d + 1)))
      return InvalidArgument("Fused mirror padding only support spatial padding, not ",
                             d ? "channels" : "batches");
  return {};
}

// The inputs are images, size (of FusedResizeAndPadConv2D), paddings and filter.
template <bool kResize>
struct FusedConv {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<FusedState>();
    const Tensor &x = c.in(0), &paddings = c.in(1 + kResize), &filter = c.in(2 + kResize);
    if (!x.num_elements()) return InvalidArgument("Input tensor can't be empty");
    Shape resized = x.shape();
    if constexpr (kResize) {
      TENSH_ASSIGN(resized, ResizedShape(x, c.in(1)));
    }
    TENSH_RETURN_IF_ERROR(CheckPaddings(paddings));
    TENSH_ASSIGN(const Shape padded, MirrorShapeOf(resized, paddings, s.skip, 1));
    if (padded[3] != filter.dim(2))
      return InvalidArgument("input and filter must have the same depth: ", padded[3], " vs ",
                             filter.dim(2));
    ConvDims d;
    TENSH_RETURN_IF_ERROR(MakeConv(s, padded, filter.shape(), d));
    TENSH_ASSIGN(const Shape shape, ConvOutShape(s, d));
    if (!shape.num_elements()) return InvalidArgument("Output tensor can't be empty");
    TENSH_ASSIGN(const Tensor images, Tensor::Make(x.dtype(), padded));
    Fill(c, x, resized, padded, paddings, images.data<T>());
    TENSH_OUTPUT(out, c.Output(0, shape));
    return Convolve(c, d, images.data<T>(), filter.data<T>(), out->data<T>());
  }
};

template <bool kResize>
Status FusedShape(ShapeCtx& c) {
  FusedState s;
  TENSH_RETURN_IF_ERROR(ReadFused(c.attrs(), s));
  Shape in = c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(4);
  if (kResize) {
    const Tensor* size = c.constant(1);
    for (int i = 0; i < 2; ++i) in.set_dim(i + 1, size ? IndexAt(*size, i) : -1);
  }
  if (const Tensor* paddings = c.constant(1 + kResize)) {
    TENSH_ASSIGN(in, MirrorShapeOf(in, *paddings, s.skip, 1));
  } else {
    for (int d = 0; d < 3; ++d) in.set_dim(d, -1);
  }
  const Shape& given = c.in(2 + kResize);
  const Shape filter = given.has_rank() ? given : Shape::UnknownOfRank(4);
  ConvDims d;
  TENSH_RETURN_IF_ERROR(MakeConv(s, in, filter, d));
  c.Set(0, s.Make(d.batch, d.rows.out, d.columns.out, d.out_channels));
  return {};
}

constexpr char kAttrs[] =
    "T: {half, bfloat16, float, double}, mode: {'REFLECT', 'SYMMETRIC'}, strides: list(int), "
    "padding: {'SAME', 'VALID'}";

}  // namespace

TENSH_OPS(image_fused_pad_conv2d) {
  constexpr KernelOptions kOptions = {.prepare = PrepareFused};
  constexpr char kDoc[] =
      " paddings: a matrix with the number of rows and columns to add before and after each "
      "dimension; those of the first and last dimension must be 0. filter: [rows, columns, "
      "channels, outputs]. T: the element type. mode: REFLECT does not repeat the pixels at the "
      "edges, SYMMETRIC does. strides, padding: as for Conv2D.";
  r.Op({.name = "FusedPadConv2D",
        .inputs = "input: T, paddings: int32, filter: T",
        .outputs = "output: T",
        .attrs = kAttrs,
        .doc = StrCat("Pads images with mirrored borders, then convolves them with a filter. "
                      "input: images [batch, rows, columns, channels].",
                      kDoc),
        .contract = "input: rank 4, paddings: matrix, filter: rank 4",
        .shape = FusedShape<false>,
        .examples = {{"tf.raw_ops.FusedPadConv2D(input=[[[[1.], [2.]]]], paddings=[[0, 0], [0, 0], "
                      "[1, 1], [0, 0]], filter=[[[[1.]]]], mode='SYMMETRIC', strides=[1, 1, 1, 1], "
                      "padding='VALID')[0, 0, :, 0]",
                      "[1. 1. 2. 2.]"}}})
      .Cpu<float, double>(FusedConv<false>{}, kOptions);
  r.Op({.name = "FusedResizeAndPadConv2D",
        .inputs = "input: T, size: int32, paddings: int32, filter: T",
        .outputs = "output: T",
        .attrs = StrCat(kAttrs, ", resize_align_corners: bool = false"),
        .doc = StrCat("Resizes images by bilinear interpolation, pads them with mirrored borders, "
                      "then convolves them with a filter. input: images [batch, rows, columns, "
                      "channels]. size: the new rows and columns. resize_align_corners: the corner "
                      "pixels of both images have the same centers.",
                      kDoc),
        .contract = "input: rank 4, size: vector of 2, paddings: matrix, filter: rank 4",
        .shape = FusedShape<true>,
        .examples = {{"tf.raw_ops.FusedResizeAndPadConv2D(input=[[[[1.], [2.]]]], size=[1, 4], "
                      "paddings=[[0, 0], [0, 0], [1, 0], [0, 0]], filter=[[[[1.]]]], "
                      "mode='REFLECT', strides=[1, 1, 1, 1], padding='VALID')[0, 0, :, 0]",
                      "[1.5 1.  1.5 2.  2. ]"}}})
      .Cpu<float, double>(FusedConv<true>{}, kOptions);
}

}  // namespace tensh::ops
