// An exception of the standard library in a kernel ends the step with a Status instead of ending
// the process, both in the step's thread and in its helper threads.
#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <stdexcept>

#include "devices/cpu/cpu_device.h"
#include "runtime/core/kernel.h"

namespace tensh {
namespace {

Status NoMemory(KernelCtx&) { throw std::bad_alloc(); }
Status TooLong(KernelCtx&) { throw std::length_error("vector"); }
Status Other(KernelCtx&) { throw std::runtime_error("odd"); }

KernelCtx On(ParallelRunner* runner) { return {nullptr, runner, nullptr, HostAllocator()}; }

const KernelCall kNothing{};

TEST(KernelErrors, AreStatuses) {
  KernelCtx c = On(nullptr);
  c.Bind(kNothing);
  EXPECT_EQ(CallKernel(NoMemory, c).code(), Code::kResourceExhausted);
  EXPECT_EQ(CallKernel(TooLong, c).code(), Code::kResourceExhausted);
  const Status other = CallKernel(Other, c);
  EXPECT_EQ(other.code(), Code::kInternal);
  EXPECT_NE(other.message().find("odd"), std::string_view::npos);
}

std::atomic<int64_t> done{0};

Status OneShardFails(KernelCtx& c) {
  c.ParallelFor(1000, 1e6, [](int64_t begin, int64_t end) {
    done += end - begin;
    if (begin <= 500 && 500 < end) throw std::bad_alloc();
  });
  return Internal("a shard's error was lost");
}

TEST(KernelErrors, ComeFromHelpersToo) {
  DeviceRegistry registry;
  RegisterDevice_cpu(registry);
  Result<std::unique_ptr<DeviceMgr>> devices =
      DeviceMgr::Create(registry, {.device_count = {}, .intra_op_threads = 4});
  ASSERT_TRUE(devices.ok());
  KernelCtx c = On((**devices)[0].runner());
  c.Bind(kNothing);
  for (int i = 1; i <= 50; ++i) {
    EXPECT_EQ(CallKernel(OneShardFails, c).code(), Code::kResourceExhausted);
    EXPECT_EQ(done.load(), i * 1000);  // no thread is working any longer
  }
}

}  // namespace
}  // namespace tensh
