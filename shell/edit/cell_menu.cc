// The part of the editor that completes words: Tab and the menu.

#include <algorithm>

#include "shell/edit/cell_editor.h"

namespace tensh::shell {
namespace {

constexpr size_t kIndent = 4;

}  // namespace

// At the start of a line, Tab indents.
void CellEditor::Complete() {
  const size_t start = buffer_.LineStart(), column = buffer_.cursor() - start;
  if (buffer_.before().find_first_not_of(" \t", start) == std::string::npos)
    return buffer_.Insert(std::string(kIndent - column % kIndent, ' '));
  if (!hooks_.complete) return;
  Completion found = hooks_.complete(buffer_.before());
  if (found.candidates.empty()) return;
  const std::string typed(buffer_.before().substr(found.from));
  const std::string common = CommonPrefix(found.candidates);
  if (found.candidates.size() == 1 || (common.size() > typed.size() && common.starts_with(typed)))
    buffer_.Replace(found.from, buffer_.cursor(), common);
  if (found.candidates.size() == 1) return;
  menu_typed_ = std::string(buffer_.before().substr(found.from));
  menu_.Open(std::move(found), menu_typed_);
}

// Puts the selected candidate into the text. menu_typed_ keeps the word as typed.
void CellEditor::ShowSelected() {
  buffer_.Replace(menu_.from(), buffer_.cursor(),
                  menu_.has_selection() ? menu_.candidate(menu_.selected()) : menu_typed_);
}

void CellEditor::Unselect() { buffer_.Replace(menu_.from(), buffer_.cursor(), menu_typed_); }

bool CellEditor::MoveInMenu(Key key) {
  switch (key) {
    case Key::kTab:
    case Key::kDown:
      menu_.Move(1);
      break;
    case Key::kBackTab:
    case Key::kUp:
      menu_.Move(-1);
      break;
    case Key::kRight:
      if (!menu_.has_selection()) return false;
      menu_.MoveColumn(1);
      break;
    case Key::kLeft:
      if (!menu_.has_selection()) return false;
      menu_.MoveColumn(-1);
      break;
    case Key::kPageDown:
      menu_.MovePage(1);
      break;
    case Key::kPageUp:
      menu_.MovePage(-1);
      break;
    default:
      return false;
  }
  ShowSelected();
  return true;
}

// Characters of a word filter the menu. Any other character accepts the selected candidate.
void CellEditor::TypeInMenu(const std::string& text) {
  const bool word = std::all_of(text.begin(), text.end(), IsWordByte);
  if (!word) {
    menu_.Close();
    return TypeText(text);
  }
  if (menu_.has_selection()) Unselect();
  TypeText(text);
  menu_typed_ += text;
  menu_.Filter(menu_typed_);
}

bool CellEditor::HandleMenu(const KeyPress& press, Outcome* outcome) {
  *outcome = Outcome::kEditing;
  if (MoveInMenu(press.key)) return true;
  switch (press.key) {
    case Key::kScreenChanged:
      return true;
    case Key::kText:
      TypeInMenu(press.text);
      return true;
    case Key::kBackspace:
      if (menu_.has_selection()) Unselect();
      if (menu_typed_.empty()) {
        menu_.Close();
        return false;
      }
      buffer_.Backspace();
      menu_typed_ = std::string(buffer_.before().substr(menu_.from()));
      menu_.Filter(menu_typed_);
      return true;
    case Key::kEnter:
      menu_.Close();
      return menu_.has_selection();
    case Key::kEscape:
      menu_.Close();
      if (vi_on_) return false;  // Esc accepts the candidate and begins normal mode, as in vim.
      if (menu_.has_selection()) Unselect();
      return true;
    case Key::kCancel:
      if (menu_.has_selection()) Unselect();
      menu_.Close();
      return true;
    default:
      menu_.Close();
      return false;
  }
}

}  // namespace tensh::shell
