// The part of the heap that another collector must know: which objects only references from its heap keep alive.
#pragma once

#include <vector>

#include "shell/python/values/value.h"

namespace tensh::shell::heap {

// The references between this heap and one with another collector: `held` are objects that one reference each from
// there keeps alive, and `holders` are untracked objects that keep something alive there.
struct Border {
  std::vector<Object*> held, holders;
};
// Finds the islands: the groups of connected objects that only references from the other heap, and from each other,
// keep alive. Returns the number of the island of each of `held` and then of `holders`, or SIZE_MAX if it is on none.
std::vector<size_t> FindIslands(const Border& border);

}  // namespace tensh::shell::heap
