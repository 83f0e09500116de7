#include "shell/explain/layered.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace tensh::shell {
namespace {

constexpr double kGap = 34, kMostGap = 70, kSlope = 0.05;  // between layers
constexpr double kBeside = 22, kBesideVia = 14, kViaWidth = 6;
constexpr double kLanePadding = 18, kLaneGap = 44, kChannel = 12;
constexpr double kTrack = 5, kFirstTrack = 9;
constexpr size_t kMostInLayer = 10;
constexpr int kOrderSweeps = 10, kPlaceSweeps = 10;

// The layout in progress. Beside the items there are vias: the places at which long edges cross a
// layer. Both are cells.
struct Cell {
  size_t item = SIZE_MAX;  // or SIZE_MAX for a via
  size_t layer = 0, lane = 0;
  double w = 0, center = 0, key = 0;
  std::vector<size_t> above = {}, below = {};
};

class Level {
 public:
  explicit Level(Layout* layout) : layout_(*layout), items_(layout->items), edges_(layout->edges) {}

  void Run() {
    if (items_.empty()) return;
    TurnCycles();
    AssignLayers();
    SplitWideLayers();
    MakeCells();
    Order();
    PlaceLanes();
    PlaceLayers();
    Route();
  }

 private:
  bool IsDown(const LayoutEdge& edge) const { return !edge.up; }

  // Chooses the edges that run upward: those that close loops, and as few others as possible, after
  // Eades, Lin and Smyth. Sinks and sources are removed first, so a level without cycles has none.
  void TurnCycles() {
    const size_t n = items_.size();
    std::vector<std::vector<size_t>> out(n), in(n);
    std::vector<double> outgoing(n, 0), incoming(n, 0);
    for (size_t e = 0; e < edges_.size(); ++e) {
      LayoutEdge& edge = edges_[e];
      edge.up = edge.loop;
      if (edge.loop) continue;
      out[edge.from].push_back(e), in[edge.to].push_back(e);
      outgoing[edge.from] += edge.weight, incoming[edge.to] += edge.weight;
    }
    std::vector<size_t> outs(n), ins(n), position(n, 0), ready;
    std::vector<bool> gone(n, false);
    for (size_t i = 0; i < n; ++i) {
      outs[i] = out[i].size(), ins[i] = in[i].size();
      if (outs[i] == 0 || ins[i] == 0) ready.push_back(i);
    }
    size_t first = 0, last = n;
    const auto remove = [&](size_t i) {
      gone[i] = true;
      position[i] = ins[i] == 0 || outs[i] != 0 ? first++ : --last;
      for (const size_t e : out[i]) {
        const size_t to = edges_[e].to;
        incoming[to] -= edges_[e].weight;
        if (!gone[to] && --ins[to] == 0) ready.push_back(to);
      }
      for (const size_t e : in[i]) {
        const size_t from = edges_[e].from;
        outgoing[from] -= edges_[e].weight;
        if (!gone[from] && --outs[from] == 0) ready.push_back(from);
      }
    };
    for (size_t left = n; left > 0;) {
      size_t next = n;
      if (!ready.empty()) {
        next = ready.back();
        ready.pop_back();
      } else {
        for (size_t i = 0; i < n; ++i) {
          if (gone[i]) continue;
          if (next == n || outgoing[i] - incoming[i] > outgoing[next] - incoming[next]) next = i;
        }
      }
      if (next == n || gone[next]) continue;
      remove(next);
      --left;
    }
    for (LayoutEdge& edge : edges_) edge.up = edge.up || position[edge.from] > position[edge.to];
  }

  std::vector<size_t> TopologicalOrder() const {
    std::vector<size_t> waiting(items_.size(), 0), order;
    for (const LayoutEdge& edge : edges_) waiting[edge.to] += IsDown(edge) ? 1 : 0;
    for (size_t i = 0; i < items_.size(); ++i)
      if (waiting[i] == 0) order.push_back(i);
    std::vector<std::vector<size_t>> out(items_.size());
    for (const LayoutEdge& edge : edges_)
      if (IsDown(edge)) out[edge.from].push_back(edge.to);
    for (size_t k = 0; k < order.size(); ++k)
      for (const size_t to : out[order[k]])
        if (--waiting[to] == 0) order.push_back(to);
    return order;
  }

