#pragma once
// An LSTM step: reading and checking the kernels' inputs, and the arithmetic of one element. All
// devices share it: nvcc compiles constexpr functions as device code.
#include "ops/nn/recurrent/recurrent_dims.h"

namespace tensh::ops {

struct LstmRules {
  float forget_bias = 0, clip = 0;
  bool peephole = false;
  // The position of each gate among the four quarters of the gate columns.
  int input = 0, candidate = 1, forget = 2, output = 3;
};
struct LstmState : KernelState {
  LstmRules rules;
  void Read(PrepareCtx& c);
};

// Indices of the inputs from x on. In the gradient op, the outputs of the forward op follow its
// inputs, then cs_grad and h_grad.
enum LstmInput { kX, kCsPrev, kHPrev, kW, kWci, kWcf, kWco, kB, kLstmInputs };
enum LstmGiven { kI = kLstmInputs, kCs, kF, kO, kCi, kCo, kH, kCsGrad, kHGrad };
// ReadLstm checks the inputs; x is input `first`.
Result<RecurrentDims> ReadLstm(KernelCtx& c, int first);
Result<int64_t> LstmSteps(const Tensor& seq_len_max, const RecurrentDims& d);

// Pointers to the same element of each output of a step.
template <class T>
struct LstmStep {
  T *i, *cs, *f, *o, *ci, *co, *h;
  constexpr LstmStep operator+(int64_t n) const {
    return {i + n, cs + n, f + n, o + n, ci + n, co + n, h + n};
  }
};
// Pointers to one cell's weights from its state to the gates. Unused without peepholes.
template <class T>
struct Peepholes {
  const T *i, *f, *o;
};

// Computes one element, which belongs to cell k. gate(q) returns the sum of quarter q of the gates.
template <class T, class Gate>
constexpr void StepLstm(const LstmRules& r, const Peepholes<T>& w, int64_t k, T cs_prev, Gate gate,
                        const LstmStep<T>& to) {
  const T bias = static_cast<T>(r.forget_bias), clip = static_cast<T>(r.clip);
  const T i = Logistic(gate(r.input) + (r.peephole ? w.i[k] * cs_prev : T{0}));
  const T ci = std::tanh(gate(r.candidate));
  const T f = Logistic(gate(r.forget) + bias + (r.peephole ? w.f[k] * cs_prev : T{0}));
  T cs = ci * i + cs_prev * f;
  if (clip > 0) cs = cs < -clip ? -clip : clip < cs ? clip : cs;
  const T o = Logistic(gate(r.output) + (r.peephole ? w.o[k] * cs : T{0}));
  const T co = std::tanh(cs);
  *to.i = i, *to.ci = ci, *to.f = f, *to.cs = cs, *to.o = o, *to.co = co, *to.h = o * co;
}

// The gradients of the gates of one element, and of the previous state.
template <class T>
struct LstmFlow {
  T i, ci, f, o, cs_prev;
};
template <class T>
constexpr LstmFlow<T> FlowLstm(const LstmRules& r, const Peepholes<T>& w, int64_t k, T cs_prev,
                               const LstmStep<const T>& g, T cs_grad, T h_grad) {
  const T i = *g.i, f = *g.f, o = *g.o, ci = *g.ci, co = *g.co;
  const T d_o = o * (1 - o) * h_grad * co;
  T d_cs = (1 - co * co) * h_grad * o + cs_grad;
  if (r.peephole) d_cs += d_o * w.o[k];
  const T d_ci = (1 - ci * ci) * d_cs * i;
  const T d_f = f * (1 - f) * d_cs * cs_prev;
  const T d_i = i * (1 - i) * d_cs * ci;
  const T before = d_cs * f + (r.peephole ? d_i * w.i[k] + d_f * w.f[k] : T{0});
  return {d_i, d_ci, d_f, d_o, before};
}

}  // namespace tensh::ops
