#pragma once
// The calls of functions in a graph, by the ops of control flow: which functions a node may call,
// and the names under which reports show the nodes of their bodies.
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/graph.h"

namespace tensh {

// A function that a node may call.
struct CallSite {
  std::string role;  // then, else, branch0, cond, body; "" for a plain call
  FuncAttr function;
  uint32_t first_input = 0;  // the caller's input that is the first argument
  bool repeats = false;      // it is the condition or the body of a loop

  bool is_branch() const { return !repeats && !role.empty(); }
  // Returns the caller's input that is this argument in the first call. The first argument of the
  // body of a For is a number, which begins as its input 0.
  uint32_t InputOf(uint32_t arg) const {
    return repeats && first_input > 0 && arg == 0 ? 0 : first_input + arg;
  }
  // Returns "cond/then/" for the caller "cond", the prefix of the names of the body's nodes.
  std::string Prefix(std::string_view caller) const;
};

// Returns the functions that If, Case, While, For and the ops of calls may call. Returns {} for all
// other ops, also for those of tf.data, which call functions for each element.
std::vector<CallSite> CallSitesOf(const Graph& graph, NodeId node);

}  // namespace tensh
