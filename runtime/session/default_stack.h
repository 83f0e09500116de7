#pragma once
// The calling thread's stack of default sessions. Holds pointers only: whoever pushes keeps the
// session alive.
#include <cstddef>

namespace tensh {

void PushDefaultSession(void* session);
// False when it is not on top.
bool PopDefaultSession(void* session);
void* DefaultSession();  // null: none

}  // namespace tensh
