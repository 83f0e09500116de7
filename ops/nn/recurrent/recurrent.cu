// Recurrent cells whose whole step is one op. Matrix products use cuBLAS; the rest of a step is one
// kernel.
#include "devices/cuda/cuda_reduce.h"
#include "ops/nn/recurrent/gru.h"
#include "ops/nn/recurrent/lstm.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"

namespace tensh::cuda {
namespace {

using ops::RecurrentDims;

// Concatenates x and h row by row.
template <class T>
Status Join(KernelCtx& c, const RecurrentDims& d, Dev<const T> x, Dev<const T> h, Dev<T> joined) {
  const int64_t columns = d.columns(), inputs = d.inputs, cells = d.cells;
  return ForEach(c, d.batch * columns, [=] TENSH_DEVICE(int64_t i) {
    const int64_t row = i / columns, k = i % columns;
    joined[i] = k < inputs ? x[row * inputs + k] : h[row * cells + k - inputs];
  });
}

// Computes sums[k] = Σ load(row, k) over all rows.
template <class T, class Load>
Status SumRows(KernelCtx& c, int64_t rows, int64_t columns, Dev<T> sums, Load load) {
  return Reduce(
      c, columns, rows, true, T(0),
      [=] TENSH_DEVICE(int64_t k, int64_t row) { return load(row, k); },
      [] TENSH_DEVICE(T a, T b) { return a + b; },
      [=] TENSH_DEVICE(int64_t k, T sum) { sums[k] = sum; });
}

template <class T>
Result<Tensor> Matrix(KernelCtx& c, int64_t rows, int64_t columns) {
  return Scratch(c, kDTypeOf<T>, rows * columns);
}

// ---- LSTM ----

// Returns the peephole weights among the inputs.
template <class T>
ops::Peepholes<T> PeepholesOf(KernelCtx& c, int first) {
  const auto at = [&](int i) { return In<T>(c.in(first + i)).at; };
  return {at(ops::kWci), at(ops::kWcf), at(ops::kWco)};
}

template <class T>
Dev<T> Zeroed(KernelCtx& c, Tensor* t) {
  ops::ZeroElements(c, t->dtype(), t->raw(), t->num_elements());
  return Out<T>(t);
}

// Runs the steps [0, steps) of d.time; the outputs of the remaining steps are zero.
template <class T>
Status RunLstm(KernelCtx& c, int first, const RecurrentDims& d, int64_t steps) {
  Dev<T> out[7];
  const Shape shape = first ? Shape({d.time, d.batch, d.cells}) : Shape({d.batch, d.cells});
  for (int k = 0; k < 7; ++k) {
    TENSH_OUTPUT(y, c.Output(k, shape));
    out[k] = steps < d.time ? Zeroed<T>(c, y) : Out<T>(y);
  }
  TENSH_ASSIGN(const Tensor joined, Matrix<T>(c, d.batch, d.columns()));
  TENSH_ASSIGN(const Tensor sums, Matrix<T>(c, d.batch, 4 * d.cells));
  const int64_t n = d.cells, size = d.batch * n;
  const ops::LstmRules rules = c.state<ops::LstmState>().rules;
  const ops::Peepholes<T> w = PeepholesOf<T>(c, first);
  const auto gates = In<T>(sums), b = In<T>(c.in(first + ops::kB)),
             x = In<T>(c.in(first + ops::kX)), cs_given = In<T>(c.in(first + ops::kCsPrev)),
             h_given = In<T>(c.in(first + ops::kHPrev));
  for (int64_t t = 0; t < steps; ++t) {
    const ops::LstmStep<T> to = ops::LstmStep<T>{out[0].at, out[1].at, out[2].at, out[3].at,
                                                 out[4].at, out[5].at, out[6].at} +
                                t * size;
    const T* const cs_prev = t ? to.cs - size : cs_given.at;
    const Dev<const T> h_prev{t ? to.h - size : h_given.at};
    TENSH_RETURN_IF_ERROR(Join<T>(c, d, {x.at + t * d.batch * d.inputs}, h_prev, Out<T>(joined)));
    TENSH_RETURN_IF_ERROR(Gemm<T>(c, false, false, d.batch, 4 * n, d.columns(), joined.raw(),
                                  c.in(first + ops::kW).raw(), sums.raw()));
    TENSH_RETURN_IF_ERROR(ForEach(c, size, [=] TENSH_DEVICE(int64_t at) {
      const int64_t k = at % n, row = at / n * 4 * n;
      const auto gate = [=](int which) { return gates[row + which * n + k] + b[which * n + k]; };
      ops::StepLstm(rules, w, k, cs_prev[at], gate, to + at);
    }));
  }
  return {};
}

struct LstmCell {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const RecurrentDims d, ops::ReadLstm(c, 0));
    return RunLstm<T>(c, 0, d, 1);
  }
};