  // The longest path from above gives the layer. Items that have fewer inputs than outputs, such as
  // constants, then move down to the item that needs them first.
  void AssignLayers() {
    const std::vector<size_t> order = TopologicalOrder();
    std::vector<std::vector<size_t>> out(items_.size()), in(items_.size());
    for (const LayoutEdge& edge : edges_) {
      if (!IsDown(edge)) continue;
      out[edge.from].push_back(edge.to), in[edge.to].push_back(edge.from);
    }
    const bool heads = std::any_of(items_.begin(), items_.end(), [](const LayoutItem& item) {
      return item.pin == Pin::kTop || item.pin == Pin::kHead;
    });
    size_t last = 0;
    for (const size_t i : order) {
      const Pin pin = items_[i].pin;
      size_t layer = heads && pin != Pin::kTop && pin != Pin::kHead ? 1 : 0;
      for (const size_t from : in[i]) layer = std::max(layer, items_[from].layer + 1);
      items_[i].layer = layer;
      if (pin != Pin::kBottom) last = std::max(last, layer);
    }
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      LayoutItem& item = items_[*at];
      if (item.pin == Pin::kBottom) item.layer = last + 1;
      if (item.pin == Pin::kLast && out[*at].empty()) item.layer = last;
      if (item.pin != Pin::kNone || out[*at].size() <= in[*at].size()) continue;
      size_t lowest = SIZE_MAX;
      for (const size_t to : out[*at]) lowest = std::min(lowest, items_[to].layer);
      item.layer = std::max(item.layer, lowest - 1);
    }
  }

  // Items of one layer do not depend on each other, so a layer with too many of them for a screen
  // becomes several. Items without edges form a block, beside which the other lanes go on.
  void SplitWideLayers() {
    size_t layers = 0;
    for (const LayoutItem& item : items_) layers = std::max(layers, item.layer + 1);
    std::vector<bool> joined(items_.size(), false);
    for (const LayoutEdge& edge : edges_) joined[edge.from] = joined[edge.to] = true;
    std::vector<std::vector<size_t>> rows(layers);
    for (size_t i = 0; i < items_.size(); ++i) rows[items_[i].layer].push_back(i);
    size_t shift = 0;
    for (const std::vector<size_t>& row : rows) {
      std::vector<size_t> in_lane(layout_.lanes, 0), alone_in_lane(layout_.lanes, 0);
      const auto alone = static_cast<size_t>(std::count_if(
          row.begin(), row.end(), [&](size_t i) { return !joined[i] && IsFree(items_[i].pin); }));
      const auto width = static_cast<size_t>(std::sqrt(static_cast<double>(alone) * 0.5)) + 2;
      const size_t most =
          alone > row.size() / 2 ? std::clamp<size_t>(width, 3, kMostInLayer) : kMostInLayer;
      size_t extra = 0;
      for (const size_t i : row) {
        LayoutItem& item = items_[i];
        size_t& before = joined[i] ? in_lane[item.lane] : alone_in_lane[item.lane];
        const size_t part = IsFree(item.pin) ? before++ / most : 0;
        item.layer += shift + part;
        if (joined[i]) extra = std::max(extra, part);
      }
      shift += extra;
    }
    // The values that leave stay in the last layer.
    size_t last = 0;
    for (const LayoutItem& item : items_)
      if (item.pin != Pin::kBottom) last = std::max(last, item.layer);
    for (LayoutItem& item : items_)
      if (item.pin == Pin::kBottom) item.layer = last + 1;
  }
  static bool IsFree(Pin pin) {
    return pin != Pin::kHead && pin != Pin::kTop && pin != Pin::kBottom;
  }

