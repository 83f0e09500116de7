// The keys of vi: the commands of its normal mode, as far as a prompt needs them.
//
//   motions, after d c y < > gu gU g~ and alone; text objects (vi_motion.h)
//   i a I A o O R   x X s r D C S Y J ~ p P   dd cc yy << >>   u U Ctrl-R .   "a for a register
//   j k + - n N / ? v _   through the history and to the editor, as in bash
//
// In insert mode, all keys but Esc are those of the default mode. A command and the text that is
// typed after it are one change: u takes it back, and "." repeats it, also in the next cell. Used
// by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shell/edit/keys.h"
#include "shell/edit/text_buffer.h"
#include "shell/edit/vi_command.h"
#include "shell/edit/vi_motion.h"

namespace tensh::shell {

class ViMode {
 public:
  // The result of a key. The caller moves through the history, searches it, and starts the external
  // editor.
  enum class Did : uint8_t {
    kNothing,
    kHandled,
    kUp,    // times() lines or cells
    kDown,  // likewise
    kEditor,
    kSearchOlder,
    kSearchNewer,
    kSearchAgain,
    kSearchBack,
    kLastArgument,
  };

  // Begins a cell, in insert mode. The last change and the registers are kept.
  void Start();
  // Must be called before the cell ends, so that "." can repeat text that Esc did not end.
  void Finish(TextBuffer* buffer);
  bool inserting() const { return inserting_; }
  // In normal mode, handles one character of text at a time.
  Did Handle(const KeyPress& press, TextBuffer* buffer);
  int times() const { return times_; }
  void Insert(TextBuffer* buffer);
  // In normal mode, moves the cursor from the end of a line to its last character.
  void KeepOnCharacter(TextBuffer* buffer) const;

 private:
  Did HandleInserting(const KeyPress& press, TextBuffer* buffer);
  void Replace(const KeyPress& press, TextBuffer* buffer);
  void Leave(TextBuffer* buffer);
  std::string Inserted(const TextBuffer& buffer) const;

  Did Execute(const ViCommand& command, TextBuffer* buffer);
  void Change(const ViCommand& command, TextBuffer* buffer);
  void Repeat(int count, TextBuffer* buffer);
  bool Operate(const ViCommand& command, TextBuffer* buffer);
  void OperateOnLines(char verb, const ViRange& range, TextBuffer* buffer);
  void BeginInsertion(const ViCommand& command, TextBuffer* buffer);
  void ChangeText(const ViCommand& command, TextBuffer* buffer);
  void ReplaceCharacters(const ViCommand& command, TextBuffer* buffer);
  void Put(const ViCommand& command, TextBuffer* buffer);
  void Cut(const ViCommand& command, size_t from, size_t to, TextBuffer* buffer);
  void Copy(char reg, std::string text, TextBuffer* buffer);

  bool inserting_ = true;
  bool replacing_ = false;             // R: typed text replaces characters
  std::vector<std::string> replaced_;  // the characters that R replaced; "" at the end of the line
  std::string keys_;                   // of an unfinished command
  int times_ = 1;
  ViFind find_;
  std::map<char, std::string> registers_;

  // The last change, and the text that was inserted after it.
  ViCommand change_;
  std::string inserted_;
  // The text on both sides of the cursor when the insertion began.
  std::string before_, after_;
};

}  // namespace tensh::shell
