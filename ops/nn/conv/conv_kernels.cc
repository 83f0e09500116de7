#include "ops/nn/conv/conv_kernels.h"

namespace tensh::ops {

Status CheckVolumeDepth(const WindowAttrs& w, const ConvDims& d) {
  if (!w.volume || d.groups == 1) return {};
  return InvalidArgument("input and filter must have the same depth: ", d.in_channels, " vs ",
                         d.filter_channels);
}

Result<Shape> ConvOutShape(const WindowAttrs& w, const ConvDims& d) {
  const Shape out = w.Make(d.batch, d.rows.out, d.columns.out, d.out_channels, d.planes.out);
  return Shape::Make(out.dims(), true);
}

Status ConvGradDims(const WindowAttrs& w, const Shape& in, const Shape& filter, const Shape& dy,
                    const char* label, ConvDims& d) {
  if (in.rank() != w.rank())
    return InvalidArgument("input must be ", w.rank(), "-dimensional: ", in);
  if (filter.rank() != w.rank())
    return InvalidArgument("filter must be ", w.rank(), "-dimensional: ", filter);
  if (dy.rank() != w.rank())
    return InvalidArgument(label, ": out_backprop must be ", w.rank(), "-dimensional, got ", dy);
  TENSH_RETURN_IF_ERROR(MakeConv(w, in, filter, d));
  TENSH_RETURN_IF_ERROR(CheckVolumeDepth(w, d));
  const Shape want = w.Make(d.batch, d.rows.out, d.columns.out, d.out_channels, d.planes.out);
  if (!(want == dy))
    return InvalidArgument(label, ": Size of out_backprop doesn't match computed: actual = ", dy,
                           ", computed = ", want, " (input ", in, ", filter ", filter, ")");
  return {};
}

Status RefuseGroups(const ConvDims& d, const char* label) {
  if (d.groups > 1)
    return InvalidArgument(label,
                           ": gradients of grouped convolutions are not supported on the CPU; "
                           "input depth ",
                           d.in_channels, ", filter depth ", d.filter_channels);
  return {};
}

Result<Shape> ConvInputSizes(const Tensor& sizes, const Shape& filter, const Shape& dy,
                             const char* label) {
  if (!IsVector(sizes))
    return InvalidArgument(label, ": input_sizes must be a vector, got shape ", sizes.shape());
  if (sizes.dim(0) != 2 || dy.rank() != 4 || filter.rank() != 4) return ShapeFromTensor(sizes);
  const int64_t dims[] = {dy[0], IndexAt(sizes, 0), IndexAt(sizes, 1), filter[2]};
  return Shape::Make(dims, true);
}

Result<Shape> ConvFilterSizes(const Tensor& sizes, const char* label) {
  if (!IsVector(sizes))
    return InvalidArgument(label, ": filter_sizes must be a vector, got shape ", sizes.shape());
  return ShapeFromTensor(sizes);
}

namespace {

Shape OfRank(const Shape& s, int rank) { return s.has_rank() ? s : Shape::UnknownOfRank(rank); }

}  // namespace

Status ConvShape(ShapeCtx& c) {
  WindowAttrs w;
  TENSH_RETURN_IF_ERROR(ReadWindowAttrs(c.attrs(), w));
  ConvDims d;
  TENSH_RETURN_IF_ERROR(MakeConv(w, OfRank(c.in(0), w.rank()), OfRank(c.in(1), w.rank()), d));
  TENSH_RETURN_IF_ERROR(CheckWindow(w, WindowAttrs::kPlanes, d.planes));
  TENSH_RETURN_IF_ERROR(CheckWindows(w, d.rows, d.columns));
  c.Set(0, w.Make(d.batch, d.rows.out, d.columns.out, d.out_channels, d.planes.out));
  return {};
}

// The batch extent comes from the gradient, the other extents from input_sizes.
Status ConvInputSizesShape(ShapeCtx& c) {
  WindowAttrs w;
  TENSH_RETURN_IF_ERROR(ReadWindowAttrs(c.attrs(), w));
  const int rank = w.rank();
  TENSH_ASSIGN(Shape sizes, ShapeInput(c, 0));
  const int64_t batch = c.in(2).has_rank() ? c.in(2)[0] : -1;
  Shape out = Shape::UnknownOfRank(rank);
  if (sizes.has_rank() && sizes.rank() == 2 && rank == 4) {
    out = Shape({-1, sizes[0], sizes[1], c.in(1).has_rank() ? c.in(1)[2] : -1});
  } else if (sizes.has_rank()) {
    if (sizes.rank() != rank)
      return InvalidArgument("Shape must be rank ", rank, " but is rank ", sizes.rank());
    out = sizes;
  }
  if (rank == 4) out.set_dim(0, batch);
  c.Set(0, out);
  return {};
}

Status ConvFilterSizesShape(ShapeCtx& c) {
  WindowAttrs w;
  TENSH_RETURN_IF_ERROR(ReadWindowAttrs(c.attrs(), w));
  TENSH_ASSIGN(Shape out, ShapeInput(c, 1));
  if (out.has_rank() && out.rank() != w.rank())
    return InvalidArgument("Shape must be rank ", w.rank(), " but is rank ", out.rank());
  c.Set(0, out.has_rank() ? out : Shape::UnknownOfRank(w.rank()));
  return {};
}

}  // namespace tensh::ops
