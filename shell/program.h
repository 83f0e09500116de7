// The program `tensh` as a function, which the executable and the Python package call.
#pragma once

namespace tensh::shell {

// Runs the command line and returns the exit code. Takes over signals and standard streams, so that the
// process should end afterwards. Call it once, in the main thread.
int RunTensh(int argc, char** argv);

}  // namespace tensh::shell
