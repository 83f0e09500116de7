// A stack of sufficient size, whatever `ulimit -s` says.
#pragma once

namespace tensh::shell {

// Calls body(argc, argv) and returns its result. If the limit of the process for stacks is below two
// megabytes, the call runs in the same thread on a stack that this function allocates, and later
// threads also get larger stacks. Call it once, in the main thread.
int OnLargeStack(int (*body)(int, char**), int argc, char** argv);

}  // namespace tensh::shell
