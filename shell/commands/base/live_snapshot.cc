#include "shell/commands/base/live_snapshot.h"

#include <algorithm>
#include <charconv>
#include <mutex>

#include "shell/commands/base/tables.h"
#include "shell/commands/base/value_json.h"
#include "shell/explain/drawing_json.h"
#include "shell/explain/film.h"
#include "shell/explain/view.h"
#include "shell/text/json.h"

namespace tensh::shell {
namespace {

constexpr size_t kNamesFound = 60, kConsumers = 40, kMostPins = 16;

struct Pins {
  std::mutex mu;
  std::vector<std::string> tensors;
};
Pins& Pinned() {
  static Pins* pins = new Pins;
  return *pins;
}

void Pin(const Json& tensors) {
  std::lock_guard lock(Pinned().mu);
  Pinned().tensors.clear();
  for (const Json& each : tensors.items())
    if (Pinned().tensors.size() < kMostPins) Pinned().tensors.push_back(each.as_string());
}

// Answers the questions that concern one snapshot.
class Answers {
 public:
  explicit Answers(const Snapshot& s) : s_(s), graph_(s.graph) {}

  std::string To(const Json& asked) const {
    if (asked["node"].is_string()) return Node(asked["node"].as_string());
    if (asked["value"].is_string())
      return s_.Value(asked["value"].as_string(),
                      static_cast<size_t>(std::max<int64_t>(asked["slice"].as_int(), 0)));
    if (asked["level"].is_string())
      return Level(DrawingOf(asked["of"]), asked["level"].as_string());
    if (asked["path"].is_string()) return Path(DrawingOf(asked["of"]), asked["path"].as_string());
    if (asked["find"].is_string()) return Find(asked["find"].as_string());
    if (asked["pins"].is_array()) return Pin(asked["pins"]), "{}";
    if (const FilmedRun* run = Run(asked["drawing"])) return run->drawing_json;
    if (const FilmedRun* run = Run(asked["film"])) return FilmOf(*run, false);
    if (const FilmedRun* run = Run(asked["save"]))
      return "{\"page\":" + JsonQuote(FilmOf(*run, true)) + "}";
    return asked["drawing"].is_null() && asked["film"].is_null() && asked["save"].is_null() ? ""
                                                                                            : "{}";
  }

 private:
  const FilmedRun* Run(const Json& id) const {
    for (const auto& run : s_.runs)
      if (id.kind() == Json::Kind::kInt && run->id == static_cast<uint64_t>(id.as_int()))
        return run.get();
    return nullptr;
  }
  Drawing* DrawingOf(const Json& of) const {
    if (const FilmedRun* run = Run(of)) return run->drawing.get();
    return of.is_string() ? s_.graph_drawing.get() : nullptr;
  }

  static std::string FilmOf(const FilmedRun& run, bool page) {
    size_t more = 0;
    std::vector<Moment> moments;
    if (!run.report->events.empty())
      moments = Moments(*run.report, MostMoments(*run.report), &more);
    const Film film{*run.report, moments, run.values, run.request, more};
    return page ? RenderFilm(film, run.drawing.get())
                : FilmJson(film, run.drawing->parts().lanes());
  }

  std::string Node(const std::string& name) const {
    const tsh_node node = graph_ ? graph_.Find(name) : TSH_NO_NODE;
    if (node == TSH_NO_NODE || node >= s_.nodes)
      return "{\"name\":" + JsonQuote(name) + ",\"missing\":true}";
    std::vector<std::string> inputs;
    for (const tsh_output input : graph_.Inputs(node))
      inputs.emplace_back(graph_.NodeName(input.node));
    for (const tsh_node control : graph_.Controls(node))
      inputs.emplace_back(graph_.NodeName(control));
    return "{\"name\":" + JsonQuote(name) + ",\"line\":" + JsonQuote(NodeLine(graph_, node)) +
           ",\"attrs\":" + JsonQuote(graph_.AttrsJson(node)) +
           ",\"source\":" + std::to_string(graph_.Source(node)) +
           ",\"outputs\":" + std::to_string(graph_.NumOutputs(node)) +
           ",\"why\":" + JsonQuote(Why(name)) + ",\"inputs\":" + TextList(inputs) +
           ",\"consumers\":" + TextList(Consumers(node)) + "}";
  }

  std::string Why(const std::string& name) const {
    const FilmedRun* run = s_.last();
    if (run == nullptr || run->report->nodes.empty()) return "";
    const ReportNode* node = run->report->Find(name);
    std::string why = node != nullptr && node->state != "pruned"
                          ? ExplainWhy(*run->report, name)
                          : ExplainWhyNot(*run->report, name, {run->request, run->target});
    while (!why.empty() && why.back() == '\n') why.pop_back();
    return why;
  }