  void MakeCells() {
    size_t layers = 0;
    for (const LayoutItem& item : items_) layers = std::max(layers, item.layer + 1);
    rows_.assign(layers, {});
    for (size_t i = 0; i < items_.size(); ++i) {
      cells_.push_back(
          {.item = i, .layer = items_[i].layer, .lane = items_[i].lane, .w = items_[i].w});
      rows_[items_[i].layer].push_back(i);
    }
    vias_.resize(edges_.size());
    for (size_t e = 0; e < edges_.size(); ++e) {
      const LayoutEdge& edge = edges_[e];
      if (!IsDown(edge)) continue;
      size_t above = edge.from;
      for (size_t layer = items_[edge.from].layer + 1; layer <= items_[edge.to].layer; ++layer) {
        size_t cell = edge.to;
        if (layer < items_[edge.to].layer) {
          cell = cells_.size();
          cells_.push_back({.layer = layer, .lane = items_[edge.from].lane, .w = kViaWidth});
          rows_[layer].push_back(cell);
          vias_[e].push_back(cell);
        }
        cells_[above].below.push_back(cell);
        cells_[cell].above.push_back(above);
        above = cell;
      }
    }
  }

  bool IsHead(size_t cell) const {
    return cells_[cell].item != SIZE_MAX && items_[cells_[cell].item].pin == Pin::kHead;
  }
  // Sorts a row by its keys; lanes stay together, and a title comes first in its lane.
  void SortRow(std::vector<size_t>* row) {
    std::stable_sort(row->begin(), row->end(), [&](size_t a, size_t b) {
      if (cells_[a].lane != cells_[b].lane) return cells_[a].lane < cells_[b].lane;
      if (IsHead(a) != IsHead(b)) return IsHead(a);
      return cells_[a].key < cells_[b].key;
    });
    for (size_t k = 0; k < row->size(); ++k) cells_[(*row)[k]].center = static_cast<double>(k);
  }

  int64_t Crossings() const {
    int64_t count = 0;
    std::vector<size_t> tree;
    for (size_t layer = 0; layer + 1 < rows_.size(); ++layer) {
      const size_t n = rows_[layer + 1].size();
      tree.assign(n + 1, 0);
      size_t seen = 0;
      for (const size_t cell : rows_[layer]) {
        std::vector<size_t> ends;
        for (const size_t to : cells_[cell].below)
          ends.push_back(static_cast<size_t>(cells_[to].center));
        for (const size_t end : ends) {
          size_t before = 0;
          for (size_t k = end + 1; k > 0; k -= k & (~k + 1)) before += tree[k];
          count += static_cast<int64_t>(seen - before);
        }
        for (const size_t end : ends) {
          for (size_t k = end + 1; k <= n; k += k & (~k + 1)) ++tree[k];
          ++seen;
        }
      }
    }
    return count;
  }

  void Order() {
    for (auto& row : rows_) {
      for (const size_t cell : row) cells_[cell].key = static_cast<double>(cell);
      SortRow(&row);
    }
    std::vector<std::vector<size_t>> best = rows_;
    int64_t fewest = Crossings();
    for (int sweep = 0; sweep < kOrderSweeps && fewest > 0; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (size_t k = 1; k < rows_.size(); ++k) {
        std::vector<size_t>& row = rows_[down ? k : rows_.size() - 1 - k];
        for (const size_t cell : row) {
          const std::vector<size_t>& next = down ? cells_[cell].above : cells_[cell].below;
          double sum = 0;
          for (const size_t other : next) sum += cells_[other].center;
          cells_[cell].key =
              next.empty() ? cells_[cell].center : sum / static_cast<double>(next.size());
        }
        SortRow(&row);
      }
      const int64_t crossings = Crossings();
      if (crossings >= fewest) continue;
      fewest = crossings;
      best = rows_;
    }
    rows_ = std::move(best);
  }

