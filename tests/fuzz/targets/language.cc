// Runs the input as a program, in a new shell.
#include <cstdint>

#include "tests/fuzz/targets/fuzz_shell.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool entered = [] {
    tensh::shell::EnterFolder();
    return true;
  }();
  if (!entered) return 0;
  tensh::shell::FuzzShell shell;
  shell.Run(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
