#pragma once
// The driver that calls the CUDA runtime.
#include <memory>
#include <string>
#include <vector>

#include "devices/cuda/cuda_driver.h"

namespace tensh::cuda {

struct RealDriverOptions {
  // The GPUs for which the kernels were compiled: machine code (sm_90) and PTX that the driver compiles
  // for newer GPUs (compute_90), separated by spaces. "" means every GPU.
  std::string images = {};
  // A kernel, by which the first use of a GPU checks that its code can be loaded. May be null.
  const void* kernel = nullptr;
  std::vector<std::string> folders = {};  // where cuBLAS is searched (cuda_libraries.h)
  bool tf32 = false;                      // products of floats are rounded to TF32
};

std::unique_ptr<Driver> NewRealDriver(RealDriverOptions options);

// Returns why kernels with these images do not run on a GPU of this compute capability; "" if they do.
std::string WhyNoImage(const std::string& images, int major, int minor);

}  // namespace tensh::cuda
