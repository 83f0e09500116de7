#include "shell/repl.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <new>
#include <optional>
#include <utility>

#include "shell/client/client.h"
#include "shell/commands/base/words.h"
#include "shell/commands/typing/complete.h"
#include "shell/commands/typing/highlight.h"
#include "shell/edit/editor.h"
#include "shell/edit/line_reader.h"
#include "shell/edit/prompts.h"
#include "shell/python/syntax/verb_line.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/python/values/out_of_memory.h"
#include "shell/python/vm/library.h"
#include "shell/python/vm/threads.h"
#include "shell/resume.h"
#include "shell/text/json.h"
#include "shell/text/layout.h"
#include "shell/text/status_line.h"
#include "shell/text/theme.h"
#include "shell/text/user_files.h"

namespace tensh::shell {
namespace {

// Converts the code of SystemExit like Python: None is 0, an int is itself, and any other value is
// printed and means 1.
int ExitCodeOf(Shell& shell, const PyError& error) {
  const Value& code = error.exception().payload;
  if (code.is_null() || code.is_none()) return kExitOk;
  if (code.is_int() || code.is_bool()) return static_cast<int>(code.as_int() & 0xff);
  shell.interp().Flush();
  shell.interp().WriteError(Str(code) + "\n");
  return kExitFailed;
}

// Returns true if the user asked to leave the prompt: a line that begins with exit, quit or `raise
// SystemExit`, or a cell that is only a call of sys.exit. Otherwise a program ended that was pasted or
// read, as with tf.app.run(main) or sys.exit(main()), and the session must not end with it.
bool LeavesPrompt(const PyError& error, std::string_view cell) {
  const std::vector<TraceEntry>& trace = error.exception().trace;
  if (trace.empty()) return true;
  std::string_view line = Trim(trace.back().where.text);
  const size_t last = line.rfind(';');  // x = 1; exit()
  for (const std::string_view part : {line, last == line.npos ? line : Trim(line.substr(last + 1))})
    for (const std::string_view leaves : {"exit", "quit", ".exit", ".quit", "raise SystemExit"})
      if (part.starts_with(leaves) &&
          EndOfWord(part, static_cast<uint32_t>(leaves.size())) == leaves.size())
        return true;
  const bool alone = Trim(cell).find('\n') == std::string_view::npos;
  return alone && line.find("sys.exit(") != line.npos && line.find("main") == line.npos;
}

// Runs one text. If the process should end, `code` receives its exit code.
Outcome TryText(Shell& shell, std::string text, const std::string& file, ExecMode mode, int* code) {
  const std::string cell = mode == ExecMode::kCell ? text : "";
  try {
    shell.interp().Exec(std::move(text), file, mode);
    return Outcome::kGoOn;
  } catch (const PyError& error) {
    if (error.Is(kSystemExit)) {
      *code = ExitCodeOf(shell, error);
      if (mode == ExecMode::kCell && !LeavesPrompt(error, cell)) {
        shell.out().Note(" the program ended with exit code " + std::to_string(*code) +
                         "; this prompt stays. To leave it: quit");
        return Outcome::kGoOn;
      }
      return Outcome::kExit;
    }
    *code = error.Is(kKeyboardInterrupt) ? kExitInterrupted : kExitFailed;
    shell.interp().ClearInterrupt();
    shell.PrintError(error);
  }
  return Outcome::kFailed;
}

Outcome RunText(Shell& shell, std::string text, const std::string& file, ExecMode mode, int* code) {
  KeepReserve();
  try {
    return TryText(shell, std::move(text), file, mode, code);
  } catch (const std::bad_alloc&) {
    *code = kExitFailed;
  }
  try {
    shell.PrintError(MakeError(kMemoryError, "out of memory"));
  } catch (const std::bad_alloc&) {
    constexpr std::string_view kText = "MemoryError: out of memory\n";
    if (::write(STDERR_FILENO, kText.data(), kText.size()) < 0) errno = 0;
  }
  return Outcome::kFailed;
}

std::string Banner(Shell& shell) {
  std::string devices;
  for (int i = 0; i < shell.sessions().cpus(); ++i) devices += " cpu:" + std::to_string(i);
  const std::string version =
      std::to_string(TENSH_VERSION_MAJOR) + "." + std::to_string(TENSH_VERSION_MINOR);
  return "tensh " + version + " · direct session ·" + devices + " · help, or Ctrl-D\n";
}

CellState StateOf(Completeness completeness) {
  switch (completeness) {
    case Completeness::kComplete:
      return CellState::kComplete;
    case Completeness::kIncomplete:
      return CellState::kIncomplete;
    case Completeness::kInvalid:
      break;
  }
  return CellState::kInvalid;
}

bool OpensBlock(std::string_view line) {
  line = Trim(line);
  return !line.empty() && (line.back() == ':' || line.front() == '@');
}

// Reads a complete cell line by line: all brackets must be closed, and an empty line must end a
// block.
using ReadLine = std::function<ReadEnd(std::string_view prompt, std::string* line)>;

ReadEnd ReadCell(Shell& shell, const Prompts& prompts, const ReadLine& read, std::string* cell) {
  cell->clear();
  std::string line;
  bool block = false;
  while (true) {
    const ReadEnd end = read(cell->empty() ? prompts.first : prompts.next, &line);
    if (end == ReadEnd::kEof && !cell->empty()) return ReadEnd::kLine;
    if (end != ReadEnd::kLine) return end;
    const bool first = cell->empty();
    if (first && Trim(line).empty()) continue;
    *cell += line + "\n";
    if (first) block = OpensBlock(line);
    // As in Python, a compound statement continues until an empty line outside of brackets.
    if (block && !first && !Trim(line).empty()) continue;
    if (shell.interp().Check(*cell) != Completeness::kIncomplete) return ReadEnd::kLine;
  }
}

constexpr std::string_view kContinues[] = {"else", "elif", "except", "finally"};
constexpr size_t kLargestStartup = 16 << 20;  // maximum bytes of the start-up file
constexpr int kMaxOpenLines =
    200;  // After this many lines, an unclosed bracket is reported as an error of its line.

// Returns true if the line belongs to the preceding compound statement.
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

// Returns true if the line continues a verb with which the statement begins, or whose value it
// assigns: `sql SELECT op`, `rows = sql SELECT op`.
bool BelongsToVerb(Shell& shell, std::string_view statement, std::string_view line) {
  statement = Trim(statement);
  const std::string_view first = FirstWord(statement);
  std::string_view rest = Trim(statement.substr(first.size()));
  if (rest.starts_with("= ")) rest = Trim(rest.substr(1)), statement = rest;
  const std::string_view verb = FirstWord(statement);
  return shell.VerbContinues(verb, Trim(statement.substr(verb.size())), line);
}

// Returns the end of the top-level statement that begins at `at`, as the prompt would determine it.
size_t CellEnd(Shell& shell, std::string_view text, size_t at) {
  const size_t first_end = AfterLine(text, at);
  size_t end = first_end;
  const auto open = [&] {
    return shell.interp().Check(text.substr(at, end - at)) == Completeness::kIncomplete;
  };
  bool decorated = text[at] == '@', bracket = false;
  for (int lines = 0; end < text.size(); ++lines) {
    const std::string_view next = LineAt(text, end);
    const bool block =
        Continues(next) || decorated || BelongsToVerb(shell, text.substr(at, end - at), next);
    if (!block && !open()) break;
    if (!block && lines > kMaxOpenLines) return first_end;
    bracket |= !block;
    decorated = !next.empty() && next[0] == '@';
    end = AfterLine(text, end);
  }
  // A blank line ends a block, but not a bracket.
  const bool closed =
      !bracket || end < text.size() ||
      shell.interp().Check(std::string(text.substr(at)) + "\n\n") != Completeness::kIncomplete;
  return closed ? end : first_end;
}

bool Parses(Shell& shell, std::string_view text) {
  return shell.interp().Check(text) == Completeness::kComplete;
}

// Implements --keep-going: runs cell by cell, so that a syntax error affects only its own cell.
int RunCells(Shell& shell, std::string_view text, const std::string& file) {
  int code = kExitOk, result = kExitOk;
  size_t line = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = CellEnd(shell, text, at);
    const std::string_view cell = text.substr(at, end - at);
    // The empty lines in front keep the line numbers correct.
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
  for (size_t i = 0; i < text.size(); ++i)  // a carriage return alone may end a line
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
    } catch (const PyError&) {  // interrupted by Ctrl-C
    }
  }
  const bool ended = threads::EndAll(interp);
  interp.Flush();
  return ended;
}

