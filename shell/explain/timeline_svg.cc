// The timeline of a run, and the list of its Send/Recv pairs, as SVG.
#include <algorithm>
#include <cstdio>

#include "shell/explain/export.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr int kLeft = 24, kBarRow = 26, kBarWidth = 640, kLine = 18;
constexpr double kLetter = 7.3;  // of 12 pixels
// Limits the number of drawn events. With more, several bars would share one pixel.
constexpr size_t kMaxEvents = 4000;
constexpr size_t kMostPairs = 40;

std::string Attr(const char* name, double value) {
  char out[48];
  std::snprintf(out, sizeof(out), " %s=\"%.6g\"", name, value);
  return out;
}

std::string Text(double x, double y, const std::string& text, const char* more = "") {
  return "<text" + Attr("x", x) + Attr("y", y) + " " + more + ">" + XmlEscape(text) + "</text>\n";
}

std::string Pairs(const Report& report, double* y) {
  std::string out;
  int64_t bytes = 0;
  for (const ReportTransfer& transfer : report.transfers)
    bytes += std::max<int64_t>(transfer.bytes, 0);
  out += Text(kLeft, *y,
              "④ " + Count(static_cast<int64_t>(report.transfers.size()), "Send/Recv pair") + ", " +
                  Bytes(bytes),
              "font-weight=\"bold\"");
  size_t shown = 0;
  for (const ReportTransfer& transfer : report.transfers) {
    *y += kLine;
    if (++shown > kMostPairs) {
      out += Text(kLeft + 16, *y, "…");
      break;
    }
    out += Text(kLeft + 16, *y,
                BriefDevice(transfer.from) + "  Send ══ " + transfer.tensor + "  " +
                    Bytes(transfer.bytes) + " ══▶ Recv  " + BriefDevice(transfer.to) + "  → " +
                    Join(transfer.consumers, ", "));
  }
  *y += 30;
  return out;
}

// The bars begin to the right of the longest name of a device.
double BarsLeft(const Report& report) {
  double left = 90;
  for (const ReportPartition& partition : report.partitions)
    left = std::max(
        left, kLeft + 10 + kLetter * static_cast<double>(TextWidth(BriefDevice(partition.device))));
  return left;
}

std::string Bars(const Report& report, const std::string& device, size_t lane, int64_t begin,
                 double scale, double left, double y) {
  std::string out;
  size_t drawn = 0;
  for (const ReportEvent& event : report.events) {
    if (event.device != device || ++drawn > kMaxEvents) continue;
    const bool waits = event.kind == "wait";
    std::string what = event.kind == "compute" ? event.node : event.kind + " " + event.tensor;
    if (waits) what = report.Subject(event) + " waits for " + event.waits_for;
    out += "<rect class=\"bar" + std::string(waits ? " waits" : " d" + std::to_string(lane % 7)) +
           "\" data-name=\"" + XmlEscape(report.Subject(event)) + "\" data-end=\"" +
           std::to_string(event.end_ns) + "\"" +
           Attr("x", left + double(event.start_ns - begin) * scale) + Attr("y", y) +
           Attr("width", std::max(1.0, double(event.end_ns - event.start_ns) * scale)) +
           " height=\"18\"" + (waits ? " fill=\"url(#w)\"" : "") + "><title>" +
           XmlEscape(what + " · " +
                     (event.with.empty() ? Duration(double(event.end_ns - event.start_ns))
                                         : "in " + event.with)) +
           "</title></rect>\n";
  }
  return out;
}

std::string Timeline(const Report& report, const std::vector<std::string>& lanes, double* y) {
  int64_t begin = report.events[0].start_ns, end = begin + 1;
  for (const ReportEvent& event : report.events) {
    begin = std::min(begin, event.start_ns);
    end = std::max(end, event.end_ns);
  }
  const double scale = kBarWidth / static_cast<double>(end - begin), left = BarsLeft(report);
  std::string out = Text(kLeft, *y,
                         "⑤ ran in " + Duration(static_cast<double>(report.wall_ns)) +
                             " · solid: compute · hatched: waits for a Send",
                         "font-weight=\"bold\"");
  out +=
      "<defs><pattern id=\"w\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><rect width=\"2\" height=\"5\" fill=\"#8a97aa\"/>"
      "</pattern></defs>\n";
  for (const ReportPartition& partition : report.partitions) {
    *y += kBarRow;
    const auto lane = static_cast<size_t>(std::find(lanes.begin(), lanes.end(), partition.device) -
                                          lanes.begin());
    out += Text(kLeft, *y + 13, BriefDevice(partition.device)) + "<rect class=\"bar idle\"" +
           Attr("x", left) + Attr("y", *y) + Attr("width", kBarWidth) + " height=\"18\"/>\n" +
           Bars(report, partition.device, lane, begin, scale, left, *y);
  }
  *y += 40;
  if (report.critical_path.size() > 1) {
    out += Text(kLeft, *y, CutTo("critical path: " + Join(report.critical_path, " → "), 100));
    *y += 20;
  }
  return out;
}

}  // namespace

std::string TimelineSvg(const Report& report, const std::vector<std::string>& lanes, double* y) {
  std::string out;
  if (!report.partitions.empty()) out += Pairs(report, y);
  if (!report.events.empty()) out += Timeline(report, lanes, y);
  return out;
}

double TimelineWidth(const Report& report) { return BarsLeft(report) + kBarWidth + 50; }

std::string RenderTimelineSvg(const Report& report, const std::vector<std::string>& lanes) {
  double height = 20;
  const std::string body = TimelineSvg(report, lanes, &height);
  if (body.empty()) return "";
  char head[160];
  const double width = TimelineWidth(report);
  std::snprintf(head, sizeof(head),
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing timeline\" "
                "viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" role=\"img\">\n",
                width, height, width);
  return head + body + "</svg>\n";
}

}  // namespace tensh::shell
