// The TF-1.x API of the shell: adds the module `tensorflow` (and the names tf …) to an interpreter.
// Tensors, sessions and graphs as values are in graph.h, variable.h and session.h; State() holds
// the default graph and sessions. Threads: the interpreter's only.
#pragma once

#include "shell/lang/interp.h"

namespace tensh::shell::tf {

// Nothing is made until it is asked for. What an earlier interpreter left is forgotten.
void AddTensorFlow(Interp& interp);
const ModuleDef& TensorFlowModule();
// The names of tf's functions and constants, for completion and help; "nn.relu" for submodules'.
std::vector<std::string> TensorFlowNames();

}  // namespace tensh::shell::tf
