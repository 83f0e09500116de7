#include "shell/explain/drawing_json.h"

#include <cstdio>
#include <deque>
#include <map>

#include "shell/text/json.h"

namespace tensh::shell {
namespace {

std::string Number(double value) {
  char out[32];
  std::snprintf(out, sizeof(out), "%.7g", value);
  return out;
}

// Adds `"name":value` to an object that ends in `{` or a value.
void Add(std::string* out, const char* name, const std::string& value) {
  if (out->back() != '{') *out += ',';
  *out += '"';
  *out += name;
  *out += "\":" + value;
}

std::string Pair(double a, double b) { return "[" + Number(a) + "," + Number(b) + "]"; }

// The title of the level inside of an open part closes it.
bool Closes(size_t part, const DrawnItem& item) {
  return part != 0 && item.kind == DrawnKind::kTitle && item.key == "title 0";
}

std::string ItemJson(const Drawing& drawing, size_t level, const DrawnItem& item,
                     const LayoutItem& box) {
  std::string out = "{";
  Add(&out, "k", std::to_string(static_cast<int>(item.kind)));
  Add(&out, "key", JsonQuote(item.key));
  for (const auto& [name, value] :
       {std::pair{"x", box.x}, {"y", box.y}, {"w", box.w}, {"h", box.h}})
    Add(&out, name, Number(value));
  Add(&out, "layer", std::to_string(box.layer));
  if (item.kind == DrawnKind::kIn || item.kind == DrawnKind::kOut) return out + "}";
  Add(&out, "c", JsonQuote(ClassOf(item)));
  Add(&out, "l", JsonQuote(item.label));
  Add(&out, "n", JsonQuote(item.note));
  Add(&out, "t", JsonQuote(item.tip));
  if (IsRound(item)) Add(&out, "r", "1");
  if (item.like != 0) Add(&out, "like", JsonQuote(std::string(1, item.like)));
  if (Closes(level, item)) Add(&out, "closes", "1");
  if (item.part == kNoPart) return out + "}";
  const GraphPart& part = drawing.parts().parts()[item.part];
  if (item.kind == DrawnKind::kNode)
    Add(&out, "name", JsonQuote(drawing.report()->nodes[part.node].name));
  else
    Add(&out, "scope", JsonQuote(part.scope.empty() ? part.key : part.scope));
  return out + "}";
}

std::string EdgeJson(const DrawnEdge& edge, const LayoutEdge& route) {
  std::string out = "{";
  Add(&out, "f", std::to_string(route.from));
  Add(&out, "t", std::to_string(route.to));
  Add(&out, "a", Number(route.from_dx));
  Add(&out, "b", Number(route.to_dx));
  Add(&out, "w", Number(EdgeWidth(edge)));
  Add(&out, "c", JsonQuote(ClassOf(edge, route.up)));
  if (const std::string tip = TipOf(edge); !tip.empty()) Add(&out, "tip", JsonQuote(tip));
  if (route.up) {
    Add(&out, "up", "1");
    Add(&out, "ch", Number(route.channel));
    Add(&out, "by", Number(TrackDistance(route.track)));
  }
  std::string list;
  for (const LayoutVia& via : route.via)
    list += (list.empty() ? "" : ",") + Pair(static_cast<double>(via.layer), via.x);
  if (!list.empty()) Add(&out, "via", "[" + list + "]");
  list.clear();
  for (const std::string_view tensor : edge.tensors)
    list += (list.empty() ? "" : ",") + JsonQuote(std::string(tensor));
  if (!list.empty()) Add(&out, "v", "[" + list + "]");
  return out + "}";
}

}  // namespace

std::string LevelJson(Drawing* drawing, size_t part) {
  const DrawnLevel& level = drawing->Level(part);
  const std::vector<GraphPart>& parts = drawing->parts().parts();
  const auto key = [&](size_t p) { return JsonQuote(p == 0 ? "" : parts[p].key); };
  std::string out = "{\"key\":" + key(part) +
                    ",\"up\":" + (part == 0 ? "\"\"" : key(parts[part].parent)) +
                    ",\"width\":" + Number(level.layout.width) +
                    ",\"height\":" + Number(level.layout.height) + ",\"layers\":[";
  for (size_t i = 0; i < level.layout.layers.size(); ++i)
    out += (i > 0 ? "," : "") + Pair(level.layout.layers[i].begin, level.layout.layers[i].end);
  out += "],\"lanes\":[";
  for (size_t i = 0; i < level.layout.lane_spans.size(); ++i) {
    const LayoutSpan& span = level.layout.lane_spans[i];
    out +=
        (i > 0 ? ",{" : "{") + ("\"begin\":" + Number(span.begin)) + ",\"end\":" + Number(span.end);
    const std::string area = span.end > span.begin ? drawing->LaneClass(part, i) : "";
    if (!area.empty()) Add(&out, "area", JsonQuote(area));
    const std::string task = part == 0 && !area.empty() ? drawing->LaneTask(i) : "";
    if (!task.empty()) Add(&out, "task", JsonQuote(task));
    out += "}";
  }
  out += "],\"items\":[";
  for (size_t i = 0; i < level.items.size(); ++i)
    out += (i > 0 ? "," : "") + ItemJson(*drawing, part, level.items[i], level.layout.items[i]);
  out += "],\"edges\":[";
  for (size_t i = 0; i < level.edges.size(); ++i)
    out += (i > 0 ? "," : "") + EdgeJson(level.edges[i], level.layout.edges[i]);
  return out + "]}";
}

std::string DrawingJson(Drawing* drawing, const std::set<size_t>& open, size_t most_items) {
  const std::vector<GraphPart>& parts = drawing->parts().parts();
  std::string first, levels = "\"\":" + LevelJson(drawing, 0);
  for (const size_t part : open)
    if (part != 0) first += (first.empty() ? "" : ",") + JsonQuote(parts[part].key);
  size_t items = drawing->Level(0).items.size();
  std::deque<size_t> next{0};
  for (; !next.empty(); next.pop_front()) {
    for (const size_t part : parts[next.front()].parts) {
      if (parts[part].node != SIZE_MAX) continue;
      const bool wanted = open.count(part) > 0;
      if (!wanted && items + parts[part].parts.size() > most_items) continue;
      levels += "," + JsonQuote(parts[part].key) + ":" + LevelJson(drawing, part);
      items += drawing->Level(part).items.size();
      next.push_back(part);
    }
  }
  return "{\"first\":[" + first + "],\"levels\":{" + levels + "}}";
}

}  // namespace tensh::shell
