#pragma once
// Kernels that can be joined with those of other nodes. A kernel says so in the state that its
// Prepare makes.
//
// A kernel may make its output in parts: the executor calls it with a PartsRunner in place of the
// step's threads, and the kernels of other nodes continue with each part while it is in the cache. A
// kernel may also be split into a small part, which is computed once, and a pass over the rows of an
// input, which can be joined with other passes.
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

struct JoinedState : KernelState {
  bool in_parts = false;               // the kernel looks for a PartsRunner
  const SplitKernel* split = nullptr;  // null if the kernel cannot be split
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
