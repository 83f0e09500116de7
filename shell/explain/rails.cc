#include "shell/explain/rails.h"

#include <algorithm>
#include <cstdint>

namespace tensh::shell {
namespace {

constexpr size_t kFree = SIZE_MAX;

// Directions in which lines leave a cell of a connector row, as bits of an index into a row of
// kBox.
enum Way : unsigned { kUp = 1, kDown = 2, kLeft = 4, kRight = 8 };
// Which lines of the cell are double, as bits of the index of the row.
enum Double : unsigned { kAcross = 1, kAlong = 2 };
constexpr const char* kBox[4][16] = {
    {" ", "│", "│", "│", "─", "╯", "╮", "┤", "─", "╰", "╭", "├", "─", "┴", "┬", "┼"},
    {" ", "│", "│", "│", "═", "╛", "╕", "╡", "═", "╘", "╒", "╞", "═", "╧", "╤", "╪"},
    {" ", "║", "║", "║", "─", "╜", "╖", "╢", "─", "╙", "╓", "╟", "─", "╨", "╥", "╫"},
    {" ", "║", "║", "║", "═", "╝", "╗", "╣", "═", "╚", "╔", "╠", "═", "╩", "╦", "╬"},
};

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

// A lane that leads into a node.
struct Joining {
  size_t lane = 0;
  bool ends = false, cut = false;
};

std::string Painted(const RailPaint& paint, std::string_view piece, size_t row, bool cut) {
  return paint ? paint(piece, row, cut) : std::string(piece);
}

std::string NodeRail(const Lanes& lanes, size_t mine, const char* glyph, size_t row,
                     const RailPaint& paint) {
  std::string out, gap;
  for (size_t i = 0; i < std::max(lanes.of.size(), mine + 1); ++i) {
    const bool busy = i < lanes.of.size() && lanes.of[i] != kFree;
    if (i > 0) gap += ' ';
    if (i != mine && !busy) {
      gap += ' ';
      continue;
    }
    out += gap + (i == mine ? Painted(paint, glyph, row, false)
                            : Painted(paint, "│", lanes.of[i], false));
    gap.clear();
  }
  return out;
}

// Draws the row above a node, in which the lanes of its inputs join the lane of the node.
class Connector {
 public:
  Connector(const Lanes& before, size_t mine, const std::vector<Joining>& joins, size_t row)
      : before_(before), mine_(mine), joins_(joins), row_(row) {}

  std::string Draw(const RailPaint& paint) const {
    size_t low = mine_, high = mine_;
    for (const Joining& join : joins_) {
      low = std::min(low, join.lane);
      high = std::max(high, join.lane);
    }
    std::string out;
    const size_t count = std::max(before_.of.size(), mine_ + 1);
    for (size_t i = 0; i < count; ++i) {
      const unsigned ways = Ways(i, low, high);
      const Joining* across = Crossing(i, i);
      const Joining* own = Find(i);
      const bool busy = Busy(i);
      const bool along = own != nullptr && own->cut && i == mine_;
      // The input at this end of the horizontal line determines whether the line is double.
      const bool level = (ways & (kLeft | kRight)) != 0 && CutAcross(i);
      const size_t from = busy                ? before_.of[i]
                          : across != nullptr ? before_.of[across->lane]
                                              : row_;
      out += Painted(paint, kBox[(level ? kAcross : 0U) | (along ? kAlong : 0U)][ways], from,
                     level || along);
      if (i + 1 >= count) break;
      const bool inside = i >= low && i < high;
      const Joining* next = inside ? Between(i) : nullptr;
      if (next == nullptr) {
        out += inside ? Painted(paint, "─", row_, false) : " ";
      } else {
        const bool cut = CutBetween(i);
        out += Painted(paint, cut ? "═" : "─", before_.of[next->lane], cut);
      }
    }
    return out;
  }

 private:
  bool Busy(size_t i) const { return i < before_.of.size() && before_.of[i] != kFree; }

  const Joining* Find(size_t lane) const {
    for (const Joining& join : joins_)
      if (join.lane == lane) return &join;
    return nullptr;
  }

  unsigned Ways(size_t i, size_t low, size_t high) const {
    const Joining* join = Find(i);
    unsigned ways = Busy(i) ? kUp | kDown : 0;
    if (join != nullptr && join->ends) ways = kUp;
    if (i == mine_) ways |= kDown;
    if (i == mine_ || join != nullptr) {
      ways |= (i > low ? kLeft : 0U) | (i < high ? kRight : 0U);
    } else if (!Busy(i) && i > low && i < high) {
      ways |= kLeft | kRight;
    }
    return ways;
  }

