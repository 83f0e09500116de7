#pragma once
// An allocator that takes memory from another one, up to a limit. It bounds the memory of one
// session. Thread-safe.
#include <memory>

#include "runtime/core/tensor.h"

namespace tensh {

// The allocator lives until the pointer and everything allocated from it are gone; `base` must live
// longer. Beyond the limit, an allocation fails as if memory were exhausted.
std::shared_ptr<Allocator> LimitMemory(Allocator* base, size_t limit);

}  // namespace tensh
