#include "shell/explain/scene.h"

#include <map>

namespace tensh::shell {
namespace {

class Composer {
 public:
  Composer(Drawing* drawing, const std::set<size_t>& open, Scene* out)
      : drawing_(*drawing), open_(open), out_(*out) {}

  void Run() {
    const Level& root = Measure(0);
    out_.width = root.stretched.width, out_.height = root.stretched.height;
    bool tasks = false;
    for (size_t lane = 0; lane < root.stretched.lane_spans.size(); ++lane)
      tasks |= !drawing_.LaneTask(lane).empty();
    if (!tasks) return Place(root, 0, 0);
    Place(root, kMachineSide, kMachineHead);
    AddMachines();
    out_.width += 2 * kMachineSide, out_.height += kMachineHead + kMachineSide;
  }

 private:
  // A level with the sizes of its open parts.
  struct Level {
    const DrawnLevel* drawn;
    Stretched stretched;
    std::vector<double> w, h;
    size_t part;
  };

  bool IsOpen(const DrawnItem& item) const {
    return item.kind == DrawnKind::kScope && open_.count(item.part) > 0;
  }

  const Level& Measure(size_t part) {
    const DrawnLevel& drawn = drawing_.Level(part);
    Level level{&drawn, {}, {}, {}, part};
    for (size_t i = 0; i < drawn.items.size(); ++i) {
      level.w.push_back(drawn.layout.items[i].w);
      level.h.push_back(drawn.layout.items[i].h);
      if (!IsOpen(drawn.items[i])) continue;
      const Stretched& inner = Measure(drawn.items[i].part).stretched;
      level.w[i] = std::max(level.w[i], inner.width + 2 * kPartPadding);
      level.h[i] = std::max(level.h[i], inner.height + 2 * kPartPadding);
    }
    level.stretched = Stretch(drawn.layout, level.w, level.h);
    return levels_[part] = std::move(level);
  }

  // The left side of an item in its level.
  double Left(const Level& level, size_t i) const {
    const LayoutItem& box = level.drawn->layout.items[i];
    const double begin = level.stretched.X(box.x), end = level.stretched.X(box.x + box.w);
    return begin + (end - begin - level.w[i]) / 2;
  }
  double Top(const Level& level, size_t i) const {
    const LayoutSpan& layer = level.stretched.layers[level.drawn->layout.items[i].layer];
    return layer.begin + (layer.end - layer.begin - level.h[i]) / 2;
  }

  // The x in the level at which an edge touches an item: the port of an open part.
  double Touch(const Level& level, size_t i, double dx, DrawnKind port, size_t other) const {
    const DrawnItem& item = level.drawn->items[i];
    if (IsOpen(item)) {
      const Level& inner = levels_.at(item.part);
      const std::string& key = level.drawn->items[other].key;
      for (size_t k = 0; k < inner.drawn->items.size(); ++k)
        if (inner.drawn->items[k].kind == port && inner.drawn->items[k].key == key)
          return Left(level, i) + kPartPadding + Left(inner, k) + 1;
    }
    return Left(level, i) + dx;
  }

  void Place(const Level& level, double x, double y) {
    for (size_t lane = 0; lane < level.stretched.lane_spans.size(); ++lane)
      AddArea(level, lane, x, y);
    const auto& items = level.drawn->items;
    for (size_t i = 0; i < items.size(); ++i) {
      if (items[i].kind == DrawnKind::kIn || items[i].kind == DrawnKind::kOut) continue;
      const SceneBox box{&items[i],  x + Left(level, i), y + Top(level, i),
                         level.w[i], level.h[i],         IsOpen(items[i])};
      out_.boxes.push_back(box);
      if (box.open) Place(levels_.at(items[i].part), box.x + kPartPadding, box.y + kPartPadding);
    }
    for (size_t e = 0; e < level.drawn->edges.size(); ++e) AddLine(level, e, x, y);
  }

  void AddArea(const Level& level, size_t lane, double x, double y) {
    const LayoutSpan& span = level.stretched.lane_spans[lane];
    std::string style = drawing_.LaneClass(level.part, lane);
    if (span.end <= span.begin || style.empty()) return;
    out_.areas.push_back({x + span.begin, y - 4, span.end - span.begin, level.stretched.height + 8,
                          std::move(style), level.part == 0 ? drawing_.LaneTask(lane) : ""});
  }

  // The frame of a task surrounds the areas of its devices, which are neighbours.
  void AddMachines() {
    std::vector<SceneArea> machines;
    for (SceneArea& area : out_.areas) {
      if (area.name.empty()) continue;
      if (machines.empty() || machines.back().name != area.name)
        machines.push_back({area.x - kMachineSide, area.y + 4 - kMachineHead, 0,
                            area.h + kMachineHead + kMachineSide - 4, "machine", area.name});
      machines.back().w = area.x + area.w + kMachineSide - machines.back().x;
      area.name.clear();
    }
    out_.areas.insert(out_.areas.begin(), machines.begin(), machines.end());
  }

  void AddLine(const Level& level, size_t e, double x, double y) {
    const LayoutEdge& route = level.drawn->layout.edges[e];
    const auto& items = level.drawn->items;
    const auto& layers = level.stretched.layers;
    const LayoutSpan& begin = layers[level.drawn->layout.items[route.from].layer];
    const LayoutSpan& end = layers[level.drawn->layout.items[route.to].layer];
    const double height = level.stretched.height;
    const bool enters = items[route.from].kind == DrawnKind::kIn;
    const bool leaves = items[route.to].kind == DrawnKind::kOut;
    const double x1 =
        Touch(level, route.from, enters ? 1 : route.from_dx, DrawnKind::kOut, route.to);
    const double x2 = Touch(level, route.to, leaves ? 1 : route.to_dx, DrawnKind::kIn, route.from);
    const double y1 = enters ? -kPartPadding : Top(level, route.from) + level.h[route.from];
    const double y2 = leaves ? height + kPartPadding : Top(level, route.to);
    SceneLine line{&level.drawn->edges[e], &route, {}, !leaves && !IsOpen(items[route.to])};
    const auto add = [&](double px, double py, bool bend) {
      line.points.push_back({x + px, y + py, bend});
    };
    add(x1, y1, false);
    if (route.up) {
      const double channel = level.stretched.X(route.channel), by = TrackDistance(route.track);
      for (const auto& [px, py] : {std::pair{x1, begin.end + by},
                                   {channel, begin.end + by},
                                   {channel, end.begin - by},
                                   {x2, end.begin - by}})
        add(px, py, false);
    } else {
      add(x1, begin.end, false);
      for (const LayoutVia& via : route.via) {
        add(level.stretched.X(via.x), layers[via.layer].begin, true);
        add(level.stretched.X(via.x), layers[via.layer].end, false);
      }
      add(x2, end.begin, true);
    }
    add(x2, y2, false);
    out_.lines.push_back(std::move(line));
  }

  Drawing& drawing_;
  const std::set<size_t>& open_;
  Scene& out_;
  std::map<size_t, Level> levels_;
};

}  // namespace

Scene Compose(Drawing* drawing, const std::set<size_t>& open) {
  Scene scene;
  Composer(drawing, open, &scene).Run();
  return scene;
}

}  // namespace tensh::shell
