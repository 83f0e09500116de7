#include "shell/python_bridge/module/compat.h"

#include <exception>
#include <string>

#include "shell/client/client.h"
#include "shell/python_bridge/bridge/bridge.h"
#include "shell/python_bridge/host/inside.h"
#include "shell/python_bridge/module/errors.h"
#include "shell/python_bridge/module/interrupts.h"
#include "shell/python_bridge/module/shell_thread.h"

namespace tensh::shell::module {
namespace {

// Cancels what the main thread does in the shell, until it has answered the interrupt.
bool InterruptShell(bool again) {
  Interp& interp = *bridge::host.interp;
  if (!bridge::Entered::main_is_inside() || (again && !interp.interrupted())) return false;
  if (!again) interp.Interrupt();
  CancelAllSessions();
  return true;
}

// Starts the shell's thread and makes the types of the proxies. Returns false with an exception on failure.
bool StartBridge() {
  static bool started = false;
  if (started) return true;
  std::string failed;
  {
    const WithoutGil without;
    try {
      PrepareForProxies();
    } catch (const std::exception& error) {
      failed = error.what();
    }
  }
  if (!failed.empty()) return PyErr_SetString(PyExc_RuntimeError, failed.c_str()), false;
  bridge::host = bridge::TheHost();
  bridge::Entered::WatchMain();
  AlsoInterrupt(InterruptShell);
  CatchInterrupts();
  started = bridge::Guarded([] { return bridge::MakeTypes(), true; }, false);
  return started;
}

// The entry of the bridge for RunTensh, which has the shell's lock.
const char* StartInProgram(const bridge::Host& given, const char*) {
  bridge::host = given;
  const bridge::Gil gil;
  bridge::MakeTypes();
  bridge::TakeOutput();
  return nullptr;
}

}  // namespace

PyObject* ImportShellModule(PyObject*, PyObject* args) {
  const char* name = nullptr;
  if (!PyArg_ParseTuple(args, "s", &name) || RefuseFork() || !StartBridge()) return nullptr;
  return bridge::Guarded(
      [&] {
        Value found;
        {
          const WithoutGil without;
          found = bridge::host.import(name);
        }
        return bridge::ToPython(found).release();
      },
      static_cast<PyObject*>(nullptr));
}

void OfferPackages() { bridge::inside = StartInProgram; }

}  // namespace tensh::shell::module
