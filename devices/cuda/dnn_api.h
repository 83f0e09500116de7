#pragma once
// The functions of cuDNN 9 that tensh calls, and the numbers that it passes. Declared here, so that a
// build needs no cuDNN; tests/cuda_double compares them with cuDNN's header where it is installed.
// Descriptors are pointers to cuDNN's own types.
#include <cuda_runtime_api.h>

#include <cstddef>

namespace tensh::cuda::dnn {

using StatusCode = int;  // cudnnStatus_t

constexpr int kSuccess = 0;
constexpr int kFloat = 0, kDouble = 1, kHalf = 2, kBfloat16 = 9;       // cudnnDataType_t
constexpr int kChannelsFirst = 0, kChannelsLast = 1;                   // cudnnTensorFormat_t
constexpr int kCrossCorrelation = 1;                                   // cudnnConvolutionMode_t
constexpr int kDefaultMath = 0, kTensorCores = 1, kNoTensorCores = 3;  // cudnnMathType_t
constexpr int kDeterministic = 1;                                      // cudnnDeterminism_t

// An algorithm that the heuristics propose: cudnnConvolution…AlgoPerf_t.
struct Performance {
  int algorithm;
  StatusCode status;
  float time;
  size_t memory;
  int determinism, math;
  int reserved[3];
};

using Create = StatusCode(void** handle);
using SetStream = StatusCode(void* handle, cudaStream_t stream);
using CreateDescriptor = StatusCode(void** descriptor);
using DestroyDescriptor = StatusCode(void* descriptor);
using SetTensor = StatusCode(void* tensor, int format, int type, int n, int c, int h, int w);
using SetFilter = StatusCode(void* filter, int type, int format, int k, int c, int h, int w);
using SetConvolution = StatusCode(void* convolution, int pad_h, int pad_w, int stride_h,
                                  int stride_w, int dilation_h, int dilation_w, int mode, int type);
using SetInt = StatusCode(void* convolution, int value);
// (x, filter, y), (filter, dy, dx) or (x, dy, dfilter).
using Choose = StatusCode(void* handle, void* first, void* second, void* convolution, void* result,
                          int wanted, int* found, Performance* list);
using Run = StatusCode(void* handle, const void* alpha, void* first_descriptor, const void* first,
                       void* second_descriptor, const void* second, void* convolution,
                       int algorithm, void* scratch, size_t scratch_bytes, const void* beta,
                       void* result_descriptor, void* result);

}  // namespace tensh::cuda::dnn
