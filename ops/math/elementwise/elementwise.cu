// Elementwise arithmetic of floats and of int64 on GPUs. int32 has no kernels here: TensorFlow uses
// it for shapes and indices and keeps it in host memory.
#include "devices/cuda/cuda_complex.h"
#include "devices/cuda/cuda_view.h"
#include "devices/cuda/element_fns.h"
#include "ops/math/elementwise/equal.h"

namespace tensh::cuda {
namespace {

#define TENSH_TEST(name, expression)               \
  struct name {                                    \
    template <class T>                             \
    TENSH_DEVICE bool operator()(T x, T y) const { \
      return expression;                           \
    }                                              \
  };

TENSH_TEST(Less, x < y)
TENSH_TEST(LessEqual, x <= y)
TENSH_TEST(Greater, x > y)
TENSH_TEST(GreaterEqual, x >= y)
TENSH_TEST(Equal, x == y)
TENSH_TEST(NotEqual, x != y)
TENSH_TEST(And, x&& y)
TENSH_TEST(Or, x || y)

struct IsNan {
  template <class T>
  TENSH_DEVICE bool operator()(T x) const {
    return x != x;
  }
};
struct IsInf {
  template <class T>
  TENSH_DEVICE bool operator()(T x) const {
    return x == x && x - x != x - x;
  }
};
struct IsFinite {
  template <class T>
  TENSH_DEVICE bool operator()(T x) const {
    return x - x == x - x;
  }
};
struct Not {
  TENSH_DEVICE bool operator()(bool x) const { return !x; }
};

template <class T>
struct Terms {
  static constexpr int kMost = 32;
  const T* at[kMost];
  int n = 0;
};

// Adds the inputs one after the other, in passes of as many as a launch takes along.
struct AddN {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor first = c.in(0);
    for (int i = 1; i < c.num_inputs(); ++i)
      if (!(c.in(i).shape() == first.shape()))
        return InvalidArgument(
            "Inputs to operation AddN must have the same size and shape.  Input 0: ", first.shape(),
            " != input ", i, ": ", c.in(i).shape());
    if (c.num_inputs() == 1) {
      c.SetOutput(0, first);
      return {};
    }
    TENSH_OUTPUT(y, c.Output(0, first.shape()));
    using S = Seen<T>;
    const auto out = Out<S>(y);
    for (int i = 1; i < c.num_inputs();) {
      Terms<S> terms;
      const auto a = i == 1 ? In<S>(first) : In<S>(*y);
      while (i < c.num_inputs() && terms.n < Terms<S>::kMost)
        terms.at[terms.n++] = In<S>(c.in(i++)).at;
      TENSH_RETURN_IF_ERROR(ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t k) {
        S sum = a[k];
        for (int t = 0; t < terms.n; ++t) {
          const auto x = static_cast<Computed<S>>(sum), by = static_cast<Computed<S>>(terms.at[t][k]);
          sum = static_cast<S>(Bits(x) + Bits(by));
        }
        out[k] = sum;
      }));
    }
    return {};
  }
};

// If the node allows it, shapes that do not broadcast give a single boolean.
template <bool equal>
struct Equality {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    ops::BroadcastPlan plan;
    if (!c.state<ops::EqualState>().shapes_must_match &&
        !ops::MakeBroadcastPlan(c.in(0).shape(), c.in(1).shape(), plan).ok()) {
      TENSH_OUTPUT(y, c.Output(0, Shape()));
      const auto out = Out<bool>(y);
      return ForEach(c, 1, [=] TENSH_DEVICE(int64_t) { out[0] = !equal; });
    }
    if constexpr (equal)
      return MapBinary<bool, Seen<T>>(c, Equal());
    else
      return MapBinary<bool, Seen<T>>(c, NotEqual());
  }
};

template <class Fn>
void Float1(KernelTable& r, const char* op) {
  r.Add<float, double, Half, Bfloat16>(op, Unary<Fn>());
}
template <class Fn>
void Float2(KernelTable& r, const char* op) {
  r.Add<float, double, Half, Bfloat16>(op, Binary<Fn>());
}
template <class Fn>
void Number2(KernelTable& r, const char* op) {
  r.Add<float, double, Half, Bfloat16, int64_t>(op, Binary<Fn>());
  r.OnHost<int32_t>(op);
}
template <class Fn>
void Test2(KernelTable& r, const char* op) {
  r.Add<float, double, Half, Bfloat16, int64_t>(op, BinaryTest<Fn>());
  r.OnHost<int32_t>(op);
}

