#include "shell/edit/keys.h"

#include <algorithm>

namespace tensh::shell {
namespace {

constexpr char kEscape = 0x1b, kExtend = 0x18;
constexpr size_t kLongestSequence = 32;

struct ControlRow {
  int byte;
  Key key;
};
constexpr ControlRow kControls[] = {
    {'\r', Key::kEnter},         {'\n', Key::kEnter},     {'\t', Key::kTab},
    {0x7f, Key::kBackspace},     {0x01, Key::kHome},      {0x02, Key::kLeft},
    {0x03, Key::kInterrupted},   {0x04, Key::kEof},       {0x05, Key::kEnd},
    {0x06, Key::kRight},         {0x07, Key::kCancel},    {0x08, Key::kBackspace},
    {0x0b, Key::kKillToEnd},     {0x0c, Key::kClear},     {0x0e, Key::kDown},
    {0x0f, Key::kNewline},       {0x10, Key::kUp},        {0x12, Key::kSearch},
    {0x13, Key::kSearchForward}, {0x14, Key::kTranspose}, {0x15, Key::kKillToStart},
    {0x17, Key::kKillBlankWord}, {0x19, Key::kYank},      {0x1a, Key::kSuspend},
    {0x1f, Key::kUndo},
};

// Keys after Esc, that is, with Alt.
constexpr ControlRow kAlts[] = {
    {'\r', Key::kNewline},  {'\n', Key::kNewline},      {'b', Key::kWordLeft},
    {'f', Key::kWordRight}, {'d', Key::kKillWord},      {0x7f, Key::kKillWordBack},
    {'y', Key::kYankOlder}, {0x08, Key::kKillWordBack}, {'.', Key::kLastArgument},
    {'_', Key::kRedo},      {'<', Key::kFirst},         {'>', Key::kLast},
    {'p', Key::kOlder},     {'n', Key::kNewer},         {'e', Key::kExternalEditor},
};

// Keys after Ctrl-X.
constexpr ControlRow kExtended[] = {
    {0x05, Key::kExternalEditor}, {'e', Key::kExternalEditor}, {0x15, Key::kUndo}};

// An escape sequence: the text between "ESC [" (or "ESC O") and the end, including the last byte.
struct SequenceRow {
  std::string_view text;
  Key key;
};
constexpr SequenceRow kSequences[] = {
    {"A", Key::kUp},           {"B", Key::kDown},           {"C", Key::kRight},
    {"D", Key::kLeft},         {"H", Key::kHome},           {"F", Key::kEnd},
    {"1~", Key::kHome},        {"7~", Key::kHome},          {"4~", Key::kEnd},
    {"8~", Key::kEnd},         {"3~", Key::kDelete},        {"5~", Key::kPageUp},
    {"6~", Key::kPageDown},    {"Z", Key::kBackTab},        {"1;5A", Key::kOlder},
    {"1;5B", Key::kNewer},     {"1;3A", Key::kOlder},       {"1;3B", Key::kNewer},
    {"1;5C", Key::kWordRight}, {"1;5D", Key::kWordLeft},    {"1;3C", Key::kWordRight},
    {"1;3D", Key::kWordLeft},  {"1;5H", Key::kFirst},       {"1;5F", Key::kLast},
    {"13;2u", Key::kNewline},  {"27;2;13~", Key::kNewline},  // Shift-Enter
    {"3;5~", Key::kKillWord},  {"3;3~", Key::kKillWord},    {"c", Key::kWordRight},
    {"d", Key::kWordLeft},     {"5C", Key::kWordRight},     {"5D", Key::kWordLeft},
};

constexpr std::string_view kPasteBegins = "200~", kPasteEnds = "\033[201~";

template <size_t n>
Key Find(const ControlRow (&rows)[n], char byte) {
  for (const ControlRow& row : rows)
    if (row.byte == static_cast<unsigned char>(byte)) return row.key;
  return Key::kUnknown;
}

size_t LengthOf(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
}

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

void KeyDecoder::Feed(std::string_view bytes) {
  if (!pasting_ && at_ > 0) {
    bytes_.erase(0, at_);
    at_ = searched_ = 0;
  }
  bytes_ += bytes;
}

void KeyDecoder::Discard() {
  bytes_.clear();
  at_ = searched_ = 0;
  pasting_ = false;
}

std::string KeyDecoder::TakeRest() {
  std::string rest = bytes_.substr(at_);
  Discard();
  return rest;
}

std::optional<KeyPress> KeyDecoder::Take(size_t bytes, Key key) {
  at_ += bytes;
  return KeyPress{key};
}

std::optional<KeyPress> KeyDecoder::Paste(bool complete) {
  const size_t end = bytes_.find(kPasteEnds, std::max(at_, searched_));
  if (end == std::string::npos && !complete) {
    searched_ = bytes_.size() - std::min(bytes_.size(), kPasteEnds.size());
    return std::nullopt;
  }
  KeyPress press{Key::kPaste, bytes_.substr(at_, std::min(end, bytes_.size()) - at_)};
  at_ = end == std::string::npos ? bytes_.size() : end + kPasteEnds.size();
  pasting_ = false;
  return press;
}

std::optional<KeyPress> KeyDecoder::Text(bool complete) {
  size_t end = at_;
  while (end < bytes_.size() && !IsControl(bytes_[end])) {
    const size_t next = end + LengthOf(bytes_[end]);
    if (next > bytes_.size() && !complete) break;
    end = std::min(next, bytes_.size());
  }
  if (end == at_) return std::nullopt;
  KeyPress press{Key::kText, bytes_.substr(at_, end - at_)};
  at_ = end;
  return press;
}

std::optional<KeyPress> KeyDecoder::Sequence(bool complete) {
  size_t end = at_ + 2;
  while (end < bytes_.size() && end - at_ < kLongestSequence &&
         (bytes_[end] < 0x40 || bytes_[end] > 0x7e))
    ++end;
  if (end == bytes_.size() && !complete) return std::nullopt;
  end = std::min(end + 1, bytes_.size());
  // A click of the mouse in the old form: three bytes follow.
  if (bytes_[end - 1] == 'M' && end == at_ + 3) {
    if (end + 3 > bytes_.size() && !complete) return std::nullopt;
    return Take(std::min(end + 3, bytes_.size()) - at_, Key::kUnknown);
  }
  const std::string_view got = std::string_view(bytes_).substr(at_ + 2, end - at_ - 2);
  if (got == kPasteBegins) {
    at_ = searched_ = end;
    pasting_ = true;
    return Paste(complete);
  }
  for (const SequenceRow& row : kSequences)
    if (got == row.text) return Take(end - at_, row.key);
  return Take(end - at_, Key::kUnknown);
}

// Skips a string of the terminal, "ESC ] … BEL" or "ESC ] … ESC \\", which answers a query of a
// program that has ended.
std::optional<KeyPress> KeyDecoder::TerminalString(bool complete) {
  const size_t bell = bytes_.find('\a', at_), escape = bytes_.find("\033\\", at_ + 2);
  const size_t end = std::min(bell, escape);
  if (end != std::string::npos) return Take(end - at_ + (end == bell ? 1 : 2), Key::kUnknown);
  if (!complete) return std::nullopt;
  return Take(bytes_.size() - at_, Key::kUnknown);
}

std::optional<KeyPress> KeyDecoder::Escape(bool complete) {
  if (at_ + 1 == bytes_.size()) return complete ? Take(1, Key::kEscape) : std::nullopt;
  const char next = bytes_[at_ + 1];
  if (next == '[' || next == 'O') return Sequence(complete);
  if (next == ']' && (!vi_ || at_ + 2 < bytes_.size())) return TerminalString(complete);
  if (vi_ || next == kEscape) return Take(1, Key::kEscape);
  return Take(2, Find(kAlts, next));
}

std::optional<KeyPress> KeyDecoder::Next(bool complete) {
  if (pasting_) return Paste(complete);
  if (empty()) return std::nullopt;
  const char byte = bytes_[at_];
  if (byte == kEscape) return Escape(complete);
  if (byte == kExtend) {
    if (at_ + 1 == bytes_.size()) return complete ? Take(1, Key::kUnknown) : std::nullopt;
    return Take(2, Find(kExtended, bytes_[at_ + 1]));
  }
  if (IsControl(byte)) return Take(1, Find(kControls, byte));
  return Text(complete);
}

namespace {

// Returns true if the line after a colon is not indented. Such text was sent by a program that
// relies on automatic indentation.
bool LooksTyped(std::string_view text) {
  for (size_t at = text.find(':'); at != text.npos; at = text.find(':', at + 1)) {
    const std::string_view rest = text.substr(at + 1);
    const size_t line = rest.starts_with("\r\n") ? 2 : 1;
    if (rest.size() <= line || (rest[0] != '\r' && rest[0] != '\n')) continue;
    if (std::string_view(" \t\r\n").find(rest[line]) == rest.npos) return true;
  }
  return false;
}

}  // namespace

size_t UnmarkedPaste(std::string_view bytes) {
  size_t end = 0;
  while (end < bytes.size() &&
         (!IsControl(bytes[end]) || bytes[end] == '\t' || bytes[end] == '\r' || bytes[end] == '\n'))
    ++end;
  const std::string_view text = bytes.substr(0, end);
  // If other keys follow, only whole lines belong to the paste.
  const size_t last = text.find_last_of("\r\n");
  if (end < bytes.size() && last != std::string_view::npos) end = last + 1;
  const size_t first = text.find_first_of("\r\n");
  if (first == std::string_view::npos) return 0;
  const size_t next = text.find_first_not_of("\r\n", first);
  if (next == std::string_view::npos || next >= end) return 0;
  return LooksTyped(text) ? 0 : end;
}

}  // namespace tensh::shell
