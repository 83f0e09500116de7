// Limits the files that the runtime's ops may access to those that open() may access.
#pragma once

namespace tensh::shell::tf {

// With --sandbox, limits the ops to the working directory, and reading also to the folder of the
// script. Folders that the interpreter allows later are added.
void LimitFilesOfOps();

}  // namespace tensh::shell::tf
