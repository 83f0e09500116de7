#pragma once
// A double of those parts of CUDA's runtime and cuBLAS that devices/cuda/real_driver.cc calls. Work
// runs on the host at once, arguments are checked against CUDA's documentation, and any call can be
// made to fail.
#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <vector>

#define CUDA_DOUBLE_EXPORT __attribute__((visibility("default")))

namespace cuda_double {

// The properties of the simulated machine, which a test changes after Reset.
struct Facts {
  int major = 9, minor = 0;  // compute capability
  bool has_image = true;     // the kernels can be loaded
  bool has_pools = true;
  bool has_peers = true;  // GPUs can access each other's memory
  // Bytes of a GPU. A freed block of a pool is in use until its stream was waited for. Afterwards it
  // serves blocks of its size, until the pool is trimmed.
  size_t memory = size_t{1} << 30;
  size_t graph_bytes = 0,
         blas_bytes = 0;  // that must be free to instantiate a graph, or to multiply
};
CUDA_DOUBLE_EXPORT Facts& facts();

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
// Returns how often a function was called, the number of GPUs that were started, the GPUs whose memory
// others may access, and the last precision that cuBLAS was set to.
CUDA_DOUBLE_EXPORT size_t count(const std::string& call);
size_t started();
size_t accessible();
CUDA_DOUBLE_EXPORT int& math_mode();
CUDA_DOUBLE_EXPORT size_t free_bytes();
CUDA_DOUBLE_EXPORT bool IsCapturingOn(cudaStream_t stream);

// For the double of cuBLAS, a separate library that the driver loads.
CUDA_DOUBLE_EXPORT cudaError_t Enter(const char* call);
CUDA_DOUBLE_EXPORT void Do(cudaStream_t stream, std::function<void()> work);
CUDA_DOUBLE_EXPORT bool IsCapturing();
CUDA_DOUBLE_EXPORT void CheckMemory(const char* call, const void* data, size_t bytes);
CUDA_DOUBLE_EXPORT void Misuse(std::string what);

}  // namespace cuda_double
