// The five stages of a run as text, from one Report. Each stage is one file: prune_view (① ②) and
// place_view (③) fill columns of the same stable rows, partition_view (④) and step_view (⑤) are
// blocks below them. Pure functions: no terminal, no runtime.
#pragma once

#include <string>
#include <vector>

#include "shell/explain/layout.h"
#include "shell/explain/report.h"

namespace tensh::shell {

struct ViewOptions {
  size_t width = 0;                    // columns of the terminal; 0: unlimited
  size_t max_rows = 60;                // more fold by name scope; 0: all
  int stage = 0;                       // 1-5; 0: all
  std::string request = {};            // what was explained, as typed: "mul feed x=[3,4]"
  std::vector<std::string> open = {};  // name scopes shown node by node where others fold
};

// One row of the node table: a node, or a name scope folded into one.
struct ViewRow {
  std::string name, op, type;
  std::string scope;               // the name scope folded here, or ""
  std::string state, device, why;  // filled by the views
  std::vector<size_t> inputs;      // earlier rows
  std::vector<const ReportNode*> nodes;
  bool pruned = false;
};

std::vector<ViewRow> MakeRows(const Report& report, const ViewOptions& options);
void FillPruned(std::vector<ViewRow>* rows);
void FillPlaced(std::vector<ViewRow>* rows);

std::string RenderNodes(const Report& report, const ViewOptions& options);
std::string RenderPartitions(const Report& report, const ViewOptions& options);
std::string RenderStep(const Report& report, const ViewOptions& options);
std::string RenderExplain(const Report& report,
                          const ViewOptions& options);  // all of it, and `next:`

// The answers of `why`, each ending with a command; `target` is what the run fetched.
std::string ExplainWhy(const Report& report, const std::string& name);
std::string ExplainWhyNot(const Report& report, const std::string& name, const std::string& target);
std::string ExplainEdge(const Report& report, const std::string& from, const std::string& to);
std::string ExplainDevice(const Report& report, const std::string& device);
// `request`: the run that waited, as typed; "": not known.
std::string ExplainWaits(const Report& report, const std::string& request = "");

}  // namespace tensh::shell
