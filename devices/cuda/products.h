#pragma once
// Products of matrices: by cuBLAS or, where it is not installed, by a kernel of our own.
#include "devices/cuda/cuda_driver.h"
#include "runtime/core/kernel.h"

namespace tensh::cuda {

// Computes the product on the compute stream of the kernel. If cuBLAS has no memory left for itself,
// the blocks that are kept for reuse are freed and the product is tried again.
Status Multiply(KernelCtx& c, const GemmCall& call);

// Returns the address of a kernel, which can be used on a GPU if all kernels can; null on the fake GPU.
const void* AnyKernel();

}  // namespace tensh::cuda
