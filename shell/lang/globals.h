// Globals: the one module namespace. A name gets an index when it is first compiled, for good.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "shell/values/containers.h"
#include "shell/values/value.h"

namespace tensh::shell {

class Globals {
 public:
  uint32_t IndexOf(StrObject* name);
  Value& at(uint32_t i) { return slots_[i]; }
  Value& builtin(uint32_t i) { return builtins_[i]; }  // Cache of the builtin of that name; may be null.
  StrObject* name(uint32_t i) const { return names_[i]; }
  size_t size() const { return names_.size(); }
  void Clear();
  void ForgetBuiltins();

 private:
  std::unordered_map<StrObject*, uint32_t> index_;
  std::vector<Value> slots_, builtins_;
  std::vector<StrObject*> names_;
};

}  // namespace tensh::shell
