#include "shell/numpy/random/mt19937.h"

#include <gtest/gtest.h>

namespace tensh::shell::np {
namespace {

// The first draws of RandomState in numpy 1.26.
TEST(Mt19937, StreamsOfNumpy) {
  Mt19937 g;
  g.Seed(0);
  EXPECT_EQ(g.NextDouble(), 0.5488135039273248);
  EXPECT_EQ(g.NextDouble(), 0.7151893663724195);
  g.Seed(42);
  EXPECT_EQ(g.NextGauss(), 0.4967141530112327);
  EXPECT_EQ(g.NextGauss(), -0.13826430117118466);
  const uint32_t key[] = {1, 2, 3};
  g.Seed(key);
  EXPECT_EQ(g.Next32(), 0x9c1fde5eu);
}

TEST(Mt19937, BoundedDrawsStayInRange) {
  Mt19937 g;
  g.Seed(7);
  for (uint64_t max : {uint64_t{0}, uint64_t{1}, uint64_t{9}, uint64_t{0xffffffff}, UINT64_MAX}) {
    for (int i = 0; i < 100; ++i) EXPECT_LE(g.NextBounded(max), max);
  }
}

}  // namespace
}  // namespace tensh::shell::np
