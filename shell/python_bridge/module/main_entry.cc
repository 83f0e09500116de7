// The program `tensh` inside of the extension module, so that the wheel needs no second copy of the code.
#define main TenshMain  // NOLINT: the file is a program, and here a function
#include "shell/main.cc"
#undef main

#include "shell/python_bridge/module/main_entry.h"

namespace tensh::shell::module {

int RunMain(int argc, char** argv) { return TenshMain(argc, argv); }

}  // namespace tensh::shell::module
