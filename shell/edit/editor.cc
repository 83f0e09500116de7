#include "shell/edit/editor.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "shell/edit/terminal_mode.h"
#include "shell/text/layout.h"
#include "shell/text/write_all.h"

namespace tensh::shell {
namespace {

using Outcome = CellEditor::Outcome;
constexpr size_t kLargestEdited = 64 << 20;

ScreenSize WindowSize() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
    return {};
  return {size.ws_col, size.ws_row};
}

// Runs the editor that the environment names on the file. Returns true if it succeeded.
bool RunExternalEditor(const std::string& file) {
  const char* visual = std::getenv("VISUAL");
  const char* editor = visual != nullptr && *visual != '\0' ? visual : std::getenv("EDITOR");
  const std::string command =
      std::string(editor != nullptr && *editor != '\0' ? editor : "vi") + " \"$0\"";
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/bin/sh", "sh", "-c", command.c_str(), file.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

Editor::Editor(int fd, std::string history_file, EditorHooks hooks,
               std::function<bool()> interrupted)
    : fd_(fd),
      keys_(fd, std::move(interrupted), hooks.idle),
      cell_(std::move(history_file), std::move(hooks)) {}

bool Editor::ErasesLines(int fd) {
  const char* term = std::getenv("TERM");
  return isatty(fd) && term != nullptr && *term != '\0' && std::strcmp(term, "dumb") != 0;
}

bool Editor::Works(int fd) { return ErasesLines(fd) && isatty(STDOUT_FILENO); }

EditorView Editor::View(const ReadOptions& options) {
  EditorView view = cell_.View(size_.columns, size_.rows, !options.palette.plain());
  if (!options.ascii) return view;
  view.ghost = ToAscii(view.ghost);
  for (StyledLine& line : view.below)
    for (StyledPiece& piece : line) piece.text = ToAscii(piece.text);
  return view;
}

// Changes the picture. If output of another thread has removed it, draws it as a whole.
void Editor::Change(const std::function<std::string(const Screen& shown)>& change,
                    std::string erase) {
  if (picture_->Change(change(shown_), erase)) return;
  shown_ = {};
  picture_->Change(change(shown_), std::move(erase));
}

void Editor::Draw(const ReadOptions& options) {
  Screen now = LayOut(View(options), options.prompts, size_);
  const bool block = cell_.vi() != nullptr && !cell_.vi()->inserting();
  const std::string cursor = block == block_cursor_ ? "" : block ? "\033[2 q" : "\033[0 q";
  block_cursor_ = block;
  Change([&](const Screen& shown) { return Render(shown, now, options.palette) + cursor; },
         ClearAfterResize(now, size_.columns));
  shown_ = std::move(now);
}

// Draws the whole cell. If it has more rows than the window, the first ones scroll off.
void Editor::Finish(const ReadOptions& options, bool next_row) {
  EditorView view = View(options);
  view.cursor = view.text.size();
  view.ghost.clear();
  view.below.clear();
  std::erase_if(view.spans, [](const StyleSpan& span) {
    return span.role == Role::kBracket || span.role == Role::kFound;
  });
  const bool block = std::exchange(block_cursor_, false);
  Change(
      [&](const Screen& shown) {
        std::string out = RenderFinal(shown, view, options.prompts, size_.columns, options.palette);
        if (!next_row) out.resize(out.size() - 2);
        return out + (block ? "\033[0 q" : "");
      },
      "");
  shown_ = {};
}

void Editor::OpenExternalEditor() {
  const char* folder = std::getenv("TMPDIR");
  std::string file =
      std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/tensh_XXXXXX.py";
  const int fd = ::mkstemps(file.data(), 3);
  if (fd < 0) return;
  WriteAll(fd, cell_.text() + "\n");
  std::string text;
  const bool edited = RunExternalEditor(file) && ::lseek(fd, 0, SEEK_SET) == 0;
  // Editors may replace the file.
  std::FILE* changed = edited ? std::fopen(file.c_str(), "rb") : nullptr;
  if (changed != nullptr && ReadAll(::fileno(changed), kLargestEdited, &text))
    cell_.SetText(std::move(text));
  if (changed != nullptr) std::fclose(changed);
  ::close(fd);
  ::unlink(file.c_str());
}

void Editor::ScreenChanged(TerminalMode* mode) {
  const ScreenSize size = WindowSize();
  if (TerminalMode::TakeContinued()) {
    mode->Enter();
    picture_->Change("\r\033[J", "");  // if nothing was printed meanwhile, the row shows the prompt
    shown_ = {};
  } else if (size.columns != size_.columns || size.rows != size_.rows) {
    picture_->Change(ClearAfterResize(shown_, size.columns), "");
    shown_ = {};
  }
  size_ = size;
}

void Editor::Act(Outcome outcome, const ReadOptions& options, TerminalMode* mode) {
  switch (outcome) {
    case Outcome::kSuspend:
      Finish(options, true);
      mode->Suspend();
      TerminalMode::TakeContinued();
      size_ = WindowSize();
      break;
    case Outcome::kExternalEditor:
      Finish(options, true);
      mode->Leave();
      OpenExternalEditor();
      mode->Enter();
      size_ = WindowSize();
      break;
    case Outcome::kClearScreen:
      Change([](const Screen&) { return "\033[H\033[2J"; }, "");
      shown_ = {};
      break;
    default:
      break;
  }
}

// Edits until the cell is complete or input ends.
Outcome Editor::Edit(const ReadOptions& options, TerminalMode* mode) {
  size_ = WindowSize();
  shown_ = {};
  keys_.Begin(options.vi, TerminalMode::wake_fd());
  cell_.Start(options.vi);
  Draw(options);
  for (;;) {
    const KeyPress press = keys_.Next();
    if (press.key == Key::kScreenChanged) ScreenChanged(mode);
    const Outcome outcome = cell_.Handle(press);
    if (outcome == Outcome::kRun || outcome == Outcome::kEof || outcome == Outcome::kInterrupted)
      return outcome;
    Act(outcome, options, mode);
    if (!keys_.more()) Draw(options);
  }
}

ReadEnd Editor::Read(const ReadOptions& options, std::string* cell) {
  TerminalMode mode(fd_);
  status_line::Picture picture(TerminalMode::Wake);
  picture_ = &picture;
  const Outcome end = Edit(options, &mode);
  if (end == Outcome::kRun) *cell = cell_.Finish();
  Finish(options, end == Outcome::kRun);
  if (end == Outcome::kInterrupted) return ReadEnd::kInterrupted;
  return end == Outcome::kEof ? ReadEnd::kEof : ReadEnd::kLine;
}

}  // namespace tensh::shell
