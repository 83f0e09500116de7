// LSTMBlockCell, BlockLSTM and their gradients: one step, or many, of a recurrent cell as one op.
#include <algorithm>
#include <cmath>

#include "ops/math/elementwise/vec_math.h"
#include "ops/math/matmul/gemm.h"
#include "ops/nn/recurrent/lstm.h"
#include "ops/op_file.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
void LstmState::Read(PrepareCtx& c) {
  LstmRules& s = rules;
  if (c.attrs().Find("forget_bias")) s.forget_bias = c.attrs().Float("forget_bias");
  if (c.attrs().Find("cell_clip")) s.clip = c.attrs().Float("cell_clip");
  s.peephole = c.attrs().Bool("use_peephole");
  if (c.op_name().ends_with("V2")) std::swap(s.candidate, s.forget);
}

Result<RecurrentDims> ReadLstm(KernelCtx& c, int first) {
  TENSH_ASSIGN(const RecurrentDims d,
               RecurrentDimsOf(c.in(first + kX).shape(), c.in(first + kCsPrev).dim(1)));
  const Shape state{d.batch, d.cells};
  TENSH_RETURN_IF_ERROR(ExpectShape(c.in(first + kCsPrev), "cs_prev", state));
  TENSH_RETURN_IF_ERROR(ExpectShape(c.in(first + kHPrev), "h_prev", state));
  TENSH_RETURN_IF_ERROR(ExpectShape(c.in(first + kW), "w", {d.columns(), 4 * d.cells}));
  for (int i = kWci; i <= kWco && c.state<LstmState>().rules.peephole; ++i)
    TENSH_RETURN_IF_ERROR(ExpectShape(c.in(first + i), "a peephole's weights", {d.cells}));
  TENSH_RETURN_IF_ERROR(ExpectShape(c.in(first + kB), "b", {4 * d.cells}));
  return d;
}

Result<int64_t> LstmSteps(const Tensor& seq_len_max, const RecurrentDims& d) {
  const int64_t steps = IndexAt(seq_len_max, 0);
  if (steps >= 0 && steps <= d.time) return steps;
  return InvalidArgument("seq_len_max must lie in [0, ", d.time, "], got ", steps);
}

