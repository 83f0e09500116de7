// The versions of the graphs, and the view of an earlier one.
//
// Every top-level statement that adds nodes to the current graph makes a version of it, written
// "@7". A graph only grows, so a version is a number of nodes, and the view of an earlier version
// hides the later nodes. The view applies to the current graph and ends when the graph is extended.
//
// Threads: the interpreter's thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "shell/client/client.h"

namespace tensh::shell {

// A version of a graph, with the nodes that one statement added: [first, end).
struct Version {
  uint64_t graph = 0;
  int64_t number = 0;
  size_t first = 0, end = 0;
  int cell = 0;      // n of In[n], or the line of a script
  std::string text;  // the first line of the statement

  size_t nodes() const { return end - first; }
};

class Versions {
 public:
  // Notes the size of the current graph before a statement. The handle is empty if there is no
  // graph.
  void Begin(const GraphHandle& graph);
  // Records the nodes that the statement added to the current graph, and ends the view. Returns the
  // new version, owned by this object, or null if none was added.
  const Version* Commit(const GraphHandle& graph, int cell, std::string text);
  // Like Commit, for a graph that is not the current one. The view does not change.
  const Version* CommitOther(const GraphHandle& graph, int cell, std::string text);
  // Returns true if this graph was the current one when the statement began.
  bool BeganIn(const GraphHandle& graph) const;

  // Returns the versions of all graphs, oldest first.
  const std::vector<Version>& all() const { return versions_; }
  // Returns the versions of one graph, oldest first. The pointers are valid until the next Commit.
  std::vector<const Version*> Of(const GraphHandle& graph) const;
  // Returns the number of nodes that the graph had at a version.
  size_t NodesAt(const GraphHandle& graph, int64_t number) const;

  // Returns true if an earlier version is in view.
  bool earlier() const { return view_ != SIZE_MAX; }
  // Returns the number of nodes in the view: those of the graph, or fewer.
  size_t Visible(const GraphHandle& graph) const;
  // Returns the number of the graph's version in view, or 0 if nothing is visible.
  int64_t VisibleNumber(const GraphHandle& graph) const;
  // Throws ValueError if the view does not contain the node. Nodes of the current statement are
  // always visible.
  void CheckVisible(const GraphHandle& graph, tsh_node node) const;
  // Hide the last visible version, or show the next one. Return that version, or null if there is
  // none.
  const Version* Undo(const GraphHandle& graph);
  const Version* Redo(const GraphHandle& graph);

 private:
  friend class EarlierView;

  std::vector<Version> versions_;
  std::unordered_map<uint64_t, size_t> recorded_;  // by graph: the end of its last version
  size_t view_ = SIZE_MAX;                         // nodes; SIZE_MAX for all
  // The current graph when the statement began, and its number of nodes.
  uint64_t began_graph_ = 0;
  size_t began_nodes_ = 0;
};

// Shows only the first `nodes` nodes of the current graph during its life.
class EarlierView {
 public:
  EarlierView(Versions& versions, size_t nodes) : versions_(versions), before_(versions.view_) {
    versions_.view_ = nodes;
  }
  ~EarlierView() { versions_.view_ = before_; }
  EarlierView(const EarlierView&) = delete;
  EarlierView& operator=(const EarlierView&) = delete;

 private:
  Versions& versions_;
  size_t before_;
};

}  // namespace tensh::shell
