// GRUBlockCell and its gradient: a whole step of a gated recurrent unit as one op.
#include <algorithm>
#include <cmath>

#include "ops/math/matmul/gemm.h"
#include "ops/nn/recurrent/gru.h"
#include "ops/op_file.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
Result<RecurrentDims> ReadGru(KernelCtx& c) {
  TENSH_ASSIGN(const RecurrentDims d, RecurrentDimsOf(c.in(kGruX).shape(), c.in(kGruHPrev).dim(1)));
  TENSH_RETURN_IF_ERROR(ExpectShape(c.in(kGruHPrev), "h_prev", {d.batch, d.cells}));
  TENSH_RETURN_IF_ERROR(ExpectShape(c.in(kGruWru), "w_ru", {d.columns(), 2 * d.cells}));
  TENSH_RETURN_IF_ERROR(ExpectShape(c.in(kGruWc), "w_c", {d.columns(), d.cells}));
  TENSH_RETURN_IF_ERROR(ExpectShape(c.in(kGruBru), "b_ru", {2 * d.cells}));
  TENSH_RETURN_IF_ERROR(ExpectShape(c.in(kGruBc), "b_c", {d.cells}));
  return d;
}

namespace {

struct Cell {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const RecurrentDims d, ReadGru(c));
    const int64_t n = d.cells;
    const Shape state{d.batch, n};
    TENSH_OUTPUT(r, c.Output(0, state));
    TENSH_OUTPUT(u, c.Output(1, state));
    TENSH_OUTPUT(candidate, c.Output(2, state));
    TENSH_OUTPUT(h, c.Output(3, state));
    TENSH_ASSIGN(Tensor joined, Tensor::Make(kDTypeOf<T>, {d.batch, d.columns()}, c.allocator()));
    TENSH_ASSIGN(Tensor gates, Tensor::Make(kDTypeOf<T>, {d.batch, 2 * n}, c.allocator()));
    const auto in = [&](int i) { return static_cast<const T*>(c.in(i).raw()); };
    const T *x = in(kGruX), *h_prev = in(kGruHPrev), *b_ru = in(kGruBru), *b_c = in(kGruBc);
    T *to_r = r->data<T>(), *to_u = u->data<T>(), *to_c = candidate->data<T>(),
      *to_h = h->data<T>();
    JoinRows(d, x, h_prev, joined.data<T>());
    Gemm(c, GemmDims{.m = d.batch, .n = 2 * n, .k = d.columns()}, joined.data<T>(), in(kGruWru),
         gates.data<T>());
    for (int64_t at = 0; at < d.batch * n; ++at) {
      const int64_t k = at % n;
      const T* row = gates.data<T>() + at / n * 2 * n;
      to_r[at] = Logistic(row[k] + b_ru[k]);
      to_u[at] = Logistic(row[n + k] + b_ru[n + k]);
      to_h[at] = h_prev[at] * to_r[at];
    }
    JoinRows(d, x, to_h, joined.data<T>());
    Gemm(c, GemmDims{.m = d.batch, .n = n, .k = d.columns()}, joined.data<T>(), in(kGruWc), to_c);
    for (int64_t at = 0; at < d.batch * n; ++at) {
      to_c[at] = std::tanh(to_c[at] + b_c[at % n]);
      to_h[at] = to_u[at] * h_prev[at] + (1 - to_u[at]) * to_c[at];
    }
    return {};
  }
};

struct CellGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const RecurrentDims d, ReadGru(c));
    const int64_t n = d.cells, size = d.batch * n;
    for (int i : {kGruR, kGruU, kGruC, kGruDh})
      TENSH_RETURN_IF_ERROR(
          ExpectShape(c.in(i), "the outputs of the cell and their gradients", {d.batch, n}));
    TENSH_OUTPUT(d_x, c.Output(0, {d.batch, d.inputs}));
    TENSH_OUTPUT(d_h_prev, c.Output(1, {d.batch, n}));
    TENSH_OUTPUT(d_c_bar, c.Output(2, {d.batch, n}));
    TENSH_OUTPUT(d_gates, c.Output(3, {d.batch, 2 * n}));
    TENSH_ASSIGN(Tensor by_c, Tensor::Make(kDTypeOf<T>, {d.batch, d.columns()}, c.allocator()));
    TENSH_ASSIGN(Tensor by_gates, Tensor::Make(kDTypeOf<T>, {d.batch, d.columns()}, c.allocator()));
    const auto in = [&](int i) { return static_cast<const T*>(c.in(i).raw()); };
    const T *h_prev = in(kGruHPrev), *r = in(kGruR), *u = in(kGruU), *candidate = in(kGruC),
            *dh = in(kGruDh);
    T *bar = d_c_bar->data<T>(), *gates = d_gates->data<T>();
    for (int64_t at = 0; at < size; ++at) {
      bar[at] = dh[at] * (1 - u[at]) * (1 - candidate[at] * candidate[at]);
      gates[at / n * 2 * n + n + at % n] =
          dh[at] * (h_prev[at] - candidate[at]) * u[at] * (1 - u[at]);
    }
    Gemm(c, GemmDims{.transpose_b = true, .m = d.batch, .n = d.columns(), .k = n}, bar, in(kGruWc),
         by_c.data<T>());
    // Returns an element of the gradient of the second part of the concatenation, [x, r * h_prev]
    // or [x, h_prev].
    const auto part = [&](const Tensor& by, int64_t at) -> const T& {
      return by.data<T>()[at / n * d.columns() + d.inputs + at % n];
    };
    for (int64_t at = 0; at < size; ++at)
      gates[at / n * 2 * n + at % n] = part(by_c, at) * h_prev[at] * r[at] * (1 - r[at]);
    Gemm(c, GemmDims{.transpose_b = true, .m = d.batch, .n = d.columns(), .k = 2 * n}, gates,
         in(kGruWru), by_gates.data<T>());
    for (int64_t row = 0; row < d.batch; ++row)
      for (int64_t k = 0; k < d.inputs; ++k)
        d_x->data<T>()[row * d.inputs + k] =
            by_c.data<T>()[row * d.columns() + k] + by_gates.data<T>()[row * d.columns() + k];
    for (int64_t at = 0; at < size; ++at)
      d_h_prev->data<T>()[at] = part(by_gates, at) + part(by_c, at) * r[at] + dh[at] * u[at];
    return {};
  }
};

