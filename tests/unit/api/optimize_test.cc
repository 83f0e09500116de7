// Kernels of several nodes are joined, or not: the values are the same.
#include <gtest/gtest.h>

#include "tensh/tensh_optimize.h"
#include "tests/unit/api/nonsense.h"

namespace tensh::api {
namespace {

using Optimize = Nonsense;

TEST_F(Optimize, CanBeTurnedOffAndOn) {
  EXPECT_EQ(tsh_optimizes(), 1);
  const tsh_output x{0, 0}, y{1, 0};
  tsh_run run{};
  run.feeds = &x;
  run.n_feeds = 1;
  run.values = &one_;
  run.fetches = &y;
  run.n_fetches = 1;
  float values[2] = {};
  for (int on = 0; on < 2; ++on) {
    tsh_optimize(on);
    EXPECT_EQ(tsh_optimizes(), on);
    const float one = 1.5f;
    const tsh_tensor* const fed = one_;
    *static_cast<float*>(tsh_tensor_data(const_cast<tsh_tensor*>(fed))) = one;
    ASSERT_TRUE(tsh_session_run(session_, &run, &fetched_, s())) << Message();
    values[on] = *static_cast<const float*>(tsh_tensor_data(fetched_));
    tsh_tensor_unref(fetched_);
  }
  EXPECT_EQ(values[0], -1.5f);
  EXPECT_EQ(values[1], values[0]);
}

}  // namespace
}  // namespace tensh::api
