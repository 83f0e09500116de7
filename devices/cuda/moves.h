#pragma once
#include "runtime/core/kernel.h"

namespace tensh::cuda {

// DeviceMoves by kernels.
void MoveBox(KernelCtx& c, int64_t element_size, void* dst, const void* src, int rank,
             const int64_t* dims, const int64_t* src_stride, const int64_t* dst_stride);
void FillOnDevice(KernelCtx& c, int64_t element_size, void* dst, const void* value, int64_t n);

}  // namespace tensh::cuda
