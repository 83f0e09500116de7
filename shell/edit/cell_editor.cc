#include "shell/edit/cell_editor.h"

#include <algorithm>
#include <utility>

#include "shell/edit/code_tokens.h"
#include "shell/edit/paste.h"
#include "shell/text/grapheme.h"

namespace tensh::shell {
namespace {

// Larger texts are data. They are drawn without colors, so that the response to a key stays fast.
constexpr size_t kLargestColored = 64 << 10;

bool IsBlank(std::string_view text) { return text.find_first_not_of(" \t\n") == text.npos; }

}  // namespace

void CellEditor::Start(bool vi) {
  buffer_.Reset();
  menu_.Close();
  whole_ = indented_ = recalling_ = searching_ = inserted_argument_ = false;
  recalled_ = history_.size();
  vi_on_ = vi;
  vi_.Start();
}

std::string CellEditor::Finish() {
  vi_.Finish(&buffer_);
  std::string cell = buffer_.text();
  while (!cell.empty()) {
    const size_t newline = cell.rfind('\n');
    if (newline == cell.npos || !IsBlank(std::string_view(cell).substr(newline))) break;
    cell.erase(newline);
  }
  buffer_.Reset();
  buffer_.Insert(cell);
  history_.Add(cell);
  return cell;
}

void CellEditor::SetText(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  buffer_.BeginKey();
  buffer_.Set(std::move(text));
  whole_ = true;
}

CellEditor::Outcome CellEditor::Handle(const KeyPress& press) {
  buffer_.BeginKey();
  const bool inserted = std::exchange(inserted_argument_, false);
  if (press.key == Key::kLastArgument) inserted_argument_ = inserted;
  if (press.key != Key::kText && press.key != Key::kScreenChanged) indented_ = false;
  Outcome outcome = Outcome::kEditing;
  if (searching_ && HandleSearch(press, &outcome)) return outcome;
  if (menu_.open() && HandleMenu(press, &outcome)) return outcome;
  return vi_on_ ? HandleVi(press) : HandleKey(press);
}

CellEditor::Outcome CellEditor::HandleViBurst(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t size = vi_.inserting() ? text.size() - at : FirstGrapheme(text.substr(at)).bytes;
    const Outcome outcome = Handle({Key::kText, std::string(text.substr(at, size))});
    if (outcome != Outcome::kEditing) return outcome;
    at += size;
  }
  return Outcome::kEditing;
}

CellEditor::Outcome CellEditor::HandleVi(const KeyPress& press) {
  if (!vi_.inserting() && press.key == Key::kText &&
      FirstGrapheme(press.text).bytes < press.text.size())
    return HandleViBurst(press.text);
  const ViMode::Did did = vi_.Handle(press, &buffer_);
  Outcome outcome = Outcome::kEditing;
  switch (did) {
    case ViMode::Did::kNothing:
      outcome =
          press.key == Key::kEnter && !vi_.inserting() ? EnterInViCommands() : HandleKey(press);
      break;
    case ViMode::Did::kHandled:
      break;
    case ViMode::Did::kUp:
    case ViMode::Did::kDown:
      for (int i = 0; i < vi_.times(); ++i) did == ViMode::Did::kUp ? Up() : Down();
      break;
    case ViMode::Did::kEditor:
      outcome = Outcome::kExternalEditor;
      break;
    case ViMode::Did::kSearchOlder:
    case ViMode::Did::kSearchNewer:
      StartSearch(did == ViMode::Did::kSearchOlder);
      break;
    case ViMode::Did::kSearchAgain:
    case ViMode::Did::kSearchBack:
      SearchAgain(search_older_ == (did == ViMode::Did::kSearchAgain), true);
      break;
    case ViMode::Did::kLastArgument:
      if (!text().empty()) buffer_.Insert(" ");
      InsertLastArgument();
      break;
  }
  if (outcome == Outcome::kEditing) vi_.KeepOnCharacter(&buffer_);
  return outcome;
}

// Enter runs a complete cell from any of its lines, and otherwise continues it.
CellEditor::Outcome CellEditor::EnterInViCommands() {
  if (IsBlank(text()) || !hooks_.state || StateOf(text() + "\n\n") != CellState::kIncomplete)
    return Outcome::kRun;
  buffer_.MoveTo(text().size());
  vi_.Insert(&buffer_);
  NewLine();
  return Outcome::kEditing;
}

CellEditor::Outcome CellEditor::HandleKey(const KeyPress& press) {
  switch (press.key) {
    case Key::kPaste:
      return Paste(press.text);
    case Key::kEnter:
      return Enter();
    case Key::kClosed:
      return Outcome::kEof;
    case Key::kInterrupted:
      return Outcome::kInterrupted;
    case Key::kSuspend:
      return Outcome::kSuspend;
    case Key::kClear:
      return Outcome::kClearScreen;
    case Key::kExternalEditor:
      return Outcome::kExternalEditor;
    case Key::kEof:
      if (text().empty()) return Outcome::kEof;
      // As in Python, Enter on an empty line ends a block.
      if (buffer_.at_end() && !buffer_.on_first_line() && IsBlank(buffer_.CurrentLine()))
        return Outcome::kRun;
      buffer_.Delete();
      return Outcome::kEditing;
    default:
      return Edit(press);
  }
}

