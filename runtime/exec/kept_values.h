#pragma once
// Copies of the values that a traced step computed: for each output the last value, and the number
// of values (a loop makes many). Kernels may overwrite their inputs later, so the values are
// copied. Large ones are only counted.
//
// One collector for each partition, used by the thread that runs it. They are merged at the end.
#include <unordered_map>
#include <vector>

#include "runtime/exec/plan.h"

namespace tensh {

// Returns the size of the values that the instruction, which has just run, left in its output
// slots.
int64_t OutputBytes(const Instr& instr, const std::vector<Tensor>& slots);
// Likewise, of its inputs, before it runs. A variable that it takes by reference counts twice, because it is
// read and written.
int64_t InputBytes(const Graph& graph, const Instr& instr, const std::vector<Tensor>& slots);

struct KeptValue {
  Tensor value;  // empty if the value is too large, or its dtype has no printable data
  Shape shape;
  int64_t times = 0;
};

class KeptValues {
 public:
  // Records the values that the instruction, which has just run, left in its output slots.
  void Keep(const Graph& graph, const Instr& instr, const std::vector<Tensor>& slots);
  void Add(ValueId id, const Tensor& tensor);
  void Merge(const KeptValues& other);
  const std::unordered_map<uint32_t, KeptValue>& by_value() const { return kept_; }

 private:
  std::unordered_map<uint32_t, KeptValue> kept_;  // by ValueId
  int64_t bytes_ = 0;
};

}  // namespace tensh
