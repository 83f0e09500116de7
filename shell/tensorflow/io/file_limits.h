// The files that the runtime's ops may touch: those that open() may.
#pragma once

namespace tensh::shell::tf {

// Limits the ops to the working directory and the folder of the script, unless the interpreter
// allows all files. Folders that the interpreter allows later are added.
void LimitFilesOfOps();

}  // namespace tensh::shell::tf
