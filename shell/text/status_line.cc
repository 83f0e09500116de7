#include "shell/text/status_line.h"

#include <unistd.h>

#include <cstdio>
#include <mutex>
#include <string>
#include <utility>

#include "shell/text/write_all.h"

namespace tensh::shell::status_line {
namespace {

struct Line {
  std::mutex mutex;
  bool enabled = false, drawn = false;
  bool within = false;  // the last output did not end a line
  int held = 0;
  // Of the picture, if there is one.
  std::string erase;
  bool removed = false;
  void (*on_removed)() = nullptr;
};

// Never destroyed: threads of steps may print while the process ends.
Line& TheLine() {
  static Line* line = new Line;
  return *line;
}

void EraseLocked(Line& line) {
  if (std::exchange(line.drawn, false)) WriteAll(STDERR_FILENO, "\r\033[K");
}

// The kernels of tf.print write to the streams of C.
ssize_t WriteCookie(void* cookie, const char* data, size_t size) {
  const int fd = cookie == nullptr ? STDOUT_FILENO : STDERR_FILENO;
  return Write(fd, {data, size}) == 0 ? static_cast<ssize_t>(size) : 0;
}

FILE* Stream(void* cookie) {
  FILE* stream = ::fopencookie(
      cookie, "w", {.read = nullptr, .write = WriteCookie, .seek = nullptr, .close = nullptr});
  if (stream != nullptr) std::setvbuf(stream, nullptr, _IOLBF, BUFSIZ);
  return stream;
}

}  // namespace

void Enable() {
  Line& line = TheLine();
  {
    const std::lock_guard<std::mutex> lock(line.mutex);
    if (std::exchange(line.enabled, true)) return;
  }
  if (FILE* stream = Stream(nullptr)) stdout = stream;
  if (FILE* stream = Stream(&line)) stderr = stream;
}

void Draw(std::string_view text) {
  Line& line = TheLine();
  const std::lock_guard<std::mutex> lock(line.mutex);
  if (!line.enabled || line.held > 0 || line.within) return;
  if (::tcgetpgrp(STDERR_FILENO) != ::getpgrp()) return;
  // Moves the cursor back, so that output of others begins at the left.
  WriteAll(STDERR_FILENO, "\r" + std::string(text) + "\033[K\r");
  line.drawn = true;
}

void Erase() {
  const std::lock_guard<std::mutex> lock(TheLine().mutex);
  EraseLocked(TheLine());
}

int Write(int fd, std::string_view text) {
  Line& line = TheLine();
  const std::lock_guard<std::mutex> lock(line.mutex);
  const bool seen = !text.empty() && ::isatty(fd) != 0;
  if (line.enabled && seen) {
    EraseLocked(line);
    line.within = text.back() != '\n';
  }
  if (!seen || line.erase.empty()) return WriteAll(fd, text);
  WriteAll(STDOUT_FILENO, std::exchange(line.erase, ""));
  line.removed = true;
  const int error = WriteAll(fd, text);
  if (text.back() != '\n') WriteAll(fd, "\n");  // The new picture begins at the left.
  line.on_removed();
  return error;
}

Held::Held() {
  const std::lock_guard<std::mutex> lock(TheLine().mutex);
  ++TheLine().held;
  EraseLocked(TheLine());
}

Held::~Held() {
  const std::lock_guard<std::mutex> lock(TheLine().mutex);
  --TheLine().held;
  TheLine().within = false;
}

Picture::Picture(void (*removed)()) {
  const std::lock_guard<std::mutex> lock(TheLine().mutex);
  TheLine().on_removed = removed;
  TheLine().removed = false;
}

Picture::~Picture() {
  const std::lock_guard<std::mutex> lock(TheLine().mutex);
  TheLine().erase.clear();
}

bool Picture::Change(std::string_view change, std::string erase) {
  Line& line = TheLine();
  const std::lock_guard<std::mutex> lock(line.mutex);
  if (std::exchange(line.removed, false)) return false;
  WriteAll(STDOUT_FILENO, change);
  line.erase = std::move(erase);
  return true;
}

}  // namespace tensh::shell::status_line
