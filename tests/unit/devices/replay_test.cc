// Recording and replay on the fake GPU: which instructions are recorded, that replayed steps give
// the same values as the CPU, and which calls of the driver they make.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/exec/step.h"
#include "tests/support/fake_gpu.h"

namespace tensh::cuda {
namespace {

// One graph that runs in two environments: on the fake GPU and on the CPU.
class ReplayTest : public ::testing::Test {
 protected:
  struct Side {
    std::unique_ptr<DeviceMgr> devices;
    ResourceTable resources;
    std::map<std::string, std::shared_ptr<Plan>> plans;  // keyed by fetches
  };

  void SetUp() override { Make(1); }
  void Make(int gpus) {
    Forget();
    const FakeGpus fake = MakeFakeGpus(gpus);
    driver_ = fake.driver;
    gpu_.devices = *DeviceMgr::Create(*fake.devices, {});
    cpu_.devices = *DeviceMgr::Create(*fake.devices, {.device_count = {{"GPU", 0}}});
    graph_ = new tensh::Graph(OpsWithKernels());
  }
  void TearDown() override { Forget(); }
  void Forget() {
    gpu_.plans.clear();
    cpu_.plans.clear();
    if (graph_) std::exchange(graph_, nullptr)->Unref();
  }

  Result<std::shared_ptr<Plan>> PlanOf(Side& side, const std::string& feeds,
                                       const std::string& fetches) {
    auto& plan = side.plans[feeds + ">" + fetches];
    if (plan) return plan;
    RunSignature signature;
    signature.feeds = test::Values(*graph_, feeds);
    signature.fetches = test::Values(*graph_, fetches);
    CompileOptions options{side.devices.get(), &side.resources, {}};
    options.optimize = false;  // chains would leave few kernels to replay
    TENSH_ASSIGN(plan, Compile(*graph_, signature, options));
    return plan;
  }

  Result<std::vector<Tensor>> RunOn(Side& side, const std::string& feeds,
                                    std::vector<Tensor> values, const std::string& fetches) {
    TENSH_ASSIGN(auto plan, PlanOf(side, feeds, fetches));
    std::vector<Tensor> fetched(plan->stages.signature.fetches.size());
    TENSH_RETURN_IF_ERROR(RunStep(*plan, values, fetched, {}));
    return fetched;
  }

  // Runs a step in both environments, which must agree.
  void Step(const std::string& feeds, const std::vector<Tensor>& values,
            const std::string& fetches) {
    const auto here = RunOn(gpu_, feeds, values, fetches);
    const auto there = RunOn(cpu_, feeds, values, fetches);
    ASSERT_TRUE(here.ok()) << here.status().message();
    ASSERT_TRUE(there.ok()) << there.status().message();
    for (size_t k = 0; k < here->size(); ++k) {
      const Tensor &a = (*here)[k], &b = (*there)[k];
      ASSERT_EQ(a.shape().ToString(), b.shape().ToString());
      ASSERT_TRUE(std::equal(a.data<float>(), a.data<float>() + a.num_elements(), b.data<float>()))
          << fetches << ": " << a.data<float>()[0] << " and " << b.data<float>()[0];
    }
  }

  // Returns the number of driver calls with this prefix since the last Mark.
  long Calls(std::string_view begin) {
    const auto calls = driver_->calls();
    return std::count_if(calls.begin() + static_cast<ptrdiff_t>(mark_), calls.end(),
                         [&](const auto& call) { return call.starts_with(begin); });
  }
  void Mark() { mark_ = driver_->calls().size(); }

  static Tensor Vector(std::initializer_list<float> values) {
    return Tensor::Vector<float>(std::vector<float>(values));
  }

