// The lines that the prompt prints for new nodes: "+ h  MatMul(x, a)  f32[?,2]  cpu:1 requested".
#pragma once

#include "shell/client/client.h"
#include "shell/session/versions.h"

namespace tensh::shell {

class Shell;

// Prints the nodes of a version. If these are many, a name scope is one line. The time of the
// statement is given if this version is the only one that it made (`alone`).
void EchoExtend(Shell& shell, const GraphHandle& graph, const Version& version, bool alone);

}  // namespace tensh::shell