struct LstmBlock {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const RecurrentDims d, ops::ReadLstm(c, 1));
    TENSH_ASSIGN(const int64_t steps, ops::LstmSteps(c.in(0), d));
    return RunLstm<T>(c, 1, d, steps);
  }
};

// Returns the outputs of the forward op, which are inputs from `first` on.
template <class T>
ops::LstmStep<const T> GivenLstm(KernelCtx& c, int first, bool with_h) {
  const auto at = [&](int i) { return In<T>(c.in(first + i)).at; };
  return {at(ops::kI),
          at(ops::kCs),
          at(ops::kF),
          at(ops::kO),
          at(ops::kCi),
          at(ops::kCo),
          with_h ? at(ops::kH) : at(ops::kCo)};
}

// Computes the gradients of one step's gates and of the previous state.
template <class T>
Status FlowBack(KernelCtx& c, const RecurrentDims& d, const ops::Peepholes<T>& w, const T* cs_prev,
                const ops::LstmStep<const T>& given, Dev<const T> cs_grad, Dev<const T> h_grad,
                Dev<T> cs_prev_grad, Dev<T> gates) {
  const ops::LstmRules r = c.state<ops::LstmState>().rules;
  const int64_t n = d.cells;
  return ForEach(c, d.batch * n, [=] TENSH_DEVICE(int64_t at) {
    const int64_t k = at % n, row = at / n * 4 * n + k;
    const ops::LstmFlow<T> flow =
        ops::FlowLstm(r, w, k, cs_prev[at], given + at, cs_grad[at], h_grad[at]);
    gates[row + r.input * n] = flow.i;
    gates[row + r.candidate * n] = flow.ci;
    gates[row + r.forget * n] = flow.f;
    gates[row + r.output * n] = flow.o;
    cs_prev_grad[at] = flow.cs_prev;
  });
}

// Computes the gradients of the peephole weights over `rows` rows of gates; zero without peepholes.
// The state before the first d.batch rows is cs_first. For the others it is d.batch rows earlier.
template <class T>
Status PeepholeGrads(KernelCtx& c, const RecurrentDims& d, int64_t rows, Dev<const T> cs_first,
                     const T* cs, Dev<const T> gates, Tensor* const to[3]) {
  const ops::LstmRules r = c.state<ops::LstmState>().rules;
  const int64_t n = d.cells, size = d.batch * n;
  const int quarters[] = {r.input, r.forget, r.output};
  for (int q = 0; q < 3; ++q) {
    if (!r.peephole) {
      (void)Zeroed<T>(c, to[q]);
      continue;
    }
    const int64_t quarter = quarters[q] * n;
    const bool after = q == 2;  // the output gate uses the new state
    TENSH_RETURN_IF_ERROR(
        SumRows<T>(c, rows, n, Out<T>(to[q]), [=] TENSH_DEVICE(int64_t row, int64_t k) {
          const int64_t at = row * n + k;
          const T state = after ? cs[at] : at < size ? cs_first[at] : cs[at - size];
          return gates[row * 4 * n + quarter + k] * state;
        }));
  }
  return {};
}

