// Values as parts of a run: which tensor or operation of which graph a value stands for.
//
// Threads: the interpreter's thread only.
#pragma once

#include <string_view>

#include "shell/client/client.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

// A value interpreted as a fetch: a tensor, an operation, or neither.
struct Fetch {
  enum class Kind { kNeither, kTensor, kOperation };
  Kind kind = Kind::kNeither;
  tsh_output output{TSH_NO_NODE, 0};  // the tensor
  tsh_node node = TSH_NO_NODE;        // the operation, or that of the tensor
  GraphHandle graph;

  bool is_tensor() const { return kind == Kind::kTensor; }
  explicit operator bool() const { return kind != Kind::kNeither; }
};

// Throws if the node was rolled back.
Fetch AsFetch(const Value& value);
// Also accepts a str that names a node or tensor of the current graph.
Fetch ToFetch(const Value& value);
// Returns true if a session can run the value, or an element of it if it is a list, tuple or dict.
bool IsRunnable(const Value& value);
// Returns the operation or tensor of the current graph with this name ("init", "layer/add:0"), or
// null if it does not exist. The name of a node with outputs denotes its first output.
Value FindByName(std::string_view name);

}  // namespace tensh::shell
