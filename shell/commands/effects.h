// A reminder at the prompt after a run: nodes with side effects that did not run although their
// inputs did. For example, a tf.Print whose result is not fetched prints nothing, and no error says
// so. Each node is mentioned once.
#pragma once

#include "shell/client/client.h"
#include "shell/commands/run_request.h"

namespace tensh::shell {

void NoteEffectsNotRun(Shell& shell, const GraphHandle& graph, const tsh_run& run);

}  // namespace tensh::shell
