#pragma once
// Parses the signature text of an OpSpec into definitions of arguments and attributes.
#include "runtime/core/op_registry.h"

namespace tensh {

// Fills in the attributes, arguments and contract of `op`. Returns InvalidArgument, which names the
// op, if a signature is malformed. Aborts if the contract is malformed. External ops have no
// contract.
Status ParseSignature(const OpSpec& spec, OpDef& op);

// Returns the types that an attribute of a well-formed signature may have, in the order of the
// text, in which error messages list them. Empty if it may have every type.
std::vector<DType> AllowedTypes(const OpSpec& spec, std::string_view attr);

// True for a letter or underscore, followed by letters, digits and underscores.
bool IsIdentifier(std::string_view text);

}  // namespace tensh
