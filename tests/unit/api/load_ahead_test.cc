// Loading oneDNN in the background (tensh_load.h).
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "runtime/base/shared_library.h"
#include "tensh/tensh.hpp"
#include "tensh/tensh_load.h"

namespace {

using tensh::v0::Graph;
using tensh::v0::Output;
using tensh::v0::Session;
using tensh::v0::Tensor;

bool IsLoaded() { return ::dlopen(tensh::kOneDnnLibrary.file, RTLD_LAZY | RTLD_NOLOAD) != nullptr; }
bool IsInstalled() { return ::dlopen(tensh::kOneDnnLibrary.file, RTLD_LAZY) != nullptr; }

Output Product(Graph& graph, int64_t n) {
  const std::vector<float> zeros(static_cast<size_t>(n * n));
  const int64_t dims[] = {n, n};
  const Output m = graph.Const(Tensor::Of<float>(dims, zeros));
  return graph.Op("MatMul", {m, m}).Build();
}

// Exits with 0 if oneDNN is loaded for a large product only.
[[noreturn]] void LoadForLargeProducts() {
  tsh_load_ahead(1);
  Graph graph;
  Product(graph, 4);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (IsLoaded()) std::_Exit(1);
  Product(graph, 200);
  tsh_load_ahead(0);
  std::exit(IsLoaded() || !IsInstalled() ? 0 : 2);
}

// A process may end at any moment of the loading.
[[noreturn]] void EndWhileLoading(int ms) {
  tsh_load_ahead(1);
  Graph graph;
  Product(graph, 200);
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
  tsh_load_ahead(0);
  std::exit(0);
}

// Threads run products, and one more thread switches the loading off.
[[noreturn]] void RunWhileLoading() {
  tsh_load_ahead(1);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([i] {
      if (i == 3) return tsh_load_ahead(0);
      Graph graph;
      const Output product = Product(graph, 64);
      Session(graph).Run<float>(product);
    });
  for (std::thread& thread : threads) thread.join();
  std::exit(0);
}

class LoadAheadDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(LoadAheadDeathTest, LargeProductsLoad) {
  EXPECT_EXIT(LoadForLargeProducts(), testing::ExitedWithCode(0), "");
}

TEST_F(LoadAheadDeathTest, ProcessMayEnd) {
  for (const int ms : {0, 1, 3, 8, 16})
    EXPECT_EXIT(EndWhileLoading(ms), testing::ExitedWithCode(0), "") << ms;
}

TEST_F(LoadAheadDeathTest, StepsMayRun) {
  EXPECT_EXIT(RunWhileLoading(), testing::ExitedWithCode(0), "");
}

}  // namespace
