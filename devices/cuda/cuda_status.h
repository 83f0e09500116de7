#pragma once
// Errors of CUDA's runtime as Status. Only real_driver.cc and the files of CUDA's libraries include
// this header.
#include <cuda_runtime_api.h>

#include "runtime/core/status.h"

namespace tensh::cuda {

// Clears the error of a call. Otherwise cudaGetLastError would attribute it to the next launch.
inline void Forget(cudaError_t error) {
  if (error != cudaSuccess) (void)cudaGetLastError();
}

// Converts and clears an error of `what`, such as "a copy". ResourceExhausted if there is no memory.
Status ToStatus(cudaError_t error, const char* what);

}  // namespace tensh::cuda
