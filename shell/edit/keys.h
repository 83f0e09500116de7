// Bytes of a terminal as keys. Owns what was read ahead; reads only from its file descriptor, and
// never asks the terminal anything. Escape sequences it does not know are swallowed whole.
#pragma once

#include <functional>
#include <string>
#include <utility>

namespace tensh::shell {

enum class Key : unsigned char {
  kText,
  kEnter,
  kTab,
  kEof,
  kInterrupted,
  kClosed,
  kBackspace,
  kDelete,
  kLeft,
  kRight,
  kUp,
  kDown,
  kHome,
  kEnd,
  kWordLeft,
  kWordRight,
  kKillToEnd,
  kKillToStart,
  kKillWord,
  kYank,
  kClear,
  kSearch,  // Ctrl-R
  kEscape,  // Esc alone
  kUnknown,
};

class KeyReader {
 public:
  // interrupted: whether a signal came since the line began; it may have been while nobody read.
  explicit KeyReader(
      int fd, std::function<bool()> interrupted = [] { return false; })
      : fd_(fd), interrupted_(std::move(interrupted)) {}
  // The next key; `text` receives the bytes of kText. kInterrupted: a signal ended the wait.
  Key Next(std::string* text);
  // A line begins, in raw mode. What the user typed before went through the terminal's line mode.
  void Begin();
  // The terminal says that what comes is pasted: nothing of it is a key.
  bool pasting() const { return pasting_; }
  bool more() const { return at_ < ahead_.size(); }  // read already: redrawing can wait
  void Discard() { ahead_.clear(), at_ = 0; }

 private:
  bool Wait();            // false: a signal ended it
  int Byte(int wait_ms);  // -1: none came; wait_ms < 0: as long as it takes
  Key Escape();
  Key Sequence();

  int fd_;
  std::function<bool()> interrupted_;
  std::string ahead_;
  size_t at_ = 0;
  bool pasting_ = false;
  bool pending_ = false;        // the next read gives what was typed before the line began
  bool typed_before_ = false;   // ahead_ was
  Key failure_ = Key::kClosed;  // why Byte gave -1
};

}  // namespace tensh::shell
