#pragma once
// Kernels that can be joined with those of other nodes. A kernel says so in the state that its
// Prepare makes.
//
// A kernel may make its output in parts: the executor calls it with a PartsRunner in place of the
// step's threads, and the kernels of other nodes continue with each part while it is in the cache. A
// kernel may also be split into a small part, which is computed once, and a pass over the rows of an
// input, which can be joined with other passes. A kernel may also stand for a whole pattern of nodes
// that ends with its own.
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

struct OpDef;

// The nodes before a node, for a function that joins kernels. Values are numbered. The node of a
// value may be joined only if nothing but the joined nodes sees the value; if something does, the
// value has no node here.
class NodesBefore {
 public:
  virtual ~NodesBefore() = default;
  // Returns the op that computes the value, or null if the value has no node here.
  virtual const OpDef* OpOf(uint32_t value) const = 0;
  virtual Attrs AttrsOf(uint32_t value) const = 0;  // of its node
  // Returns input i of the node of a value. An Identity is passed.
  virtual uint32_t InputOf(uint32_t value, int i) const = 0;
  // Returns the elements of a constant that is not fed, or null.
  virtual const Tensor* ConstantOf(uint32_t value) const = 0;
  virtual DType TypeOf(uint32_t value) const = 0;
  virtual const Shape& ShapeOf(uint32_t value) const = 0;  // as inferred
  // Returns the state that Prepare makes for the node of a value, or null.
  virtual std::shared_ptr<const KernelState> StateOf(uint32_t value) const = 0;
};

// A kernel that computes output 0 of a node from values before it, bit for bit as the nodes between
// do.
struct JoinedKernel {
  KernelFn fn = nullptr;
  std::shared_ptr<const KernelState> state;
  std::vector<uint32_t> inputs;  // values
  std::vector<uint32_t> inner;   // values that need not be computed unless others use them
};
// Returns false if output 0 of a node, which is `value`, cannot be computed in this way.
using JoinFn = bool (*)(const NodesBefore& nodes, uint32_t value, JoinedKernel& made);

// A matrix of integers that is made in blocks of rows, for a kernel that continues with them. Constant;
// any thread may call the functions.
class IntegerRows {
 public:
  // Takes rows [first, first + count). May be called by any thread.
  using Taker = void (*)(void* context, int64_t first, int64_t count, const int32_t* rows);
  virtual ~IntegerRows() = default;
  virtual int64_t columns() const = 0;
  // Returns the shape of the tensor with these rows, or the error of the nodes that it stands for.
  virtual Result<Shape> ShapeFor(const Tensor& in) const = 0;
  virtual void Run(KernelCtx& c, const Tensor& in, Taker take, void* context) const = 0;
};
// Returns the integers that a node makes as floats, of which every sum is exact, or null. Adds the
// input and the inner values of the pattern. If `high` is not UINT32_MAX, it is the value of a second
// node; its values times 16 are added.
using IntegerRowsFn = std::shared_ptr<const IntegerRows> (*)(const NodesBefore& nodes,
                                                             uint32_t value, uint32_t high,
                                                             JoinedKernel& made);

struct JoinedState : KernelState {
  bool in_parts = false;               // the kernel looks for a PartsRunner
  const SplitKernel* split = nullptr;  // null if the kernel cannot be split
  JoinFn join = nullptr;               // null if the node is not joined with those before it
  IntegerRowsFn integers = nullptr;    // null if the node does not multiply integers
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
