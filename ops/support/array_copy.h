#pragma once
// Moving elements between dense tensors without looking at them. One primitive, a copy of an
// n-dimensional box with a stride on each side, is what Slice, StridedSlice, Concat, Split, Pack,
// Tile, Pad, Transpose, BroadcastTo and their gradients are made of. Every element type moves by
// its size; strings by assignment. Stateless.
#include "runtime/core/kernel.h"

namespace tensh::ops {

// A box and, in elements, the strides of its source and destination: outermost dimension first.
struct BoxCopy {
  static constexpr int kMaxDims = 2 * Shape::kMaxRank;
  int rank = 0;
  int64_t dims[kMaxDims], src[kMaxDims], dst[kMaxDims];

  void Add(int64_t extent, int64_t src_stride, int64_t dst_stride) {
    dims[rank] = extent;
    src[rank] = src_stride;
    dst[rank] = dst_stride;
    ++rank;
  }
};

// Row-major strides of a dense tensor, in elements.
struct Strides {
  explicit Strides(const Shape& shape) {
    int64_t step = 1;
    for (int i = shape.rank() - 1; i >= 0; --i) {
      of[i] = step;
      step *= shape[i];
    }
  }
  int64_t operator[](int i) const { return of[i]; }
  int64_t of[Shape::kMaxRank];
};

// Copies a box between buffers that do not overlap; large ones on the step's threads, those of a
// device there.
void CopyBox(KernelCtx& c, DType dtype, void* dst, const void* src, BoxCopy box);
// Copies `runs` runs of `run` elements: run number dst_run[r] becomes run number src_run[r]. A null
// list counts 0, 1, 2 …; a negative destination skips the run.
void CopyRuns(DType dtype, void* dst, const int64_t* dst_run, const void* src,
              const int64_t* src_run, int64_t runs, int64_t run);
// The same where the lists are made anew at each call, on an output's device wherever that is.
Status CopyRuns(KernelCtx& c, DType dtype, void* dst, const int64_t* dst_run, const void* src,
                const int64_t* src_run, int64_t runs, int64_t run);
// Copies n adjacent elements of an output's device, wherever it is.
void CopyElements(KernelCtx& c, DType dtype, void* dst, const void* src, int64_t n);
// Copies n adjacent elements.
void CopyElements(DType dtype, void* dst, const void* src, int64_t n);
// Sets n adjacent elements of an output, wherever it lies, to *value, or to zero.
void FillElements(KernelCtx& c, DType dtype, void* dst, const void* value, int64_t n);
void ZeroElements(KernelCtx& c, DType dtype, void* dst, int64_t n);
// Sets n adjacent elements to *value.
void FillElements(DType dtype, void* dst, const void* value, int64_t n);
// Sets n adjacent elements to zero, false or the empty string.
void ZeroElements(DType dtype, void* dst, int64_t n);
// The address of element i.
inline void* At(const Tensor& t, int64_t i) {
  return static_cast<char*>(t.raw()) + i * SizeOf(t.dtype());
}

}  // namespace tensh::ops
