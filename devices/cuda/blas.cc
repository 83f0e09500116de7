#include "devices/cuda/blas.h"

#include <cublas_v2.h>

#include <utility>

#include "devices/cuda/cuda_libraries.h"
#include "devices/cuda/cuda_status.h"
#include "runtime/core/strcat.h"

namespace tensh::cuda {
namespace {

// Spelled out, because the function is overloaded.
using GemmEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                  int, const void* alpha, const void* a, cudaDataType, int lda,
                                  long long stride_a, const void* b, cudaDataType, int ldb,
                                  long long stride_b, const void* beta, void* y, cudaDataType,
                                  int ldy, long long stride_y, int batch, cublasComputeType_t,
                                  cublasGemmAlgo_t);

// The sizes that cuBLAS recommends for GPUs from Hopper on, and for older ones.
constexpr size_t kWorkspace = size_t{32} << 20, kOlderWorkspace = size_t{4} << 20;
constexpr int kHopper = 9;

template <class... Text>
Status BlasStatus(cublasStatus_t status, const Text&... what) {
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  // CUDA's own error, if there is one, is more specific.
  TENSH_RETURN_IF_ERROR(ToStatus(cudaGetLastError(), StrCat(what...).c_str()));
  if (status == CUBLAS_STATUS_ALLOC_FAILED) return ResourceExhausted(what..., ": no memory");
  return Internal(what..., ": error ", static_cast<int>(status), " of cuBLAS");
}

}  // namespace

struct Blas::Functions {
  decltype(&cublasCreate_v2) create;
  decltype(&cublasDestroy_v2) destroy;
  decltype(&cublasSetStream_v2) set_stream;
  decltype(&cublasSetWorkspace_v2) set_workspace;
  decltype(&cublasSetMathMode) set_math_mode;
  decltype(&cublasSgemmStridedBatched) sgemm;
  decltype(&cublasDgemmStridedBatched) dgemm;
  decltype(&cublasCgemmStridedBatched) cgemm;
  decltype(&cublasZgemmStridedBatched) zgemm;
  GemmEx gemm_ex;
};

struct Blas::Handle {
  cublasHandle_t handle = nullptr;
  void* workspace = nullptr;
  size_t workspace_bytes = 0;
  bool has_stream = false;
  Stream stream = nullptr;  // of the last product

  // The workspace must be set again for each stream.
  Status Use(const Functions& blas, Stream wanted) {
    if (has_stream && stream == wanted) return {};
    has_stream = false;
    TENSH_RETURN_IF_ERROR(BlasStatus(blas.set_stream(handle, static_cast<cudaStream_t>(wanted)),
                                     "cuBLAS refuses the stream"));
    TENSH_RETURN_IF_ERROR(BlasStatus(blas.set_workspace(handle, workspace, workspace_bytes),
                                     "cuBLAS refuses its workspace"));
    has_stream = true;
    stream = wanted;
    return {};
  }
};

Blas::Blas(std::vector<std::string> folders, bool tf32)
    : folders_(std::move(folders)), tf32_(tf32) {}
Blas::~Blas() = default;

Result<const Blas::Functions*> Blas::Load() {
  const auto unavailable = [&] { return Unimplemented(why_missing_); };
  if (functions_) return functions_.get();
  if (!why_missing_.empty()) return unavailable();
  SharedLibrary library =
      LoadCudaLibrary({kCublas13Library, kCublas12Library}, {"libcublasLt"}, folders_);
  auto blas = std::make_unique<Functions>();
  library.Find("cublasCreate_v2", &blas->create);
  library.Find("cublasDestroy_v2", &blas->destroy);
  library.Find("cublasSetStream_v2", &blas->set_stream);
  library.Find("cublasSetWorkspace_v2", &blas->set_workspace);
  library.Find("cublasSetMathMode", &blas->set_math_mode);
  library.Find("cublasSgemmStridedBatched", &blas->sgemm);
  library.Find("cublasDgemmStridedBatched", &blas->dgemm);
  library.Find("cublasCgemmStridedBatched", &blas->cgemm);
  library.Find("cublasZgemmStridedBatched", &blas->zgemm);
  library.Find("cublasGemmStridedBatchedEx", &blas->gemm_ex);
  if (!library.complete()) {
    why_missing_ = StrCat(
        "matrix products on GPUs are slow, because cuBLAS is missing: ",
        library.loaded() ? "it lacks a function that tensh needs" : library.error(),
        ". Install it (pip install nvidia-cublas, or libcublas of CUDA 13), or add its folder to "
        "LD_LIBRARY_PATH");
    return unavailable();
  }
  functions_ = std::move(blas);
  return functions_.get();
}

