// a[key] and a[key] = v for every kind of key numpy takes: integers, slices, None, Ellipsis,
// boolean masks, index arrays and lists, mixed. Interpreter's thread.
#pragma once

#include "shell/np/array.h"
#include "shell/values/value.h"

namespace tensh::shell::np {

// A view for basic keys, a copy for fancy ones; a scalar when one element is left.
Value GetItem(const Array& a, const Value& key);
void SetItem(const Array& a, const Value& key, const Value& v);

}  // namespace tensh::shell::np
