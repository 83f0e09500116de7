#include "shell/lang/globals.h"

namespace tensh::shell {

uint32_t Globals::IndexOf(StrObject* name) {
  auto [it, fresh] = index_.try_emplace(name, static_cast<uint32_t>(names_.size()));
  if (fresh) {
    names_.push_back(name);
    slots_.emplace_back();
    builtins_.emplace_back();
  }
  return it->second;
}

void Globals::Clear() {
  for (uint32_t i = 0; i < slots_.size(); ++i) {
    Value gone;
    slots_[i].swap(gone);
  }
}

void Globals::ForgetBuiltins() {
  for (Value& v : builtins_) v = Value();
}

}  // namespace tensh::shell
