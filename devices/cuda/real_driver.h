#pragma once
// The driver that calls the CUDA runtime.
#include <memory>

#include "devices/cuda/cuda_driver.h"

namespace tensh::cuda {

// Creates the driver. cuBLAS is loaded by the first matrix product.
std::unique_ptr<Driver> NewRealDriver();

}  // namespace tensh::cuda
