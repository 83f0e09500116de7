#include "shell/explain/rails.h"

#include <algorithm>
#include <cstdint>

namespace tensh::shell {
namespace {

constexpr size_t kFree = SIZE_MAX;

// Directions of a cell in a connector row, as bits of an index into kBox.
enum Way : unsigned { kUp = 1, kDown = 2, kLeft = 4, kRight = 8 };
constexpr const char* kBox[16] = {" ", "│", "│", "│", "─", "╯", "╮", "┤",
                                  "─", "╰", "╭", "├", "─", "┴", "┬", "┼"};

struct Lanes {
  std::vector<size_t> of;  // For each lane, the node whose value it carries, or kFree.

  size_t FirstFree() {
    const auto at = std::find(of.begin(), of.end(), kFree);
    if (at != of.end()) return static_cast<size_t>(at - of.begin());
    of.push_back(kFree);
    return of.size() - 1;
  }
  void Trim() {
    while (!of.empty() && of.back() == kFree) of.pop_back();
  }
};

std::string NodeRail(const Lanes& lanes, size_t mine, const char* glyph) {
  std::string out;
  for (size_t i = 0; i < std::max(lanes.of.size(), mine + 1); ++i) {
    const bool busy = i < lanes.of.size() && lanes.of[i] != kFree;
    out += i > 0 ? " " : "";
    out += i == mine ? glyph : busy ? "│" : " ";
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

// `joins` lists the lanes that lead into the node, and `ends` those of them that end there.
std::string Connector(const Lanes& before, size_t mine, const std::vector<size_t>& joins,
                      const std::vector<bool>& ends) {
  size_t low = mine, high = mine;
  for (size_t lane : joins) {
    low = std::min(low, lane);
    high = std::max(high, lane);
  }
  std::string out;
  const size_t count = std::max(before.of.size(), mine + 1);
  for (size_t i = 0; i < count; ++i) {
    const bool busy = i < before.of.size() && before.of[i] != kFree;
    const auto join = std::find(joins.begin(), joins.end(), i);
    unsigned ways = busy ? kUp | kDown : 0;
    if (join != joins.end() && ends[static_cast<size_t>(join - joins.begin())]) ways = kUp;
    if (i == mine) ways |= kDown;
    if (i == mine || join != joins.end()) {
      ways |= (i > low ? kLeft : 0U) | (i < high ? kRight : 0U);
    } else if (!busy && i > low && i < high) {
      ways |= kLeft | kRight;
    }
    out += kBox[ways];
    if (i + 1 < count) out += i >= low && i < high ? "─" : " ";
  }
  return out;
}

}  // namespace

std::vector<RailRow> DrawRails(const std::vector<RailNode>& nodes, size_t max_lanes) {
  // For each node, the number of later rows that use its value.
  std::vector<size_t> uses(nodes.size(), 0);
  for (size_t n = 0; n < nodes.size(); ++n) {
    for (size_t input : nodes[n].inputs) uses[input] += nodes[n].drawn && input < n;
  }
  Lanes lanes;
  std::vector<RailRow> rows(nodes.size());
  for (size_t n = 0; n < nodes.size(); ++n) {
    if (!nodes[n].drawn) {
      rows[n].rail = NodeRail(lanes, lanes.FirstFree(), kRailAlone);
      lanes.Trim();
      continue;
    }
    std::vector<size_t> joins;
    std::vector<bool> ends;
    for (size_t input : nodes[n].inputs) {
      const auto at = std::find(lanes.of.begin(), lanes.of.end(), input);
      if (input >= n || at == lanes.of.end()) continue;
      joins.push_back(static_cast<size_t>(at - lanes.of.begin()));
      ends.push_back(--uses[input] == 0);
    }
    size_t mine = kFree;
    for (size_t i = 0; i < joins.size(); ++i) {
      if (ends[i]) mine = std::min(mine, joins[i]);
    }
    const Lanes before = lanes;
    if (mine == kFree) mine = lanes.FirstFree();
    if (std::any_of(joins.begin(), joins.end(), [mine](size_t lane) { return lane != mine; })) {
      rows[n].connector = Connector(before, mine, joins, ends);
    }
    for (size_t i = 0; i < joins.size(); ++i) {
      if (ends[i]) lanes.of[joins[i]] = kFree;
    }
    rows[n].rail = NodeRail(lanes, mine, kRailNode);
    lanes.of[mine] = uses[n] > 0 ? n : kFree;
    lanes.Trim();
    if (std::max(before.of.size(), mine + 1) > max_lanes) return {};
  }
  return rows;
}

}  // namespace tensh::shell