namespace {

// Returns pointers to the outputs at `offset`: 0 for a single step, otherwise the start of that
// step.
template <class T>
LstmStep<T> StepAt(Tensor* const outputs[7], int64_t offset) {
  T* at[7];
  for (int k = 0; k < 7; ++k) at[k] = outputs[k]->data<T>() + offset;
  return {at[0], at[1], at[2], at[3], at[4], at[5], at[6]};
}

// The weights of a cell, and scratch memory: gates [batch, 4 * cells] of a step, and `projected`, the products of the inputs of all
// steps with their weights.
template <class T>
struct Weights {
  const T *w, *b;
  Peepholes<T> peepholes;
  T *projected, *gates;
};

// One row of a gate: `x` and `h` are what the input and the previous output add to it.
template <class F>
struct GateRow {
  TENSH_ALWAYS_INLINE static void Run(float* out, const float* x, const float* h, const float* b,
                                      float bias, int64_t n) {
    TENSH_VECTORIZE
    for (int64_t k = 0; k < n; ++k) out[k] = F::Vector(x[k] + h[k] + b[k] + bias);
  }
};

// One row of the state and the output.
struct StateRow {
  TENSH_ALWAYS_INLINE static void Run(const LstmStep<float>& y, const float* cs_prev, float clip,
                                      int64_t n) {
    const float *i = y.i, *ci = y.ci, *f = y.f, *o = y.o;
    float *cs = y.cs, *co = y.co, *h = y.h;
    TENSH_VECTORIZE
    for (int64_t k = 0; k < n; ++k) {
      const float state = ci[k] * i[k] + cs_prev[k] * f[k];
      cs[k] = vec::Pick(state < -clip, -clip, vec::Pick(state > clip, clip, state));
    }
    TENSH_VECTORIZE
    for (int64_t k = 0; k < n; ++k) co[k] = VecTanh::Vector(cs[k]);
    TENSH_VECTORIZE
    for (int64_t k = 0; k < n; ++k) h[k] = o[k] * co[k];
  }
};

// StepLstm without peepholes for a row of n elements.
void StepRow(const LstmRules& r, int64_t n, const float* x, const float* h, const float* b,
             const float* cs_prev, const LstmStep<float>& to) {
  const auto gate = [&]<class F>(F, int which, float* out, float bias) {
    Dispatch<GateRow<F>>(out, x + which * n, h + which * n, b + which * n, bias, n);
  };
  gate(VecSigmoid(), r.input, to.i, 0);
  gate(VecTanh(), r.candidate, to.ci, 0);
  gate(VecSigmoid(), r.forget, to.f, r.forget_bias);
  gate(VecSigmoid(), r.output, to.o, 0);
  Dispatch<StateRow>(to, cs_prev, r.clip > 0 ? r.clip : INFINITY, n);
}

// Runs step t, whose inputs have been multiplied by their weights.
template <class T>
void RunStep(KernelCtx& c, const RecurrentDims& d, const Weights<T>& w, int64_t t, const T* cs_prev,
             const T* h_prev, const LstmStep<T>& to) {
  const int64_t n = d.cells;
  const T* projected = w.projected + t * d.batch * 4 * n;
  Gemm(c, GemmDims{.m = d.batch, .n = 4 * n, .k = n}, h_prev, w.w + d.inputs * 4 * n, w.gates);
  const LstmRules& rules = c.state<LstmState>().rules;
  if constexpr (std::is_same_v<T, float>)
    if (!rules.peephole) {
      for (int64_t row = 0; row < d.batch; ++row)
        StepRow(rules, n, projected + row * 4 * n, w.gates + row * 4 * n, w.b, cs_prev + row * n,
                to + row * n);
      return;
    }
  for (int64_t at = 0; at < d.batch * n; ++at) {
    const int64_t k = at % n, row = at / n * 4 * n;
    const auto gate = [&](int which) {
      const int64_t i = which * n + k;
      return projected[row + i] + w.gates[row + i] + w.b[i];
    };
    StepLstm(rules, w.peepholes, k, cs_prev[at], gate, to + at);
  }
}

// Runs the steps [0, steps) of d.time; the outputs of the remaining steps are zero.
template <class T>
Status RunSteps(KernelCtx& c, int first, const RecurrentDims& d, int64_t steps) {
  const auto in = [&](int i) { return static_cast<const T*>(c.in(first + i).raw()); };
  Tensor* outputs[7];
  const Shape shape = first ? Shape({d.time, d.batch, d.cells}) : Shape({d.batch, d.cells});
  for (int k = 0; k < 7; ++k) {
    TENSH_OUTPUT(out, c.Output(k, shape));
    outputs[k] = out;
  }
  const int64_t rows = steps * d.batch;
  TENSH_ASSIGN(Tensor projected, Tensor::Make(kDTypeOf<T>, {rows, 4 * d.cells}, c.allocator()));
  TENSH_ASSIGN(Tensor gates, Tensor::Make(kDTypeOf<T>, {d.batch, 4 * d.cells}, c.allocator()));
  const Weights<T> w{
      in(kW), in(kB), {in(kWci), in(kWcf), in(kWco)}, projected.data<T>(), gates.data<T>()};
  Gemm(c, GemmDims{.m = rows, .n = 4 * d.cells, .k = d.inputs}, in(kX), w.w, w.projected);
  const int64_t size = d.batch * d.cells;
  for (int64_t t = 0; t < steps && !c.cancelled(); ++t) {
    const LstmStep<T> to = StepAt<T>(outputs, t * size);
    RunStep(c, d, w, t, t ? to.cs - size : in(kCsPrev), t ? to.h - size : in(kHPrev), to);
  }
  for (Tensor* out : outputs)
    std::fill_n(out->data<T>() + steps * size, (d.time - steps) * size, T{0});
  return {};
}

struct Cell {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const RecurrentDims d, ReadLstm(c, 0));
    return RunSteps<T>(c, 0, d, 1);
  }
};

struct Block {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const RecurrentDims d, ReadLstm(c, 1));
    TENSH_ASSIGN(const int64_t steps, LstmSteps(c.in(0), d));
    return RunSteps<T>(c, 1, d, steps);
  }
};

// ---- gradients ----

// The arguments of one step's gradient: the outputs of the forward step, the incoming gradients,
// and the gradients to compute.
template <class T>
struct StepGrad {
  const T* cs_prev;
  LstmStep<const T> given;
  const T *cs_grad, *h_grad;
  T *cs_prev_grad, *gates_grad;
  T *wci_grad, *wcf_grad, *wco_grad;  // accumulated over the steps
};

