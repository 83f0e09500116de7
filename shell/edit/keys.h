// Decodes the bytes of a terminal into keys and pastes.
//
// KeyDecoder is pure: bytes in, keys out. It never queries the terminal, and it skips unknown escape
// sequences as a whole. KeyReader feeds it from a file descriptor. Used by one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tensh::shell {

enum class Key : uint8_t {
  kText,   // One or more characters.
  kPaste,  // Text that was pasted as a whole.
  kEnter,
  kNewline,  // A line break in any case: Alt-Enter, Ctrl-O.
  kTab,
  kBackTab,
  kEof,
  kInterrupted,
  kSuspend,
  kClosed,
  kScreenChanged,  // The window was resized, or the process continues in the foreground.
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
  kPageUp,
  kPageDown,
  kOlder,  // the previous cell of the history, wherever the cursor is: Ctrl-Up, Alt-P
  kNewer,
  kFirst,  // The beginning of the cell: Alt-<, Ctrl-Home.
  kLast,
  kKillToEnd,
  kKillToStart,
  kKillBlankWord,  // back to the previous blank: Ctrl-W
  kKillWord,       // to the end of the word: Alt-D
  kKillWordBack,
  kYank,
  kYankOlder,
  kTranspose,
  kUndo,
  kRedo,
  kClear,
  kSearch,
  kSearchForward,
  kCancel,  // Ctrl-G
  kLastArgument,
  kExternalEditor,
  kEscape,  // Esc alone
  kUnknown,
};

struct KeyPress {
  Key key = Key::kUnknown;
  std::string text = {};  // Of kText and kPaste.
};

class KeyDecoder {
 public:
  void Feed(std::string_view bytes);
  // Returns the next key. If the bytes so far are only the beginning of a key, returns nothing,
  // unless `complete` says that no more bytes follow.
  std::optional<KeyPress> Next(bool complete);
  bool empty() const { return at_ == bytes_.size(); }
  bool pasting() const { return pasting_; }
  void Discard();
  // In vi mode, Esc and a letter are two keys.
  void set_vi(bool on) { vi_ = on; }
  // Takes the fed bytes that no key has used.
  std::string TakeRest();

 private:
  std::optional<KeyPress> Paste(bool complete);
  std::optional<KeyPress> Escape(bool complete);
  std::optional<KeyPress> Sequence(bool complete);
  std::optional<KeyPress> TerminalString(bool complete);
  std::optional<KeyPress> Text(bool complete);
  std::optional<KeyPress> Take(size_t bytes, Key key);

  std::string bytes_;
  size_t at_ = 0;
  size_t searched_ = 0;  // No paste ends before this offset.
  bool pasting_ = false;
  bool vi_ = false;
};

// Returns the length of the prefix of `bytes` that must be a paste, because several lines cannot be
// typed within one read: text with a line end that is not at its end, and without control
// characters. Returns 0 if there is none. For terminals that do not mark pastes.
size_t UnmarkedPaste(std::string_view bytes);

class KeyReader {
 public:
  // `interrupted` returns true if a signal came since the cell began, even while nothing was being
  // read. `idle`, if set, is called several times a second while no key arrives.
  KeyReader(int fd, std::function<bool()> interrupted, std::function<void()> idle = {})
      : fd_(fd), interrupted_(std::move(interrupted)), idle_(std::move(idle)) {}
  // Waits for the next key. Returns kInterrupted if a signal ended the wait.
  KeyPress Next();
  // Must be called in raw mode when a cell begins. Earlier input was still read in line mode.
  // `woken` is a descriptor that becomes readable if the screen must be drawn again; -1 for none.
  void Begin(bool vi, int woken);
  // True if input is already available, so that redrawing can wait.
  bool more() const { return !decoder_.empty(); }

 private:
  enum class Got : uint8_t { kBytes, kNothing, kInterrupted, kWoken, kClosed };
  Got Wait(int wait_ms);
  Got Read(int wait_ms);
  void TakeUnmarkedPaste(std::string bytes);

  int fd_;
  int woken_ = -1;
  std::function<bool()> interrupted_;
  std::function<void()> idle_;
  KeyDecoder decoder_;
  std::optional<KeyPress> ready_;
  bool pending_ = false;  // The next read returns input that was typed before the cell began.
};

}  // namespace tensh::shell
