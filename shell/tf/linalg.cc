// tf.linalg and its names in tf: inverses, decompositions, diagonals.
#include "shell/tf/build.h"
#include "shell/tf/rows.h"
#include "shell/values/error.h"
#include "shell/values/ops.h"

namespace tensh::shell::tf {
namespace {

bool IsZero(const Value& v) { return v.is_int() && v.as_int() == 0; }

// diagonal, name, k, num_rows, num_cols, padding_value, align: the first version where it is enough
Value MatrixDiag(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[2], &a[3], &a[4], &a[5]});
  auto is = [](const Value& v, int64_t n) { return v.is_int() && v.as_int() == n; };
  if (IsZero(a[2]) && is(a[3], -1) && is(a[4], -1) && IsZero(a[5])) {
    OpCall call(g, GetOp("MatrixDiag"), NameText(a[1]), "diag");
    return call.In(a[0]).AddValue();
  }
  OpCall call(g, GetOp("MatrixDiagV3"), NameText(a[1]), "diag");
  call.In(a[0]).In(a[2]).In(a[3]).In(a[4]).In(a[5]).attrs().String("align", StrView(a[6]));
  return call.AddValue();
}

// input, name, k, padding_value, align
Value MatrixDiagPart(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[2], &a[3]});
  if (IsZero(a[2])) {
    OpCall call(g, GetOp("MatrixDiagPart"), NameText(a[1]), "diag_part");
    return call.In(a[0]).AddValue();
  }
  OpCall call(g, GetOp("MatrixDiagPartV3"), NameText(a[1]), "diag_part");
  call.In(a[0]).In(a[2]).In(a[3]).attrs().String("align", StrView(a[4]));
  return call.AddValue();
}

// input, diagonal, name, k, align
Value MatrixSetDiag(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1], &a[3]});
  if (IsZero(a[3])) {
    OpCall call(g, GetOp("MatrixSetDiag"), NameText(a[2]), "set_diag");
    return call.In(a[0]).In(a[1]).AddValue();
  }
  OpCall call(g, GetOp("MatrixSetDiagV3"), NameText(a[2]), "set_diag");
  call.In(a[0]).In(a[1]).In(a[3]).attrs().String("align", StrView(a[4]));
  return call.AddValue();
}

// x, name
Value Trace(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  NameScope scope(g, NameOr(a[1], "Trace"));
  const Out x = Convert(g, a[0], "x");
  const Out diagonal = Op(g, "MatrixDiagPart", {x});
  const Value last = MakeList({Value::Int(-1)});
  return g.Tensor(ReduceOut(g, "Sum", diagonal, last, false, g.scope));
}

// tensor, full_matrices, compute_uv, name
Value Svd(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  OpCall call(g, "Svd", NameText(a[3]));
  const bool vectors = Truth(a[2]);
  call.In(a[0]).attrs().Bool("compute_uv", vectors).Bool("full_matrices", Truth(a[1]));
  const Node node = call.AddNode();
  if (!vectors) return g.Tensor({node, 0});
  return MakeTuple({g.Tensor({node, 0}), g.Tensor({node, 1}), g.Tensor({node, 2})});
}

// tensor, name; the row says whether only values are wanted
Value SelfAdjointEig(Args& a) {
  const bool vectors = a.row().data == nullptr;
  GraphObject& g = GraphOf({&a[0]});
  OpCall call(g, "SelfAdjointEigV2", NameText(a[1]));
  call.In(a[0]).attrs().Bool("compute_v", vectors);
  const Node node = call.AddNode();
  if (!vectors) return g.Tensor({node, 0});
  return MakeTuple({g.Tensor({node, 0}), g.Tensor({node, 1})});
}

// chol, rhs, name
Value CholeskySolve(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  NameScope scope(g, NameOr(a[2], "cholesky_solve"));
  const Out factor = Convert(g, a[0], "chol");
  Out x = Convert(g, a[1], "rhs");
  for (bool adjoint : {false, true}) {
    OpCall call(g, "MatrixTriangularSolve");
    call.In(factor).In(x).attrs().Bool("adjoint", adjoint).Bool("lower", true);
    x = call.Add();
  }
  return g.Tensor(x);
}

