#include "runtime/exec/pool.h"

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <memory>

namespace tensh {
namespace {

// Like steps that wait for capacity in a queue, which another step provides.
TEST(Pool, TasksMayWaitForTasksBehindThem) {
  constexpr int kTasks = 64;
  struct Shared {
    std::promise<void> go;
    std::shared_future<void> gone = go.get_future().share();
    std::latch done{kTasks};
  };
  for (int turn = 0; turn < 3; ++turn) {
    const auto shared = std::make_shared<Shared>();
    for (int i = 0; i < kTasks; ++i)
      ScheduleOnPool([shared] {
        shared->gone.wait();
        shared->done.count_down();
      });
    ScheduleOnPool([shared] { shared->go.set_value(); });
    ASSERT_EQ(shared->gone.wait_for(std::chrono::seconds(60)), std::future_status::ready);
    shared->done.wait();
  }
}

}  // namespace
}  // namespace tensh
