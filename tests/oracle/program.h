#pragma once

// A recorded program (README.md, programs/) as a graph and a session over the C API. Owns both. The
// JSON that it was made from must outlive it. Single-threaded.

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

  // Adds the nodes of `row`. If `hide` is set, constants reach nodes of type `op` through a
  // PlaceholderWithDefault of unknown shape, so that only the kernel sees their values.
  Outcome Build(const std::string& op, const Json& row, bool hide);
  // Creates the session. Call once after Build.
  Outcome Start();
  // Runs one step of "runs" and returns all outputs of its nodes that are values. A step "!a" never
  // ends, like the one that was recorded, so it is stopped after a short time.
  Outcome Run(const std::string& step, bool waited = false);
  // Returns the inferred shapes of the outputs of all nodes with the op that was passed to Build.
  Json Shapes() const;

 private:
  struct Added {
    tsh_node node;
    std::vector<tsh_output> values;  // outputs that a step may fetch
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
