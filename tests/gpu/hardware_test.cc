// Tests the driver and the kernels on a GPU of this machine: what the double of CUDA (tests/cuda_double)
// cannot show. Part of the bundle of `./dev gpu-bundle`.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <numeric>

#include "devices/cuda/cuda_device.h"
#include "devices/cuda/cuda_libraries.h"
#include "devices/cuda/products.h"
#include "devices/cuda/real_driver.h"
#include "runtime/core/half.h"

namespace tensh::cuda {
namespace {

Driver& TheDriver() {
  static Driver* driver =
      NewRealDriver(
          {.images = TENSH_CUDA_IMAGES, .kernel = AnyKernel(), .folders = CudaLibraryFolders()})
          .release();
  return *driver;
}

std::vector<std::unique_ptr<Device>>& Devices() {
  static DeviceFactory* factory = NewGpuFactory(TheDriver()).release();
  static auto* devices = new std::vector<std::unique_ptr<Device>>(*factory->Create({}));
  if (devices->empty()) ADD_FAILURE() << "no GPU: " << factory->WhyNone();
  return *devices;
}

class HardwareTest : public testing::Test {
 protected:
  void SetUp() override {
    if (Devices().empty()) GTEST_FAIL();
    gpu_ = Devices()[0].get();
    context_.emplace(nullptr, gpu_->runner(), nullptr, gpu_->allocator());
  }
  static Tensor Numbers(int64_t n) {
    Tensor t = *Tensor::Make(DType::kFloat, Shape({n}));
    std::iota(t.data<float>(), t.data<float>() + n, 1.0f);
    return t;
  }
  Device* gpu_ = nullptr;
  std::optional<KernelCtx> context_;
};

TEST_F(HardwareTest, WhatGoesInComesOut) {
  for (const int64_t n : {1, 16, 1000, 1001, 1 << 16, (1 << 20) + 1, (16 << 20) + 5}) {
    const Tensor in = Numbers(n);
    const auto there = in.CopyTo(gpu_->allocator());
    ASSERT_TRUE(there.ok()) << there.status().message();
    const auto back = there->CopyTo(HostAllocator());
    ASSERT_TRUE(back.ok()) << back.status().message();
    EXPECT_EQ(std::memcmp(back->raw(), in.raw(), static_cast<size_t>(in.bytes())), 0) << n;
  }
}

TEST_F(HardwareTest, FillsAndSyncs) {
  const Tensor x = *Tensor::Make(DType::kFloat, Shape({1000}), gpu_->allocator());
  const float one = 1;
  static_cast<CudaAllocator*>(gpu_->allocator())->Fill(*context_, 4, x.raw(), &one, 1000);
  const Status status = gpu_->Sync();
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(x.CopyTo(HostAllocator())->data<float>()[999], 1.0f);
}

// Compares cuBLAS, or our kernel where it is missing, with sums on the host.
template <class T>
void CompareProducts(Device& gpu, KernelCtx& c, DType type) {
  constexpr int64_t kBatch = 3, kM = 33, kN = 65, kK = 17;
  const auto fill = [&](int64_t n) {
    const Tensor t = *Tensor::Make(type, Shape({n}));
    for (int64_t i = 0; i < n; ++i) t.data<T>()[i] = T(static_cast<float>(i % 7 - 3));
    return t;
  };
  const Tensor a = fill(kBatch * kM * kK), b = fill(kBatch * kK * kN);
  const Tensor a2 = *a.CopyTo(gpu.allocator()), b2 = *b.CopyTo(gpu.allocator());
  for (int turned = 0; turned < 4; ++turned) {
    const bool ta = turned % 2, tb = turned / 2;
    const Tensor y = *Tensor::Make(type, Shape({kBatch * kM * kN}), gpu.allocator());
    const Status status = Multiply(c, {type, ta, tb, kM, kN, kK, a2.raw(), b2.raw(), y.raw(),
                                       kBatch, kM * kK, kK * kN, kM * kN, true});
    ASSERT_TRUE(status.ok()) << status.message();
    const auto got = y.CopyTo(HostAllocator());
    ASSERT_TRUE(got.ok()) << got.status().message();
    for (int64_t i = 0; i < kBatch * kM * kN; ++i) {
      const int64_t each = i / (kM * kN), row = i / kN % kM, column = i % kN;
      float sum = 0;
      for (int64_t k = 0; k < kK; ++k)
        sum +=
            static_cast<float>(a.data<T>()[each * kM * kK + (ta ? k * kM + row : row * kK + k)]) *
            static_cast<float>(
                b.data<T>()[each * kK * kN + (tb ? column * kK + k : k * kN + column)]);
      ASSERT_EQ(static_cast<float>(got->data<T>()[i]), sum) << Name(type) << turned << " " << i;
    }
  }
}

TEST_F(HardwareTest, Products) {
  CompareProducts<float>(*gpu_, *context_, DType::kFloat);
  CompareProducts<double>(*gpu_, *context_, DType::kDouble);
  CompareProducts<Half>(*gpu_, *context_, DType::kHalf);
  CompareProducts<Bfloat16>(*gpu_, *context_, DType::kBfloat16);
}

TEST_F(HardwareTest, NothingIsMissing) { EXPECT_EQ(TheDriver().Missing(), ""); }

TEST_F(HardwareTest, RecordsAndReplays) {
  const Tensor a = *Numbers(4).CopyTo(gpu_->allocator());
  const Tensor y = *Tensor::Make(DType::kFloat, Shape({4}), gpu_->allocator());
  const GemmCall call{DType::kFloat, false, false, 2, 2, 2, a.raw(), a.raw(), y.raw()};
  ASSERT_TRUE(Multiply(*context_, call).ok());
  const auto recording = gpu_->Record([&](ParallelRunner* runner) {
    KernelCtx c(nullptr, runner, nullptr, gpu_->allocator());
    return Multiply(c, call);
  });
  ASSERT_TRUE(recording.ok()) << recording.status().message();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE((*recording)->Replay().ok());
  const Tensor back = *y.CopyTo(HostAllocator());
  EXPECT_EQ(back.data<float>()[0], 7.0f);  // [1 2; 3 4] · [1 2; 3 4]
  EXPECT_EQ(back.data<float>()[3], 22.0f);
}

TEST_F(HardwareTest, ATimerMeasuresTheGpu) {
  constexpr int64_t kN = 2048;
  const Tensor a = *Tensor::Make(DType::kFloat, Shape({kN * kN}), gpu_->allocator());
  const Tensor y = *Tensor::Make(DType::kFloat, Shape({kN * kN}), gpu_->allocator());
  const float one = 1;
  static_cast<CudaAllocator*>(gpu_->allocator())->Fill(*context_, 4, a.raw(), &one, kN * kN);
  const auto timer = gpu_->NewTimer();
  const size_t begin = timer->Mark();
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(
        Multiply(*context_, {DType::kFloat, false, false, kN, kN, kN, a.raw(), a.raw(), y.raw()})
            .ok());
  const size_t end = timer->Mark();
  const auto times = timer->Times();
  ASSERT_TRUE(times.ok()) << times.status().message();
  // 20 products of 17 GFLOP: no GPU does them in a millisecond.
  EXPECT_GT((*times)[end] - (*times)[begin], std::chrono::milliseconds(1));
}

TEST_F(HardwareTest, NoMemoryIsAStatus) {
  auto* memory = static_cast<CudaAllocator*>(gpu_->allocator());
  std::vector<Tensor> blocks;
  for (int i = 0; i < 4096; ++i) {
    auto block = Tensor::Make(DType::kUint8, Shape({int64_t{1} << 30}), memory);
    if (!block.ok()) break;
    blocks.push_back(*std::move(block));
  }
  EXPECT_LT(blocks.size(), 4096u);
  const auto n = static_cast<int64_t>(blocks.size());
  blocks.clear();
  // Freed blocks serve another size.
  EXPECT_TRUE(Tensor::Make(DType::kUint8, Shape({(n << 30) * 3 / 4}), memory).ok());
}

TEST_F(HardwareTest, GpusCopyToEachOther) {
  if (Devices().size() < 2) GTEST_SKIP() << "one GPU";
  const Tensor zero = *Numbers(100).CopyTo(Devices()[0]->allocator());
  const Tensor one = *zero.CopyTo(Devices()[1]->allocator());
  EXPECT_EQ(one.CopyTo(HostAllocator())->data<float>()[99], 100.0f);
}

}  // namespace
}  // namespace tensh::cuda
