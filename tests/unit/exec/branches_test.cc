// Independent branches of a plan. Steps run them in turn and at once, and the values are bit for bit
// those of single kernels.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "devices/cpu/cpu_device.h"
#include "runtime/exec/step.h"
#include "tests/support/graph_text.h"
#include "tests/support/reference.h"

namespace tensh {
namespace {

using test::AppendText;
using test::Values;

class Branches : public ::testing::Test {
 protected:
  explicit Branches(int threads = 2) : graph_(test::AllOps()) {
    RegisterDevice_cpu(registry_);
    devices_ =
        *DeviceMgr::Create(registry_, {.device_count = {{"CPU", 1}}, .intra_op_threads = threads});
  }

  std::shared_ptr<Plan> MakePlan(const std::string& text, const std::string& fed,
                                 const std::string& fetches, bool optimize = true) {
    AppendText(graph_, text);
    CompileOptions options{devices_.get(), &resources_, {}};
    options.optimize = optimize;
    return *Compile(graph_, {Values(graph_, fed), Values(graph_, fetches), {}}, options);
  }

  // Returns the nodes of all branches: "p q|r; s|t".
  std::string BranchesOf(const Plan& plan) const {
    std::string text;
    const PartitionCode& part = plan.program()->parts[0];
    for (const BranchesCode& code : part.branches) {
      text += text.empty() ? "" : "; ";
      for (size_t b = 0; b < code.branches.size(); ++b) {
        text += b ? "|" : "";
        for (uint32_t i = code.branches[b].begin; i < code.branches[b].end; ++i)
          if (part.code[i].kind == Instr::kKernel)
            text += StrCat(text.empty() || text.ends_with('|') || text.ends_with("; ") ? "" : " ",
                           graph_.name(part.code[i].node));
      }
    }
    return text;
  }

  Tensor Random(const Shape& shape) { return test::RandomFloats(rng_, shape); }

  Graph graph_;
  DeviceRegistry registry_;
  std::unique_ptr<DeviceMgr> devices_;
  ResourceTable resources_;
  std::mt19937 rng_{11};
};

constexpr char kWide[] =
    "x?;y?;p=MatMul(x,y);q=Neg(p);r=MatMul(q,x);n=Neg(x);s=AddV2(r,n);t=MatMul(y,x);u=Exp(n);"
    "v=MatMul(u,t);w=AddV2(s,v);z=MatMul(x,x);o=AddV2(w,z)";

TEST_F(Branches, RunAtOnceWithTheSameValues) {
  const auto plan = MakePlan(kWide, "x,y", "o,t");
  EXPECT_EQ(BranchesOf(*plan), "p q|t|n u|z");
  for (const int64_t n : {3, 150}) {
    const std::vector<Tensor> feeds = {Random(Shape({n, n})), Random(Shape({n, n}))};
    std::vector<Tensor> got(2), wanted(2);
    ASSERT_TRUE(RunReference(plan->stages, feeds, wanted, {.resources = &resources_}).ok());
    for (int step = 0; step < 10; ++step) {
      ASSERT_TRUE(RunStep(*plan, feeds, got, {}).ok());
      for (size_t i = 0; i < 2; ++i)
        ASSERT_EQ(std::memcmp(got[i].raw(), wanted[i].raw(), static_cast<size_t>(got[i].bytes())),
                  0)
            << "step " << step << ", fetch " << i;
    }
  }
  EXPECT_NE(*plan->program()->parts[0].branches[0].chosen, BranchesCode::kUnknown);
}

// The second step runs the branches at once.
TEST_F(Branches, TheFirstFailureOfTheProgramIsReported) {
  const auto plan = MakePlan(
      "x?;y?;a1=Neg(x);p=MatMul(x,x);q=MatMul(a1,y);r=MatMul(y,x);s=AddV2(p,q);t=AddV2(s,r)", "x,y",
      "t");
  EXPECT_EQ(BranchesOf(*plan), "q|r");
  std::vector<Tensor> got(1);
  ASSERT_TRUE(
      RunStep(*plan, std::vector{Random(Shape({9, 9})), Random(Shape({9, 9}))}, got, {}).ok());
  const Status status =
      RunStep(*plan, std::vector{Random(Shape({9, 9})), Random(Shape({8, 8}))}, got, {});
  EXPECT_EQ(status.node(), "q") << status.message();
}

TEST_F(Branches, KernelsWithEffectsStayInTheirPlaces) {
  const auto plan = MakePlan(
      "x?;y?;v!;w=Assign(v,x);p=MatMul(x,x);u=AssignAdd(v,x)^p;q=MatMul(x,y)^u;r=MatMul(y,x)^u",
      "x,y", "p,q,r");
  EXPECT_EQ(BranchesOf(*plan), "q|r");
}

TEST_F(Branches, WithoutTheOptimizerThereAreNone) {
  EXPECT_EQ(BranchesOf(*MakePlan(kWide, "x,y", "o", false)), "");
}

class OneThread : public Branches {
 protected:
  OneThread() : Branches(1) {}
};

TEST_F(OneThread, HasNoBranches) { EXPECT_EQ(BranchesOf(*MakePlan(kWide, "x,y", "o")), ""); }

}  // namespace
}  // namespace tensh
