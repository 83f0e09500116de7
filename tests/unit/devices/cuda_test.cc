// GPU devices on the fake driver, which records its calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "devices/cuda/cuda_kernel.h"

namespace tensh::cuda {
namespace {

DeviceOptions With(std::string visible, double fraction = 0, int gpus = -1) {
  DeviceOptions options;
  options.gpu.visible_devices = std::move(visible);
  options.gpu.memory_fraction = fraction;
  if (gpus >= 0) options.device_count["GPU"] = gpus;
  return options;
}

class CudaTest : public testing::Test {
 protected:
  // The objects that devices refer to live as long as the process.
  void Make(int gpus = 1, size_t memory = size_t{64} << 20) {
    static auto* kept = new std::vector<std::pair<FakeDriver*, DeviceFactory*>>;
    driver_ = new FakeDriver(gpus, memory);
    factory_ = NewGpuFactory(*driver_).release();
    kept->push_back({driver_, factory_});
  }
  std::unique_ptr<Device> MakeDevice(const DeviceOptions& options = {}) {
    auto devices = factory_->Create(options);
    EXPECT_TRUE(devices.ok()) << devices.status().message();
    return devices.ok() && !devices->empty() ? std::move(devices->front()) : nullptr;
  }
  static Tensor Numbers(int64_t n) {
    Tensor t = *Tensor::Make(DType::kFloat, Shape({n}));
    std::iota(t.data<float>(), t.data<float>() + n, 0.0f);
    return t;
  }
  size_t Count(std::string_view begin) {
    const auto calls = driver_->calls();
    return static_cast<size_t>(std::count_if(
        calls.begin(), calls.end(), [&](const auto& call) { return call.starts_with(begin); }));
  }

