#pragma once
// Ops that a graph uses and that do not exist here. Such an op is an entry of the graph's library of
// functions, so that a model can be looked at and everything else in it can run. It accepts any
// inputs and attributes and has neither a kernel nor a body: a run that needs one of its nodes fails
// (runtime/plan/place.cc). It is not exported as a function.
//
// The types of its inputs and outputs are the attributes kTin and kTout of its nodes, which are not
// exported.
#include <string>
#include <string_view>

#include "runtime/core/op_registry.h"

namespace tensh {

inline constexpr std::string_view kTin = "_Tin", kTout = "_Tout";

inline bool IsUnknown(const OpDef& op) { return op.role == OpRole::kUnknown; }
// Returns true if the signature, read from a library, is one of UnknownOpLibrary.
inline bool DeclaresUnknown(const OpDef& op) {
  return !op.attrs.empty() && op.attrs[0].name == kTin;
}

// Returns the library (a FunctionDefLibrary message) that declares the op.
std::string UnknownOpLibrary(std::string_view name);

}  // namespace tensh
