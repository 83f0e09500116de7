// The tables of runs: the events of the last traced step, the transfers of the last run, and the
// recent runs themselves.
#include <algorithm>
#include <unordered_map>

#include "shell/commands/base/shell.h"
#include "shell/commands/tables/relation.h"
#include "shell/explain/report.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

using Type = RelationColumn::Type;

constexpr RelationColumn kEventColumns[] = {
    {"device", Type::kText, "the short name of the device"},
    {"kind", Type::kText, "compute, read, send, recv or wait"},
    {"node", Type::kText, "the name of the node"},
    {"op", Type::kText, "its op"},
    {"start", Type::kNs, "nanoseconds since the step began"},
    {"time", Type::kNs, "duration in nanoseconds"},
    {"tensor", Type::kText, "of a send, recv or wait: the tensor"},
    {"waits_for", Type::kText, "of a wait: what ended it"},
    {"bytes", Type::kBytes, "bytes that were produced or moved"},
    {"iterations", Type::kInteger, "of a whole loop: the number of iterations"},
    {"iteration", Type::kInteger,
     "of an event in a loop, whose time is part of the loop's: the iteration, from 1"},
    {"inner", Type::kInteger, "of an event in a loop within a loop: the iteration of that"},
    {"value", Type::kText,
     "of an event in a loop or a function: the output, if that is a single number"},
};

// The events of a report as rows: those inside of a loop or a call follow that of the loop or the
// caller.
struct EventRows {
  explicit EventRows(const std::string& json) {
    ParseReport(json, &report, ReportParts::kTimes);
    std::stable_sort(
        report.in_loops.begin(), report.in_loops.end(),
        [](const ReportEvent& a, const ReportEvent& b) { return a.start_ns < b.start_ns; });
    for (const ReportEvent& event : report.events) {
      rows.push_back(&event);
      const bool calls = report.Calls(event.node);
      if (event.kind != "compute" || (!IsLoop(event) && !calls)) continue;
      for (const ReportEvent& inside : report.in_loops)
        if (IsInside(inside, event, calls)) rows.push_back(&inside);
    }
  }
  // Returns true if the event is one of the loop's or, with `calls`, of the caller's. The body of a
  // function may have nodes on other devices.
  static bool IsInside(const ReportEvent& inside, const ReportEvent& event, bool calls) {
    if (calls) return inside.node.starts_with(event.node + "/");
    return inside.device == event.device && inside.start_ns >= event.start_ns &&
           inside.end_ns <= event.end_ns;
  }
  Report report;
  std::vector<const ReportEvent*> rows;
};

class EventsCursor : public RowCursor {
 public:
  explicit EventsCursor(std::shared_ptr<const EventRows> events) : events_(std::move(events)) {}
  bool Next() override { return ++at_ < events_->rows.size(); }
  uint64_t position() const override { return at_; }
  void Restore(uint64_t position) override { at_ = static_cast<size_t>(position); }

  Cell At(size_t column) const override {
    const ReportEvent& event = *events_->rows[at_];
    switch (column) {
      case 0:
        return Cell::Text(event.device);
      case 1:
        return Cell::Text(event.kind);
      case 2:
        return Cell::Text(event.node);
      case 3:
        return Cell::Text(event.op);
      case 4:
        return Cell::Number(event.start_ns);
      case 5:
        return Cell::Number(event.end_ns - event.start_ns);
      case 6:
        return Cell::Text(event.tensor);
      case 7:
        return Cell::Text(event.waits_for);
      case 8:
        return Cell::Number(event.bytes);
      case 9:
        return IsLoop(event) ? Cell::Number(event.iterations) : Cell();
      case 10:
        return event.iteration > 0 ? Cell::Number(event.iteration) : Cell();
      case 11:
        return event.inner > 0 ? Cell::Number(event.inner) : Cell();
      default:
        return event.value.empty() ? Cell() : Cell::Text(event.value);
    }
  }

 private:
  std::shared_ptr<const EventRows> events_;
  size_t at_ = SIZE_MAX;  // so that the first Next() moves to row 0
};

