#pragma once
// The second way to run a part of a graph: by tokens, as TensorFlow's executor does. A node runs as
// soon as its inputs have arrived. Every value is tagged with its loop and iteration, and a value
// on a branch not taken is passed on as a dead token. Sources: Arvind and Nikhil's tagged-token
// architecture; Yu et al., "Dynamic Control Flow in Large-Scale Machine Learning".
//
// Compiled instructions are many times faster, but need an order that is fixed beforehand. No such
// order exists if a loop contains branches or inner loops and has edges to other processes, because
// the other processes decide which value arrives first. Only these parts run by tokens.
#include "runtime/core/bind_kernel.h"
#include "runtime/exec/step.h"

namespace tensh {

struct TokenNode {
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Edge {
    uint32_t to;      // index in TokenProgram::nodes
    uint32_t output;  // kNone for a control edge
    uint32_t input;
  };
  NodeId node = kNoNode;
  OpRole role = OpRole::kOrdinary;
  uint32_t n_in = 0, n_controls = 0, n_out = 0;
  uint32_t keyed = kNone;    // Send, Recv: the index in Bindings::keyed
  uint32_t frame = 0;        // Enter: the loop it enters, in Flow::frames
  bool is_constant = false;  // Enter: the value is the same in every iteration
  std::vector<Edge> edges;
  std::vector<bool> reads;  // by input: a reference arrives, and the variable's value is needed
  Tensor constant;          // the value of a Const, or the reference to a variable
  BoundKernel kernel;
  KernelCall call{};  // on `slots`: first the inputs, then the outputs
  std::vector<uint32_t> slots;
  std::vector<DType> dtypes;
};

// A part of a graph as nodes that list their consumers. Immutable; shared by the steps that run it.
struct TokenProgram {
  Device* device = nullptr;
  Allocator* allocator = nullptr;
  std::vector<TokenNode> nodes;  // in the order of Pruned::nodes
  std::vector<uint32_t> enters;  // by frame: the number of its Enters
};

// Returns true if a run must be compiled into a TokenProgram or, with `could`, if it can be.
bool NeedsTokens(const Stages& stages, bool could = false);
// Compiles a run into a TokenProgram, and adds its edges and resources to `bindings`. Returns
// Unimplemented if the run uses several devices of this task.
Result<std::unique_ptr<const TokenProgram>> CompileTokens(const Stages& stages,
                                                          const CompileOptions& options,
                                                          Bindings& bindings);

// A step of a TokenProgram. It runs in the threads of its callers, one call at a time. It has no
// feeds and no fetches: all values arrive and leave through options.exchange, which must not be
// null.
class TokenStep {
 public:
  // The plan must have a TokenProgram. The plan and the options must outlive the step.
  TokenStep(const Plan& plan, const StepOptions& options);
  ~TokenStep();  // abandons a step that has not ended
  // Runs the step to its end. With options.pauses, returns when the step has to wait for an
  // arrival.
  Status Advance();
  bool ended() const;

 private:
  class Tokens;
  std::unique_ptr<Tokens> tokens_;
};

}  // namespace tensh
