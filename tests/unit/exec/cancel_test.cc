// Early ends of a step: the cancel flag, the time limit, and interruption of kernels.
#include "runtime/core/cancel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <thread>

#include "devices/cpu/cpu_device.h"
#include "runtime/core/cpu_limit.h"
#include "runtime/core/kernel.h"

namespace tensh {
namespace {

class Woken : public CancelFlag::Waiter {
 public:
  void Wake() override {
    std::lock_guard lock(mu_);
    woken_ = true;
    changed_.notify_all();
  }
  void Wait() {
    std::unique_lock lock(mu_);
    changed_.wait(lock, [&] { return woken_; });
  }

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  bool woken_ = false;
};

TEST(CancelFlag, IsSetWhenItsTimeIsOver) {
  CancelFlag late, in_time;
  Woken waiter;
  late.Add(&waiter);
  ASSERT_TRUE(in_time.StartLimit(int64_t{1} << 62).ok());
  ASSERT_TRUE(late.StartLimit(1).ok());
  waiter.Wait();
  EXPECT_TRUE(late.cancelled());
  EXPECT_EQ(late.Why().code(), Code::kDeadlineExceeded);
  EXPECT_NE(late.Why().message().find("1 ms"), std::string_view::npos) << late.Why().message();
  EXPECT_FALSE(in_time.cancelled());
  late.Remove(&waiter);
  late.EndLimit();
  EXPECT_FALSE(late.cancelled());
}

TEST(CancelFlag, TellsWhatCameFirst) {
  CancelFlag flag;
  flag.Set();
  ASSERT_TRUE(flag.StartLimit(1).ok());
  Woken waiter;
  flag.Add(&waiter);
  waiter.Wait();
  EXPECT_EQ(flag.Why().code(), Code::kCancelled);
  flag.Remove(&waiter);
  flag.EndLimit();
  EXPECT_TRUE(flag.cancelled());
}

TEST(CancelFlag, ManyLimitsComeAndGo) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 2000; ++i) {
        CancelFlag flag;
        ASSERT_TRUE(flag.StartLimit(i % 3 ? 60'000 : 1).ok());
        if (i % 64 == 0)
          while (i % 3 == 0 && !flag.cancelled()) std::this_thread::yield();
      }
    });
  for (std::thread& t : threads) t.join();
}

// Uses processor time until the flag is set.
Status Burn(const CancelFlag& flag) {
  volatile int64_t n = 0;
  while (!flag.cancelled()) n = n + 1;
  return flag.Why();
}

TEST(CpuLimit, CountsTheThreadsThatWorkForTheStep) {
  CancelFlag flag;
  CpuLimit limit({.ms = 20, .by = "of a test"});
  EXPECT_EQ(CpuMeter::OfThread(), nullptr);
  const auto hand_over = [&]() -> Status {
    CpuMeter* const meter = CpuMeter::OfThread();
    const CpuMeter::Use again(meter);  // counts once
    Status status;
    std::thread([&] {
      EXPECT_EQ(CpuMeter::OfThread(), nullptr);
      const CpuMeter::Use counts(meter);
      status = Burn(flag);
    }).join();
    EXPECT_GE(meter->UsedNs(), 20'000'000);
    return status;
  };
  const Status status = limit.Run(flag, hand_over);
  EXPECT_EQ(CpuMeter::OfThread(), nullptr);
  EXPECT_EQ(status.code(), Code::kDeadlineExceeded);
  EXPECT_EQ(status.message(),
            "the step used more than 20 ms of processor time, the limit of a test");
  CancelFlag later;  // of a later call of the same step, which counts on
  EXPECT_EQ(limit.Run(later, [&] { return Burn(later); }).code(), Code::kDeadlineExceeded);
}

TEST(CpuLimit, DoesNotCountThreadsThatWait) {
  CancelFlag flag, other;
  CpuLimit limit({.ms = 1000, .by = ""}), short_limit({.ms = 20, .by = ""});
  const Status status = limit.Run(flag, [&]() -> Status {
    std::thread([&] {
      EXPECT_FALSE(short_limit.Run(other, [&] { return Burn(other); }).ok());
    }).join();
    EXPECT_LT(CpuMeter::OfThread()->UsedNs(), 20'000'000);  // this thread waited for the other one
    return {};
  });
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_FALSE(flag.cancelled());
}

// A failure for another reason keeps its status.
TEST(CpuLimit, KeepsOtherFailures) {
  CancelFlag flag;
  CpuLimit limit({.ms = 60'000, .by = ""});
  flag.Set();
  EXPECT_EQ(limit.Run(flag, [&] { return Burn(flag); }).code(), Code::kCancelled);
}

// The helpers of a parallel kernel count for the step that called it.
TEST(CpuLimit, EndsAParallelKernel) {
  DeviceRegistry registry;
  RegisterDevice_cpu(registry);
  DeviceOptions options;
  options.intra_op_threads = 4;
  const auto devices = DeviceMgr::Create(registry, options);
  ASSERT_TRUE(devices.ok());
  CancelFlag flag;
  CpuLimit limit({.ms = 20, .by = ""});
  std::atomic<int> uncounted{0};
  struct Shared {
    CancelFlag& flag;
    std::atomic<int>& uncounted;
  } shared{flag, uncounted};
  const Status status = limit.Run(flag, [&]() -> Status {
    (**devices)[0].runner()->For(
        16, 1e9,
        [](void* context, int64_t, int64_t) {
          const Shared& here = *static_cast<Shared*>(context);
          here.uncounted += CpuMeter::OfThread() == nullptr;
          (void)Burn(here.flag);
        },
        &shared);
    return flag.Why();
  });
  EXPECT_EQ(uncounted, 0);
  EXPECT_EQ(status.code(), Code::kDeadlineExceeded);
}

constexpr int64_t kUnits = 1000;
constexpr double kLongNs = 1e8;
std::atomic<int64_t> done{0};
CancelFlag* to_set = nullptr;

auto work = [](int64_t begin, int64_t end) {
  done += end - begin;
  to_set->Set();
};
Status InPieces(KernelCtx& c) {
  c.ParallelFor(kUnits, kLongNs, work);
  return {};
}
Status All(KernelCtx& c) {
  c.ParallelForAll(kUnits, kLongNs, work);
  return InvalidArgument("of what was left undone");
}

TEST(Kernel, IsCutShortWhenCancelled) {
  DeviceRegistry registry;
  RegisterDevice_cpu(registry);
  Result<std::unique_ptr<DeviceMgr>> devices =
      DeviceMgr::Create(registry, {.device_count = {}, .intra_op_threads = 4});
  ASSERT_TRUE(devices.ok());
  const KernelCall nothing{};
  for (ParallelRunner* runner : {static_cast<ParallelRunner*>(nullptr), (**devices)[0].runner()}) {
    for (KernelFn fn : {InPieces, All}) {
      CancelFlag flag;
      to_set = &flag;
      done = 0;
      KernelCtx c(nullptr, runner, &flag, HostAllocator());
      c.Bind(nothing);
      EXPECT_EQ(CallKernel(fn, c).code(), Code::kCancelled);
      EXPECT_EQ(done == kUnits, fn == All) << done;
    }
  }
}

}  // namespace
}  // namespace tensh
