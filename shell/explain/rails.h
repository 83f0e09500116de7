// The rails to the left of the node rows. They show which value flows to which row, like the graph
// of a version-control log. A node takes the leftmost lane that ends in it. A connector row
// precedes a node with inputs in other lanes. It has double lines for the inputs that come from
// another device.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tensh::shell {

struct RailNode {
  std::vector<size_t> inputs;    // Earlier rows. Later ones (loops) are not drawn.
  bool drawn = true;             // If false, the node is not connected (a pruned node).
  std::vector<size_t> cut = {};  // The inputs that come from another device.
};

struct RailRow {
  std::string connector;  // A row to print before the node's row, or "".
  std::string rail;       // The rail of the node's row; `glyph` marks its position.
};

// Paints a piece of a rail, which carries the value of a row; `cut` if it crosses to a device.
using RailPaint = std::function<std::string(std::string_view piece, size_t row, bool cut)>;

// Returns the rails, or {} if more than max_lanes lanes are needed ("too tangled to draw").
std::vector<RailRow> DrawRails(const std::vector<RailNode>& nodes, size_t max_lanes,
                               const RailPaint& paint = nullptr);
// Leaves out the longest edges until max_lanes lanes are enough, and returns their number.
size_t DropLongEdges(std::vector<RailNode>* nodes, size_t max_lanes);

constexpr const char* kRailNode = "●";
constexpr const char* kRailAlone = "○";

}  // namespace tensh::shell