// matrix, name
Value LogDet(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  NameScope scope(g, NameOr(a[1], "logdet"));
  const Out factor = Op(g, "Cholesky", {a[0]});
  const Out log = Op(g, "Log", {Op(g, "MatrixDiagPart", {factor})});
  const Value last = MakeList({Value::Int(-1)});
  return g.Tensor(MulOp(g, Value::Float(2), ReduceOut(g, "Sum", log, last, false)));
}

const FunctionRow kRows[] = {
    {"matrix_inverse", "input, adjoint=False, name=None", CallOp, "The inverse of matrices.",
     "MatrixInverse adjoint"},
    {"matrix_determinant", "input, name=None", CallOp, "The determinant of matrices.",
     "MatrixDeterminant"},
    {"matrix_solve", "matrix, rhs, adjoint=False, name=None", CallOp, "x of matrix @ x = rhs.",
     "MatrixSolve adjoint"},
    {"matrix_triangular_solve", "matrix, rhs, lower=True, adjoint=False, name=None", CallOp,
     "x of matrix @ x = rhs, matrix triangular.", "MatrixTriangularSolve lower adjoint"},
    {"matrix_solve_ls", "matrix, rhs, l2_regularizer=0.0, fast=True, name=None", CallOp,
     "x of matrix @ x = rhs by least squares.", "MatrixSolveLs fast"},
    {"cholesky", "input, name=None", CallOp, "The lower factor of a positive definite matrix.",
     "Cholesky"},
    {"cholesky_solve", "chol, rhs, name=None", CholeskySolve,
     "x of A @ x = rhs from the Cholesky factor of A."},
    {"qr", "input, full_matrices=False, name=None", CallOp, "Orthogonal times upper triangular.",
     "Qr full_matrices"},
    {"svd", "tensor, full_matrices=False, compute_uv=True, name=None", Svd,
     "Singular values and vectors."},
    {"self_adjoint_eig", "tensor, name=None", SelfAdjointEig,
     "Eigenvalues and eigenvectors of symmetric matrices."},
    {"self_adjoint_eigvals", "tensor, name=None", SelfAdjointEig,
     "Eigenvalues of symmetric matrices.", "values"},
    {"matrix_diag",
     "diagonal, name='diag', k=0, num_rows=-1, num_cols=-1, padding_value=0, align='RIGHT_LEFT'",
     MatrixDiag, "Matrices with given diagonals."},
    {"matrix_diag_part", "input, name='diag_part', k=0, padding_value=0, align='RIGHT_LEFT'",
     MatrixDiagPart, "The diagonals of matrices."},
    {"matrix_set_diag", "input, diagonal, name='set_diag', k=0, align='RIGHT_LEFT'", MatrixSetDiag,
     "Matrices with other diagonals."},
    {"matrix_band_part", "input, num_lower, num_upper, name=None", CallOp,
     "Matrices with all but a band set to zero.", "MatrixBandPart"},
    {"trace", "x, name=None", Trace, "The sum of the main diagonal."},
    {"cross", "a, b, name=None", CallOp, "Cross products.", "Cross"},
    // In tf.linalg only.
    {"linalg.slogdet", "input, name=None", CallOp, "Sign and logarithm of the determinant.",
     "LogMatrixDeterminant"},
    {"linalg.logdet", "matrix, name=None", LogDet,
     "The logarithm of the determinant of a positive definite matrix."},
};

// tf.linalg's names for those that tf has under longer ones.
constexpr std::pair<std::string_view, const char*> kShort[] = {
    {"inv", "matrix_inverse"},
    {"det", "matrix_determinant"},
    {"solve", "matrix_solve"},
    {"triangular_solve", "matrix_triangular_solve"},
    {"lstsq", "matrix_solve_ls"},
    {"eigh", "self_adjoint_eig"},
    {"eigvalsh", "self_adjoint_eigvals"},
    {"diag", "matrix_diag"},
    {"diag_part", "matrix_diag_part"},
    {"set_diag", "matrix_set_diag"},
    {"band_part", "matrix_band_part"},
    {"slogdet", "linalg.slogdet"},
    {"logdet", "linalg.logdet"},
};

}  // namespace

std::span<const FunctionRow> LinalgRows() { return kRows; }

std::string_view LinalgName(std::string_view shorter) {
  for (const auto& [name, full] : kShort)
    if (name == shorter) return full;
  return shorter;
}

}  // namespace tensh::shell::tf
