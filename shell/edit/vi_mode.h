// The keys of vi: the commands of its normal mode, as far as a prompt needs them.
//
//   h l 0 ^ $ w b e W B E gg G f F t T ; , %   with counts, alone and after d, c and y
//   i a I A o O x X D C S s r ~ p P Y u Ctrl-R dd cc yy j k v /
//
// In insert mode, all keys but Esc are those of the default mode. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "shell/edit/keys.h"
#include "shell/edit/text_buffer.h"

namespace tensh::shell {

class ViMode {
 public:
  // The result of a key. The caller moves through the history, and starts the external editor and
  // the search.
  enum class Did : uint8_t { kNothing, kHandled, kUp, kDown, kEditor, kSearch };

  void Start();  // Each cell begins in insert mode.
  bool inserting() const { return inserting_; }
  Did Handle(const KeyPress& press, TextBuffer* buffer);

 private:
  struct Motion {
    size_t to = 0;
    bool inclusive = false;  // An operator includes the character at `to`.
  };
  Did Command(char c, TextBuffer* buffer);
  bool Pending(char c, TextBuffer* buffer);
  bool Insertion(char c, TextBuffer* buffer);
  bool Change(char c, TextBuffer* buffer);
  std::optional<Motion> MotionOf(char c, const TextBuffer& buffer);
  std::optional<Motion> FindChar(char kind, char c, const TextBuffer& buffer) const;
  void Apply(const Motion& motion, TextBuffer* buffer);
  void WholeLine(TextBuffer* buffer);
  void Operate(size_t from, size_t to, TextBuffer* buffer);
  static void Put(bool before, TextBuffer* buffer);
  void Insert() { inserting_ = true; }
  void Clear() { operator_ = waiting_ = '\0', count_ = 0; }
  int times() const { return count_ == 0 ? 1 : count_; }

  bool inserting_ = true;
  char operator_ = '\0';  // d, c or y
  char waiting_ = '\0';   // f, F, t, T, r or g: the next character belongs to it.
  int count_ = 0;
  char found_kind_ = '\0', found_ = '\0';  // The last f, F, t or T.
};

}  // namespace tensh::shell
