#include "ops/formats/slice_key.h"

#include "runtime/base/wire.h"

namespace tensh::ops {
namespace {

// Numbers and texts are encoded so that the order of the bytes is their order.

void AppendNumber(std::string& key, uint64_t v) {
  std::string bytes;
  for (; v; v >>= 8) bytes.insert(bytes.begin(), static_cast<char>(v & 0xff));
  key += static_cast<char>(bytes.size());
  key += bytes;
}

void AppendText(std::string& key, const std::string& text) {
  for (char c : text) {
    key += c;
    if (c == '\0') key += '\xff';
    if (c == '\xff') key += '\0';
  }
  key += std::string("\0\1", 2);
}

// The number of leading ones in the first byte (zeros if v is negative) is the number of bytes.
void AppendSigned(std::string& key, int64_t v) {
  const uint64_t x = static_cast<uint64_t>(v < 0 ? ~v : v);
  if (x < 64) {
    key += static_cast<char>(0x80 ^ static_cast<int>(v));
    return;
  }
  int length = 2;
  while (length < 10 && (x >> (7 * length - 1)) != 0) ++length;
  std::string bytes(10, v < 0 ? '\xff' : '\0');
  for (int i = 0; i < 8; ++i)
    bytes[static_cast<size_t>(9 - i)] = static_cast<char>(static_cast<uint64_t>(v) >> (8 * i));
  bytes = bytes.substr(static_cast<size_t>(10 - length));
  const int ones = length;  // number of header bits, from the top
  bytes[0] = static_cast<char>(bytes[0] ^ (ones >= 8 ? 0xff : 0xff << (8 - ones)));
  if (ones > 8) bytes[1] = static_cast<char>(bytes[1] ^ (0xff << (16 - ones)));
  key += bytes;
}

}  // namespace

std::string SliceKey(const std::string& name, const SliceParts& parts) {
  std::string key;
  AppendNumber(key, 0);
  AppendText(key, name);
  AppendNumber(key, parts.size());
  for (const auto& [start, length] : parts) {
    AppendSigned(key, start);
    AppendSigned(key, length);
  }
  return key;
}

std::string EncodeSlice(const SliceParts& parts) {
  WireWriter out;
  for (const auto& [start, length] : parts) {
    WireWriter extent;
    if (length >= 0) {
      extent.Int(1, start);
      extent.AlwaysInt(2, length);
    }
    out.AlwaysBytes(1, extent.text());
  }
  return out.Take();
}

SliceParts DecodeSlice(std::string_view text) {
  SliceParts parts;
  WireReader in(text);
  while (in.Next()) {
    if (in.field() != 1) continue;
    std::pair<int64_t, int64_t> part{0, -1};
    WireReader extent(in.bytes());
    while (extent.Next()) {
      if (extent.field() == 1) part.first = extent.integer();
      if (extent.field() == 2) part.second = extent.integer();
    }
    parts.push_back(part);
  }
  return parts;
}

bool LocateSlice(const SliceParts& parts, const Shape& whole, Shape* size,
                 std::vector<int64_t>* start) {
  if (static_cast<int>(parts.size()) != whole.rank()) return false;
  for (int d = 0; d < whole.rank(); ++d) {
    const auto& [begin, given] = parts[static_cast<size_t>(d)];
    const int64_t length = given < 0 ? whole[d] : given;
    if (begin < 0 || begin > whole[d] || length > whole[d] - begin) return false;
    size->Append(length);
    start->push_back(begin);
  }
  return true;
}

}  // namespace tensh::ops
