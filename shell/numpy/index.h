// a[key] and a[key] = v for every kind of key that numpy accepts: integers, slices, None, Ellipsis,
// boolean masks, index arrays and lists, also mixed. Only the thread that holds the interpreter's
// lock may call them.
#pragma once

#include "shell/numpy/array.h"
#include "shell/python/values/value.h"

namespace tensh::shell::np {

// Returns a view for a basic key, a copy for a fancy key, and a scalar if one element remains.
Value GetItem(const Array& a, const Value& key);
void SetItem(const Array& a, const Value& key, const Value& v);

}  // namespace tensh::shell::np