Status CellShape(ShapeCtx& c) {
  const Shape out = RecurrentStateShape(c.in(kGruX), c.in(kGruHPrev));
  for (int i = 0; i < 4; ++i) c.Set(i, out);
  return {};
}

Status CellGradShape(ShapeCtx& c) {
  const Shape state = RecurrentStateShape(c.in(kGruX), c.in(kGruHPrev));
  c.Set(0, c.in(kGruX).has_rank() ? c.in(kGruX) : Shape::UnknownOfRank(2));
  c.Set(1, state);
  c.Set(2, state);
  c.Set(3, {state[0], c.in(kGruWru).has_rank() ? c.in(kGruWru)[1] : -1});
  return {};
}

Status Gradient(GradScope& g) {
  Out d_x = g.Op("GRUBlockCellGrad",
                 {g.x(0), g.x(1), g.x(2), g.x(3), g.x(4), g.x(5), g.y(0), g.y(1), g.y(2), g.dy(3)});
  const Out d_c = g.Output(d_x, 2), d_gates = g.Output(d_x, 3);
  const auto product = [&](Out h, Out d) {
    const Out joined = Concat(g, {g.x(0), h}, ConstInt(g, 1, "concat/axis"));
    return g.Op("MatMul", {joined, d}, {{"transpose_a", true}});
  };
  const Out d_w_ru = product(g.x(1), d_gates);
  const Out d_w_c = product(g.Mul(g.x(1), g.y(0)), d_c);
  return g.Return({d_x, g.Output(d_x, 1), d_w_ru, d_w_c, g.Op("BiasAddGrad", {d_gates}),
                   g.Op("BiasAddGrad", {d_c})});
}

constexpr char kDoc[] =
    "x: the inputs [batch, inputs], of type T. h_prev: the previous state [batch, cells]. w_ru, "
    "b_ru: the weights and bias of x and h_prev for r and u, side by side. w_c, b_c: those for c. ";

}  // namespace

TENSH_OPS(nn_recurrent_gru_block) {
  const std::string inputs = "x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T";
  const std::string contract =
      "x: matrix, h_prev: matrix, w_ru: matrix at run, w_c: matrix at run, b_ru: vector at run, "
      "b_c: vector at run";
  const std::string example =
      "(x=[[0.]], h_prev=[[2.]], w_ru=[[0., 0.], [0., 0.]], w_c=[[0.], [0.]], b_ru=[0., 0.], "
      "b_c=[0.]";
  r.Op({.name = "GRUBlockCell",
        .inputs = inputs,
        .outputs = "r: T, u: T, c: T, h: T",
        .attrs = "T: {float}",
        .doc = StrCat("One step of a GRU. ", kDoc,
                      "r, u: the gates, which control the part of the state that enters the "
                      "candidate c, and the part that is kept. h: the new state."),
        .contract = contract,
        .shape = CellShape,
        .grad = Gradient,
        .examples = {{StrCat("tf.raw_ops.GRUBlockCell", example, ")[3]"), "[[1.]]"}}})
      .Cpu<float>(Cell{});
  r.Op({.name = "GRUBlockCellGrad",
        .inputs = StrCat(inputs, ", r: T, u: T, c: T, d_h: T"),
        .outputs = "d_x: T, d_h_prev: T, d_c_bar: T, d_r_bar_u_bar: T",
        .attrs = "T: {float}",
        .doc = StrCat("The gradient of GRUBlockCell. ", kDoc,
                      "r, u, c: its outputs. d_h: the incoming gradient of h."),
        .contract = StrCat(contract,
                           ", r: matrix at run, u: matrix at run, c: matrix at run, "
                           "d_h: matrix at run"),
        .shape = CellGradShape,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.GRUBlockCellGrad", example,
                             ", r=[[0.5]], u=[[0.5]], c=[[0.]], d_h=[[4.]])[1]"),
                      "[[2.]]"}}})
      .Cpu<float>(CellGrad{});
}

}  // namespace tensh::ops
