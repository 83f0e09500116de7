#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "shell/edit/keys.h"

namespace tensh::shell {
namespace {

// Time to wait for the rest of a sequence; otherwise the key is Esc.
constexpr int kEscapeWaitMs = 25;
// The time to wait for the next part of a paste, from a terminal that does not mark pastes.
constexpr int kPasteWaitMs = 25;
constexpr size_t kMostPasted = size_t{1} << 30;

}  // namespace

// A signal between the check and the wait would be missed, so the check is repeated periodically.
KeyReader::Got KeyReader::Wait(int wait_ms) {
  constexpr int kLookAgainMs = 200;
  for (;;) {
    if (interrupted_()) return Got::kInterrupted;
    pollfd fds[2] = {{fd_, POLLIN, 0}, {woken_, POLLIN, 0}};
    const int ready = ::poll(fds, woken_ < 0 ? 1 : 2, wait_ms < 0 ? kLookAgainMs : wait_ms);
    if (ready < 0) {
      if (errno == EINTR && !interrupted_()) continue;
      return errno == EINTR ? Got::kInterrupted : Got::kClosed;
    }
    if (ready > 0 && fds[0].revents != 0) return Got::kBytes;
    if (ready > 0) return Got::kWoken;
    if (wait_ms >= 0) return Got::kNothing;
    if (idle_ && decoder_.empty()) idle_();
  }
}

KeyReader::Got KeyReader::Read(int wait_ms) {
  const Got got = Wait(wait_ms);
  if (got == Got::kWoken) {
    char drain[64];
    while (::read(woken_, drain, sizeof(drain)) > 0) {
    }
  }
  if (got != Got::kBytes) return got;
  if (interrupted_()) return Got::kInterrupted;  // the bytes were typed after Ctrl-C
  char buffer[65536];
  const ssize_t n = ::read(fd_, buffer, sizeof(buffer));
  if (n < 0 && errno == EINTR) return Got::kInterrupted;
  if (n <= 0) return Got::kClosed;
  std::string bytes(buffer, static_cast<size_t>(n));
  if (pending_) {
    // Linux returns a Ctrl-D that was typed in line mode as a NUL.
    for (char& byte : bytes)
      if (byte == '\0') byte = 0x04;
    pending_ = false;
    decoder_.Feed(bytes);
  } else if (decoder_.empty() && !decoder_.pasting() && UnmarkedPaste(bytes) > 0) {
    TakeUnmarkedPaste(std::move(bytes));
  } else {
    decoder_.Feed(bytes);
  }
  return Got::kBytes;
}

// Collects the parts of a paste that arrive at once.
void KeyReader::TakeUnmarkedPaste(std::string bytes) {
  size_t pasted = UnmarkedPaste(bytes);
  while (pasted == bytes.size() && pasted < kMostPasted && Wait(kPasteWaitMs) == Got::kBytes) {
    char buffer[65536];
    const ssize_t n = ::read(fd_, buffer, sizeof(buffer));
    if (n <= 0) break;
    bytes.append(buffer, static_cast<size_t>(n));
    pasted = UnmarkedPaste(bytes);
  }
  ready_ = KeyPress{Key::kPaste, bytes.substr(0, pasted)};
  decoder_.Feed(std::string_view(bytes).substr(pasted));
}

void KeyReader::Begin(bool vi, int woken) {
  woken_ = woken;
  pollfd poll_fd{fd_, POLLIN, 0};
  pending_ = !more() && ::poll(&poll_fd, 1, 0) > 0;
  decoder_.set_vi(vi);
}

KeyPress KeyReader::Next() {
  for (;;) {
    if (interrupted_()) {
      // Like the terminal, discards the input before Ctrl-C. The input after it has not been read
      // yet.
      decoder_.Discard();
      ready_.reset();
      return {Key::kInterrupted};
    }
    if (ready_) return *std::exchange(ready_, std::nullopt);
    if (auto press = decoder_.Next(false)) return *press;
    // The rest of a sequence arrives at once, but the end of a paste may take long.
    const bool partial = !decoder_.empty() && !decoder_.pasting();
    switch (Read(partial ? kEscapeWaitMs : -1)) {
      case Got::kInterrupted:
        // The terminal has discarded the input before Ctrl-C, so the rest of a paste or of a
        // sequence will not arrive.
        decoder_.Discard();
        return {Key::kInterrupted};
      case Got::kWoken:
        return {Key::kScreenChanged};
      case Got::kNothing:
        if (auto press = decoder_.Next(true)) return *press;
        break;
      case Got::kClosed:
        if (auto press = decoder_.Next(true)) return *press;
        return {Key::kClosed};
      case Got::kBytes:
        break;
    }
  }
}

}  // namespace tensh::shell
