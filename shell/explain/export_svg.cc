// The drawing as an SVG, and as an HTML file that contains the SVG.
#include <algorithm>
#include <cstdio>
#include <map>
#include <unordered_map>

#include "shell/explain/export.h"

namespace tensh::shell {
namespace {

constexpr int kRow = 34, kTop = 56, kBox = 24, kColumn = 300, kLeft = 24, kBoxWidth = 210;
constexpr int kBarRow = 26, kBarWidth = 560, kBarLeft = 90;
// Limits the number of drawn events. With more, several bars would share one pixel.
constexpr size_t kMaxEvents = 4000;
constexpr const char* kColours[] = {"#2b6cb0", "#c05621", "#2f855a",
                                    "#6b46c1", "#b83280", "#718096"};

std::string Attr(const char* name, double value) {
  char out[48];
  std::snprintf(out, sizeof(out), " %s=\"%.6g\"", name, value);
  return out;
}

std::string SvgText(double x, double y, const std::string& text, const char* more = "") {
  return "<text" + Attr("x", x) + Attr("y", y) + " " + more + ">" + XmlEscape(text) + "</text>\n";
}

// A drawing under construction: the position of each row's box, and the extent of the picture.
class Drawing {
 public:
  Drawing(const Report& report, const ViewOptions& options)
      : report_(report), options_(options), rows_(MakeRows(report, options)) {
    if (options.max_rows > 0 && rows_.size() > options.max_rows) {
      left_out_ = rows_.size() - options.max_rows;
      rows_.resize(options.max_rows);
    }
    FillPruned(&rows_);
    FillPlaced(&rows_);
    for (const ReportPartition& partition : report.partitions) Column(partition.device);
    for (const ViewRow& row : rows_)
      columns_of_.push_back(Column(row.pruned ? "pruned" : row.device));
  }

  std::string Draw() {
    std::string body = Heads() + Edges() + Boxes();
    int y = kTop + static_cast<int>(rows_.size()) * kRow + 16;
    if (left_out_ > 0) {
      body += SvgText(kLeft, y, "… " + Count(static_cast<int64_t>(left_out_), "more row"),
                      "fill=\"#4a5568\"");
      y += 30;
    }
    if (!report_.partitions.empty()) body += Transfers(&y);
    if (!report_.events.empty()) body += Timeline(&y);
    const double width = std::max<double>(
        kLeft * 2 + static_cast<double>(devices_.size()) * kColumn, kBarLeft + kBarWidth + 60);
    char head[400];
    std::snprintf(head, sizeof(head),
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %d\" "
                  "width=\"%.0f\" height=\"%d\" font-family=\"ui-monospace, monospace\" "
                  "font-size=\"12\" role=\"img\">\n<rect width=\"100%%\" height=\"100%%\" "
                  "fill=\"#ffffff\"/>\n<title>",
                  width, y + 20, width, y + 20);
    return head + XmlEscape("explain " + options_.request) + "</title>\n" + body + "</svg>\n";
  }

 private:
  size_t Column(const std::string& device) {
    const auto at = std::find(devices_.begin(), devices_.end(), device);
    if (at != devices_.end()) return static_cast<size_t>(at - devices_.begin());
    devices_.push_back(device);
    return devices_.size() - 1;
  }
  const char* Colour(size_t column) const {
    if (devices_[column] == "pruned") return "#a0aec0";
    return kColours[column % std::size(kColours)];
  }
  double BoxX(size_t row) const {
    return kLeft + static_cast<double>(columns_of_[row]) * kColumn + 30;
  }
  static double BoxY(size_t row) { return kTop + static_cast<double>(row) * kRow; }

  std::string Heads() const {
    std::string out =
        SvgText(kLeft, 20,
                "① graph @" + std::to_string(report_.version) +
                    (report_.partitions.empty() ? "" : "   ② pruned   ③ placed   ④ partitions") +
                    (report_.events.empty() ? "" : "   ⑤ ran"),
                "fill=\"#4a5568\"");
    const double height = static_cast<double>(rows_.size()) * kRow + 10;
    for (size_t c = 0; c < devices_.size(); ++c) {
      const double x = kLeft + static_cast<double>(c) * kColumn;
      out += "<rect" + Attr("x", x) + Attr("y", kTop - 10) + Attr("width", kColumn - 24) +
             Attr("height", height) + " rx=\"8\" fill=\"" + Colour(c) +
             "\" fill-opacity=\"0.06\" stroke=\"" + Colour(c) + "\" stroke-opacity=\"0.4\"/>\n";
      out += SvgText(x + 8, kTop - 16, devices_[c],
                     (std::string("font-weight=\"bold\" fill=\"") + Colour(c) + "\"").c_str());
    }
    return out;
  }