template <class T>
void RunStepGrad(const RecurrentDims& d, const LstmRules& s, const Peepholes<T>& w,
                 const StepGrad<T>& g) {
  const int64_t n = d.cells;
  for (int64_t at = 0; at < d.batch * n; ++at) {
    const int64_t k = at % n;
    const LstmFlow<T> flow =
        FlowLstm(s, w, k, g.cs_prev[at], g.given + at, g.cs_grad[at], g.h_grad[at]);
    T* gates = g.gates_grad + at / n * 4 * n + k;
    gates[s.input * n] = flow.i;
    gates[s.candidate * n] = flow.ci;
    gates[s.forget * n] = flow.f;
    gates[s.output * n] = flow.o;
    g.cs_prev_grad[at] = flow.cs_prev;
    if (!s.peephole) continue;
    g.wci_grad[k] += flow.i * g.cs_prev[at];
    g.wcf_grad[k] += flow.f * g.cs_prev[at];
    g.wco_grad[k] += flow.o * g.given.cs[at];
  }
}

struct CellGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const RecurrentDims d, ReadLstm(c, 0));
    const Shape state{d.batch, d.cells}, cell{d.cells};
    for (int i = kI; i < c.num_inputs(); ++i)
      TENSH_RETURN_IF_ERROR(
          ExpectShape(c.in(i), "the outputs of the cell and their gradients", state));
    TENSH_OUTPUT(cs_prev_grad, c.Output(0, state));
    TENSH_OUTPUT(gates_grad, c.Output(1, {d.batch, 4 * d.cells}));
    Tensor* peepholes[3];
    for (int k = 0; k < 3; ++k) {
      TENSH_OUTPUT(out, c.Output(2 + k, cell));
      std::fill_n(out->data<T>(), d.cells, T{0});
      peepholes[k] = out;
    }
    const auto in = [&](int i) { return static_cast<const T*>(c.in(i).raw()); };
    RunStepGrad<T>(d, c.state<LstmState>().rules, {in(kWci), in(kWcf), in(kWco)},
                   {in(kCsPrev),
                    {in(kI), in(kCs), in(kF), in(kO), in(kCi), in(kCo), in(kCo)},
                    in(kCo + 1),
                    in(kCo + 2),
                    cs_prev_grad->data<T>(),
                    gates_grad->data<T>(),
                    peepholes[0]->data<T>(),
                    peepholes[1]->data<T>(),
                    peepholes[2]->data<T>()});
    return {};
  }
};

