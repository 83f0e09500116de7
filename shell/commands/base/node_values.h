// The values of the last recorded step, as text for `step`, the live page and other views of a
// node. Immutable after construction, so any thread may read it.
#pragma once

#include <string>
#include <unordered_map>

#include "shell/client/client.h"
#include "shell/session/recording.h"

namespace tensh::shell {

// Formats a tensor on one line as numpy prints it, cut to `width` columns. Returns "" for an empty
// handle.
std::string TensorText(const TensorHandle& tensor, size_t width);

std::string ShapeText(const TensorHandle& tensor);  // "f32[2,3]"

// A value of a step: empty if it is unknown or was too large to keep.
struct NodeValue {
  TensorHandle tensor;
  int64_t times = 1;  // number of times that the step computed it
};

class NodeValues {
 public:
  NodeValues() = default;
  explicit NodeValues(std::vector<RecordedValue> values);
  // Returns the value of output `of` in the step, or its constant value: "[1. 2.]", "5 (the last of
  // 10)". Returns "" if it is unknown.
  std::string Text(const GraphHandle& graph, tsh_output of, size_t width) const;
  // Returns the value itself.
  NodeValue Find(const GraphHandle& graph, tsh_output of) const;

 private:
  const RecordedValue* Recorded(const GraphHandle& graph, tsh_output of) const;
  // Walks back over nodes that pass values on, to the nearest output whose value was kept.
  tsh_output Source(const GraphHandle& graph, tsh_output of, int* hops) const;

  std::unordered_map<uint64_t, RecordedValue> values_;  // key: node and output
};

}  // namespace tensh::shell
