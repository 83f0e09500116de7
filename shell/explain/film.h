// The film of a run: its stages and moments as data for shell/page/film.js, and as a page of its own.
// Pure functions of the report and of the values that were fetched with it.
#pragma once

#include <string>
#include <vector>

#include "shell/explain/drawing.h"
#include "shell/explain/player.h"

namespace tensh::shell {

struct Film {
  const Report& report;
  const std::vector<Moment>& moments;  // empty if the run was only planned
  const ValueTexts& values;
  std::string title;  // the request: "mul feed x=3"
  size_t more = 0;    // the number of events after the last moment
};

// Returns the stages, the events of the timeline and the moments as a JSON object. `lanes` are the
// devices in the order of their colours. A moment lists only the nodes that ran and arrived since
// the moment before.
std::string FilmJson(const Film& film, const std::vector<std::string>& lanes);
// Returns one page that needs no network. Buttons and arrow keys step through the moments.
std::string RenderFilm(const Film& film, Drawing* drawing);
// Returns the number of moments that a film of this report may have. Each moment looks at all nodes.
size_t MostMoments(const Report& report);

}  // namespace tensh::shell
