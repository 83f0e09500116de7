// Runs a chain of elementwise kernels of one type of floats as one kernel. Each step of the chain is a case of
// a switch that all threads take together, and intermediate values stay in registers. Memory is
// thus read once for each external input and written once for each value that is used elsewhere.
#include "devices/cuda/cuda_view.h"
#include "devices/cuda/element_fns.h"
#include "runtime/core/fused_work.h"

namespace tensh::cuda {
namespace {

// The steps by the function they compute; the names are those in element_fns.h.
#define TENSH_CHAIN_UNARY(X)                                                                 \
  X(NegFloat)                                                                                \
  X(Abs)                                                                                     \
  X(Square) X(SignOf) X(Sqrt) X(Rsqrt) X(Reciprocal) X(Exp) X(Expm1) X(Log) X(Log1p) X(Tanh) \
      X(Sigmoid) X(Floor) X(Ceil) X(Rint) X(Relu) X(Relu6) X(Softplus)
#define TENSH_CHAIN_BINARY(X)                                                                     \
  X(Add)                                                                                          \
  X(Sub)                                                                                          \
  X(Mul) X(Div) X(DivNoNan) X(Maximum) X(Minimum) X(SquaredDifference) X(TanhGrad) X(SigmoidGrad) \
      X(SqrtGrad) X(RsqrtGrad) X(ReciprocalGrad) X(ReluGrad) X(Relu6Grad) X(SoftplusGrad)

enum Code : uint8_t {
#define TENSH_CODE(name) k##name,
  TENSH_CHAIN_UNARY(TENSH_CODE) TENSH_CHAIN_BINARY(TENSH_CODE)
#undef TENSH_CODE
};

constexpr int kSteps = 32, kInputs = 40;
constexpr int kKept = 4;  // number of values that can be kept in registers for a later step

// Encodes the source of an operand: the previous step, a kept value, or an external input.
constexpr uint8_t kLast = 0, kFirstKept = 1, kFirstInput = kFirstKept + kKept, kNowhere = 255;

struct Chain {
  struct Step {
    Code code;
    uint8_t from[2];
    uint8_t keep;  // index in kept, or kNowhere
    void* out;     // null if the value is not used outside of the chain
  };
  struct Input {
    const void* at;
    Goes goes;
  };
  int64_t row = 1;
  int n_steps = 0;
  bool has_rows = false;
  Step steps[kSteps];
  Input inputs[kInputs];
};
static_assert(sizeof(Chain) < 4000, "what a launch takes along");

// Called within a branch that all threads take alike, so that nvcc keeps the branch. Otherwise it
// selects every value that the branch may set, which costs more.
TENSH_DEVICE inline void KeepBranch() {
#ifdef __CUDA_ARCH__
  asm volatile("");
#endif
}

// The values of n neighboring elements of a chain of Ts. They are floats that a T can represent.
template <class T, int n>
struct Values {
  float v[n];

