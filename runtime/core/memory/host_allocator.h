#pragma once
// The memory that the host allocator keeps for reuse. Thread-safe.
#include <chrono>
#include <cstddef>

namespace tensh {

// Frees the large blocks that were kept for reuse and not used for at least this time. Returns the
// bytes that are still kept.
size_t ReleaseUnusedHostMemory(std::chrono::milliseconds unused);

}  // namespace tensh
