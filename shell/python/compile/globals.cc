#include "shell/python/compile/globals.h"

namespace tensh::shell {

uint32_t Globals::IndexOf(StrObject* name, uint16_t library) {
  if (library >= index_.size()) index_.resize(library + size_t{1});
  auto [it, fresh] = index_[library].try_emplace(name, static_cast<uint32_t>(names_.size()));
  if (fresh) {
    names_.push_back(name);
    slots_.emplace_back();
    builtins_.emplace_back();
    libraries_.push_back(library);
  }
  return it->second;
}

Value* Globals::Find(StrObject* name, uint16_t library) {
  if (library >= index_.size()) return nullptr;
  auto it = index_[library].find(name);
  return it == index_[library].end() ? nullptr : &slots_[it->second];
}

void Globals::Clear() {
  for (uint32_t i = 0; i < slots_.size(); ++i) {
    if (libraries_[i] != 0) continue;
    Value gone;
    slots_[i].swap(gone);
  }
}

void Globals::ClearAll() {
  for (uint32_t i = 0; i < slots_.size(); ++i) {
    Value gone;
    slots_[i].swap(gone);
  }
}

void Globals::ForgetBuiltins() {
  for (Value& v : builtins_) v = Value();
}

}  // namespace tensh::shell
