#include "shell/repl.h"

#include <unistd.h>

#include <functional>
#include <new>

#include "shell/client.h"
#include "shell/commands/bridge.h"
#include "shell/commands/words.h"
#include "shell/edit/editor.h"
#include "shell/edit/line_reader.h"
#include "shell/explain/layout.h"
#include "shell/print/json.h"
#include "shell/values/ops.h"

namespace tensh::shell {
namespace {

// SystemExit's code as Python reads it: None is 0, an int itself, anything else is printed and
// is 1.
int ExitCodeOf(Shell& shell, const PyError& error) {
  const Value& code = error.exception().payload;
  if (code.is_null() || code.is_none()) return kExitOk;
  if (code.is_int() || code.is_bool()) return static_cast<int>(code.as_int() & 0xff);
  shell.interp().Flush();
  shell.interp().WriteError(Str(code) + "\n");
  return kExitFailed;
}

// Runs one text; *code is the process's exit code when it ends here.
enum class Outcome { kGoOn, kFailed, kExit };
Outcome RunText(Shell& shell, std::string text, const std::string& file, ExecMode mode, int* code) {
  try {
    shell.interp().Exec(std::move(text), file, mode);
    return Outcome::kGoOn;
  } catch (const PyError& error) {
    if (error.Is(kSystemExit)) {
      *code = ExitCodeOf(shell, error);
      return Outcome::kExit;
    }
    *code = error.Is(kKeyboardInterrupt) ? kExitInterrupted : kExitFailed;
    shell.interp().ClearInterrupt();
    shell.PrintError(error);
  } catch (const std::bad_alloc&) {
    *code = kExitFailed;
    shell.PrintError(MakeError(kMemoryError, "out of memory"));
  }
  return Outcome::kFailed;
}

std::string Banner() {
  std::string devices;
  for (int i = 0; i < bridge::DefaultDevices(); ++i) devices += " cpu:" + std::to_string(i);
  return std::string("tensh ") + tsh_version() + " · direct session ·" + devices +
         " · help, or Ctrl-D\n";
}

bool OpensBlock(std::string_view line) {
  line = Trim(line);
  return !line.empty() && (line.back() == ':' || line.front() == '@');
}

// Reads lines until they are a whole cell: brackets closed, and a block ended by an empty line.
using ReadLine = std::function<ReadEnd(std::string_view prompt, std::string* line)>;

ReadEnd ReadCell(Shell& shell, const ReadLine& read, std::string* cell) {
  cell->clear();
  std::string line;
  bool block = false;
  while (true) {
    const ReadEnd end = read(cell->empty() ? ">>> " : "... ", &line);
    if (end == ReadEnd::kEof && !cell->empty()) return ReadEnd::kLine;
    if (end != ReadEnd::kLine) return end;
    const bool first = cell->empty();
    if (first && Trim(line).empty()) continue;
    *cell += line + "\n";
    if (first) block = OpensBlock(line);
    // A compound statement goes on until an empty line, as in Python, unless a bracket is still
    // open.
    if (block && !first && !Trim(line).empty()) continue;
    if (shell.interp().Check(*cell) != Completeness::kIncomplete) return ReadEnd::kLine;
  }
}

}  // namespace

int RunScript(Shell& shell, std::string text, const std::string& file) {
  int code = kExitOk;
  if (text.rfind("\xEF\xBB\xBF", 0) == 0) text.erase(0, 3);
  const Outcome outcome = RunText(shell, std::move(text), file, ExecMode::kFile, &code);
  shell.interp().Flush();
  if (outcome != Outcome::kGoOn) return code;
  return shell.failures() > 0 ? kExitFailed : kExitOk;
}

int RunPrompt(Shell& shell) {
  shell.Print(Banner());
  LineReader lines(STDIN_FILENO);
  Editor editor(STDIN_FILENO);
  const bool edits = Editor::Works(STDIN_FILENO);
  const ReadLine read = [&](std::string_view prompt, std::string* line) {
    return edits ? editor.Read(prompt, line) : lines.Read(prompt, line);
  };
  std::string cell;
  for (int number = 1;;) {
    shell.interp().Flush();
    const ReadEnd end = ReadCell(shell, read, &cell);
    if (end == ReadEnd::kEof) {
      shell.Print("\n");
      shell.interp().Flush();
      return kExitOk;
    }
    if (end == ReadEnd::kInterrupted) {
      shell.interp().ClearInterrupt();
      shell.Print("\n");
      continue;
    }
    cell.pop_back();
    shell.set_cell(number, cell);
    shell.interp().ClearInterrupt();
    int code = kExitOk;
    const Outcome outcome =
        RunText(shell, cell, "In[" + std::to_string(number) + "]", ExecMode::kCell, &code);
    ++number;
    if (outcome != Outcome::kExit) continue;
    shell.interp().Flush();
    return code;
  }
}

}  // namespace tensh::shell
