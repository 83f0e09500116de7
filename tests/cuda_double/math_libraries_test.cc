// Tests devices/cuda/fft.cc and solver.cc on doubles of CUDA, cuFFT and cuSOLVER: the calls they make and how they handle errors.
#include "devices/cuda/math_libraries.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "devices/cuda/cuda_device.h"
#include "devices/cuda/real_driver.h"
#include "tests/cuda_double/cuda_double.h"

namespace tensh::cuda {
namespace {

constexpr int64_t kFloats = 4000;

class MathLibrariesTest : public testing::Test {
 protected:
  MathLibrariesTest() {
    cuda_double::Reset(1);
    static auto* kept = new std::vector<std::pair<Driver*, DeviceFactory*>>;
    Driver* const driver = NewRealDriver({}).release();
    kept->push_back({driver, NewGpuFactory(*driver).release()});
    devices_ = std::move(*kept->back().second->Create({}));
    EXPECT_TRUE(memory()->Open().ok());
    libraries_ = NewRealMathLibraries({}).release();
    static auto* libraries = new std::vector<MathLibraries*>;
    libraries->push_back(libraries_);
  }
  void TearDown() override {
    for (const std::string& misuse : cuda_double::misuses()) ADD_FAILURE() << misuse;
  }

  CudaAllocator* memory() { return static_cast<CudaAllocator*>(devices_[0]->allocator()); }
  Stream stream() { return static_cast<CudaStream*>(devices_[0]->runner())->stream(); }
  Tensor Room(DType type = DType::kFloat, int64_t n = kFloats) {
    return *Tensor::Make(type, Shape({n}), memory());
  }
  // Memory of floats, of which the first has this value.
  Tensor First(float value) {
    Tensor here = *Tensor::Make(DType::kFloat, Shape({kFloats}));
    std::fill_n(here.data<float>(), kFloats, value);
    return *here.CopyTo(memory());
  }
  float FirstOf(const Tensor& t) { return *t.CopyTo(HostAllocator())->data<float>(); }

  template <class Fn>
  Status Run(Fn call) {
    TENSH_ASSIGN(const size_t bytes, call(nullptr));
    const Tensor scratch = Room(DType::kUint8, static_cast<int64_t>(bytes));
    TENSH_ASSIGN(const size_t more, call(scratch.raw()));
    EXPECT_EQ(more, 0u);
    return {};
  }
  Status Run(const FftCall& call) {
    return Run([&](void* scratch) { return libraries_->Fft(0, stream(), call, scratch); });
  }
  Status Run(const MatrixCall& call) {
    return Run([&](void* scratch) { return libraries_->Matrix(0, stream(), call, scratch); });
  }