  double Apart(const Cell& a, const Cell& b) const {
    const bool via = a.item == SIZE_MAX || b.item == SIZE_MAX;
    return (a.w + b.w) / 2 + (via ? kBesideVia : kBeside);
  }

  // Moves the cells of a row as close as possible to their keys, in their order: an isotonic
  // regression, by pooling neighbours that would overlap.
  void PlaceRow(const std::vector<size_t>& row) {
    struct Block {
      double sum, weight;
      size_t count;
    };
    std::vector<Block> blocks;
    std::vector<double> offset;
    double at = 0;
    for (size_t k = 0; k < row.size(); ++k) {
      const Cell& cell = cells_[row[k]];
      if (k > 0) at += Apart(cells_[row[k - 1]], cell);
      offset.push_back(at);
      // Straight long edges matter more than centred items.
      const double weight = cell.item == SIZE_MAX ? 2 : 1;
      blocks.push_back({(cell.key - at) * weight, weight, 1});
      while (blocks.size() > 1) {
        Block& last = blocks.back();
        Block& before = blocks[blocks.size() - 2];
        if (before.sum / before.weight <= last.sum / last.weight) break;
        before.sum += last.sum, before.weight += last.weight, before.count += last.count;
        blocks.pop_back();
      }
    }
    size_t k = 0;
    for (const Block& block : blocks)
      for (size_t i = 0; i < block.count; ++i, ++k)
        cells_[row[k]].center = block.sum / block.weight + offset[k];
  }

  void PlaceLane(size_t lane, double left, LayoutSpan* span) {
    std::vector<std::vector<size_t>> rows;
    for (const auto& row : rows_) {
      rows.emplace_back();
      for (const size_t cell : row)
        if (cells_[cell].lane == lane) rows.back().push_back(cell);
      double at = 0;
      for (size_t k = 0; k < rows.back().size(); ++k) {
        Cell& cell = cells_[rows.back()[k]];
        if (k > 0) at += Apart(cells_[rows.back()[k - 1]], cell);
        cell.center = at;
      }
    }
    for (int sweep = 0; sweep < kPlaceSweeps; ++sweep) {
      const bool down = sweep % 2 == 0, both = sweep + 2 >= kPlaceSweeps;
      for (size_t k = 0; k < rows.size(); ++k) {
        const std::vector<size_t>& row = rows[down ? k : rows.size() - 1 - k];
        for (const size_t cell : row) WantCenter(cell, down || both, !down || both);
        PlaceRow(row);
      }
    }
    double least = 0, most = 0;
    bool any = false;
    for (const auto& row : rows) {
      for (const size_t cell : row) {
        if (IsHead(cell)) continue;
        const Cell& c = cells_[cell];
        least = any ? std::min(least, c.center - c.w / 2) : c.center - c.w / 2;
        most = any ? std::max(most, c.center + c.w / 2) : c.center + c.w / 2;
        any = true;
      }
    }
    // A title stands at the left of its lane, if the values that enter leave it that space.
    for (const auto& row : rows) {
      for (size_t k = 0; k < row.size(); ++k) {
        if (!IsHead(row[k])) continue;
        Cell& head = cells_[row[k]];
        const double limit = k + 1 < row.size()
                                 ? cells_[row[k + 1]].center - Apart(head, cells_[row[k + 1]])
                                 : least + head.w / 2;
        head.center = std::min(limit, least + head.w / 2);
        least = std::min(least, head.center - head.w / 2);
        most = std::max(most, head.center + head.w / 2);
      }
    }
    for (const auto& row : rows)
      for (const size_t cell : row) cells_[cell].center += left + kLanePadding - least;
    *span = {left, left + most - least + 2 * kLanePadding};
  }

