#pragma once
// What libtensh_cuda.so gives: kernels, and the factory of GPU devices. It is of one build with the
// binary that loads it, which the text says: the two share C++ types.
#include "runtime/core/device.h"
#include "runtime/core/op_registry.h"

#define TENSH_CUDA_SYMBOL "tensh_cuda_plugin"
#define TENSH_CUDA_ABI "1, " __VERSION__

struct tensh_cuda_table {
  const char* abi;
  std::vector<tensh::PluginKernel> (*kernels)();
  std::unique_ptr<tensh::DeviceFactory> (*factory)();
};
