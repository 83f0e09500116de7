#include "shell/edit/line_reader.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace tensh::shell {

bool LineReader::TakeLine(std::string* line) {
  const size_t end = ahead_.find('\n', at_);
  if (end == std::string::npos) return false;
  line->assign(ahead_, at_, end - at_);
  at_ = end + 1;
  if (at_ == ahead_.size()) {
    ahead_.clear();
    at_ = 0;
  }
  return true;
}

// A signal between the check and the wait would be missed, so the check is repeated periodically.
bool LineReader::Wait() const {
  constexpr int kLookAgainMs = 200;
  if (!interrupted_) return true;
  pollfd in{fd_, POLLIN, 0};
  while (!interrupted_()) {
    const int ready = ::poll(&in, 1, kLookAgainMs);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
  }
  return false;
}

ReadEnd LineReader::Read(std::string_view prompt, std::string* line) {
  if (::write(STDOUT_FILENO, prompt.data(), prompt.size()) < 0) return ReadEnd::kEof;
  while (!TakeLine(line)) {
    char buffer[65536];
    const bool ready = Wait();
    const ssize_t n = ready ? ::read(fd_, buffer, sizeof(buffer)) : -1;
    if (!ready || (n < 0 && errno == EINTR)) {
      ahead_.clear();
      at_ = 0;
      return ReadEnd::kInterrupted;
    }
    if (n <= 0) {
      if (ahead_.size() == at_) return ReadEnd::kEof;
      ahead_ += '\n';  // The last line had no newline.
      continue;
    }
    ahead_.append(buffer, static_cast<size_t>(n));
  }
  if (!line->empty() && line->back() == '\r') line->pop_back();
  return ReadEnd::kLine;
}

bool ReadAll(int fd, size_t limit, std::string* text) {
  size_t used = 0;
  text->resize(65536);
  while (true) {
    const ssize_t n = ::read(fd, text->data() + used, text->size() - used);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      text->resize(used);
      return n == 0;
    }
    used += static_cast<size_t>(n);
    if (used > limit) {
      errno = EFBIG;
      return false;
    }
    if (used == text->size()) text->resize(text->size() * 2);
  }
}

}  // namespace tensh::shell
