// The levels of a drawing as JSON, for shell/page/drawing.js, which describes how they are used.
//
// A level is {"key", "up", "width", "height", "layers": [[begin, end]…], "lanes": [{"begin", "end",
// "area"}…], "items": […], "edges": […]}. The keys of items and edges have one or a few letters,
// because a page contains many of them; ItemJson and EdgeJson list them.
#pragma once

#include <set>
#include <string>

#include "shell/explain/drawing.h"

namespace tensh::shell {

std::string LevelJson(Drawing* drawing, size_t part);
// Returns {"first": [keys of the open parts], "levels": {key: level}}. The levels are those of the
// open parts and then, from the top, those of others while all have at most `most_items` items.
std::string DrawingJson(Drawing* drawing, const std::set<size_t>& open, size_t most_items);

}  // namespace tensh::shell
