#pragma once

// One recorded case turned into a graph and a session over the C API. A Case owns both; the JSON it
// was made from must outlive it. Single-threaded.

#include <string>
#include <vector>

#include "tests/oracle/attr_json.h"

namespace tensh::oracle {

// How inputs that are plain tensors enter the graph.
// kTyped: as a script has it, shapes known and integers (axes, sizes, indices) constant.
enum class Feed { kUnknownShape, kKnownShape, kConstant, kTyped };

struct Outcome {
  std::string error;  // the class of TensorFlow's exception, "" when it worked
  std::string message;
  std::vector<TensorPtr> tensors;
};

class Case {
 public:
  Case();
  ~Case();
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  // Adds the inputs and the node of `row`. shapes, when given, has one text an input ("[2,?]", "=",
  // "&").
  Outcome Build(const std::string& op, const Json& row, Feed feed, const Json* shapes = nullptr);
  // Runs the initialisers of the variables; call once after Build.
  Outcome Initialize();
  Outcome Run(const std::vector<tsh_output>& fetches);
  Outcome RunOutputs() { return Run(outputs_); }
  Outcome RunVariables();
  // Gradients of the floating-point outputs for the floating-point inputs, fed `weights`. Runs them
  // too: one tensor an input, null where nothing flows.
  Outcome RunGradients(const Json& weights);
  std::string OutputShape(size_t i) const;
  // "" when the inferred shapes can be those of the outputs; else which is not.
  std::string ShapesAgainst(const std::vector<TensorPtr>& outputs) const;
  // The fed double tensors: their numbers among the feeds. Nudge replaces element i of one by a
  // copy of the tensor with `by` added to it.
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
  std::vector<TensorPtr> values_;  // one a feed
};

// The class of TensorFlow's exception for a status code, "" for 0.
std::string ErrorName(int code);
// The recorded definitions, by op name (opdefs.json).
const Json& Definition(const std::string& op);
// A file of the record: under tests/oracle, or $TENSH_ORACLE_RECORD where live.py has made another
// one.
std::string RecordPath(const std::string& path);
Json ReadJson(const std::string& path);

}  // namespace tensh::oracle
