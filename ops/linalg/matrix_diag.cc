// MatrixDiag, MatrixDiagPart and MatrixSetDiag in TensorFlow's three versions. The first version
// knows only the main diagonal, V2 adds bands, and V3 the alignment of short diagonals.
#include <algorithm>

#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct AlignState : KernelState {
  bool left_super = true, left_sub = true;
};

AlignState AlignOf(Attrs attrs) {
  AlignState s;
  if (const AttrValue* align = attrs.Find("align")) {
    const std::string& text = *align->Find<std::string>();
    s.left_super = text == "LEFT_RIGHT" || text == "LEFT_LEFT";
    s.left_sub = text == "RIGHT_LEFT" || text == "LEFT_LEFT";
  }
  return s;
}

Result<std::unique_ptr<KernelState>> PrepareAlign(PrepareCtx& c) {
  return {std::make_unique<AlignState>(AlignOf(c.attrs()))};
}

// The diagonals `lower` … `upper` of matrices [rows, columns].
struct Band {
  int64_t lower = 0, upper = 0, rows = 0, columns = 0, longest = 0;
  int64_t count() const { return upper - lower + 1; }
  int64_t Length(int64_t d) const {
    return std::max<int64_t>(
        std::min(rows + std::min<int64_t>(d, 0), columns - std::max<int64_t>(d, 0)), 0);
  }
  int64_t Offset(const AlignState& s, int64_t d) const {
    const bool left = (d >= 0 && s.left_super) || (d <= 0 && s.left_sub);
    return left ? 0 : longest - Length(d);
  }
};

Status ReadK(const Tensor& k, Band& b) {
  if (k.rank() > 1 || k.num_elements() < 1 || k.num_elements() > 2)
    return InvalidArgument(
        "diag_index must be a scalar or vector with one or two elements, received shape ",
        k.shape());
  b.lower = IndexAt(k, 0);
  b.upper = IndexAt(k, k.num_elements() - 1);
  if (b.lower > b.upper)
    return InvalidArgument("lower_diag_index must be less than or equal to upper_diag_index: ",
                           b.lower, " <= ", b.upper);
  return {};
}

// Checks that the diagonals lie within the matrix, and computes the length of the longest.
Status CheckBand(Band& b) {
  for (int64_t d : {b.lower, b.upper})
    if (d && (d <= -b.rows || d >= b.columns))
      return InvalidArgument(d == b.lower ? "lower" : "upper", "_diag_index is out of bound: ", d,
                             ". It must be between ", -b.rows, " and ", b.columns);
  b.longest = std::max<int64_t>(
      std::min(b.rows + std::min<int64_t>(b.upper, 0), b.columns - std::max<int64_t>(b.lower, 0)),
      0);
  return {};
}

// Copies the band between the matrices and their diagonals. If `out` is set, from the matrices.
void CopyBand(KernelCtx& c, const Band& b, const AlignState& s, const Tensor& matrices,
              const Tensor& diagonals, bool out) {
  const int64_t size = b.rows * b.columns;
  const int64_t batch = size ? matrices.num_elements() / size : 0;
  for (int64_t d = b.upper; d >= b.lower; --d) {
    const int64_t n = b.Length(d);
    if (!n || !batch) continue;
    const int64_t at_matrix = d >= 0 ? d : -d * b.columns;
    const int64_t at_diagonal = (b.upper - d) * b.longest + b.Offset(s, d);
    const int64_t step = b.count() * b.longest;
    BoxCopy box;
    box.Add(batch, out ? size : step, out ? step : size);
    box.Add(n, out ? b.columns + 1 : 1, out ? 1 : b.columns + 1);
    void *matrix = At(matrices, at_matrix), *diagonal = At(diagonals, at_diagonal);
    CopyBox(c, matrices.dtype(), out ? diagonal : matrix, out ? matrix : diagonal, box);
  }
}

Shape DiagonalShape(const Shape& matrices, const Band& b) {
  Shape shape;
  for (int i = 0; i + 2 < matrices.rank(); ++i) shape.Append(matrices[i]);
  if (b.count() > 1) shape.Append(b.count());
  shape.Append(b.longest);
  return shape;
}

Status BandOf(KernelCtx& c, int k, const Shape& matrices, Band& b) {
  if (k < c.num_inputs()) TENSH_RETURN_IF_ERROR(ReadK(c.in(k), b));
  b.rows = matrices[matrices.rank() - 2];
  b.columns = matrices[matrices.rank() - 1];
  return CheckBand(b);
}

