// The drawing as an SVG, and as an HTML file that contains the SVG.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>

#include "shell/explain/drawing_json.h"
#include "shell/explain/export.h"
#include "shell/explain/scene.h"
#include "shell/page/texts.h"

namespace tensh::shell {
namespace {

constexpr size_t kMostItems = 30000;  // of the levels in a page
constexpr size_t kMostBoxes = 4000;   // with --all
constexpr double kMargin = 24, kHead = 34, kCorner = 5, kArrow = 7;

std::string Attr(const char* name, double value) {
  char out[48];
  std::snprintf(out, sizeof(out), " %s=\"%.6g\"", name, value);
  return out;
}

std::string Text(double x, double y, const std::string& text, const char* more = "") {
  return "<text" + Attr("x", x) + Attr("y", y) + more + ">" + XmlEscape(text) + "</text>";
}

std::string Rect(double x, double y, double w, double h, double corner, const char* more = "") {
  return "<rect" + Attr("x", x) + Attr("y", y) + Attr("width", w) + Attr("height", h) +
         Attr("rx", corner) + more + "/>";
}

// The name by which a script finds the box.
std::string NameAttr(const Drawing& drawing, const DrawnItem& item) {
  if (item.part == kNoPart) return "";
  const GraphPart& part = drawing.parts().parts()[item.part];
  if (item.kind == DrawnKind::kNode)
    return " data-name=\"" + XmlEscape(drawing.report()->nodes[part.node].name) + "\"";
  return " data-scope=\"" + XmlEscape(part.scope.empty() ? part.key : part.scope) + "\"";
}

std::string BoxSvg(const Drawing& drawing, const SceneBox& box) {
  const DrawnItem& item = *box.item;
  if (item.kind == DrawnKind::kTitle)
    return "<g class=\"title\">" + Text(box.x + 4, box.y + 14, item.label) + "</g>\n";
  std::string out = "<g class=\"box " + ClassOf(item) + (box.open ? " open" : "") + "\"" +
                    NameAttr(drawing, item) + "><title>";
  size_t begin = 0;
  for (size_t end = item.tip.find('\n'); begin < item.tip.size();
       end = item.tip.find('\n', begin)) {
    out += (begin > 0 ? "\n" : "") + XmlEscape(item.tip.substr(begin, end - begin));
    begin = end == item.tip.npos ? item.tip.size() : end + 1;
  }
  out += "</title>";
  const bool pill = item.kind == DrawnKind::kSend || item.kind == DrawnKind::kRecv;
  if (item.kind == DrawnKind::kScope && !box.open)  // a stack: there is more behind it
    out += Rect(box.x + 3, box.y + 3, box.w, box.h, kCorner);
  out += Rect(box.x, box.y, box.w, box.h, IsRound(item) ? box.h / 2 : kCorner);
  if (item.kind == DrawnKind::kScope && !box.open)
    out += Rect(box.x, box.y, box.w, box.h, kCorner, " class=\"shade\"");
  if (box.open) return out + "</g>\n";
  const double left = box.x + 9;
  if (pill) return out + Text(box.x + 8, box.y + 14, item.label) + "</g>\n";
  out += Text(left, box.y + 16, item.label) + Text(left, box.y + 30, item.note, " class=\"note\"");
  if (item.like != 0)
    out += Text(box.x + box.w - 15, box.y + 16, std::string(1, item.like), " class=\"like\"");
  return out + "</g>\n";
}

std::string LineSvg(const SceneLine& line) {
  std::string path;
  char part[160];
  const double last_x = line.points.back().x;
  for (size_t i = 0; i < line.points.size(); ++i) {
    const ScenePoint& at = line.points[i];
    // The line ends where its arrowhead begins.
    const double y = line.arrow && i + 1 == line.points.size() ? at.y - kArrow + 1 : at.y;
    if (at.bend) {
      const ScenePoint& from = line.points[i - 1];
      const double middle = (from.y + at.y) / 2;
      const double end =
          line.arrow && i + 2 == line.points.size() && line.points.back().y - at.y < kArrow
              ? line.points.back().y - kArrow
              : at.y;
      std::snprintf(part, sizeof(part), "C%.1f %.1f %.1f %.1f %.1f %.1f", from.x, middle, at.x,
                    middle, at.x, end);
    } else {
      std::snprintf(part, sizeof(part), "%c%.1f %.1f", i == 0 ? 'M' : 'L', at.x, y);
    }
    path += part;
  }
  const double width = EdgeWidth(*line.edge);
  const std::string tip = TipOf(*line.edge);
  std::string out = std::string("<path class=\"line") + ClassOf(*line.edge, line.route->up) + "\"" +
                    Attr("stroke-width", width) + " d=\"" + path + "\">" +
                    (tip.empty() ? "" : "<title>" + tip + "</title>") + "</path>";
  if (!line.arrow) return out + "\n";
  const double y = line.points.back().y, half = 2.5 + width / 2;
  std::snprintf(part, sizeof(part), "M%.1f %.1fl%.1f %.1fh%.1fz", last_x, y, -half, -kArrow,
                2 * half);
  return out + "<path class=\"arrow" + (line.edge->cut ? " cut" : "") + "\" d=\"" + part + "\"/>\n";
}

}  // namespace

std::set<size_t> OpenParts(const Drawing& drawing, const ViewOptions& options, size_t boxes) {
  const GraphParts& parts = drawing.parts();
  const std::vector<size_t> first = parts.OpenAtFirst(options.max_rows == 0 ? kMostBoxes : boxes);
  std::set<size_t> open(first.begin(), first.end());
  for (const std::string& scope : options.open) {
    std::vector<size_t> named = parts.ScopesNamed(scope);
    if (const size_t group = parts.Find(scope); group != kNoPart) named.push_back(group);
    for (const size_t part : named)
      for (size_t at = part; at != kNoPart && at != 0; at = parts.parts()[at].parent)
        open.insert(at);
  }
  return open;
}

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
  Drawing drawing(std::shared_ptr<const Report>(std::shared_ptr<const Report>(), &report));
  const Scene scene = Compose(&drawing, OpenParts(drawing, options, kBoxesOfPicture));
  std::string body;
  for (const SceneArea& area : scene.areas) {
    body +=
        Rect(area.x, area.y, area.w, area.h, 8, (" class=\"area " + area.style + "\"").c_str()) +
        "\n";
    if (!area.name.empty())
      body +=
          Text(area.x + 10, area.y + 17, BriefTask(area.name), " class=\"machine-name\"") + "\n";
  }
  // Open parts lie below the lines, and closed ones above them.
  std::string above;
  for (const SceneBox& box : scene.boxes) (box.open ? body : above) += BoxSvg(drawing, box);
  for (const SceneLine& line : scene.lines) body += LineSvg(line);
  double height = kHead + scene.height + 2 * kMargin;
  const std::string bars = TimelineSvg(report, drawing.parts().lanes(), &height);
  const double width =
      std::max(scene.width + 2 * kMargin, bars.empty() ? 0 : TimelineWidth(report));
  std::string stages = "① graph @" + std::to_string(report.version);
  if (!report.partitions.empty()) stages += "   ② pruned   ③ placed   ④ partitions";
  if (!report.events.empty()) stages += "   ⑤ ran";
  char head[200];
  std::snprintf(head, sizeof(head),
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing\" viewBox=\"0 0 %.0f "
                "%.0f\" width=\"%.0f\" height=\"%.0f\" role=\"img\">\n<title>",
                width, height, width, height);
  return head + XmlEscape(options.request.empty() ? "graph" : "explain " + options.request) +
         "</title>\n<style>" + TextOfPage("style") +
         "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>\n" +
         Text(kMargin, 20, stages, " class=\"note\"") + "\n<g transform=\"translate(" +
         std::to_string(static_cast<int>(kMargin)) + " " + std::to_string(static_cast<int>(kHead)) +
         ")\">\n" + body + above + "</g>\n" + bars + "</svg>\n";
}