struct LstmCellGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const RecurrentDims d, ops::ReadLstm(c, 0));
    const Shape state{d.batch, d.cells}, cell{d.cells};
    for (int i = ops::kI; i < c.num_inputs(); ++i)
      TENSH_RETURN_IF_ERROR(
          ops::ExpectShape(c.in(i), "the outputs of the cell and their gradients", state));
    TENSH_OUTPUT(cs_prev_grad, c.Output(0, state));
    TENSH_OUTPUT(gates, c.Output(1, {d.batch, 4 * d.cells}));
    Tensor* peepholes[3];
    for (int k = 0; k < 3; ++k) {
      TENSH_OUTPUT(out, c.Output(2 + k, cell));
      peepholes[k] = out;
    }
    const auto in = [&](int i) { return In<T>(c.in(i)); };
    const ops::LstmStep<const T> given = GivenLstm<T>(c, 0, false);
    TENSH_RETURN_IF_ERROR(FlowBack<T>(c, d, PeepholesOf<T>(c, 0), in(ops::kCsPrev).at, given,
                                      in(ops::kCo + 1), in(ops::kCo + 2), Out<T>(cs_prev_grad),
                                      Out<T>(gates)));
    return PeepholeGrads<T>(c, d, d.batch, in(ops::kCsPrev), given.cs, In<T>(*gates), peepholes);
  }
};

// Steps are processed from last to first; the gradients of the weights are computed by one product
// over all steps at the end.
struct LstmBlockGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const RecurrentDims d, ops::ReadLstm(c, 1));
    TENSH_ASSIGN(const int64_t steps, ops::LstmSteps(c.in(0), d));
    for (int i = 1 + ops::kI; i < c.num_inputs(); ++i)
      TENSH_RETURN_IF_ERROR(ops::ExpectShape(
          c.in(i), "the outputs of the cells and their gradients", {d.time, d.batch, d.cells}));
    Tensor* to[ops::kLstmInputs];
    for (int k = 0; k < ops::kLstmInputs; ++k) {
      TENSH_OUTPUT(out, c.Output(k, c.in(1 + k).shape()));
      (void)Zeroed<T>(c, out);
      to[k] = out;
    }
    const int64_t rows = steps * d.batch, n = d.cells;
    if (!rows) return {};
    TENSH_ASSIGN(const Tensor joined, Matrix<T>(c, rows, d.columns()));
    TENSH_ASSIGN(const Tensor gates, Matrix<T>(c, rows, 4 * n));
    TENSH_ASSIGN(const Tensor flows, Matrix<T>(c, d.batch, 2 * n));
    TENSH_ASSIGN(const Tensor back, Matrix<T>(c, d.batch, d.columns()));
    for (int64_t t = steps; t-- > 0;)
      TENSH_RETURN_IF_ERROR(Back<T>(c, d, t, joined, gates, flows, back, to));
    TENSH_RETURN_IF_ERROR(Gemm<T>(c, true, false, d.columns(), 4 * n, rows, joined.raw(),
                                  gates.raw(), to[ops::kW]->raw()));
    const auto from = In<T>(gates);
    TENSH_RETURN_IF_ERROR(
        SumRows<T>(c, rows, 4 * n, Out<T>(to[ops::kB]),
                   [=] TENSH_DEVICE(int64_t row, int64_t k) { return from[row * 4 * n + k]; }));
    Tensor* const peepholes[] = {to[ops::kWci], to[ops::kWcf], to[ops::kWco]};
    return PeepholeGrads<T>(c, d, rows, In<T>(c.in(1 + ops::kCsPrev)), In<T>(c.in(1 + ops::kCs)).at,
                            from, peepholes);
  }

  // Processes step t. `flows` holds the total gradients of its cs and h; `back` receives the
  // gradients of its x and h.
  template <class T>
  static Status Back(KernelCtx& c, const RecurrentDims& d, int64_t t, const Tensor& joined,
                     const Tensor& gates, const Tensor& flows, const Tensor& back,
                     Tensor* const* to) {
    const auto in = [&](int i) { return In<T>(c.in(1 + i)); };
    const int64_t size = d.batch * d.cells, first = t * size, inputs = d.inputs,
                  columns = d.columns(), cells = d.cells;
    const ops::LstmStep<const T> given = GivenLstm<T>(c, 1, true) + first;
    const T* const cs_prev = t ? given.cs - size : in(ops::kCsPrev).at;
    const Dev<const T> h_prev{t ? given.h - size : in(ops::kHPrev).at};
    const auto cs_grad = in(ops::kCsGrad), h_grad = in(ops::kHGrad);
    const auto flow = Out<T>(flows), d_cs = Out<T>(to[ops::kCsPrev]), d_h = Out<T>(to[ops::kHPrev]),
               d_x = Out<T>(to[ops::kX]);
    TENSH_RETURN_IF_ERROR(ForEach(c, size, [=] TENSH_DEVICE(int64_t k) {
      flow[k] = cs_grad[first + k] + d_cs[k];
      flow[size + k] = h_grad[first + k] + d_h[k];
    }));
    const int64_t row = t * d.batch;
    const Dev<T> my_gates{Out<T>(gates).at + row * 4 * cells};
    TENSH_RETURN_IF_ERROR(FlowBack<T>(c, d, PeepholesOf<T>(c, 1), cs_prev, given, {flow.at},
                                      {flow.at + size}, d_cs, my_gates));
    TENSH_RETURN_IF_ERROR(Join<T>(c, d, {in(ops::kX).at + row * inputs}, h_prev,
                                  {Out<T>(joined).at + row * columns}));
    TENSH_RETURN_IF_ERROR(Gemm<T>(c, false, true, d.batch, columns, 4 * cells,
                                  static_cast<const T*>(gates.raw()) + row * 4 * cells,
                                  c.in(1 + ops::kW).raw(), back.raw()));
    const auto from = In<T>(back);
    return ForEach(c, d.batch * columns, [=] TENSH_DEVICE(int64_t i) {
      const int64_t r = i / columns, k = i % columns;
      if (k < inputs)
        d_x[(row + r) * inputs + k] = from[i];
      else
        d_h[r * cells + k - inputs] = from[i];
    });
  }
};

