// Parameters of a callable and the binding of a call's arguments to them, for native rows and for
// functions the user defines alike. Error texts are CPython's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/values/containers.h"
#include "shell/values/native.h"

namespace tensh::shell {

struct Parameter {
  StrObject* name = nullptr;
  Value fallback;  // Null without one, or for `...`.
  bool optional = false;
};

struct Signature {
  // Order of the slots: positional, *args, keyword-only, **kwargs.
  std::vector<Parameter> params;
  size_t positional = 0;       // How many can be given by position.
  size_t positional_only = 0;  // The first of them that cannot be given by name.
  int star = -1;               // Slot of *args, or -1.
  int star_star = -1;          // Slot of **kwargs, or -1.
  bool builtin_texts = false;  // Error texts of a C function.

  size_t required() const;  // Positional parameters without a default.
};

Signature ParseSignature(std::string_view text);

struct CallName {
  std::string name;        // "f", "Counter.step", "list.append"
  size_t hidden_self = 0;  // 1: a receiver counts as an argument in error texts.
};

// Fills `slots` (signature.params.size() null Values).
void BindArguments(const Signature& signature, const CallArgs& args, const CallName& name,
                   Value* slots);

}  // namespace tensh::shell
