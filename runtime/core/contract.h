#pragma once
// The contract of an op: its conditions on the shapes and values of the inputs, as text, for example
//   "a: matrix, b: matrix" · "axis: scalar" · "x: rank 1+" · "image: rank 3..4"
//   "boxes: matrix of 4" · "dims: vector >= 0" · "x: rank 4 not empty" · "size: vector of 2 in 1..9"
// A rule is checked when a node is added, as far as shapes and constants are known by then, and
// again before each call of the kernel. A rule that ends in "at build" is checked only when a node
// is added, because TensorFlow's kernel accepts more than its shape function; one that ends in "at
// run" only before the kernel. tests/fuzz/contracts.py generates its cases from the same rules.
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/attr.h"
#include "runtime/core/tensor.h"

namespace tensh {

struct OpDef;
class ShapeCtx;

struct InputRule {
  static constexpr int64_t kAny = -1;
  std::string_view name;     // the name of the argument
  std::string_view text;     // the rule as written in the contract: "matrix of 4"
  int argument = 0;          // the index of the argument
  int first = 0, count = 1;  // the inputs of a node that belong to the argument
  int min_rank = 0, max_rank = Shape::kMaxRank;
  int64_t last_dim = kAny;  // the extent of the last dimension
  bool not_empty = false;
  // The range of every element of an integer input. Inputs with a range are in host memory.
  int64_t min = std::numeric_limits<int64_t>::min(), max = std::numeric_limits<int64_t>::max();
  bool at_build = true, at_run = true;

  bool LimitsValues() const {
    return min != std::numeric_limits<int64_t>::min() || max != std::numeric_limits<int64_t>::max();
  }
};
using Contract = std::vector<InputRule>;

// Parses the contract of an op, whose `inputs` must be set. Aborts with the name of the op if the
// text is malformed.
Contract ParseContract(std::string_view text, const OpDef& op);
// Finds the inputs to which the rules apply in a node with these attributes. Returns false if
// `placed` is not needed, because the op has no argument that stands for a list of inputs.
bool PlaceContract(const OpDef& op, Attrs attrs, Contract* placed);

// Returns InvalidArgument with the actual and the expected shape or value, in TensorFlow's words
// where it has a message.
Status CheckAtBuild(const Contract& contract, ShapeCtx& c);
// Checks the inputs of a kernel. Input i is slots[in[i]]. References and empty inputs are not
// checked.
Status CheckAtRun(const Contract& contract, const Tensor* slots, const uint32_t* in);

}  // namespace tensh
