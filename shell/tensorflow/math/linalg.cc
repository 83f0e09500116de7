// tf.linalg and its functions in tf: inverses, decompositions, diagonals.
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/rows.h"

namespace tensh::shell::tf {
namespace {

bool IsZero(const Value& v) { return v.is_int() && v.as_int() == 0; }

// Arguments: diagonal, name, k, num_rows, num_cols, padding_value, align. Uses the first version of
// the op where it suffices.
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

// Arguments: input, name, k, padding_value, align.
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

// Arguments: input, diagonal, name, k, align.
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

// Arguments: x, name.
Value Trace(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  NameScope scope(g, NameOr(a[1], "Trace"));
  const Out x = Convert(g, a[0], "x");
  const Out diagonal = Op(g, "MatrixDiagPart", {x});
  const Value last = MakeList({Value::Int(-1)});
  return g.Tensor(ReduceOut(g, "Sum", diagonal, last, false, g.scope));
}

// Arguments: tensor, full_matrices, compute_uv, name.
Value Svd(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  OpCall call(g, "Svd", NameText(a[3]));
  const bool vectors = Truth(a[2]);
  call.In(a[0]).attrs().Bool("compute_uv", vectors).Bool("full_matrices", Truth(a[1]));
  const Node node = call.AddNode();
  if (!vectors) return g.Tensor({node, 0});
  return MakeTuple({g.Tensor({node, 0}), g.Tensor({node, 1}), g.Tensor({node, 2})});
}

// Arguments: tensor, name. The row's data says whether only the eigenvalues are computed.
Value SelfAdjointEig(Args& a) {
  const bool vectors = a.row().data == nullptr;
  GraphObject& g = GraphOf({&a[0]});
  OpCall call(g, "SelfAdjointEigV2", NameText(a[1]));
  call.In(a[0]).attrs().Bool("compute_v", vectors);
  const Node node = call.AddNode();
  if (!vectors) return g.Tensor({node, 0});
  return MakeTuple({g.Tensor({node, 0}), g.Tensor({node, 1})});
}

// Arguments: chol, rhs, name.
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

// Arguments: matrix, name.
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
    {"matrix_solve", "matrix, rhs, adjoint=False, name=None", CallOp, "Solves matrix @ x = rhs.",
     "MatrixSolve adjoint"},
    {"matrix_triangular_solve", "matrix, rhs, lower=True, adjoint=False, name=None", CallOp,
     "Solves matrix @ x = rhs for a triangular matrix.", "MatrixTriangularSolve lower adjoint"},
    {"matrix_solve_ls", "matrix, rhs, l2_regularizer=0.0, fast=True, name=None", CallOp,
     "Solves matrix @ x = rhs by least squares.", "MatrixSolveLs fast"},
    {"cholesky", "input, name=None", CallOp,
     "The lower triangular factor of a positive definite matrix.", "Cholesky"},
    {"cholesky_solve", "chol, rhs, name=None", CholeskySolve,
     "Solves A @ x = rhs from the Cholesky factor of A."},
    {"qr", "input, full_matrices=False, name=None", CallOp,
     "The QR decomposition: an orthogonal and an upper triangular matrix.", "Qr full_matrices"},
    {"svd", "tensor, full_matrices=False, compute_uv=True, name=None", Svd,
     "Singular values and singular vectors."},
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
     "Replaces the diagonals of matrices."},
    {"matrix_band_part", "input, num_lower, num_upper, name=None", CallOp,
     "Sets everything outside a band of matrices to zero.", "MatrixBandPart"},
    {"trace", "x, name=None", Trace, "The sum of the main diagonal."},
    {"cross", "a, b, name=None", CallOp, "Cross products.", "Cross"},
};

// Only in tf.linalg.
const FunctionRow kDeterminantRows[] = {
    {"slogdet", "input, name=None", CallOp, "Sign and logarithm of the determinant.",
     "LogMatrixDeterminant"},
    {"logdet", "matrix, name=None", LogDet,
     "The logarithm of the determinant of a positive definite matrix."},
};

}  // namespace

std::span<const FunctionRow> LinalgRows() { return kRows; }
std::span<const FunctionRow> DeterminantRows() { return kDeterminantRows; }

}  // namespace tensh::shell::tf