// The gradients of all inputs except seq_len_max. Steps after seq_len_max have zero gradients.
// Steps are processed from last to first; the gradients of the weights are computed by one product
// over all steps at the end.
struct BlockGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const RecurrentDims d, ReadLstm(c, 1));
    TENSH_ASSIGN(const int64_t steps, LstmSteps(c.in(0), d));
    for (int i = 1 + kI; i < c.num_inputs(); ++i)
      TENSH_RETURN_IF_ERROR(ExpectShape(c.in(i), "the outputs of the cells and their gradients",
                                        {d.time, d.batch, d.cells}));
    T* to[kLstmInputs];
    for (int k = 0; k < kLstmInputs; ++k) {
      TENSH_OUTPUT(out, c.Output(k, c.in(1 + k).shape()));
      to[k] = out->data<T>();
      std::fill_n(to[k], out->num_elements(), T{0});
    }
    const int64_t rows = steps * d.batch;
    const DType type = kDTypeOf<T>;
    TENSH_ASSIGN(Tensor joined, Tensor::Make(type, {rows, d.columns()}, c.allocator()));
    TENSH_ASSIGN(Tensor gates, Tensor::Make(type, {rows, 4 * d.cells}, c.allocator()));
    TENSH_ASSIGN(Tensor back, Tensor::Make(type, {d.batch, d.columns()}, c.allocator()));
    TENSH_ASSIGN(Tensor flows, Tensor::Make(type, {2, d.batch, d.cells}, c.allocator()));
    for (int64_t t = steps; t-- > 0 && !c.cancelled();)
      Back(c, d, t, joined.data<T>(), gates.data<T>(), back.data<T>(), flows.data<T>(), to);
    Gemm(c, GemmDims{.transpose_a = true, .m = d.columns(), .n = 4 * d.cells, .k = rows},
         joined.data<T>(), gates.data<T>(), to[kW]);
    for (int64_t i = 0; i < gates.num_elements(); ++i)
      to[kB][i % (4 * d.cells)] += gates.data<T>()[i];
    return {};
  }

 private:
  // Processes step t. `back` receives the gradients of the step's x and h; `flows` holds the total
  // gradients of its cs and h.
  template <class T>
  static void Back(KernelCtx& c, const RecurrentDims& d, int64_t t, T* joined, T* gates, T* back,
                   T* flows, T* const* to) {
    const auto in = [&](int i) { return static_cast<const T*>(c.in(1 + i).raw()); };
    const int64_t size = d.batch * d.cells, at = t * size;
    const T* cs_prev = t ? in(kCs) + at - size : in(kCsPrev);
    const T* h_prev = t ? in(kH) + at - size : in(kHPrev);
    for (int64_t k = 0; k < size; ++k) {
      flows[k] = in(kCsGrad)[at + k] + to[kCsPrev][k];
      flows[size + k] = in(kHGrad)[at + k] + to[kHPrev][k];
    }
    joined += t * d.batch * d.columns();
    gates += t * d.batch * 4 * d.cells;
    RunStepGrad<T>(
        d, c.state<LstmState>().rules, {in(kWci), in(kWcf), in(kWco)},
        {cs_prev, LstmStep<const T>{in(kI), in(kCs), in(kF), in(kO), in(kCi), in(kCo), in(kH)} + at,
         flows, flows + size, to[kCsPrev], gates, to[kWci], to[kWcf], to[kWco]});
    JoinRows(d, in(kX) + t * d.batch * d.inputs, h_prev, joined);
    Gemm(c, GemmDims{.transpose_b = true, .m = d.batch, .n = d.columns(), .k = 4 * d.cells}, gates,
         in(kW), back);
    for (int64_t row = 0; row < d.batch; ++row, back += d.columns()) {
      std::copy_n(back, d.inputs, to[kX] + (t * d.batch + row) * d.inputs);
      std::copy_n(back + d.inputs, d.cells, to[kHPrev] + row * d.cells);
    }
  }
};

// ---- shapes and graph gradients ----

Status CellShape(ShapeCtx& c) {
  const Shape out = RecurrentStateShape(c.in(kX), c.in(kCsPrev));
  for (int i = 0; i < 7; ++i) c.Set(i, out);
  return {};
}

Status CellGradShape(ShapeCtx& c) {
  const Shape state = RecurrentStateShape(c.in(kX), c.in(kCsPrev));
  c.Set(0, state);
  c.Set(1, {state[0], state[1] < 0 ? -1 : 4 * state[1]});
  for (int i = 2; i < 5; ++i) c.Set(i, {state[1]});
  return {};
}

Status BlockShape(ShapeCtx& c) {
  const Shape &x = c.in(1 + kX), &b = c.in(1 + kB);
  const int64_t gates = b.has_rank() ? b[0] : -1;
  if (gates > 0 && gates % 4)
    return InvalidArgument("Dimension size must be evenly divisible by 4 but is ", gates);
  const Shape out{x.has_rank() ? x[0] : -1, x.has_rank() ? x[1] : -1, gates < 0 ? -1 : gates / 4};
  for (int i = 0; i < 7; ++i) c.Set(i, out);
  return {};
}

Status BlockGradShape(ShapeCtx& c) {
  static constexpr int kRanks[kLstmInputs] = {3, 2, 2, 2, 1, 1, 1, 1};
  for (int i = 0; i < kLstmInputs; ++i)
    c.Set(i, c.in(1 + i).has_rank() ? c.in(1 + i) : Shape::UnknownOfRank(kRanks[i]));
  return {};
}

Status CellGradient(GradScope& g) {
  const auto in = [&](int i) { return g.x(i); };
  Out d_cs = g.Op("LSTMBlockCellGrad",
                  {in(0), in(1), in(2), in(3), in(4), in(5), in(6), in(7), g.y(0), g.y(1), g.y(2),
                   g.y(3), g.y(4), g.y(5), g.dy(1), g.dy(6)},
                  {{"use_peephole", g.attrs().Bool("use_peephole")}});
  const Out gates = g.Output(d_cs, 1);
  const Out back = g.Op("MatMul", {gates, in(kW)}, {{"transpose_b", true}});
  const Shape x = g.shape(in(kX)), cs = g.shape(in(kCsPrev));
  if (!x.has_rank() || x[1] < 0 || !cs.has_rank() || cs[1] < 0)
    return InvalidArgument("the inputs and cells of an LSTMBlockCell must be statically known ",
                           "for its gradient");
  const auto part = [&](int64_t begin, int64_t size) {
    return g.Op("Slice", {back, ConstInts(g, {0, begin}, "Slice/begin"),
                          ConstInts(g, {-1, size}, "Slice/size")});
  };
  const Out joined = Concat(g, {in(kX), in(kHPrev)}, ConstInt(g, 1, "concat/axis"));
  const Out d_w = g.Op("MatMul", {joined, gates}, {{"transpose_a", true}});
  return g.Return({part(0, x[1]), d_cs, part(x[1], cs[1]), d_w, g.Output(d_cs, 2),
                   g.Output(d_cs, 3), g.Output(d_cs, 4), g.Op("BiasAddGrad", {gates})});
}

