// A report as a drawing for other programs: Graphviz text, an SVG, or one HTML file that needs no
// network. It has the rows of the terminal's view, a column for each device, the Send/Recv pairs
// between them, and, if the report is of a run, the timeline. Pure functions of the report.
#pragma once

#include <string>

#include "shell/explain/view.h"

namespace tensh::shell {

std::string RenderDot(const Report& report, const ViewOptions& options);
std::string RenderSvg(const Report& report, const ViewOptions& options);
std::string RenderHtml(const Report& report, const ViewOptions& options);

// Returns the Send/Recv pairs and the timeline of a run as elements below *y, which it moves down.
// `lanes` are the devices in the order of their colours.
std::string TimelineSvg(const Report& report, const std::vector<std::string>& lanes, double* y);
std::string XmlEscape(std::string_view text);  // Escapes & < > " ' and control characters.

}  // namespace tensh::shell
