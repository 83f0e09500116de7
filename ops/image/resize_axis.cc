#include "ops/image/resize_axis.h"

#include <algorithm>
#include <cmath>

#include "ops/support/shape_util.h"

namespace tensh::ops {

Status ResizeState::Read(PrepareCtx& c) {
  align_corners = c.attrs().Bool("align_corners");
  if (c.attrs().Find("half_pixel_centers")) half_pixel = c.attrs().Bool("half_pixel_centers");
  if (align_corners && half_pixel)
    return InvalidArgument("If half_pixel_centers is True, align_corners must be False.");
  return {};
}

ResizeAxis::ResizeAxis(const ResizeState& s, int64_t in, int64_t out)
    : in_size(in), align(s.align_corners), half(s.half_pixel) {
  scale = align && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                           : static_cast<float>(in) / static_cast<float>(out);
}

namespace {

Status ReadSize(const Tensor& size, int64_t* rows, int64_t* columns) {
  *rows = IndexAt(size, 0);
  *columns = IndexAt(size, 1);
  if (*rows <= 0 || *columns <= 0) return InvalidArgument("output dimensions must be positive");
  return {};
}

}  // namespace

Status CheckResizable(const Tensor& images) {
  if (images.dim(1) <= 0 || images.dim(2) <= 0)
    return InvalidArgument("input image must be of non-zero size");
  if (images.dim(3) <= 0) return InvalidArgument("image must have at least one channel");
  return {};
}

Status CheckResizeGradient(const Tensor& dy, const Tensor& original) {
  TENSH_RETURN_IF_ERROR(CheckResizable(original));
  if (dy.dim(0) != original.dim(0) || dy.dim(3) != original.dim(3))
    return InvalidArgument("gradients and original_image must have the same batch and channels: ",
                           dy.shape(), " vs. ", original.shape());
  return {};
}

Result<Shape> ResizedShape(const Tensor& images, const Tensor& size) {
  TENSH_RETURN_IF_ERROR(CheckResizable(images));
  int64_t rows = 0, columns = 0;
  TENSH_RETURN_IF_ERROR(ReadSize(size, &rows, &columns));
  const int64_t dims[] = {images.dim(0), rows, columns, images.dim(3)};
  return Shape::Make(dims, true);
}

Status ResizeShape(ShapeCtx& c) {
  Shape out = Shape::UnknownOfRank(4);
  if (c.in(0).has_rank()) {
    out.set_dim(0, c.in(0)[0]);
    out.set_dim(3, c.in(0)[3]);
  }
  if (const Tensor* size = c.constant(1)) {
    for (int i = 0; i < 2; ++i) {
      if (IndexAt(*size, i) < 0)
        return InvalidArgument("Dimension ", IndexAt(*size, i), " must be >= 0");
      out.set_dim(i + 1, IndexAt(*size, i));
    }
  }
  c.Set(0, out);
  return {};
}

std::vector<NamedAttr> ResizeCenters(GradScope& g) {
  return {{"align_corners", g.attrs().Bool("align_corners")},
          {"half_pixel_centers", g.attrs().Bool("half_pixel_centers")}};
}

}  // namespace tensh::ops
