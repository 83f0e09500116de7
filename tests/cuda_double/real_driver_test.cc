// Tests devices/cuda/real_driver.cc on a double of CUDA: the calls it makes and how it handles
// their errors.
#include "devices/cuda/real_driver.h"

#include <cublas_v2.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

#include "devices/cuda/cuda_device.h"
#include "devices/cuda/cuda_libraries.h"
#include "devices/cuda/products.h"
#include "runtime/core/half.h"
#include "tests/cuda_double/cuda_double.h"

namespace tensh::cuda {
namespace {

// The numbers from 1, and so many that they are copied and not put by a kernel, which the double cannot
// run.
Tensor Numbers(int64_t n) {
  Tensor t = *Tensor::Make(DType::kFloat, Shape({std::max<int64_t>(n, 2000)}));
  std::iota(t.data<float>(), t.data<float>() + t.num_elements(), 1.0f);
  return t;
}

// The objects that devices refer to live as long as the process.
struct Made {
  Driver* driver;
  DeviceFactory* factory;
};
Made MakeDriver(int gpus, RealDriverOptions options = {}) {
  cuda_double::Reset(gpus);
  static auto* kept = new std::vector<Made>;
  Driver* driver = NewRealDriver(std::move(options)).release();
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
Status StepOn(Device& gpu, const Made& made) {
  TENSH_ASSIGN(const Tensor a, Numbers(6).CopyTo(gpu.allocator()));
  TENSH_ASSIGN(const Tensor y, Tensor::Make(DType::kFloat, Shape({4}), gpu.allocator()));
  const GemmCall call{DType::kFloat, false, false, 2, 2, 3, a.raw(), a.raw(), y.raw()};
  TENSH_RETURN_IF_ERROR(made.driver->Gemm(static_cast<CudaStream*>(gpu.runner())->stream(), call));
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

// Like RunStep, explains a failure by the one that the device kept.
Status Step(const Made& made) {
  TENSH_ASSIGN(auto devices, made.factory->Create({}));
  if (devices.empty()) return Internal("no GPU");
  const Status status = StepOn(*devices[0], made);
  const Status cause = devices[0]->TakeFailure();
  return status.ok() || cause.ok() ? status : cause;
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
  ASSERT_TRUE(static_cast<CudaAllocator*>(devices[0]->allocator())->Open().ok());
  const Stream stream = static_cast<CudaStream*>(devices[0]->runner())->stream();
  constexpr int64_t kM = 2, kN = 4, kK = 3, kBatch = 2;
  for (const bool transpose_a : {false, true})
    for (const bool transpose_b : {false, true}) {
      const Tensor a = *Tensor::Make(type, Shape({4000})), b = *Tensor::Make(type, Shape({4000}));
      for (int64_t i = 0; i < kBatch * kM * kK; ++i) a.data<T>()[i] = T(static_cast<float>(i % 7));
      for (int64_t i = 0; i < kBatch * kK * kN; ++i) b.data<T>()[i] = T(static_cast<float>(i % 5));
      const Tensor a2 = *a.CopyTo(devices[0]->allocator()), b2 = *b.CopyTo(devices[0]->allocator()),
                   y = *Tensor::Make(type, Shape({kBatch, kM * kN}), devices[0]->allocator());
      const Status status =
          made.driver->Gemm(stream, {type, transpose_a, transpose_b, kM, kN, kK, a2.raw(), b2.raw(),
                                     y.raw(), kBatch, kM * kK, kK * kN, kM * kN, true});
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

TEST_F(CudaDoubleTest, ListingGpusStartsNone) {
  const Made made = MakeDriver(2);
  EXPECT_EQ(made.factory->Create({})->size(), 2u);
  EXPECT_EQ(made.factory->WhyNone(), "");
  EXPECT_EQ(cuda_double::started(), 0u);
}

TEST_F(CudaDoubleTest, GpusWithoutCodeAreLeftOut) {
  const Made made = MakeDriver(1, {.images = "sm_90 compute_90"});
  EXPECT_EQ(made.factory->Create({})->size(), 1u);
  cuda_double::facts().major = 7;
  cuda_double::facts().minor = 5;
  EXPECT_EQ(made.factory->Create({})->size(), 0u);
  EXPECT_EQ(
      made.factory->WhyNone(),
      "GPU 0 (double) is left out: its compute capability is 7.5, and this tensh has code for "
      "sm_90 compute_90; rebuild it with -DTENSH_CUDA_ARCH=arch=compute_75,code=sm_75");
}

TEST_F(CudaDoubleTest, ImagesAndCapabilities) {
  struct Row {
    const char* images;
    int major, minor;
    bool runs;
  };
  for (const Row& row :
       {Row{"sm_80", 8, 0, true}, Row{"sm_80", 8, 9, true}, Row{"sm_86", 8, 0, false},
        Row{"sm_80", 9, 0, false}, Row{"sm_80 compute_80", 12, 0, true},
        Row{"compute_90", 8, 9, false}, Row{"sm_90a", 9, 0, true}, Row{"sm_100a", 10, 3, false},
        Row{"sm_100", 10, 3, true}, Row{"", 1, 0, true}})
    EXPECT_EQ(WhyNoImage(row.images, row.major, row.minor).empty(), row.runs)
        << row.images << " " << row.major << row.minor;
}

// An image that the list of the build promises, but that the driver does not load.
TEST_F(CudaDoubleTest, TheFirstUseLoadsTheKernels) {
  const int kernel = 0;
  const Made made = MakeDriver(1, {.images = "sm_90", .kernel = &kernel});
  cuda_double::facts().has_image = false;
  const auto devices = std::move(*made.factory->Create({}));
  EXPECT_FALSE(Numbers(4).CopyTo(devices[0]->allocator()).ok());
  EXPECT_NE(devices[0]->TakeFailure().hint().find("TENSH_CUDA_ARCH"), std::string::npos);
}

TEST_F(CudaDoubleTest, GpusWithoutPools) {
  const Made made = MakeDriver(2);
  cuda_double::facts().has_pools = false;
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(Step(made).ok());
  EXPECT_EQ(cuda_double::count("cudaMallocAsync"), 0u);
  const auto devices = std::move(*made.factory->Create({}));
  const Tensor zero = *Numbers(100).CopyTo(devices[0]->allocator());
  EXPECT_TRUE(zero.CopyTo(devices[1]->allocator()).ok());
  EXPECT_EQ(cuda_double::accessible(), 1u);
}

TEST_F(CudaDoubleTest, PoolsAreSetUpOnce) {
  const Made made = MakeDriver(2);
  const auto devices = std::move(*made.factory->Create({}));
  for (int i = 0; i < 6; ++i)
    ASSERT_TRUE(Numbers(4).CopyTo(devices[static_cast<size_t>(i % 2)]->allocator()).ok());
  EXPECT_EQ(cuda_double::count("cudaMemPoolSetAttribute"), 2u);
}

TEST_F(CudaDoubleTest, GpusAccessEachOther) {
  for (const bool has_peers : {true, false}) {
    const Made made = MakeDriver(2);
    cuda_double::facts().has_peers = has_peers;
    const auto devices = std::move(*made.factory->Create({}));
    const Tensor zero = *Numbers(100).CopyTo(devices[0]->allocator());
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(zero.CopyTo(devices[1]->allocator()).ok());
    EXPECT_EQ(cuda_double::accessible(), has_peers ? 1u : 0u);
    EXPECT_EQ(cuda_double::count("cudaMemPoolSetAccess"), has_peers ? 1u : 0u);
  }
}

// One handle works on the compute stream and on recordings, with a workspace of our own.
TEST_F(CudaDoubleTest, AGpuHasOneHandleOfCublas) {
  const Made made = MakeDriver(1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Step(made).ok());
  EXPECT_EQ(cuda_double::count("cublasCreate"), 1u);
  EXPECT_EQ(cuda_double::count("cublasSetWorkspace"), cuda_double::count("cublasSetStream"));
  EXPECT_EQ(cuda_double::math_mode(),
            CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  EXPECT_TRUE(Step(MakeDriver(1, {.tf32 = true})).ok());
  EXPECT_EQ(cuda_double::math_mode(),
            CUBLAS_TF32_TENSOR_OP_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
}

// The descriptors, in the order in which cuDNN takes them, and the windows.
TEST_F(CudaDoubleTest, CudnnIsGivenTheConvolution) {
  const Made made = MakeDriver(1);
  const auto devices = std::move(*made.factory->Create({}));
  ASSERT_TRUE(static_cast<CudaAllocator*>(devices[0]->allocator())->Open().ok());
  const Stream stream = static_cast<CudaStream*>(devices[0]->runner())->stream();
  const Tensor x = *Numbers(2000).CopyTo(devices[0]->allocator());
  ConvCall call{ConvCall::kForward,
                DType::kFloat,
                false,
                2,
                3,
                4,
                1,
                {5, 6},
                {3, 2},
                {3, 2},
                {2, 3},
                {1, 1},
                {1, 0},
                nullptr,
                nullptr,
                nullptr};
  const std::vector<float> image = {1, 0, 2, 3, 5, 6, 0, 0, 0},
                           filter = {1, 0, 4, 3, 3, 2, 0, 0, 0}, out = {1, 0, 2, 4, 3, 2, 0, 0, 0},
                           window = {1, 0, 2, 3, 1, 1, 1, 0};
  const std::vector<float>* orders[3][3] = {
      {&image, &filter, &out}, {&filter, &out, &image}, {&image, &out, &filter}};
  for (const auto kind : {ConvCall::kForward, ConvCall::kInput, ConvCall::kFilter}) {
    call.kind = kind;
    const auto bytes = made.driver->ConvScratch(call);
    ASSERT_TRUE(bytes.ok()) << bytes.status().message();
    const Tensor scratch = *Tensor::Make(DType::kUint8, Shape({4096}), devices[0]->allocator());
    const Tensor made_here = *Tensor::Make(DType::kFloat, Shape({1000}), devices[0]->allocator());
    call.x = call.filter = call.y = x.raw();
    (kind == ConvCall::kForward ? call.y
     : kind == ConvCall::kInput ? call.x
                                : call.filter) = made_here.raw();
    const Status status = made.driver->Convolve(stream, call, scratch.raw(), *bytes);
    ASSERT_TRUE(status.ok()) << status.message();
    const Tensor got = *made_here.CopyTo(HostAllocator());
    std::vector<float> want;
    for (const auto* part : orders[kind]) want.insert(want.end(), part->begin(), part->end());
    want.insert(want.end(), window.begin(), window.end());
    const size_t elements = kind == ConvCall::kForward ? 48 : kind == ConvCall::kInput ? 180 : 72;
    for (size_t i = 0; i < std::min(want.size(), elements); ++i)
      EXPECT_EQ(got.data<float>()[i], want[i]) << kind << " " << i;
    EXPECT_EQ(got.data<float>()[36], 3.0f);  // FMA: no TF32
  }
  EXPECT_EQ(cuda_double::count("cudnnCreate"), 1u);
  // Heuristics are asked once for each kind of call.
  EXPECT_TRUE(made.driver->ConvScratch(call).ok());
  EXPECT_EQ(cuda_double::count("cudnnGetConvolutionBackwardFilterAlgorithm_v7"), 1u);
  call.groups = 3;
  EXPECT_EQ(made.driver->ConvScratch(call).status().code(), Code::kUnimplemented);
}

constexpr size_t kMb = size_t{1} << 20;

// Fills most of a GPU of 100 MB, and frees the block, which the allocator keeps.
void FillAndFree(Device& gpu) {
  EXPECT_TRUE(Tensor::Make(DType::kUint8, Shape({int64_t{60} << 20}), gpu.allocator()).ok());
}

TEST_F(CudaDoubleTest, MemoryOfOtherSizesIsFound) {
  const Made made = MakeDriver(1);
  cuda_double::facts().memory = 100 * kMb;
  const auto devices = std::move(*made.factory->Create({}));
  FillAndFree(*devices[0]);
  EXPECT_TRUE(
      Tensor::Make(DType::kUint8, Shape({int64_t{50} << 20}), devices[0]->allocator()).ok());
}

TEST_F(CudaDoubleTest, TheLimitIsWhatIsFreeLessAReserve) {
  const Made made = MakeDriver(1);
  cuda_double::facts().memory = 100 * kMb;
  const auto devices = std::move(*made.factory->Create({}));
  auto* memory = static_cast<CudaAllocator*>(devices[0]->allocator());
  ASSERT_TRUE(memory->Open().ok());
  EXPECT_EQ(memory->limit(), 100 * kMb - 100 * kMb / 16);
  EXPECT_FALSE(Tensor::Make(DType::kUint8, Shape({int64_t{97} << 20}), memory).ok());
}

TEST_F(CudaDoubleTest, GraphsFindMemory) {
  const Made made = MakeDriver(1);
  cuda_double::facts().memory = 100 * kMb;
  cuda_double::facts().graph_bytes = 50 * kMb;
  const auto devices = std::move(*made.factory->Create({}));
  FillAndFree(*devices[0]);
  EXPECT_TRUE(devices[0]->Record([](ParallelRunner*) { return Status(); }).ok());
}

TEST_F(CudaDoubleTest, CublasFindsMemory) {
  const Made made = MakeDriver(1);
  cuda_double::facts().memory = 100 * kMb;
  cuda_double::facts().blas_bytes = 50 * kMb;
  const auto devices = std::move(*made.factory->Create({}));
  const Tensor a = *Numbers(6).CopyTo(devices[0]->allocator());
  const Tensor y = *Tensor::Make(DType::kFloat, Shape({4}), devices[0]->allocator());
  FillAndFree(*devices[0]);
  KernelCtx c(nullptr, devices[0]->runner(), nullptr, devices[0]->allocator());
  EXPECT_TRUE(Multiply(c, {DType::kFloat, false, false, 2, 2, 3, a.raw(), a.raw(), y.raw()}).ok());
}

class LibrariesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/libraries" + std::to_string(::getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(LibrariesTest, AreSearchedInTheFolders) {
  const SystemLibrary absent{"libtensh_absent.so.13", ""};
  SharedLibrary none = LoadCudaLibrary({absent}, {}, {"/nowhere", folder_});
  EXPECT_FALSE(none.loaded());
  EXPECT_EQ(
      none.error(),
      "libtensh_absent.so.13 was not found by the system's loader or in /nowhere, " + folder_);
  std::filesystem::copy(CUBLAS_DOUBLE, folder_ + "/libtensh_absent.so.13");
  SharedLibrary library = LoadCudaLibrary({absent}, {"libtensh_beside"}, {"/nowhere", folder_});
  EXPECT_TRUE(library.loaded()) << library.error();
  EXPECT_NE(library.Address("cublasCreate_v2"), nullptr);
}

TEST_F(LibrariesTest, OfToolkitsAndPythons) {
  const std::string nvidia = folder_ + "/lib/python3.11/site-packages/nvidia/cublas";
  std::filesystem::create_directories(nvidia + "/lib");
  std::filesystem::create_directories(folder_ + "/bin");
  std::ofstream(folder_ + "/bin/python3") << "#!/bin/sh\n";
  std::filesystem::permissions(folder_ + "/bin/python3", std::filesystem::perms::owner_all);
  const auto has = [&](const std::string& path) {
    const std::vector<std::string> all = CudaLibraryFolders();
    return std::find(all.begin(), all.end(), path) != all.end();
  };
  EXPECT_TRUE(has("/usr/local/cuda/lib64"));
  EXPECT_FALSE(has(nvidia + "/lib"));
  ::setenv("CUDA_HOME", "/opt/cuda", 1);
  EXPECT_TRUE(has("/opt/cuda/lib64"));
  ::unsetenv("CUDA_HOME");
  ::setenv("VIRTUAL_ENV", folder_.c_str(), 1);
  EXPECT_TRUE(has(nvidia + "/lib"));
  ::unsetenv("VIRTUAL_ENV");
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", ("/nowhere:" + folder_ + "/bin:" + path).c_str(), 1);
  EXPECT_TRUE(has(nvidia + "/lib"));
  ::setenv("PATH", path.c_str(), 1);
}

TEST_F(CudaDoubleTest, NoMemoryIsResourceExhausted) {
  const Made made = MakeDriver(1);
  const auto devices = std::move(*made.factory->Create({}));
  ASSERT_TRUE(static_cast<CudaAllocator*>(devices[0]->allocator())->Open().ok());
  cuda_double::facts().memory = 0;
  EXPECT_EQ(Numbers(4).CopyTo(devices[0]->allocator()).status().code(), Code::kResourceExhausted);
  cuda_double::facts().memory = size_t{1} << 30;
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
  for (const Error& e :
       {Error{cudaErrorMemoryAllocation, false}, Error{cudaErrorUnknown, false},
        Error{cudaErrorNotSupported, false}, Error{cudaErrorIllegalAddress, true},
        Error{cudaErrorLaunchFailure, true}, Error{cudaErrorECCUncorrectable, true},
        Error{cudaErrorDevicesUnavailable, true}}) {
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
