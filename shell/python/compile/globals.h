// The module namespaces: one for the user's program and one for each library. A name gets a
// permanent index when it is first compiled. The indexes of all namespaces refer to one table.
//
// The interpreter owns the table. It is protected by the interpreter's lock (threads.h).
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "shell/python/values/containers.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

class Globals {
 public:
  // Returns the index of a name, and adds the name if it is new. Library 0 is the user's program.
  uint32_t IndexOf(StrObject* name, uint16_t library = 0);
  // Returns null if no compiled code uses the name.
  Value* Find(StrObject* name, uint16_t library);
  Value& at(uint32_t i) { return slots_[i]; }
  // The cached builtin of the same name; may be null.
  Value& builtin(uint32_t i) { return builtins_[i]; }
  StrObject* name(uint32_t i) const { return names_[i]; }
  uint16_t library(uint32_t i) const { return libraries_[i]; }
  size_t size() const { return names_.size(); }
  void Clear();     // Clears the user's globals.
  void ClearAll();  // Clears the globals of the libraries too.
  void ForgetBuiltins();

 private:
  std::vector<std::unordered_map<StrObject*, uint32_t>> index_;  // Indexed by library.
  std::vector<Value> slots_, builtins_;
  std::vector<StrObject*> names_;
  std::vector<uint16_t> libraries_;
};

}  // namespace tensh::shell