std::string Blas::WhyMissing() {
  std::lock_guard lock(mu_);
  return Load().ok() ? "" : why_missing_;
}

Status Blas::Prepare(int gpu) {
  if (!used_) return {};
  std::lock_guard lock(mu_);
  TENSH_ASSIGN(const Functions* blas, Load());
  return HandleOf(*blas, gpu).status();
}

Result<Blas::Handle*> Blas::HandleOf(const Functions& blas, int gpu) {
  std::unique_ptr<Handle>& known = handles_[gpu];
  if (known) return known.get();
  Handle made;
  int major = 0;
  TENSH_RETURN_IF_ERROR(ToStatus(
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu), "GPU properties"));
  made.workspace_bytes = major >= kHopper ? kWorkspace : kOlderWorkspace;
  TENSH_RETURN_IF_ERROR(
      ToStatus(cudaMalloc(&made.workspace, made.workspace_bytes), "the workspace of cuBLAS"));
  // TF32 is off unless it was requested. 16-bit floats are accumulated in float throughout.
  const auto mode =
      static_cast<cublasMath_t>((tf32_ ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH) |
                                CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  Status status = BlasStatus(blas.create(&made.handle), "cuBLAS does not start");
  if (status.ok()) {
    status = BlasStatus(blas.set_math_mode(made.handle, mode), "cuBLAS's precision");
    if (!status.ok()) (void)blas.destroy(made.handle);
  }
  if (!status.ok()) {
    Forget(cudaFree(made.workspace));
    return status;
  }
  known = std::make_unique<Handle>(made);
  return known.get();
}

// cuBLAS uses column-major matrices, which are the transposes of ours, hence (a·b)ᵀ = bᵀ·aᵀ.
Status Blas::Gemm(int gpu, Stream stream, const GemmCall& g) {
  if (g.m > INT32_MAX || g.n > INT32_MAX || g.k > INT32_MAX || g.batch > INT32_MAX)
    return Unimplemented("a matrix product of ", g.m, " by ", g.k, " and ", g.k, " by ", g.n,
                         " by cuBLAS");
  std::lock_guard lock(mu_);
  TENSH_ASSIGN(const Functions* functions, Load());
  const Functions& blas = *functions;
  used_ = true;
  TENSH_ASSIGN(Handle * of_gpu, HandleOf(blas, gpu));
  TENSH_RETURN_IF_ERROR(of_gpu->Use(blas, stream));
  const cublasHandle_t handle = of_gpu->handle;
  const bool is_complex = g.type == DType::kComplex64 || g.type == DType::kComplex128;
  const cublasOperation_t turned = g.adjoint && is_complex ? CUBLAS_OP_C : CUBLAS_OP_T;
  const cublasOperation_t op_a = g.transpose_a ? turned : CUBLAS_OP_N;
  const cublasOperation_t op_b = g.transpose_b ? turned : CUBLAS_OP_N;
  const int m = static_cast<int>(g.m), n = static_cast<int>(g.n), k = static_cast<int>(g.k);
  const int lda = g.transpose_a ? m : k, ldb = g.transpose_b ? k : n;
  const auto call = [&]<class T>(auto gemm, T one) {
    const T zero{};
    return gemm(handle, op_b, op_a, n, m, k, &one, static_cast<const T*>(g.b), ldb, g.stride_b,
                static_cast<const T*>(g.a), lda, g.stride_a, &zero, static_cast<T*>(g.y), n,
                g.stride_y, static_cast<int>(g.batch));
  };
  // Uses the tensor cores for 16-bit floats, accumulated in float.
  const auto call_ex = [&](cudaDataType type) {
    const float one = 1, zero = 0;
    return blas.gemm_ex(handle, op_b, op_a, n, m, k, &one, g.b, type, ldb, g.stride_b, g.a, type,
                        lda, g.stride_a, &zero, g.y, type, n, g.stride_y, static_cast<int>(g.batch),
                        CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  };
  const cublasStatus_t status = g.type == DType::kDouble      ? call(blas.dgemm, 1.0)
                                : g.type == DType::kHalf      ? call_ex(CUDA_R_16F)
                                : g.type == DType::kBfloat16  ? call_ex(CUDA_R_16BF)
                                : g.type == DType::kComplex64 ? call(blas.cgemm, cuComplex{1, 0})
                                : g.type == DType::kComplex128
                                    ? call(blas.zgemm, cuDoubleComplex{1, 0})
                                    : call(blas.sgemm, 1.0f);
  return BlasStatus(status, "a product of ", g.m, " by ", g.k, " and ", g.k, " by ", g.n);
}

}  // namespace tensh::cuda
