// Stage 5 of `explain`: the timeline of the step.
#include <algorithm>

#include "shell/explain/view.h"

namespace tensh::shell {
namespace {

constexpr size_t kMaxBar = 48;
constexpr size_t kMinBar = 16;
constexpr size_t kMaxPath = 12;

struct Span {
  int64_t begin = 0, end = 1;
};

Span StepSpan(const Report& report) {
  Span span{report.events[0].start_ns, report.events[0].end_ns};
  for (const ReportEvent& event : report.events) {
    span.begin = std::min(span.begin, event.start_ns);
    span.end = std::max(span.end, event.end_ns);
  }
  span.end = std::max(span.end, span.begin + 1);
  return span;
}

// Draws the cells of one device. Each cell shows the activity that took most of its time, except
// that every computation gets at least one cell.
std::string Bar(const Report& report, const std::string& device, Span span, size_t cells,
                const Palette& palette) {
  std::vector<double> compute(cells, 0), wait(cells, 0);
  std::vector<bool> starts(cells, false);
  const double cell_ns = static_cast<double>(span.end - span.begin) / static_cast<double>(cells);
  for (const ReportEvent& event : report.events) {
    if (event.device != device || !event.with.empty()) continue;
    const bool waits = event.kind == "wait";
    const double begin = static_cast<double>(event.start_ns - span.begin) / cell_ns;
    const double end = static_cast<double>(event.end_ns - span.begin) / cell_ns;
    const size_t first = std::min(static_cast<size_t>(begin), cells - 1);
    for (size_t c = first; c < cells && static_cast<double>(c) < end; ++c) {
      const double share =
          std::min(end, static_cast<double>(c) + 1) - std::max(begin, static_cast<double>(c));
      (waits ? wait : compute)[c] += share;
    }
    if (!waits) starts[first] = true;
  }
  std::string out, run;  // `run` holds equal cells, which are painted together.
  Role role = Role::kPlain;
  const auto flush = [&] { out += palette.Paint(role, run), run.clear(); };
  for (size_t c = 0; c < cells; ++c) {
    const double idle = 1 - compute[c] - wait[c];
    const bool busy = compute[c] >= wait[c] && compute[c] >= idle;
    const bool hidden = starts[c] && (c == 0 || !starts[c - 1]);
    const Role next = busy || hidden ? DeviceRole(device) : Role::kWait;
    if (next != role) flush();
    role = next;
    run += busy || hidden ? "▓" : wait[c] > idle ? "░" : "·";
  }
  flush();
  return out;
}

std::string Waits(const Report& report, const std::string& device) {
  const ReportEvent* longest = nullptr;
  int64_t count = 0;
  for (const ReportEvent& event : report.events) {
    if (event.device != device || event.kind != "wait") continue;
    ++count;
    if (longest == nullptr || event.end_ns - event.start_ns > longest->end_ns - longest->start_ns)
      longest = &event;
  }
  if (longest == nullptr) return "";
  std::string out = Visible(report.Subject(*longest)) + " waited " +
                    Duration(static_cast<double>(longest->end_ns - longest->start_ns));
  if (!longest->waits_for.empty()) out += " for " + Visible(longest->waits_for);
  return count > 1 ? out + ", and " + Count(count - 1, "more wait") : out;
}

std::string Slowest(const Report& report) {
  std::vector<const ReportEvent*> ran;
  int64_t total = 0;
  for (const ReportEvent& event : report.events) {
    if (event.kind != "compute" || !event.with.empty()) continue;
    ran.push_back(&event);
    total += event.end_ns - event.start_ns;
  }
  if (ran.size() < 4 || total == 0) return "";
  const auto longer = [](const ReportEvent* a, const ReportEvent* b) {
    return a->end_ns - a->start_ns > b->end_ns - b->start_ns;
  };
  std::partial_sort(ran.begin(), ran.begin() + 3, ran.end(), longer);
  std::vector<std::string> parts;
  for (size_t i = 0; i < 3; ++i) {
    const int64_t ns = ran[i]->end_ns - ran[i]->start_ns;
    parts.push_back(Visible(ran[i]->node) + " " + Duration(static_cast<double>(ns)) + " (" +
                    std::to_string(100 * ns / total) + " %)");
  }
  return " slowest: " + Join(parts, " · ") + "\n";
}

std::string CriticalPath(const Report& report) {
  if (report.critical_path.size() < 2) return "";
  std::vector<std::string> path;
  const size_t n = report.critical_path.size();
  for (size_t i = 0; i < n; ++i) {
    if (n > kMaxPath && i == kMaxPath / 2)
      path.push_back("… " + Digits(static_cast<int64_t>(n - kMaxPath)) + " more …");
    if (n > kMaxPath && i >= kMaxPath / 2 && i < n - kMaxPath / 2) continue;
    path.push_back(Visible(report.critical_path[i]));
  }
  return " critical path: " + Join(path, " → ") + "\n";
}

// Returns a note about long work that was done only once. It is not part of the step's time.
std::string Once(const Report& report) {
  constexpr int64_t kLongNs = 50'000'000;
  std::vector<std::string> parts;
  for (const ReportOnce& work : report.once)
    if (work.ns >= kLongNs)
      parts.push_back(Visible(work.what) + " " + Duration(static_cast<double>(work.ns)));
  return parts.empty() ? "" : " once, before the step: " + Join(parts, " · ") + "\n";
}

}  // namespace

std::string RenderStep(const Report& report, const ViewOptions& options) {
  if (report.events.empty()) {
    return " ⑤ not run        explain analyze " + options.request + options.feeds +
           " runs it and shows the times\n";
  }
  const Span span = StepSpan(report);
  const int64_t wall = report.wall_ns > 0 ? report.wall_ns : span.end - span.begin;
  const Palette& palette = options.palette;
  std::string ran =
      " " + palette.Paint(Role::kHeading, "⑤ ran in " + Duration(static_cast<double>(wall)));
  if (options.warm_ns > 0) ran += ", warm " + Duration(static_cast<double>(options.warm_ns));
  constexpr size_t kLegendAt = 23;  // columns
  const std::string legend = "▓ compute   ░ waits on a Recv   · idle";
  const size_t before = std::max(TextWidth(ran) + 3, kLegendAt);
  const bool fits = options.width == 0 || before + TextWidth(legend) <= options.width;
  std::string out =
      (fits ? PadTo(ran, before) : ran + "\n   ") + palette.Paint(Role::kNote, legend) + "\n";
  size_t name_width = 0;
  for (const ReportPartition& partition : report.partitions)
    name_width = std::max(name_width, TextWidth(partition.device));
  const size_t room = options.width == 0 ? kMaxBar : options.width / 2;
  const size_t cells = std::clamp<size_t>(room, kMinBar, kMaxBar);
  for (const ReportPartition& partition : report.partitions) {
    const std::string name = palette.Paint(DeviceRole(partition.device), partition.device);
    std::string line =
        " " + PadTo(name, name_width) + " " + Bar(report, partition.device, span, cells, palette);
    const std::string waits = Waits(report, partition.device);
    const bool beside =
        options.width == 0 || TextWidth(line) + 2 + TextWidth(waits) <= options.width;
    if (!waits.empty()) line += (beside ? "  " : "\n   ") + waits;
    out += line + "\n";
  }
  return out + CriticalPath(report) + Slowest(report) + Once(report);
}

}  // namespace tensh::shell