// ---- GRU ----

struct GruCell {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const RecurrentDims d, ops::ReadGru(c));
    const int64_t n = d.cells, size = d.batch * n;
    const Shape state{d.batch, n};
    Dev<T> out[4];
    for (int k = 0; k < 4; ++k) {
      TENSH_OUTPUT(y, c.Output(k, state));
      out[k] = Out<T>(y);
    }
    TENSH_ASSIGN(const Tensor joined, Matrix<T>(c, d.batch, d.columns()));
    TENSH_ASSIGN(const Tensor sums, Matrix<T>(c, d.batch, 2 * n));
    const auto in = [&](int i) { return In<T>(c.in(i)); };
    const auto x = in(ops::kGruX), h_prev = in(ops::kGruHPrev), b_ru = in(ops::kGruBru),
               b_c = in(ops::kGruBc), gates = In<T>(sums);
    const Dev<T> r = out[0], u = out[1], h = out[3];
    TENSH_RETURN_IF_ERROR(Join<T>(c, d, x, h_prev, Out<T>(joined)));
    TENSH_RETURN_IF_ERROR(Gemm<T>(c, false, false, d.batch, 2 * n, d.columns(), joined.raw(),
                                  c.in(ops::kGruWru).raw(), sums.raw()));
    TENSH_RETURN_IF_ERROR(ForEach(c, size, [=] TENSH_DEVICE(int64_t at) {
      const int64_t k = at % n, row = at / n * 2 * n;
      r[at] = ops::Logistic(gates[row + k] + b_ru[k]);
      u[at] = ops::Logistic(gates[row + n + k] + b_ru[n + k]);
      h[at] = h_prev[at] * r[at];
    }));
    TENSH_RETURN_IF_ERROR(Join<T>(c, d, x, {h.at}, Out<T>(joined)));
    TENSH_RETURN_IF_ERROR(Gemm<T>(c, false, false, d.batch, n, d.columns(), joined.raw(),
                                  c.in(ops::kGruWc).raw(), sums.raw()));
    const Dev<T> candidate = out[2];
    return ForEach(c, size, [=] TENSH_DEVICE(int64_t at) {
      candidate[at] = std::tanh(gates[at] + b_c[at % n]);
      h[at] = u[at] * h_prev[at] + (1 - u[at]) * candidate[at];
    });
  }
};

