// `tensh --stdio`: serves another program, such as the kernel of a notebook, with JSON on the
// standard streams. docs/stdio.md describes the protocol.
#pragma once

#include "shell/commands/base/shell.h"

namespace tensh::shell {

// Takes over standard input and output for the protocol. Afterwards, what the process and the programs
// that it starts write to standard output and standard error reaches the client as events. Call it
// before the interpreter and any thread exist. Returns false if the system refuses.
bool TakeStandardStreams();
// Answers requests until standard input ends or a cell ends the process. Returns the exit code.
int ServeStdio(Shell& shell);

}  // namespace tensh::shell