template <bool v2>
Status BlockGradient(GradScope& g) {
  std::vector<Out> in;
  for (int i = 0; i < 1 + kLstmInputs; ++i) in.push_back(g.x(i));
  for (int i = 0; i < 7; ++i) in.push_back(g.y(i));
  in.push_back(g.dy(1));
  in.push_back(g.dy(6));
  const Out first = g.OpN(v2 ? "BlockLSTMGradV2" : "BlockLSTMGrad", in,
                          {{"use_peephole", g.attrs().Bool("use_peephole")}});
  std::vector<Out> grads = {{}};
  for (int i = 0; i < kLstmInputs; ++i) grads.push_back(g.Output(first, i));
  return g.Return(std::move(grads));
}

// ---- registrations ----

constexpr char kInputText[] = "x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T";
constexpr char kGivenText[] = ", i: T, cs: T, f: T, o: T, ci: T, co: T";
constexpr char kTypes[] = "T: {half, float}";
constexpr char kInputDoc[] =
    "cs_prev, h_prev: the previous state and output [batch, cells]. w, b: the weights and bias of "
    "x and h_prev for the gates, side by side. wci, wcf, wco: the weights of the state for the "
    "gates i, f and o, if use_peephole is true. ";
constexpr char kOutputDoc[] =
    "i, f, o: the input, forget and output gates. ci: the candidate. cs: the state. co: its tanh. "
    "h: the output. ";
constexpr char kClipDoc[] = "cell_clip: if not 0, the maximum absolute value of the state. ";
constexpr char kBiasDoc[] = "forget_bias: added to the forget gate. ";
constexpr char kRules[] =
    "h_prev: matrix at run, w: matrix at run, wci: vector at run, "
    "wcf: vector at run, wco: vector at run, ";
constexpr char kExample[] =
    "cs_prev=[[2.]], h_prev=[[0.]], w=tf.zeros([2, 4]), wci=[0.], wcf=[0.], wco=[0.], "
    "b=[0., 0., 0., 0.]";
constexpr KernelOptions kOptions = {.prepare = PrepareFrom<LstmState>};

// Returns contract rules for the named outputs of the forward op and their gradients: each must
// have the given rank.
std::string RulesOf(std::initializer_list<const char*> names, const char* rank) {
  std::string out;
  for (const char* name : names) out += StrCat(", ", name, ": ", rank, " at run");
  return out;
}

void RegisterCell(OpRegistry& r) {
  r.Op({.name = "LSTMBlockCell",
        .inputs = kInputText,
        .outputs = "i: T, cs: T, f: T, o: T, ci: T, co: T, h: T",
        .attrs = StrCat("forget_bias: float = 1.0, cell_clip: float = 3.0, "
                        "use_peephole: bool = false, ",
                        kTypes),
        .doc = StrCat("One step of an LSTM. x: the inputs [batch, inputs], of type T. ", kInputDoc,
                      kOutputDoc, kBiasDoc, kClipDoc),
        .contract = StrCat("x: matrix, cs_prev: matrix not empty, ", kRules, "b: vector at run"),
        .shape = CellShape,
        .grad = CellGradient,
        .examples = {{StrCat("tf.raw_ops.LSTMBlockCell(x=[[0.]], ", kExample,
                             ", forget_bias=0.)[1]"),
                      "[[1.]]"}}})
      .Cpu<float>(Cell{}, kOptions);
  r.Op({.name = "LSTMBlockCellGrad",
        .inputs = StrCat(kInputText, kGivenText, ", cs_grad: T, h_grad: T"),
        .outputs = "cs_prev_grad: T, dicfo: T, wci_grad: T, wcf_grad: T, wco_grad: T",
        .attrs = StrCat("use_peephole: bool, ", kTypes),
        .doc = StrCat("The gradient of LSTMBlockCell. x: the inputs [batch, inputs], of type T. ",
                      kInputDoc,
                      "i, cs, f, o, ci, co: its outputs. cs_grad, h_grad: the incoming gradients. "
                      "dicfo: the gradient of the gates."),
        .contract =
            StrCat("x: matrix, cs_prev: matrix, ", kRules, "b: vector at run",
                   RulesOf({"i", "cs", "f", "o", "ci", "co", "cs_grad", "h_grad"}, "matrix")),
        .shape = CellGradShape,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.LSTMBlockCellGrad(x=[[0.]], ", kExample,
                             ", i=[[.5]], cs=[[1.]], f=[[.5]], o=[[.5]], ci=[[0.]], co=[[.75]], "
                             "cs_grad=[[2.]], h_grad=[[0.]], use_peephole=False)[0]"),
                      "[[1.]]"}}})
      .Cpu<float>(CellGrad{}, kOptions);
}