std::string ForScript(std::string json) {
  for (size_t at = json.find('<'); at != std::string::npos; at = json.find('<', at + 6))
    json.replace(at, 1, "\\u003c");
  return json;
}

std::string PageHead(const std::string& title, const char* body_class) {
  return "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width,initial-scale=1\">\n<title>" +
         XmlEscape(title) + "</title>\n<style>" + TextOfPage("style") + TextOfPage("page") +
         "</style>\n<body class=\"" + body_class + "\">\n<h1>" + XmlEscape(title) + "</h1>\n";
}

std::string RenderHtml(const Report& report, const ViewOptions& options) {
  ViewOptions wide = options;
  wide.width = 0;
  std::vector<ViewRow> rows = MakeRows(report, options);
  FillPruned(&rows);
  FillPlaced(&rows);
  Drawing drawing(std::shared_ptr<const Report>(std::shared_ptr<const Report>(), &report));
  std::string out =
      PageHead(options.request.empty() ? "graph" : "explain " + options.request, "document") +
      "<div id=\"graph\"></div>\n" + RenderTimelineSvg(report, drawing.parts().lanes()) +
      "<h2>Nodes</h2>\n<input id=\"rows\" placeholder=\"find in the rows\" "
      "aria-label=\"find in the rows\">\n<table><thead><tr><th>node<th>op<th>type"
      "<th>② pruned<th>③ placed<th>why</thead><tbody>\n";
  for (const ViewRow& row : rows) {
    out += "<tr>";
    for (const std::string* cell :
         {&row.name, &row.op, &row.type, &row.state, &row.device, &row.why})
      out += "<td>" + XmlEscape(*cell);
    out += "\n";
  }
  out += "</tbody></table>\n<h2>As in the terminal</h2>\n<pre>";
  std::string line;
  for (const char c : RenderExplain(report, wide)) {
    if (c != '\n') {
      line += c;
      continue;
    }
    out += XmlEscape(line) + "\n";
    line.clear();
  }
  return out + XmlEscape(line) + "</pre>\n<script>const data=" +
         ForScript(DrawingJson(&drawing, OpenParts(drawing, options, kBoxesOfPage), kMostItems)) +
         ";\n" + TextOfPage("drawing") + TextOfPage("explain") + "</script>\n</html>\n";
}

}  // namespace tensh::shell
