#include "shell/edit/keys.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

namespace tensh::shell {
namespace {

constexpr int kEscape = 0x1b;
// Time to wait for the rest of a sequence; otherwise the key is Esc.
constexpr int kEscapeWaitMs = 25;

struct ControlRow {
  int byte;
  Key key;
};
constexpr ControlRow kControls[] = {
    {'\r', Key::kEnter},       {'\n', Key::kEnter},     {'\t', Key::kTab},
    {0x7f, Key::kBackspace},   {0x08, Key::kBackspace}, {0x01, Key::kHome},
    {0x02, Key::kLeft},        {0x04, Key::kEof},       {0x05, Key::kEnd},
    {0x06, Key::kRight},       {0x0b, Key::kKillToEnd}, {0x0c, Key::kClear},
    {0x0e, Key::kDown},        {0x10, Key::kUp},        {0x15, Key::kKillToStart},
    {0x12, Key::kSearch},      {0x17, Key::kKillWord},  {0x19, Key::kYank},
    {0x03, Key::kInterrupted},
};

// An escape sequence: the text between "ESC [" (or "ESC O") and the end, including the last byte.
struct SequenceRow {
  const char* text;
  Key key;
};
constexpr SequenceRow kSequences[] = {
    {"A", Key::kUp},          {"B", Key::kDown},         {"C", Key::kRight},
    {"D", Key::kLeft},        {"H", Key::kHome},         {"F", Key::kEnd},
    {"1~", Key::kHome},       {"7~", Key::kHome},        {"4~", Key::kEnd},
    {"8~", Key::kEnd},        {"3~", Key::kDelete},      {"1;5C", Key::kWordRight},
    {"1;5D", Key::kWordLeft}, {"1;3C", Key::kWordRight}, {"1;3D", Key::kWordLeft},
};

constexpr std::string_view kPasteBegins = "200~", kPasteEnds = "201~";

size_t LengthOf(unsigned char lead) {
  return lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
}

}  // namespace

// A signal between the check and the wait would be missed, so the check is repeated periodically.
bool KeyReader::Wait() {
  constexpr int kLookAgainMs = 200;
  for (;;) {
    if (interrupted_()) return false;
    pollfd poll_fd{fd_, POLLIN, 0};
    const int ready = ::poll(&poll_fd, 1, kLookAgainMs);
    if (ready > 0) return true;
    if (ready < 0) return errno != EINTR;
  }
}

int KeyReader::Byte(int wait_ms) {
  if (at_ < ahead_.size()) return static_cast<unsigned char>(ahead_[at_++]);
  if (wait_ms >= 0) {
    pollfd poll_fd{fd_, POLLIN, 0};
    if (::poll(&poll_fd, 1, wait_ms) <= 0) return -1;
  }
  if (wait_ms < 0 && !Wait()) {
    failure_ = Key::kInterrupted;
    return -1;
  }
  char buffer[4096];
  const ssize_t n = ::read(fd_, buffer, sizeof(buffer));
  if (n <= 0) {
    failure_ = n < 0 && errno == EINTR ? Key::kInterrupted : Key::kClosed;
    return -1;
  }
  ahead_.assign(buffer, static_cast<size_t>(n));
  at_ = 1;
  typed_before_ = std::exchange(pending_, false);
  return static_cast<unsigned char>(ahead_[0]);
}

void KeyReader::Begin() {
  pollfd poll_fd{fd_, POLLIN, 0};
  pending_ = !more() && ::poll(&poll_fd, 1, 0) > 0;
}

Key KeyReader::Next(std::string* text) {
  text->clear();
  const int byte = Byte(-1);
  if (byte < 0) {
    pasting_ = false;  // The end of the paste will not arrive.
    return failure_;
  }
  if (byte == kEscape) return Escape();
  // Linux returns a Ctrl-D that was typed in line mode as a NUL.
  if (byte == 0 && typed_before_) return Key::kEof;
  for (const ControlRow& row : kControls) {
    if (row.byte == byte) return row.key;
  }
  if (byte < 0x20) return Key::kUnknown;
  text->push_back(static_cast<char>(byte));
  for (size_t left = LengthOf(static_cast<unsigned char>(byte)); left > 1; --left) {
    const int next = Byte(kEscapeWaitMs);
    if (next < 0) break;
    text->push_back(static_cast<char>(next));
  }
  return Key::kText;
}

Key KeyReader::Escape() {
  const int byte = Byte(kEscapeWaitMs);
  if (byte < 0) return Key::kEscape;
  if (byte == '[' || byte == 'O') return Sequence();
  if (byte == 'b') return Key::kWordLeft;
  if (byte == 'f') return Key::kWordRight;
  if (byte == 0x7f) return Key::kKillWord;
  return Key::kUnknown;
}

Key KeyReader::Sequence() {
  std::string got;
  while (got.size() < 16) {
    const int byte = Byte(kEscapeWaitMs);
    if (byte < 0) return Key::kUnknown;
    got.push_back(static_cast<char>(byte));
    if (byte >= 0x40 && byte <= 0x7e) break;
  }
  if (got == kPasteBegins || got == kPasteEnds) {
    pasting_ = got == kPasteBegins;
    return Key::kUnknown;
  }
  for (const SequenceRow& row : kSequences) {
    if (got == row.text) return row.key;
  }
  return Key::kUnknown;
}

}  // namespace tensh::shell