void RegisterBlock(OpRegistry& r, const std::string& version, GradFn gradient, OpText own_attrs,
                   OpText own_doc) {
  const std::string x =
      "x: the inputs [time, batch, inputs], of type T. seq_len_max: the number of steps to run; "
      "outputs of later steps are 0. ";
  const std::string rules = StrCat("seq_len_max: scalar at run, x: rank 3, ", kRules, "b: vector");
  r.Op({.name = "BlockLSTM" + version,
        .inputs = StrCat("seq_len_max: int64, ", kInputText),
        .outputs = "i: T, cs: T, f: T, o: T, ci: T, co: T, h: T",
        .attrs = StrCat(own_attrs, "use_peephole: bool = false, ", kTypes),
        .doc = StrCat("All steps of an LSTM. ", x, kInputDoc, kOutputDoc, own_doc, kClipDoc),
        .contract = StrCat("cs_prev: matrix at run, ", rules),
        .shape = BlockShape,
        .grad = gradient,
        .examples = {{StrCat("tf.raw_ops.BlockLSTM", version,
                             "(seq_len_max=tf.constant(1, tf.int64), x=[[[0.]]], ", kExample,
                             version.empty() ? ", forget_bias=0.)[1]" : ")[1]"),
                      "[[[1.]]]"}}})
      .Cpu<float>(Block{}, kOptions);
  r.Op({.name = "BlockLSTMGrad" + version,
        .inputs =
            StrCat("seq_len_max: int64, ", kInputText, kGivenText, ", h: T, cs_grad: T, h_grad: T"),
        .outputs = "x_grad: T, cs_prev_grad: T, h_prev_grad: T, w_grad: T, wci_grad: T, "
                   "wcf_grad: T, wco_grad: T, b_grad: T",
        .attrs = StrCat("use_peephole: bool, ", kTypes),
        .doc =
            StrCat("The gradient of BlockLSTM", version, ". ", x, kInputDoc,
                   "i, cs, f, o, ci, co, h: its outputs. cs_grad, h_grad: the incoming gradients."),
        .contract =
            StrCat("cs_prev: matrix, ", rules,
                   RulesOf({"i", "cs", "f", "o", "ci", "co", "h", "cs_grad", "h_grad"}, "rank 3")),
        .shape = BlockGradShape,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.BlockLSTMGrad", version,
                             "(seq_len_max=tf.constant(1, tf.int64), x=[[[0.]]], ", kExample,
                             ", i=[[[.5]]], cs=[[[1.]]], f=[[[.5]]], o=[[[.5]]], ci=[[[0.]]], "
                             "co=[[[.75]]], h=[[[.375]]], cs_grad=[[[2.]]], h_grad=[[[0.]]], "
                             "use_peephole=False)[1]"),
                      "[[1.]]"}}})
      .Cpu<float>(BlockGrad{}, kOptions);
}

}  // namespace

TENSH_OPS(nn_recurrent_lstm_block) {
  RegisterCell(r);
  RegisterBlock(r, "", BlockGradient<false>, "forget_bias: float = 1.0, cell_clip: float = 3.0, ",
                kBiasDoc);
  RegisterBlock(r, "V2", BlockGradient<true>, "cell_clip: float = 0.0, ",
                "The gates are in the order i, f, ci, o. ");
}

}  // namespace tensh::ops
