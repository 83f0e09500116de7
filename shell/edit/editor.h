// A line editor for terminals that can move the cursor: reads keys, draws, and returns whole cells.
//
// The terminal's mode is changed only while the editor reads. CellEditor defines the effect of each
// key, and Screen draws the cell. Used by one thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "shell/edit/cell_editor.h"
#include "shell/edit/keys.h"
#include "shell/edit/line_reader.h"
#include "shell/edit/screen.h"
#include "shell/text/status_line.h"

namespace tensh::shell {

class TerminalMode;

struct ReadOptions {
  Prompts prompts;
  Palette palette;
  bool vi = false;
  bool ascii = false;  // draws only ASCII characters besides the text itself
};

class Editor {
 public:
  // `interrupted` is passed to the KeyReader.
  Editor(int fd, std::string history_file, EditorHooks hooks, std::function<bool()> interrupted);
  static bool Works(int fd);        // True for a terminal whose TERM is not dumb.
  static bool ErasesLines(int fd);  // Like Works, wherever standard output goes.
  // Reads one cell, without blank lines at its end.
  ReadEnd Read(const ReadOptions& options, std::string* cell);

 private:
  CellEditor::Outcome Edit(const ReadOptions& options, TerminalMode* mode);
  void Act(CellEditor::Outcome outcome, const ReadOptions& options, TerminalMode* mode);
  void ScreenChanged(TerminalMode* mode);
  void Draw(const ReadOptions& options);
  void Finish(const ReadOptions& options, bool next_row);
  void Change(const std::function<std::string(const Screen& shown)>& change, std::string erase);
  void OpenExternalEditor();
  EditorView View(const ReadOptions& options);

  int fd_;
  KeyReader keys_;
  CellEditor cell_;
  status_line::Picture* picture_ = nullptr;  // while it reads
  Screen shown_;
  ScreenSize size_;
  bool block_cursor_ = false;
};

}  // namespace tensh::shell