// The inputs are input and, from V2 on, k and padding_value.
Status DiagPart(KernelCtx& c) {
  const Tensor& input = c.in(0);
  Band b;
  TENSH_RETURN_IF_ERROR(BandOf(c, 1, input.shape(), b));
  TENSH_OUTPUT(out, c.Output(0, DiagonalShape(input.shape(), b)));
  const int64_t n = out->num_elements();
  if (c.num_inputs() == 3) {
    if (c.in(2).num_elements() != 1)
      return InvalidArgument("padding_value must have only one element, received shape: ",
                             c.in(2).shape());
    FillElements(c, out->dtype(), out->raw(), c.in(2).raw(), n);
  } else {
    ZeroElements(c, out->dtype(), out->raw(), n);
  }
  CopyBand(c, b, c.state<AlignState>(), input, *out, true);
  return {};
}

// The inputs are input, diagonal and, from V2 on, k.
Status SetDiag(KernelCtx& c) {
  const Tensor &input = c.in(0), &diagonal = c.in(1);
  Band b;
  TENSH_RETURN_IF_ERROR(BandOf(c, 2, input.shape(), b));
  const Shape want = DiagonalShape(input.shape(), b);
  if (!(diagonal.shape() == want))
    return InvalidArgument("diagonal must have shape ", want, " for matrices ", input.shape(),
                           ", received ", diagonal.shape());
  const DType dtype = input.dtype();
  TENSH_OUTPUT(out, c.Output(0, input.shape()));
  CopyElements(c, dtype, out->raw(), input.raw(), input.num_elements());
  CopyBand(c, b, c.state<AlignState>(), *out, diagonal, false);
  return {};
}

// Determines the extents of the matrix. Extents that are not given are the smallest that hold the
// diagonals; if neither is given, the matrix is square.
Status FitMatrix(int64_t longest, int64_t rows, int64_t columns, Band& b) {
  const int64_t least_rows = longest - std::min<int64_t>(b.upper, 0);
  const int64_t least_columns = longest + std::max<int64_t>(b.lower, 0);
  if (rows != -1 && rows < least_rows)
    return InvalidArgument("The number of rows is too small: ", rows, " < ", least_rows);
  if (columns != -1 && columns < least_columns)
    return InvalidArgument("The number of columns is too small: ", columns, " < ", least_columns);
  if (rows == -1 && columns == -1) rows = columns = std::max(least_rows, least_columns);
  if (rows == -1) rows = least_rows;
  if (columns == -1) columns = least_columns;
  if (rows != least_rows && columns != least_columns)
    return InvalidArgument(
        "The number of rows or columns is not consistent with the specified d_lower, d_upper, and "
        "diagonal.");
  b.rows = rows;
  b.columns = columns;
  b.longest = longest;
  return {};
}

Result<Shape> MatrixShape(const Shape& diagonal, int64_t rows, int64_t columns, Band& b) {
  const int last = diagonal.rank() - 1;
  if (b.count() > 1 && (last < 1 || (diagonal[last - 1] >= 0 && diagonal[last - 1] != b.count())))
    return InvalidArgument(
        "The number of diagonals provided in the input does not match the lower "
        "and upper diagonals: ",
        diagonal, " for ", b.count(), " diagonals");
  TENSH_RETURN_IF_ERROR(FitMatrix(diagonal[last], rows, columns, b));
  int64_t dims[Shape::kMaxRank + 2];
  size_t rank = 0;
  for (int i = 0; i < last - (b.count() > 1); ++i) dims[rank++] = diagonal[i];
  dims[rank++] = b.rows;
  dims[rank++] = b.columns;
  return Shape::Make({dims, rank}, false);
}

