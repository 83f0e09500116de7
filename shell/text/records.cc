#include "shell/text/records.h"

#include <zlib.h>

#include <charconv>
#include <cstdint>
#include <cstdio>

namespace tensh::shell {
namespace {

constexpr size_t kLongestHead = 1024;

uint32_t Checksum(std::string_view head, std::string_view payload) {
  const auto add = [](uLong sum, std::string_view text) {
    return crc32_z(sum, reinterpret_cast<const Bytef*>(text.data()), text.size());
  };
  return static_cast<uint32_t>(add(add(add(0, head), "\n"), payload));
}

// Removes the last word from a line and parses it. Returns false if it is not a number.
template <class T>
bool TakeLast(std::string_view* line, int base, T* number) {
  const size_t space = line->rfind(' ');
  if (space == std::string_view::npos) return false;
  const std::string_view word = line->substr(space + 1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), *number, base);
  line->remove_suffix(word.size() + 1);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

std::string PackRecord(std::string_view head, std::string_view payload) {
  char tail[48];
  const int size = std::snprintf(tail, sizeof tail, " %zu %08x\n", payload.size(),
                                 static_cast<unsigned>(Checksum(head, payload)));
  std::string text;
  text.reserve(head.size() + static_cast<size_t>(size) + payload.size() + 1);
  text.append(head).append(tail, static_cast<size_t>(size)).append(payload).append("\n");
  return text;
}

bool TakeRecord(std::string_view* text, Record* record) {
  const size_t end = text->substr(0, kLongestHead).find('\n');
  if (end == std::string_view::npos) return false;
  std::string_view line = text->substr(0, end);
  uint32_t sum = 0;
  size_t size = 0;
  if (!TakeLast(&line, 16, &sum) || !TakeLast(&line, 10, &size)) return false;
  const std::string_view rest = text->substr(end + 1);
  if (size >= rest.size() || rest[size] != '\n') return false;
  const std::string_view payload = rest.substr(0, size);
  if (Checksum(line, payload) != sum) return false;
  *record = {line, payload};
  text->remove_prefix(end + 1 + size + 1);
  return true;
}

}  // namespace tensh::shell
