#pragma once
// Parses the signature text of an OpSpec into argument and attribute definitions. Aborts on
// malformed text, naming the op: signatures are ours.
#include "runtime/core/op_registry.h"

namespace tensh {

void ParseSignature(const OpSpec& spec, OpDef& op);

}  // namespace tensh
