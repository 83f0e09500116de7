// The parameters of a callable, and the binding of a call's arguments to them. Native rows and the
// user's functions share it. Error messages are CPython's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/python/values/containers.h"
#include "shell/python/values/native.h"

namespace tensh::shell {

struct Parameter {
  StrObject* name = nullptr;
  Value fallback;  // The default value; null if there is none or if it is `...`.
  bool optional = false;
};

struct Signature {
  // The slots are in this order: positional, *args, keyword-only, **kwargs.
  std::vector<Parameter> params;
  size_t positional = 0;       // Number of parameters that can be given by position.
  size_t positional_only = 0;  // Number of leading parameters that cannot be given by name.
  int star = -1;               // Slot of *args, or -1.
  int star_star = -1;          // Slot of **kwargs, or -1.
  bool builtin_texts = false;  // Use the error messages of a C function.

  size_t required() const;  // Number of positional parameters without a default.
};

Signature ParseSignature(std::string_view text);

struct CallName {
  std::string name;        // "f", "Counter.step", "list.append"
  size_t hidden_self = 0;  // 1 if error messages count the receiver as an argument.
};

// Fills `slots`, which must hold signature.params.size() null Values. Throws TypeError.
void BindArguments(const Signature& signature, const CallArgs& args, const CallName& name,
                   Value* slots);

}  // namespace tensh::shell