  TENSH_DEVICE void Round() {
    if constexpr (kIsHalf<T>)
      for (float& x : v) x = static_cast<float>(static_cast<T>(x));
  }
  template <class Fn>
  TENSH_DEVICE void Apply(Fn fn) {
    for (int i = 0; i < n; ++i) v[i] = fn(v[i]);
  }
  template <class Fn>
  TENSH_DEVICE void Apply(Fn fn, const Values& y) {
    for (int i = 0; i < n; ++i) v[i] = fn(v[i], y.v[i]);
  }
  TENSH_DEVICE void Store(void* to, int64_t first) const {
    Lanes<T, n> lanes;
    for (int i = 0; i < n; ++i) lanes.v[i] = static_cast<T>(v[i]);
    StoreLanes<n>(static_cast<T*>(to) + first, lanes);
  }
  // Loads the elements [first, first + n), of which the first is in the given column of its row.
  static TENSH_DEVICE Values Load(const Chain::Input& in, int64_t first, int64_t row,
                                  int64_t column) {
    const T* const at = static_cast<const T*>(in.at);
    Values values;
    if (in.goes == Goes::kWhole) {
      const auto lanes = LoadLanes<n>(at + first);
      for (int i = 0; i < n; ++i) values.v[i] = static_cast<float>(lanes.v[i]);
    } else if (in.goes == Goes::kScalar) {
      const auto one = static_cast<float>(*at);
      for (float& x : values.v) x = one;
    } else {
      for (float& x : values.v) {
        x = static_cast<float>(at[column]);
        if (++column == row) column = 0;
      }
    }
    return values;
  }
};

// Runs the whole chain for the elements [first, first + n).
template <class T, int n>
TENSH_DEVICE void RunChain(const Chain& chain, int64_t first) {
  Values<T, n> last{}, kept[kKept] = {};
  const int64_t column = chain.has_rows ? first % chain.row : 0;
  const auto find = [&](uint8_t from) {
    if (from >= kFirstInput)
      return Values<T, n>::Load(chain.inputs[from - kFirstInput], first, chain.row, column);
    Values<T, n> value = last;
    if (from != kLast) {
      KeepBranch();
      for (int k = 0; k < kKept; ++k)  // a dynamic index would move `kept` from registers to memory
        if (from == kFirstKept + k) value = kept[k];
    }
    return value;
  };
  for (int s = 0; s < chain.n_steps; ++s) {
    const Chain::Step& step = chain.steps[s];
    Values<T, n> x = find(step.from[0]), y{};
    if (step.from[1] != kNowhere) y = find(step.from[1]);
    switch (step.code) {
#define TENSH_CASE(name) \
  case k##name:          \
    x.Apply(name());     \
    break;
      TENSH_CHAIN_UNARY(TENSH_CASE)
#undef TENSH_CASE
#define TENSH_CASE(name) \
  case k##name:          \
    x.Apply(name(), y);  \
    break;
      TENSH_CHAIN_BINARY(TENSH_CASE)
#undef TENSH_CASE
    }
    x.Round();
    last = x;
    if (step.keep != kNowhere) {
      KeepBranch();
      for (int k = 0; k < kKept; ++k)
        if (step.keep == k) kept[k] = x;
    }
    if (step.out) x.Store(step.out, first);
  }
}

// Builds the chain: assigns a register to each value that is needed later. Returns false if the
// work is too large.
template <class T>
bool MakeChain(const FusedWork& work, Chain& chain) {
  const uint32_t n_inputs = static_cast<uint32_t>(work.inputs.size());
  if (work.steps.size() > kSteps || n_inputs > kInputs) return false;
  chain.row = work.row;
  for (uint32_t i = 0; i < n_inputs; ++i) {
    const auto& [data, goes] = work.inputs[i];
    const int64_t n = goes == Goes::kWhole ? work.elements : goes == Goes::kRow ? work.row : 1;
    chain.inputs[i] = {Elements<const T>(const_cast<void*>(data), n).at, goes};
    chain.has_rows |= goes == Goes::kRow;
  }
  // For each step, the last step that uses its value, other than its immediate successor.
  std::vector<size_t> waits_until(work.steps.size());
  for (size_t s = 0; s < work.steps.size(); ++s)
    for (int k = 0; k < work.steps[s].n_from; ++k)
      if (const uint32_t from = work.steps[s].from[k]; from >= n_inputs && from - n_inputs + 1 < s)
        waits_until[from - n_inputs] = s;
  size_t free_from[kKept] = {};  // the step from which the register can be reused
  std::vector<uint8_t> place(work.steps.size(), kNowhere);
  for (size_t s = 0; s < work.steps.size(); ++s) {
    const FusedWork::Step& step = work.steps[s];
    Chain::Step& made = chain.steps[chain.n_steps++];
    made = {static_cast<Code>(step.code), {kNowhere, kNowhere}, kNowhere, nullptr};
    for (int k = 0; k < step.n_from; ++k) {
      const uint32_t from = step.from[k], maker = from - n_inputs;
      made.from[k] = from < n_inputs  ? static_cast<uint8_t>(kFirstInput + from)
                     : maker + 1 == s ? kLast
                                      : static_cast<uint8_t>(kFirstKept + place[maker]);
    }
    if (waits_until[s]) {
      uint8_t k = 0;
      while (k < kKept && free_from[k] > s) ++k;
      if (k == kKept) return false;
      free_from[k] = waits_until[s];
      made.keep = place[s] = k;
    }
    if (step.out) made.out = Elements<T>(step.out, work.elements).at;
  }
  return true;
}

bool IsAligned(const Chain& chain, size_t n_inputs) {
  const auto is = [](const void* at) { return reinterpret_cast<uintptr_t>(at) % 16 == 0; };
  for (size_t i = 0; i < n_inputs; ++i)
    if (chain.inputs[i].goes == Goes::kWhole && !is(chain.inputs[i].at)) return false;
  for (int s = 0; s < chain.n_steps; ++s)
    if (!is(chain.steps[s].out)) return false;
  return true;
}

template <class T>
Status RunChains(KernelCtx& c, const FusedWork& work) {
  constexpr int kEach = 8;  // elements of a thread, which share the work of choosing a step's code
  Chain chain;
  if (!MakeChain<T>(work, chain)) return Unimplemented("a chain has too many values");
  const int64_t full = IsAligned(chain, work.inputs.size()) ? work.elements / kEach : 0;
  const int64_t rest = work.elements - kEach * full;
  return ForEach(c, full + rest, [=] TENSH_DEVICE(int64_t i) {
    if (i < full)
      RunChain<T, kEach>(chain, kEach * i);
    else
      RunChain<T, 1>(chain, (kEach - 1) * full + i);
  });
}

}  // namespace

TENSH_CUDA_KERNELS(math_elementwise_chain) {
  static constexpr struct {
    const char* op;
    Code code;
  } kOps[] = {
      {"Neg", kNegFloat},
      {"Abs", kAbs},
      {"Square", kSquare},
      {"Sign", kSignOf},
      {"Sqrt", kSqrt},
      {"Rsqrt", kRsqrt},
      {"Reciprocal", kReciprocal},
      {"Inv", kReciprocal},
      {"Exp", kExp},
      {"Expm1", kExpm1},
      {"Log", kLog},
      {"Log1p", kLog1p},
      {"Tanh", kTanh},
      {"Sigmoid", kSigmoid},
      {"Floor", kFloor},
      {"Ceil", kCeil},
      {"Rint", kRint},
      {"Round", kRint},
      {"Relu", kRelu},
      {"Relu6", kRelu6},
      {"Softplus", kSoftplus},
      {"Add", kAdd},
      {"AddV2", kAdd},
      {"BiasAdd", kAdd},
      {"Sub", kSub},
      {"Mul", kMul},
      {"Div", kDiv},
      {"RealDiv", kDiv},
      {"DivNoNan", kDivNoNan},
      {"Maximum", kMaximum},
      {"Minimum", kMinimum},
      {"SquaredDifference", kSquaredDifference},
      {"TanhGrad", kTanhGrad},
      {"SigmoidGrad", kSigmoidGrad},
      {"SqrtGrad", kSqrtGrad},
      {"RsqrtGrad", kRsqrtGrad},
      {"ReciprocalGrad", kReciprocalGrad},
      {"InvGrad", kReciprocalGrad},
      {"ReluGrad", kReluGrad},
      {"Relu6Grad", kRelu6Grad},
      {"SoftplusGrad", kSoftplusGrad},
  };
  for (const auto& [op, code] : kOps) {
    r.InChains(op, DType::kFloat, RunChains<float>, code);
    r.InChains(op, DType::kHalf, RunChains<Half>, code);
    r.InChains(op, DType::kBfloat16, RunChains<Bfloat16>, code);
  }
}

}  // namespace tensh::cuda
