#include "shell/explain/film.h"

#include <algorithm>
#include <map>

#include "shell/explain/drawing_json.h"
#include "shell/explain/export.h"
#include "shell/page/texts.h"
#include "shell/text/json.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr size_t kMostItems = 30000;  // of the levels in a page
constexpr size_t kMostEvents = 4000;  // of a timeline
constexpr size_t kMostWork = 4'000'000, kLeastMoments = 20, kMostMoments = 2000;
constexpr size_t kNamed = 6, kMostOfPath = 40;

std::string List(const std::vector<std::string>& items, size_t from = 0) {
  std::string out = "[";
  for (size_t i = from; i < items.size(); ++i) out += (i > from ? "," : "") + JsonQuote(items[i]);
  return out + "]";
}

std::string Nodes(size_t count) { return Count(static_cast<int64_t>(count), "node"); }

std::string PrunedText(const Report& report) {
  const auto pruned = report.pruned_total;
  if (pruned == 0) return "pruned: every node is needed, and none is left out";
  std::vector<std::string> names;
  for (const ReportNode& node : report.nodes)
    if (node.state == "pruned" && names.size() <= kNamed) names.push_back(Visible(node.name));
  const bool cut = static_cast<int64_t>(names.size()) < pruned || names.size() > kNamed;
  if (names.size() > kNamed) names.resize(kNamed);
  return "pruned: " + Count(pruned, "node") +
         (pruned == 1 ? " is left out, because no fetch needs it: "
                      : " are left out, because no fetch needs them: ") +
         Join(names, ", ") + (cut ? ", …" : "");
}

std::string PlacedText(const Report& report) {
  std::map<std::string, size_t> counts;
  for (const ReportNode& node : report.nodes)
    if (!node.device.empty() && node.state != "pruned") ++counts[node.device];
  std::vector<std::string> parts;
  for (const auto& [device, count] : counts)
    parts.push_back(Nodes(count) + " on " + BriefDevice(device));
  return "placed: " + Join(parts, ", ");
}

std::string CutText(const Report& report) {
  if (report.transfers.empty()) return "one partition: nothing has to be sent";
  int64_t bytes = 0;
  for (const ReportTransfer& transfer : report.transfers)
    bytes += std::max<int64_t>(transfer.bytes, 0);
  return "cut into " + Count(static_cast<int64_t>(report.partitions.size()), "partition") + ": " +
         Count(static_cast<int64_t>(report.transfers.size()), "Send/Recv pair") + ", " +
         Bytes(bytes);
}

std::string StagesJson(const Report& report) {
  return List({"the graph @" + std::to_string(report.version) + ": " +
                   Nodes(static_cast<size_t>(std::max<int64_t>(report.graph_nodes, 0))),
               PrunedText(report), PlacedText(report), CutText(report)});
}