// The inputs are diagonal and, from V2 on, k, num_rows, num_cols and padding_value.
Status MatrixDiag(KernelCtx& c) {
  const Tensor& diagonal = c.in(0);
  Band b;
  int64_t extents[2] = {-1, -1};
  if (c.num_inputs() == 5) {
    TENSH_RETURN_IF_ERROR(ReadK(c.in(1), b));
    for (int i = 0; i < 2; ++i) {
      if (c.in(2 + i).num_elements() != 1)
        return InvalidArgument(i ? "num_cols" : "num_rows", " must be a scalar");
      extents[i] = IndexAt(c.in(2 + i), 0);
    }
    if (c.in(4).num_elements() != 1)
      return InvalidArgument("padding_value must be a scalar, received shape ", c.in(4).shape());
  }
  TENSH_ASSIGN(Shape shape, MatrixShape(diagonal.shape(), extents[0], extents[1], b));
  TENSH_RETURN_IF_ERROR(Shape::Make(shape.dims(), true).status());
  TENSH_OUTPUT(out, c.Output(0, shape));
  const int64_t n = out->num_elements();
  if (c.num_inputs() == 5)
    FillElements(c, out->dtype(), out->raw(), c.in(4).raw(), n);
  else
    ZeroElements(c, out->dtype(), out->raw(), n);
  CopyBand(c, b, c.state<AlignState>(), *out, diagonal, false);
  return {};
}

// ---- shapes ----

// Returns false if k is unknown.
Result<bool> ConstantK(ShapeCtx& c, int i, Band& b) {
  if (i >= c.num_inputs()) return true;
  const Tensor* k = c.constant(i);
  if (!k) return false;
  TENSH_RETURN_IF_ERROR(ReadK(*k, b));
  return true;
}

Status DiagPartShape(ShapeCtx& c) {
  Band b;
  TENSH_ASSIGN(bool known, ConstantK(c, 1, b));
  if (!known || !c.in(0).has_rank()) return {};
  const Shape& in = c.in(0);
  b.rows = in[in.rank() - 2];
  b.columns = in[in.rank() - 1];
  if (b.rows >= 0 && b.columns >= 0)
    TENSH_RETURN_IF_ERROR(CheckBand(b));
  else  // the diagonal of an empty matrix is empty, even if its other extent is unknown
    b.longest = c.num_inputs() == 1 && (b.rows == 0 || b.columns == 0) ? 0 : -1;
  c.Set(0, DiagonalShape(in, b));
  return {};
}

Status SetDiagShape(ShapeCtx& c) {
  Band b;
  TENSH_ASSIGN(bool known, ConstantK(c, 2, b));
  const Shape &in = c.in(0), &diagonal = c.in(1);
  if (known && in.has_rank()) {
    b.rows = in[in.rank() - 2];
    b.columns = in[in.rank() - 1];
    if (b.rows >= 0 && b.columns >= 0)
      TENSH_RETURN_IF_ERROR(CheckBand(b));
    else
      b.longest = -1;
    const Shape want = DiagonalShape(in, b);
    TENSH_ASSIGN(Shape merged, MergeShapes(want, diagonal));
    Shape out = in;
    for (int i = 0; i + 2 < in.rank(); ++i) out.set_dim(i, merged[i]);
    c.Set(0, out);
    return {};
  }
  const bool v1 = c.num_inputs() == 2;
  if (!v1 || !diagonal.has_rank() || diagonal.rank() >= Shape::kMaxRank) {
    c.Set(0, in);
    return {};
  }
  Shape out = Shape::UnknownOfRank(diagonal.rank() + 1);
  for (int i = 0; i + 1 < diagonal.rank(); ++i) out.set_dim(i, diagonal[i]);
  c.Set(0, out);
  return {};
}

Status MatrixDiagShape(ShapeCtx& c) {
  Band b;
  TENSH_ASSIGN(bool known, ConstantK(c, 1, b));
  int64_t extents[2] = {-1, -1};
  for (int i = 0; i < 2 && c.num_inputs() == 5; ++i) {
    std::optional<int64_t> extent = ConstantScalar(c, 2 + i);
    known &= extent.has_value();
    extents[i] = extent.value_or(-1);
  }
  const Shape& diagonal = c.in(0);
  if (!known || !diagonal.has_rank()) return {};
  if (diagonal[diagonal.rank() - 1] < 0) {
    Shape out;
    for (int i = 0; i + 1 < diagonal.rank() - (b.count() > 1); ++i) out.Append(diagonal[i]);
    if (out.rank() + 2 > Shape::kMaxRank) return {};
    out.Append(extents[0]);
    out.Append(extents[1]);
    c.Set(0, out);
    return {};
  }
  TENSH_ASSIGN(Shape out, MatrixShape(diagonal, extents[0], extents[1], b));
  c.Set(0, out);
  return {};
}