CellEditor::Outcome CellEditor::Edit(const KeyPress& press) {
  if (MoveCursor(press.key) || Kill(press.key)) return Outcome::kEditing;
  switch (press.key) {
    case Key::kText:
      TypeText(press.text);
      break;
    case Key::kNewline:
      NewLine();
      break;
    case Key::kTab:
      Complete();
      break;
    case Key::kBackspace:
      buffer_.Backspace();
      break;
    case Key::kDelete:
      buffer_.Delete();
      break;
    case Key::kTranspose:
      buffer_.Transpose();
      break;
    case Key::kUndo:
      buffer_.Undo();
      break;
    case Key::kRedo:
      buffer_.Redo();
      break;
    case Key::kSearch:
      StartSearch(true);
      break;
    case Key::kLastArgument:
      InsertLastArgument();
      break;
    default:
      break;
  }
  return Outcome::kEditing;
}

bool CellEditor::MoveCursor(Key key) {
  switch (key) {
    case Key::kLeft:
      return buffer_.Left(), true;
    case Key::kRight:
      if (!AcceptSuggestion(false)) buffer_.Right();
      return true;
    case Key::kHome:
      return buffer_.Home(), true;
    case Key::kEnd:
      if (!AcceptSuggestion(false)) buffer_.End();
      return true;
    case Key::kWordLeft:
      return buffer_.MoveTo(buffer_.WordLeft(buffer_.cursor())), true;
    case Key::kWordRight:
      if (!AcceptSuggestion(true)) buffer_.MoveTo(buffer_.WordRight(buffer_.cursor()));
      return true;
    case Key::kFirst:
      return buffer_.MoveTo(0), true;
    case Key::kLast:
      return buffer_.MoveTo(text().size()), true;
    case Key::kUp:
      return Up(), true;
    case Key::kDown:
      return Down(), true;
    case Key::kOlder:
    case Key::kPageUp:
      return Recall(true), true;
    case Key::kNewer:
    case Key::kPageDown:
      return Recall(false), true;
    default:
      return false;
  }
}

bool CellEditor::Kill(Key key) {
  const size_t at = buffer_.cursor();
  switch (key) {
    case Key::kKillToEnd:
      // At the end of a line, cuts the line break.
      buffer_.Kill(at, at == buffer_.LineEnd() ? buffer_.After(at) : buffer_.LineEnd());
      return true;
    case Key::kKillToStart:
      buffer_.Kill(at == buffer_.LineStart() ? buffer_.Before(at) : buffer_.LineStart(), at);
      return true;
    case Key::kKillWord:
      return buffer_.Kill(at, buffer_.WordRight(at)), true;
    case Key::kKillWordBack:
      return buffer_.Kill(buffer_.WordLeft(at), at), true;
    case Key::kKillBlankWord: {
      const std::string& text = buffer_.text();
      size_t from = at;
      while (from > 0 && (text[from - 1] == ' ' || text[from - 1] == '\n')) --from;
      while (from > 0 && text[from - 1] != ' ' && text[from - 1] != '\n') --from;
      return buffer_.Kill(from, at), true;
    }
    case Key::kYank:
      return buffer_.Yank(), true;
    case Key::kYankOlder:
      return buffer_.YankOlder(), true;
    default:
      return false;
  }
}

// ---- typing ----