std::function<std::unique_ptr<RowCursor>()> OpenEvents(Shell& shell) {
  return [&shell, events = std::shared_ptr<const EventRows>()]() mutable {
    if (events == nullptr) events = std::make_shared<EventRows>(shell.runs().last_traced().report);
    return std::make_unique<EventsCursor>(events);
  };
}

constexpr RelationColumn kTransferColumns[] = {
    {"tensor", Type::kText, "the tensor that is sent"},
    {"consumers", Type::kText, "the nodes that need it"},
    {"source", Type::kText, "the short name of the device that sends it"},
    {"target", Type::kText, "the device that receives it"},
    {"bytes", Type::kBytes, "its size; NULL if that is unknown before a run"},
    {"waited", Type::kNs, "nanoseconds that the receiver waited; NULL before a run"},
};

std::vector<Row> TransferRows(Shell& shell) {
  Report report;
  ParseReport(shell.runs().last().report, &report, ReportParts::kTimes);
  std::unordered_map<std::string, int64_t> waited;
  for (const ReportEvent& event : report.events) {
    if (event.kind == "wait")
      waited[event.device + " " + event.tensor] += event.end_ns - event.start_ns;
  }
  std::vector<Row> rows;
  for (const ReportTransfer& transfer : report.transfers) {
    const auto at = waited.find(transfer.to + " " + transfer.tensor);
    const Cell wait =
        report.events.empty() ? Cell() : Cell::Number(at == waited.end() ? 0 : at->second);
    rows.push_back({Cell::Text(transfer.tensor), Cell::Text(Join(transfer.consumers, ", ")),
                    Cell::Text(transfer.from), Cell::Text(transfer.to), Cell::Known(transfer.bytes),
                    wait});
  }
  return rows;
}

constexpr RelationColumn kStepColumns[] = {
    {"step", Type::kInteger, "1 for the oldest run that is kept"},
    {"request", Type::kText, "the fetches and feeds as typed"},
    {"timed", Type::kBool, "true if its events were recorded, as by explain analyze"},
    {"version", Type::kInteger, "the version of the graph"},
    {"nodes", Type::kInteger, "the number of nodes that were needed"},
    {"pruned", Type::kInteger, "the number of nodes that were not"},
    {"partitions", Type::kInteger, "the number of devices"},
    {"transfers", Type::kInteger, "the number of Send/Recv pairs"},
    {"moved", Type::kBytes, "the bytes that they moved"},
    {"time", Type::kNs, "nanoseconds; NULL if the run has no times"},
};

std::vector<Row> StepRows(Shell& shell) {
  shell.runs().last();  // makes the last run of a script known
  std::vector<Row> rows;
  for (const ExplainedRun& run : shell.runs().recent()) {
    Report report;
    ParseReport(run.report, &report);
    int64_t moved = 0, nodes = 0;
    for (const ReportTransfer& transfer : report.transfers)
      moved += std::max<int64_t>(transfer.bytes, 0);
    for (const ReportNode& node : report.nodes) nodes += node.state != "pruned";
    const bool timed = !report.events.empty() || report.wall_ns > 0;
    rows.push_back({Cell::Number(static_cast<int64_t>(rows.size()) + 1), Cell::Text(run.request),
                    Cell::Bool(timed), Cell::Number(report.version), Cell::Number(nodes),
                    Cell::Number(report.pruned_total),
                    Cell::Number(static_cast<int64_t>(report.partitions.size())),
                    Cell::Number(static_cast<int64_t>(report.transfers.size())),
                    Cell::Number(moved), timed ? Cell::Number(report.wall_ns) : Cell()});
  }
  return rows;
}

}  // namespace

const ShellTable kEventsTable{"events", "The events of the last traced step.", kEventColumns,
                              OpenEvents};
const ShellTable kTransfersTable{
    "transfers", "The Send/Recv pairs of the last run.", kTransferColumns,
    [](Shell& shell) { return StoredRows([&shell] { return TransferRows(shell); }); }};
const ShellTable kStepsTable{
    "steps", "The recent runs of verbs, and the last run of a script.", kStepColumns,
    [](Shell& shell) { return StoredRows([&shell] { return StepRows(shell); }); }};

}  // namespace tensh::shell