namespace {

// Calls a hook of the editor with the interpreter's lock. A Ctrl-C during the call ends the hook
// and is then reported to the editor.
template <class F>
auto Ask(Shell& shell, F hook) {
  const threads::Locked locked;
  decltype(hook()) found{};
  try {
    found = hook();
  } catch (const PyError& error) {
    if (error.Is(kKeyboardInterrupt)) shell.interp().Interrupt();
  }
  return found;
}

EditorHooks HooksOf(Shell& shell) {
  const auto complete = [&shell](std::string_view before) {
    Completion found = Ask(shell, [&] { return Complete(shell, before); });
    if (!found.describe) return found;
    found.describe = [&shell, describe = std::move(found.describe)](const std::string& name) {
      return Ask(shell, [&] { return describe(name); });
    };
    return found;
  };
  const auto state = [&shell](std::string_view text) {
    return Ask(shell, [&] { return StateOf(shell.interp().Check(text)); });
  };
  const auto highlight = [&shell](std::string_view text, size_t cursor) {
    return Ask(shell, [&] { return Highlight(shell, text, cursor); });
  };
  // A cell that ends soon after a save leaves its variables to a later save. If the user types no
  // further cell, they are saved here.
  const auto idle = [&shell] {
    Ask(shell, [&] {
      shell.autosave().Save(shell.interp(), shell.cells().variables_file(), shell.cell(),
                            Autosave::When::kAfter);
      return true;
    });
  };
  return {.complete = complete, .state = state, .highlight = highlight, .idle = idle};
}

// Reads cells from the terminal, with the editor or, if the terminal cannot move its cursor, line by
// line.
class CellReader {
 public:
  explicit CellReader(Shell& shell)
      : shell_(shell),
        lines_(STDIN_FILENO, [&shell] { return shell.interp().interrupted(); }),
        editor_(STDIN_FILENO, History::DefaultFile(), HooksOf(shell),
                [&shell] { return shell.interp().interrupted(); }),
        edits_(Editor::Works(STDIN_FILENO)) {}

