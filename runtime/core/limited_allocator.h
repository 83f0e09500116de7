#pragma once
// Memory of another allocator up to a limit: what one session may hold. Thread-safe.
#include <memory>

#include "runtime/core/tensor.h"

namespace tensh {

// It lasts until the pointer and everything allocated from it are gone; `base` outlives that.
// Beyond the limit an allocation fails, as one does for which there is no memory.
std::shared_ptr<Allocator> LimitMemory(Allocator* base, size_t limit);

}  // namespace tensh
