// The TensorFlow 1.x API of the shell. It adds the module `tensorflow` and the name tf to an
// interpreter. Tensors, sessions and graphs are declared in graph.h, variable.h and session.h;
// State() holds the default graph and sessions.
//
// Threads: the interpreter's thread only.
#pragma once

#include "shell/python/vm/catalogue.h"
#include "shell/python/vm/interp.h"

namespace tensh::shell::tf {

// Creates nothing until a name is used. Forgets the state of an earlier interpreter.
void AddTensorFlow(Interp& interp);
// Returns the names of tf and of its modules.
const Catalogue& TensorFlowCatalogue();
// Resolves a name in a verb without the prefix "tf.": returns tf.NAME, or the function of the op
// that a snake_case name stands for ("lower_bound"), which is not an attribute of tf. Returns null
// if neither exists, or if the name is a misspelled name of tf.
Value FindInVerb(std::string_view name);

}  // namespace tensh::shell::tf
