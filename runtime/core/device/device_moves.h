#pragma once
// An optional interface of a device's allocator: moving elements, which kernels for host memory do
// by loops (ops/support/array_copy.h), and adding two tensors. It allows Concat, Slice, Transpose,
// TensorArrays and similar ops to share one kernel among all devices.
//
// The functions queue the work; failures are reported when the step ends.
#include "runtime/core/kernel.h"

namespace tensh {

class DeviceMoves {
 public:
  virtual ~DeviceMoves() = default;
  // Copies element [i0, i1, …] of a box with these extents from src[Σ i·src_stride] to dst[Σ
  // i·dst_stride].
  virtual void CopyBox(KernelCtx& c, int64_t element_size, void* dst, const void* src, int rank,
                       const int64_t* dims, const int64_t* src_stride,
                       const int64_t* dst_stride) = 0;
  // Copies run src_run[r] to run dst_run[r], for runs of n adjacent elements. The lists are in host
  // memory. A null list means 0, 1, 2, …; a negative destination skips the run.
  virtual Status CopyRuns(KernelCtx& c, int64_t element_size, void* dst, const int64_t* dst_run,
                          const void* src, const int64_t* src_run, int64_t runs, int64_t n) = 0;
  // Sets each of n elements to *value, which is in host memory.
  virtual void Fill(KernelCtx& c, int64_t element_size, void* dst, const void* value,
                    int64_t n) = 0;
  // Computes dst[i] = a[i] + b[i] for i in [0, n). Returns false if the device does not add this
  // type.
  virtual bool Add(KernelCtx& c, DType dtype, void* dst, const void* a, const void* b,
                   int64_t n) = 0;

  // Returns the interface of the memory for a kernel's outputs, or null for host memory.
  static DeviceMoves* Of(KernelCtx& c) {
    return c.allocator()->is_host() ? nullptr : dynamic_cast<DeviceMoves*>(c.allocator());
  }
};

}  // namespace tensh