// Gives the names of devices numbers, in the order of the lanes.
class Devices {
 public:
  explicit Devices(const std::vector<std::string>& lanes) {
    for (const std::string& lane : lanes) Number(lane);
  }
  size_t Number(const std::string& device) {
    const auto [at, added] = numbers_.emplace(device, names_.size());
    if (added) names_.push_back(device);
    return at->second;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::map<std::string, size_t> numbers_;
  std::vector<std::string> names_;
};

// An event is [device, kind, start, end, node, text]; the kinds are those of film.js. Events inside
// of a loop have one more element.
std::string EventsJson(const Report& report, Devices* devices) {
  constexpr std::string_view kKinds[] = {"compute", "read", "send", "recv", "wait"};
  std::string out = "[";
  size_t count = 0;
  const auto add = [&](const ReportEvent& event, bool inner) {
    if (++count > kMostEvents) return;
    const auto kind = std::find(std::begin(kKinds), std::end(kKinds), event.kind);
    const std::string subject = report.Subject(event);
    std::string text = event.tensor;
    if (event.kind == "wait") text = event.waits_for;
    out += (out.size() > 1 ? ",[" : "[") + std::to_string(devices->Number(event.device)) + "," +
           std::to_string(kind - std::begin(kKinds)) + "," + std::to_string(event.start_ns) + "," +
           std::to_string(event.end_ns) + "," + JsonQuote(subject) + "," + JsonQuote(text) +
           (inner ? ",1]" : "]");
  };
  for (const ReportEvent& event : report.events) add(event, false);
  for (const ReportEvent& event : report.in_loops) add(event, true);
  return out + "]";
}

std::string TransfersJson(const Report& report, Devices* devices) {
  std::string out = "[";
  for (const ReportTransfer& transfer : report.transfers)
    out += (out.size() > 1 ? ",[" : "[") + JsonQuote(transfer.tensor) + "," +
           std::to_string(devices->Number(transfer.from)) + "," +
           std::to_string(devices->Number(transfer.to)) + "," + std::to_string(transfer.bytes) +
           "]";
  return out + "]";
}

// Returns the text of a moment. In a film, a value that was not kept is not mentioned.
std::string WhatOf(const Moment& moment, const ValueTexts& values) {
  const std::string text = MomentText(moment, values);
  return text.ends_with(kNotKept) ? moment.what : text;
}

std::string MomentsJson(const Film& film) {
  std::string out = "[";
  size_t before = 0;
  for (const Moment& m : film.moments) {
    out += (out.size() > 1 ? ",\n" : "") + ("{\"what\":" + JsonQuote(WhatOf(m, film.values))) +
           ",\"node\":" + JsonQuote(m.node) + ",\"at\":" + std::to_string(m.at_ns) +
           ",\"ran\":" + List(m.done, before) + ",\"arrived\":" + List(m.arrived) +
           ",\"nottaken\":" + List(m.not_taken) + ",\"ready\":" + List(m.ready) +
           ",\"flight\":" + List(m.in_flight) + ",\"sent\":\"" + m.transfers + "\"}";
    before = m.done.size();
  }
  return out + "]";
}

// Returns the beginning of the critical path.
std::vector<std::string> PathOf(const Report& report) {
  std::vector<std::string> path = report.critical_path;
  if (path.size() <= kMostOfPath) return path;
  path.resize(kMostOfPath);
  path.emplace_back("…");
  return path;
}

}  // namespace

size_t MostMoments(const Report& report) {
  const size_t nodes = std::max<size_t>(report.nodes.size() + report.called.size(), 1);
  return std::clamp(kMostWork / nodes, kLeastMoments, kMostMoments);
}

std::string FilmJson(const Film& film, const std::vector<std::string>& lanes) {
  Devices devices(lanes);
  std::string out =
      "{\"title\":" + JsonQuote(film.title) +
      ",\"version\":" + std::to_string(film.report.version) +
      ",\"wall\":" + std::to_string(film.report.wall_ns) +
      ",\"more\":" + std::to_string(film.more) + ",\"stages\":" + StagesJson(film.report) +
      ",\"transfers\":" + TransfersJson(film.report, &devices) +
      ",\"events\":" + EventsJson(film.report, &devices) + ",\"path\":" + List(PathOf(film.report));
  std::vector<std::string> used;
  for (const ReportPartition& partition : film.report.partitions) {
    devices.Number(partition.device);
    used.push_back(partition.device);
  }
  out += ",\"devices\":" + List(devices.names()) + ",\"used\":" + List(used) + ",\"values\":{";
  for (const auto& [tensor, text] : film.values)
    if (!text.starts_with(kNotKept))
      out += (out.back() == '{' ? "" : ",") + JsonQuote(tensor) + ":" + JsonQuote(text);
  return out + "},\"moments\":" + MomentsJson(film) + "}";
}

std::string RenderFilm(const Film& film, Drawing* drawing) {
  const std::string data =
      "const data=" + DrawingJson(drawing, OpenParts(*drawing, {}, kBoxesOfPage), kMostItems) +
      ";\nconst shots=" + FilmJson(film, drawing->parts().lanes()) + ";\n";
  return PageHead("step " + film.title, "document film-page") +
         "<div id=\"film\"></div>\n<script>\n" + ForScript(data) + TextOfPage("drawing") +
         TextOfPage("film") +
         "const film=new "
         "Film(document.getElementById('film'),dataSource(data),shots,{keys:true,begin:0});\n"
         "const drawing=film.drawing;\n</script>\n</html>\n";
}

}  // namespace tensh::shell
