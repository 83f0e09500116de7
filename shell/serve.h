#pragma once
// tensh serve: a TensorFlow server until Ctrl-C or SIGTERM.
namespace tensh::shell {

// What stands behind `serve` on the command line. Gives the exit code. Called before any other
// thread runs: it takes the signals over.
int Serve(int argc, char** argv);

}  // namespace tensh::shell