  std::vector<std::string> Consumers(tsh_node node) const {
    std::vector<std::string> names;
    for (size_t n = node + size_t{1}; n < s_.nodes && names.size() < kConsumers; ++n) {
      const auto id = static_cast<tsh_node>(n);
      bool takes = false;
      for (size_t i = 0; i < graph_.Inputs(id).size() && !takes; ++i)
        takes = graph_.Input(id, i).node == node;
      for (size_t i = 0; i < graph_.Controls(id).size() && !takes; ++i)
        takes = graph_.Controls(id)[i] == node;
      if (takes) names.emplace_back(graph_.NodeName(id));
    }
    return names;
  }

  static std::string Level(Drawing* drawing, const std::string& key) {
    const size_t part = drawing == nullptr ? kNoPart : drawing->parts().Find(key);
    if (part == kNoPart || drawing->parts().parts()[part].node != SIZE_MAX) return "{}";
    return LevelJson(drawing, part);
  }

  static std::string Path(const Drawing* drawing, const std::string& name) {
    std::vector<std::string> keys;
    if (drawing != nullptr) {
      for (const size_t part : drawing->PathTo(name)) {
        const GraphPart& around = drawing->parts().parts()[part];
        if (part != 0 && around.node == SIZE_MAX) keys.push_back(around.key);
      }
    }
    return "{\"keys\":" + TextList(keys) + "}";
  }

  std::string Find(const std::string& text) const {
    std::vector<std::string> names;
    size_t count = 0;
    for (size_t n = 0; n < s_.nodes && !text.empty(); ++n) {
      const auto id = static_cast<tsh_node>(n);
      const std::string_view name = graph_.NodeName(id);
      if (name.find(text) == std::string_view::npos && text != graph_.NodeOp(id)) continue;
      if (++count <= kNamesFound) names.emplace_back(name);
    }
    return "{\"names\":" + TextList(names) + ",\"count\":" + std::to_string(count) + "}";
  }

  const Snapshot& s_;
  const GraphHandle& graph_;
};

}  // namespace

std::string TextList(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) out += (out.size() > 1 ? "," : "") + JsonQuote(text);
  return out + "]";
}

std::vector<std::string> PinnedTensors() {
  std::lock_guard lock(Pinned().mu);
  return Pinned().tensors;
}

std::string Snapshot::Value(const std::string& tensor, size_t slice) const {
  const size_t colon = tensor.rfind(':');
  const std::string name = tensor.substr(0, colon);
  uint32_t index = 0;
  if (colon != tensor.npos)
    std::from_chars(tensor.data() + colon + 1, tensor.data() + tensor.size(), index);
  // The nodes of a run may be temporaries, which the graph no longer has. Other nodes then have their
  // numbers, but not their values.
  const FilmedRun* run = last();
  const ReportNode* ran = run == nullptr ? nullptr : run->report->Find(name);
  tsh_node node = graph ? graph.Find(name) : TSH_NO_NODE;
  if (ran != nullptr && ran->id >= 0) node = static_cast<tsh_node>(ran->id);
  if (node == TSH_NO_NODE) return "{}";
  const auto is_other = [&](const ReportNode& each) {
    return each.id == static_cast<int64_t>(node) && each.name != name;
  };
  const bool other =
      run != nullptr && std::any_of(run->report->nodes.begin(), run->report->nodes.end(), is_other);
  const NodeValue value =
      other ? NodeValue{graph.Constant({node, index}), 1} : values->Find(graph, {node, index});
  std::string json = TensorJson(value.tensor, value.times, slice);
  const auto curve = std::find_if(curves.begin(), curves.end(),
                                  [&](const WatchedCurve& each) { return each.text == name; });
  if (curve != curves.end() && value.tensor) {
    std::string numbers;
    for (const double number : curve->numbers)
      numbers += (numbers.empty() ? "" : ",") + NumberJson(number);
    json.insert(json.size() - 1, ",\"curve\":[" + numbers + "]");
  }
  return json;
}

std::string Snapshot::Ask(const std::string& question) const {
  bool ok = false;
  const Json asked = Json::Parse(question, &ok);
  const std::string answer = ok ? Answers(*this).To(asked) : "";
  if (answer.empty()) return "";
  return "{\"id\":" + std::to_string(asked["id"].as_int()) + ",\"answer\":" + answer + "}";
}

}  // namespace tensh::shell
