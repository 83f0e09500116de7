#pragma once
#include <memory>

#include "devices/cuda/cuda_driver.h"

namespace tensh::cuda {

// CUDA's runtime; cuBLAS is loaded by the first matrix product.
std::unique_ptr<Driver> NewRealDriver();

}  // namespace tensh::cuda
