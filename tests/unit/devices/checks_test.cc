// Tests the checks of the fake GPU (devices/cuda/fake_checks.h). Each fault is planted, and the
// process must end there.
#include <gtest/gtest.h>

#include <cstdlib>

#include "devices/cuda/cuda_kernel.h"

namespace tensh::cuda {
namespace {

class ChecksTest : public testing::Test {
 protected:
  // The objects that devices refer to live as long as the process.
  void Make(int seed = 1) {
    ::setenv("TENSH_FAKE_GPU_CHECKS", std::to_string(seed).c_str(), 1);
    driver_ = new FakeDriver(1, size_t{16} << 20);
    ::unsetenv("TENSH_FAKE_GPU_CHECKS");
    static auto* kept = new std::vector<DeviceFactory*>;
    kept->push_back(NewGpuFactory(*driver_).release());
    gpu_ = std::move((*kept->back()->Create({}))[0]);
    context_ = std::make_unique<KernelCtx>(nullptr, gpu_->runner(), nullptr, gpu_->allocator());
  }
  void SetUp() override {
#ifdef __SANITIZE_THREAD__
    Make();
#else
    GTEST_SKIP() << "compiled without a look at each access";
#endif
  }

  KernelCtx& c() { return *context_; }
  Tensor Floats(int64_t n) { return *Tensor::Make(DType::kFloat, Shape({n}), gpu_->allocator()); }
  Tensor Zeros(int64_t n) {
    const Tensor t = Floats(n);
    const auto out = Out<float>(t);
    EXPECT_TRUE(ForEach(c(), n, [=](int64_t i) { out[i] = 0; }).ok());
    return t;
  }
  float First(const Tensor& t) { return t.CopyTo(HostAllocator())->data<float>()[0]; }