  // Sets the key of a cell to the mean of its neighbours' centers, or to its own.
  void WantCenter(size_t index, bool above, bool below) {
    Cell& cell = cells_[index];
    double sum = 0, weight = 0;
    const auto add = [&](const std::vector<size_t>& next) {
      for (const size_t other : next) {
        if (cells_[other].lane != cell.lane) continue;
        const double by = cell.item == SIZE_MAX && cells_[other].item == SIZE_MAX ? 4 : 1;
        sum += cells_[other].center * by, weight += by;
      }
    };
    if (above) add(cell.above);
    if (below) add(cell.below);
    cell.key = weight > 0 ? sum / weight : cell.center;
  }

  void PlaceLanes() {
    layout_.lane_spans.assign(layout_.lanes, {});
    std::vector<size_t> channels(layout_.lanes, 0);
    for (LayoutEdge& edge : edges_)
      if (edge.up) edge.track = channels[items_[edge.from].lane]++;
    double left = 0;
    for (size_t lane = 0; lane < layout_.lanes; ++lane) {
      const bool used = std::any_of(items_.begin(), items_.end(),
                                    [lane](const LayoutItem& item) { return item.lane == lane; });
      layout_.lane_spans[lane] = {left, left};
      if (!used) continue;
      LayoutSpan& span = layout_.lane_spans[lane];
      PlaceLane(lane, left, &span);
      for (LayoutEdge& edge : edges_)
        if (edge.up && items_[edge.from].lane == lane)
          edge.channel = span.end - kLanePadding + kChannel * static_cast<double>(edge.track + 1);
      span.end += kChannel * static_cast<double>(channels[lane]);
      layout_.width = span.end;
      left = span.end + kLaneGap;
    }
    for (const Cell& cell : cells_)
      if (cell.item != SIZE_MAX) items_[cell.item].x = std::round(cell.center - cell.w / 2);
  }

  // A gap is as high as its flattest edge and its upward edges need.
  void PlaceLayers() {
    std::vector<double> gaps(rows_.size() + 1, kGap);
    gaps.front() = gaps.back() = 0;
    for (size_t layer = 0; layer + 1 < rows_.size(); ++layer)
      for (const size_t cell : rows_[layer])
        for (const size_t to : cells_[cell].below)
          gaps[layer + 1] = std::max(
              gaps[layer + 1], std::min(kMostGap, kGap + kSlope * std::abs(cells_[cell].center -
                                                                           cells_[to].center)));
    for (const LayoutEdge& edge : edges_) {
      if (!edge.up) continue;
      for (const size_t gap : {items_[edge.from].layer + 1, items_[edge.to].layer})
        gaps[gap] = std::max(gaps[gap], TrackDistance(edge.track) + kGap / 2);
    }
    double y = 0;
    for (size_t layer = 0; layer < rows_.size(); ++layer) {
      y += std::round(gaps[layer]);
      double height = 0;
      for (const size_t cell : rows_[layer])
        if (cells_[cell].item != SIZE_MAX) height = std::max(height, items_[cells_[cell].item].h);
      layout_.layers.push_back({y, y + height});
      y += height;
    }
    layout_.height = y + std::round(gaps.back());
    for (LayoutItem& item : items_) {
      const LayoutSpan& layer = layout_.layers[item.layer];
      item.y = (layer.begin + layer.end - item.h) / 2;
    }
  }

  // The x at which an edge arrives from the item, or leaves it.
  double Next(size_t e, bool leaves) const {
    const LayoutEdge& edge = edges_[e];
    if (edge.up) return edge.channel;
    if (!vias_[e].empty()) return cells_[leaves ? vias_[e].front() : vias_[e].back()].center;
    return cells_[leaves ? edge.to : edge.from].center;
  }

