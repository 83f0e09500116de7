// A double of libcusolver.so.12 for tests, with the prototypes of cuSOLVER in solver_api.h. It checks handles, sizes and memory, and
// decomposes only matrices of floats with one element.
#include <algorithm>
#include <cmath>
#include <string>

#include "devices/cuda/solver_api.h"
#include "tests/cuda_double/cuda_double.h"

using namespace tensh::cuda::solver;

namespace {

using cuda_double::Misuse;
constexpr int kFailed = 6;
constexpr size_t kOnDevice = 4096, kOnHost = 100;
constexpr int kElements = 2000;  // of the scratch memory of Q: more than kOnDevice

struct Handle {
  cudaStream_t stream = nullptr;
};

StatusCode Enter(const char* call) {
  const cudaError_t error = cuda_double::Enter(call);
  return error == cudaSuccess ? kSuccess : error == cudaErrorMemoryAllocation ? kNoMemory : kFailed;
}

StatusCode Sizes(const char* call, size_t* on_device, size_t* on_host) {
  *on_device = kOnDevice;
  *on_host = kOnHost;
  return Enter(call);
}

void CheckFloats(const char* call, const void* data, int64_t n) {
  cuda_double::CheckMemory(call, data, sizeof(float) * static_cast<size_t>(n));
}

// The memory of a call, which the double writes to, and its status.
StatusCode Begin(const char* call, cudaDataType type, void* device, size_t on_device, void* host,
                 size_t on_host, int* info, void* handle) {
  if (const StatusCode code = Enter(call)) return code;
  if (type != CUDA_R_32F) Misuse(std::string(call) + ": no test has other types");
  if (on_device < kOnDevice || on_host < kOnHost) Misuse(std::string(call) + ": too little memory");
  cuda_double::CheckMemory(call, device, on_device);
  std::fill_n(static_cast<char*>(host), on_host, 'x');
  cuda_double::CheckMemory(call, info, sizeof *info);
  cuda_double::Do(static_cast<Handle*>(handle)->stream, [info] { *info = 0; });
  return kSuccess;
}

template <class Fn>
void Do(void* handle, Fn fn) {
  cuda_double::Do(static_cast<Handle*>(handle)->stream, fn);
}

}  // namespace

