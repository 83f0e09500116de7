#pragma once
// A double of those parts of CUDA's runtime and cuBLAS that devices/cuda/real_driver.cc calls. Work
// runs on the host at once, arguments are checked against CUDA's documentation, and any call can be
// made to fail.
#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <vector>

namespace cuda_double {

// Simulates a machine with this number of GPUs, and forgets all handles and memory.
void Reset(int gpus);
// Makes the n-th call from now on fail with this error; 0 means none. A lasting error is also
// returned by all later calls.
void FailTheNth(size_t n, cudaError_t error, bool lasting);
bool failed();
size_t calls();
// Descriptions of calls that CUDA does not allow.
const std::vector<std::string>& misuses();
size_t allocated();

// For the double of cuBLAS, a separate library that the driver loads.
#define CUDA_DOUBLE_EXPORT __attribute__((visibility("default")))
CUDA_DOUBLE_EXPORT cudaError_t Enter(const char* call);
CUDA_DOUBLE_EXPORT void Do(cudaStream_t stream, std::function<void()> work);
CUDA_DOUBLE_EXPORT bool IsCapturing();
CUDA_DOUBLE_EXPORT void CheckMemory(const char* call, const void* data, size_t bytes);
CUDA_DOUBLE_EXPORT void Misuse(std::string what);

}  // namespace cuda_double
