// The command `tensh kernel install`, which makes the kernel of tensh known to Jupyter.
#pragma once

namespace tensh::shell {

// Runs `kernel` with the arguments that follow it and returns the exit code. `zero` is argv[0].
int InstallKernel(const char* zero, int argc, char** argv);

}  // namespace tensh::shell
