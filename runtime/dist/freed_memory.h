#pragma once

namespace tensh::dist {

// Gives memory that was freed back to the operating system, a moment later. malloc keeps it for new
// blocks otherwise, and the allocator of tensors for new tensors, so that a server that had many
// sessions would stay large after they are closed.
// Calls within that moment count as one, because this takes time for every block that is free.
void ReturnFreedMemorySoon();

// Count the calls of clients. When the last of many calls in flight ends, their memory is returned.
void CallBegins();
void CallEnds();

}  // namespace tensh::dist
