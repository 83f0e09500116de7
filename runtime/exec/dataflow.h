#pragma once
// The other way to run a part of a graph: each node as soon as its inputs are there, every value
// with the loop and the iteration it is of, and passed on dead where its branch was not taken: what
// TensorFlow's executor does (Arvind and Nikhil's tagged tokens; Yu et al., "Dynamic Control Flow
// in Large-Scale Machine Learning"). A part whose loops have branches or loops in them and edges
// that end in other processes is run so: what arrives first is decided elsewhere, and no order of
// instructions fixed beforehand fits. Compiled code is many times faster.
#include "runtime/core/bind_kernel.h"
#include "runtime/exec/step.h"

namespace tensh {

struct TokenNode {
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Edge {
    uint32_t to;      // index in TokenProgram::nodes
    uint32_t output;  // kNone: a control edge
    uint32_t input;
  };
  NodeId node = kNoNode;
  OpRole role = OpRole::kOrdinary;
  uint32_t n_in = 0, n_controls = 0, n_out = 0;
  uint32_t keyed = kNone;    // a Send or Recv: its number in Bindings::keyed
  uint32_t frame = 0;        // Enter: the loop it enters, in Flow::frames
  bool is_constant = false;  // Enter: of what is the same in every iteration
  std::vector<Edge> edges;
  std::vector<bool> reads;  // by input: a variable's value is wanted where its reference arrives
  Tensor constant;          // of a Const; a variable's reference
  BoundKernel kernel;
  KernelCall call{};  // its slots: first the inputs, then the outputs
  std::vector<uint32_t> slots;
  std::vector<DType> dtypes;
};

// Immutable, shared by the steps that run it.
struct TokenProgram {
  Device* device = nullptr;
  Allocator* allocator = nullptr;
  std::vector<TokenNode> nodes;  // as in Pruned::nodes
  std::vector<uint32_t> enters;  // by frame: how many Enters it has
};

// Returns true if a run must be compiled into a TokenProgram; `could`: if it can be.
bool NeedsTokens(const Stages& stages, bool could = false);
// Adds to bindings.keyed and bindings.resources. Unimplemented if the part is on several devices of
// this task.
Result<std::unique_ptr<const TokenProgram>> CompileTokens(const Stages& stages,
                                                          const CompileOptions& options,
                                                          Bindings& bindings);

// One step, in the threads of its callers, one at a time. It has no feeds and no fetches: all comes
// and goes by options.exchange, which it must have.
class TokenStep {
 public:
  // The plan has a TokenProgram. It and the options outlive the step.
  TokenStep(const Plan& plan, const StepOptions& options);
  ~TokenStep();  // gives up what has not ended
  // To its end; with options.pauses, no further than what has arrived lets it.
  Status Advance();
  bool ended() const;

 private:
  class Tokens;
  std::unique_ptr<Tokens> tokens_;
};

}  // namespace tensh
