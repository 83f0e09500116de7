// Cancellation inside plain functions (ops/support/stop.h).
#include "ops/support/stop.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tensh::ops {
namespace {

// As Eigen's CommaInitializer, whose destructor contains an assertion.
struct ChecksAtItsEnd {
  ~ChecksAtItsEnd() noexcept(false) { StopIfCancelled(); }
};

TEST(Stop, DoesNotThrowWhileAnotherExceptionEndsTheWork) {
  CancelFlag flag;
  flag.Set();
  const StopsWith step(&flag);
  EXPECT_ANY_THROW(StopIfCancelled());
  const auto fail = [] {
    const ChecksAtItsEnd checks;
    throw std::runtime_error("first");
  };
  EXPECT_THROW(fail(), std::runtime_error);
}

}  // namespace
}  // namespace tensh::ops
