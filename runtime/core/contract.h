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
  std::string_view name;     // of the argument
  std::string_view text;     // "matrix of 4": the rule as its row writes it
  int argument = 0;          // its number
  int first = 0, count = 1;  // the inputs it is, in a node
  int min_rank = 0, max_rank = Shape::kMaxRank;
  int64_t last_dim = kAny;  // extent of the last dimension
  bool not_empty = false;
  // Every element, of an integer type. Such inputs are in host memory.
  int64_t min = std::numeric_limits<int64_t>::min(), max = std::numeric_limits<int64_t>::max();
  bool at_build = true, at_run = true;

  bool LimitsValues() const {
    return min != std::numeric_limits<int64_t>::min() || max != std::numeric_limits<int64_t>::max();
  }
};
using Contract = std::vector<InputRule>;

// The rules of an op's row; aborts on malformed text, naming the op. op.inputs must be there.
Contract ParseContract(std::string_view text, const OpDef& op);
// The rules with the inputs of a node with these attributes; false: as they are in the op.
bool PlaceContract(const OpDef& op, Attrs attrs, Contract* placed);

// InvalidArgument with what was got and wanted, in TensorFlow's words where it has them.
Status CheckAtBuild(const Contract& contract, ShapeCtx& c);
// slots[in[i]] is input i. References and inputs that are not there are left out.
Status CheckAtRun(const Contract& contract, const Tensor* slots, const uint32_t* in);

}  // namespace tensh
