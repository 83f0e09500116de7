// After a run at a prompt: the nodes with effects that did not run though what they take did. A
// tf.Print whose result nobody fetched says nothing, and nothing says so; this does, once a node.
#pragma once

#include "shell/client.h"
#include "shell/commands/run_request.h"

namespace tensh::shell {

void NoteEffectsNotRun(Shell& shell, const GraphHandle& graph, const tsh_run& run);

}  // namespace tensh::shell
