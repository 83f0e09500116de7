#pragma once
// A double of CUDA's runtime and cuBLAS, as far as devices/cuda/real_driver.cc calls them: work is
// done on the host when it is asked for, arguments are checked as CUDA's documentation has them,
// and any call can be made to fail.
#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <vector>

namespace cuda_double {

// A machine with so many GPUs; handles and memory of earlier ones are forgotten.
void Reset(int gpus);
// The n-th call from here on fails so; a lasting error is every later call's too. 0: none does.
void FailTheNth(size_t n, cudaError_t error, bool lasting);
bool failed();
size_t calls();
// What was asked that CUDA does not allow, in words.
const std::vector<std::string>& misuses();
size_t allocated();

// For the double of cuBLAS, a library of its own, which the driver loads.
#define CUDA_DOUBLE_EXPORT __attribute__((visibility("default")))
CUDA_DOUBLE_EXPORT cudaError_t Enter(const char* call);
CUDA_DOUBLE_EXPORT void Do(cudaStream_t stream, std::function<void()> work);
CUDA_DOUBLE_EXPORT bool IsCapturing();
CUDA_DOUBLE_EXPORT void CheckMemory(const char* call, const void* data, size_t bytes);
CUDA_DOUBLE_EXPORT void Misuse(std::string what);

}  // namespace cuda_double
