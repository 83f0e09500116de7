// The environment of a kernel: its context, exceptions, cancellation, narrow types that are
// computed in wider ones, and shape functions that ops share.
#include "runtime/core/kernel.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "runtime/core/device/float_mode.h"
#include "runtime/core/half.h"
#include "runtime/core/promote.h"
#include "runtime/core/run_kernel.h"
#include "tests/unit/core/rows.h"
#include "tests/unit/ops/kernel_harness.h"

namespace tensh {
namespace {

using test::F;
using test::I;
using test::Make;
using test::ShapeOf;
using test::Show;
using test::Text;

// Runs a kernel of one input and one output, and returns the output or the status.
std::string Ran(KernelFn fn, Tensor in, CancelFlag* cancel = nullptr, uint32_t forwardable = 0) {
  Tensor slots[] = {std::move(in), Tensor()};
  const uint32_t ids[] = {0, 1};
  const DType out = DType::kFloat;
  const KernelCall call{.in = ids,
                        .out = ids + 1,
                        .out_dtypes = &out,
                        .state = nullptr,
                        .n_in = 1,
                        .n_out = 1,
                        .forwardable = forwardable};
  KernelCtx c(slots, nullptr, cancel, HostAllocator());
  c.Bind(call);
  const Status status = CallKernel(fn, c);
  if (!status.ok()) return Show(status);
  return slots[1] ? Text(slots[1]) : "no output";
}

TEST(CallKernel, ExceptionsBecomeStatuses) {
  struct Row {
    KernelFn fn;
    const char* want;
  };
  const Row rows[] = {
      {[](KernelCtx&) -> Status { return {}; }, "no output"},
      {[](KernelCtx&) -> Status { return NotFound("x"); }, "5: x"},
      {[](KernelCtx&) -> Status { throw std::bad_alloc(); },
       "8: out of memory for the temporary data of the kernel"},
      {[](KernelCtx&) -> Status { throw std::length_error("x"); },
       "8: the temporary data of the kernel exceed any possible memory"},
      {[](KernelCtx&) -> Status { throw std::runtime_error("why"); }, "13: the kernel failed: why"},
      {[](KernelCtx&) -> Status { throw 3; }, "13: the kernel failed"},
  };
  for (const Row& row : rows) EXPECT_EQ(Ran(row.fn, {}), row.want);
  CancelFlag cancelled;
  cancelled.Set();
  for (const Row& row : rows)
    EXPECT_EQ(Ran(row.fn, {}, &cancelled), "1: the step was cancelled") << row.want;
}

TEST(CallKernel, OutputsReuseTheirInputs) {
  const KernelFn forward = [](KernelCtx& c) -> Status {
    const void* was = c.in(0).raw();
    TENSH_OUTPUT(y, c.Forward(0, 0, c.in(0).shape()));
    y->data<float>()[0] = y->raw() == was ? 1 : 0;
    return {};
  };
  const Tensor held = F({1}, {5});
  EXPECT_EQ(Ran(forward, F({1}, {5}), nullptr, 1), "f32[1] 1");
  EXPECT_EQ(Ran(forward, F({1}, {5}), nullptr, 0), "f32[1] 0");  // used again later
  EXPECT_EQ(Ran(forward, held, nullptr, 1), "f32[1] 0");         // it is shared
  EXPECT_EQ(Ran(forward, I({1}, {5}), nullptr, 1), "f32[1] 0");  // another type
  const KernelFn too_large = [](KernelCtx& c) -> Status {
    TENSH_OUTPUT(y, c.Output(0, Shape({int64_t{1} << 50})));
    return {};
  };
  EXPECT_EQ(Ran(too_large, {}),
            "8: OOM when allocating tensor with shape[1125899906842624] and type float");
}

TEST(CallKernel, ACancelledLoopSkipsTheRest) {
  static CancelFlag* flag;
  static int64_t done;
  CancelFlag cancel;
  flag = &cancel;
  done = 0;
  const KernelFn loop = [](KernelCtx& c) -> Status {
    c.ParallelFor(1000, 1e6, [&](int64_t begin, int64_t end) {  // pieces of 5
      done += end - begin;
      if (begin >= 10) flag->Set();
    });
    done = -1;  // not reached
    return {};
  };
  EXPECT_EQ(Ran(loop, {}, &cancel), "1: the step was cancelled");
  EXPECT_EQ(done, 15);
}

// An op that doubles its input and has kernels only for float and int64.
struct Doubled {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const T* x = c.in(0).data<T>();  // Forward may move the input away
    TENSH_OUTPUT(y, c.Forward(0, 0, c.in(0).shape()));
    for (int64_t i = 0; i < y->num_elements(); ++i) y->data<T>()[i] = static_cast<T>(x[i] + x[i]);
    return {};
  }
};

TEST(Promoted, NarrowTypesAreComputedInWiderOnes) {
  OpRegistry registry;
  registry
      .Op({.name = "Doubled",
           .inputs = "x: T",
           .outputs = "y: T",
           .attrs = "T: {float, half, bfloat16, int64, int8, uint8, uint32, double}"})
      .Cpu<float, int64_t>(Doubled());
  const OpDef& op = *registry.Find("Doubled");
  const auto ran = [&](const Tensor& x) {
    const std::vector<NamedAttr> attrs = {{"T", x.dtype()}};
    const DType out = x.dtype();
    const auto y = RunKernel(op, Attrs(attrs), {&x, 1}, {&out, 1});
    if (!y.ok()) return Show(y.status());
    if (out != DType::kHalf && out != DType::kBfloat16) return Text((*y)[0]);
    std::string bits;
    for (int64_t i = 0; i < x.num_elements(); ++i)
      bits += StrCat(i ? " " : "", (*y)[0].data<uint16_t>()[i]);
    return bits;
  };
  EXPECT_EQ(ran(Make<int64_t>({1}, {21})), "i64[1] 42");
  EXPECT_EQ(ran(Make<int8_t>({3}, {3, 100, -128})), "i8[3] 6 -56 0");  // wraps around
  EXPECT_EQ(ran(Make<uint8_t>({2}, {3, 200})), "u8[2] 6 144");
  EXPECT_EQ(ran(Make<uint32_t>({1}, {4000000000u})), "u32[1] 3705032704");
  EXPECT_EQ(ran(Make<Half>({2}, {Half(1.5f), Half(40000.f)})), "16896 31744");  // 3 and inf
  EXPECT_EQ(ran(Make<Bfloat16>({1}, {Bfloat16(1.5f)})), "16448");
  EXPECT_EQ(ran(Make<int8_t>({0}, {})), "i8[0]");
  EXPECT_EQ(ran(test::D({1}, {1})), "12: there is no CPU kernel of Doubled for these types");
  for (const KernelRow& row : op.kernels)
    EXPECT_EQ(IsPromoted(row), row.type != DType::kFloat && row.type != DType::kInt64)
        << Name(row.type);
}

// Inputs of these shapes, and the shapes that a function gives to its outputs.
class ShapesOnly : public ShapeCtx {
 public:
  ShapesOnly(std::vector<Shape> in, int outputs)
      : in_(std::move(in)), out_(static_cast<size_t>(outputs), Shape::Unknown()) {}
  int num_inputs() const override { return static_cast<int>(in_.size()); }
  int num_outputs() const override { return static_cast<int>(out_.size()); }
  const Shape& in(int i) const override { return in_[static_cast<size_t>(i)]; }
  DType in_dtype(int) const override { return DType::kFloat; }
  const Tensor* constant(int) override { return nullptr; }
  Shape ConstantAsShape(int) override { return Shape::Unknown(); }
  Attrs attrs() const override { return {}; }
  void Set(int i, const Shape& shape) override { out_[static_cast<size_t>(i)] = shape; }
  std::string Text() const {
    std::string text;
    for (const Shape& shape : out_) text += (text.empty() ? "" : " ") + shape.ToString();
    return text;
  }

