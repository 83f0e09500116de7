// The current graph, and the transaction that every top-level statement is on all live graphs.
//
// Threads: the interpreter's thread only.
#pragma once

#include <cstdint>
#include <string>

#include "shell/client/client.h"

namespace tensh::shell {

// Returns the default graph of the thread, which is created if necessary.
GraphHandle CurrentGraph();
bool HasGraph();          // true if a graph has been created
std::string GraphSeed();  // the seed of tf.set_random_seed, or "" if it was not called

// Begin, commit or roll back a transaction on every live graph, around each top-level statement.
// `source` is stored with the nodes that the statement creates: a line, or the number of a cell.
void BeginAll(uint32_t source, bool is_cell);
void CommitAll();
// Returns true if a graph has temporaries: the nodes that were added since BeginAll are neither
// state, such as a variable, nor does any value of the program refer to one of them.
bool HasTemporaries();
// Commits, but removes the temporaries.
void CommitWithoutTemporaries();
void RollbackAll();

}  // namespace tensh::shell
