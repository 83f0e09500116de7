// Decodes the bytes of a terminal into keys.
//
// The reader owns the bytes it has read ahead. It only reads its file descriptor and never queries
// the terminal. Unknown escape sequences are skipped as a whole. Used by one thread.
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
  // `interrupted` returns true if a signal came since the line began, even while nothing was being
  // read.
  explicit KeyReader(
      int fd, std::function<bool()> interrupted = [] { return false; })
      : fd_(fd), interrupted_(std::move(interrupted)) {}
  // Returns the next key. Stores the bytes of kText in `text`. Returns kInterrupted if a signal
  // ended the wait.
  Key Next(std::string* text);
  // Must be called in raw mode when a line begins. Earlier input was still read in line mode.
  void Begin();
  // True while the terminal reports pasted text, which is not interpreted as keys.
  bool pasting() const { return pasting_; }
  // True if input is already available, so that redrawing can wait.
  bool more() const { return at_ < ahead_.size(); }
  void Discard() { ahead_.clear(), at_ = 0; }

 private:
  bool Wait();  // Returns false if a signal ended the wait.
  // Returns -1 if no byte came within wait_ms; a negative wait_ms means no limit.
  int Byte(int wait_ms);
  Key Escape();
  Key Sequence();

  int fd_;
  std::function<bool()> interrupted_;
  std::string ahead_;
  size_t at_ = 0;
  bool pasting_ = false;
  bool pending_ = false;        // The next read returns input typed before the line began.
  bool typed_before_ = false;   // ahead_ was typed before the line began.
  Key failure_ = Key::kClosed;  // The reason why Byte returned -1.
};

}  // namespace tensh::shell
