// Diag, DiagPart and MatrixBandPart.
#include <algorithm>

#include "ops/array/band_part.h"
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// Returns the shape repeated twice, which is that of Diag's output and DiagPart's input.
Result<Shape> Doubled(const Shape& shape) {
  int64_t dims[2 * Shape::kMaxRank];
  size_t rank = 0;
  for (int side = 0; side < 2; ++side)
    for (int64_t d : shape.dims()) dims[rank++] = d;
  return Shape::Make({dims, rank}, false);
}

Result<Shape> Halved(const Shape& shape) {
  int half = shape.rank() / 2;
  if (shape.rank() % 2)
    return InvalidArgument("The rank of the tensor should be even and positive, got shape ", shape);
  Shape out;
  for (int i = 0; i < half; ++i) {
    int64_t a = shape[i], b = shape[i + half];
    if (a >= 0 && b >= 0 && a != b)
      return InvalidArgument("Invalid shape ", shape, ": dimensions ", i, " and ", i + half,
                             " do not match.");
    out.Append(a >= 0 ? a : b);
  }
  return out;
}

Status Diag(KernelCtx& c) {
  const Tensor& diagonal = c.in(0);
  TENSH_ASSIGN(Shape shape, Doubled(diagonal.shape()));
  TENSH_RETURN_IF_ERROR(Shape::Make(shape.dims(), true).status());
  TENSH_OUTPUT(out, c.Output(0, shape));
  ZeroElements(c, out->dtype(), out->raw(), out->num_elements());
  int64_t n = diagonal.num_elements();
  BoxCopy box;
  box.Add(n, 1, n + 1);
  CopyBox(c, out->dtype(), out->raw(), diagonal.raw(), box);
  return {};
}

Status DiagPart(KernelCtx& c) {
  const Tensor& input = c.in(0);
  TENSH_ASSIGN(Shape shape, Halved(input.shape()));
  TENSH_OUTPUT(out, c.Output(0, shape));
  int64_t n = out->num_elements();
  BoxCopy box;
  box.Add(n, n + 1, 1);
  CopyBox(c, out->dtype(), out->raw(), input.raw(), box);
  return {};
}

Status DiagShape(ShapeCtx& c) {
  if (!c.in(0).has_rank()) return {};
  TENSH_ASSIGN(Shape shape, Doubled(c.in(0)));
  c.Set(0, shape);
  return {};
}

Status DiagPartShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(
      c.WithRankAtLeast(0, 1));  // TensorFlow's kernel accepts scalars, the shape function does not
  if (!c.in(0).has_rank()) return {};
  TENSH_ASSIGN(Shape shape, Halved(c.in(0)));
  c.Set(0, shape);
  return {};
}

Status DiagGrad(GradScope& g) { return g.Return({g.Op("DiagPart", {g.dy(0)})}); }
Status DiagPartGrad(GradScope& g) { return g.Return({g.Op("Diag", {g.dy(0)})}); }

Status BandPart(KernelCtx& c) {
  const Tensor& input = c.in(0);
  TENSH_ASSIGN(const Band band, BandOf(c));
  const DType dtype = c.out_dtype(0);
  TENSH_OUTPUT(out, c.Output(0, input.shape()));
  ZeroElements(dtype, out->raw(), out->num_elements());
  const int64_t lines = band.columns ? input.num_elements() / band.columns : 0;
  for (int64_t line = 0; line < lines; ++line) {
    const int64_t r = line % band.rows, at = line * band.columns;
    const int64_t begin = band.Begin(r), end = band.End(r);
    if (begin < end) CopyElements(dtype, At(*out, at + begin), At(input, at + begin), end - begin);
  }
  return {};
}

Status BandPartShape(ShapeCtx& c) { return SameAsInput<0>(c); }

Status BandPartGrad(GradScope& g) {
  return g.Return({g.Op("MatrixBandPart", {g.dy(0), g.x(1), g.x(2)}), {}, {}});
}

constexpr char kDiagTypes[] =
    "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}";

}  // namespace

TENSH_OPS(array_diag) {
  r.Op({.name = "Diag",
        .inputs = "diagonal: T",
        .outputs = "output: T",
        .attrs = kDiagTypes,
        .doc = "A tensor with the given diagonal and zeros elsewhere. output has the shape of "
               "diagonal repeated twice, and output[i, i] = diagonal[i]. T is the type of both.",
        .contract = "diagonal: rank 1..4",
        .shape = DiagShape,
        .grad = DiagGrad,
        .examples = {{"tf.diag([1, 2])", "[[1 0]\n [0 2]]"}}})
      .CpuAny(Diag);
  r.Op({.name = "DiagPart",
        .inputs = "input: T",
        .outputs = "diagonal: T",
        .attrs = kDiagTypes,
        .doc = "The diagonal of a tensor. The shape of input is some shape repeated twice; "
               "diagonal has that shape, and diagonal[i] = input[i, i]. T is the type of both.",
        .shape = DiagPartShape,
        .grad = DiagPartGrad,
        .examples = {{"tf.diag_part([[1, 2], [3, 4]])", "[1 4]"}}})
      .CpuAny(DiagPart);
  r.Op({.name = "MatrixBandPart",
        .inputs = "input: T, num_lower: Tindex, num_upper: Tindex",
        .outputs = "band: T",
        .attrs = "T: type, Tindex: {int32, int64} = int64",
        .doc = "Sets everything outside of a band of each matrix to zero. The last two dimensions "
               "of input, of any type T, are the matrices. num_lower and num_upper, scalars of "
               "type Tindex, are the numbers of diagonals below and above the main one to keep; a "
               "negative number keeps all. band is the result.",
        .contract = "input: rank 2+, num_lower: scalar at run, num_upper: scalar at run",
        .shape = BandPartShape,
        .grad = BandPartGrad,
        .examples = {{"tf.matrix_band_part([[1, 2], [3, 4]], 0, -1)", "[[1 2]\n [0 4]]"}}})
      .CpuAny(BandPart);
}

}  // namespace tensh::ops