#define EXPORT CUDA_DOUBLE_EXPORT
extern "C" {

EXPORT StatusCode cusolverDnCreate(void** handle) {
  if (const StatusCode code = Enter("cusolverDnCreate")) return code;
  *handle = new Handle;
  return kSuccess;
}
EXPORT StatusCode cusolverDnCreateParams(void** params) {
  *params = new int;
  return Enter("cusolverDnCreateParams");
}
EXPORT StatusCode cusolverDnSetStream(void* handle, cudaStream_t stream) {
  static_cast<Handle*>(handle)->stream = stream;
  return Enter("cusolverDnSetStream");
}
EXPORT StatusCode cusolverDnXpotrf_bufferSize(void*, void*, int, int64_t, cudaDataType, const void*,
                                              int64_t, cudaDataType, size_t* d, size_t* h) {
  return Sizes("cusolverDnXpotrf_bufferSize", d, h);
}
EXPORT StatusCode cusolverDnXpotrf(void* handle, void*, int fill, int64_t n, cudaDataType type,
                                   void* a, int64_t lda, cudaDataType, void* device, size_t d,
                                   void* host, size_t h, int* info) {
  const char* const call = "cusolverDnXpotrf";
  if (const StatusCode code = Begin(call, type, device, d, host, h, info, handle)) return code;
  CheckFloats(call, a, lda * n);
  if (fill != kLower || lda != n) Misuse("cusolverDnXpotrf: another triangle");
  Do(handle, [=] { *static_cast<float*>(a) = std::sqrt(*static_cast<float*>(a)); });
  return kSuccess;
}
EXPORT StatusCode cusolverDnXgetrf_bufferSize(void*, void*, int64_t, int64_t, cudaDataType,
                                              const void*, int64_t, cudaDataType, size_t* d,
                                              size_t* h) {
  return Sizes("cusolverDnXgetrf_bufferSize", d, h);
}
EXPORT StatusCode cusolverDnXgetrf(void* handle, void*, int64_t m, int64_t n, cudaDataType type,
                                   void* a, int64_t lda, int64_t* pivots, cudaDataType,
                                   void* device, size_t d, void* host, size_t h, int* info) {
  const char* const call = "cusolverDnXgetrf";
  if (const StatusCode code = Begin(call, type, device, d, host, h, info, handle)) return code;
  CheckFloats(call, a, lda * n);
  cuda_double::CheckMemory(call, pivots, sizeof *pivots * static_cast<size_t>(std::min(m, n)));
  Do(handle, [=] { std::fill_n(pivots, n, 1); });
  return kSuccess;
}
EXPORT StatusCode cusolverDnXgetrs(void* handle, void*, int op, int64_t n, int64_t columns,
                                   cudaDataType, const void* a, int64_t lda, const int64_t* pivots,
                                   cudaDataType, void* b, int64_t ldb, int* info) {
  const char* const call = "cusolverDnXgetrs";
  if (const StatusCode code = Enter(call)) return code;
  CheckFloats(call, a, lda * n);
  CheckFloats(call, b, ldb * columns);
  cuda_double::CheckMemory(call, info, sizeof *info);
  if (op != kTransposed) Misuse("cusolverDnXgetrs: real numbers have no other adjoint");
  Do(handle, [=] {
    if (*pivots != 1) Misuse("cusolverDnXgetrs: other pivots");
    for (int64_t i = 0; i < columns; ++i)
      static_cast<float*>(b)[i * ldb] /= *static_cast<const float*>(a);
  });
  return kSuccess;
}
EXPORT StatusCode cusolverDnXgeqrf_bufferSize(void*, void*, int64_t, int64_t, cudaDataType,
                                              const void*, int64_t, cudaDataType, const void*,
                                              cudaDataType, size_t* d, size_t* h) {
  return Sizes("cusolverDnXgeqrf_bufferSize", d, h);
}
EXPORT StatusCode cusolverDnXgeqrf(void* handle, void*, int64_t m, int64_t n, cudaDataType type,
                                   void* a, int64_t lda, cudaDataType, void* tau, cudaDataType,
                                   void* device, size_t d, void* host, size_t h, int* info) {
  const char* const call = "cusolverDnXgeqrf";
  if (const StatusCode code = Begin(call, type, device, d, host, h, info, handle)) return code;
  CheckFloats(call, a, lda * n);
  CheckFloats(call, tau, std::min(m, n));
  if (static_cast<float*>(tau) + std::min(m, n) > device)
    Misuse("cusolverDnXgeqrf: memory overlaps");
  Do(handle, [=] { *static_cast<float*>(tau) = 7; });
  return kSuccess;
}
EXPORT StatusCode cusolverDnSorgqr_bufferSize(void*, int, int, int, const void*, int, const void*,
                                              int* elements) {
  *elements = kElements;
  return Enter("cusolverDnSorgqr_bufferSize");
}
EXPORT StatusCode cusolverDnSorgqr(void* handle, int m, int n, int k, void* a, int lda,
                                   const void* tau, void* work, int elements, int* info) {
  const char* const call = "cusolverDnSorgqr";
  if (const StatusCode code = Enter(call)) return code;
  CheckFloats(call, a, int64_t{lda} * n);
  CheckFloats(call, tau, k);
  CheckFloats(call, work, elements);
  cuda_double::CheckMemory(call, info, sizeof *info);
  if (elements < kElements || m < n || n < k || lda != m) Misuse("cusolverDnSorgqr: sizes");
  // Shows that the reflections were copied before.
  Do(handle, [=] { *static_cast<float*>(a) += *static_cast<const float*>(tau); });
  return kSuccess;
}
EXPORT StatusCode cusolverDnXsyevd_bufferSize(void*, void*, int, int, int64_t, cudaDataType,
                                              const void*, int64_t, cudaDataType, const void*,
                                              cudaDataType, size_t* d, size_t* h) {
  return Sizes("cusolverDnXsyevd_bufferSize", d, h);
}
EXPORT StatusCode cusolverDnXsyevd(void* handle, void*, int vectors, int fill, int64_t n,
                                   cudaDataType type, void* a, int64_t lda, cudaDataType,
                                   void* values, cudaDataType, void* device, size_t d, void* host,
                                   size_t h, int* info) {
  const char* const call = "cusolverDnXsyevd";
  if (const StatusCode code = Begin(call, type, device, d, host, h, info, handle)) return code;
  CheckFloats(call, a, lda * n);
  CheckFloats(call, values, n);
  if (fill != kLower) Misuse("cusolverDnXsyevd: another triangle");
  Do(handle, [=] {
    *static_cast<float*>(values) = *static_cast<float*>(a);
    if (vectors) *static_cast<float*>(a) = 1;
  });
  return kSuccess;
}
EXPORT StatusCode cusolverDnXgesvd_bufferSize(void*, void*, signed char, signed char, int64_t,
                                              int64_t, cudaDataType, const void*, int64_t,
                                              cudaDataType, const void*, cudaDataType, const void*,
                                              int64_t, cudaDataType, const void*, int64_t,
                                              cudaDataType, size_t* d, size_t* h) {
  return Sizes("cusolverDnXgesvd_bufferSize", d, h);
}
EXPORT StatusCode cusolverDnXgesvd(void* handle, void*, signed char u_part, signed char v_part,
                                   int64_t m, int64_t n, cudaDataType type, void* a, int64_t lda,
                                   cudaDataType, void* values, cudaDataType, void* u, int64_t ldu,
                                   cudaDataType, void* v, int64_t ldv, cudaDataType, void* device,
                                   size_t d, void* host, size_t h, int* info) {
  const char* const call = "cusolverDnXgesvd";
  if (const StatusCode code = Begin(call, type, device, d, host, h, info, handle)) return code;
  if (m < n) Misuse("cusolverDnXgesvd: more columns than rows");
  CheckFloats(call, a, lda * n);
  CheckFloats(call, values, n);
  if (u_part != 'N') CheckFloats(call, u, ldu * (u_part == 'A' ? m : n));
  if (v_part != 'N') CheckFloats(call, v, ldv * n);
  Do(handle, [=] { *static_cast<float*>(values) = std::abs(*static_cast<float*>(a)); });
  return kSuccess;
}
#define UNUSED(type)                                                                            \
  EXPORT StatusCode cusolverDn##type##_bufferSize(void*, int, int, int, const void*, int,       \
                                                  const void*, int*) {                          \
    return kFailed;                                                                             \
  }                                                                                             \
  EXPORT StatusCode cusolverDn##type(void*, int, int, int, void*, int, const void*, void*, int, \
                                     int*) {                                                    \
    return kFailed;                                                                             \
  }
UNUSED(Dorgqr)
UNUSED(Cungqr)
UNUSED(Zungqr)
}
