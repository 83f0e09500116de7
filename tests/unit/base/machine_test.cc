// The facts about the machine: its random numbers and the cores that the process may use.
#include <gtest/gtest.h>
#include <sched.h>

#include <set>
#include <thread>

#include "runtime/base/cores.h"
#include "runtime/base/random.h"

namespace tensh {
namespace {

TEST(SystemRandom, DoesNotRepeat) {
  std::set<uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(SystemRandom());
  EXPECT_EQ(seen.size(), 1000u);
}

TEST(AvailableCores, CountsOnlyTheCoresThatTheProcessMayUse) {
  EXPECT_GE(AvailableCores(), 1);
  // The mask of a thread is its own, so the other tests keep theirs.
  int cores = 0;
  std::thread restricted([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<size_t>(sched_getcpu()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    cores = AvailableCores();
  });
  restricted.join();
  EXPECT_EQ(cores, 1);
}

}  // namespace
}  // namespace tensh
