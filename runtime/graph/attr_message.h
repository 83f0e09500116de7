#pragma once
// A node's attribute as TensorFlow's AttrValue message, in the wire form of protocol buffers.
#include "runtime/core/op_registry.h"

namespace tensh {

std::string EncodeAttr(const AttrValue& value);
// `def` says what an empty list is a list of; null: not an attribute of the op. Unimplemented for
// functions and lists of tensors.
Result<AttrValue> DecodeAttr(std::string_view message, const AttrDef* def);

}  // namespace tensh
