// The drawing of a graph: a layout for each part that can be opened.
//
// The layout of a level does not depend on which of its parts are open. An open part makes its row
// and its column larger, and the others move but keep their order (Stretch). Each layout is therefore
// made once, when it is first needed.
//
// Values that enter or leave a level cross its border at ports. The port of an edge has the key of
// the item at the other end, so that the parts of an edge in two levels find each other.
//
// A Drawing owns its parts and keeps the report. Not thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shell/explain/graph_parts.h"
#include "shell/explain/layered.h"

namespace tensh::shell {

enum class DrawnKind : unsigned char { kNode, kScope, kSend, kRecv, kIn, kOut, kTitle };

struct DrawnItem {
  DrawnKind kind = DrawnKind::kNode;
  std::string key;
  std::string label, note, tip;
  size_t part = kNoPart;     // of a node or a scope
  size_t device = SIZE_MAX;  // the index among the devices, or SIZE_MAX if not placed
  char like = 0;
  std::string state;  // One of: runs fed input fetch target pruned; "" for others.
};

struct DrawnEdge {
  int64_t bytes = -1;
  size_t count = 1;                            // of the edges of the graph that it stands for
  bool control = false;                        // All of them are control edges.
  bool cut = false;                            // It joins two devices.
  std::vector<std::string_view> tensors = {};  // The first few that it carries.
};

// The items and edges are parallel to those of the layout.
struct DrawnLevel {
  Layout layout;
  std::vector<DrawnItem> items;
  std::vector<DrawnEdge> edges;
};

constexpr double kPartPadding = 10;  // between an open part and the level in it
// The frame of a task extends beyond its devices: above them, where its name is, and at the other sides.
constexpr double kMachineHead = 30, kMachineSide = 10;

// The times from a Send to the end of its Recv in a measured step.
class TransferTimes {
 public:
  explicit TransferTimes(const Report& report);
  // Returns the time in ns of a transfer to a device, or -1 if it is unknown.
  int64_t Time(std::string_view tensor, std::string_view device) const;

 private:
  std::unordered_map<std::string, int64_t> times_;  // by "tensor device"
};

class Drawing {
 public:
  explicit Drawing(std::shared_ptr<const Report> report);

  const GraphParts& parts() const { return parts_; }
  const std::shared_ptr<const Report>& report() const { return report_; }
  // Returns the level in a part; 0 is the whole graph. The reference stays valid.
  const DrawnLevel& Level(size_t part);
  // Returns the parts around a node or scope, outermost first, or nothing if it does not exist.
  std::vector<size_t> PathTo(std::string_view name) const;
  // Returns the task that a lane of the graph belongs to, "/job:worker/task:1", or "" if it is of no
  // cluster.
  std::string LaneTask(size_t lane) const;
  // Returns the class of the background of a lane, such as "d0" for a device, or "" if it has none.
  std::string LaneClass(size_t part, size_t lane) const;

 private:
  std::shared_ptr<const Report> report_;
  GraphParts parts_;
  TransferTimes transfers_;
  std::unordered_map<size_t, std::unique_ptr<DrawnLevel>> levels_;
};

// The classes by which shell/page/style.css gives items and edges their colours.
std::string ClassOf(const DrawnItem& item);
std::string ClassOf(const DrawnEdge& edge, bool up);
bool IsRound(const DrawnItem& item);  // Its ends are half circles.
// Returns the thickness of an edge that carries these bytes.
double EdgeWidth(const DrawnEdge& edge);
std::string TipOf(const DrawnEdge& edge);

}  // namespace tensh::shell
