// Kernels that update variables, and random streams.
#include <gtest/gtest.h>

#include <thread>

#include "ops/support/philox.h"
#include "tests/unit/ops/kernel_harness.h"

namespace tensh::test {
namespace {

// A variable and the reference to it that a kernel's slot holds.
struct Var {
  explicit Var(Tensor value, const char* name = "v") {
    variable.value = std::move(value);
    variable.name = name;
    variable.dtype = DType::kFloat;
    ref = Tensor::Scalar(static_cast<int64_t>(reinterpret_cast<intptr_t>(&variable)));
  }
  Variable variable;
  Tensor ref;
};

std::string Apply(const char* op, std::vector<Tensor> in, std::vector<NamedAttr> attrs = {},
                  RunOptions options = {}) {
  attrs.push_back({"T", DType::kFloat});
  Result<std::vector<Tensor>> out = RunOp(op, std::move(in), std::move(attrs), options);
  if (out.ok()) return "ok";
  return StrCat(static_cast<int>(out.status().code()), ": ", out.status().message());
}

TEST(StateOps, Assign) {
  Var v{Tensor()};
  EXPECT_EQ(Apply("AssignAdd", {v.ref, F({}, {1})}), "9: Attempting to use uninitialized value v");
  EXPECT_EQ(Apply("Assign", {v.ref, F({2}, {1, 2})}, {{"validate_shape", false}}), "ok");
  EXPECT_EQ(Text(v.variable.value), "f32[2] 1 2");
  EXPECT_EQ(Apply("AssignAdd", {v.ref, F({2}, {1, 2})}), "ok");
  EXPECT_EQ(Apply("AssignSub", {v.ref, F({2}, {0, 1})}), "ok");
  EXPECT_EQ(Text(v.variable.value), "f32[2] 2 3");
  EXPECT_EQ(Apply("Assign", {v.ref, F({1}, {1})}),
            "3: Assign requires shapes of both tensors to match. lhs shape= [2] rhs shape= [1]");
  EXPECT_EQ(Apply("AssignAdd", {v.ref, F({1}, {1})}),
            "3: Parameters and update must be the same size, got a variable of shape [2] and an "
            "update of shape [1]");
  EXPECT_EQ(Text(v.variable.value), "f32[2] 2 3");
}

TEST(StateOps, UpdatesAreInPlaceAndSeenByEarlierReads) {
  Var v{F({2}, {1, 2})};
  const Tensor read = v.variable.Read();
  EXPECT_EQ(Apply("AssignAdd", {v.ref, F({2}, {1, 1})}), "ok");
  EXPECT_EQ(Text(read), "f32[2] 2 3");
  EXPECT_EQ(Apply("Assign", {v.ref, F({2}, {7, 8})}), "ok");
  EXPECT_EQ(Text(read), "f32[2] 7 8");
}

TEST(StateOps, AVariableOwnsItsBuffer) {
  Var v{Tensor()};
  Tensor value = F({2}, {1, 1});
  EXPECT_EQ(Apply("Assign", {v.ref, value}, {{"validate_shape", false}}), "ok");
  EXPECT_FALSE(v.variable.value.SharesDataWith(value));
  EXPECT_EQ(Apply("AssignAdd", {v.ref, F({2}, {1, 1})}), "ok");
  EXPECT_EQ(Text(value), "f32[2] 1 1") << "the assigned tensor must not change";
  EXPECT_EQ(Text(v.variable.value), "f32[2] 2 2");
}

TEST(StateOps, Scatter) {
  Var v{F({3}, {1, 2, 3})};
  EXPECT_EQ(Apply("ScatterUpdate", {v.ref, I({2}, {2, 0}), F({2}, {9, 8})}), "ok");
  EXPECT_EQ(Text(v.variable.value), "f32[3] 8 2 9");
  EXPECT_EQ(Apply("ScatterAdd", {v.ref, I({2}, {1, 1}), F({}, {5})}), "ok");
  EXPECT_EQ(Text(v.variable.value), "f32[3] 8 12 9");
  EXPECT_EQ(Apply("ScatterSub", {v.ref, I({1}, {5}), F({1}, {5})}),
            "3: indices[0] = 5 is not in [0, 3)");
  EXPECT_EQ(Text(v.variable.value), "f32[3] 8 12 9");
}

TEST(TrainOps, Steps) {
  struct Row {
    const char* op;
    size_t variables;  // var and slots, all initialized to 1
    std::vector<Tensor> in;
    std::vector<NamedAttr> attrs;
    const char* want;  // the value of var afterwards
  };
  const Tensor half = F({}, {0.5}), grad = F({2}, {1, 2}), zero = F({}, {0}), one = F({}, {1});
  const std::vector<Row> rows = {
      {"ApplyGradientDescent", 1, {half, grad}, {}, "f32[2] 0.5 0"},
      {"ApplyMomentum", 2, {half, grad, half}, {}, "f32[2] 0.25 -0.25"},
      {"ApplyMomentum", 2, {half, grad, half}, {{"use_nesterov", true}}, "f32[2] 0.125 -0.625"},
      {"ApplyAdagrad", 2, {one, F({2}, {0, 0})}, {}, "f32[2] 1 1"},
      {"ApplyAdagrad", 2, {half, grad}, {{"update_slots", false}}, "f32[2] 0.5 0"},
      // beta1 = beta2 = 0: m = grad, v = grad²; var -= lr * m / (sqrt(v) + epsilon).
      {"ApplyAdam", 3, {zero, zero, half, zero, zero, zero, grad}, {}, "f32[2] 0.5 0.5"},
      // rho = 0, momentum = 0: ms = grad²; var -= lr * grad / sqrt(ms).
      {"ApplyRMSProp", 3, {half, zero, zero, zero, grad}, {}, "f32[2] 0.5 0.5"},
  };
  for (const Row& row : rows) {
    std::vector<std::unique_ptr<Var>> vars;
    std::vector<Tensor> in;
    for (size_t i = 0; i < row.variables; ++i) {
      vars.push_back(std::make_unique<Var>(F({2}, {1, 1})));
      in.push_back(vars.back()->ref);
    }
    in.insert(in.end(), row.in.begin(), row.in.end());
    EXPECT_EQ(Apply(row.op, in, row.attrs), "ok") << row.op;
    EXPECT_EQ(Text(vars[0]->variable.value), row.want) << row.op;
  }
}

TEST(TrainOps, Refusals) {
  Var v{F({2}, {1, 1})}, slot{F({3}, {1, 1, 1})}, empty{Tensor(), "accum"};
  const Tensor scalar = F({}, {1}), grad = F({2}, {1, 2});
  EXPECT_EQ(Apply("ApplyGradientDescent", {v.ref, grad, grad}),
            "3: alpha must be a scalar, got shape [2]");
  EXPECT_EQ(Apply("ApplyGradientDescent", {v.ref, scalar, F({1}, {1})}),
            "3: var and delta do not have the same shape[2] [1]");
  EXPECT_EQ(Apply("ApplyMomentum", {v.ref, slot.ref, scalar, grad, scalar}),
            "3: var and accum do not have the same shape[2] [3]");
  EXPECT_EQ(Apply("ApplyMomentum", {v.ref, empty.ref, scalar, grad, scalar}),
            "9: Attempting to use uninitialized value accum");
  EXPECT_EQ(Text(v.variable.value), "f32[2] 1 1");
}

// A variable that is used twice is locked once, and two updates with the variables in opposite
// order do not deadlock.
TEST(TrainOps, LocksDoNotDeadlock) {
  Var a{F({1}, {0})}, b{F({1}, {0})};
  const Tensor scalar = F({}, {1}), grad = F({1}, {1}), zero = F({}, {0});
  EXPECT_EQ(Apply("ApplyMomentum", {a.ref, a.ref, scalar, grad, zero}), "ok");
  auto loop = [&](const Tensor& x, const Tensor& y) {
    for (int i = 0; i < 2000; ++i) (void)Apply("ApplyMomentum", {x, y, scalar, grad, zero});
  };
  std::thread other([&] { loop(b.ref, a.ref); });
  loop(a.ref, b.ref);
  other.join();
  EXPECT_TRUE(a.variable.value.unique());
}

// Numbers recorded from TensorFlow. The oracle has many more, including later runs of the same
// node.
TEST(RandomOps, StreamsAreTensorFlows) {
  const std::vector<NamedAttr> seeds = {{"seed", 1}, {"seed2", 0}};
  auto with_float = seeds;
  with_float.push_back({"dtype", DType::kFloat});
  const Tensor three = I({1}, {3}), low = I({}, {-3}), high = I({}, {100});
  struct Row {
    const char* op;
    std::vector<Tensor> in;
    std::vector<NamedAttr> attrs;
    const char* want;
  };
  const std::vector<Row> rows = {
      {"RandomUniform", {three}, with_float, "f32[3] 0.812696 0.0785747 0.891685"},
      {"RandomStandardNormal", {three}, with_float, "f32[3] 0.305205 0.567138 0.418523"},
      {"TruncatedNormal", {three}, with_float, "f32[3] 0.305205 0.567138 0.418523"},
      {"RandomUniformInt", {three, low, high}, seeds, "i32[3] 49 96 38"},
      {"RandomShuffle", {I({3}, {0, 1, 2})}, {{"seed", 5}, {"seed2", 6}}, "i32[3] 0 2 1"},
      {"RandomShuffle", {I({1}, {7})}, seeds, "i32[1] 7"},
      {"RandomShuffle", {S({0}, {})}, seeds, "str[0]"},
      {"RandomUniformInt", {I({1}, {0}), high, high}, seeds, "i32[0]"},
      {"RandomUniform", {I({1}, {-1})}, with_float, "3: Dimension -1 must be >= 0"},
      {"RandomUniformInt", {three, high, high}, seeds, "3: Need minval < maxval, got 100 >= 100"},
  };
  for (const Row& row : rows) EXPECT_EQ(RunText(row.op, row.in, row.attrs), row.want) << row.op;
}

// Splitting the work differently must not change the numbers.
class Halves : public ParallelRunner {
 public:
  void For(int64_t total, double, RangeFn fn, void* context) override {
    fn(context, total / 3, total);
    fn(context, 0, total / 3);
  }
  int threads() const override { return 2; }
};

TEST(RandomOps, ThreadsDoNotMatter) {
  Halves halves;
  for (const char* op : {"RandomUniform", "RandomStandardNormal", "TruncatedNormal"}) {
    for (DType dtype : {DType::kFloat, DType::kDouble}) {
      std::vector<NamedAttr> attrs = {{"seed", 3}, {"seed2", 4}, {"dtype", dtype}};
      Tensor one = (*RunOp(op, {I({1}, {100003})}, attrs))[0];
      Tensor two = (*RunOp(op, {I({1}, {100003})}, attrs, {.runner = &halves}))[0];
      EXPECT_EQ(std::memcmp(one.raw(), two.raw(), static_cast<size_t>(one.bytes())), 0) << op;
    }
  }
}

TEST(RandomOps, PhiloxSkips) {
  ops::Philox a(1, 2), b(1, 2);
  for (int i = 0; i < 1000; ++i) a.Next();
  b.Skip(1000);
  EXPECT_EQ(a.Next(), b.Next());
  // Carries propagate through the whole counter.
  ops::Philox c(1, 2), d(1, 2);
  c.Skip(UINT64_MAX);
  c.Skip(2);
  d.Skip(UINT64_MAX / 2);
  d.Skip(UINT64_MAX / 2);
  d.Skip(3);
  EXPECT_EQ(c.Next(), d.Next());
}

}  // namespace
}  // namespace tensh::test
