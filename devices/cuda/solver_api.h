#pragma once
// The functions of cuSOLVER that tensh calls, and the numbers that it passes. Declared here, so that a build needs no cuSOLVER;
// tests/cuda_double compares them with its header where it is installed. Handles are pointers to cuSOLVER's own types. Most
// functions take the type of each argument (cudaDataType).
#include <cuda_runtime_api.h>
#include <library_types.h>  // cudaDataType

#include <cstddef>
#include <cstdint>

namespace tensh::cuda::solver {

using StatusCode = int;  // cusolverStatus_t

constexpr int kSuccess = 0, kNoMemory = 2;
constexpr int kLower = 0;                                 // cublasFillMode_t
constexpr int kPlain = 0, kTransposed = 1, kAdjoint = 2;  // cublasOperation_t
constexpr int kNoVectors = 0, kVectors = 1;               // cusolverEigMode_t

using Create = StatusCode(void** handle);
using SetStream = StatusCode(void* handle, cudaStream_t stream);

using CholeskyScratch = StatusCode(void* handle, void* params, int fill, int64_t n, cudaDataType,
                                   const void* a, int64_t lda, cudaDataType compute,
                                   size_t* on_device, size_t* on_host);
using Cholesky = StatusCode(void* handle, void* params, int fill, int64_t n, cudaDataType, void* a,
                            int64_t lda, cudaDataType compute, void* device, size_t on_device,
                            void* host, size_t on_host, int* info);
using LuScratch = StatusCode(void* handle, void* params, int64_t m, int64_t n, cudaDataType,
                             const void* a, int64_t lda, cudaDataType compute, size_t* on_device,
                             size_t* on_host);
using Lu = StatusCode(void* handle, void* params, int64_t m, int64_t n, cudaDataType, void* a,
                      int64_t lda, int64_t* pivots, cudaDataType compute, void* device,
                      size_t on_device, void* host, size_t on_host, int* info);
using Solve = StatusCode(void* handle, void* params, int op, int64_t n, int64_t columns,
                         cudaDataType, const void* a, int64_t lda, const int64_t* pivots,
                         cudaDataType, void* b, int64_t ldb, int* info);
using QrScratch = StatusCode(void* handle, void* params, int64_t m, int64_t n, cudaDataType,
                             const void* a, int64_t lda, cudaDataType, const void* tau,
                             cudaDataType compute, size_t* on_device, size_t* on_host);
using Qr = StatusCode(void* handle, void* params, int64_t m, int64_t n, cudaDataType, void* a,
                      int64_t lda, cudaDataType, void* tau, cudaDataType compute, void* device,
                      size_t on_device, void* host, size_t on_host, int* info);
// Q of a QR decomposition, from its reflections. The type is a part of the name. Sizes are in elements.
using QScratch = StatusCode(void* handle, int m, int n, int k, const void* a, int lda,
                            const void* tau, int* elements);
using Q = StatusCode(void* handle, int m, int n, int k, void* a, int lda, const void* tau,
                     void* work, int elements, int* info);
using EigenScratch = StatusCode(void* handle, void* params, int vectors, int fill, int64_t n,
                                cudaDataType, const void* a, int64_t lda, cudaDataType,
                                const void* values, cudaDataType compute, size_t* on_device,
                                size_t* on_host);
using Eigen = StatusCode(void* handle, void* params, int vectors, int fill, int64_t n, cudaDataType,
                         void* a, int64_t lda, cudaDataType, void* values, cudaDataType compute,
                         void* device, size_t on_device, void* host, size_t on_host, int* info);
using SvdScratch = StatusCode(void* handle, void* params, signed char u_part, signed char v_part,
                              int64_t m, int64_t n, cudaDataType, const void* a, int64_t lda,
                              cudaDataType, const void* values, cudaDataType, const void* u,
                              int64_t ldu, cudaDataType, const void* v, int64_t ldv,
                              cudaDataType compute, size_t* on_device, size_t* on_host);
using Svd = StatusCode(void* handle, void* params, signed char u_part, signed char v_part,
                       int64_t m, int64_t n, cudaDataType, void* a, int64_t lda, cudaDataType,
                       void* values, cudaDataType, void* u, int64_t ldu, cudaDataType, void* v,
                       int64_t ldv, cudaDataType compute, void* device, size_t on_device,
                       void* host, size_t on_host, int* info);

}  // namespace tensh::cuda::solver
