#include <algorithm>
#include <chrono>
#include <memory>

#include "shell/commands/base/graph_report.h"
#include "shell/commands/base/live.h"
#include "shell/commands/base/node_values.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/tables.h"
#include "shell/explain/drawing_json.h"
#include "shell/explain/export.h"
#include "shell/live/server.h"
#include "shell/plot/draw.h"
#include "shell/python/values/error.h"
#include "shell/session/graphs.h"
#include "shell/session/recording.h"
#include "shell/session/runs.h"
#include "shell/text/json.h"

namespace tensh::shell {
namespace {

constexpr size_t kRows = 150;  // Rows of a drawing. A larger graph is folded by name scope.
constexpr size_t kNamesFound = 60;
constexpr size_t kConsumers = 40;
constexpr size_t kValueWidth = 400, kCommandWidth = 200, kErrorWidth = 400;
constexpr size_t kPoints = 1000;  // maximum points of a curve
constexpr std::chrono::milliseconds kRedraw{100};

std::string Texts(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) out += (out.size() > 1 ? "," : "") + JsonQuote(text);
  return out + "]";
}

// The data that a browser may request about one snapshot. Immutable except for the graph, which
// only grows.
struct Snapshot {
  GraphHandle graph;
  size_t nodes = 0;  // size of the graph when the snapshot was taken
  std::shared_ptr<const Report> run;
  // Used in the server's thread only.
  std::shared_ptr<Drawing> graph_drawing, run_drawing;
  std::string request, target;  // of the run
  std::shared_ptr<const NodeValues> values;

  std::string Ask(const std::string& question) const {
    bool ok = false;
    const Json asked = Json::Parse(question, &ok);
    if (!ok) return "";
    std::string answer;
    if (asked["node"].is_string()) answer = AboutNode(asked["node"].as_string());
    Drawing* drawing = asked["of"].as_string() == "run" ? run_drawing.get() : graph_drawing.get();
    if (asked["level"].is_string()) answer = Level(drawing, asked["level"].as_string());
    if (asked["path"].is_string()) answer = Path(drawing, asked["path"].as_string());
    if (asked["find"].is_string()) answer = Find(asked["find"].as_string());
    if (answer.empty()) return "";
    return "{\"id\":" + std::to_string(asked["id"].as_int()) + ",\"answer\":" + answer + "}";
  }

 private:
  std::string AboutNode(const std::string& name) const {
    const tsh_node node = graph ? graph.Find(name) : TSH_NO_NODE;
    if (node == TSH_NO_NODE || node >= nodes)
      return "{\"name\":" + JsonQuote(name) + ",\"missing\":true}";
    std::vector<std::string> inputs, shown;
    for (const tsh_output input : graph.Inputs(node)) {
      inputs.emplace_back(graph.NodeName(input.node));
    }
    for (const tsh_node control : graph.Controls(node))
      inputs.emplace_back(graph.NodeName(control));
    const size_t outputs = graph.NumOutputs(node);
    for (size_t i = 0; i < outputs; ++i) {
      const std::string text = values->Text(graph, {node, static_cast<uint32_t>(i)}, kValueWidth);
      if (!text.empty()) shown.push_back((outputs > 1 ? std::to_string(i) + ": " : "") + text);
    }
    const uint32_t source = graph.Source(node);
    return "{\"name\":" + JsonQuote(name) + ",\"line\":" + JsonQuote(NodeLine(graph, node)) +
           ",\"attrs\":" + JsonQuote(graph.AttrsJson(node)) +
           ",\"source\":" + std::to_string(source) + ",\"values\":" + Texts(shown) +
           ",\"why\":" + JsonQuote(Why(name)) + ",\"inputs\":" + Texts(inputs) +
           ",\"consumers\":" + Texts(Consumers(node)) + "}";
  }

  std::string Why(const std::string& name) const {
    if (run->nodes.empty()) return "";
    const ReportNode* node = run->Find(name);
    std::string why = node != nullptr && node->state != "pruned"
                          ? ExplainWhy(*run, name)
                          : ExplainWhyNot(*run, name, {request, target});
    while (!why.empty() && why.back() == '\n') why.pop_back();
    return why;
  }

