// Select, whose condition may be one boolean per row, and SelectV2, which broadcasts all inputs.
#include "ops/op_file.h"
#include "ops/support/grad_util.h"

namespace tensh::ops {
namespace {

// Calls fn with a zero of an integer type whose size is that of dtype's elements, because selection
// only copies elements.
template <class Fn>
Status BySize(DType dtype, Fn fn) {
  if (dtype == DType::kString) return fn(std::string());
  switch (SizeOf(dtype)) {
    case 1:
      return fn(uint8_t{});
    case 2:
      return fn(uint16_t{});
    case 4:
      return fn(uint32_t{});
    case 8:
      return fn(uint64_t{});
    case 16:
      return fn(std::complex<double>{});
    default:
      return Unimplemented("selection among elements of type ", Name(dtype));
  }
}

// Selects between arrays, or between single elements that are repeated (step_a and step_b unset).
template <class T, bool step_a, bool step_b>
struct SelectRow {
  TENSH_ALWAYS_INLINE static void Run(const bool* cond, const T* a, const T* b, T* out, int64_t n) {
    if constexpr (std::is_same_v<T, std::string>) {
      for (int64_t i = 0; i < n; ++i) out[i] = cond[i] ? a[step_a ? i : 0] : b[step_b ? i : 0];
    } else {
      TENSH_VECTORIZE
      for (int64_t i = 0; i < n; ++i) {
        const T x = a[step_a ? i : 0], y = b[step_b ? i : 0];
        out[i] = cond[i] ? x : y;
      }
    }
  }
};

template <class T, bool step_a, bool step_b>
void RunSelect(const bool* cond, const T* a, const T* b, T* out, int64_t n) {
  if constexpr (std::is_same_v<T, uint32_t>)
    if (n > 8) return Dispatch<SelectRow<T, step_a, step_b>>(cond, a, b, out, n);
  SelectRow<T, step_a, step_b>::Run(cond, a, b, out, n);
}

// The condition is a scalar, a vector with one entry per row of t, or a tensor of t's shape.
Status Select(KernelCtx& c) {
  const Tensor& condition = c.in(0);
  const Tensor& t = c.in(1);
  const Tensor& e = c.in(2);
  if (!(t.shape() == e.shape()))
    return InvalidArgument("'then' and 'else' must have the same size.  but received: ", t.shape(),
                           " vs. ", e.shape());
  if (condition.rank() == 0) {
    c.SetOutput(0, *condition.data<bool>() ? t : e);
    return {};
  }
  const bool by_row = condition.rank() == 1 && t.rank() > 1;
  if (by_row ? condition.dim(0) != t.dim(0) : !(condition.shape() == t.shape()))
    return InvalidArgument(
        "'then' and 'cond' must have the same size, or cond must be a vector with "
        "one entry a row.  but received: ",
        t.shape(), " vs. ", condition.shape());
  return BySize(t.dtype(), [&]<class T>(T) -> Status {
    const bool* cond = condition.data<bool>();
    const T* a = t.data<T>();
    const T* b = e.data<T>();
    const int64_t n = t.num_elements(), row = by_row && n ? n / condition.num_elements() : 1;
    TENSH_OUTPUT(y, c.Output(0, t.shape()));
    T* out = y->data<T>();
    if (row == 1) {
      c.ParallelFor(n, 0.4, [=](int64_t begin, int64_t end) {
        RunSelect<T, true, true>(cond + begin, a + begin, b + begin, out + begin, end - begin);
      });
    } else {
      for (int64_t i = 0; i < n; i += row) std::copy_n((cond[i / row] ? a : b) + i, row, out + i);
    }
    return {};
  });
}

// Strides of three operands that broadcast against each other.
struct Operands {
  Shape out;
  int64_t stride[3][Shape::kMaxRank];
};

Status BroadcastThree(const Tensor& c, const Tensor& t, const Tensor& e, Operands& o) {
  TENSH_ASSIGN(Shape te, BroadcastShapes(t.shape(), e.shape()));
  TENSH_ASSIGN(o.out, BroadcastShapes(c.shape(), te));
  const Shape* shapes[] = {&c.shape(), &t.shape(), &e.shape()};
  for (int k = 0; k < 3; ++k) {
    const Shape& s = *shapes[k];
    int64_t step = 1;
    for (int d = o.out.rank() - 1; d >= 0; --d) {
      const int own = d - (o.out.rank() - s.rank());
      const bool moves = own >= 0 && s[own] != 1;
      o.stride[k][d] = moves ? step : 0;
      if (moves) step *= s[own];
    }
  }
  return {};
}

template <class T>
void SelectBroadcast(const Operands& o, const bool* c, const T* t, const T* e, T* out) {
  const int last = o.out.rank() - 1;
  const int64_t n = o.out.num_elements(), run = o.out[last];
  const int64_t sc = o.stride[0][last], st = o.stride[1][last], se = o.stride[2][last];
  int64_t at[3] = {}, index[Shape::kMaxRank] = {};
  for (int64_t base = 0; base < n; base += run) {
    const bool* cond = c + at[0];
    const T *a = t + at[1], *b = e + at[2];
    T* to = out + base;
    if (sc && st && se)
      RunSelect<T, true, true>(cond, a, b, to, run);
    else if (sc && st)
      RunSelect<T, true, false>(cond, a, b, to, run);
    else if (sc && se)
      RunSelect<T, false, true>(cond, a, b, to, run);
    else
      for (int64_t i = 0; i < run; ++i) to[i] = cond[i * sc] ? a[i * st] : b[i * se];
    for (int d = last - 1; d >= 0; --d) {
      for (int k = 0; k < 3; ++k) at[k] += o.stride[k][d];
      if (++index[d] < o.out[d]) break;
      for (int k = 0; k < 3; ++k) at[k] -= o.stride[k][d] * o.out[d];
      index[d] = 0;
    }
  }
}

Status SelectV2(KernelCtx& c) {
  const Tensor& condition = c.in(0);
  const Tensor& t = c.in(1);
  const Tensor& e = c.in(2);
  if (condition.rank() == 0 && t.shape() == e.shape()) {
    c.SetOutput(0, *condition.data<bool>() ? t : e);
    return {};
  }
  Operands o;
  TENSH_RETURN_IF_ERROR(BroadcastThree(condition, t, e, o));
  return BySize(t.dtype(), [&]<class T>(T) -> Status {
    TENSH_OUTPUT(y, c.Output(0, o.out));
    const int64_t n = y->num_elements();
    if (n == 0) return {};
    if (o.out.rank() == 0)
      *y->data<T>() = *condition.data<bool>() ? *t.data<T>() : *e.data<T>();
    else
      SelectBroadcast(o, condition.data<bool>(), t.data<T>(), e.data<T>(), y->data<T>());
    return {};
  });
}

Status SelectShape(ShapeCtx& c) {
  Result<Shape> merged = Shape::Merge(c.in(1), c.in(2));
  if (!merged.ok())
    return InvalidArgument("Shapes must be equal: then is ", c.in(1), ", else is ", c.in(2));
  Shape out = *merged;
  const Shape& cond = c.in(0);
  if (!cond.has_rank() || !out.has_rank() || cond.rank() == 0) {
    c.Set(0, out);
    return {};
  }
  if (cond.rank() == 1 && out.rank() >= 1) {
    if (cond[0] >= 0 && out[0] >= 0 && cond[0] != out[0])
      return InvalidArgument("Dimension 0 in both shapes must be equal, but are ", out[0], " and ",
                             cond[0], ". Shapes are ", out, " and ", cond, ".");
  } else {
    Result<Shape> all = Shape::Merge(out, cond);
    if (!all.ok())
      return InvalidArgument("Shapes must be equal: then is ", out, ", condition is ", cond);
    out = *all;
  }
  c.Set(0, out);
  return {};
}

Status SelectV2Shape(ShapeCtx& c) {
  TENSH_ASSIGN(Shape te, BroadcastShapes(c.in(1), c.in(2)));
  TENSH_ASSIGN(Shape all, BroadcastShapes(c.in(0), te));
  c.Set(0, all);
  return {};
}

Status SelectGrad(GradScope& g) {
  Out zeros = GradZerosLike(g, g.x(1)), dy = g.dy();
  Out dt = g.Op("Select", {g.x(0), dy, zeros});
  return g.Return({Out(), dt, g.Op("Select", {g.x(0), zeros, dy})});
}

// Sums the gradient of branch i over the dimensions that were broadcast.
Out SumToBranch(GradScope& g, Out gradient, int i) {
  Out shape = g.Op("Shape", {g.x(i)}), out_shape = g.Op("Shape", {g.y(0)});
  Out axes = g.Op("BroadcastGradientArgs", {shape, out_shape});
  return g.Op("Reshape", {g.Op("Sum", {gradient, axes}, {{"keep_dims", true}}), shape});
}

Status SelectV2Grad(GradScope& g) {
  Out dy = g.dy(), zeros = g.Like(0, dy, "zeros");
  Out dt = SumToBranch(g, g.Op("SelectV2", {g.x(0), dy, zeros}), 1);
  Out de = SumToBranch(g, g.Op("SelectV2", {g.x(0), zeros, dy}), 2);
  return g.Return({Out(), dt, de});
}

}  // namespace

TENSH_OPS(math_elementwise_select) {
  r.Op({.name = "Select",
        .inputs = "condition: bool, t: T, e: T",
        .outputs = "output: T",
        .attrs = "T: type",
        .doc = "t where condition is true, otherwise e. condition: booleans of t's shape, one for "
               "each row of t, or a scalar. t, e: values of equal shape. T: their type.",
        .shape = SelectShape,
        .grad = SelectGrad,
        .elementwise = Elementwise::kSameShape,
        .examples = {{"tf.where([True, False], [1, 2], [10, 20])", "[ 1 20]"}}})
      .CpuAny(Select);
  r.Op({.name = "SelectV2",
        .inputs = "condition: bool, t: T, e: T",
        .outputs = "output: T",
        .attrs = "T: type",
        .doc = "t where condition is true, otherwise e; all three broadcast. condition: booleans. "
               "t, e: values. T: their type.",
        .shape = SelectV2Shape,
        .grad = SelectV2Grad,
        .elementwise = Elementwise::kBroadcast,
        .examples = {{"tf.where_v2([True, False], [1, 2], 0)", "[1 0]"}}})
      .CpuAny(SelectV2);
}

}  // namespace tensh::ops
