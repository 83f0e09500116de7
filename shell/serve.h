#pragma once
// The command `tensh serve`: a TensorFlow server that runs until Ctrl-C or SIGTERM.
namespace tensh::shell {

// Runs `serve` with the arguments that follow it and returns the exit code. Must be called before
// any other thread exists, because it takes over the signals.
int Serve(int argc, char** argv);

}  // namespace tensh::shell