  std::vector<std::unique_ptr<Device>> devices_;
  MathLibraries* libraries_;
};

TEST_F(MathLibrariesTest, CufftIsGivenTheTransform) {
  const Tensor in = Room(), out = Room();
  // The type, the direction and the batch, as the double writes them.
  struct {
    bool real, inverse;
    float type, direction;
  } const cases[] = {{false, false, 0x29, -1},
                     {false, true, 0x29, 1},
                     {true, false, 0x2a, 0},
                     {true, true, 0x2c, 0}};
  for (const auto& each : cases) {
    const FftCall call{false, each.real, each.inverse, 3, {2, 3, 8}, 5, in.raw(), out.raw()};
    const Status status = Run(call);
    ASSERT_TRUE(status.ok()) << status.message();
    const Tensor got = *out.CopyTo(HostAllocator());
    const float want[] = {each.type, each.direction, 5, 2, 3, 8};
    EXPECT_TRUE(std::equal(std::begin(want), std::end(want), got.data<float>())) << each.type;
  }
  // Both directions of complex numbers share a plan.
  EXPECT_EQ(cuda_double::count("cufftCreate"), 3u);
}

TEST_F(MathLibrariesTest, OldPlansAreDestroyed) {
  const Tensor in = Room(), out = Room();
  for (int64_t n = 1; n <= 100; ++n)
    ASSERT_TRUE(Run({false, false, false, 1, {n}, 1, in.raw(), out.raw()}).ok());
  EXPECT_EQ(cuda_double::count("cufftDestroy"), 64u);
}

TEST_F(MathLibrariesTest, DecompositionsOfOneElement) {
  const Tensor info = Room(DType::kInt32, 1), pivots = Room(DType::kInt64, 1);
  const Tensor a = First(-9), b = First(18), c = First(0), values = First(0);
  MatrixCall call{.kind = MatrixCall::kSvd,
                  .type = DType::kFloat,
                  .rows = 1,
                  .columns = 1,
                  .others = 1,
                  .a = a.raw(),
                  .b = b.raw(),
                  .c = c.raw(),
                  .values = values.raw(),
                  .pivots = static_cast<int64_t*>(pivots.raw()),
                  .op = MatrixCall::kAdjoint,
                  .info = static_cast<int32_t*>(info.raw())};
  const auto run = [&](MatrixCall::Kind kind, const Tensor& of) {
    call.kind = kind;
    const Status status = Run(call);
    EXPECT_TRUE(status.ok()) << status.message();
    return FirstOf(of);
  };
  EXPECT_EQ(run(MatrixCall::kSvd, values), 9.0f);
  EXPECT_EQ(run(MatrixCall::kLu, a), -9.0f);
  EXPECT_EQ(run(MatrixCall::kSolve, b), -2.0f);
  EXPECT_EQ(run(MatrixCall::kQr, b), -9.0f + 7);  // the reflection, and tau
  EXPECT_EQ(run(MatrixCall::kEigen, values), -9.0f);
  EXPECT_EQ(run(MatrixCall::kCholesky, a), 1.0f);  // of the vector
}

TEST_F(MathLibrariesTest, SizesOfDecompositions) {
  const Tensor info = Room(DType::kInt32, 1), pivots = Room(DType::kInt64, 30);
  const Tensor a = First(1), b = First(1), c = First(1), values = First(1);
  for (const auto kind : {MatrixCall::kQr, MatrixCall::kSvd})
    for (const int64_t others : {int64_t{20}, int64_t{50}}) {
      const Status status = Run({.kind = kind,
                                 .type = DType::kFloat,
                                 .rows = 50,
                                 .columns = 20,
                                 .others = others,
                                 .a = a.raw(),
                                 .b = b.raw(),
                                 .c = c.raw(),
                                 .values = values.raw(),
                                 .info = static_cast<int32_t*>(info.raw())});
      EXPECT_TRUE(status.ok()) << status.message();
    }
  EXPECT_EQ(cuda_double::count("cusolverDnCreate"), 1u);
}

// Each call of CUDA fails in turn.
TEST_F(MathLibrariesTest, EveryFailureIsReported) {
  const Tensor in = Room(), out = Room(), info = Room(DType::kInt32, 1), a = First(4);
  const MatrixCall matrix{.kind = MatrixCall::kCholesky,
                          .type = DType::kFloat,
                          .rows = 1,
                          .columns = 1,
                          .others = 0,
                          .a = a.raw(),
                          .info = static_cast<int32_t*>(info.raw())};
  for (const cudaError_t error : {cudaErrorMemoryAllocation, cudaErrorLaunchFailure})
    for (const bool fft : {true, false})
      for (size_t n = 1; n < 100; ++n) {
        libraries_ = NewRealMathLibraries({}).release();
        const Tensor scratch = Room(DType::kUint8, 100000);
        cuda_double::FailTheNth(n, error, false);
        const auto call = [&](void* with) {
          return fft ? libraries_->Fft(0, stream(),
                                       {false, false, false, 1, {4}, 1, in.raw(), out.raw()}, with)
                     : libraries_->Matrix(0, stream(), matrix, with);
        };
        Result<size_t> result = call(nullptr);
        if (result.ok()) result = call(scratch.raw());
        const bool failed = cuda_double::failed();
        cuda_double::FailTheNth(0, cudaSuccess, false);
        EXPECT_EQ(result.ok(), !failed) << n;
        if (!failed) break;
        const bool is_memory = result.status().code() == Code::kResourceExhausted;
        EXPECT_EQ(is_memory, error == cudaErrorMemoryAllocation) << n;
      }
}

}  // namespace
}  // namespace tensh::cuda
