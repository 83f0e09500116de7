// A drawing with some parts open, as boxes and lines with coordinates.
// Pure functions of the drawing.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "shell/explain/drawing.h"

namespace tensh::shell {

struct SceneBox {
  const DrawnItem* item;
  double x, y, w, h;
  bool open;
};

// The background of a device, the frame of a task, or the background of parts that are set aside, or of nodes that do not run.
struct SceneArea {
  double x, y, w, h;
  std::string style;      // Its class.
  std::string name = {};  // Of a task.
};

struct ScenePoint {
  double x, y;
  bool bend;  // The line bends from the point before, with vertical ends; otherwise it is straight.
};

struct SceneLine {
  const DrawnEdge* edge;
  const LayoutEdge* route;
  std::vector<ScenePoint> points;
  bool arrow;
};

struct Scene {
  std::vector<SceneArea> areas;
  std::vector<SceneBox> boxes;  // An open part comes before the boxes in it.
  std::vector<SceneLine> lines;
  double width = 0, height = 0;
};

// The scene is valid as long as the drawing. A part is visible only if those around it are open.
Scene Compose(Drawing* drawing, const std::set<size_t>& open);

}  // namespace tensh::shell
