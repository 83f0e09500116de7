// SparseToDense and SparseTensorDenseMatMul, whose sparse operand is given as indices, values and
// shape.
#include "ops/op_file.h"
#include "ops/sparse/sparse_product.h"
#include "ops/support/array_copy.h"
#include "ops/support/complex_types.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct DenseState : KernelState {
  bool validate;
  void Read(PrepareCtx& c) { validate = c.attrs().Bool("validate_indices"); }
};

// Checks row i of the indices against `shape` and stores the element's offset in a dense tensor.
Status PlaceOf(const Tensor& indices, int64_t i, const Shape& shape, int64_t* place) {
  *place = 0;
  for (int d = 0; d < shape.rank(); ++d) {
    const int64_t k = IndexAt(indices, i * shape.rank() + d);
    if (k < 0 || k >= shape[d])
      return InvalidArgument("indices[", i, "] is out of bounds: ", k, " along dimension ", d,
                             ", need 0 <= index < ", shape[d]);
    *place = *place * shape[d] + k;
  }
  return {};
}

Status ToDense(KernelCtx& c) {
  const Tensor &indices = c.in(0), &values = c.in(2), &fallback = c.in(3);
  const int64_t n = indices.rank() > 0 ? indices.dim(0) : 1;
  const int64_t dims = indices.rank() > 1 ? indices.dim(1) : 1;
  if (c.in(1).num_elements() != dims)
    return InvalidArgument("output_shape has incorrect number of elements: ",
                           c.in(1).num_elements(), " should be: ", dims);
  if (values.rank() == 1 && values.num_elements() != n)
    return InvalidArgument("sparse_values has incorrect shape ", values.shape(),
                           ", should be [] or [", n, "]");
  TENSH_ASSIGN(const Shape shape, ShapeFromTensor(c.in(1)));
  TENSH_OUTPUT(out, c.Output(0, shape));
  FillElements(out->dtype(), out->raw(), fallback.raw(), out->num_elements());
  int64_t before = -1;
  for (int64_t i = 0; i < n; ++i) {
    int64_t place;
    TENSH_RETURN_IF_ERROR(PlaceOf(indices, i, shape, &place));
    if (c.state<DenseState>().validate && place <= before)
      return InvalidArgument("indices[", i, "] is ", place == before ? "repeated" : "out of order");
    before = place;
    CopyElements(out->dtype(), At(*out, place), At(values, values.rank() ? i : 0), 1);
  }
  return {};
}

Status ToDenseShape(ShapeCtx& c) {
  TENSH_ASSIGN(const Shape shape, ShapeInput(c, 1));
  c.Set(0, shape);
  return {};
}

// Each element of the gradient belongs to a sparse value, or otherwise to the default.
Status ToDenseGrad(GradScope& g) {
  Out values = g.Op("GatherNd", {g.dy(0), g.x(0)});
  Out rest = g.Op("Sub", {SumAll(g, g.dy(0)), SumAll(g, values)}, {}, "sub");
  return g.Return({{}, {}, values, rest});
}

struct SparseDenseMatMul {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const SparseProduct p, SparseProductOf(c));
    const Tensor &indices = c.in(0), &values = c.in(1), &b = c.in(3);
    TENSH_OUTPUT(out, c.Output(0, {p.left, p.right}));
    T* y = out->data<T>();
    ZeroElements(c, out->dtype(), out->raw(), out->num_elements());
    for (int64_t i = 0; i < values.num_elements(); ++i) {
      const int64_t m = IndexAt(indices, 2 * i + p.row), k = IndexAt(indices, 2 * i + p.column);
      if (k < 0 || k >= p.inner)
        return InvalidArgument("k (", k, ") from index[", i, ",", p.column,
                               "] out of bounds (>=", p.inner, ")");
      if (m < 0 || m >= p.left)
        return InvalidArgument("m (", m, ") from index[", i, ",", p.row,
                               "] out of bounds (>=", p.left, ")");
      const T a = p.row ? Conjugate(values.data<T>()[i]) : values.data<T>()[i];
      for (int64_t j = 0; j < p.right; ++j) {
        const T factor = b.data<T>()[p.PlaceInB(k, j)];
        y[m * p.right + j] += a * (p.adjoint_b ? Conjugate(factor) : factor);
      }
    }
    return {};
  }
};

