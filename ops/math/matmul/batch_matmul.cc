// BatchMatMul in all versions: matrix products over broadcast batch dimensions.
#include <algorithm>

#include "ops/math/elementwise/complex_functions.h"
#include "ops/math/matmul/matmul_dims.h"
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

// Returns the conjugate of x if the adjoint of a complex x is needed. Gemm then only transposes.
template <class T>
Result<Tensor> Adjoint(const Tensor& x, bool adjoint) {
  if (!kIsComplex<T> || !adjoint) return x;
  Tensor copy = x.DeepCopy();
  if (!copy) return ResourceExhausted("OOM when allocating tensor with shape", x.shape());
  for (T& z : copy.flat<T>()) z = Conjugate(z);
  return copy;
}

struct BatchMatMul {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return Run<T>(c, c.in(0), c.in(1));
  }

  template <class T>
  static Status Run(KernelCtx& c, const Tensor& x, const Tensor& y) {
    const auto& s = c.state<BatchMatMulState>();
    TENSH_ASSIGN(const BatchMatMulDims dims, BatchMatMulDimsOf(c, x, y));
    TENSH_OUTPUT(z, c.Output(0, dims.out));
    if (!z->num_elements()) return {};
    const GemmDims& d = dims.each;
    const BroadcastPlan& plan = dims.plan;
    const bool step_x = dims.step_x, step_y = dims.step_y;
    TENSH_ASSIGN(const Tensor left, Adjoint<T>(x, s.adj_x));
    TENSH_ASSIGN(const Tensor right, Adjoint<T>(y, s.adj_y));
    // Products are numbered by their place in the result. A large one is divided further by Gemm.
    const double ns = 0.01 * static_cast<double>(d.m * d.n) * static_cast<double>(d.k) + 50;
    c.ParallelFor(plan.rows * plan.row, ns, [&](int64_t begin, int64_t end) {
      const int64_t first = begin / plan.row, last = (end + plan.row - 1) / plan.row;
      ForEachRow(plan, first, last, [&](int64_t i, int64_t j, int64_t k) {
        const int64_t stop = std::min(end - k, plan.row);
        for (int64_t b = std::max<int64_t>(begin - k, 0); b < stop; ++b)
          Gemm(c, d, left.data<T>() + (i + step_x * b) * d.m * d.k,
               right.data<T>() + (j + step_y * b) * d.k * d.n, z->data<T>() + (k + b) * d.m * d.n);
      });
    });
    return {};
  }
};

// Products of 8-bit integers, computed in type T.
struct BatchMatMulMixed {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Tensor x, As<T>(c, c.in(0)));
    TENSH_ASSIGN(const Tensor y, As<T>(c, c.in(1)));
    return BatchMatMul::Run<T>(c, x, y);
  }

  template <class T>
  static Result<Tensor> As(KernelCtx& c, const Tensor& from) {
    if constexpr (!kIsComplex<T>) {
      if (from.dtype() == DType::kInt8) return Widen<int8_t, T>(c, from);
      if (from.dtype() == DType::kUint8) return Widen<uint8_t, T>(c, from);
    }
    return from;
  }

  template <class From, class T>
  static Result<Tensor> Widen(KernelCtx& c, const Tensor& from) {
    TENSH_ASSIGN(Tensor wide, Tensor::Make(kDTypeOf<T>, from.shape(), c.allocator()));
    const From* in = from.data<From>();
    T* out = wide.data<T>();
    for (int64_t i = 0; i < from.num_elements(); ++i) out[i] = static_cast<T>(in[i]);
    return wide;
  }
};

// Selects the kernel. Either all types are equal, or 8-bit inputs give int32, or an 8-bit and a
// bfloat16 input give bfloat16. Here bfloat16 already appears as float.
Result<std::unique_ptr<KernelState>> PrepareMixed(PrepareCtx& c) {
  const DType x = c.input_dtype(0), y = c.input_dtype(1), out = c.output_dtype(0);
  auto small = [](DType t) { return t == DType::kInt8 || t == DType::kUint8; };
  const bool bytes = small(x) && small(y) && out == DType::kInt32;
  const bool brain = out == DType::kFloat && ((small(x) && y == out) || (small(y) && x == out));
  if (!(x == out && y == out) && !bytes && !brain)
    return InvalidArgument(c.node_name(), ": no kernel for types ", SignatureName(x), " and ",
                           SignatureName(y), " as ", SignatureName(out));
  return PrepareBatchMatMul(c);
}

Status BatchShape(ShapeCtx& c) {
  if (!c.in(0).has_rank() || !c.in(1).has_rank()) return {};
  TENSH_ASSIGN(Shape shape, BatchProductShape(c.in(0), c.in(1), c.attrs().Bool("adj_x"),
                                              c.attrs().Bool("adj_y")));
  c.Set(0, shape);
  return {};
}

