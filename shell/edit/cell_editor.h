// The line editor without a terminal: its input is keys, its output a picture of the cell.
//
// A cell is one or more lines. Enter runs it if it is complete, and otherwise adds a line. A cell
// that was inserted as a whole (from the history, a paste, an external editor) can be run from any
// of its lines.
//
// The editor does not depend on the language: its hooks complete, check and color the text. Used
// by one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/edit/completion.h"
#include "shell/edit/history.h"
#include "shell/edit/keys.h"
#include "shell/edit/styled.h"
#include "shell/edit/text_buffer.h"
#include "shell/edit/vi_mode.h"

namespace tensh::shell {

enum class CellState : uint8_t { kComplete, kIncomplete, kInvalid };

// Functions that the editor's creator provides. They must not throw. All except `state` may be
// empty.
struct EditorHooks {
  Completer complete = {};
  std::function<CellState(std::string_view text)> state = {};
  // Returns the roles of the text's parts, in order. `cursor` is the offset of the word that is
  // being typed, which need not be a name yet.
  std::function<std::vector<StyleSpan>(std::string_view text, size_t cursor)> highlight = {};
  // Called several times a second while no key is pressed.
  std::function<void()> idle = {};
};

// The picture of the cell. Its views point into the editor.
struct EditorView {
  std::string_view text;
  size_t cursor = 0;
  std::vector<StyleSpan> spans;
  std::string ghost;              // Shown dim behind the text.
  std::vector<StyledLine> below;  // The menu, or the line of a search.
};

class CellEditor {
 public:
  enum class Outcome : uint8_t {
    kEditing,
    kRun,
    kEof,
    kInterrupted,
    kSuspend,
    kClearScreen,
    kExternalEditor
  };

  CellEditor(std::string history_file, EditorHooks hooks)
      : history_(std::move(history_file)), hooks_(std::move(hooks)) {}

  // Begins an empty cell. `vi` selects the keys of vi.
  void Start(bool vi);
  Outcome Handle(const KeyPress& press);
  // Draws for a screen of this size; the menu's layout depends on it.
  EditorView View(size_t width, size_t height, bool colors);

  const std::string& text() const { return buffer_.text(); }
  // Removes the blank lines at the end of the text, adds the text to the history and returns it.
  std::string Finish();
  void SetText(std::string text);  // from an external editor
  const ViMode* vi() const { return vi_on_ ? &vi_ : nullptr; }

 private:
  Outcome HandleKey(const KeyPress& press);
  // Handles keys of vi that arrived together: each character is a command, until one of them begins
  // to insert.
  Outcome HandleViBurst(std::string_view text);
  Outcome HandleVi(const KeyPress& press);
  Outcome EnterInViCommands();
  bool in_vi_commands() const { return vi_on_ && !vi_.inserting(); }
  Outcome Edit(const KeyPress& press);
  bool MoveCursor(Key key);
  bool Kill(Key key);
  void TypeText(std::string_view text);
  void TypeOne(std::string_view grapheme);
  Outcome Paste(std::string_view text);
  Outcome Enter();
  void NewLine();
  CellState StateOf(const std::string& text) const;

  // The history (cell_history.cc).
  void Up();
  void Down();
  bool BeginDraft();
  void Recall(bool older);
  void Show(size_t index);
  bool HandleSearch(const KeyPress& press, Outcome* outcome);
  void SearchAgain(bool older, bool next);
  void StartSearch(bool older);
  void EndSearch();
  void InsertLastArgument();
  std::string Suggestion() const;
  bool AcceptSuggestion(bool word);

  // The menu (cell_menu.cc).
  void Complete();
  bool HandleMenu(const KeyPress& press, Outcome* outcome);
  bool MoveInMenu(Key key);
  void TypeInMenu(const std::string& text);
  void ShowSelected();
  void Unselect();
  void AddBrackets(std::vector<StyleSpan>* spans) const;
  void AddFound(std::vector<StyleSpan>* spans) const;

  TextBuffer buffer_;
  History history_;
  EditorHooks hooks_;
  ViMode vi_;
  bool vi_on_ = false;
  Menu menu_;
  std::string menu_typed_;  // the word as typed, without the selected candidate

  bool whole_ = false;  // the text was inserted as a whole
  // After an automatic indentation: where the line begins, and how many blanks were typed over it.
  bool indented_ = false;
  size_t typed_blanks_ = 0;

  size_t recalled_ = 0;  // the cell that is shown; history_.size() means the one being typed
  bool recalling_ = false;
  std::string draft_;  // the cell being typed, while an older one is shown
  size_t draft_cursor_ = 0;
  std::string prefix_;  // recalled cells begin with this text

  bool searching_ = false, failing_ = false;
  bool search_older_ = true;  // the direction of / or ?
  std::string query_, last_query_;
  // The text when the search began, and its index in the history.
  std::string search_text_;
  size_t search_cursor_ = 0, search_from_ = 0;

  size_t argument_from_ = 0;  // history index of the cell whose last argument was inserted
  size_t argument_at_ = 0;    // offset of that argument in the text
  bool inserted_argument_ = false;
};

}  // namespace tensh::shell
