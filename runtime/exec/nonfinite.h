#pragma once
// Finds the nodes of a recorded step that make NaN or Inf: the first time that a node has such a
// value in its output, with the values of its inputs. A node whose inputs are finite has made the
// value; the others pass on what they received.
//
// Values are looked at in place, and only a few numbers are kept of each. While a kernel runs, its
// inputs are held, so that it does not write its output into their memory.
//
// One watch for each partition, used by the thread that runs it.
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/exec/plan.h"

namespace tensh {

// The elements of a tensor that are not finite. A complex number counts as one element.
struct NonFiniteCount {
  int64_t nan = 0, inf = 0;
};
// Returns zeros for a tensor of another type than a floating-point one. A tensor in the memory of a
// device is copied to the host.
NonFiniteCount CountNonFinite(const Tensor& tensor);

// A value that a kernel reads.
struct KernelInput {
  Tensor held;                   // empty for a variable
  Variable* variable = nullptr;  // whose value the kernel may read or write
  NonFiniteCount before = {};    // of the variable's value
};

// Looks for a NaN if `is_nan`, otherwise for an Inf, in a value that the op made from these inputs.
// Returns the members of a JSON object (docs/json.md, `at` of why), or "" if the value contains no
// such number. `slot` is the number of the output, or -1 - i if the value is in the variable of
// input i.
std::string LookForNonFinite(const Tensor& made, bool is_nan, std::string_view op, int64_t slot,
                             std::span<const KernelInput> inputs);

class NonFiniteWatch {
 public:
  // Must be called before the kernel of the instruction runs.
  void Before(const Graph& graph, const Instr& instr, const std::vector<Tensor>& slots);
  // Looks at the outputs of the kernel that has just run, for NaN or for Inf. Returns what
  // LookForNonFinite does, at most once for each node.
  std::string After(const Graph& graph, const Instr& instr, const std::vector<Tensor>& slots,
                    bool is_nan);

 private:
  bool IsNew(NodeId node, bool is_nan) const;

  std::vector<KernelInput> inputs_;           // of the kernel that runs
  std::set<std::pair<uint32_t, bool>> seen_;  // nodes that have had a NaN, or an Inf
};

}  // namespace tensh
