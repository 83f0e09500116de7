#pragma once
// Encoding of a node's attribute as TensorFlow's AttrValue message, in protocol-buffer format.
#include "runtime/core/op_registry.h"

namespace tensh {

std::string EncodeAttr(const AttrValue& value);
// Decodes an attribute. `def` gives the element type of an empty list; null if the op does not have
// the attribute. `params` are the values of a function's attributes, to which the message may
// refer. Returns Unimplemented for lists of tensors.
Result<AttrValue> DecodeAttr(std::string_view message, const AttrDef* def,
                             const std::vector<NamedAttr>* params = nullptr);
// Returns true for a value that later versions of TensorFlow write for an attribute unknown to
// tensh when the attribute has no effect.
bool SaysNothing(const AttrValue& value);

}  // namespace tensh
