#pragma once
// What a device's allocator may be besides: the moves of elements that kernels of host memory make
// by loops (ops/support/array_copy.h), and sums of two tensors. With them Concat, Slice, Transpose,
// TensorArrays and their like have one kernel for all devices. What fails turns up when the step
// ends.
#include "runtime/core/kernel.h"

namespace tensh {

class DeviceMoves {
 public:
  virtual ~DeviceMoves() = default;
  // Element [i0, i1, …] of a box of these extents, from src[Σ i·src_stride] to dst[Σ i·dst_stride].
  virtual void CopyBox(KernelCtx& c, int64_t element_size, void* dst, const void* src, int rank,
                       const int64_t* dims, const int64_t* src_stride,
                       const int64_t* dst_stride) = 0;
  // Run number dst_run[r] becomes run number src_run[r], a run being n adjacent elements. The lists
  // are in host memory; null counts 0, 1, 2 …; a negative destination skips the run.
  virtual Status CopyRuns(KernelCtx& c, int64_t element_size, void* dst, const int64_t* dst_run,
                          const void* src, const int64_t* src_run, int64_t runs, int64_t n) = 0;
  // Every one of n elements becomes *value, which is in host memory.
  virtual void Fill(KernelCtx& c, int64_t element_size, void* dst, const void* value,
                    int64_t n) = 0;
  // dst[i] = a[i] + b[i] for i in [0, n); false for types that the device does not add.
  virtual bool Add(KernelCtx& c, DType dtype, void* dst, const void* a, const void* b,
                   int64_t n) = 0;

  // Of the memory a kernel's outputs lie in; null: the host's.
  static DeviceMoves* Of(KernelCtx& c) {
    return c.allocator()->is_host() ? nullptr : dynamic_cast<DeviceMoves*>(c.allocator());
  }
};

}  // namespace tensh