  void Route() {
    std::vector<std::vector<size_t>> out(items_.size()), in(items_.size());
    for (size_t e = 0; e < edges_.size(); ++e) {
      out[edges_[e].from].push_back(e), in[edges_[e].to].push_back(e);
      for (const size_t via : vias_[e])
        edges_[e].via.push_back({cells_[via].layer, std::round(cells_[via].center)});
    }
    const auto spread = [&](std::vector<size_t>* edges, bool leaves, double w, bool separate) {
      std::stable_sort(edges->begin(), edges->end(),
                       [&](size_t a, size_t b) { return Next(a, leaves) < Next(b, leaves); });
      for (size_t k = 0; k < edges->size(); ++k) {
        const double part = static_cast<double>(k + 1) / static_cast<double>(edges->size() + 1);
        double& dx = leaves ? edges_[(*edges)[k]].from_dx : edges_[(*edges)[k]].to_dx;
        dx = std::round(w * (separate ? part : 0.5));
      }
    };
    for (size_t i = 0; i < items_.size(); ++i) {
      spread(&out[i], true, items_[i].w, items_[i].spread);
      spread(&in[i], false, items_[i].w, true);
    }
  }

  Layout& layout_;
  std::vector<LayoutItem>& items_;
  std::vector<LayoutEdge>& edges_;
  std::vector<Cell> cells_;                // Cell i is item i; vias follow.
  std::vector<std::vector<size_t>> rows_;  // by layer: cells from the left
  std::vector<std::vector<size_t>> vias_;  // by edge
};

}  // namespace

double TrackDistance(size_t track) { return kFirstTrack + kTrack * static_cast<double>(track); }

void LayOut(Layout* layout) {
  layout->layers.clear();
  layout->width = layout->height = 0;
  Level(layout).Run();
}

double Stretched::X(double x) const {
  if (from.empty() || x <= from.front()) return x;
  if (x >= from.back()) return to.back() + x - from.back();
  const auto k = static_cast<size_t>(std::upper_bound(from.begin(), from.end(), x) - from.begin());
  const double part = (x - from[k - 1]) / (from[k] - from[k - 1]);
  return to[k - 1] + part * (to[k] - to[k - 1]);
}

Stretched Stretch(const Layout& layout, const std::vector<double>& w,
                  const std::vector<double>& h) {
  Stretched out;
  const std::vector<LayoutItem>& items = layout.items;
  for (const LayoutItem& item : items) {
    out.from.push_back(item.x);
    out.from.push_back(item.x + item.w);
  }
  std::sort(out.from.begin(), out.from.end());
  out.from.erase(std::unique(out.from.begin(), out.from.end()), out.from.end());
  const auto index = [&](double x) {
    return static_cast<size_t>(std::lower_bound(out.from.begin(), out.from.end(), x) -
                               out.from.begin());
  };
  std::vector<size_t> by_end(items.size());
  std::iota(by_end.begin(), by_end.end(), size_t{0});
  std::sort(by_end.begin(), by_end.end(),
            [&](size_t a, size_t b) { return items[a].x + items[a].w < items[b].x + items[b].w; });
  size_t next = 0;
  for (size_t k = 0; k < out.from.size(); ++k) {
    double at = k == 0 ? out.from[0] : out.to[k - 1] + out.from[k] - out.from[k - 1];
    for (; next < by_end.size(); ++next) {
      const LayoutItem& item = items[by_end[next]];
      if (index(item.x + item.w) != k) break;
      if (item.w > 0) at = std::max(at, out.to[index(item.x)] + w[by_end[next]]);
    }
    out.to.push_back(at);
  }
  double y = 0, before = 0;
  std::vector<double> heights;
  for (const LayoutSpan& layer : layout.layers) heights.push_back(layer.end - layer.begin);
  for (size_t i = 0; i < items.size(); ++i)
    heights[items[i].layer] = std::max(heights[items[i].layer], h[i]);
  for (size_t l = 0; l < layout.layers.size(); ++l) {
    y += layout.layers[l].begin - before;
    before = layout.layers[l].end;
    out.layers.push_back({y, y + heights[l]});
    y += heights[l];
  }
  for (const LayoutSpan& lane : layout.lane_spans)
    out.lane_spans.push_back({out.X(lane.begin), out.X(lane.end)});
  out.width = out.X(layout.width);
  out.height = y + layout.height - before;
  return out;
}

}  // namespace tensh::shell
