#include "shell/commands/base/versions.h"

#include <charconv>

#include "shell/commands/base/live.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/tables.h"
#include "shell/commands/base/words.h"
#include "shell/explain/predict.h"
#include "shell/session/graphs.h"

namespace tensh::shell {
namespace {

constexpr size_t kListed = 20;

}  // namespace

int64_t ParseVersion(CommandCall& call, std::string_view text) {
  int64_t version = -1;
  const bool at = !text.empty() && text[0] == '@';
  const std::string_view digits = at ? text.substr(1) : text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), version);
  if (!at || error != std::errc() || end != digits.data() + digits.size() || version < 0)
    call.Misused("a version is written @7, not '" + std::string(text) + "'; history lists them");
  return version;
}

size_t NodesAtVersion(CommandCall& call, int64_t version) {
  const GraphHandle graph = CurrentGraph();
  const auto now = graph.version();
  if (version > now) {
    call.Misused("the graph is at @" + std::to_string(now) + ", there is no @" +
                 std::to_string(version) + " yet");
  }
  return call.shell().versions().NodesAt(graph, version);
}

void ExplainDiff(CommandCall& call, std::string_view text) {
  const std::string_view first = FirstWord(text);
  const std::string_view second = Trim(text.substr(first.size()));
  int64_t from = ParseVersion(call, first), to = ParseVersion(call, second);
  if (from > to) std::swap(from, to);
  const size_t begin = NodesAtVersion(call, from), end = NodesAtVersion(call, to);
  Shell& shell = call.shell();
  const GraphHandle graph = CurrentGraph();
  std::string out = " @" + std::to_string(from) + " → @" + std::to_string(to) + "   + " +
                    Count(static_cast<int64_t>(end - begin), "node") + "\n";
  for (const Version* version : shell.versions().Of(graph)) {
    if (version->number <= from || version->number > to) continue;
    out += "   @" + std::to_string(version->number) + "  " +
           CutTo(Visible(version->text),
                 shell.out().width() == 0 ? 70 : std::max<size_t>(shell.out().width(), 30) - 9) +
           "\n";
  }
  for (size_t n = begin; n < end && n < begin + kListed; ++n)
    out += "   + " + NodeLine(graph, static_cast<tsh_node>(n)) + "\n";
  if (end > begin + kListed)
    out += "   … " + Count(static_cast<int64_t>(end - begin - kListed), "more node") + ": nodes\n";
  // The nodes that an earlier version ran are the same now, because a graph only grows and the
  // inputs of a node never change. Only placement and the set of pruned nodes can differ.
  const Report* before = nullptr;
  const Report* after = nullptr;
  std::vector<Report> reports;
  std::string request, request_before;
  reports.reserve(shell.runs().recent().size());
  for (const ExplainedRun& run : shell.runs().recent()) {
    Report report;
    if (!ParseReport(run.report, &report) || report.version < from || report.version > to) continue;
    reports.push_back(std::move(report));
    if (reports.back().version == from) before = &reports.back();
    if (reports.back().version == to) after = &reports.back(), request = run.request;
    if (reports.back().version == from) request_before = run.request;
  }
  if (before != nullptr && after != nullptr) {
    out += " explained last at each: " + Visible(request_before) +
           (request == request_before ? "" : " → " + Visible(request)) + "\n" +
           CompareReports(*before, *after, false);
    ShowBeside(from);
  } else {
    out +=
        " the earlier nodes run as before, because a graph only grows. Compare runs: explain X at "
        "each version\n";
  }
  shell.out().Print(WrapAdvice(out, shell.out().width()));
}

}  // namespace tensh::shell