Status MatMulShape(ShapeCtx& c) {
  TENSH_ASSIGN(const Shape a, ShapeInput(c, 2));
  const Shape& b = c.in(3);
  const bool known = a.has_rank() && a.rank() == 2;
  const int64_t left = known ? a[c.attrs().Bool("adjoint_a") ? 1 : 0] : -1;
  const int64_t right = b.has_rank() ? b[c.attrs().Bool("adjoint_b") ? 0 : 1] : -1;
  const int64_t inner = known ? a[c.attrs().Bool("adjoint_a") ? 0 : 1] : -1;
  const int64_t other = b.has_rank() ? b[c.attrs().Bool("adjoint_b") ? 1 : 0] : -1;
  if (inner >= 0 && other >= 0 && inner != other)
    return InvalidArgument("Dimensions must be equal, but are ", inner, " and ", other);
  c.Set(0, Shape({left, right}));
  return {};
}

// The gradient of b is the transposed product with dy. The gradient of a value of a is the dot
// product of a row of dy and a row of b.
Status MatMulGrad(GradScope& g) {
  const bool adjoint_a = g.attrs().Bool("adjoint_a"), adjoint_b = g.attrs().Bool("adjoint_b");
  Out perm = ConstInts(g, {1, 0}, "transpose/perm");
  Out of_b = g.Op("SparseTensorDenseMatMul", {g.x(0), g.x(1), g.x(2), g.dy(0)},
                  {{"adjoint_a", !adjoint_a}, {"adjoint_b", false}});
  if (adjoint_b) of_b = g.Op("Transpose", {Conj(g, of_b), perm}, {}, "transpose");
  // Multiplies by the conjugate of b, which the adjoint already contains.
  Out b = adjoint_b ? g.Op("Transpose", {g.x(3), perm}, {}, "transpose") : Conj(g, g.x(3));
  Out one = ConstInt(g, 1, "axis"), zero = ConstInt(g, 0, "axis");
  Out rows = g.Op("GatherV2", {g.x(0), ConstInt(g, adjoint_a ? 1 : 0, "row"), one});
  Out columns = g.Op("GatherV2", {g.x(0), ConstInt(g, adjoint_a ? 0 : 1, "column"), one});
  Out parts = g.Mul(g.Op("GatherV2", {g.dy(0), rows, zero}), g.Op("GatherV2", {b, columns, zero}));
  Out of_a = g.Op("Sum", {parts, ConstInt(g, 1, "Sum/reduction_indices")});
  return g.Return({{}, adjoint_a ? Conj(g, of_a) : of_a, {}, of_b});
}

}  // namespace

TENSH_OPS(sparse_sparse_to_dense) {
  r.Op({.name = "SparseToDense",
        .inputs = "sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, "
                  "default_value: T",
        .outputs = "dense: T",
        .attrs = "validate_indices: bool = true, T: type, Tindices: {int32, int64}",
        .doc = "A dense tensor with the shape output_shape, of type T, filled with default_value "
               "except at sparse_indices, of type Tindices, which have sparse_values, one for each "
               "or a scalar. dense is the result. validate_indices: check that the indices are "
               "sorted and unique.",
        .contract = "sparse_indices: rank 0..2 at run, output_shape: vector at run, sparse_values: "
                    "rank 0..1 at run, default_value: scalar at run",
        .shape = ToDenseShape,
        .grad = ToDenseGrad,
        .examples = {{"tf.sparse_to_dense([0, 2], [4], [5, 7])", "[5 0 7 0]"}}})
      .CpuAny(ToDense, PrepareFrom<DenseState>);
  r.Op({.name = "SparseTensorDenseMatMul",
        .inputs = "a_indices: Tindices, a_values: T, a_shape: int64, b: T",
        .outputs = "product: T",
        .attrs = "T: type, Tindices: {int32, int64} = int64, adjoint_a: bool = false, "
                 "adjoint_b: bool = false",
        .doc = "The product of a sparse matrix and a dense one: a has a_values at a_indices, of "
               "type Tindices, and the size a_shape; b and product have type T. adjoint_a and "
               "adjoint_b: that factor is transposed first.",
        .contract = "a_indices: matrix, a_values: vector, b: matrix",
        .shape = MatMulShape,
        .grad = MatMulGrad,
        .examples = {{"tf.raw_ops.SparseTensorDenseMatMul(a_indices=[[0, 1]], a_values=[2.], "
                      "a_shape=[1, 2], b=[[1.], [3.]])",
                      "[[6.]]"}}})
      .Cpu<float, double, int32_t, Complex64, Complex128>(SparseDenseMatMul{},
                                                          {.prepare = PrepareSparseProduct});
}

}  // namespace tensh::ops
