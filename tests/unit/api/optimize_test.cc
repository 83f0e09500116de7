// Joining the kernels of several nodes (tensh_optimize.h): by the process, and by the configuration
// of a session.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tensh/tensh.hpp"
#include "tensh/tensh_optimize.h"

namespace {

using tensh::v0::Graph;
using tensh::v0::Output;
using tensh::v0::Session;
using tensh::v0::Tensor;

bool Joins(const Session& session, const Output& fetch) {
  return session.Explain({fetch}).find("\"in_parts\":1") != std::string::npos;
}

TEST(Optimize, IsSwitchedOffByTheProcessOrTheSession) {
  Graph graph;
  const std::vector<float> ones(256 * 256, 1);
  const int64_t dims[] = {256, 256};
  const Output m = graph.Const(Tensor::Of<float>(dims, ones));
  const Output relu = graph.Op("Relu", {graph.Op("MatMul", {m, m}).Build()}).Build();
  const Session session(graph), separate(graph, "", R"({"optimize": false})");
  EXPECT_EQ(tsh_optimizes(), 1);
  EXPECT_TRUE(Joins(session, relu));
  EXPECT_FALSE(Joins(separate, relu));
  tsh_optimize(0);
  EXPECT_EQ(tsh_optimizes(), 0);
  EXPECT_FALSE(Joins(session, relu));
  tsh_optimize(1);
  EXPECT_TRUE(Joins(session, relu));
  EXPECT_FALSE(Joins(separate, relu));
}

}  // namespace