// ---- gradients ----

std::vector<NamedAttr> AlignAttr(GradScope& g) {
  if (const AttrValue* align = g.attrs().Find("align")) return {{"align", *align}};
  return {};
}

Out Zero(GradScope& g, Out like) { return g.Like(0, like, "padding_value"); }

template <int version>
Status MatrixDiagGrad(GradScope& g) {
  if (version == 1) return g.Return({g.Op("MatrixDiagPart", {g.dy()})});
  const char* op = version == 2 ? "MatrixDiagPartV2" : "MatrixDiagPartV3";
  Out dx = g.Op(op, {g.dy(), g.x(1), Zero(g, g.dy())}, AlignAttr(g), "MatrixDiagPart");
  return g.Return({dx, {}, {}, {}, {}});
}

template <int version>
Status DiagPartGrad(GradScope& g) {
  Out zeros = g.Op("ZerosLike", {g.x(0)}, {}, "zeros_like");
  if (version == 1) return g.Return({g.Op("MatrixSetDiag", {zeros, g.dy()})});
  const char* op = version == 2 ? "MatrixSetDiagV2" : "MatrixSetDiagV3";
  return g.Return({g.Op(op, {zeros, g.dy(), g.x(1)}, AlignAttr(g), "MatrixSetDiag"), {}, {}});
}

template <int version>
Status SetDiagGrad(GradScope& g) {
  Out zeros = g.Op("ZerosLike", {g.x(1)}, {}, "zeros");
  if (version == 1) {
    Out dx = g.Op("MatrixSetDiag", {g.dy(), zeros});
    return g.Return({dx, g.Op("MatrixDiagPart", {g.dy()})});
  }
  const char* set = version == 2 ? "MatrixSetDiagV2" : "MatrixSetDiagV3";
  const char* part = version == 2 ? "MatrixDiagPartV2" : "MatrixDiagPartV3";
  Out dx = g.Op(set, {g.dy(), zeros, g.x(2)}, AlignAttr(g), "MatrixSetDiag");
  Out diagonal = g.Op(part, {g.dy(), g.x(2), Zero(g, g.dy())}, AlignAttr(g), "MatrixDiagPart");
  return g.Return({dx, diagonal, {}});
}

constexpr char kAlign[] =
    "T: type, align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'";
constexpr char kBandDoc[] =
    " k: the diagonals, one number or the lowest and the highest; 0 is the main diagonal, positive "
    "numbers are above it.";
constexpr char kAlignDoc[] =
    " align: the side to which diagonals shorter than the longest are aligned, first for those "
    "above the main one.";

void RegisterMatrixDiag(OpRegistry& r) {
  OpSpec spec = {.name = "MatrixDiag",
                 .inputs = "diagonal: T",
                 .outputs = "output: T",
                 .attrs = "T: type",
                 .doc =
                     "Matrices with the given main diagonals and zeros elsewhere. diagonal: "
                     "vectors along the last dimension. T: the element type.",
                 .contract = "diagonal: rank 1+",
                 .shape = MatrixDiagShape,
                 .grad = MatrixDiagGrad<1>,
                 .examples = {{"tf.raw_ops.MatrixDiag(diagonal=[1, 2])", "[[1 0]\n [0 2]]"}}};
  r.Op(spec).CpuAny(MatrixDiag, PrepareAlign);
  spec.name = "MatrixDiagV2";
  spec.inputs = "diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T";
  spec.doc = StrCat(
      "Matrices with the given diagonals. diagonal: vectors along the last dimension; several "
      "diagonals are numbered by the dimension before it.",
      kBandDoc,
      " num_rows, num_cols: the extents of the matrices; -1 means the smallest possible. "
      "padding_value: the value of all other elements. T: the element type.");
  spec.grad = MatrixDiagGrad<2>;
  spec.examples = {
      {"tf.raw_ops.MatrixDiagV2(diagonal=[1], k=1, num_rows=-1, num_cols=-1, "
       "padding_value=0)",
       "[[0 1]\n [0 0]]"}};
  r.Op(spec).CpuAny(MatrixDiag, PrepareAlign);
  spec.name = "MatrixDiagV3";
  spec.attrs = kAlign;
  spec.doc += kAlignDoc;
  spec.grad = MatrixDiagGrad<3>;
  spec.examples = {
      {"tf.raw_ops.MatrixDiagV3(diagonal=[1, 2], k=0, num_rows=-1, num_cols=-1, padding_value=0)",
       "[[1 0]\n [0 2]]"}};
  r.Op(spec).CpuAny(MatrixDiag, PrepareAlign);
}

