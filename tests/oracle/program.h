#pragma once

// One recorded program (README.md, programs/) turned into a graph and a session over the C API.
// Owns both; the JSON it was made from must outlive it. Single-threaded.

#include <map>
#include <string>
#include <vector>

#include "tests/oracle/case.h"

namespace tensh::oracle {

class Program {
 public:
  Program();
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Adds the nodes of `row`. hide: constants that go into nodes of type `op` reach them through a
  // PlaceholderWithDefault of unknown shape, so that only the kernel sees them.
  Outcome Build(const std::string& op, const Json& row, bool hide);
  // Makes the session; call once after Build.
  Outcome Start();
  // One step of "runs": all outputs of these nodes that are values. "!a" waits for ever, as does
  // what waited in TensorFlow: a short time is given it.
  Outcome Run(const std::string& step, bool waited = false);
  // The inferred shapes of the outputs of the nodes of the op that Build was given.
  Json Shapes() const;

 private:
  struct Added {
    tsh_node node;
    std::vector<tsh_output> values;  // what a step may fetch
  };
  Outcome AddNode(const Json& row, bool hide);
  tsh_output Input(const std::string& text, bool hide);
  tsh_output Simple(const char* op, const tsh_output* input, const std::vector<tsh_attr>& attrs);
  Outcome Failure() const;

  tsh_status* status_;
  tsh_graph* graph_;
  tsh_session* session_ = nullptr;
  std::map<std::string, Added> nodes_;
  std::vector<tsh_node> tested_;
};

}  // namespace tensh::oracle
