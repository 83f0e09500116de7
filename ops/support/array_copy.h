#pragma once
// Copies elements between dense tensors without interpreting them. The primitive is the copy of an
// n-dimensional box with a stride per dimension on each side. Slice, StridedSlice, Concat, Split,
// Pack, Tile, Pad, Transpose, BroadcastTo and their gradients are built from it. Elements are
// copied as bytes of their size; strings by assignment. Stateless.
#include "runtime/core/kernel.h"

namespace tensh::ops {

// A box with the strides of its source and destination, in elements. The outermost dimension comes
// first. Its elements are elements of a tensor, so that there are at most kMaxDims extents above 1.
struct BoxCopy {
  static constexpr int kMaxDims = Shape::kMaxLoopRank;
  int rank = 0;
  bool empty = false;
  int64_t dims[kMaxDims], src[kMaxDims], dst[kMaxDims];

  BoxCopy() = default;
  BoxCopy(const BoxCopy& other) { *this = other; }
  // Copies the dimensions in use only.
  BoxCopy& operator=(const BoxCopy& other);
  // Adds a dimension within those added before. One of extent 1 is left out. One that continues its
  // neighbor on both sides is merged with it.
  void Add(int64_t extent, int64_t src_stride, int64_t dst_stride);
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

// Copies a box between buffers that do not overlap. Large boxes use the step's threads, or the
// GPU's own kernel if the output is on a GPU.
void CopyBox(KernelCtx& c, DType dtype, void* dst, const void* src, const BoxCopy& box);
// Copies `runs` runs of `run` elements each: run src_run[r] of the source goes to run dst_run[r] of
// the destination. A null list stands for 0, 1, 2, …; a negative destination skips the run.
void CopyRuns(DType dtype, void* dst, const int64_t* dst_run, const void* src,
              const int64_t* src_run, int64_t runs, int64_t run);
// Does the same on the output's device, whichever it is. On a GPU the lists are transferred with
// each call.
Status CopyRuns(KernelCtx& c, DType dtype, void* dst, const int64_t* dst_run, const void* src,
                const int64_t* src_run, int64_t runs, int64_t run);
// Copies n adjacent elements on the output's device, whichever it is.
void CopyElements(KernelCtx& c, DType dtype, void* dst, const void* src, int64_t n);
// Copies n adjacent elements in host memory.
void CopyElements(DType dtype, void* dst, const void* src, int64_t n);
// Set n adjacent elements of an output, on whichever device it is, to *value or to zero.
void FillElements(KernelCtx& c, DType dtype, void* dst, const void* value, int64_t n);
void ZeroElements(KernelCtx& c, DType dtype, void* dst, int64_t n);
// Sets n adjacent elements in host memory to *value.
void FillElements(DType dtype, void* dst, const void* value, int64_t n);
// Sets n adjacent elements in host memory to zero, false or the empty string.
void ZeroElements(DType dtype, void* dst, int64_t n);
// Returns the address of element i.
inline void* At(const Tensor& t, int64_t i) {
  return static_cast<char*>(t.raw()) + i * SizeOf(t.dtype());
}

}  // namespace tensh::ops
