#pragma once
// An allocator that takes memory from another one, up to a limit. It bounds the memory of one
// session, or of all sessions of a server, from which those of the sessions then take theirs.
// Thread-safe.
#include <memory>

#include "runtime/core/kernel.h"

namespace tensh {

// The size of the header of a tensor, which is the whole block of a view or of an empty tensor. Such
// a block is allocated beyond the limit, too, because a view must not fail.
constexpr size_t kTensorHeaderBytes = 128;

// The allocator lives until the pointer and everything allocated from it are gone. `base` must live
// longer, unless this function returned it: its blocks keep it alive. Beyond the limit, an allocation
// fails as if memory were exhausted.
std::shared_ptr<Allocator> LimitMemory(Allocator* base, size_t limit);

// Counts the text of the strings among the outputs of a call that has ended, for as long as their
// blocks exist, if `allocator` is one of LimitMemory. Returns ResourceExhausted beyond its limit.
Status CountTextOf(const KernelCall& call, const Tensor* slots, Allocator* allocator);
inline Status CountText(const KernelCall& call, const Tensor* slots, Allocator* allocator) {
  if (allocator == HostAllocator()) return {};
  return CountTextOf(call, slots, allocator);
}

}  // namespace tensh
