#include "shell/session/versions.h"

#include <algorithm>

#include "shell/python/values/error.h"

namespace tensh::shell {

void Versions::Begin(const GraphHandle& graph) {
  began_graph_ = graph ? graph.id() : 0;
  began_nodes_ = graph ? graph.size() : 0;
}

bool Versions::BeganIn(const GraphHandle& graph) const { return graph.id() == began_graph_; }

const Version* Versions::Commit(const GraphHandle& graph, int cell, std::string text) {
  const Version* version = CommitOther(graph, cell, std::move(text));
  if (version != nullptr) view_ = SIZE_MAX;
  return version;
}

const Version* Versions::CommitOther(const GraphHandle& graph, int cell, std::string text) {
  size_t& recorded = recorded_[graph.id()];
  const size_t first = BeganIn(graph) ? began_nodes_ : recorded, end = graph.size();
  if (end <= first) return nullptr;
  recorded = end;
  const auto number = graph.version();
  versions_.push_back({graph.id(), number, first, end, cell, std::move(text)});
  return &versions_.back();
}

std::vector<const Version*> Versions::Of(const GraphHandle& graph) const {
  std::vector<const Version*> found;
  for (const Version& version : versions_)
    if (version.graph == graph.id()) found.push_back(&version);
  return found;
}

size_t Versions::NodesAt(const GraphHandle& graph, int64_t number) const {
  size_t nodes = 0;
  for (const Version* version : Of(graph))
    if (version->number <= number) nodes = version->end;
  return nodes;
}

size_t Versions::Visible(const GraphHandle& graph) const { return std::min(view_, graph.size()); }

int64_t Versions::VisibleNumber(const GraphHandle& graph) const {
  int64_t number = 0;
  for (const Version* version : Of(graph))
    if (version->first < view_) number = version->number;
  return number;
}

void Versions::CheckVisible(const GraphHandle& graph, tsh_node node) const {
  if (node < view_ || node >= began_nodes_ || !BeganIn(graph)) return;
  std::string came;
  for (const Version* version : Of(graph)) {
    if (node >= version->first && node < version->end)
      came = ": it came with @" + std::to_string(version->number);
  }
  throw ValueError(std::string(graph.NodeName(node)) + " is not in this view of the graph" + came)
      .Hint("`nodes` lists the visible nodes; `redo` moves forward");
}

const Version* Versions::Undo(const GraphHandle& graph) {
  const Version* last = nullptr;
  for (const Version* version : Of(graph))
    if (version->first < Visible(graph)) last = version;
  if (last != nullptr) view_ = last->first;
  return last;
}

const Version* Versions::Redo(const GraphHandle& graph) {
  for (const Version* version : Of(graph)) {
    if (version->first < Visible(graph)) continue;
    view_ = version->end >= graph.size() ? SIZE_MAX : version->end;
    return version;
  }
  return nullptr;
}

}  // namespace tensh::shell
