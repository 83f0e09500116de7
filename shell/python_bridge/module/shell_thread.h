// Runs the interpreter of the shell on a dedicated thread of a Python process.
//
// Only that thread touches Values, and its stack is large enough for deep recursion, whichever Python
// thread asks. It is started by the first job and lives until the process ends. No function here needs
// the GIL; the callers release it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "shell/client/client.h"

namespace tensh::shell {
class Shell;
}

namespace tensh::shell::module {

// A part of the output of a cell, in the order in which it was made.
struct Shown {
  std::string kind;  // "stdout", "stderr", "result" or "display"
  std::string text, mime, data;
};
// The outcome of a cell.
struct CellResult {
  std::vector<Shown> output;
  std::string error_name, error_message, error_text;  // "" if it did not fail
  bool ended = false;                                 // the cell was `quit`
};

// Runs a cell as the prompt does. `poll` is called about every 20 ms; if it returns true, the cell is
// interrupted once. Concurrent calls run one after another.
CellResult RunShellCell(const std::string& cell, const std::function<bool()>& poll);
// Starts the thread, and lets other threads take the lock of the interpreter (bridge::TheHost). Output that is
// not that of a cell goes to sys.stdout and sys.stderr.
void PrepareForProxies();
// Sets a variable of the shell to an array.
void SetShellArray(const std::string& name, const TensorHandle& tensor);
// Visits the value of a variable of the shell, in the thread of the shell.
class ValueVisitor {
 public:
  virtual ~ValueVisitor() = default;
  virtual void Tensor(const std::string& key, const TensorHandle& tensor) = 0;
};
// Calls the visitor for an array (with the key ""), or for each array of a dict. Returns false if the
// variable holds neither.
bool VisitShellArrays(const std::string& name, ValueVisitor& visitor);
// Removes a variable of the shell, if it exists.
void DropShellName(const std::string& name);

}  // namespace tensh::shell::module
