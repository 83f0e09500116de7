// The data about which a browser may ask, and the answers.
//
// A Snapshot is published after each command. It is immutable except for the graph, which only grows,
// and for the drawings, which only the thread of the server uses.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "shell/commands/base/node_values.h"
#include "shell/explain/drawing.h"
#include "shell/explain/player.h"

namespace tensh::shell {

// A run that the page can show as a film.
struct FilmedRun {
  uint64_t id = 0;  // 1, 2, … in the order of the runs
  std::string request, target;
  std::shared_ptr<const Report> report;
  std::shared_ptr<Drawing> drawing;  // server's thread only
  std::string drawing_json;          // the levels that are open at first
  ValueTexts values = {};            // the printed values of the step
};

// The values of a watched expression over the steps of a loop.
struct WatchedCurve {
  std::string text;
  std::vector<double> numbers;
};

struct Snapshot {
  GraphHandle graph;
  size_t nodes = 0;  // size of the graph when the snapshot was taken
  std::shared_ptr<Drawing> graph_drawing;
  std::vector<std::shared_ptr<const FilmedRun>> runs = {};  // oldest first
  std::shared_ptr<const NodeValues> values;                 // of the last recorded step
  std::vector<WatchedCurve> curves = {};

  // Answers a question of shell/page/live.js; both are JSON. Returns "" if the question is invalid.
  std::string Ask(const std::string& question) const;
  // Returns the value of a tensor, "add:0", as JSON.
  std::string Value(const std::string& tensor, size_t slice) const;
  const FilmedRun* last() const { return runs.empty() ? nullptr : runs.back().get(); }
};

// Returns texts as a JSON list.
std::string TextList(const std::vector<std::string>& texts);
// The tensors that browsers watch. They are set by a question, and read by the interpreter's thread.
std::vector<std::string> PinnedTensors();

}  // namespace tensh::shell
