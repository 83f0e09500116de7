// Encoding and decoding of the .npy and .npz formats. Throws ValueError if the bytes do not follow
// the format. Zip members may be stored or deflated. The elements of an array that is not compressed
// are read from a file straight into the array. The functions on arrays need the interpreter's lock;
// the others are thread-safe.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shell/numpy/array.h"

namespace tensh::shell::np {

// Bytes by position: a text, which it does not own, or a file, which it owns. Reading throws
// ValueError if a range is not within the bytes.
class ByteSource {
 public:
  explicit ByteSource(std::string_view text) : text_(text), size_(text.size()) {}
  ByteSource(std::FILE* file, uint64_t size) : file_(file), size_(size) {}
  ~ByteSource() {
    if (file_) std::fclose(file_);
  }
  ByteSource(const ByteSource&) = delete;
  uint64_t size() const { return size_; }
  void Read(uint64_t at, uint64_t n, void* to) const;
  std::string Bytes(uint64_t at, uint64_t n) const;
  uint64_t Little(uint64_t at, size_t width) const;  // a little-endian number

 private:
  std::FILE* file_ = nullptr;
  std::string_view text_;
  const uint64_t size_;
};

std::string EncodeNpy(const Array& a);
Array DecodeNpy(std::string_view bytes);
// Reads the .npy file in the bytes [begin, end).
Array ReadNpy(const ByteSource& source, uint64_t begin, uint64_t end);

using Members = std::vector<std::pair<std::string, std::string>>;  // (name, bytes)
std::string EncodeZip(const Members& members, bool compress);
Members DecodeZip(std::string_view bytes);

// A member of a zip archive.
struct ZipMember {
  std::string name;
  bool deflated;
  uint32_t crc;
  uint64_t begin, packed, size;  // where its bytes are, and how many before and after unpacking
};
std::vector<ZipMember> ReadZipDirectory(const ByteSource& source);
// Reads a member that is an .npy file. ReadZipShape returns only the dtype and the shape, or false if
// the member must be unpacked for them.
Array ReadZipArray(const ByteSource& source, const ZipMember& member);
bool ReadZipShape(const ByteSource& source, const ZipMember& member, int* dtype, Extents* dims);

}  // namespace tensh::shell::np