struct GruCellGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const RecurrentDims d, ops::ReadGru(c));
    const int64_t n = d.cells, size = d.batch * n, columns = d.columns(), inputs = d.inputs;
    for (int i = ops::kGruR; i <= ops::kGruDh; ++i)
      TENSH_RETURN_IF_ERROR(
          ops::ExpectShape(c.in(i), "the outputs of the cell and their gradients", {d.batch, n}));
    TENSH_OUTPUT(d_x, c.Output(0, {d.batch, inputs}));
    TENSH_OUTPUT(d_h_prev, c.Output(1, {d.batch, n}));
    TENSH_OUTPUT(d_c_bar, c.Output(2, {d.batch, n}));
    TENSH_OUTPUT(d_gates, c.Output(3, {d.batch, 2 * n}));
    TENSH_ASSIGN(const Tensor through_c, Matrix<T>(c, d.batch, columns));
    TENSH_ASSIGN(const Tensor through_gates, Matrix<T>(c, d.batch, columns));
    const auto in = [&](int i) { return In<T>(c.in(i)); };
    const auto h_prev = in(ops::kGruHPrev), r = in(ops::kGruR), u = in(ops::kGruU),
               candidate = in(ops::kGruC), dh = in(ops::kGruDh), by_c = In<T>(through_c),
               by_gates = In<T>(through_gates);
    const auto bar = Out<T>(d_c_bar), gates = Out<T>(d_gates);
    TENSH_RETURN_IF_ERROR(ForEach(c, size, [=] TENSH_DEVICE(int64_t at) {
      bar[at] = dh[at] * (1 - u[at]) * (1 - candidate[at] * candidate[at]);
      gates[at / n * 2 * n + n + at % n] =
          dh[at] * (h_prev[at] - candidate[at]) * u[at] * (1 - u[at]);
    }));
    TENSH_RETURN_IF_ERROR(Gemm<T>(c, false, true, d.batch, columns, n, d_c_bar->raw(),
                                  c.in(ops::kGruWc).raw(), through_c.raw()));
    TENSH_RETURN_IF_ERROR(ForEach(c, size, [=] TENSH_DEVICE(int64_t at) {
      const T part = by_c[at / n * columns + inputs + at % n];
      gates[at / n * 2 * n + at % n] = part * h_prev[at] * r[at] * (1 - r[at]);
    }));
    TENSH_RETURN_IF_ERROR(Gemm<T>(c, false, true, d.batch, columns, 2 * n, d_gates->raw(),
                                  c.in(ops::kGruWru).raw(), through_gates.raw()));
    const auto dx = Out<T>(d_x), before = Out<T>(d_h_prev);
    return ForEach(c, d.batch * columns, [=] TENSH_DEVICE(int64_t i) {
      const int64_t row = i / columns, k = i % columns, at = row * n + k - inputs;
      if (k < inputs)
        dx[row * inputs + k] = by_c[i] + by_gates[i];
      else
        before[at] = by_gates[i] + by_c[i] * r[at] + dh[at] * u[at];
    });
  }
};

}  // namespace

TENSH_CUDA_KERNELS(nn_recurrent_recurrent) {
  const RowOptions cell{.prepare = ops::PrepareFrom<ops::LstmState>};
  r.Add<float, Half>("LSTMBlockCell", LstmCell(), cell);
  r.Add<float, Half>("LSTMBlockCellGrad", LstmCellGrad(), cell);
  const RowOptions block{.host = "seq_len_max", .prepare = ops::PrepareFrom<ops::LstmState>};
  for (const char* op : {"BlockLSTM", "BlockLSTMV2"}) r.Add<float, Half>(op, LstmBlock(), block);
  for (const char* op : {"BlockLSTMGrad", "BlockLSTMGradV2"})
    r.Add<float, Half>(op, LstmBlockGrad(), block);
  r.Add<float, Half>("GRUBlockCell", GruCell());
  r.Add<float, Half>("GRUBlockCellGrad", GruCellGrad());
}

}  // namespace tensh::cuda
