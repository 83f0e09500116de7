// Reading and writing fields of protocol-buffer messages, for the few messages that the shell
// handles itself: the parts around a graph in a .meta file. Stateless; a reader borrows its input.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace tensh::shell::tf {

class MessageOut {
 public:
  void Int(int field, int64_t v) {
    Tag(field, 0);
    Varint(static_cast<uint64_t>(v));
  }
  void Float(int field, float v) {
    uint32_t bits;
    std::memcpy(&bits, &v, sizeof bits);
    Tag(field, 5);
    for (int i = 0; i < 4; ++i) text_ += static_cast<char>(bits >> (8 * i));
  }
  void Double(int field, double v) {
    uint64_t bits;
    std::memcpy(&bits, &v, sizeof bits);
    Tag(field, 1);
    for (int i = 0; i < 8; ++i) text_ += static_cast<char>(bits >> (8 * i));
  }
  void Bytes(int field, std::string_view v) {
    Tag(field, 2);
    Varint(v.size());
    text_ += v;
  }
  const std::string& text() const { return text_; }

 private:
  void Tag(int field, int type) { Varint(static_cast<uint64_t>(field) << 3 | type); }
  void Varint(uint64_t v) {
    for (; v >= 0x80; v >>= 7) text_ += static_cast<char>(v | 0x80);
    text_ += static_cast<char>(v);
  }
  std::string text_;
};

class MessageIn {
 public:
  explicit MessageIn(std::string_view in) : in_(in) {}
  // Moves to the next field. Returns false at the end, or if the input is not a message; then ok()
  // is false.
  bool Next() {
    uint64_t tag;
    if (in_.empty() || !ok_) return false;
    if (!Varint(tag)) return ok_ = false;
    field_ = static_cast<int>(tag >> 3 & 0x1fffffff);
    type_ = static_cast<int>(tag & 7);
    bytes_ = {};
    if (type_ == 0) return ok_ = Varint(number_);
    size_t size = type_ == 1 ? 8 : type_ == 5 ? 4 : 0;
    if (type_ == 2) {
      if (!Varint(number_) || number_ > in_.size()) return ok_ = false;
      size = static_cast<size_t>(number_);
    }
    if ((type_ != 2 && size == 0) || size > in_.size()) return ok_ = false;
    bytes_ = in_.substr(0, size);
    in_.remove_prefix(size);
    number_ = 0;
    for (size_t i = 0; type_ != 2 && i < size; ++i)
      number_ |= uint64_t{static_cast<unsigned char>(bytes_[i])} << (8 * i);
    return true;
  }
  bool ok() const { return ok_; }
  int field() const { return field_; }
  int type() const { return type_; }  // wire type: 0 varint, 1 fixed64, 2 bytes, 5 fixed32
  uint64_t number() const { return number_; }
  int64_t integer() const { return static_cast<int64_t>(number_); }
  float as_float() const {
    const auto bits = static_cast<uint32_t>(number_);
    float v;
    std::memcpy(&v, &bits, sizeof v);
    return v;
  }
  double as_double() const {
    double v;
    std::memcpy(&v, &number_, sizeof v);
    return v;
  }
  std::string_view bytes() const { return bytes_; }
  std::string text() const { return std::string(bytes_); }

 private:
  bool Varint(uint64_t& v) {
    v = 0;
    for (size_t i = 0; i < in_.size() && i < 10; ++i) {
      const uint64_t byte = static_cast<unsigned char>(in_[i]);
      v |= (byte & 0x7f) << (7 * i);
      if (byte < 0x80) return in_.remove_prefix(i + 1), true;
    }
    return false;
  }
  std::string_view in_, bytes_;
  uint64_t number_ = 0;
  int field_ = 0, type_ = 0;
  bool ok_ = true;
};

}  // namespace tensh::shell::tf
