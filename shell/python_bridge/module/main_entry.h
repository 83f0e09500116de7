#pragma once

namespace tensh::shell::module {

// Runs the program `tensh` and returns its exit code. It takes over signals and standard streams, so the
// process should end afterwards.
int RunMain(int argc, char** argv);

}  // namespace tensh::shell::module