void RegisterDiagPart(OpRegistry& r) {
  OpSpec spec = {
      .name = "MatrixDiagPart",
      .inputs = "input: T",
      .outputs = "diagonal: T",
      .attrs = "T: type",
      .doc =
          "The main diagonals of matrices. input: matrices in the last two dimensions. T: the "
          "element type.",
      .contract = "input: rank 2+",
      .shape = DiagPartShape,
      .grad = DiagPartGrad<1>,
      .examples = {{"tf.raw_ops.MatrixDiagPart(input=[[1, 2], [3, 4]])", "[1 4]"}}};
  r.Op(spec).CpuAny(DiagPart, PrepareAlign);
  spec.name = "MatrixDiagPartV2";
  spec.inputs = "input: T, k: int32, padding_value: T";
  spec.doc = StrCat("Diagonals of matrices. input: matrices in the last two dimensions.", kBandDoc,
                    " padding_value: the value that pads diagonals shorter than the longest. T: "
                    "the element type.");
  spec.grad = DiagPartGrad<2>;
  spec.examples = {
      {"tf.raw_ops.MatrixDiagPartV2(input=[[1, 2], [3, 4]], k=1, padding_value=0)", "[2]"}};
  r.Op(spec).CpuAny(DiagPart, PrepareAlign);
  spec.name = "MatrixDiagPartV3";
  spec.attrs = kAlign;
  spec.doc += kAlignDoc;
  spec.grad = DiagPartGrad<3>;
  spec.examples = {
      {"tf.raw_ops.MatrixDiagPartV3(input=[[1, 2], [3, 4]], k=0, padding_value=0)", "[1 4]"}};
  r.Op(spec).CpuAny(DiagPart, PrepareAlign);
}

void RegisterSetDiag(OpRegistry& r) {
  OpSpec spec = {.name = "MatrixSetDiag",
                 .inputs = "input: T, diagonal: T",
                 .outputs = "output: T",
                 .attrs = "T: type",
                 .doc =
                     "Matrices with the main diagonal replaced. input: matrices in the last two "
                     "dimensions. diagonal: the new diagonals. T: the element type.",
                 .contract = "input: rank 2+, diagonal: rank 1+",
                 .shape = SetDiagShape,
                 .grad = SetDiagGrad<1>,
                 .examples = {{"tf.raw_ops.MatrixSetDiag(input=[[1, 2], [3, 4]], diagonal=[8, 9])",
                               "[[8 2]\n [3 9]]"}}};
  r.Op(spec).CpuAny(SetDiag, PrepareAlign);
  spec.name = "MatrixSetDiagV2";
  spec.inputs = "input: T, diagonal: T, k: int32";
  spec.doc = StrCat(
      "Matrices with diagonals replaced. input: matrices in the last two dimensions. diagonal: the "
      "new diagonals.",
      kBandDoc, " T: the element type.");
  spec.grad = SetDiagGrad<2>;
  spec.examples = {{"tf.raw_ops.MatrixSetDiagV2(input=[[1, 2], [3, 4]], diagonal=[9], k=-1)",
                    "[[1 2]\n [9 4]]"}};
  r.Op(spec).CpuAny(SetDiag, PrepareAlign);
  spec.name = "MatrixSetDiagV3";
  spec.attrs = kAlign;
  spec.doc += kAlignDoc;
  spec.grad = SetDiagGrad<3>;
  spec.examples = {{"tf.raw_ops.MatrixSetDiagV3(input=[[1, 2], [3, 4]], diagonal=[8, 9], k=0)",
                    "[[8 2]\n [3 9]]"}};
  r.Op(spec).CpuAny(SetDiag, PrepareAlign);
}

}  // namespace

TENSH_OPS(linalg_matrix_diag) {
  RegisterMatrixDiag(r);
  RegisterDiagPart(r);
  RegisterSetDiag(r);
  // The names in graphs older than rank-independent ops.
  for (const char* name : {"MatrixBandPart", "MatrixDiag", "MatrixDiagPart", "MatrixSetDiag"})
    r.Alias(StrCat("Batch", name), name);
}

}  // namespace tensh::ops
