// Writes a message from its end to its beginning. The length of a message that contains others is
// thus known when it is written, so that each byte is copied once, however deep it is nested.
// WireWriter (runtime/base/wire.h) copies a nested message once for each level.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "runtime/base/wire.h"

namespace tensh::shell::tf {

class ReverseWriter {
 public:
  size_t size() const { return buffer_.size() - begin_; }

  // Each function writes in front of what was written before.
  void Raw(std::string_view bytes) {
    if (bytes.empty()) return;  // its address may be null, which memcpy forbids
    if (bytes.size() > begin_) Grow(bytes.size());
    begin_ -= bytes.size();
    std::memcpy(buffer_.data() + begin_, bytes.data(), bytes.size());
  }
  // The tag and the length of a field whose value are the last `size` bytes written.
  void Head(int field, size_t size) {
    constexpr uint64_t kLengthDelimited = 2;
    std::string head;
    AppendVarint(head, static_cast<uint64_t>(field) << 3 | kLengthDelimited);
    AppendVarint(head, size);
    Raw(head);
  }
  void Bytes(int field, std::string_view value) {
    Raw(value);
    Head(field, value.size());
  }

  std::string Take() {
    buffer_.erase(0, begin_);
    begin_ = 0;
    return std::move(buffer_);
  }

 private:
  void Grow(size_t needed) {
    constexpr size_t kLarge = size_t{64} << 20, kLeast = 256;
    const size_t used = size() + needed;
    const size_t spare = std::max(kLeast, used < kLarge ? used : used / 8);
    std::string grown(used + spare, '\0');
    const size_t begin = grown.size() - size();
    std::memcpy(grown.data() + begin, buffer_.data() + begin_, size());
    buffer_ = std::move(grown);
    begin_ = begin;
  }

  std::string buffer_;
  size_t begin_ = 0;  // The index of the first written byte.
};

}  // namespace tensh::shell::tf
