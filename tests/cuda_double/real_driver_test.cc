// Tests devices/cuda/real_driver.cc on a double of CUDA: the calls it makes and how it handles
// their errors.
#include "devices/cuda/real_driver.h"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "devices/cuda/cuda_device.h"
#include "runtime/core/half.h"
#include "tests/cuda_double/cuda_double.h"

namespace tensh::cuda {
namespace {

Tensor Numbers(int64_t n) {
  Tensor t = *Tensor::Make(DType::kFloat, Shape({n}));
  std::iota(t.data<float>(), t.data<float>() + n, 1.0f);
  return t;
}

// The objects that devices refer to live as long as the process.
struct Made {
  Driver* driver;
  DeviceFactory* factory;
};
Made MakeDriver(int gpus) {
  cuda_double::Reset(gpus);
  static auto* kept = new std::vector<Made>;
  Driver* driver = NewRealDriver().release();
  kept->push_back({driver, NewGpuFactory(*driver).release()});
  return kept->back();
}

class CudaDoubleTest : public testing::Test {
 protected:
  void TearDown() override {
    for (const std::string& misuse : cuda_double::misuses()) ADD_FAILURE() << misuse;
  }
};

// Copies to the device and back, a matrix product, and a product that is recorded and replayed.
Status Step(const Made& made) {
  TENSH_ASSIGN(auto devices, made.factory->Create({}));
  if (devices.empty()) return Internal("no GPU");
  Device& gpu = *devices[0];
  const Stream stream = static_cast<CudaStream*>(gpu.runner())->stream();
  TENSH_ASSIGN(const Tensor a, Numbers(6).CopyTo(gpu.allocator()));
  TENSH_ASSIGN(const Tensor y, Tensor::Make(DType::kFloat, Shape({4}), gpu.allocator()));
  const GemmCall call{DType::kFloat, false, false, 2, 2, 3, a.raw(), a.raw(), y.raw()};
  TENSH_RETURN_IF_ERROR(made.driver->Gemm(stream, call));
  TENSH_ASSIGN(const auto recording, gpu.Record([&](ParallelRunner* runner) {
    return made.driver->Gemm(static_cast<CudaStream*>(runner)->stream(), call);
  }));
  for (int i = 0; i < 2; ++i) TENSH_RETURN_IF_ERROR(recording->Replay());
  TENSH_RETURN_IF_ERROR(made.driver->Launched());
  TENSH_RETURN_IF_ERROR(gpu.Sync());
  TENSH_ASSIGN(const Tensor back, y.CopyTo(HostAllocator()));
  static_cast<CudaAllocator*>(gpu.allocator())->Release();
  // [1 2 3; 4 5 6] · [1 2; 3 4; 5 6]
  EXPECT_EQ(back.data<float>()[0], 22.0f);
  EXPECT_EQ(back.data<float>()[3], 64.0f);
  return {};
}

TEST_F(CudaDoubleTest, AStepAsksForWhatCudaAllows) {
  const Made made = MakeDriver(2);
  for (int i = 0; i < 3; ++i) {
    const Status status = Step(made);
    EXPECT_TRUE(status.ok()) << status.message();
  }
}

TEST_F(CudaDoubleTest, GpusCopyToEachOther) {
  const Made made = MakeDriver(2);
  const auto devices = std::move(*made.factory->Create({}));
  ASSERT_EQ(devices.size(), 2u);
  const Tensor zero = *Numbers(100).CopyTo(devices[0]->allocator());
  const Tensor one = *zero.CopyTo(devices[1]->allocator());
  EXPECT_EQ((*one.CopyTo(HostAllocator())).data<float>()[99], 100.0f);
}

// Compares cuBLAS, which is column-major, with products of row-major matrices.
template <class T>
void CompareProducts(DType type) {
  const Made made = MakeDriver(1);
  const auto devices = std::move(*made.factory->Create({}));
  const Stream stream = static_cast<CudaStream*>(devices[0]->runner())->stream();
  constexpr int64_t kM = 2, kN = 4, kK = 3, kBatch = 2;
  for (const bool transpose_a : {false, true})
    for (const bool transpose_b : {false, true}) {
      const Tensor a = *Tensor::Make(type, Shape({kBatch, kM * kK})),
                   b = *Tensor::Make(type, Shape({kBatch, kK * kN}));
      for (int64_t i = 0; i < kBatch * kM * kK; ++i) a.data<T>()[i] = T(static_cast<float>(i % 7));
      for (int64_t i = 0; i < kBatch * kK * kN; ++i) b.data<T>()[i] = T(static_cast<float>(i % 5));
      const Tensor a2 = *a.CopyTo(devices[0]->allocator()), b2 = *b.CopyTo(devices[0]->allocator()),
                   y = *Tensor::Make(type, Shape({kBatch, kM * kN}), devices[0]->allocator());
      const Status status =
          made.driver->Gemm(stream, {type, transpose_a, transpose_b, kM, kN, kK, a2.raw(), b2.raw(),
                                     y.raw(), kBatch, kM * kK, kK * kN, kM * kN});
      ASSERT_TRUE(status.ok()) << status.message();
      const Tensor got = *y.CopyTo(HostAllocator());
      for (int64_t i = 0; i < kBatch; ++i)
        for (int64_t row = 0; row < kM; ++row)
          for (int64_t column = 0; column < kN; ++column) {
            float sum = 0;
            for (int64_t k = 0; k < kK; ++k)
              sum +=
                  static_cast<float>(
                      a.data<T>()[i * kM * kK + (transpose_a ? k * kM + row : row * kK + k)]) *
                  static_cast<float>(
                      b.data<T>()[i * kK * kN + (transpose_b ? column * kK + k : k * kN + column)]);
            EXPECT_EQ(static_cast<float>(got.data<T>()[(i * kM + row) * kN + column]), sum);
          }
    }
}
TEST_F(CudaDoubleTest, ProductsAreOfRows) {
  CompareProducts<float>(DType::kFloat);
  CompareProducts<double>(DType::kDouble);
  CompareProducts<Half>(DType::kHalf);
  CompareProducts<Bfloat16>(DType::kBfloat16);
}

TEST_F(CudaDoubleTest, WhyThereIsNoGpu) {
  EXPECT_EQ(MakeDriver(0).factory->WhyNone(), "a driver was found, but no device");
  const Made made = MakeDriver(1);
  cuda_double::FailTheNth(1, cudaErrorInsufficientDriver, true);
  const Result<int> count = made.driver->Count();
  EXPECT_EQ(count.status().hint(), "update the NVIDIA driver to one that supports CUDA 13");
  EXPECT_EQ(made.factory->Create({})->size(), 0u);
}

TEST_F(CudaDoubleTest, NoMemoryIsResourceExhausted) {
  const Made made = MakeDriver(1);
  const auto devices = std::move(*made.factory->Create({}));
  ASSERT_TRUE(made.driver->Use(0).ok());
  cuda_double::FailTheNth(1, cudaErrorMemoryAllocation, false);
  EXPECT_EQ(Numbers(4).CopyTo(devices[0]->allocator()).status().code(), Code::kResourceExhausted);
  EXPECT_TRUE(Numbers(4).CopyTo(devices[0]->allocator()).ok());
}

// An error of a call that returns no status must not be attributed to the next kernel.
TEST_F(CudaDoubleTest, AFailureToFreeIsNotTheNextLaunchs) {
  const Made made = MakeDriver(1);
  const auto devices = std::move(*made.factory->Create({}));
  auto* memory = static_cast<CudaAllocator*>(devices[0]->allocator());
  { const Tensor there = *Numbers(4).CopyTo(memory); }
  cuda_double::FailTheNth(1, cudaErrorUnknown, false);
  memory->Release();
  EXPECT_TRUE(cuda_double::failed());
  EXPECT_TRUE(made.driver->Launched().ok());
}

// Makes each call fail in turn with the errors it may return. A lasting error fails every later
// step, and its message says what to do.
TEST_F(CudaDoubleTest, EachCallMayFail) {
  struct Error {
    cudaError_t error;
    bool lasting;
  };
  for (const Error& e : {Error{cudaErrorMemoryAllocation, false}, Error{cudaErrorUnknown, false},
                         Error{cudaErrorNotSupported, false}, Error{cudaErrorIllegalAddress, true},
                         Error{cudaErrorLaunchFailure, true}}) {
    size_t n = 1, failures = 0;
    for (;; ++n) {
      const Made made = MakeDriver(1);
      // Threads remember their GPU, and the process its cuBLAS, so the step runs in a new thread.
      Status first, second;
      std::thread([&] {
        cuda_double::FailTheNth(n, e.error, e.lasting);
        first = Step(made);
        if (cuda_double::failed()) second = Step(made);
      }).join();
      if (!cuda_double::failed()) break;
      failures += !first.ok();
      EXPECT_EQ(second.ok(), !e.lasting) << n << ": " << second.message();
      for (const Status& status : {first, second}) {
        if (status.ok()) continue;
        EXPECT_FALSE(status.message().empty());
        // These errors carry no hint: without devices, and without memory.
        if (status.message() == "no GPU" || status.code() == Code::kResourceExhausted) continue;
        EXPECT_EQ(status.hint().find("restart tensh") != std::string::npos, e.lasting)
            << n << ": " << status.message();
      }
      for (const std::string& misuse : cuda_double::misuses())
        ADD_FAILURE() << "call " << n << ", error " << e.error << ": " << misuse;
    }
    EXPECT_GT(failures, 30u) << e.error;
  }
}

}  // namespace
}  // namespace tensh::cuda
