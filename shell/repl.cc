#include "shell/repl.h"

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <new>
#include <optional>
#include <utility>

#include "shell/client.h"
#include "shell/commands/bridge.h"
#include "shell/commands/complete.h"
#include "shell/commands/words.h"
#include "shell/edit/editor.h"
#include "shell/edit/line_reader.h"
#include "shell/explain/layout.h"
#include "shell/lang/library.h"
#include "shell/lang/threads.h"
#include "shell/print/json.h"
#include "shell/values/containers.h"
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

constexpr std::string_view kContinues[] = {"else", "elif", "except", "finally"};
constexpr int kMaxOpenLines =
    200;  // after which, as at the end, an unclosed bracket is an error of its line

// Does this line belong to the compound statement before it?
bool Continues(std::string_view line) {
  if (line.empty() || line[0] == ' ' || line[0] == '\t') return true;
  for (const std::string_view word : kContinues) {
    if (line.substr(0, word.size()) == word &&
        (line.size() == word.size() || !IsName(line.substr(word.size(), 1)))) {
      return true;
    }
  }
  return false;
}

std::string_view LineAt(std::string_view text, size_t at) {
  return text.substr(at, text.find('\n', at) - at);
}

size_t AfterLine(std::string_view text, size_t at) {
  const size_t end = text.find('\n', at);
  return end == std::string_view::npos ? text.size() : end + 1;
}

// Where the top-level statements that begin at `at` end, as a prompt would have read them.
size_t CellEnd(Shell& shell, std::string_view text, size_t at) {
  const size_t first_end = AfterLine(text, at);
  size_t end = first_end;
  const auto open = [&] {
    return shell.interp().Check(text.substr(at, end - at)) == Completeness::kIncomplete;
  };
  bool decorated = text[at] == '@', bracket = false;
  for (int lines = 0; end < text.size(); ++lines) {
    const std::string_view next = LineAt(text, end);
    const bool block = Continues(next) || decorated;
    if (!block && !open()) break;
    if (!block && lines > kMaxOpenLines) return first_end;
    bracket |= !block;
    decorated = !next.empty() && next[0] == '@';
    end = AfterLine(text, end);
  }
  // Blank lines end a block, but not a bracket.
  const bool closed =
      !bracket || end < text.size() ||
      shell.interp().Check(std::string(text.substr(at)) + "\n\n") != Completeness::kIncomplete;
  return closed ? end : first_end;
}

bool Parses(Shell& shell, std::string_view text) {
  return shell.interp().Check(text) == Completeness::kComplete;
}

// --keep-going: cell by cell, so that one that cannot be parsed costs only itself.
int RunCells(Shell& shell, std::string_view text, const std::string& file) {
  int code = kExitOk, result = kExitOk;
  size_t line = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = CellEnd(shell, text, at);
    const std::string_view cell = text.substr(at, end - at);
    // The lines before it keep the numbers of lines right.
    const Outcome outcome =
        RunText(shell, std::string(line, '\n') + std::string(cell), file, ExecMode::kFile, &code);
    if (outcome == Outcome::kExit || code == kExitInterrupted) return code;
    if (outcome == Outcome::kFailed) result = kExitFailed;
    line += static_cast<size_t>(std::count(cell.begin(), cell.end(), '\n'));
    at = end;
  }
  return result != kExitOk || shell.failures() > 0 ? kExitFailed : kExitOk;
}

}  // namespace

int RunScript(Shell& shell, std::string text, const std::string& file) {
  int code = kExitOk;
  if (text.rfind("\xEF\xBB\xBF", 0) == 0) text.erase(0, 3);
  for (size_t i = 0; i < text.size(); ++i)  // lines may end in a carriage return alone
    if (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')) text[i] = '\n';
  if (shell.options().keep_going && !Parses(shell, text)) {
    code = RunCells(shell, text, file);
    shell.interp().Flush();
    return code;
  }
  if (!file.starts_with('<')) shell.interp().SetGlobal("__file__", MakeStr(file));
  const Outcome outcome = RunText(shell, std::move(text), file, ExecMode::kFile, &code);
  shell.interp().Flush();
  if (outcome != Outcome::kGoOn) return code;
  return shell.failures() > 0 ? kExitFailed : kExitOk;
}

bool EndThreads(Shell& shell) {
  Interp& interp = shell.interp();
  if (threads::Several()) {
    try {
      Call(FromLibrary("threading", Intern("_shutdown")), CallArgs{});
    } catch (const PyError&) {  // Ctrl-C: they end in the midst
    }
  }
  const bool ended = threads::EndAll(interp);
  interp.Flush();
  return ended;
}

int RunPrompt(Shell& shell) {
  shell.Print(Banner());
  LineReader lines(STDIN_FILENO);
  const auto complete = [&](std::string_view before) {
    const threads::Locked locked;
    return Complete(shell, before);
  };
  Editor editor(STDIN_FILENO, History::DefaultFile(), complete,
                [&] { return shell.interp().interrupted(); });
  const bool edits = Editor::Works(STDIN_FILENO);
  std::optional<std::string> kept;  // a line that was read after Ctrl-C
  const ReadLine read = [&](std::string_view prompt, std::string* line) {
    // Ctrl-C while a line was being looked at: no read is there for the signal to end.
    if (shell.interp().interrupted()) return ReadEnd::kInterrupted;
    if (kept) {
      *line = *std::exchange(kept, std::nullopt);
      return ReadEnd::kLine;
    }
    const threads::Unlocked unlocked;  // the program's own threads go on meanwhile
    const ReadEnd end = edits ? editor.Read(prompt, line) : lines.Read(prompt, line);
    // The terminal drops what was typed before Ctrl-C, so this line is of the next statement.
    if (end != ReadEnd::kLine || !shell.interp().interrupted()) return end;
    kept = *line;
    return ReadEnd::kInterrupted;
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
