#pragma once
// Copies of what the kernels of a traced step made: of each output the last value, and how often
// there was one (a loop makes many). One collector a partition, in the thread that runs it, merged
// at the end. Copies, because a kernel may write to its input's memory later. What is large is
// counted, not copied.
#include <unordered_map>
#include <vector>

#include "runtime/exec/plan.h"

namespace tensh {

// Of what the instruction, which has just run, left in its output slots.
int64_t OutputBytes(const Instr& instr, const std::vector<Tensor>& slots);

struct KeptValue {
  Tensor value;  // empty: too large, or of a type that has no data of its own
  Shape shape;
  int64_t times = 0;
};

class KeptValues {
 public:
  // What the instruction, which has just run, left in its output slots.
  void Keep(const Graph& graph, const Instr& instr, const std::vector<Tensor>& slots);
  void Add(ValueId id, const Tensor& tensor);
  void Merge(KeptValues other);
  const std::unordered_map<uint32_t, KeptValue>& by_value() const { return kept_; }

 private:
  std::unordered_map<uint32_t, KeptValue> kept_;  // by ValueId
  int64_t bytes_ = 0;
};

}  // namespace tensh