void RegisterUnary(KernelTable& r) {
  Float1<NegFloat>(r, "Neg");
  r.Add<int64_t>("Neg", Unary<Neg>());
  r.OnHost<int32_t>("Neg");
  r.Add<float, double, Half, Bfloat16, int64_t>("Abs", Unary<Abs>());
  r.OnHost<int32_t>("Abs");
  r.Add<float, double, Half, Bfloat16, int64_t>("Square", Unary<Square>());
  r.OnHost<int32_t>("Square");
  r.Add<float, double, Half, Bfloat16, int64_t>("Sign", Unary<SignOf>());
  r.OnHost<int32_t>("Sign");
  Float1<Sqrt>(r, "Sqrt");
  Float1<Rsqrt>(r, "Rsqrt");
  Float1<Reciprocal>(r, "Reciprocal");
  Float1<Reciprocal>(r, "Inv");
  Float1<Exp>(r, "Exp");
  Float1<Expm1>(r, "Expm1");
  Float1<Log>(r, "Log");
  Float1<Log1p>(r, "Log1p");
  Float1<Sin>(r, "Sin");
  Float1<Cos>(r, "Cos");
  Float1<Tan>(r, "Tan");
  Float1<Asin>(r, "Asin");
  Float1<Acos>(r, "Acos");
  Float1<Atan>(r, "Atan");
  Float1<Sinh>(r, "Sinh");
  Float1<Cosh>(r, "Cosh");
  Float1<Tanh>(r, "Tanh");
  Float1<Asinh>(r, "Asinh");
  Float1<Acosh>(r, "Acosh");
  Float1<Atanh>(r, "Atanh");
  Float1<Erf>(r, "Erf");
  Float1<Erfc>(r, "Erfc");
  Float1<Lgamma>(r, "Lgamma");
  Float1<Sigmoid>(r, "Sigmoid");
  Float1<Floor>(r, "Floor");
  Float1<Ceil>(r, "Ceil");
  Float1<Rint>(r, "Rint");
  Float1<Rint>(r, "Round");
  r.Add<float, double, Half, Bfloat16>("IsNan", UnaryTest<IsNan>());
  r.Add<float, double, Half, Bfloat16>("IsInf", UnaryTest<IsInf>());
  r.Add<float, double, Half, Bfloat16>("IsFinite", UnaryTest<IsFinite>());
  r.AddAny("LogicalNot", [](KernelCtx& c) { return MapUnary<bool, bool>(c, Not()); });
}

void RegisterBits(KernelTable& r) {
  for (const char* op :
       {"BitwiseAnd", "BitwiseOr", "BitwiseXor", "Invert", "LeftShift", "RightShift"})
    r.OnHost<int32_t, int64_t, uint8_t, int8_t, int16_t>(op);
}

void RegisterBinary(KernelTable& r) {
  Number2<Add>(r, "Add");
  Number2<Add>(r, "AddV2");
  Number2<Sub>(r, "Sub");
  Number2<Mul>(r, "Mul");
  Number2<Maximum>(r, "Maximum");
  Number2<Minimum>(r, "Minimum");
  for (const char* op : {"Div", "RealDiv", "FloorDiv", "FloorMod"}) r.OnHost<int32_t, int64_t>(op);
  r.OnHost<int32_t, int64_t>("TruncateDiv");
  r.OnHost<int32_t, int64_t>("TruncateMod");
  Float2<Div>(r, "Div");
  Float2<Div>(r, "RealDiv");
  Float2<DivNoNan>(r, "DivNoNan");
  Float2<MulNoNan>(r, "MulNoNan");
  Float2<FloorDiv>(r, "FloorDiv");
  Float2<FloorMod>(r, "FloorMod");
  Float2<Pow>(r, "Pow");
  r.OnHost<int32_t, int64_t>("Pow");
  Float2<Atan2>(r, "Atan2");
  Float2<Xdivy>(r, "Xdivy");
  Float2<Xlogy>(r, "Xlogy");
  Float2<Xlog1py>(r, "Xlog1py");
  r.Add<float, double>("NextAfter", Binary<NextAfter>());
  Float2<SquaredDifference>(r, "SquaredDifference");
  Float2<TanhGrad>(r, "TanhGrad");
  Float2<SigmoidGrad>(r, "SigmoidGrad");
  Float2<SqrtGrad>(r, "SqrtGrad");
  Float2<RsqrtGrad>(r, "RsqrtGrad");
  Float2<ReciprocalGrad>(r, "ReciprocalGrad");
  Float2<ReciprocalGrad>(r, "InvGrad");
  Test2<Less>(r, "Less");
  Test2<LessEqual>(r, "LessEqual");
  Test2<Greater>(r, "Greater");
  Test2<GreaterEqual>(r, "GreaterEqual");
  const RowOptions equality{.prepare = ops::PrepareEqual};
  r.Add<float, double, Half, Bfloat16, int64_t, uint8_t, int8_t, int16_t, bool, std::complex<float>,
        std::complex<double>>("Equal", Equality<true>(), equality);
  r.Add<float, double, Half, Bfloat16, int64_t, uint8_t, int8_t, int16_t, bool, std::complex<float>,
        std::complex<double>>("NotEqual", Equality<false>(), equality);
  for (const char* op : {"Equal", "NotEqual", "AddN"}) r.OnHost<int32_t>(op);
  r.Add<float, double, Half, Bfloat16, int64_t, std::complex<float>, std::complex<double>>("AddN",
                                                                                           AddN());
  r.AddAny("LogicalAnd", [](KernelCtx& c) { return MapBinary<bool, bool>(c, And()); });
  r.AddAny("LogicalOr", [](KernelCtx& c) { return MapBinary<bool, bool>(c, Or()); });
}

}  // namespace

TENSH_CUDA_KERNELS(math_elementwise_elementwise) {
  RegisterUnary(r);
  RegisterBinary(r);
  RegisterBits(r);
}

}  // namespace tensh::cuda
