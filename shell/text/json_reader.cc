#include "shell/text/json_reader.h"

#include <algorithm>
#include <charconv>

#include "runtime/base/utf8.h"

namespace tensh::shell {
void JsonReader::Space() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
    ++at_;
}

bool JsonReader::Take(char c) {
  Space();
  if (at_ >= text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

void JsonReader::Open(char bracket) {
  const bool is = Take(bracket);
  if (!is) Skip();
  open_.push_back(is ? Item::kFirst : Item::kNone);
}

bool JsonReader::Next(std::string* key) {
  if (failed_ || open_.empty()) return false;
  Space();
  const bool ends = at_ < text_.size() && (text_[at_] == '}' || text_[at_] == ']');
  if (ends || open_.back() == Item::kNone) {
    if (open_.back() != Item::kNone) ++at_;
    open_.pop_back();
    return false;
  }
  if (open_.back() == Item::kLater && !Take(',')) {
    Fail();
    return false;
  }
  open_.back() = Item::kLater;
  if (key == nullptr) return true;
  *key = String();
  if (!Take(':')) Fail();
  return !failed_;
}

bool JsonReader::AtString() {
  Space();
  return at_ < text_.size() && text_[at_] == '"';
}

bool JsonReader::AtArray() {
  Space();
  return at_ < text_.size() && text_[at_] == '[';
}

bool JsonReader::Null() {
  Space();
  if (text_.substr(at_, 4) != "null") return false;
  at_ += 4;
  return true;
}

std::string JsonReader::String() {
  std::string out;
  if (!AtString()) {
    Skip();
    return out;
  }
  ++at_;
  while (at_ < text_.size() && text_[at_] != '"') {
    size_t end = at_;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\\') ++end;
    out += text_.substr(at_, end - at_);
    at_ = end;
    if (at_ < text_.size() && text_[at_] == '\\') AppendEscape(&out);
  }
  if (at_ >= text_.size()) {
    Fail();
    return out;
  }
  ++at_;
  return out;
}

void JsonReader::AppendEscape(std::string* out) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
  const char c = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  at_ = std::min(at_ + 2, text_.size());
  if (const size_t name = kNames.find(c); c != '\0' && name != std::string_view::npos) {
    *out += kMeant[name];
    return;
  }
  const auto unit = [&]() -> uint32_t {
    uint32_t code = 0;
    const std::string_view digits = text_.substr(std::min(at_, text_.size()), 4);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (error != std::errc() || digits.size() < 4 || end != digits.data() + 4) Fail();
    at_ = std::min(at_ + 4, text_.size());
    return code;
  };
  if (c != 'u') return Fail();
  uint32_t code = unit();
  if (code >= 0xd800 && code < 0xdc00 && !failed_ && text_.substr(at_, 2) == "\\u") {
    at_ += 2;
    const uint32_t low = unit();
    code = 0x10000 + ((code - 0xd800) << 10) + ((low - 0xdc00) & 0x3ff);
  }
  if (failed_) return Fail();
  AppendUtf8(code >= 0xd800 && code < 0xe000 ? 0xfffd : code, out);
}

int64_t JsonReader::Int(int64_t fallback) {
  Space();
  int64_t value = 0;
  const char* begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (error != std::errc() || end == begin) {
    Skip();
    return fallback;
  }
  Skip();
  return value;
}

// Only counts brackets. Invalid JSON inside the skipped value goes unnoticed, which is harmless.
void JsonReader::Skip() {
  Space();
  size_t depth = 0;
  do {
    if (at_ >= text_.size()) return Fail();
    const char c = text_[at_];
    if (c == '"') {
      for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
        if (text_[at_] == '\\') ++at_;
      if (at_ >= text_.size()) return Fail();
      ++at_;
    } else if (c == '{' || c == '[') {
      ++depth, ++at_;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return Fail();
      --depth, ++at_;
    } else if (c == ',' || c == ':') {
      if (depth == 0) return Fail();
      ++at_;
    } else {
      const size_t end = text_.find_first_of(",:]}[{\" \n\t\r", at_);
      at_ = std::min(end, text_.size());
    }
    Space();
  } while (depth > 0);
}

bool JsonReader::at_end() {
  Space();
  return !failed_ && at_ >= text_.size();
}

}  // namespace tensh::shell