  FakeDriver* driver_ = nullptr;
  std::unique_ptr<Device> gpu_;
  std::unique_ptr<KernelCtx> context_;
};

TEST_F(ChecksTest, WhatIsRightRuns) {
  const Tensor x = Zeros(100), sum = Floats(4);
  const auto in = In<float>(x);
  const auto out = Out<float>(sum);
  ASSERT_TRUE(ForRows(c(), 4, 25, [=](Team b, int64_t row) {
                for (int again = 0; again < 3; ++again) {
                  const float all = b.Reduce(
                      25, 0.0f, [=](int64_t j) { return in[row * 25 + j] + 1; },
                      [](float a, float d) { return a + d; });
                  if (b.leads()) out[row] = all;
                }
              }).ok());
  EXPECT_EQ(First(sum), 25.0f);
  const auto all = Out<float>(x);
  ASSERT_TRUE(ForEach(c(), 100, [=](int64_t) { AtomicAdd(&all[0], 1.0f); }).ok());
  EXPECT_EQ(First(x), 100.0f);
}

TEST_F(ChecksTest, AStoreByEveryThreadOfARow) {
  const Tensor x = Zeros(4);
  const auto out = Out<float>(x);
  EXPECT_DEATH(
      {
        (void)ForRows(c(), 4, 25, [=](Team, int64_t row) { out[row] = 1; });
        (void)gpu_->Sync();
      },
      "ChecksTest.*row 0, thread .* writes 4 bytes at 0 of a block of 16 bytes, which row 0, "
      "thread .* writes with no order");
}

TEST_F(ChecksTest, NoBarrierBetweenWritingAndReadingWhatATeamShares) {
  const Tensor x = Zeros(64);
  const auto out = Out<float>(x);
  EXPECT_DEATH(
      {
        (void)ForRows(c(), 1, 25, [=](Team b, int64_t) {
          float* part = b.Room<float, 64>();
          part[b.me()] = 1;
          out[b.me()] = part[(b.me() + 1) % b.size()];
        });
        (void)gpu_->Sync();
      },
      "of the shared memory of its team");
}

TEST_F(ChecksTest, TwoIndicesAtOneElement) {
  const Tensor x = Zeros(4);
  const auto out = Out<float>(x);
  EXPECT_DEATH(
      {
        (void)ForEach(c(), 8, [=](int64_t i) { out[i / 2] = 1; });
        (void)gpu_->Sync();
      },
      "index 1 writes 4 bytes at 0 .* which index 0 writes");
  EXPECT_DEATH(
      {
        (void)ForEach(c(), 4, [=](int64_t i) { out[i] = out[(i + 1) % 4]; });
        (void)gpu_->Sync();
      },
      "index 1 writes 4 bytes at 4 .* which index 0 reads");
  EXPECT_DEATH(
      {
        (void)ForEach(c(), 4, [=](int64_t) { out[0] = out[0] + 1; });
        (void)gpu_->Sync();
      },
      "index 1 reads 4 bytes at 0 .* which index 0 writes");
}

TEST_F(ChecksTest, AnAtomicUpdateBesideOneThatIsNot) {
  const Tensor x = Zeros(4);
  const auto out = Out<float>(x);
  EXPECT_DEATH(
      {
        (void)ForEach(c(), 4, [=](int64_t i) {
          if (i == 3)
            out[0] = 0;
          else
            AtomicAdd(&out[0], 1.0f);
        });
        (void)gpu_->Sync();
      },
      "index 3 writes 4 bytes at 0 .* which index 2 writes");
}

TEST_F(ChecksTest, BytesBesideEachOther) {
  const Tensor t = *Tensor::Make(DType::kBool, Shape({4}), gpu_->allocator());
  const auto out = Out<bool>(t);
  ASSERT_TRUE(ForEach(c(), 4, [=](int64_t i) { out[i] = true; }).ok() && gpu_->Sync().ok());
  EXPECT_DEATH(
      {
        (void)ForEach(c(), 4, [=](int64_t i) { out[i / 2] = true; });
        (void)gpu_->Sync();
      },
      "index 1 writes 1 bytes at 0");
}

TEST_F(ChecksTest, MemoryThatIsNotTheKernels) {
  const Tensor x = Zeros(5);
  const auto out = Out<float>(x);
  EXPECT_DEATH(
      {
        (void)ForEach(c(), 6, [=](int64_t i) { out[i] = 1; });
        (void)gpu_->Sync();
      },
      "index 5 writes 4 bytes at 20 of a block of 20 bytes");
  const auto host = std::make_unique<float>(1.0f);
  EXPECT_DEATH(
      {
        (void)ForEach(c(), 1, [=, at = host.get()](int64_t i) { out[i] = *at; });
        (void)gpu_->Sync();
      },
      "index 0 reads 4 bytes of the host's memory");
  EXPECT_DEATH(
      {
        Dev<float> gone{};
        {
          const Tensor t = Zeros(3);
          gone = Out<float>(t);
        }
        (void)ForEach(c(), 1, [=](int64_t i) { gone[i] = 1; });
        (void)gpu_->Sync();
      },
      "index 0 writes 4 bytes at 0 of a block of 0 bytes");
}

TEST_F(ChecksTest, WhatNobodyWrote) {
  const Tensor x = Floats(3), y = Floats(3);
  const auto in = In<float>(x);
  const auto out = Out<float>(y);
  EXPECT_DEATH(
      {
        (void)ForEach(c(), 3, [=](int64_t i) { out[i] = in[i]; });
        (void)gpu_->Sync();
      },
      "index 0 reads 4 bytes that were never written, at 0 of a block of 12 bytes");
  EXPECT_DEATH((void)First(x), "a copy from the GPU reads 12 bytes that were never written");
}

TEST_F(ChecksTest, AThreadThatLeavesWhileOthersWait) {
  const Tensor x = Zeros(1);
  const auto out = Out<float>(x);
  EXPECT_DEATH(
      {
        (void)ForRows(c(), 1, 25, [=](Team b, int64_t) {
          if (!b.leads()) return;
          b.Sync();
          out[0] = 1;
        });
        (void)gpu_->Sync();
      },
      "threads are through with it while the others wait at a barrier");
}

// Without an event between them, the work of one stream may run before, after or between that of
// the other.
TEST_F(ChecksTest, StreamsAreOrderedByEventsAlone) {
  for (const bool ordered : {true, false}) {
    int early = 0;
    for (int seed = 0; seed < 20; ++seed) {
      Make(seed);
      const Stream a = *driver_->NewStream(), b = *driver_->NewStream();
      const Event event = *driver_->NewEvent(false);
      bool written = false, seen = false;
      driver_->Do(a, [&] { written = true; });
      ASSERT_TRUE(driver_->Record(event, a).ok() && (!ordered || driver_->WaitFor(b, event).ok()));
      driver_->Do(b, [&] { seen = written; });
      ASSERT_TRUE(driver_->Wait(b).ok());
      early += !seen;
      ASSERT_TRUE(driver_->Wait(a).ok());
    }
    EXPECT_EQ(early > 0, !ordered);
  }
}

}  // namespace
}  // namespace tensh::cuda
