// A report as a drawing for other programs: Graphviz text, an SVG, or one HTML file that needs no
// network. It has the rows of the terminal's view, a column for each device, the Send/Recv pairs
// between them, and, if the report is of a run, the timeline. Pure functions of the report.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "shell/explain/drawing.h"
#include "shell/explain/view.h"

namespace tensh::shell {

std::string RenderDot(const Report& report, const ViewOptions& options);
std::string RenderSvg(const Report& report, const ViewOptions& options);
std::string RenderHtml(const Report& report, const ViewOptions& options);

// Returns the Send/Recv pairs and the timeline of a run as elements below *y, which it moves down.
// `lanes` are the devices in the order of their colours.
std::string TimelineSvg(const Report& report, const std::vector<std::string>& lanes, double* y);
double TimelineWidth(const Report& report);
// Returns them as an SVG of its own, or "" if the report is not of a run.
std::string RenderTimelineSvg(const Report& report, const std::vector<std::string>& lanes);
// The boxes up to which parts are open at first. In a page, the others open when they are clicked.
constexpr size_t kBoxesOfPicture = 40, kBoxesOfPage = 20;
// Returns the parts that are open at first: those that the options name, and others from the top
// while there are at most `boxes`, or more with --all.
std::set<size_t> OpenParts(const Drawing& drawing, const ViewOptions& options, size_t boxes);
// Returns the beginning of a page that needs no network, up to its heading.
std::string PageHead(const std::string& title, const char* body_class);
// Returns JSON that is safe inside of a script element.
std::string ForScript(std::string json);
std::string XmlEscape(std::string_view text);  // Escapes & < > " ' and control characters.

}  // namespace tensh::shell
