// The cancellation flag: the reason of the first cancellation, the time limit, and the waiters.
#include "runtime/core/cancel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/unit/core/rows.h"

namespace tensh {
namespace {

using test::Show;

struct CountedWaiter : CancelFlag::Waiter {
  void Wake() override { ++woken; }
  std::atomic<int> woken{0};
};

void WaitFor(const CancelFlag& flag) {
  while (!flag.cancelled()) std::this_thread::yield();
}

TEST(CancelFlag, SetOnce) {
  CancelFlag flag;
  EXPECT_FALSE(flag.cancelled());
  flag.Set();
  EXPECT_TRUE(flag.cancelled());
  EXPECT_EQ(Show(flag.Why()), "1: the step was cancelled");
  flag.EndLimit();  // no such step
  EXPECT_TRUE(flag.cancelled());
}

TEST(CancelFlag, WakesItsWaiters) {
  CancelFlag flag;
  CountedWaiter stays, leaves;
  flag.Add(&stays);
  flag.Add(&leaves);
  flag.Remove(&leaves);
  std::thread([&] { flag.Set(); }).join();
  EXPECT_EQ(stays.woken, 1);
  EXPECT_EQ(leaves.woken, 0);
  flag.Remove(&stays);
}

TEST(CancelFlag, TheLimitSetsItAndItsEndClearsIt) {
  CancelFlag flag;
  CountedWaiter waiter;
  flag.Add(&waiter);
  ASSERT_TRUE(flag.StartLimit(1).ok());
  WaitFor(flag);
  EXPECT_EQ(Show(flag.Why()),
            "4: Timed out waiting for notification: the step ran longer than 1 ms");
  flag.EndLimit();
  EXPECT_FALSE(flag.cancelled());
  EXPECT_EQ(waiter.woken, 1);
  flag.Remove(&waiter);
}

TEST(CancelFlag, ALimitThatEndsInTimeSetsNothing) {
  CancelFlag flag;
  ASSERT_TRUE(flag.StartLimit(5).ok());
  flag.EndLimit();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(flag.cancelled());
  ASSERT_TRUE(flag.StartLimit(INT64_MAX).ok());  // does not overflow the clock
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(flag.cancelled());
}

TEST(CancelFlag, TheFirstReasonStays) {
  CancelFlag flag;
  ASSERT_TRUE(flag.StartLimit(1).ok());
  WaitFor(flag);
  flag.Set();
  EXPECT_EQ(flag.Why().code(), Code::kDeadlineExceeded);
  flag.EndLimit();
  EXPECT_FALSE(flag.cancelled());
  flag.Set();
  ASSERT_TRUE(flag.StartLimit(1).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(flag.Why().code(), Code::kCancelled);
  flag.EndLimit();
  EXPECT_TRUE(flag.cancelled());
}

// Limits of different lengths in any order: a shorter one wakes the timer early.
TEST(CancelFlag, ManyLimitsAtATime) {
  CancelFlag forever;
  ASSERT_TRUE(forever.StartLimit(1000000).ok());
  CancelFlag flags[8];
  const int ms[] = {9, 3, 7, 1, 5, 1, 2, 8};
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(flags[i].StartLimit(ms[i]).ok());
  for (CancelFlag& flag : flags) WaitFor(flag);
  EXPECT_FALSE(forever.cancelled());
}

}  // namespace
}  // namespace tensh
