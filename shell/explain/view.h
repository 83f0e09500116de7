// The five stages of a run as text, made from one Report. Each stage is one file: prune_view (① ②)
// and place_view (③) fill columns of common rows; partition_view (④) and step_view (⑤) are blocks
// below them. Pure functions, independent of the terminal and the runtime.
#pragma once

#include <string>
#include <vector>

#include "shell/explain/report.h"
#include "shell/text/layout.h"

namespace tensh::shell {

struct ViewOptions {
  size_t width = 0;          // Columns of the terminal; 0 means unlimited.
  size_t max_rows = 60;      // More rows are folded by name scope; 0 shows all.
  int stage = 0;             // 1-5; 0 means all.
  std::string request = {};  // The request that was explained, as typed: "mul feed x=[3,4]".
  std::vector<std::string> open = {};  // Name scopes that are not folded.
  bool fold_pruned = false;            // More than kFewPruned pruned nodes become one line.
  std::string graph = {};              // The name of the graph, "g1", if it is not the current one.
  std::string feeds = {};              // A feed for the assumed placeholders: "feed x=[0., 0.]".
  int64_t warm_ns = 0;                 // The time of a later step, if it was measured.
  Palette palette = {};
};

// Up to this many pruned nodes keep their rows, because readers of a small graph look for them.
constexpr int64_t kFewPruned = 3;

// A row of the node table: a node, or a folded name scope.
struct ViewRow {
  std::string name, op, type;
  std::string scope;               // The folded name scope, or "".
  std::string state, device, why;  // Filled by the views.
  std::vector<size_t> inputs;      // Earlier rows.
  std::vector<size_t> cut;         // The inputs that come from another device.
  // The earlier row that takes the value: "to w/Merge" in the next iteration, "into w/" for a fold.
  std::string back;
  std::vector<const ReportNode*> nodes;
  bool pruned = false;
};

// Returns the report with the nodes of called functions in front of the nodes that call them, as far
// as the options open these.
Report OpenCalls(const Report& report, const ViewOptions& options);
// Returns true if the pruned nodes are one line.
bool FoldsPruned(const Report& report, const ViewOptions& options);
std::vector<ViewRow> MakeRows(const Report& report, const ViewOptions& options);
void FillPruned(std::vector<ViewRow>* rows);
void FillPlaced(std::vector<ViewRow>* rows);

std::string RenderNodes(const Report& report, const ViewOptions& options);
std::string RenderPartitions(const Report& report, const ViewOptions& options);
std::string RenderStep(const Report& report, const ViewOptions& options);
// Returns all stages and `next:`.
std::string RenderExplain(const Report& report, const ViewOptions& options);

// The run that `why` is about, as typed.
struct RunText {
  std::string request = {};  // "mul feed x=[3,4]"
  std::string target = {};   // Its fetches: "mul".
  // For a node inside of a branch or loop, which cannot be fetched: a node outside that needs it, or
  // "" if nothing does.
  std::string user = {};
  bool inside = false;
  std::string feeds() const;  // Returns the rest of the request: " feed x=[3,4]".
};

// Returns why the node is on its device: "you requested it".
std::string ReasonSentence(const ReportNode& node);

// The answers of `why`. All but ExplainPlace's end with a command.
std::string ExplainPlace(const Report& report, const std::string& name);
std::string ExplainWhy(const Report& report, const std::string& name);
std::string ExplainWhyNot(const Report& report, const std::string& name, const RunText& run);
std::string ExplainEdge(const Report& report, const std::string& from, const std::string& to);
std::string ExplainDevice(const Report& report, const std::string& device);
// `request` is the run that waited, as typed, or "" if unknown.
std::string ExplainWaits(const Report& report, const std::string& request = "");

}  // namespace tensh::shell
