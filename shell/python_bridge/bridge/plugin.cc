// The entry of libtensh_python.so: starts CPython.
#include <signal.h>

#include "shell/python_bridge/bridge/bridge.h"

namespace tensh::shell::bridge {
namespace {

// Starts CPython, but leaves the handler of Ctrl-C as it is.
void StartPython(const char* executable) {
  static const std::string path = executable;
  static const std::wstring program(path.begin(), path.end());
  // Deprecated since 3.11, but the limited API has no other function for it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  Py_SetProgramName(program.c_str());
#pragma GCC diagnostic pop
  struct sigaction interrupt {};
  ::sigaction(SIGINT, nullptr, &interrupt);
  Py_InitializeEx(0);
  MakeTypes();
  TakeOutput();  // sets the handler of the module signal
  ::sigaction(SIGINT, &interrupt, nullptr);
}

const char* StartPlugin(const Host& given, const char* executable) {
  if (given.size != sizeof(Host) || std::string_view(given.version) != TENSH_VERSION)
    return "libtensh_python.so belongs to another version of tensh";
  host = given;
  SetHasLock(true);
  StartPython(executable);
  SetHasLock(false);
  PyEval_SaveThread();
  return nullptr;
}

}  // namespace
}  // namespace tensh::shell::bridge

extern "C" __attribute__((visibility("default"))) const char* tensh_python_bridge(
    const tensh::shell::bridge::Host& host, const char* python) {
  return tensh::shell::bridge::StartPlugin(host, python);
}