  ReadEnd Read(int number, std::string* cell) {
    const Prompts prompts = PromptsOf(number);
    const ReadLine line = [this](std::string_view prompt, std::string* text) {
      return Keep([&] { return lines_.Read(prompt, text); }, text);
    };
    if (!edits_) {
      const ReadEnd end = ReadCell(shell_, prompts, line, cell);
      if (end == ReadEnd::kLine) cell->pop_back();
      return end;
    }
    const ShellOptions& options = shell_.options();
    const ColorDepth depth = options.color ? DepthOfEnvironment() : ColorDepth::kNone;
    const ReadOptions how{.prompts = prompts,
                          .palette = Palette(options.theme, depth),
                          .vi = options.vi,
                          .ascii = options.ascii};
    return Keep([&] { return editor_.Read(how, cell); }, cell);
  }

 private:
  // A text that was read completely although Ctrl-C arrived belongs to the next statement, because
  // the terminal discards the input before Ctrl-C.
  template <class ReadText>
  ReadEnd Keep(const ReadText& read, std::string* text) {
    // Ctrl-C arrived while a line was processed, so there was no read to interrupt.
    if (shell_.interp().interrupted()) return ReadEnd::kInterrupted;
    if (kept_) {
      *text = *std::exchange(kept_, std::nullopt);
      return ReadEnd::kLine;
    }
    const threads::Unlocked unlocked;  // the program's threads continue meanwhile
    const ReadEnd end = read();
    if (end != ReadEnd::kLine || !shell_.interp().interrupted()) return end;
    kept_ = *text;
    return ReadEnd::kInterrupted;
  }

  Shell& shell_;
  LineReader lines_;
  Editor editor_;
  bool edits_;
  std::optional<std::string> kept_;
};

// Adds a cell to the list `In`. Its first element is an empty text, so that In[3] is cell 3.
void RememberCell(Shell& shell, const Value& cells, int number, const std::string& text) {
  auto* list = As<ListObject>(cells);
  while (list->items.size() <= static_cast<size_t>(number)) list->items.push_back(MakeStr(""));
  list->items[static_cast<size_t>(number)] = MakeStr(text);
  shell.interp().SetGlobal("In", cells);
}

}  // namespace

Outcome RunCell(Shell& shell, const Value& cells, int number, const std::string& cell, int* code) {
  shell.set_cell(number, cell);
  RememberCell(shell, cells, number, cell);
  shell.interp().ClearInterrupt();
  shell.cells().Begin(number, cell);
  const size_t before = shell.journal().size();
  const auto began = std::chrono::steady_clock::now();
  const Outcome outcome =
      RunText(shell, cell, "In[" + std::to_string(number) + "]", ExecMode::kCell, code);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began;
  FinishCell(shell, cell, before, outcome != Outcome::kFailed, spent.count());
  if (outcome == Outcome::kFailed) shell.next_cells().clear();
  shell.interp().Flush();
  return outcome;
}

namespace {

// Opens the journal of the cells. If the cells cannot be kept, reports that once.
void OpenJournal(Shell& shell) {
  const std::string file = History::DefaultFile();
  if (History::Disabled()) return;
  const std::string folder = JournalFolder();
  std::string why;
  if (file.empty() || folder.empty()) {
    why = "HOME is not set";
  } else if (const int error = shell.cells().Open(folder)) {
    why = "cannot write " + folder + ": " + std::strerror(error);
  } else if (const int closed = History::WriteError(file)) {
    why = "cannot write " + file + ": " + std::strerror(closed);
  }
  if (why.empty()) return;
  shell.out().Print(Wrap(" history is not kept: " + Visible(why), shell.out().width()) + "\n");
}

// If the last session was killed, prints how to resume it.
void OfferLastSession(Shell& shell) {
  const std::string folder = JournalFolder();
  if (!shell.cells().kept()) return;
  for (const std::string& id : JournalIds(folder)) {
    const JournalEnd end = HowEnded(folder, id);
    if (end == JournalEnd::kRuns) continue;
    if (end == JournalEnd::kKilled)
      shell.out().Print(" the last session did not end normally. To restore it: tensh --resume\n");
    return;
  }
}

// The prompt: reads cells, numbers them, runs them and keeps them in the journal.
class Prompt {
 public:
  explicit Prompt(Shell& shell) : shell_(shell) {}