  std::string Boxes() const {
    std::string out;
    for (size_t i = 0; i < rows_.size(); ++i) {
      const ViewRow& row = rows_[i];
      const bool ends = row.nodes.size() == 1 &&
                        (row.nodes[0]->state == "fetch" || row.nodes[0]->state == "target");
      std::string tip = row.name + " · " + row.op + " " + row.type + "\n" + row.state + "\n" +
                        row.device + (row.why.empty() ? "" : ": " + row.why);
      out += "<g class=\"node\" data-row=\"" + std::to_string(i) + "\" " +
             (row.scope.empty() ? "data-name=\"" + XmlEscape(row.nodes[0]->name)
                                : "data-scope=\"" + XmlEscape(row.scope)) +
             "\"><title>" + XmlEscape(tip) + "</title><rect" + Attr("x", BoxX(i)) +
             Attr("y", BoxY(i)) + Attr("width", kBoxWidth) + Attr("height", kBox) +
             " rx=\"5\" fill=\"#fff\" stroke=\"" + Colour(columns_of_[i]) + "\" stroke-width=\"" +
             (ends ? "3" : "1.2") + "\"" + (row.pruned ? " stroke-dasharray=\"4 3\"" : "") + "/>";
      out += SvgText(BoxX(i) + 8, BoxY(i) + 16, CutTo(row.name + "  " + row.op, 27),
                     row.pruned ? "fill=\"#718096\"" : "fill=\"#1a202c\"");
      out += "</g>\n";
    }
    return out;
  }

  // Within a column, edges are drawn to the left of the boxes; longer edges are farther out.
  std::string Edges() const {
    std::string out;
    for (size_t i = 0; i < rows_.size(); ++i) {
      for (const size_t from : rows_[i].inputs) {
        if (from >= rows_.size()) continue;
        char path[256];
        const double y1 = BoxY(from) + kBox / 2.0, y2 = BoxY(i) + kBox / 2.0;
        if (columns_of_[from] == columns_of_[i]) {
          const double x = BoxX(i), out_by = std::min(26.0, 6.0 + 3.0 * double(i - from));
          std::snprintf(path, sizeof(path), "M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f", x, y1,
                        x - out_by, y1, x - out_by, y2, x, y2);
        } else {
          const bool right = columns_of_[from] < columns_of_[i];
          const double x1 = BoxX(from) + (right ? kBoxWidth : 0);
          const double x2 = BoxX(i) + (right ? 0 : kBoxWidth);
          const double middle = (x1 + x2) / 2;
          std::snprintf(path, sizeof(path), "M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f", x1, y1,
                        middle, y1, middle, y2, x2, y2);
        }
        const bool cut = columns_of_[from] != columns_of_[i] && !rows_[i].pruned;
        out += std::string("<path d=\"") + path + "\" fill=\"none\" stroke=\"" +
               (cut ? "#c53030" : "#718096") + "\" stroke-width=\"" + (cut ? "2" : "1") + "\"" +
               (cut ? " class=\"transfer\"" : "") + "/>\n";
      }
    }
    return out;
  }

  std::string Transfers(int* y) const {
    std::string out;
    int64_t bytes = 0;
    for (const ReportTransfer& transfer : report_.transfers)
      bytes += std::max<int64_t>(transfer.bytes, 0);
    out += SvgText(kLeft, *y,
                   "④ " + Count(static_cast<int64_t>(report_.transfers.size()), "Send/Recv pair") +
                       ", " + Bytes(bytes),
                   "font-weight=\"bold\" fill=\"#1a202c\"");
    size_t shown = 0;
    for (const ReportTransfer& transfer : report_.transfers) {
      *y += 18;
      if (options_.max_rows > 0 && ++shown > options_.max_rows) {
        out += SvgText(kLeft + 16, *y, "…", "fill=\"#4a5568\"");
        break;
      }
      out += SvgText(kLeft + 16, *y,
                     transfer.from + "  Send ══ " + Visible(transfer.tensor) + "  " +
                         Bytes(transfer.bytes) + " ══▶ Recv  " + transfer.to + "  → " +
                         Visible(Join(transfer.consumers, ", ")),
                     "fill=\"#c53030\"");
    }
    *y += 30;
    return out;
  }

