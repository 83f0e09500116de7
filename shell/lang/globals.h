// Globals: the module namespaces, one for the user's program and one for each library. A name gets
// an index when it is first compiled, for good; the indexes of all namespaces are in one table.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "shell/values/containers.h"
#include "shell/values/value.h"

namespace tensh::shell {

class Globals {
 public:
  uint32_t IndexOf(StrObject* name, uint16_t library = 0);
  Value* Find(StrObject* name, uint16_t library);  // Null when no code names it.
  Value& at(uint32_t i) { return slots_[i]; }
  Value& builtin(uint32_t i) {
    return builtins_[i];
  }  // Cache of the builtin of that name; may be null.
  StrObject* name(uint32_t i) const { return names_[i]; }
  uint16_t library(uint32_t i) const { return libraries_[i]; }
  size_t size() const { return names_.size(); }
  void Clear();     // The user's.
  void ClearAll();  // The libraries' too.
  void ForgetBuiltins();

 private:
  std::vector<std::unordered_map<StrObject*, uint32_t>> index_;  // By library.
  std::vector<Value> slots_, builtins_;
  std::vector<StrObject*> names_;
  std::vector<uint16_t> libraries_;
};

}  // namespace tensh::shell