  FakeDriver* driver_ = nullptr;
  DeviceFactory* factory_ = nullptr;
};

TEST_F(CudaTest, DevicesAreNumberedInTheOrderOfTheList) {
  Make(3);
  auto devices = factory_->Create(With("2,0"));
  ASSERT_TRUE(devices.ok());
  ASSERT_EQ(devices->size(), 2u);
  EXPECT_EQ((*devices)[0]->info().name, "/job:localhost/replica:0/task:0/device:GPU:0");
  EXPECT_NE((*devices)[0]->info().description.find("device: 2, name: fake"), std::string::npos);
  EXPECT_EQ(factory_->Create(With("", 0, 1))->size(), 1u);
  EXPECT_EQ(factory_->Create(With("", 0, 0))->size(), 0u);
}

TEST_F(CudaTest, OptionsThatMeanNothingAreRefused) {
  Make(2);
  for (const char* list : {"2", "0,0", "x", "0,,1", "-1"})
    EXPECT_FALSE(factory_->Create(With(list)).ok()) << list;
  EXPECT_FALSE(factory_->Create(With("", 1.5)).ok());
}

TEST_F(CudaTest, WhatGoesInComesOut) {
  Make();
  auto gpu = MakeDevice();
  for (const int64_t n : {int64_t{0}, int64_t{1}, int64_t{1000}, int64_t{3} << 20}) {
    const Tensor there = *Numbers(n).CopyTo(gpu->allocator());
    EXPECT_FALSE(there.on_host());
    const Tensor copy = there.DeepCopy();
    ASSERT_TRUE(copy);
    const Tensor back = *copy.CopyTo(HostAllocator());
    ASSERT_TRUE(back.on_host());
    EXPECT_TRUE(std::equal(back.data<float>(), back.data<float>() + n, Numbers(n).data<float>()));
  }
}

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A copy to the device waits for earlier work on its block, and later work waits for the copy. The
// last event is that of the slot.
TEST_F(CudaTest, CopiesAreOrderedByEvents) {
  Make();
  auto gpu = MakeDevice();
  { const Tensor start = *Numbers(4).CopyTo(gpu->allocator()); }
  const Stream compute = static_cast<CudaStream*>(gpu->runner())->stream();
  const size_t before = driver_->calls().size();
  const Tensor there = *Numbers(4000).CopyTo(gpu->allocator());
  auto calls = driver_->calls();
  calls.erase(calls.begin(), calls.begin() + static_cast<ptrdiff_t>(before));
  std::erase_if(calls, [](const auto& c) { return c.starts_with("allocate"); });
  const std::string c = std::to_string(reinterpret_cast<uintptr_t>(compute));
  ASSERT_EQ(calls.size(), 6u);
  EXPECT_TRUE(calls[0].starts_with("record ") && calls[0].ends_with(" on " + c)) << calls[0];
  EXPECT_NE(calls[1].find(" waits for "), std::string::npos) << calls[1];
  EXPECT_TRUE(calls[2].starts_with("copy in 16000 on ")) << calls[2];
  EXPECT_TRUE(calls[3].starts_with("record ")) << calls[3];
  EXPECT_TRUE(calls[4].starts_with("record ")) << calls[4];
  EXPECT_TRUE(calls[5].starts_with(c + " waits for ")) << calls[5];
}

TEST_F(CudaTest, SmallValuesTravelWithALaunch) {
  Make();
  auto gpu = MakeDevice();
  for (const int64_t n : {1, 16, 17, 1000, 1001}) {
    const Tensor there = *Numbers(n).CopyTo(gpu->allocator());
    EXPECT_EQ(there.CopyTo(HostAllocator())->data<float>()[n - 1], static_cast<float>(n - 1));
  }
  EXPECT_EQ(Count("put "), 4u);
  EXPECT_EQ(Count("copy in "), 1u);
}

// The host does not wait for kernels in order to copy to the device, and a slot is awaited only when
// it is used again.
TEST_F(CudaTest, CopiesInDoNotWaitForKernels) {
  Make();
  auto gpu = MakeDevice();
  const Tensor x = *Numbers(10000).CopyTo(gpu->allocator());
  KernelCtx c(nullptr, gpu->runner(), nullptr, gpu->allocator());
  driver_->set_work_time(milliseconds(100));
  const auto start = Clock::now();
  ASSERT_TRUE(ForEach(c, 1, [](int64_t) {}).ok());
  const Tensor small = *Numbers(4).CopyTo(gpu->allocator());
  const Tensor large = *Numbers(10000).CopyTo(gpu->allocator());
  EXPECT_LT(Clock::now() - start, milliseconds(80));
  ASSERT_TRUE(gpu->Sync().ok());
  EXPECT_GE(Clock::now() - start, milliseconds(200));
}

TEST_F(CudaTest, LargeCopiesUseSeveralThreads) {
  Make(1, size_t{256} << 20);
  auto gpu = MakeDevice();
  const int64_t n = (int64_t{40} << 18) + 3;  // 40 MB
  const Tensor there = *Numbers(n).CopyTo(gpu->allocator());
  const Tensor back = *there.CopyTo(HostAllocator());
  EXPECT_TRUE(std::equal(back.data<float>(), back.data<float>() + n, Numbers(n).data<float>()));
  EXPECT_EQ(Count("copy in "), 12u);  // four parts of three slots
  EXPECT_EQ(Count("copy out "), 12u);
}

// Moves return no status, so the step learns of a failed launch when it waits.
TEST_F(CudaTest, AFailedMoveIsReportedAtTheEndOfTheStep) {
  Make();
  auto gpu = MakeDevice();
  auto* memory = static_cast<CudaAllocator*>(gpu->allocator());
  const Tensor x = *Numbers(100).CopyTo(memory);
  KernelCtx c(nullptr, gpu->runner(), nullptr, memory);
  const float one = 1;
  driver_->FailNext("launch", Internal("no kernel image"));
  memory->Fill(c, 4, x.raw(), &one, 100);
  memory->Fill(c, 4, x.raw(), &one, 100);
  EXPECT_EQ(gpu->Sync().message(), "no kernel image");
  EXPECT_TRUE(gpu->Sync().ok());
}

TEST_F(CudaTest, GpusThatCannotRunTheKernelsAreLeftOut) {
  Make(2);
  EXPECT_EQ(factory_->Missing(), "");
  driver_->set_unusable_from(1);
  EXPECT_EQ(factory_->Create({})->size(), 1u);
  EXPECT_EQ(factory_->WhyNone(), "");
  EXPECT_EQ(factory_->Missing(), "GPU 1 (fake) is left out: it is too old");
  EXPECT_EQ(factory_->Create(With("1")).status().message(),
            "visible_device_list '1': GPU 1 (fake) cannot be used: it is too old");
  driver_->set_unusable_from(0);
  EXPECT_EQ(factory_->Create({})->size(), 0u);
  EXPECT_EQ(factory_->WhyNone(),
            "GPU 0 (fake) is left out: it is too old; GPU 1 (fake) is left out: it is too old");
}

// A GPU takes a second to start, so it is started by the first value in its memory.
TEST_F(CudaTest, ListingDoesNotStartAGpu) {
  Make(2);
  const auto devices = std::move(*factory_->Create({}));
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_TRUE(devices[0]->Sync().ok());
  EXPECT_EQ(driver_->calls().size(), 0u);
  driver_->FailNext("new stream", Internal("the driver is too old"));
  EXPECT_FALSE(Numbers(4).CopyTo(devices[0]->allocator()).ok());
  EXPECT_EQ(devices[0]->TakeFailure().message(), "the driver is too old");
  EXPECT_TRUE(Numbers(4).CopyTo(devices[0]->allocator()).ok());
  EXPECT_FALSE(static_cast<CudaAllocator*>(devices[1]->allocator())->opened());
}

// Compares our own kernel with the product of the fake driver.
template <class T>
void CompareProducts(FakeDriver& driver, Device& gpu, DType type) {
  KernelCtx c(nullptr, gpu.runner(), nullptr, gpu.allocator());
  const auto fill = [&](int64_t n) {
    const Tensor t = *Tensor::Make(type, Shape({n}));
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (requires(T x) { x.imag(); })
        t.data<T>()[i] = T(static_cast<float>(i % 7 - 3), static_cast<float>(i % 5));
      else
        t.data<T>()[i] = static_cast<T>(static_cast<float>(i % 7 - 3));
    }
    return *t.CopyTo(gpu.allocator());
  };
  constexpr int64_t kBatch = 2, kM = 5, kN = 9, kK = 3;
  const Tensor a = fill(kBatch * kM * kK), b = fill(kBatch * kK * kN);
  for (int turned = 0; turned < 4; ++turned) {
    Tensor got[2];
    for (Tensor& y : got) {
      y = *Tensor::Make(type, Shape({kBatch * kM * kN}), gpu.allocator());
      if (&y == got) driver.FailNext("gemm", Unimplemented("no cuBLAS"));
      const GemmCall call{type,    turned % 2 != 0, turned / 2 != 0, kM,      kN,
                          kK,      a.raw(),         b.raw(),         y.raw(), kBatch,
                          kM * kK, kK * kN,         kM * kN,         true};
      ASSERT_TRUE(Multiply(c, call).ok());
      y = *y.CopyTo(HostAllocator());
    }
    EXPECT_TRUE(std::equal(got[0].data<T>(), got[0].data<T>() + kBatch * kM * kN, got[1].data<T>()))
        << Name(type) << turned;
  }
}

TEST_F(CudaTest, ProductsNeedNoLibrary) {
  Make();
  auto gpu = MakeDevice();
  CompareProducts<float>(*driver_, *gpu, DType::kFloat);
  CompareProducts<double>(*driver_, *gpu, DType::kDouble);
  CompareProducts<std::complex<float>>(*driver_, *gpu, DType::kComplex64);
  CompareProducts<std::complex<double>>(*driver_, *gpu, DType::kComplex128);
}

// If cuBLAS has no memory for itself, kept blocks are freed, and the product is tried once more.
TEST_F(CudaTest, AProductMakesRoom) {
  Make();
  auto gpu = MakeDevice();
  const Tensor x = *Numbers(4).CopyTo(gpu->allocator());
  const Tensor y = *Tensor::Make(DType::kFloat, Shape({4}), gpu->allocator());
  { const Tensor kept = *Tensor::Make(DType::kFloat, Shape({1000}), gpu->allocator()); }
  KernelCtx c(nullptr, gpu->runner(), nullptr, gpu->allocator());
  driver_->FailNext("gemm", ResourceExhausted("no memory"));
  EXPECT_TRUE(Multiply(c, {DType::kFloat, false, false, 2, 2, 2, x.raw(), x.raw(), y.raw()}).ok());
  EXPECT_EQ(Count("free"), 1u);
  EXPECT_EQ(Count("trim"), 1u);
}

TEST_F(CudaTest, BlocksAreKeptAndUsedAgain) {
  Make();
  auto gpu = MakeDevice();
  const void* first = nullptr;
  {
    const Tensor t = *Tensor::Make(DType::kFloat, Shape({1000}), gpu->allocator());
    first = t.raw();
  }
  const Tensor t = *Tensor::Make(DType::kFloat, Shape({1001}), gpu->allocator());
  EXPECT_EQ(t.raw(), first);
  EXPECT_EQ(Count("allocate"), 1u);
  EXPECT_EQ(Count("free"), 0u);
}

TEST_F(CudaTest, NoMemoryIsAStatusAndWhatIsKeptIsGivenBackFirst) {
  Make(1, size_t{8} << 20);
  auto gpu = MakeDevice();
  { const Tensor t = *Tensor::Make(DType::kFloat, Shape({1 << 20}), gpu->allocator()); }
  EXPECT_TRUE(Tensor::Make(DType::kFloat, Shape({3 << 19}), gpu->allocator()).ok());
  EXPECT_EQ(Count("free"), 1u);
  const auto large = Tensor::Make(DType::kFloat, Shape({1 << 22}), gpu->allocator());
  EXPECT_EQ(large.status().code(), Code::kResourceExhausted);
  EXPECT_TRUE(Tensor::Make(DType::kFloat, Shape({16}), gpu->allocator()).ok());
}

TEST_F(CudaTest, AFractionLimitsMemory) {
  Make(1, size_t{8} << 20);
  auto gpu = MakeDevice(With("", 0.25));
  EXPECT_EQ(gpu->info().memory_limit, 2 << 20);
  EXPECT_FALSE(Tensor::Make(DType::kFloat, Shape({1 << 20}), gpu->allocator()).ok());
}

TEST_F(CudaTest, TheDriversErrorIsTheCopysStatus) {
  Make();
  auto gpu = MakeDevice();
  driver_->FailNext("copy", Internal("an illegal memory access was encountered"));
  EXPECT_EQ(Numbers(4000).CopyTo(gpu->allocator()).status().message(),
            "an illegal memory access was encountered");
  driver_->FailNext("wait", Internal("lost"));
  EXPECT_EQ(gpu->Sync().message(), "lost");
  EXPECT_TRUE(gpu->Sync().ok());
}

TEST_F(CudaTest, GpusCopyToEachOther) {
  Make(2);
  auto devices = factory_->Create({});
  ASSERT_EQ(devices->size(), 2u);
  const Tensor zero = *Numbers(100).CopyTo((*devices)[0]->allocator());
  const Tensor one = *zero.CopyTo((*devices)[1]->allocator());
  EXPECT_EQ(Count("copy 0 to 1 400"), 1u);
  EXPECT_EQ((*one.CopyTo(HostAllocator())).data<float>()[99], 99.0f);
}

TEST_F(CudaTest, ObjectsStayInHostMemory) {
  Make();
  auto gpu = MakeDevice();
  EXPECT_TRUE(Tensor::Make(DType::kString, Shape({2}), gpu->allocator())->on_host());
}

TEST_F(CudaTest, AGraphRunsWhatWasCaptured) {
  Make();
  int runs = 0;
  const Stream stream = *driver_->NewStream();
  ASSERT_TRUE(driver_->BeginCapture(stream).ok());
  driver_->Do(stream, [&] { ++runs; });
  const Graph graph = *driver_->EndCapture(stream, [] {});
  EXPECT_EQ(runs, 0);
  ASSERT_TRUE(driver_->Launch(graph, stream).ok() && driver_->Launch(graph, stream).ok() &&
              driver_->Wait(stream).ok());
  EXPECT_EQ(runs, 2);
  driver_->FreeGraph(graph);
}

// All suites on the fake GPU rely on this check.
TEST_F(CudaTest, DeviceMemoryCannotBeReadByTheHost) {
  Make();
  auto gpu = MakeDevice();
  const Tensor there = *Numbers(4).CopyTo(gpu->allocator());
  EXPECT_DEATH(
      {
        volatile float x = *there.data<float>();
        (void)x;
      },
      "");
}

}  // namespace
}  // namespace tensh::cuda
