// The rails left of the node rows: which value flows to which row, drawn like a log of merges. A
// node takes the leftmost lane that ends in it; a row of connectors goes before a node with inputs
// in other lanes.
#pragma once

#include <string>
#include <vector>

namespace tensh::shell {

struct RailNode {
  std::vector<size_t> inputs;  // earlier rows; later ones (loops) are not drawn
  bool drawn = true;           // false: stands alone (a pruned node)
};

struct RailRow {
  std::string connector;  // a row to print before the node's; "" : none
  std::string rail;       // the node's own, its place marked by `glyph`
};

// Needs at most max_lanes lanes, or gives {} ("too tangled to draw").
std::vector<RailRow> DrawRails(const std::vector<RailNode>& nodes, size_t max_lanes);

constexpr const char* kRailNode = "●";
constexpr const char* kRailAlone = "○";

}  // namespace tensh::shell