Out Product(GradScope& g, Out a, Out b, bool adj_x, bool adj_y) {
  return g.Op("BatchMatMulV2", {a, b}, {{"adj_x", adj_x}, {"adj_y", adj_y}}, "MatMul");
}

// Sums a gradient over the batch dimensions that were broadcast and gives it the shape of the
// input.
Out SumBatches(GradScope& g, Out gradient, Out axes, Out shape) {
  return g.Op("Reshape", {g.Op("Sum", {gradient, axes}), shape});
}

Out BatchOf(GradScope& g, Out shape) {
  const int32_t begin[] = {0}, end[] = {-2}, step[] = {1};
  return g.Op("StridedSlice",
              {shape, g.Const(Tensor::Vector<int32_t>(begin), "strided_slice/stack"),
               g.Const(Tensor::Vector<int32_t>(end), "strided_slice/stack_1"),
               g.Const(Tensor::Vector<int32_t>(step), "strided_slice/stack_2")},
              {{"begin_mask", 1}}, "strided_slice");
}

bool SameBatch(GradScope& g) {
  const Shape x = g.shape(g.x(0)), y = g.shape(g.x(1));
  if (!x.has_rank() || !y.has_rank()) return false;
  const Shape bx = BatchDims(x), by = BatchDims(y);
  return bx.IsFullyKnown() && bx == by;
}

Status BatchMatMulGrad(GradScope& g) {
  const bool ax = g.attrs().Bool("adj_x"), ay = g.attrs().Bool("adj_y");
  const Out x = g.x(0), y = g.x(1), dy = g.dy();
  const Out dx0 = ax ? Product(g, y, dy, ay, true) : Product(g, dy, y, false, !ay);
  const Out dx1 = ay ? Product(g, dy, x, true, ax) : Product(g, x, dy, !ax, false);
  if (SameBatch(g)) return g.Return({dx0, dx1});
  const Out sx = g.Op("Shape", {x}), sy = g.Op("Shape", {y});
  const Out axes = g.Op("BroadcastGradientArgs", {BatchOf(g, sx), BatchOf(g, sy)});
  const Out gx = SumBatches(g, dx0, axes, sx);
  return g.Return({gx, SumBatches(g, dx1, g.Output(axes, 1), sy)});
}

}  // namespace

TENSH_OPS(math_matmul_batch_matmul) {
  r.Op({.name = "BatchMatMulV2",
        .inputs = "x: T, y: T",
        .outputs = "output: T",
        .attrs = "T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, "
                 "uint64, complex64, complex128}, adj_x: bool = false, adj_y: bool = false, "
                 "grad_x: bool = false, grad_y: bool = false",
        .doc = "The matrix products of two batches of matrices. x, y: tensors of rank 2 or more; "
               "the last two dimensions are the matrices, the others broadcast. T: the element "
               "type. adj_x, adj_y: multiply the (conjugate) transpose of those matrices instead. "
               "grad_x, grad_y: mark products that compute a gradient; they have no effect.",
        .contract = "x: rank 2+, y: rank 2+",
        .shape = BatchShape,
        .grad = BatchMatMulGrad,
        .examples = {{"tf.matmul([[[1., 2.]], [[3., 4.]]], [[[5.], [6.]], [[7.], [8.]]])",
                      "[[[17.]]\n\n [[53.]]]"}}})
      .Cpu<float, double, int32_t, int64_t, uint64_t, Complex64, Complex128>(
          BatchMatMul{}, {.prepare = PrepareBatchMatMul});
  r.Alias("BatchMatMul", "BatchMatMulV2");
  r.Op({.name = "BatchMatMulV3",
        .inputs = "x: Ta, y: Tb",
        .outputs = "output: Tout",
        .attrs = "Ta: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, "
                 "complex128}, Tb: {bfloat16, half, float, double, uint8, int8, int16, int32, "
                 "int64, complex64, complex128}, Tout: {bfloat16, half, float, double, int16, "
                 "int32, int64, complex64, complex128}, adj_x: bool = false, adj_y: bool = false, "
                 "grad_x: bool = false, grad_y: bool = false",
        .doc = "BatchMatMulV2 of factors that may be of other types than the product. x, y: "
               "tensors of rank 2 or more. Ta, Tb, Tout: the types of x, y and the product. adj_x, "
               "adj_y: multiply the (conjugate) transpose of those matrices instead. grad_x, "
               "grad_y: mark products that compute a gradient; they have no effect.",
        .contract = "x: rank 2+, y: rank 2+",
        .shape = BatchShape,
        .grad = BatchMatMulGrad,
        .examples = {{"tf.raw_ops.BatchMatMulV3(x=[[1., 2.]], y=[[3.], [4.]], Tout=tf.float32)",
                      "[[11.]]"}}})
      .Cpu<float, double, int32_t, int64_t, Complex64, Complex128>(
          BatchMatMulMixed{}, {.prepare = PrepareMixed, .type_attr = "Tout"});
}

}  // namespace tensh::ops
