// Random calls of the C API by several threads, which share graphs and sessions. The target `threads` of tests/fuzz looks for more.
#include <gtest/gtest.h>

#include <random>

#include "tests/fuzz/targets/api_player.h"

namespace {

TEST(Threads, RandomCallsAtTheSameTime) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    std::vector<uint8_t> bytes(1200);
    for (uint8_t& byte : bytes)
      byte = static_cast<uint8_t>(random() % 3 ? random() % 18 : random());
    tensh::fuzz::PlayInThreads(bytes.data(), bytes.size());
  }
}

}  // namespace