  FakeDriver* driver_ = nullptr;
  Side gpu_, cpu_;
  tensh::Graph* graph_ = nullptr;
  size_t mark_ = 0;
};

constexpr const char* kTraining =
    "c;x?;w!;init=Assign(w,c);half=Mul(x,w);sum=AddV2(half,w);neg=Neg(sum);loss=Square(neg);"
    "grad=Mul(neg,c);train=AssignSub(w,grad)^loss";

TEST_F(ReplayTest, AStepIsOneLaunch) {
  test::AppendText(*graph_, kTraining);
  Step("", {}, "init");
  for (int i = 0; i < 20; ++i) {
    Mark();
    Step("x", {Tensor::Scalar(0.25f * static_cast<float>(i % 5))}, "loss,train");
    EXPECT_EQ(Calls("launch graph"), i >= 2 ? 1 : 0) << i;
    EXPECT_EQ(Calls("begin capture"), i == 2 ? 1 : 0) << i;
    EXPECT_EQ(Calls("launch") == 2, i > 2) << i;  // of the feed and of the graph
    if (i > 2) {
      EXPECT_EQ(Calls("put"), 1) << i;
      // Both fetches wait once.
      EXPECT_EQ(Calls("copy out"), 2) << i;
      EXPECT_EQ(Calls("await"), 1) << i;
      EXPECT_EQ(Calls("wait for"), 0) << i;
      EXPECT_EQ(Calls("allocate"), 0) << i;
    }
  }
}

TEST_F(ReplayTest, AnotherShapeRunsOneByOneAndThenIsRecorded) {
  test::AppendText(*graph_, "c;x?;a=Mul(x,c);b=AddV2(a,x);d=Neg(b);e=Square(d)");
  const Tensor two = Vector({1, 2}), three = Vector({1, 2, 3});
  for (int i = 0; i < 4; ++i) Step("x", {two}, "e");
  Mark();
  Step("x", {three}, "e");
  EXPECT_EQ(Calls("launch graph"), 0);
  Step("x", {two}, "e");
  EXPECT_EQ(Calls("launch graph"), 1);
  for (int i = 0; i < 6; ++i) Step("x", {three}, "e");
  EXPECT_EQ(Calls("begin capture"), 1);
  Mark();
  Step("x", {three}, "e");
  EXPECT_EQ(Calls("launch graph"), 1);
}

// A value from host memory is copied once, to an address that no kernel of the recording writes.
TEST_F(ReplayTest, ConstantsThatAreHandedOnAreMovedOnce) {
  test::AppendText(*graph_,
                   "c;x?;a=Mul(x,x);b=Neg(a);d=Square(b);r=Identity(c)^d;e=Mul(d,r);"
                   "f=AddV2(e,x)");
  for (int i = 0; i < 6; ++i) {
    Mark();
    Step("x", {Vector({1, static_cast<float>(i)})}, "f");
    EXPECT_EQ(Calls("put"), i == 2 || i < 2 ? 2 : 1) << i;
  }
  EXPECT_EQ(Calls("launch graph"), 1);
}

TEST_F(ReplayTest, AVariableThatLiesElsewhereIsNoticed) {
  test::AppendText(*graph_, kTraining);
  Step("", {}, "init");
  const Tensor x = Tensor::Scalar(0.5f);
  for (int i = 0; i < 4; ++i) Step("x", {x}, "loss,train");
  for (Side* side : {&gpu_, &cpu_}) {
    Variable* w = side->plans["x>loss,train"]->bindings.variables_read.at(0);
    w->value = w->value.DeepCopy();  // a different block
  }
  Mark();
  for (int i = 0; i < 3; ++i) Step("x", {x}, "loss,train");
  EXPECT_EQ(Calls("launch graph"), 0);
  for (int i = 0; i < 4; ++i) Step("x", {x}, "loss,train");
  EXPECT_EQ(Calls("begin capture"), 1);
  EXPECT_EQ(Calls("launch graph"), 2);
}

// The recordable sequences in a plan: "begin-end" of their instructions, and the number of kernels.
struct Row {
  const char *graph, *feeds, *fetches;
  std::vector<int> recorded;
};

TEST_F(ReplayTest, WhatIsRecorded) {
  const Row rows[] = {
      {"x?;a=Neg(x);b=Neg(a);d=Neg(b);e=Neg(d)", "x", "e", {4}},
      // Too few kernels to be worth recording.
      {"x?;a=Neg(x);b=Neg(a);d=Neg(b)", "x", "d", {}},
      // Kernels that compute only from shapes, in host memory.
      {"x?;a=Neg(x);s=Shape(a);b=Neg(a);d=Reshape(b,s);e=Neg(d);f=Neg(e)", "x", "f", {4}},
      // Updates in place are recorded. Replacing the value of a variable is not, and ends the
      // sequence.
      {"c;x?;w!;a=AssignAdd(w,x);b=Neg(x);d=Neg(b);e=Neg(d);f=Neg(e)^a", "x", "f", {5}},
      {"c;x?;w!;b=Neg(x);d=Neg(b);e=Neg(d);f=Neg(e);a=Assign(w,f);g=Neg(a);h=Neg(g);i=Neg(h);"
       "j=Neg(i)",
       "x",
       "j",
       {4, 4}},
      // A value that was read from a variable is not recorded if others use it.
      {"w!;x?;r=Identity(w);a=Neg(x);b=Neg(a);d=Neg(b);e=Neg(d)^r", "x", "r,e", {4}},
  };
  for (const Row& row : rows) {
    graph_->Unref();
    graph_ = new tensh::Graph(OpsWithKernels());
    gpu_.plans.clear();
    test::AppendText(*graph_, row.graph);
    const auto plan = *PlanOf(gpu_, row.feeds, row.fetches);
    std::vector<int> recorded;
    for (const PartitionCode& part : plan->program()->parts)
      for (const ReplayCode& run : part.replays) {
        int kernels = 0;
        for (uint32_t i = run.begin; i < run.end; ++i) {
          const Instr& instr = part.code[i];
          const std::string& op = graph_->op(instr.node).name;
          kernels += !instr.is_read && !instr.is_move && op != "Shape" && op != "Reshape";
        }
        recorded.push_back(kernels);
      }
    EXPECT_EQ(recorded, row.recorded) << row.graph;
    gpu_.plans.clear();
  }
}

TEST_F(ReplayTest, AFailedRecordingIsRunOneByOne) {
  test::AppendText(*graph_, kTraining);
  for (const char* call : {"capture", "end capture"}) {
    gpu_.plans.clear();
    Step("", {}, "init");
    for (int i = 0; i < 6; ++i) {
      if (i == 2) driver_->FailNext(call, Internal("no graphs here"));
      Step("x", {Tensor::Scalar(0.5f)}, "loss,train");
    }
  }
  EXPECT_EQ(Calls("begin capture"), 2);
  EXPECT_EQ(Calls("launch graph"), 0);
}

TEST_F(ReplayTest, AFailedLaunchFailsTheStepAndTheNextIsWell) {
  test::AppendText(*graph_, "c;x?;a=Mul(x,c);b=AddV2(a,x);d=Neg(b);e=Square(d)");
  const Tensor x = Vector({1, 2});
  for (int i = 0; i < 4; ++i) Step("x", {x}, "e");
  driver_->FailNext("launch graph", Internal("lost"));
  const auto failed = RunOn(gpu_, "x", {x}, "e");
  EXPECT_EQ(failed.status().message(), "lost");
  for (int i = 0; i < 6; ++i) Step("x", {x}, "e");
  // the frame of the failed step was dropped with its recording
  EXPECT_EQ(Calls("begin capture"), 2);
}

// If the driver refuses a call, the step fails or is not affected, and the next step is correct
// again.
TEST_F(ReplayTest, EachCallOfTheDriverMayFail) {
  test::AppendText(*graph_,
                   "c;x?;w!;init=Assign(w,c);a=Mul(x,w);b=AddV2(a,x);d=Neg(b);"
                   "e=Square(d);s=Shape(e);f=Reshape(b,s);g=Neg(f)");
  const Tensor x = Vector({1, 2, 3});
  size_t n = 1;
  for (;; ++n) {
    gpu_.plans.clear();
    gpu_.resources.Clear();
    driver_->FailTheNth(n);
    int failures = 0;
    Result<std::vector<Tensor>> init = RunOn(gpu_, "", {}, "init");
    for (int i = 0; i < 6; ++i) {
      const auto got = RunOn(gpu_, "x", {x}, "e,g");
      if (got.ok()) continue;
      EXPECT_FALSE(got.status().message().empty());
      ++failures;
      if (!init.ok()) init = RunOn(gpu_, "", {}, "init");
    }
    EXPECT_LE(failures, 1) << n;
    if (!driver_->failed()) break;
    Step("", {}, "init");
    Step("x", {x}, "e,g");
  }
  driver_->FailTheNth(0);
  EXPECT_GT(n, 70u);  // number of calls when none fails
}

// Values are copied from GPU to GPU without the host, and each GPU replays its partition.
TEST_F(ReplayTest, SeveralGpusCopyToEachOther) {
  for (const int gpus : {2, 8}) {
    TearDown();
    Make(gpus);
    std::string text = "x?;a0=Neg(x)@gpu:0";
    for (int g = 0; g < gpus; ++g) {
      const std::string n = std::to_string(g), at = "@gpu:" + n, from = "a" + n;
      text += ";b" + n + "=Square(" + from + ")" + at + ";d" + n + "=Neg(b" + n + ")" + at + ";e" +
              n + "=AddV2(d" + n + "," + from + ")" + at + ";a" + std::to_string(g + 1) + "=Neg(e" +
              n + ")" + at;
    }
    test::AppendText(*graph_, text + ";y=Neg(a" + std::to_string(gpus) + ")@gpu:0");
    for (int i = 0; i < 6; ++i) {
      Mark();
      const auto got = RunOn(gpu_, "x", {Vector({0.5f, static_cast<float>(i) / 8})}, "y");
      ASSERT_TRUE(got.ok()) << got.status().message();
      for (const int k : {0, 1}) {
        float want = -(k ? static_cast<float>(i) / 8 : 0.5f);
        for (int g = 0; g < gpus; ++g) want = -(-(want * want) + want);
        EXPECT_EQ((*got)[0].data<float>()[k], -want);
      }
      long across = 0;
      for (int g = 0; g < gpus; ++g)
        across += Calls("copy " + std::to_string(g) + " to " + std::to_string((g + 1) % gpus));
      EXPECT_EQ(across, gpus);
      EXPECT_EQ(Calls("put") + Calls("copy out"), 2);
    }
    EXPECT_EQ(Calls("launch graph"), gpus);
  }
}

// A launch returns before its kernel ends, so a trace has the times at which the GPU is done.
TEST_F(ReplayTest, ATraceHasTheTimesOfKernels) {
  test::AppendText(*graph_, "c;x?;a=Mul(x,c);b=AddV2(a,x);d=Neg(b)");
  Step("x", {Vector({1, 2})}, "d");
  constexpr int64_t kKernelNs = 20'000'000;
  driver_->set_work_time(std::chrono::nanoseconds(kKernelNs));
  StepTrace trace;
  std::vector<Tensor> feeds = {Vector({1, 2})}, fetched(1);
  ASSERT_TRUE(RunStep(**PlanOf(gpu_, "x", "d"), feeds, fetched, {.trace = &trace}).ok());
  driver_->set_work_time({});
  int kernels = 0;
  int64_t end = 0;
  for (const StepEvent& event : trace.events) {
    if (event.kind != StepEvent::kCompute || event.node == kNoNode) continue;
    const std::string& op = graph_->op(event.node).name;
    if (op != "Mul" && op != "AddV2" && op != "Neg") continue;
    ++kernels;
    EXPECT_GE(event.end_ns - event.start_ns, kKernelNs) << op;
    EXPECT_LT(event.end_ns - event.start_ns, 2 * kKernelNs) << op;
    EXPECT_GE(event.start_ns, end) << op;
    end = event.end_ns;
  }
  EXPECT_EQ(kernels, 3);
  EXPECT_GE(trace.wall_ns, end);
}

TEST_F(ReplayTest, AFailedMoveFailsItsStep) {
  test::AppendText(*graph_, "c;x?;z=ZerosLike(x);y=AddV2(z,x)");
  Step("x", {Vector({1, 2})}, "y");
  // Feeds of this size are copied, so that the first launch is the one of ZerosLike.
  const Tensor x = *Tensor::Make(DType::kFloat, Shape({5000}));
  std::fill_n(x.data<float>(), 5000, 2.0f);
  driver_->FailNext("launch", Internal("no kernel image"));
  EXPECT_EQ(RunOn(gpu_, "x", {x}, "y").status().message(), "no kernel image");
  Step("x", {x}, "y");
}

// A graph that finds no memory for itself is tried again after kept blocks were freed.
TEST_F(ReplayTest, AGraphMakesRoom) {
  test::AppendText(*graph_, "c;x?;a=Mul(x,c);b=AddV2(a,x);d=Neg(b);e=Square(d)");
  const Tensor x = Vector({1, 2});
  for (int i = 0; i < 5; ++i) {
    if (i == 2) driver_->FailNext("end capture", ResourceExhausted("no memory"));
    Step("x", {x}, "e");
  }
  EXPECT_EQ(Calls("trim"), 1);
  EXPECT_EQ(Calls("launch graph"), 3);
}

TEST_F(ReplayTest, ManyStepsHoldNoMoreMemoryThanFew) {
  test::AppendText(*graph_, kTraining);
  Step("", {}, "init");
  auto* memory = static_cast<CudaAllocator*>((*gpu_.devices)[1].allocator());
  size_t in_use = 0, allocated = 0;
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(RunOn(gpu_, "x", {Tensor::Scalar(0.0f)}, "loss,train").ok());
    if (i == 10) in_use = memory->in_use(), allocated = driver_->allocated();
  }
  EXPECT_EQ(memory->in_use(), in_use);
  EXPECT_EQ(driver_->allocated(), allocated);
}

// If memory is short, a recording is dropped, and recorded again when there is enough memory.
TEST_F(ReplayTest, ARecordingMakesRoom) {
  test::AppendText(*graph_, "c;x?;y?;a=Mul(x,c);b=Neg(a);d=Mul(a,b);e=Square(d);f=Neg(e);g=Neg(y)");
  auto* memory = static_cast<CudaAllocator*>((*gpu_.devices)[1].allocator());
  const Tensor x = *Tensor::Make(DType::kFloat, Shape({100000}));
  std::fill_n(x.data<float>(), 100000, 2.0f);
  for (int i = 0; i < 4; ++i) Step("x", {x}, "f");
  const size_t recorded = memory->in_use();
  memory->set_limit(recorded + 100000);  // not enough for the other step
  Mark();
  Step("y", {x}, "g");
  EXPECT_LT(memory->in_use(), recorded);
  memory->set_limit(size_t{64} << 20);
  for (int i = 0; i < 6; ++i) Step("x", {x}, "f");
  EXPECT_EQ(Calls("begin capture"), 1);
}

TEST_F(ReplayTest, NothingIsRecordedWhereThatIsOff) {
  test::AppendText(*graph_, "c;x?;a=Mul(x,c);b=AddV2(a,x);d=Neg(b);e=Square(d)");
  ::setenv("TENSH_GPU_REPLAY", "0", 1);
  for (int i = 0; i < 5; ++i) Step("x", {Vector({1, 2})}, "e");
  ::unsetenv("TENSH_GPU_REPLAY");
  EXPECT_EQ(Calls("begin capture"), 0);
}

TEST_F(ReplayTest, MemoryGoesWithThePlan) {
  test::AppendText(*graph_, "c;x?;a=Mul(x,c);b=AddV2(a,x);d=Neg(b);e=Square(d)");
  auto* memory = static_cast<CudaAllocator*>((*gpu_.devices)[1].allocator());
  const size_t before = memory->in_use();
  const Tensor x = *Tensor::Make(DType::kFloat, Shape({100000}));
  std::fill_n(x.data<float>(), 100000, 2.0f);
  for (int i = 0; i < 5; ++i) Step("x", {x}, "e");
  EXPECT_GT(memory->in_use(), before + 800000);
  gpu_.plans.clear();
  EXPECT_EQ(memory->in_use(), before);
}

}  // namespace
}  // namespace tensh::cuda
