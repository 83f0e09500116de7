#include "shell/edit/editor.h"

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "shell/explain/layout.h"

namespace tensh::shell {
namespace {

constexpr size_t kMaxHistory = 5000;
constexpr size_t kIndent = 4;

void Write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDOUT_FILENO, text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(static_cast<size_t>(n));
  }
}

// Characters one by one, no echo; signals as before.
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
  bool on_;  // after before_, which it fills
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

// The prompt and as much of the line as fits around the cursor, then the cursor.
void Editor::Draw() const {
  const std::string& text = buffer_.text();
  const std::string before = Visible(std::string_view(text).substr(0, buffer_.cursor()));
  const std::string after = Visible(std::string_view(text).substr(buffer_.cursor()));
  const size_t room = std::max<size_t>(ScreenWidth(), prompt_.size() + 8) - prompt_.size() - 1;
  std::string shown = before;
  size_t column = TextWidth(before);
  while (column > room) {
    size_t cut = 1;
    while (cut < shown.size() && (static_cast<unsigned char>(shown[cut]) & 0xC0) == 0x80) ++cut;
    shown.erase(0, cut);
    column = TextWidth(shown);
  }
  std::string out = "\r" + prompt_ + shown;
  const size_t left = room - column;
  out += TextWidth(after) <= left ? after : CutTo(after, left);
  out += "\033[K\r\033[" + std::to_string(prompt_.size() + column) + "C";
  Write(out);
}

void Editor::Recall(int direction) {
  const size_t to = recalled_ + static_cast<size_t>(direction);
  if (to > history_.size()) return;  // wraps below zero, too
  if (recalled_ == history_.size()) draft_ = buffer_.text();
  recalled_ = to;
  buffer_.Set(to == history_.size() ? draft_ : history_[to]);
}

Editor::Step Editor::Handle(Key key, const std::string& text) {
  switch (key) {
    case Key::kText:
      buffer_.Insert(text);
      break;
    case Key::kTab:
      buffer_.Insert(std::string(kIndent, ' '));
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
    case Key::kLeft:
      buffer_.Left();
      break;
    case Key::kRight:
      buffer_.Right();
      break;
    case Key::kUp:
      Recall(-1);
      break;
    case Key::kDown:
      Recall(1);
      break;
    case Key::kHome:
      buffer_.Home();
      break;
    case Key::kEnd:
      buffer_.End();
      break;
    case Key::kWordLeft:
      buffer_.WordLeft();
      break;
    case Key::kWordRight:
      buffer_.WordRight();
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
    case Key::kUnknown:
      break;
  }
  return Step::kGoOn;
}

ReadEnd Editor::Read(std::string_view prompt, std::string* line) {
  const RawMode raw(fd_);
  prompt_ = prompt;
  buffer_.Set("");
  recalled_ = history_.size();
  std::string text;
  keys_.Begin();
  Draw();
  Step step = Step::kGoOn;
  bool stale = false;  // the screen is behind the line
  while (step == Step::kGoOn) {
    const Key key = keys_.Next(&text);
    // A character at the end of a line that fits needs no redrawing: pasting stays fast.
    const bool plain = !stale && key == Key::kText && buffer_.at_end() && text.size() == 1 &&
                       prompt_.size() + buffer_.text().size() + 2 < ScreenWidth();
    step = Handle(key, text);
    if (plain) {
      Write(text);
    } else if (step == Step::kGoOn) {
      stale = keys_.more();
      if (!stale) Draw();
    }
  }
  if (step == Step::kInterrupted) {
    keys_.Discard();
    return ReadEnd::kInterrupted;
  }
  if (step == Step::kEof) return ReadEnd::kEof;
  buffer_.End();
  Draw();
  // What was too long to show at once stays on the screen as a whole.
  const std::string whole = Visible(buffer_.text());
  if (prompt_.size() + TextWidth(whole) + 1 > ScreenWidth()) Write("\r" + prompt_ + whole);
  Write("\r\n");
  *line = buffer_.text();
  if (!line->empty() && (history_.empty() || history_.back() != *line)) history_.push_back(*line);
  if (history_.size() > kMaxHistory) history_.erase(history_.begin());
  return ReadEnd::kLine;
}

}  // namespace tensh::shell
