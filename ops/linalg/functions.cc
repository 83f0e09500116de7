// Lu, MatrixSquareRoot and MatrixLogarithm.
#include "ops/linalg/batch_matrix.h"
#include "ops/linalg/matrix_algebra.h"
#include "ops/linalg/matrix_grad.h"
#include "ops/op_file.h"
#include "ops/support/grad_util.h"

namespace tensh::ops {
namespace {

double Cubic(int64_t n) {
  const double d = static_cast<double>(n);
  return 500 + 20 * d * d * d;
}

struct LuKernel {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& a = c.in(0);
    TENSH_ASSIGN(const MatrixBatch b, SquareBatch(a.shape()));
    TENSH_OUTPUT(lu, c.Output(0, a.shape()));
    TENSH_OUTPUT(p, c.Output(1, ReplaceLast(a.shape(), 1, {})));
    const bool narrow = c.out_dtype(1) == DType::kInt32;
    T* to = lu->data<T>();
    return ForEachMatrix(c, b.count, Cubic(b.rows), "Input is not invertible.", [&](int64_t i) {
      std::vector<int64_t> order(static_cast<size_t>(b.rows));
      const bool found =
          LuDecompose(b.rows, a.data<T>() + i * b.size(), to + i * b.size(), order.data());
      if (narrow)
        std::copy(order.begin(), order.end(), p->data<int32_t>() + i * b.rows);
      else
        std::copy(order.begin(), order.end(), p->data<int64_t>() + i * b.rows);
      return found;
    });
  }
};

template <bool kRoot>
struct FunctionKernel {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& a = c.in(0);
    TENSH_ASSIGN(const MatrixBatch b, SquareBatch(a.shape()));
    TENSH_OUTPUT(out, c.Output(0, a.shape()));
    // If a matrix has no such function, the result is NaN, as in TensorFlow.
    return ForEachMatrix(c, b.count, Cubic(b.rows), "", [&](int64_t i) {
      const T* from = a.data<T>() + i * b.size();
      T* to = out->data<T>() + i * b.size();
      const bool found = kRoot ? SquareRoot(b.rows, from, to) : Logarithm(b.rows, from, to);
      using Real = decltype(std::abs(T()));
      constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();
      if constexpr (kIsComplex<T>) {
        if (!found) std::fill_n(to, b.size(), T(kNan, kNan));
      } else {
        if (!found) std::fill_n(to, b.size(), kNan);
      }
      return true;
    });
  }
};

// ---- shapes ----

Status SquareShape(ShapeCtx& c) {
  Shape out;
  TENSH_RETURN_IF_ERROR(SquareInput(c, 0, out));
  c.Set(0, out);
  return {};
}

Status LuShape(ShapeCtx& c) {
  Shape in;
  TENSH_RETURN_IF_ERROR(SquareInput(c, 0, in));
  c.Set(0, in);
  if (in.has_rank()) c.Set(1, ReplaceLast(in, 1, {}));
  return {};
}

// ---- gradients ----

Out Expand(GradScope& g, Out t, int64_t axis) {
  return g.Op("ExpandDims", {t, ConstInt(g, axis, "ExpandDims/dim")});
}

// Returns the Kronecker product of two batches of n x n matrices. `shape` is the shape of the
// result.
Out Kronecker(GradScope& g, Out a, Out b, Out shape) {
  Out wide = Expand(g, Expand(g, a, -1), -3), narrow = Expand(g, Expand(g, b, -2), -4);
  return g.Op("Reshape", {g.Mul(wide, narrow), shape});
}

// Solves dx * y + y * dx = dy as a system of linear equations in the elements of dx.
Status SquareRootGrad(GradScope& g) {
  Out y = g.y(0), shape = ShapeOf(g, y);
  Out batch = g.Op(
      "StridedSlice",
      {shape, ConstInts(g, {0}, "strided_slice/stack"), ConstInts(g, {-2}, "strided_slice/stack_1"),
       ConstInts(g, {1}, "strided_slice/stack_2")},
      {{"begin_mask", 1}}, "strided_slice");
  Out order = g.Op(
      "StridedSlice",
      {shape, ConstInts(g, {-1}, "strided_slice_1/stack"),
       ConstInts(g, {0}, "strided_slice_1/stack_1"), ConstInts(g, {1}, "strided_slice_1/stack_2")},
      {{"end_mask", 1}}, "strided_slice_1");
  Out square = g.Mul(order, order);
  Out axis = ConstInt(g, 0, "concat/axis");
  Out matrix = Concat(g, {batch, square, square}, axis);
  Out column = Concat(g, {batch, square, ConstInts(g, {1}, "concat/values_1")}, axis);
  Out eye = MatrixEye(g, y), turned = Conj(g, MatrixAdjoint(g, y));
  Out sum = GradAdd(g, Kronecker(g, eye, turned, matrix), Kronecker(g, y, eye, matrix));
  Out dy = Conj(g, MatrixAdjoint(g, g.dy()));
  Out dx = g.Op("MatrixSolve", {sum, g.Op("Reshape", {dy, column})});
  return g.Return({Conj(g, MatrixAdjoint(g, g.Op("Reshape", {dx, shape})))});
}

}  // namespace

TENSH_OPS(linalg_functions) {
  r.Op({.name = "Lu",
        .inputs = "input: T",
        .outputs = "lu: T, p: output_idx_type",
        .attrs = "T: {double, float, half, complex64, complex128}, output_idx_type: {int32, "
                 "int64} = int32",
        .doc = "LU decompositions of square matrices. input: matrices in the last two dimensions. "
               "lu: both factors in one matrix; the diagonal of the lower factor is 1 and not "
               "stored. p, of type output_idx_type: the row of input that is each row of the "
               "product. T: the element type.",
        .contract = "input: rank 2+",
        .shape = LuShape,
        .examples = {{"tf.linalg.lu([[0., 2.], [4., 1.]])[0]", "[[4. 1.]\n [0. 2.]]"}}})
      .Cpu<float, double, Complex64, Complex128>(LuKernel{});
  r.Op({.name = "MatrixSquareRoot",
        .inputs = "input: T",
        .outputs = "output: T",
        .attrs = "T: {double, float, half, complex64, complex128}",
        .doc = "The square roots of matrices: output times output is input. input: square matrices "
               "in the last two dimensions. T: the element type.",
        .contract = "input: rank 2+",
        .shape = SquareShape,
        .grad = SquareRootGrad,
        .examples = {{"tf.linalg.sqrtm([[4., 0.], [0., 9.]])", "[[2. 0.]\n [0. 3.]]"}}})
      .Cpu<float, double, Complex64, Complex128>(FunctionKernel<true>{});
  r.Op({.name = "MatrixLogarithm",
        .inputs = "input: T",
        .outputs = "output: T",
        .attrs = "T: {complex64, complex128}",
        .doc = "The logarithms of matrices: the exponential of output is input. input: square "
               "matrices in the last two dimensions. T: the element type.",
        .contract = "input: rank 2+",
        .shape = SquareShape,
        .examples = {{"tf.linalg.logm(tf.constant([[1.]], tf.complex64))", "[[0.+0.j]]"}}})
      .Cpu<Complex64, Complex128>(FunctionKernel<false>{});
}

}  // namespace tensh::ops
