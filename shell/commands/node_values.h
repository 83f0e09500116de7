// The values that the last recorded step made, as text: for step, the live page and whoever looks
// at a node. Any thread, once made.
#pragma once

#include <string>
#include <unordered_map>

#include "shell/client.h"
#include "shell/commands/bridge.h"

namespace tensh::shell {

// As numpy prints it, on one line, cut to `width` columns; for none: "".
std::string TensorText(const TensorHandle& tensor, size_t width);

class NodeValues {
 public:
  NodeValues() = default;
  explicit NodeValues(std::vector<bridge::RecordedValue> values);
  // What output `of` was in the step, or always is: "[1. 2.]", "5 (the last of 10)"; "" when not
  // known.
  std::string Text(const GraphHandle& graph, tsh_output of, size_t width) const;

 private:
  // Back over what hands values on, to an output whose value was kept.
  tsh_output Source(const GraphHandle& graph, tsh_output of, int* hops) const;

  std::unordered_map<uint64_t, bridge::RecordedValue> values_;  // by node and output
};

}  // namespace tensh::shell
