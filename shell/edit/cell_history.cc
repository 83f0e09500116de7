// The part of the editor that works with earlier cells: Up and Down, the search, suggestions, and
// the last argument.

#include <algorithm>
#include <utility>

#include "shell/edit/cell_editor.h"
#include "shell/edit/code_tokens.h"

namespace tensh::shell {
namespace {

// Returns the last argument of the cell. Arguments are separated by blanks outside of brackets and
// strings: "x=[1, 2]" of "eval y feed x=[1, 2]".
std::string LastArgument(std::string_view cell) {
  const size_t newline = cell.rfind('\n');
  const std::string_view line = newline == cell.npos ? cell : cell.substr(newline + 1);
  size_t from = 0, end = 0;
  int depth = 0;
  for (const CodeToken& token : TokensOf(line)) {
    if (token.kind == CodeToken::Kind::kComment) break;
    if (depth == 0 && token.from > end) from = token.from;
    const char c = line[token.from];
    if (token.kind == CodeToken::Kind::kOperator)
      depth += std::string_view("([{").find(c) != cell.npos   ? 1
               : std::string_view(")]}").find(c) != cell.npos ? -1
                                                              : 0;
    end = token.to;
  }
  return std::string(line.substr(from, end - from));
}

void PopCharacter(std::string* text) {
  while (!text->empty() && (static_cast<unsigned char>(text->back()) & 0xC0) == 0x80)
    text->pop_back();
  if (!text->empty()) text->pop_back();
}

}  // namespace

void CellEditor::Up() {
  if (!buffer_.Up()) Recall(true);
}

void CellEditor::Down() {
  if (!buffer_.Down()) Recall(false);
}

void CellEditor::Show(size_t index) {
  recalled_ = index;
  if (index == history_.size()) {
    buffer_.Set(draft_, draft_cursor_);
    whole_ = false;
    return;
  }
  buffer_.Set(history_[index]);
  whole_ = true;
}

// Makes the text the draft, unless it is a recalled cell. One that was changed is a new draft.
bool CellEditor::BeginDraft() {
  if (recalling_ && text() == (recalled_ == history_.size() ? draft_ : history_[recalled_]))
    return false;
  draft_ = text();
  draft_cursor_ = buffer_.cursor();
  recalled_ = history_.size();
  return true;
}

// Shows the next older or newer cell that begins like the one being typed.
void CellEditor::Recall(bool older) {
  if (BeginDraft()) {
    // The commands of vi move through all cells, as in bash.
    prefix_ = in_vi_commands() ? "" : std::string(buffer_.before());
  }
  const size_t none = history_.size();
  size_t found = recalled_;
  do {
    if (!older && found == none) return;
    found =
        older ? history_.FindPrefix(prefix_, found) : history_.FindPrefixNewer(prefix_, found + 1);
    if (older && found == none) return;
  } while (found != none && history_[found] == text());
  recalling_ = true;
  Show(found);
}

// ---- search ----

void CellEditor::StartSearch(bool older) {
  searching_ = true;
  search_older_ = older;
  failing_ = false;
  last_query_ = std::exchange(query_, "");
  BeginDraft();
  search_from_ = recalled_;
  search_text_ = text();
  search_cursor_ = buffer_.cursor();
}

// With `next`, skips the cell that is shown. If there is no other match, the first one stays.
void CellEditor::SearchAgain(bool older, bool next) {
  const size_t none = history_.size();
  if (query_.empty()) return;
  size_t found = none;
  if (older) {
    found = history_.Find(query_, next || recalled_ == none ? recalled_ : recalled_ + 1);
  } else if (recalled_ != none) {
    found = history_.FindNewer(query_, recalled_ + 1);
  }
  // Skips cells equal to the one that is shown; otherwise the key would seem to have no effect.
  while (next && found != none && recalled_ != none && history_[found] == history_[recalled_])
    found = older ? history_.Find(query_, found) : history_.FindNewer(query_, found + 1);
  failing_ = found == none;
  if (failing_) return;
  recalled_ = found;
  buffer_.Set(history_[found], history_[found].find(query_));
  whole_ = true;
}

bool CellEditor::HandleSearch(const KeyPress& press, Outcome* outcome) {
  *outcome = Outcome::kEditing;
  switch (press.key) {
    case Key::kText:
      query_ += press.text;
      SearchAgain(search_older_, false);
      return true;
    case Key::kBackspace:
      PopCharacter(&query_);
      recalled_ = search_from_;
      failing_ = false;
      SearchAgain(search_older_, false);
      return true;
    case Key::kSearch:
    case Key::kUp:
      SearchAgain(true, true);
      return true;
    case Key::kSearchForward:
    case Key::kDown:
      SearchAgain(false, true);
      return true;
    case Key::kScreenChanged:
      return true;
    case Key::kEnter:
      if (!in_vi_commands()) return EndSearch(), false;
      // The line that / finds is looked at first, as in bash. Without a text, / searches again.
      searching_ = false;
      recalling_ = true;
      prefix_.clear();
      if (query_.empty()) {
        query_ = last_query_;
        SearchAgain(search_older_, true);
      }
      vi_.KeepOnCharacter(&buffer_);
      return true;
    case Key::kEscape:
    case Key::kCancel:
      searching_ = false;
      recalled_ = search_from_;
      buffer_.Set(search_text_, search_cursor_);
      whole_ = recalled_ != history_.size();
      return true;
    default:
      return EndSearch(), false;
  }
}

void CellEditor::EndSearch() {
  searching_ = false;
  buffer_.MoveTo(text().size());
}

// ---- suggestions ----

std::string CellEditor::Suggestion() const {
  if (!buffer_.at_end() || text().empty() || menu_.open() || searching_ || recalling_) return "";
  const size_t found = history_.FindPrefix(text(), history_.size());
  return found == history_.size() ? "" : history_[found].substr(text().size());
}

bool CellEditor::AcceptSuggestion(bool word) {
  const std::string ghost = Suggestion();
  if (ghost.empty()) return false;
  size_t end = ghost.size();
  if (word) {
    end = 0;
    while (end < ghost.size() && !IsWordByte(ghost[end])) ++end;
    while (end < ghost.size() && IsWordByte(ghost[end])) ++end;
  } else if (ghost.find('\n') != std::string::npos) {
    whole_ = true;
  }
  buffer_.Insert(std::string_view(ghost).substr(0, end));
  return true;
}

// Inserts the last argument of the previous cell. If repeated, replaces it by that of the cell
// before.
void CellEditor::InsertLastArgument() {
  if (!inserted_argument_) {
    argument_from_ = history_.size();
    argument_at_ = buffer_.cursor();
  }
  std::string argument;
  while (argument.empty() && argument_from_ > 0)
    argument = LastArgument(history_[--argument_from_]);
  if (argument.empty()) return;
  buffer_.Replace(argument_at_, inserted_argument_ ? buffer_.cursor() : argument_at_, argument);
  inserted_argument_ = true;
}

}  // namespace tensh::shell
