#pragma once
// A node's attribute as TensorFlow's AttrValue message, in the wire form of protocol buffers.
#include "runtime/core/op_registry.h"

namespace tensh {

std::string EncodeAttr(const AttrValue& value);
// `def` says what an empty list is a list of; null: not an attribute of the op. `params` are the
// values of a function's attributes, which the message may name. Unimplemented for lists of
// tensors.
Result<AttrValue> DecodeAttr(std::string_view message, const AttrDef* def,
                             const std::vector<NamedAttr>* params = nullptr);
// What an op of a later TensorFlow says in an attribute we do not know when it means what this one
// does.
bool SaysNothing(const AttrValue& value);

}  // namespace tensh
