// The lines that the prompt prints for new nodes: "+ h  MatMul(x, a)  f32[?,2]  cpu:1 requested".
#pragma once

#include "shell/client/client.h"
#include "shell/session/versions.h"

namespace tensh::shell {

class Shell;

// Prints the nodes of a version. If there are many, the nodes of a name scope share one line. The
// time of the statement is printed if it made only this version (`alone`).
void EchoExtend(Shell& shell, const GraphHandle& graph, const Version& version, bool alone);

}  // namespace tensh::shell
