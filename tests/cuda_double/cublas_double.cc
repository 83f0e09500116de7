// A double of libcublas.so.13 for tests: matrix products in column-major order, like cuBLAS.
#include <cublas_v2.h>

#include <complex>

#include "runtime/core/half.h"
#include "tests/cuda_double/cuda_double.h"

struct cublasContext {
  cudaStream_t stream = nullptr;
  bool has_workspace = false;
};

namespace {

using cuda_double::Misuse;

cublasStatus_t Enter(const char* call) {
  const cudaError_t error = cuda_double::Enter(call);
  if (error == cudaSuccess) return CUBLAS_STATUS_SUCCESS;
  return error == cudaErrorMemoryAllocation ? CUBLAS_STATUS_ALLOC_FAILED
                                            : CUBLAS_STATUS_EXECUTION_FAILED;
}

template <class Sum, class T>
Sum Factor(T x, cublasOperation_t op) {
  if constexpr (requires { x.imag(); })
    return op == CUBLAS_OP_C ? std::conj(x) : x;
  else
    return static_cast<Sum>(x);
}

template <class T, class Sum>
cublasStatus_t Multiply(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                        int m, int n, int k, Sum alpha, const T* a, int lda, long long step_a,
                        const T* b, int ldb, long long step_b, Sum beta, T* y, int ldy,
                        long long step_y, int batch) {
  if (const cublasStatus_t status = Enter("gemm"); status != CUBLAS_STATUS_SUCCESS) return status;
  if (!handle->has_workspace && cuda_double::IsCapturingOn(handle->stream))
    Misuse("gemm: a recording with memory of cuBLAS");
  if constexpr (!requires(T x) { x.imag(); })
    if (op_a == CUBLAS_OP_C || op_b == CUBLAS_OP_C) Misuse("gemm: a conjugate of real numbers");
  if (cuda_double::facts().blas_bytes > cuda_double::free_bytes())
    return CUBLAS_STATUS_ALLOC_FAILED;
  const bool ta = op_a != CUBLAS_OP_N, tb = op_b != CUBLAS_OP_N;
  if (lda < (ta ? k : m) || ldb < (tb ? n : k) || ldy < m) return CUBLAS_STATUS_INVALID_VALUE;
  if (alpha != Sum(1) || beta != Sum(0)) Misuse("gemm: other factors");
  for (long long i = 0; i < batch; ++i) {
    cuda_double::CheckMemory("gemm a", a + i * step_a, sizeof(T) * static_cast<size_t>(m * k));
    cuda_double::CheckMemory("gemm b", b + i * step_b, sizeof(T) * static_cast<size_t>(k * n));
    cuda_double::CheckMemory("gemm y", y + i * step_y, sizeof(T) * static_cast<size_t>(m * n));
  }
  cuda_double::Do(handle->stream, [=] {
    for (long long i = 0; i < batch; ++i)
      for (int row = 0; row < m; ++row)
        for (int column = 0; column < n; ++column) {
          Sum sum = 0;
          for (int j = 0; j < k; ++j)
            sum += Factor<Sum>(a[i * step_a + (ta ? row * lda + j : j * lda + row)], op_a) *
                   Factor<Sum>(b[i * step_b + (tb ? j * ldb + column : column * ldb + j)], op_b);
          y[i * step_y + column * ldy + row] = static_cast<T>(sum);
        }
  });
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

extern "C" {
#define EXPORT CUDA_DOUBLE_EXPORT

EXPORT cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (const cublasStatus_t status = Enter("cublasCreate"); status != CUBLAS_STATUS_SUCCESS)
    return status;
  if (cuda_double::IsCapturing()) Misuse("cublasCreate: while a stream is captured");
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  handle->has_workspace = false;
  return Enter("cublasSetStream");
}
EXPORT cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete handle;
  return Enter("cublasDestroy");
}
EXPORT cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, size_t bytes) {
  if (const cublasStatus_t status = Enter("cublasSetWorkspace"); status != CUBLAS_STATUS_SUCCESS)
    return status;
  cuda_double::CheckMemory("cublasSetWorkspace", workspace, bytes);
  if (reinterpret_cast<uintptr_t>(workspace) % 16) Misuse("cublasSetWorkspace: not aligned");
  handle->has_workspace = true;
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t mode) {
  cuda_double::math_mode() = mode;
  return Enter("cublasSetMathMode");
}
EXPORT cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t op_a,
                                                cublasOperation_t op_b, int m, int n, int k,
                                                const float* alpha, const float* a, int lda,
                                                long long step_a, const float* b, int ldb,
                                                long long step_b, const float* beta, float* y,
                                                int ldy, long long step_y, int batch) {
  return Multiply(handle, op_a, op_b, m, n, k, *alpha, a, lda, step_a, b, ldb, step_b, *beta, y,
                  ldy, step_y, batch);
}
EXPORT cublasStatus_t cublasDgemmStridedBatched(cublasHandle_t handle, cublasOperation_t op_a,
                                                cublasOperation_t op_b, int m, int n, int k,
                                                const double* alpha, const double* a, int lda,
                                                long long step_a, const double* b, int ldb,
                                                long long step_b, const double* beta, double* y,
                                                int ldy, long long step_y, int batch) {
  return Multiply(handle, op_a, op_b, m, n, k, *alpha, a, lda, step_a, b, ldb, step_b, *beta, y,
                  ldy, step_y, batch);
}
EXPORT cublasStatus_t cublasCgemmStridedBatched(cublasHandle_t handle, cublasOperation_t op_a,
                                                cublasOperation_t op_b, int m, int n, int k,
                                                const cuComplex* alpha, const cuComplex* a, int lda,
                                                long long step_a, const cuComplex* b, int ldb,
                                                long long step_b, const cuComplex* beta,
                                                cuComplex* y, int ldy, long long step_y,
                                                int batch) {
  using C = std::complex<float>;
  return Multiply(handle, op_a, op_b, m, n, k, C(alpha->x, alpha->y), reinterpret_cast<const C*>(a),
                  lda, step_a, reinterpret_cast<const C*>(b), ldb, step_b, C(beta->x, beta->y),
                  reinterpret_cast<C*>(y), ldy, step_y, batch);
}
EXPORT cublasStatus_t cublasZgemmStridedBatched(cublasHandle_t handle, cublasOperation_t op_a,
                                                cublasOperation_t op_b, int m, int n, int k,
                                                const cuDoubleComplex* alpha,
                                                const cuDoubleComplex* a, int lda, long long step_a,
                                                const cuDoubleComplex* b, int ldb, long long step_b,
                                                const cuDoubleComplex* beta, cuDoubleComplex* y,
                                                int ldy, long long step_y, int batch) {
  using C = std::complex<double>;
  return Multiply(handle, op_a, op_b, m, n, k, C(alpha->x, alpha->y), reinterpret_cast<const C*>(a),
                  lda, step_a, reinterpret_cast<const C*>(b), ldb, step_b, C(beta->x, beta->y),
                  reinterpret_cast<C*>(y), ldy, step_y, batch);
}
EXPORT cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
    const void* alpha, const void* a, cudaDataType type, int lda, long long step_a, const void* b,
    cudaDataType, int ldb, long long step_b, const void* beta, void* y, cudaDataType, int ldy,
    long long step_y, int batch, cublasComputeType_t compute, cublasGemmAlgo_t) {
  if (compute != CUBLAS_COMPUTE_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
  const auto call = [&]<class T>(T) {
    return Multiply(handle, op_a, op_b, m, n, k, *static_cast<const float*>(alpha),
                    static_cast<const T*>(a), lda, step_a, static_cast<const T*>(b), ldb, step_b,
                    *static_cast<const float*>(beta), static_cast<T*>(y), ldy, step_y, batch);
  };
  return type == CUDA_R_16F ? call(tensh::Half{}) : call(tensh::Bfloat16{});
}
}
