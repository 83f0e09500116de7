#pragma once
// Kernels that can be joined with those of other nodes. A kernel says so in the state that its
// Prepare makes.
//
// A kernel may make its output in parts: the executor calls it with a PartsRunner in place of the
// step's threads, and the kernels of other nodes continue with each part while it is in the cache. A
// kernel may also be split into a small part, which is computed once, and a pass over the rows of an
// input, which can be joined with other passes. The update of a variable may be joined with the
// product that it adds.
#include "runtime/core/kernel.h"

namespace tensh {

// A kernel in two parts, for a node of which only output 0 is used. `vectors` makes a matrix of
// inputs 1 and up, which it sees as its inputs 0 and up. `rows` sees all inputs of the node and then
// the matrix, whose rows are as long as those of input 0. It makes each row of output 0 from the
// same row of input 0. Both have the state of the node.
struct SplitKernel {
  KernelFn vectors;
  KernelFn rows;
};

// Adds factor times output 0, which must have this shape, to the elements of `to`, instead of making
// the output. The context is that of a call of the kernel. Returns false, and does nothing, if it
// cannot do so or if its inputs are not valid.
using AddOutputFn = bool (*)(KernelCtx& c, float factor, const Shape& shape, float* to);

// The output of another kernel, which was not called.
struct Addend {
  KernelCtx& c;
  AddOutputFn fn;
  bool AddTo(float* to, const Shape& shape, float factor) const { return fn(c, factor, shape, to); }
};
// Updates the variable of a call by a multiple of an input. The input has no value: the addend takes
// its place. Returns false, and does nothing, if it cannot do so or if the inputs are not valid.
using UpdateFn = bool (*)(KernelCtx& c, const Addend& delta);

struct JoinedState : KernelState {
  bool in_parts = false;               // the kernel looks for a PartsRunner
  const SplitKernel* split = nullptr;  // null if the kernel cannot be split
  AddOutputFn add_output = nullptr;    // null if the kernel can only make its output
  UpdateFn update = nullptr;           // null if the kernel is no such update
  uint32_t delta = 0;                  // of an update: the input
};

// The threads of a step, for a kernel whose output 0 is taken in parts.
class PartsRunner : public ParallelRunner {
 public:
  // Called once, after the output was made. Returns false if no parts of it are taken.
  virtual bool Begin(const Tensor& output) = 0;
  // Elements [begin, end) of the output are complete: whole rows of the last dimension. They may be
  // overwritten. Must be called for all elements, for each of them once; by any thread.
  virtual void Finished(int64_t begin, int64_t end) = 0;
};

// Returns the receiver of the parts of this output, which is output 0, or null if nobody takes them.
inline PartsRunner* TakerOf(const KernelCtx& c, const Tensor& output) {
  auto* parts = dynamic_cast<PartsRunner*>(c.runner());
  return parts && parts->Begin(output) ? parts : nullptr;
}

}  // namespace tensh
