#include "shell/edit/text_buffer.h"

#include <algorithm>
#include <utility>

#include "shell/text/grapheme.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr size_t kIndent = 4;
constexpr size_t kMostKilled = 32;
constexpr size_t kMostUndo = 1000;
constexpr size_t kMostUndoBytes = 64 << 20;

}  // namespace

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

size_t TextBuffer::LineStart(size_t at) const {
  const size_t end = at == 0 ? std::string::npos : text_.rfind('\n', at - 1);
  return end == std::string::npos ? 0 : end + 1;
}

size_t TextBuffer::LineEnd(size_t at) const { return std::min(text_.find('\n', at), text_.size()); }

std::string_view TextBuffer::CurrentLine() const {
  const size_t from = LineStart();
  return std::string_view(text_).substr(from, LineEnd() - from);
}

size_t TextBuffer::Indent(size_t line_start) const {
  size_t at = line_start;
  while (at < text_.size() && text_[at] == ' ') ++at;
  return at - line_start;
}

size_t TextBuffer::Before(size_t at) const { return GraphemeBefore(text_, at); }

size_t TextBuffer::After(size_t at) const { return GraphemeAfter(text_, at); }

// ---- changes ----

void TextBuffer::BeginKey() {
  last_ = now_;
  now_ = Kind::kNone;
}

void TextBuffer::BeginChange() {
  changing_ = true;
  saved_ = false;
}

void TextBuffer::Save() {
  redo_.clear();
  if (changing_ && std::exchange(saved_, true)) return;
  undo_.push_back({text_, cursor_});
  saved_bytes_ += text_.size();
  size_t drop = 0;
  while (drop + 1 < undo_.size() &&
         (undo_.size() - drop > kMostUndo || saved_bytes_ > kMostUndoBytes))
    saved_bytes_ -= undo_[drop++].text.size();
  undo_.erase(undo_.begin(), undo_.begin() + static_cast<std::ptrdiff_t>(drop));
}

void TextBuffer::Reset() {
  text_.clear();
  cursor_ = 0;
  undo_.clear();
  redo_.clear();
  saved_bytes_ = 0;
  changing_ = false;
  last_ = now_ = Kind::kNone;
}

void TextBuffer::Set(std::string text, size_t cursor) {
  if (text != text_) Save();
  text_ = std::move(text);
  cursor_ = std::min(cursor, text_.size());
}

void TextBuffer::Replace(size_t from, size_t to, std::string_view text) {
  if (text_.compare(from, to - from, text) != 0) {
    Save();
    text_.replace(from, to - from, text);
  }
  cursor_ = from + text.size();
}

void TextBuffer::Insert(std::string_view text) {
  if (!text.empty()) Replace(cursor_, cursor_, text);
}

// The first blank after a word is undone together with the word.
void TextBuffer::Type(std::string_view text) {
  const bool word_begins = cursor_ > 0 && text_[cursor_ - 1] == ' ' && text != " ";
  if ((last_ != Kind::kTyping && now_ != Kind::kTyping) || word_begins || undo_.empty()) Save();
  redo_.clear();
  now_ = Kind::kTyping;
  text_.insert(cursor_, text);
  cursor_ += text.size();
}

void TextBuffer::Erase(size_t from, size_t to) {
  if (from < to) Replace(from, to, "");
}

bool TextBuffer::Undo() {
  if (undo_.empty()) return false;
  saved_ = false;
  redo_.push_back({std::exchange(text_, undo_.back().text), cursor_});
  cursor_ = undo_.back().cursor;
  saved_bytes_ -= text_.size();
  undo_.pop_back();
  return true;
}

bool TextBuffer::Redo() {
  if (redo_.empty()) return false;
  undo_.push_back({std::exchange(text_, redo_.back().text), cursor_});
  saved_bytes_ += undo_.back().text.size();
  cursor_ = redo_.back().cursor;
  redo_.pop_back();
  return true;
}

// ---- movement ----

void TextBuffer::MoveTo(size_t at) { cursor_ = std::min(at, text_.size()); }

void TextBuffer::Home() {
  const size_t start = LineStart(), word = start + Indent(start);
  MoveTo(cursor_ == word || word == text_.size() ? start : word);
}

size_t TextBuffer::OnLine(size_t line_start, size_t column) const {
  size_t at = line_start, columns = 0;
  while (at < text_.size() && text_[at] != '\n') {
    const Grapheme next = FirstGrapheme(std::string_view(text_).substr(at));
    if (columns + next.columns > column) break;
    columns += next.columns;
    at += next.bytes;
  }
  return at;
}

bool TextBuffer::Up() {
  const size_t start = LineStart();
  if (start == 0) return false;
  if (last_ != Kind::kMove)
    column_ = TextWidth(std::string_view(text_).substr(start, cursor_ - start));
  now_ = Kind::kMove;
  cursor_ = OnLine(LineStart(start - 1), column_);
  return true;
}

bool TextBuffer::Down() {
  const size_t start = LineStart(), end = LineEnd();
  if (end == text_.size()) return false;
  if (last_ != Kind::kMove)
    column_ = TextWidth(std::string_view(text_).substr(start, cursor_ - start));
  now_ = Kind::kMove;
  cursor_ = OnLine(end + 1, column_);
  return true;
}

size_t TextBuffer::WordLeft(size_t from) const {
  while (from > 0 && !IsWordByte(text_[from - 1])) --from;
  while (from > 0 && IsWordByte(text_[from - 1])) --from;
  return from;
}

size_t TextBuffer::WordRight(size_t from) const {
  while (from < text_.size() && !IsWordByte(text_[from])) ++from;
  while (from < text_.size() && IsWordByte(text_[from])) ++from;
  return from;
}

// ---- cutting ----

void TextBuffer::Backspace() {
  const size_t start = LineStart(), in_line = cursor_ - start;
  if (in_line > 0 && in_line <= Indent(start))
    return Erase(cursor_ - ((in_line - 1) % kIndent + 1), cursor_);
  Erase(Before(cursor_), cursor_);
}

void TextBuffer::Transpose() {
  const size_t start = LineStart(), end = LineEnd();
  size_t middle = cursor_ == end ? Before(cursor_) : cursor_;
  if (middle <= start || end == start) return;
  const size_t left = Before(middle), right = After(middle);
  if (left < start || right > end) return;
  Replace(left, right, text_.substr(middle, right - middle) + text_.substr(left, middle - left));
}

const std::string& TextBuffer::killed() const {
  static const std::string none;
  return killed_.empty() ? none : killed_.back();
}

void TextBuffer::Kill(size_t from, size_t to) {
  if (from >= to) return;
  const std::string cut = text_.substr(from, to - from);
  if (last_ == Kind::kKill && !killed_.empty()) {
    killed_.back() = from < cursor_ ? cut + killed_.back() : killed_.back() + cut;
  } else {
    Copy(cut);
  }
  now_ = Kind::kKill;
  Erase(from, to);
}

void TextBuffer::Copy(std::string text) {
  killed_.push_back(std::move(text));
  if (killed_.size() > kMostKilled) killed_.erase(killed_.begin());
}

void TextBuffer::Yank() {
  if (killed_.empty()) return;
  yanked_ = killed_.size() - 1;
  yanked_from_ = cursor_;
  Insert(killed_[yanked_]);
  now_ = Kind::kYank;
}

void TextBuffer::YankOlder() {
  if (last_ != Kind::kYank) return;
  yanked_ = (yanked_ == 0 ? killed_.size() : yanked_) - 1;
  Replace(yanked_from_, cursor_, killed_[yanked_]);
  now_ = Kind::kYank;
}

}  // namespace tensh::shell
