#include "ops/formats/snappy.h"

#include "runtime/base/wire.h"

namespace tensh::ops {
namespace {

// An element of at most 3 bytes yields at most 64, so that a longer result is impossible.
constexpr uint64_t kMostGrowth = 32;

Status Damaged() { return DataLoss("a compressed block is damaged"); }

// Removes a little-endian number of `bytes` bytes from the front. Returns false if the input ends.
bool TakeNumber(std::string_view& in, size_t bytes, size_t& v) {
  if (in.size() < bytes) return false;
  v = 0;
  for (size_t i = 0; i < bytes; ++i)
    v |= static_cast<size_t>(static_cast<unsigned char>(in[i])) << (8 * i);
  in.remove_prefix(bytes);
  return true;
}

// Appends the literal bytes of an element. `length` is the number in its tag.
bool AppendLiteral(std::string_view& in, size_t length, std::string& out) {
  constexpr size_t kLongest = 60;  // larger numbers say how many bytes the length has
  if (length >= kLongest && !TakeNumber(in, length - kLongest + 1, length)) return false;
  ++length;
  if (length > in.size()) return false;
  out += in.substr(0, length);
  in.remove_prefix(length);
  return true;
}

// Appends `length` bytes that begin `offset` before the end. The two ranges may overlap.
bool AppendCopy(size_t offset, size_t length, std::string& out) {
  if (offset == 0 || offset > out.size()) return false;
  for (size_t i = 0; i < length; ++i) out += out[out.size() - offset];
  return true;
}

bool AppendElement(std::string_view& in, std::string& out) {
  const auto tag = static_cast<unsigned char>(in[0]);
  in.remove_prefix(1);
  size_t offset = 0;
  switch (tag & 3) {
    case 0:
      return AppendLiteral(in, tag >> 2, out);
    case 1:
      return TakeNumber(in, 1, offset) &&
             AppendCopy(offset | static_cast<size_t>(tag >> 5) << 8, ((tag >> 2) & 7) + 4, out);
    case 2:
      return TakeNumber(in, 2, offset) && AppendCopy(offset, (tag >> 2) + 1, out);
    default:
      return TakeNumber(in, 4, offset) && AppendCopy(offset, (tag >> 2) + 1, out);
  }
}

}  // namespace

Result<std::string> DecodeSnappy(std::string_view in) {
  uint64_t size = 0;
  if (!TakeVarint(in, size) || size > kMostGrowth * in.size()) return Damaged();
  std::string out;
  out.reserve(size);
  while (!in.empty())
    if (!AppendElement(in, out) || out.size() > size) return Damaged();
  if (out.size() != size) return Damaged();
  return out;
}

}  // namespace tensh::ops