  // Returns false if there is no such session, after printing the reason.
  bool Resume(const std::string& which) {
    std::string why;
    const std::optional<JournalSession> session = FindSession(JournalFolder(), which, &why);
    if (!session) {
      shell_.interp().WriteError("tensh: " + why + "\n");
      return false;
    }
    shell_.out().Print(tensh::shell::Resume(shell_, *session));
    for (const JournalCell& cell : session->cells)
      RememberCell(shell_, in_, cell.number, cell.text);
    number_ = session->cells.back().number + 1;
    if (const int error = shell_.cells().Continue(*session))
      shell_.out().Print(std::string(" history is not kept: ") + std::strerror(error) + "\n");
    return true;
  }

  int Run() {
    CellReader reader(shell_);
    std::string cell;
    while (true) {
      shell_.interp().Flush();
      const ReadEnd end = Next(&reader, &cell);
      if (end == ReadEnd::kEof) {
        shell_.out().Print("\n");
        return Leave(kExitOk);
      }
      if (end == ReadEnd::kInterrupted) {
        shell_.interp().ClearInterrupt();
        shell_.out().Print("\n");
        continue;
      }
      if (Trim(cell).empty()) continue;
      int code = kExitOk;
      const Outcome outcome = RunCell(shell_, in_, number_, cell, &code);
      shell_.autosave().Save(shell_.interp(), shell_.cells().variables_file(), number_,
                             Autosave::When::kAfter);
      SayIfNotKept();
      ++number_;
      if (outcome == Outcome::kExit) return Leave(code);
    }
  }

 private:
  // Reads a cell, or takes one that a verb queued.
  ReadEnd Next(CellReader* reader, std::string* cell) {
    std::vector<std::string>& queued = shell_.next_cells();
    if (queued.empty()) {
      const status_line::Held held;  // the editor draws its own lines
      return reader->Read(number_, cell);
    }
    *cell = queued.front();
    queued.erase(queued.begin());
    shell_.out().Print(Prompted(PromptsOf(number_), *cell));
    return ReadEnd::kLine;
  }

  void SayIfNotKept() {
    const int error = shell_.cells().TakeError();
    if (error == 0 || std::exchange(said_, true)) return;
    shell_.out().Print(std::string(" this cell is not in the history: ") + std::strerror(error) +
                       "\n");
  }

  int Leave(int code) {
    shell_.autosave().Save(shell_.interp(), shell_.cells().variables_file(), number_ - 1,
                           Autosave::When::kAtTheEnd);
    shell_.cells().End();
    shell_.interp().Flush();
    return code;
  }

  // Returns the text as it looks when it is typed at the prompt.
  static std::string Prompted(const Prompts& prompts, std::string_view cell) {
    std::string text;
    for (size_t at = 0; at < cell.size(); at = AfterLine(cell, at))
      text += (at == 0 ? prompts.first : prompts.next) + Visible(LineAt(cell, at)) + "\n";
    return text;
  }

  Shell& shell_;
  Value in_ = MakeList({});
  int number_ = 1;
  bool said_ = false;
};

}  // namespace

namespace {

// Runs the start-up file, if it exists. Errors are printed. Returns true if it ended the program.
bool RunStartup(Shell& shell, int* code) {
  const std::string file = ConfigFile("startup.tsh");
  std::string text;
  if (file.empty() || ReadFile(file, kLargestStartup, &text) != 0) return false;
  shell.options().interactive = false;
  const bool ended = RunText(shell, std::move(text), file, ExecMode::kFile, code) == Outcome::kExit;
  shell.interp().Flush();
  shell.options().interactive = true;
  return ended;
}

}  // namespace

int RunPrompt(Shell& shell, const PromptStart& start) {
  shell.out().Print(Banner(shell));
  Prompt prompt(shell);
  if (int code = kExitOk; start.startup && RunStartup(shell, &code)) return code;
  if (start.keeps_cells) OpenJournal(shell);
  if (start.resume) {
    if (!prompt.Resume(*start.resume)) return kExitFile;
  } else if (start.keeps_cells) {
    OfferLastSession(shell);
  }
  return prompt.Run();
}

}  // namespace tensh::shell