void CellEditor::TypeText(std::string_view text) {
  recalling_ = false;
  while (!text.empty()) {
    const size_t bytes = FirstGrapheme(text).bytes;
    TypeOne(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
}

// Blanks that are typed after an automatic indentation replace it, so that text typed with its own
// indentation is not indented twice.
void CellEditor::TypeOne(std::string_view grapheme) {
  if (indented_ && grapheme == " ") {
    const size_t start = buffer_.LineStart(), indent = buffer_.Indent(start);
    if (typed_blanks_++ < indent) return buffer_.MoveTo(start + typed_blanks_);
    typed_blanks_ = 0;
    indented_ = false;
  } else if (indented_) {
    indented_ = false;
    if (typed_blanks_ > 0)
      buffer_.Erase(buffer_.cursor(), buffer_.LineStart() + buffer_.Indent(buffer_.LineStart()));
  }
  buffer_.Type(grapheme);
  if (grapheme != ":" || buffer_.on_first_line()) return;
  // "else:" moves to the indentation of its "if".
  const size_t want = IndentOfClause(buffer_.before()), start = buffer_.LineStart();
  const size_t have = buffer_.Indent(start);
  if (want == std::string::npos || want >= have) return;
  const size_t cursor = buffer_.cursor();
  buffer_.Erase(start, start + have - want);
  buffer_.MoveTo(cursor - (have - want));
}

void CellEditor::NewLine() {
  const std::string_view before = buffer_.before();
  const size_t indent = IndentAfter(before);
  // Keeps tabs if the line is indented by them.
  const std::string_view line = buffer_.CurrentLine();
  const size_t own = std::min(line.find_first_not_of(" \t"), line.size());
  const std::string blanks =
      own == indent ? std::string(line.substr(0, own)) : std::string(indent, ' ');
  // Blanks after the cursor would add to the indentation.
  size_t skip = buffer_.cursor();
  while (skip < text().size() && text()[skip] == ' ') ++skip;
  buffer_.Replace(buffer_.cursor(), skip, "\n" + blanks);
  whole_ = false;
  recalling_ = false;
  indented_ = indent > 0;
  typed_blanks_ = 0;
}

// A line that ends with a colon opens a block. The check of the language reports the missing block
// of an inner statement as an error.
CellState CellEditor::StateOf(const std::string& text) const {
  const std::vector<CodeToken> tokens = TokensOf(text);
  for (size_t i = tokens.size(); i-- > 0;) {
    const CodeToken& token = tokens[i];
    if (token.kind == CodeToken::Kind::kNewline || token.kind == CodeToken::Kind::kComment)
      continue;
    if (token.In(text) == ":") return CellState::kIncomplete;
    break;
  }
  return hooks_.state(text);
}

CellEditor::Outcome CellEditor::Enter() {
  if (IsBlank(text()) || !hooks_.state) return Outcome::kRun;
  if (!whole_ && !buffer_.on_last_line()) {
    NewLine();
    return Outcome::kEditing;
  }
  // A whole cell needs no empty line to end its last block.
  const CellState state = StateOf(text() + (whole_ ? "\n\n" : "\n"));
  if (state != CellState::kIncomplete) return Outcome::kRun;
  if (!whole_) buffer_.MoveTo(std::max(buffer_.cursor(), buffer_.LineStart()));
  NewLine();
  return Outcome::kEditing;
}

// A paste of lines runs at once if it ends its last line and the whole is complete. It is never
// split into parts.
CellEditor::Outcome CellEditor::Paste(std::string_view pasted) {
  const bool empty = IsBlank(text());
  std::string clean = CleanPaste(pasted);
  if (empty) {
    buffer_.MoveTo(0);
    if (!text().empty()) buffer_.Erase(0, text().size());
    clean.erase(0, std::min(clean.find_first_not_of(" \t"), clean.size()));
  }
  recalling_ = false;
  buffer_.Insert(clean);
  const bool lines = clean.find('\n') != std::string::npos;
  if (!lines) return Outcome::kEditing;
  whole_ = whole_ || empty;
  const bool ended = clean.ends_with('\n') && buffer_.at_end() && hooks_.state;
  if (!ended || StateOf(text()) == CellState::kIncomplete) return Outcome::kEditing;
  return Outcome::kRun;
}

// ---- the picture ----

void CellEditor::AddBrackets(std::vector<StyleSpan>* spans) const {
  const std::string& all = text();
  const size_t at = buffer_.cursor();
  constexpr std::string_view kBrackets = "()[]{}";
  size_t here = std::string::npos;
  if (at < all.size() && kBrackets.find(all[at]) != kBrackets.npos) here = at;
  if (at > 0 && kBrackets.find(all[at - 1]) != kBrackets.npos) here = at - 1;
  if (here == std::string::npos) return;
  const size_t other = MatchingBracket(all, TokensOf(all), here);
  if (other == std::string::npos) return;
  spans->push_back({here, here + 1, Role::kBracket});
  spans->push_back({other, other + 1, Role::kBracket});
}

void CellEditor::AddFound(std::vector<StyleSpan>* spans) const {
  if (!searching_ || query_.empty()) return;
  const size_t at = text().find(query_);
  if (at != std::string::npos) spans->push_back({at, at + query_.size(), Role::kFound});
}

EditorView CellEditor::View(size_t width, size_t height, bool colors) {
  EditorView view{
      .text = text(), .cursor = buffer_.cursor(), .spans = {}, .ghost = {}, .below = {}};
  if (colors && text().size() <= kLargestColored) {
    if (hooks_.highlight) view.spans = hooks_.highlight(text(), buffer_.cursor());
    AddBrackets(&view.spans);
    AddFound(&view.spans);
    const std::string ghost = Suggestion();
    const size_t line = std::min(ghost.find('\n'), ghost.size());
    view.ghost = ghost.substr(0, line) + (line < ghost.size() ? " …" : "");
  }
  if (menu_.open()) {
    const size_t lines = std::max<size_t>(2, std::min<size_t>(height / 2, 12));
    view.below = menu_.Lines(std::max<size_t>(width, 4), lines);
  } else if (searching_) {
    view.below.push_back({{Role::kNote, failing_ ? "no earlier cell has: " : "search: "},
                          {failing_ ? Role::kError : Role::kPlain, query_}});
  }
  return view;
}

}  // namespace tensh::shell