  std::string Timeline(int* y) const {
    int64_t begin = report_.events[0].start_ns, end = begin + 1;
    for (const ReportEvent& event : report_.events) {
      begin = std::min(begin, event.start_ns);
      end = std::max(end, event.end_ns);
    }
    const double scale = kBarWidth / static_cast<double>(end - begin);
    std::string out = SvgText(kLeft, *y,
                              "⑤ ran in " + Duration(static_cast<double>(report_.wall_ns)) +
                                  "   solid: compute   hatched: waits for a Send",
                              "font-weight=\"bold\" fill=\"#1a202c\"");
    out +=
        "<defs><pattern id=\"w\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><rect width=\"2\" height=\"5\" fill=\"#a0aec0\"/>"
        "</pattern></defs>\n";
    for (const ReportPartition& partition : report_.partitions) {
      *y += kBarRow;
      out += SvgText(kLeft, *y + 13, partition.device, "fill=\"#1a202c\"");
      out += "<rect" + Attr("x", kBarLeft) + Attr("y", *y) + Attr("width", kBarWidth) +
             " height=\"18\" fill=\"#edf2f7\"/>\n";
      size_t drawn = 0;
      const auto at = std::find(devices_.begin(), devices_.end(), partition.device);
      const char* colour = Colour(static_cast<size_t>(at - devices_.begin()));
      for (const ReportEvent& event : report_.events) {
        if (event.device != partition.device || ++drawn > kMaxEvents) continue;
        const bool waits = event.kind == "wait";
        const std::string what =
            waits ? report_.Subject(event) + " waits for " + event.waits_for
                  : (event.kind == "compute" ? event.node : event.kind + " " + event.tensor);
        out += "<rect" + Attr("x", kBarLeft + double(event.start_ns - begin) * scale) +
               Attr("y", *y) +
               Attr("width", std::max(1.0, double(event.end_ns - event.start_ns) * scale)) +
               " height=\"18\" fill=\"" + (waits ? "url(#w)" : colour) + "\"><title>" +
               XmlEscape(what + " · " + Duration(double(event.end_ns - event.start_ns))) +
               "</title></rect>\n";
      }
    }
    *y += 40;
    if (report_.critical_path.size() > 1) {
      out += SvgText(kLeft, *y, CutTo("critical path: " + Join(report_.critical_path, " → "), 100),
                     "fill=\"#4a5568\"");
      *y += 20;
    }
    return out;
  }

  const Report& report_;
  const ViewOptions& options_;
  std::vector<ViewRow> rows_;
  std::vector<std::string> devices_;
  std::vector<size_t> columns_of_;
  size_t left_out_ = 0;
};

constexpr const char* kStyle =
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:1200px;padding:0 1em;"
    "color:#1a202c;background:#fff}"
    "h1{font-size:1.3em}pre{background:#f7fafc;padding:1em;overflow:auto;line-height:1.25}"
    "svg{max-width:100%;height:auto}table{border-collapse:collapse;width:100%}"
    "td,th{text-align:left;padding:.2em .6em;border-bottom:1px solid #e2e8f0;"
    "font-family:ui-monospace,monospace;font-size:13px}tr.on{background:#fefcbf}"
    "g.node:hover rect{fill:#fefcbf}input{font:inherit;padding:.3em;width:20em}";
constexpr const char* kScript =
    "const q=document.querySelector('input'),t=[...document.querySelectorAll('tbody tr')];"
    "q.oninput=()=>t.forEach(r=>r.hidden=!r.textContent.includes(q.value));"
    "document.querySelectorAll('g.node').forEach(g=>g.onclick=()=>{t.forEach(r=>"
    "r.classList.remove('on'));const r=t[g.dataset.row];if(r){r.classList.add('on');"
    "r.scrollIntoView({block:'center'})}});";

}  // namespace

std::string XmlEscape(std::string_view text) {
  std::string out;
  for (const char c : Visible(text)) {
    const size_t at = std::string_view("&<>\"'").find(c);
    if (at == std::string_view::npos) {
      out += c;
    } else {
      constexpr const char* kEntities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
      out += kEntities[at];
    }
  }
  return out;
}

std::string RenderSvg(const Report& report, const ViewOptions& options) {
  return Drawing(report, options).Draw();
}

std::string RenderHtml(const Report& report, const ViewOptions& options) {
  ViewOptions wide = options;
  wide.width = 0;
  std::vector<ViewRow> rows = MakeRows(report, options);
  FillPruned(&rows);
  FillPlaced(&rows);
  const std::string title = XmlEscape("explain " + options.request);
  std::string out = "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\n<title>" + title +
                    "</title>\n<style>" + kStyle + "</style>\n<h1>" + title + "</h1>\n" +
                    RenderSvg(report, options) +
                    "<h2>Nodes</h2>\n<input placeholder=\"find in the rows\" "
                    "aria-label=\"find in the rows\">\n<table><thead><tr><th>node<th>op<th>type"
                    "<th>② pruned<th>③ placed<th>why</thead><tbody>\n";
  for (const ViewRow& row : rows) {
    out += "<tr>";
    for (const std::string* cell :
         {&row.name, &row.op, &row.type, &row.state, &row.device, &row.why})
      out += "<td>" + XmlEscape(*cell);
    out += "\n";
  }
  return out + "</tbody></table>\n<h2>As in the terminal</h2>\n<pre>" +
         [&] {
           std::string text, line;
           for (const char c : RenderExplain(report, wide)) {
             line += c;
             if (c != '\n') continue;
             text += XmlEscape(std::string_view(line).substr(0, line.size() - 1)) + "\n";
             line.clear();
           }
           return text + XmlEscape(line);
         }() +
         "</pre>\n<script>" + kScript + "</script>\n</html>\n";
}

}  // namespace tensh::shell
