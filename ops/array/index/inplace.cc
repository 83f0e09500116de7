// Empty, and InplaceUpdate, InplaceAdd and InplaceSub, which change rows of a tensor. Old graphs
// build arrays with them row by row.
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/op_types.h"
#include "ops/support/shape_util.h"
#include "ops/support/wrap.h"

namespace tensh::ops {
namespace {

Status Empty(KernelCtx& c) {
  TENSH_ASSIGN(const Shape shape, ShapeFromTensor(c.in(0)));
  TENSH_OUTPUT(out, c.Output(0, shape));
  ZeroElements(c, out->dtype(), out->raw(), out->num_elements());
  return {};
}

Status EmptyShape(ShapeCtx& c) {
  TENSH_ASSIGN(const Shape shape, ShapeInput(c, 0));
  c.Set(0, shape);
  return {};
}

Status CheckRows(const Tensor& x, const Tensor& i, const Tensor& v) {
  if (x.rank() != v.rank() || x.rank() < 1)
    return InvalidArgument("x and v shape doesn't match (ranks differ): ", x.shape(), " vs. ",
                           v.shape());
  for (int d = 1; d < x.rank(); ++d)
    if (x.dim(d) != v.dim(d))
      return InvalidArgument("x and v shape doesn't match at index ", d, " : ", x.dim(d), " vs. ",
                             v.dim(d));
  if (i.dim(0) != v.dim(0))
    return InvalidArgument("i and x shape doesn't match at index 0: ", i.dim(0), " vs. ", v.dim(0));
  return {};
}

// Copies x to the output, unless nothing else uses x, and calls fn(element of the output, element
// of v, number of elements) for each row. As in TensorFlow, indices are taken modulo the number of
// rows.
template <class Fn>
Status ForRows(KernelCtx& c, Fn fn) {
  const Tensor &i = c.in(1), &v = c.in(2);
  TENSH_RETURN_IF_ERROR(CheckRows(c.in(0), i, v));
  const void* from = c.in(0).raw();
  TENSH_OUTPUT(y, c.Forward(0, 0, c.in(0).shape()));
  if (y->raw() != from) CopyElements(y->dtype(), y->raw(), from, y->num_elements());
  if (!y->num_elements()) return {};
  const int64_t rows = y->dim(0), run = y->num_elements() / rows;
  for (int64_t k = 0; k < i.dim(0); ++k)
    fn(*y, ((IndexAt(i, k) % rows + rows) % rows) * run, k * run, run);
  return {};
}

Status Update(KernelCtx& c) {
  const Tensor& v = c.in(2);
  return ForRows(c, [&](Tensor& y, int64_t to, int64_t from, int64_t n) {
    CopyElements(y.dtype(), At(y, to), At(v, from), n);
  });
}

template <bool kAdd>
struct Change {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const T* v = c.in(2).data<T>();
    return ForRows(c, [&](Tensor& y, int64_t to, int64_t from, int64_t n) {
      T* row = y.data<T>() + to;
      for (int64_t i = 0; i < n; ++i)
        row[i] = kAdd ? WrapAdd(row[i], v[from + i]) : WrapSub(row[i], v[from + i]);
    });
  }
};

}  // namespace

TENSH_OPS(array_index_inplace) {
  r.Op({.name = "Empty",
        .inputs = "shape: int32",
        .outputs = "output: dtype",
        .attrs = "dtype: type, init: bool = false",
        .doc = "A tensor of this shape and dtype. Its elements are zero, false or the empty "
               "string. init is ignored.",
        .contract = "shape: vector",
        .shape = EmptyShape,
        .no_gradient = true,
        .stateful = true,
        .never_waits = true,
        .examples = {{"tf.raw_ops.Empty(shape=[2], dtype=tf.float32, init=True)", "[0. 0.]"}}})
      .CpuAny(Empty);
  const auto spec = [](OpText name, const char* what, const char* result) {
    return OpSpec{.name = name,
                  .inputs = "x: T, i: int32, v: T",
                  .outputs = "y: T",
                  .attrs = "T: type",
                  .doc = StrCat("A copy of x, of type T, in which ", what,
                                " i: the indices of the rows, modulo their number. v: a row for "
                                "each index."),
                  .contract = "i: vector",
                  .shape = SameAsInput<0>,
                  .no_gradient = true,
                  .examples = {{StrCat("tf.raw_ops.", std::string_view(name),
                                       "(x=[1., 2., 3.], i=[2, 0], v=[5., 7.])"),
                                result}}};
  };
  r.Op(spec("InplaceUpdate", "rows are replaced.", "[7. 2. 5.]")).CpuAny(Update);
  r.Op(spec("InplaceAdd", "v is added to rows.", "[8. 2. 8.]"))
      .Cpu<float, double, int8_t, uint8_t, int16_t, uint16_t, int32_t, int64_t>(Change<true>{});
  r.Op(spec("InplaceSub", "v is subtracted from rows.", "[-6.  2. -2.]"))
      .Cpu<float, double, int8_t, uint8_t, int16_t, uint16_t, int32_t, int64_t>(Change<false>{});
}

}  // namespace tensh::ops
