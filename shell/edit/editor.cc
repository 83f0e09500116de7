#include "shell/edit/editor.h"

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "shell/text/layout.h"
#include "shell/text/write_all.h"

namespace tensh::shell {
namespace {

constexpr size_t kIndent = 4;
constexpr size_t kCandidateLines = 12;
// Requests that the terminal marks the begin and the end of pasted text.
constexpr std::string_view kPasteOn = "\033[?2004h", kPasteOff = "\033[?2004l";

void Write(std::string_view text) { WriteAll(STDOUT_FILENO, text); }

// Delivers characters one by one without echo. Signals stay enabled.
class RawMode {
 public:
  explicit RawMode(int fd) : fd_(fd), before_(), on_(tcgetattr(fd, &before_) == 0) {
    if (!on_) return;
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);
    raw.c_iflag &= ~static_cast<tcflag_t>(ICRNL | IXON);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(fd, TCSADRAIN, &raw);
  }
  ~RawMode() {
    if (on_) tcsetattr(fd_, TCSADRAIN, &before_);
  }
  RawMode(const RawMode&) = delete;

 private:
  int fd_;
  termios before_;
  bool on_;  // Declared after before_, which its initializer fills.
};

size_t ScreenWidth() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 10) return 80;
  return size.ws_col;
}

}  // namespace

bool Editor::Works(int fd) {
  const char* term = std::getenv("TERM");
  return isatty(fd) && isatty(STDOUT_FILENO) && term != nullptr && *term != '\0' &&
         std::strcmp(term, "dumb") != 0;
}

// Draws the prompt and the part of the line around the cursor that fits, then places the cursor.
void Editor::Draw() const {
  const std::string& text = buffer_.text();
  const std::string prompt =
      searching_ ? CutTo("search " + Visible(query_) + ": ", ScreenWidth() / 2) : prompt_;
  const size_t prompt_width = TextWidth(prompt);
  const std::string before = Visible(std::string_view(text).substr(0, buffer_.cursor()));
  const std::string after = Visible(std::string_view(text).substr(buffer_.cursor()));
  const size_t room = std::max<size_t>(ScreenWidth(), prompt_width + 8) - prompt_width - 1;
  std::string shown = before;
  size_t column = TextWidth(before);
  while (column > room) {
    size_t cut = 1;
    while (cut < shown.size() && (static_cast<unsigned char>(shown[cut]) & 0xC0) == 0x80) ++cut;
    shown.erase(0, cut);
    column = TextWidth(shown);
  }
  std::string out = "\r" + prompt + shown;
  const size_t left = room - column;
  out += TextWidth(after) <= left ? after : CutTo(after, left);
  out += "\033[K\r\033[" + std::to_string(prompt_width + column) + "C";
  Write(out);
}

void Editor::Recall(int direction) {
  const size_t to = recalled_ + static_cast<size_t>(direction);
  if (to > history_.size()) return;  // Also catches the wrap below zero.
  if (recalled_ == history_.size()) draft_ = buffer_.text();
  recalled_ = to;
  buffer_.Set(to == history_.size() ? draft_ : history_[to]);
}

// At the start of a line, Tab indents. In pasted text it is a plain tab.
void Editor::Complete() {
  const std::string before = buffer_.text().substr(0, buffer_.cursor());
  if (before.find_first_not_of(' ') == std::string::npos)
    return buffer_.Insert(std::string(kIndent - before.size() % kIndent, ' '));
  if (keys_.pasting()) return buffer_.Insert("\t");
  const Completion found = completer_(before);
  const size_t typed = before.size() - found.from;
  const std::string common = CommonPrefix(found.candidates);
  if (common.size() > typed) return buffer_.Insert(std::string_view(common).substr(typed));
  if (found.candidates.size() > 1 && !keys_.more())
    Write("\r\n" + CandidateList(found.candidates, ScreenWidth() - 1, kCandidateLines));
}

// Of a pasted session, keeps only the lines that were typed.
void Editor::Unprompt() {
  const std::string& text = buffer_.text();
  const std::string_view head = std::string_view(text).substr(0, 3);
  const bool prompt = (head == ">>>" || head == "...") && (text.size() == 3 || text[3] == ' ');
  if (prompt) {
    pasted_session_ = true;
    buffer_.Set(text.size() > 4 ? text.substr(4) : "");
  } else if (pasted_session_) {
    buffer_.Set("");
  }
}

