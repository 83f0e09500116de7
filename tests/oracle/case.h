#pragma once

// A recorded case as a graph and a session over the C API. A Case owns both. The JSON that it was
// made from must outlive it. Single-threaded.

#include <string>
#include <vector>

#include "tests/oracle/attr_json.h"

namespace tensh::oracle {

// The form in which plain tensors enter the graph. kTyped is the form in a script: shapes are
// known, and integers (axes, sizes, indices) are constants.
enum class Feed { kUnknownShape, kKnownShape, kConstant, kTyped };

struct Outcome {
  std::string error;  // the class of TensorFlow's exception, or "" on success
  std::string message;
  std::vector<TensorPtr> tensors;
};

class Case {
 public:
  Case();
  ~Case();
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  // Adds the inputs and the node of `row`. If `shapes` is given, it has one text per input
  // ("[2,?]", "=", "&").
  Outcome Build(const std::string& op, const Json& row, Feed feed, const Json* shapes = nullptr);
  // Runs the initialisers of the variables. Call once after Build.
  Outcome Initialize();
  Outcome Run(const std::vector<tsh_output>& fetches);
  Outcome RunOutputs() { return Run(outputs_); }
  Outcome RunVariables();
  // Builds and runs the gradients of the floating-point outputs with respect to the floating-point
  // inputs, fed with `weights`. Returns one tensor per input, or null if there is no gradient.
  Outcome RunGradients(const Json& weights);
  std::string OutputShape(size_t i) const;
  // Returns "" if the inferred shapes are compatible with the outputs, and otherwise the shape that
  // is not.
  std::string ShapesAgainst(const std::vector<TensorPtr>& outputs) const;
  // The indices of the fed double tensors among the feeds. Nudge replaces a feed by a copy with
  // `by` added to element i.
  std::vector<size_t> DoubleFeeds() const;
  int64_t FeedElements(size_t feed) const;
  void Nudge(size_t feed, int64_t i, double by);
  size_t n_outputs() const { return outputs_.size(); }

 private:
  tsh_output AddInput(const std::string& text, Feed feed, const std::string* shape);
  tsh_output AddVariable(const std::string& text);
  tsh_node Add(const tsh_node_spec& spec);
  Outcome Failure() const;

  tsh_status* status_;
  tsh_graph* graph_;
  tsh_session* session_ = nullptr;
  tsh_node node_ = TSH_NO_NODE;
  std::vector<tsh_output> inputs_, outputs_, variables_, feeds_;
  std::vector<tsh_node> initializers_;
  std::vector<TensorPtr> values_;  // one per feed
};

// Returns the class of TensorFlow's exception for a status code, or "" for 0.
std::string ErrorName(int code);
// The recorded definitions (opdefs.json) by op name.
const Json& Definition(const std::string& op);
// Returns the path of a file of the oracle: below tests/oracle or, in a bundle, $TENSH_ORACLE_FOLDER.
std::string OraclePath(const std::string& path);
// Returns the path of a file of the record, which is under tests/oracle or, for another record that
// live.py made, in $TENSH_ORACLE_RECORD.
std::string RecordPath(const std::string& path);
Json ReadJson(const std::string& path);

}  // namespace tensh::oracle
