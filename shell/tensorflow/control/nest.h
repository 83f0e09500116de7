// Nested structures as in TensorFlow's `nest`: lists, tuples, named tuples, and dicts, whose values
// are ordered by key. Any other value is a leaf.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "shell/python/values/containers.h"

namespace tensh::shell::tf {

bool IsNested(const Value& v);
std::vector<Value> Flatten(const Value& v);
// Returns the structure with other leaves. Their number must match.
Value PackAs(const Value& structure, std::span<const Value> leaves);
Value MapLeaves(const Value& v, const std::function<Value(const Value&)>& fn);
// Throws ValueError or TypeError if the two structures differ.
void CheckSameStructure(const Value& a, const Value& b);

}  // namespace tensh::shell::tf