bool Editor::HandleSearch(Key key, const std::string& text) {
  size_t from = history_.size();
  if (key == Key::kText) {
    query_ += text;
    from = recalled_ == history_.size() ? recalled_ : recalled_ + 1;
  } else if (key == Key::kSearch) {
    from = recalled_;
  } else if (key == Key::kBackspace) {
    while (!query_.empty() && (static_cast<unsigned char>(query_.back()) & 0xC0) == 0x80)
      query_.pop_back();
    if (!query_.empty()) query_.pop_back();
  } else {
    searching_ = false;
    if (key != Key::kEscape) return false;
    recalled_ = history_.size();
    buffer_.Set(draft_);
    return true;
  }
  const size_t found = query_.empty() ? history_.size() : history_.Find(query_, from);
  if (found == history_.size()) return true;  // Keeps the previous match.
  recalled_ = found;
  buffer_.Set(history_[found]);
  return true;
}

void Editor::Move(Key key) {
  switch (key) {
    case Key::kLeft:
      return buffer_.Left();
    case Key::kRight:
      return buffer_.Right();
    case Key::kHome:
      return buffer_.Home();
    case Key::kEnd:
      return buffer_.End();
    case Key::kWordLeft:
      return buffer_.WordLeft();
    case Key::kWordRight:
      return buffer_.WordRight();
    case Key::kUp:
      return Recall(-1);
    case Key::kDown:
      return Recall(1);
    default:
      return;
  }
}

Editor::Step Editor::Handle(Key key, const std::string& text) {
  pasted_ |= keys_.pasting();
  if (searching_ && HandleSearch(key, text)) return Step::kGoOn;
  switch (key) {
    case Key::kText:
      buffer_.Insert(text);
      break;
    case Key::kTab:
      Complete();
      break;
    case Key::kEnter:
      return Step::kLine;
    case Key::kClosed:
      return Step::kEof;
    case Key::kInterrupted:
      return Step::kInterrupted;
    case Key::kEof:
      if (buffer_.text().empty()) return Step::kEof;
      buffer_.Delete();
      break;
    case Key::kBackspace:
      buffer_.Backspace();
      break;
    case Key::kDelete:
      buffer_.Delete();
      break;
    case Key::kKillToEnd:
      buffer_.KillToEnd();
      break;
    case Key::kKillToStart:
      buffer_.KillToStart();
      break;
    case Key::kKillWord:
      buffer_.KillWord();
      break;
    case Key::kYank:
      buffer_.Yank();
      break;
    case Key::kClear:
      Write("\033[H\033[2J");
      break;
    case Key::kSearch:
      searching_ = true;
      query_.clear();
      draft_ = buffer_.text();
      recalled_ = history_.size();
      break;
    default:
      Move(key);
  }
  return Step::kGoOn;
}

// Edits until the line is complete or input ends.
Editor::Step Editor::Edit(std::string_view prompt) {
  prompt_ = prompt;
  buffer_.Set("");
  recalled_ = history_.size();
  searching_ = false;
  pasted_ = false;
  keys_.Begin();
  Draw();
  std::string text;
  Step step = Step::kGoOn;
  bool stale = false;  // True if the screen does not show the current line.
  while (step == Step::kGoOn) {
    const Key key = keys_.Next(&text);
    // A character appended to a line that fits needs no redrawing. This keeps pasting fast.
    const bool plain = !stale && !searching_ && key == Key::kText && buffer_.at_end() &&
                       text.size() == 1 &&
                       prompt_.size() + buffer_.text().size() + 2 < ScreenWidth();
    step = Handle(key, text);
    if (plain) {
      Write(text);
    } else if (step == Step::kGoOn) {
      stale = keys_.more();
      if (!stale) Draw();
    }
  }
  return step;
}

ReadEnd Editor::Read(std::string_view prompt, std::string* line) {
  const RawMode raw(fd_);
  Write(kPasteOn);
  const Step step = Edit(prompt);
  if (step == Step::kInterrupted) keys_.Discard();
  if (step == Step::kLine) {
    if (!pasted_) pasted_session_ = false;
    if (pasted_) Unprompt();
    buffer_.End();
    Draw();
    // A line that was too long for the screen is printed completely at the end.
    const std::string whole = Visible(buffer_.text());
    if (prompt_.size() + TextWidth(whole) + 1 > ScreenWidth()) Write("\r" + prompt_ + whole);
  }
  Write(kPasteOff);
  if (step == Step::kInterrupted) return ReadEnd::kInterrupted;
  if (step == Step::kEof) return ReadEnd::kEof;
  Write("\r\n");
  *line = buffer_.text();
  history_.Add(*line);
  return ReadEnd::kLine;
}

}  // namespace tensh::shell
