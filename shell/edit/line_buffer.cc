#include "shell/edit/line_buffer.h"

#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

bool Continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

bool InWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

size_t LineBuffer::Before(size_t at) const {
  while (at > 0) {
    size_t begin = at - 1;
    while (begin > 0 && Continues(text_[begin])) --begin;
    const bool combining =
        begin > 0 && TextWidth(std::string_view(text_).substr(begin, at - begin)) == 0;
    at = begin;
    if (!combining) break;
  }
  return at;
}

size_t LineBuffer::After(size_t at) const {
  bool first = true;
  while (at < text_.size()) {
    size_t end = at + 1;
    while (end < text_.size() && Continues(text_[end])) ++end;
    if (!first && TextWidth(std::string_view(text_).substr(at, end - at)) > 0) break;
    first = false;
    at = end;
  }
  return at;
}

void LineBuffer::Set(std::string text) {
  text_ = std::move(text);
  cursor_ = text_.size();
}

void LineBuffer::Insert(std::string_view text) {
  text_.insert(cursor_, text);
  cursor_ += text.size();
}

void LineBuffer::WordLeft() {
  while (cursor_ > 0 && !InWord(text_[cursor_ - 1])) --cursor_;
  while (cursor_ > 0 && InWord(text_[cursor_ - 1])) --cursor_;
}

void LineBuffer::WordRight() {
  while (cursor_ < text_.size() && !InWord(text_[cursor_])) ++cursor_;
  while (cursor_ < text_.size() && InWord(text_[cursor_])) ++cursor_;
}

void LineBuffer::Kill(size_t from, size_t to) {
  if (from == to) return;
  killed_ = text_.substr(from, to - from);
  text_.erase(from, to - from);
  cursor_ = from;
}

void LineBuffer::Backspace() {
  const size_t from = Before(cursor_);
  text_.erase(from, cursor_ - from);
  cursor_ = from;
}

void LineBuffer::Delete() { text_.erase(cursor_, After(cursor_) - cursor_); }

void LineBuffer::KillToEnd() { Kill(cursor_, text_.size()); }

void LineBuffer::KillToStart() { Kill(0, cursor_); }

void LineBuffer::KillWord() {
  const size_t to = cursor_;
  while (cursor_ > 0 && text_[cursor_ - 1] == ' ') --cursor_;
  while (cursor_ > 0 && text_[cursor_ - 1] != ' ') --cursor_;
  Kill(cursor_, to);
}

}  // namespace tensh::shell
