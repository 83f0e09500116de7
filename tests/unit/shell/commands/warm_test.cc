// Which steps `explain analyze` may repeat to measure a warm one.
#include "shell/commands/base/warm.h"

#include <gtest/gtest.h>

namespace tensh::shell {
namespace {

Report Running(const std::vector<const char*>& ops, const char* state = "runs") {
  Report report;
  for (const char* op : ops) {
    ReportNode& node = report.nodes.emplace_back();
    node.op = op;
    node.state = state;
  }
  return report;
}

TEST(Warm, OnlyPureStepsAreRepeated) {
  EXPECT_TRUE(IsPure(Running({})));
  EXPECT_TRUE(IsPure(Running({"Const", "Mul", "MatMul", "Placeholder"})));
  EXPECT_TRUE(IsPure(Running({"VariableV2", "Identity"}))) << "reading a variable";
  for (const char* op : {"Assign", "AssignAdd", "ApplyAdam", "ScatterUpdate", "RandomUniform",
                         "TruncatedNormal", "Print", "Assert", "AssignVariableOp", "FIFOQueueV2",
                         "IteratorGetNext", "PyFunc", "NoSuchOp"}) {
    EXPECT_FALSE(IsPure(Running({"Const", op}))) << op;
    EXPECT_TRUE(IsPure(Running({op}, "pruned"))) << op;
    EXPECT_TRUE(IsPure(Running({op}, "fed"))) << op;
  }
}

}  // namespace
}  // namespace tensh::shell
