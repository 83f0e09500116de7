// Nested structures as TensorFlow's `nest` sees them: lists, tuples, named tuples and dicts, whose
// values come in the order of their sorted keys. Anything else is a leaf.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "shell/values/containers.h"

namespace tensh::shell::tf {

bool IsNested(const Value& v);
std::vector<Value> Flatten(const Value& v);
// The structure with other leaves, which are as many as it has.
Value PackAs(const Value& structure, std::span<const Value> leaves);
Value MapLeaves(const Value& v, const std::function<Value(const Value&)>& fn);
// ValueError or TypeError when the two are not nested alike.
void CheckSameStructure(const Value& a, const Value& b);

}  // namespace tensh::shell::tf
