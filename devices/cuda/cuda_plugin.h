#pragma once
// The interface of libtensh_cuda.so: kernels, and the factory of GPU devices. The library and the
// binary that loads it share C++ types, so they must come from the same build, which the ABI text
// verifies.
#include "runtime/core/device/device.h"
#include "runtime/core/op_registry.h"

#define TENSH_CUDA_SYMBOL "tensh_cuda_plugin"
#define TENSH_CUDA_ABI "1, " __VERSION__

struct tensh_cuda_table {
  const char* abi;
  std::vector<tensh::PluginKernel> (*kernels)();
  std::unique_ptr<tensh::DeviceFactory> (*factory)();
};