  // Returns the join whose line passes over the gap to the right of lane i.
  const Joining* Between(size_t i) const {
    for (const Joining& join : joins_)
      if (i < mine_ ? join.lane <= i : join.lane > i) return &join;
    return nullptr;
  }
  bool CutBetween(size_t i) const {
    return std::any_of(joins_.begin(), joins_.end(), [&](const Joining& join) {
      return join.cut && (i < mine_ ? join.lane <= i : join.lane > i);
    });
  }
  const Joining* Crossing(size_t left, size_t right) const {
    const Joining* found = right < mine_ ? Between(right) : nullptr;
    if (found == nullptr && left > mine_) found = Between(left - 1);
    return found;
  }
  // True if a line of a cut edge touches lane i from the left or the right.
  bool CutAcross(size_t i) const {
    return (i < mine_ && CutBetween(i)) || (i > mine_ && CutBetween(i - 1)) ||
           (i == mine_ && ((i > 0 && CutBetween(i - 1)) || CutBetween(i)));
  }

  const Lanes& before_;
  size_t mine_;
  const std::vector<Joining>& joins_;
  size_t row_;
};

}  // namespace

std::vector<RailRow> DrawRails(const std::vector<RailNode>& nodes, size_t max_lanes,
                               const RailPaint& paint) {
  // For each node, the number of later rows that use its value.
  std::vector<size_t> uses(nodes.size(), 0);
  for (size_t n = 0; n < nodes.size(); ++n) {
    for (size_t input : nodes[n].inputs) uses[input] += nodes[n].drawn && input < n;
  }
  Lanes lanes;
  std::vector<RailRow> rows(nodes.size());
  for (size_t n = 0; n < nodes.size(); ++n) {
    if (!nodes[n].drawn) {
      rows[n].rail = NodeRail(lanes, lanes.FirstFree(), kRailAlone, n, paint);
      lanes.Trim();
      continue;
    }
    std::vector<Joining> joins;
    const std::vector<size_t>& cuts = nodes[n].cut;
    for (size_t input : nodes[n].inputs) {
      const auto at = std::find(lanes.of.begin(), lanes.of.end(), input);
      if (input >= n || at == lanes.of.end()) continue;
      joins.push_back({static_cast<size_t>(at - lanes.of.begin()), --uses[input] == 0,
                       std::find(cuts.begin(), cuts.end(), input) != cuts.end()});
    }
    size_t mine = kFree;
    for (const Joining& join : joins)
      if (join.ends) mine = std::min(mine, join.lane);
    const Lanes before = lanes;
    if (mine == kFree) mine = lanes.FirstFree();
    const auto shows = [mine](const Joining& join) { return join.lane != mine || join.cut; };
    if (std::any_of(joins.begin(), joins.end(), shows))
      rows[n].connector = Connector(before, mine, joins, n).Draw(paint);
    for (const Joining& join : joins)
      if (join.ends) lanes.of[join.lane] = kFree;
    rows[n].rail = NodeRail(lanes, mine, kRailNode, n, paint);
    lanes.of[mine] = uses[n] > 0 ? n : kFree;
    lanes.Trim();
    if (std::max(before.of.size(), mine + 1) > max_lanes) return {};
  }
  return rows;
}

size_t DropLongEdges(std::vector<RailNode>* nodes, size_t max_lanes) {
  if (!DrawRails(*nodes, max_lanes).empty() || nodes->empty()) return 0;
  const auto shorter = [&](size_t longest) {
    std::vector<RailNode> kept = *nodes;
    for (size_t n = 0; n < kept.size(); ++n)
      std::erase_if(kept[n].inputs, [&](size_t input) { return input < n && n - input > longest; });
    return kept;
  };
  // Invariant: edges of `fits` rows fit, and edges of `too_long` rows do not. Edges between
  // neighbors need one lane.
  size_t fits = 1, too_long = nodes->size();
  while (too_long - fits > 1) {
    const size_t middle = fits + (too_long - fits) / 2;
    (DrawRails(shorter(middle), max_lanes).empty() ? too_long : fits) = middle;
  }
  std::vector<RailNode> kept = shorter(fits);
  size_t dropped = 0;
  for (size_t n = 0; n < kept.size(); ++n)
    dropped += (*nodes)[n].inputs.size() - kept[n].inputs.size();
  *nodes = std::move(kept);
  return dropped;
}

}  // namespace tensh::shell