  std::vector<std::string> Consumers(tsh_node node) const {
    std::vector<std::string> names;
    for (size_t n = node + size_t{1}; n < nodes && names.size() < kConsumers; ++n) {
      const auto id = static_cast<tsh_node>(n);
      bool takes = false;
      for (size_t i = 0; i < graph.Inputs(id).size() && !takes; ++i)
        takes = graph.Input(id, i).node == node;
      for (size_t i = 0; i < graph.Controls(id).size() && !takes; ++i)
        takes = graph.Controls(id)[i] == node;
      if (takes) names.emplace_back(graph.NodeName(id));
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
    return "{\"keys\":" + Texts(keys) + "}";
  }

  std::string Find(const std::string& text) const {
    std::vector<std::string> names;
    size_t count = 0;
    for (size_t n = 0; n < nodes && !text.empty(); ++n) {
      const auto id = static_cast<tsh_node>(n);
      const std::string_view name = graph.NodeName(id);
      if (name.find(text) == std::string_view::npos && text != graph.NodeOp(id)) continue;
      if (++count <= kNamesFound) names.emplace_back(name);
    }
    return "{\"names\":" + Texts(names) + ",\"count\":" + std::to_string(count) + "}";
  }
};

// The drawings of the previous snapshot. They are reused, because most commands change only one
// part of the page.
struct Drawn {
  uint64_t graph = 0, version = 0, run = 0;
  std::string graph_json, run_of, run_json, timeline, plot;
  std::shared_ptr<const Report> run_report = std::make_shared<const Report>();
  std::shared_ptr<Drawing> graph_drawing, run_drawing;
  std::shared_ptr<const NodeValues> values = std::make_shared<const NodeValues>();
};
Drawn& Before() {
  static Drawn* drawn = new Drawn;
  return *drawn;
}

// Returns the levels that are open at first; the page requests others when they are opened.
std::string FirstLevels(Drawing* drawing) {
  if (drawing == nullptr) return "null";
  ViewOptions options;
  options.max_rows = kRows;
  return DrawingJson(drawing, OpenParts(*drawing, options, kBoxesOfPage), 0);
}

void DrawGraph(Drawn* drawn, const GraphHandle& graph, uint64_t version) {
  if (drawn->graph == graph.id() && drawn->version == version) return;
  drawn->graph = graph.id(), drawn->version = version;
  auto report = std::make_shared<const Report>(GraphReport(graph, AllNodes(graph)));
  drawn->graph_drawing = report->nodes.empty() ? nullptr : std::make_shared<Drawing>(report);
  drawn->graph_json = FirstLevels(drawn->graph_drawing.get());
}

void DrawRun(Drawn* drawn, Shell& shell) {
  const std::string& text = shell.runs().last().report;
  if (drawn->run != Runs::number() || drawn->run_of != text)
    drawn->values = std::make_shared<const NodeValues>(RecordedValues());
  drawn->run = Runs::number();
  if (drawn->run_of == text) return;
  auto report = std::make_shared<Report>();
  ParseReport(text, report.get());
  drawn->run_of = text;
  drawn->run_drawing = std::make_shared<Drawing>(report);
  drawn->run_json = FirstLevels(drawn->run_drawing.get());
  drawn->timeline = RenderTimelineSvg(*report, drawn->run_drawing->parts().lanes());
  drawn->run_report = std::move(report);
}

plot::Series Thinned(const Watch& watch, size_t index) {
  plot::Series series;
  series.color = plot::CycleColor(index);
  series.label = watch.text;
  const size_t every = watch.numbers.size() / kPoints + 1;
  for (size_t i = 0; i < watch.numbers.size(); i += every) {
    series.x.push_back(static_cast<double>(i + 1));
    series.y.push_back(watch.numbers[i]);
  }
  return series;
}

}  // namespace

bool IsLive() { return live::On(); }

void PublishLive(Shell& shell, const std::string& command, const std::string& error) {
  if (!live::On()) return;
  Drawn& drawn = Before();
  auto snapshot = std::make_shared<Snapshot>();
  std::string json = "{\"command\":" + JsonQuote(CutTo(command, kCommandWidth)) +
                     ",\"error\":" + JsonQuote(CutTo(error, kErrorWidth));
  if (shell.options().interactive) json += ",\"cell\":" + std::to_string(shell.cell());
  if (HasGraph()) {
    snapshot->graph = CurrentGraph();
    snapshot->nodes = snapshot->graph.size();
    const uint64_t version = snapshot->graph.version();
    DrawGraph(&drawn, snapshot->graph, version);
    json += ",\"graph_version\":" + std::to_string(version) +
            ",\"graph_nodes\":" + std::to_string(snapshot->nodes) +
            ",\"graph\":" + drawn.graph_json;
  }
  if (!shell.runs().last().report.empty()) {
    DrawRun(&drawn, shell);
    json += ",\"request\":" + JsonQuote(shell.runs().last().request) +
            ",\"run\":" + drawn.run_json + ",\"timeline\":" + JsonQuote(drawn.timeline);
  }
  json += ",\"plot\":" + JsonQuote(drawn.plot);
  snapshot->run = drawn.run_report;
  snapshot->graph_drawing = drawn.graph_drawing, snapshot->run_drawing = drawn.run_drawing;
  snapshot->request = shell.runs().last().request;
  snapshot->target = shell.runs().last().target;
  snapshot->values = drawn.values;
  live::Publish(json + "}",
                [snapshot](const std::string& question) { return snapshot->Ask(question); });
}

void PublishPlot(std::string svg) {
  if (!live::On()) return;
  live::Send("{\"plot\":" + JsonQuote(svg) + "}");
  Before().plot = std::move(svg);
}

void PublishWatches(Shell& shell, bool last) {
  using Clock = std::chrono::steady_clock;
  static Clock::time_point drawn_at;
  if (!live::On() || (!last && Clock::now() - drawn_at < kRedraw)) return;
  plot::Figure figure;
  plot::Axes axes;
  for (const Watch& watch : shell.watches().all())
    if (watch.on && watch.numbers.size() > 1)
      axes.series.push_back(Thinned(watch, axes.series.size()));
  if (axes.series.empty()) return;
  axes.x.label = "step";
  axes.legend = axes.series.size() > 1;
  if (axes.series.size() == 1) axes.title = axes.series[0].label;
  figure.axes.push_back(std::move(axes));
  PublishPlot(plot::RenderSvg(figure));
  drawn_at = Clock::now();
}

}  // namespace tensh::shell
