#pragma once
// The kernels behind DeviceMoves; see runtime/core/device/device_moves.h for the contracts.
#include "runtime/core/kernel.h"

namespace tensh::cuda {

// -
void MoveBox(KernelCtx& c, int64_t element_size, void* dst, const void* src, int rank,
             const int64_t* dims, const int64_t* src_stride, const int64_t* dst_stride);
Status MoveRuns(KernelCtx& c, int64_t element_size, void* dst, const int64_t* dst_run,
                const void* src, const int64_t* src_run, int64_t runs, int64_t n);
void FillOnDevice(KernelCtx& c, int64_t element_size, void* dst, const void* value, int64_t n);
bool AddOnDevice(KernelCtx& c, DType dtype, void* dst, const void* a, const void* b, int64_t n);

// Writes at most kPutBytes bytes of host memory to device memory, by a kernel that has them as its
// parameter: `host` may change afterwards, and nothing waits.
constexpr size_t kPutBytes = 4000;
Status PutBytes(KernelCtx& c, void* to, const void* host, size_t bytes);

}  // namespace tensh::cuda
