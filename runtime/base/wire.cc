#include "runtime/base/wire.h"

namespace tensh {

void AppendVarint(std::string& out, uint64_t v) {
  while (v >= 0x80) {
    out += static_cast<char>(v | 0x80);
    v >>= 7;
  }
  out += static_cast<char>(v);
}

bool TakeVarint(std::string_view& in, uint64_t& v) {
  v = 0;
  for (size_t i = 0; i < in.size() && i < 10; ++i) {
    const uint64_t byte = static_cast<unsigned char>(in[i]);
    v |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      in.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

void AppendFixed32(std::string& out, uint32_t v) {
  for (int i = 0; i < 4; ++i) out += static_cast<char>(v >> (8 * i));
}

void AppendFixed64(std::string& out, uint64_t v) {
  for (int i = 0; i < 8; ++i) out += static_cast<char>(v >> (8 * i));
}

uint32_t LoadFixed32(const char* p) {
  uint32_t v = 0;
  for (int i = 0; i < 4; ++i) v |= uint32_t{static_cast<unsigned char>(p[i])} << (8 * i);
  return v;
}

uint64_t LoadFixed64(const char* p) { return LoadFixed32(p) | uint64_t{LoadFixed32(p + 4)} << 32; }

void WireWriter::Float(int field, float v) {
  if (v != 0) AlwaysFloat(field, v);
}

void WireWriter::AlwaysFloat(int field, float v) {
  uint32_t bits;
  std::memcpy(&bits, &v, sizeof bits);
  Fixed32(field, bits);
}

void WireWriter::AlwaysDouble(int field, double v) {
  uint64_t bits;
  std::memcpy(&bits, &v, sizeof bits);
  Tag(field, 1);
  AppendFixed64(out_, bits);
}

void WireWriter::Fixed32(int field, uint32_t v) {
  Tag(field, 5);
  AppendFixed32(out_, v);
}

void WireWriter::AlwaysBytes(int field, std::string_view v) {
  BytesHead(field, v.size());
  out_ += v;
}

void WireWriter::BytesHead(int field, size_t size) {
  Tag(field, 2);
  AppendVarint(out_, size);
}

bool WireReader::Next() {
  if (!ok_ || in_.empty()) return false;
  uint64_t tag;
  ok_ = TakeVarint(in_, tag);
  if (!ok_) return false;
  field_ = static_cast<int>(tag >> 3 & 0x1fffffff);
  type_ = static_cast<int>(tag & 7);
  if (type_ == 0) return ok_ = TakeVarint(in_, number_);
  if (type_ == 1 || type_ == 5) {
    const size_t size = type_ == 1 ? 8 : 4;
    if (in_.size() < size) return ok_ = false;
    number_ = type_ == 1 ? LoadFixed64(in_.data()) : LoadFixed32(in_.data());
    in_.remove_prefix(size);
    return true;
  }
  if (type_ != 2 || !TakeVarint(in_, number_) || number_ > in_.size()) return ok_ = false;
  bytes_ = in_.substr(0, number_);
  in_.remove_prefix(number_);
  return true;
}

float WireReader::as_float() const {
  const uint32_t bits = fixed32();
  float v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

double WireReader::as_double() const {
  const uint64_t bits = fixed64();
  double v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

}  // namespace tensh