 private:
  std::vector<Shape> in_, out_;
};

TEST(ShapeFunctions, SharedOnes) {
  struct Row {
    const char* what;
    ShapeFn fn;
    const char *a, *b, *want;
  };
  const Row rows[] = {
      {"broadcast", BroadcastInputs, "[2,1]", "[3]", "[2,3] [2,3]"},
      {"broadcast", BroadcastInputs, "[2]", "[3]", "3: Incompatible shapes: [2] vs. [3]"},
      {"scalar", ScalarOutput, "[2]", "[3]", "[] []"},
      {"same 0", SameAsInput<0>, "[2,?]", "[3]", "[2,?] [2,?]"},
      {"same 1", SameAsInput<1>, "[2,?]", "[3]", "[3] [3]"},
      {"unknown", UnknownOutputs, "[2]", "[3]", "<unknown> <unknown>"},
      {"rank", [](ShapeCtx& c) { return c.WithRank(1, 2); }, "[]", "[3]",
       "3: Shape must be rank 2 but is rank 1 for input 1, which has shape [3]"},
      {"rank", [](ShapeCtx& c) { return c.WithRank(0, 2); }, "<unknown>", "[3]",
       "<unknown> <unknown>"},
      {"at least", [](ShapeCtx& c) { return c.WithRankAtLeast(0, 1); }, "[]", "[3]",
       "3: Shape must be at least rank 1 but is rank 0 for input 0, which has shape []"},
      {"at least", [](ShapeCtx& c) { return c.WithRankAtLeast(1, 1); }, "[]", "[3]",
       "<unknown> <unknown>"},
  };
  for (const Row& row : rows) {
    ShapesOnly c({ShapeOf(row.a), ShapeOf(row.b)}, 2);
    const Status status = row.fn(c);
    EXPECT_EQ(status.ok() ? c.Text() : Show(status), row.want)
        << row.what << " " << row.a << " " << row.b;
  }
}

TEST(FlushDenormals, OnlyWhileItLives) {
#if defined(__SSE2__) || defined(__aarch64__)
  volatile float tiny = std::numeric_limits<float>::denorm_min();
  const auto doubled = [&] { return tiny * 2; };
  EXPECT_GT(doubled(), 0);
  {
    const FlushDenormals flush;
    EXPECT_EQ(doubled(), 0);
    {
      const FlushDenormals nested;
      EXPECT_EQ(doubled(), 0);
    }
    EXPECT_EQ(doubled(), 0);
    EXPECT_EQ(HalfToFloat(1), 0x1p-24f);  // denormals of a half are normal floats
    EXPECT_EQ(FloatToHalf(0x1p-24f), 1);
  }
  EXPECT_GT(doubled(), 0);
#endif
}

}  // namespace
}  // namespace tensh
