// The rails to the left of the node rows. They show which value flows to which row, like the graph
// of a version-control log. A node takes the leftmost lane that ends in it. A connector row
// precedes a node with inputs in other lanes.
#pragma once

#include <string>
#include <vector>

namespace tensh::shell {

struct RailNode {
  std::vector<size_t> inputs;  // Earlier rows. Later ones (loops) are not drawn.
  bool drawn = true;           // If false, the node is not connected (a pruned node).
};

struct RailRow {
  std::string connector;  // A row to print before the node's row, or "".
  std::string rail;       // The rail of the node's row; `glyph` marks its position.
};

// Returns the rails, or {} if more than max_lanes lanes are needed ("too tangled to draw").
std::vector<RailRow> DrawRails(const std::vector<RailNode>& nodes, size_t max_lanes);

constexpr const char* kRailNode = "●";
constexpr const char* kRailAlone = "○";

}  // namespace tensh::shell
