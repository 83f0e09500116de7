// Memory that is kept for the handling of a failed allocation.
//
// When operator new fails, a reserve of one megabyte is released before std::bad_alloc is thrown, so
// that the error can be handled and printed. If that is not enough, OutOfMemory returns an exception
// that was made in advance.
//
// Threads: the reserve may be released by any thread; the functions need the interpreter's lock.
#pragma once

#include "shell/python/values/value.h"

namespace tensh::shell {

// Sets the reserve aside again, and makes the spare exception. Does nothing if both are there, or if
// there is no memory for them.
void KeepReserve() noexcept;
// Drops the spare exception. The interpreter calls it before it ends.
void DropSpareError();

// Returns a new MemoryError, or the spare one.
Value OutOfMemory();

}  // namespace tensh::shell
