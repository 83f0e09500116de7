#include <algorithm>
#include <chrono>
#include <memory>

#include "shell/commands/base/graph_report.h"
#include "shell/commands/base/live.h"
#include "shell/commands/base/live_snapshot.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/tables.h"
#include "shell/explain/drawing_json.h"
#include "shell/explain/export.h"
#include "shell/live/server.h"
#include "shell/plot/draw.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/session/graphs.h"
#include "shell/session/recording.h"
#include "shell/session/runs.h"
#include "shell/session/sessions.h"
#include "shell/text/json.h"

namespace tensh::shell {
namespace {

constexpr size_t kRows = 150;  // Rows of a drawing. A larger graph is folded by name scope.
constexpr size_t kCommandWidth = 200, kErrorWidth = 400, kRequestWidth = 60;
constexpr size_t kPoints = 1000;                       // maximum points of a curve
constexpr size_t kMostRuns = 8;                        // that the page can compare
constexpr size_t kMaxValues = 1000, kValueWidth = 40;  // printed values of a film
constexpr std::chrono::milliseconds kRedraw{100};

// The drawings of the previous snapshot. They are reused, because most commands change only one
// part of the page.
struct Drawn {
  uint64_t graph = 0, version = UINT64_MAX, run = 0, era = 0;
  std::string graph_json, run_of, plot;
  std::shared_ptr<Drawing> graph_drawing;
  std::vector<std::shared_ptr<const FilmedRun>> runs = {};
  uint64_t runs_made = 0;
  std::shared_ptr<const NodeValues> values = std::make_shared<const NodeValues>();
  std::vector<std::string> dead = {};  // tasks that do not answer
  size_t moment = SIZE_MAX;            // of the last run, at which `step` is
  uint64_t beside = 0;                 // the run that `explain diff` compares with the last one
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

// Returns the printed values of a step. The names are those of its report, because its nodes may be
// removed after the command.
ValueTexts TextsOf(const Report& report, const GraphHandle& graph, const NodeValues& values) {
  ValueTexts texts;
  for (const ReportNode& node : report.nodes) {
    if (node.state == "pruned" || node.id < 0 || texts.size() >= kMaxValues) continue;
    // The values of the iterations of a loop are in the events.
    if (!node.loop.empty() && node.op != "Exit" && node.op != "RefExit") continue;
    const auto id = static_cast<tsh_node>(node.id);
    for (uint32_t i = 0; i < graph.NumOutputs(id); ++i) {
      std::string text = values.Text(graph, {id, i}, kValueWidth);
      if (!text.empty()) texts[node.name + ":" + std::to_string(i)] = std::move(text);
    }
  }
  return texts;
}

void DrawRun(Drawn* drawn, Shell& shell, const GraphHandle& graph) {
  const ExplainedRun& run = shell.runs().last();
  const bool again = drawn->run == Runs::number();
  if (!again || drawn->run_of != run.report)
    drawn->values = std::make_shared<const NodeValues>(RecordedValues());
  if (again && drawn->run_of == run.report) return;
  drawn->run = Runs::number();
  drawn->run_of = run.report;
  if (drawn->moment != 0) drawn->moment = SIZE_MAX;  // 0: `step` has just made this run
  auto report = std::make_shared<Report>();
  ParseReport(run.report, report.get());
  auto made = std::make_shared<FilmedRun>();
  made->id = ++drawn->runs_made;
  made->request = run.request, made->target = run.target;
  made->report = report;
  made->drawing = std::make_shared<Drawing>(report);
  made->drawing_json = FirstLevels(made->drawing.get());
  if (!report->events.empty() && graph && graph.id() == run.graph)
    made->values = TextsOf(*report, graph, *drawn->values);
  drawn->runs.push_back(std::move(made));
  if (drawn->runs.size() > kMostRuns) drawn->runs.erase(drawn->runs.begin());
}

std::string RunsJson(const std::vector<std::shared_ptr<const FilmedRun>>& runs) {
  std::string out = "[";
  for (const auto& run : runs)
    out += (out.size() > 1 ? ",{\"id\":" : "{\"id\":") + std::to_string(run->id) +
           ",\"request\":" + JsonQuote(CutTo(Visible(run->request), kRequestWidth)) +
           ",\"version\":" + std::to_string(run->report->version) + "}";
  return out + "]";
}

// Returns true if the tasks that do not answer may be others than before, and the server to be asked
// answers: it has just reported that a task is lost, or has run a step.
bool TasksChanged(const Drawn& drawn, const PyError* error) {
  if (error == nullptr) return !drawn.dead.empty() && drawn.run != Runs::number();
  return error->ClassName() == "UnavailableError" || error->ClassName() == "AbortedError";
}

// Returns the error and the node that failed, if the error is of a node, as fields of the state.
std::string ErrorJson(const PyError* error) {
  if (error == nullptr) return ",\"error\":\"\"";
  const std::string text = error->ClassName() + ": " + error->Message();
  std::string json = ",\"error\":" + JsonQuote(CutTo(text, kErrorWidth));
  const Value op = FindAttr(error->value(), Intern("_op"));  // a tf.Operation, or its name
  if (op.is_null() || op.is_none()) return json;
  const Value name = FindAttr(op, Intern("name"));
  return json + ",\"error_node\":" + JsonQuote(Str(name.is_null() ? op : name));
}

// Returns the tasks of the cluster that do not answer, by asking the server.
std::vector<std::string> DeadTasks(Shell& shell, const GraphHandle& graph) {
  const Value session = graph ? shell.sessions().Over(graph) : Value();
  if (session.is_null() || Str(GetAttr(session, Intern("sess_str"))).empty()) return {};
  const Json devices = Json::Parse(TakeText(tsh_session_devices_json(SessionOf(session))));
  std::vector<std::string> tasks;
  for (const Json& device : devices.items()) {
    std::string task = TaskOfDevice(device["name"].as_string());
    if (!DeviceAnswers(device) && !task.empty() &&
        std::find(tasks.begin(), tasks.end(), task) == tasks.end())
      tasks.push_back(std::move(task));
  }
  return tasks;
}

size_t Stride(const Watch& watch) { return watch.numbers.size() / kPoints + 1; }

std::vector<double> ThinnedNumbers(const Watch& watch) {
  std::vector<double> numbers;
  for (size_t i = 0; i < watch.numbers.size(); i += Stride(watch))
    numbers.push_back(watch.numbers[i]);
  return numbers;
}

plot::Series Thinned(const Watch& watch, size_t index) {
  plot::Series series;
  series.color = plot::CycleColor(index);
  series.label = watch.text;
  series.y = ThinnedNumbers(watch);
  for (size_t i = 0; i < series.y.size(); ++i)
    series.x.push_back(static_cast<double>(i * Stride(watch) + 1));
  return series;
}

}  // namespace

bool IsLive() { return live::On(); }

void PublishLive(Shell& shell, const std::string& command, const PyError* error) {
  if (!live::On()) return;
  Drawn& drawn = Before();
  if (drawn.era != shell.runs().era()) drawn.runs.clear(), drawn.run_of.clear(), drawn.beside = 0;
  drawn.era = shell.runs().era();
  if (TasksChanged(drawn, error))
    drawn.dead = DeadTasks(shell, HasGraph() ? CurrentGraph() : GraphHandle());
  auto snapshot = std::make_shared<Snapshot>();
  std::string json = "{\"command\":" + JsonQuote(CutTo(command, kCommandWidth)) + ErrorJson(error);
  if (shell.options().interactive) json += ",\"cell\":" + std::to_string(shell.cell());
  if (HasGraph()) {
    snapshot->graph = CurrentGraph();
    snapshot->nodes = snapshot->graph.size();
    const uint64_t version = snapshot->graph.version();
    DrawGraph(&drawn, snapshot->graph, version);
    json += ",\"graph_version\":" + std::to_string(version) +
            ",\"graph_id\":" + std::to_string(snapshot->graph.id()) +
            ",\"graph_nodes\":" + std::to_string(snapshot->nodes) +
            ",\"graph\":" + drawn.graph_json;
  }
  if (!shell.runs().last().report.empty()) {
    DrawRun(&drawn, shell, snapshot->graph);
    const FilmedRun& run = *drawn.runs.back();
    json += ",\"request\":" + JsonQuote(CutTo(Visible(run.request), kRequestWidth)) +
            ",\"run_id\":" + std::to_string(run.id) + ",\"run\":" + run.drawing_json +
            ",\"runs\":" + RunsJson(drawn.runs);
    if (drawn.moment != SIZE_MAX) json += ",\"moment\":" + std::to_string(drawn.moment);
    if (drawn.beside != 0) json += ",\"beside\":" + std::to_string(drawn.beside);
  }
  json += ",\"plot\":" + JsonQuote(drawn.plot) + ",\"dead\":" + TextList(drawn.dead);
  snapshot->runs = drawn.runs;
  snapshot->graph_drawing = drawn.graph_drawing;
  snapshot->values = drawn.values;
  for (const Watch& watch : shell.watches().all())
    if (watch.numbers.size() > 1) snapshot->curves.push_back({watch.text, ThinnedNumbers(watch)});
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

void PublishPins() {
  using Clock = std::chrono::steady_clock;
  static Clock::time_point sent_at;
  if (!live::On() || Clock::now() - sent_at < kRedraw) return;
  sent_at = Clock::now();
  const std::vector<std::string> tensors = PinnedTensors();
  if (tensors.empty() || !HasGraph()) return;
  Snapshot snapshot;
  snapshot.graph = CurrentGraph();
  snapshot.values = std::make_shared<const NodeValues>(RecordedValues());
  std::string json;
  for (const std::string& tensor : tensors)
    json += (json.empty() ? "" : ",") + JsonQuote(tensor) + ":" + snapshot.Value(tensor, 0);
  live::Send("{\"pins\":{" + json + "}}");
}

void ShowMoment(size_t moment) {
  if (live::On()) Before().moment = moment;
}

void ShowBeside(int64_t version) {
  Drawn& drawn = Before();
  drawn.beside = 0;
  for (const auto& run : drawn.runs)
    if (run->report->version == version && run != drawn.runs.back()) drawn.beside = run->id;
}

}  // namespace tensh::shell
