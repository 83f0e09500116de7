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
// Integers are selected by masks, because compilers do not vectorize a choice between two loads.
template <class T, bool step_a, bool step_b>
struct SelectRow {
  TENSH_ALWAYS_INLINE static void Run(const uint8_t* cond, const T* a, const T* b, T* out,
                                      int64_t n) {
    if constexpr (std::is_integral_v<T>) {
      TENSH_VECTORIZE
      for (int64_t i = 0; i < n; ++i) {
        const T x = a[step_a ? i : 0], y = b[step_b ? i : 0];
        const auto mask = static_cast<T>(cond[i] != 0 ? ~T{} : T{});
        out[i] = static_cast<T>((x & mask) | (y & static_cast<T>(~mask)));
      }
    } else {
      for (int64_t i = 0; i < n; ++i) out[i] = cond[i] != 0 ? a[step_a ? i : 0] : b[step_b ? i : 0];
    }
  }
};

template <class T, bool step_a, bool step_b>
void RunSelect(const bool* cond, const T* a, const T* b, T* out, int64_t n) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(cond);
  if constexpr (std::is_same_v<T, uint32_t>)
    if (n > 8) return Dispatch<SelectRow<T, step_a, step_b>>(bytes, a, b, out, n);
  SelectRow<T, step_a, step_b>::Run(bytes, a, b, out, n);
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
      c.ParallelFor(n, 0.2, [=](int64_t begin, int64_t end) {
        RunSelect<T, true, true>(cond + begin, a + begin, b + begin, out + begin, end - begin);
      });
    } else {
      for (int64_t i = 0; i < n; i += row) std::copy_n((cond[i / row] ? a : b) + i, row, out + i);
    }
    return {};
  });
}

// Three operands that broadcast against each other: the extents of the result and the strides of each operand, which are 0
// where it is repeated. Dimensions in which all operands are contiguous with the next one are merged.
struct Operands {
  Shape out;
  int rank = 0;
  int64_t dims[Shape::kMaxLoopRank], stride[3][Shape::kMaxLoopRank];
};

Status BroadcastThree(const Tensor& c, const Tensor& t, const Tensor& e, Operands& o) {
  TENSH_ASSIGN(Shape te, BroadcastShapes(t.shape(), e.shape()));
  TENSH_ASSIGN(o.out, BroadcastShapes(c.shape(), te));
  int64_t elements = 0;
  if (!o.out.CountElements(&elements))
    return ResourceExhausted("OOM when allocating tensor with shape", o.out, ": broadcasting ",
                             c.shape(), ", ", t.shape(), " and ", e.shape());
  const Shape* shapes[] = {&c.shape(), &t.shape(), &e.shape()};
  int64_t steps[] = {1, 1, 1};
  // From the last dimension to the first; o lists them in this order.
  for (int d = o.out.rank() - 1; d >= 0; --d) {
    if (o.out[d] == 1) continue;
    int64_t stride[3];
    bool merges = o.rank > 0;
    for (int k = 0; k < 3; ++k) {
      const Shape& s = *shapes[k];
      const int own = d - (o.out.rank() - s.rank());
      const bool moves = own >= 0 && s[own] != 1;
      stride[k] = moves ? steps[k] : 0;
      if (moves) steps[k] *= s[own];
      merges = merges && stride[k] == o.stride[k][o.rank - 1] * o.dims[o.rank - 1];
    }
    if (merges) {
      o.dims[o.rank - 1] *= o.out[d];
      continue;
    }
    o.dims[o.rank] = o.out[d];
    for (int k = 0; k < 3; ++k) o.stride[k][o.rank] = stride[k];
    ++o.rank;
  }
  return {};
}

// Selects `n` elements of the innermost dimension, whose operands begin at c, t and e.
template <class T>
void SelectInner(const Operands& o, const bool* c, const T* t, const T* e, T* out, int64_t n) {
  const int64_t sc = o.stride[0][0], st = o.stride[1][0], se = o.stride[2][0];
  if (sc && st && se)
    RunSelect<T, true, true>(c, t, e, out, n);
  else if (sc && st)
    RunSelect<T, true, false>(c, t, e, out, n);
  else if (sc && se)
    RunSelect<T, false, true>(c, t, e, out, n);
  else if (sc == 0 && (*c ? st : se))
    std::copy_n(*c ? t : e, n, out);
  else
    for (int64_t i = 0; i < n; ++i) out[i] = c[i * sc] ? t[i * st] : e[i * se];
}

// Selects the rows from begin to end, where a row is a run in the innermost dimension.
template <class T>
void SelectRows(const Operands& o, const bool* c, const T* t, const T* e, T* out, int64_t begin,
                int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    int64_t at[3] = {}, rest = row;
    for (int d = 1; d < o.rank; ++d) {
      const int64_t index = rest % o.dims[d];
      rest /= o.dims[d];
      for (int k = 0; k < 3; ++k) at[k] += index * o.stride[k][d];
    }
    SelectInner(o, c + at[0], t + at[1], e + at[2], out + row * o.dims[0], o.dims[0]);
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
    const bool* cond = condition.data<bool>();
    const T *then = t.data<T>(), *otherwise = e.data<T>();
    T* out = y->data<T>();
    if (o.rank == 0) {
      *out = *cond ? *then : *otherwise;
    } else if (o.rank == 1) {
      c.ParallelFor(n, 0.2, [&](int64_t begin, int64_t end) {
        SelectInner(o, cond + begin * o.stride[0][0], then + begin * o.stride[1][0],
                    otherwise + begin * o.stride[2][0], out + begin, end - begin);
      });
    } else {
      const double cost = 5.0 + 0.2 * static_cast<double>(o.dims[0]);
      c.ParallelFor(n / o.dims[0], cost, [&](int64_t begin, int64_t end) {
        SelectRows(o, cond, then, otherwise, out, begin, end);
      });
    }
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
