#pragma once
// Protocol-buffer messages by hand: the few that files of TensorFlow hold (checkpoints, events,
// records, graphs). WireWriter appends fields to a string, WireReader walks over the fields of one
// message. Stateless otherwise; a reader views its input.
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace tensh {

void AppendVarint(std::string& out, uint64_t v);
// Takes a varint off the front of `in`; false when there is none.
bool TakeVarint(std::string_view& in, uint64_t& v);
void AppendFixed32(std::string& out, uint32_t v);
void AppendFixed64(std::string& out, uint64_t v);
uint32_t LoadFixed32(const char* p);
uint64_t LoadFixed64(const char* p);

// The checksum of checkpoints and records: CRC-32C, continued from `crc`, and rotated so that a
// checksum of data that holds checksums is not weak.
uint32_t Crc32c(std::string_view data, uint32_t crc = 0);
inline uint32_t MaskCrc(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }
inline uint32_t MaskedCrc32c(std::string_view data) { return MaskCrc(Crc32c(data)); }

class WireWriter {
 public:
  // Fields that have their default value are left out, as proto3 does; Always* keeps them.
  void Int(int field, int64_t v) {
    if (v) AlwaysInt(field, v);
  }
  void AlwaysInt(int field, int64_t v) {
    Tag(field, 0);
    AppendVarint(out_, static_cast<uint64_t>(v));
  }
  void Bool(int field, bool v) { Int(field, v ? 1 : 0); }
  void Float(int field, float v);
  void AlwaysFloat(int field, float v);
  void AlwaysDouble(int field, double v);
  void Fixed32(int field, uint32_t v);
  void Bytes(int field, std::string_view v) {
    if (!v.empty()) AlwaysBytes(field, v);
  }
  void AlwaysBytes(int field, std::string_view v);  // also a message, an element of a list
  void BytesHead(int field, size_t size);           // the caller puts `size` bytes behind it
  const std::string& text() const { return out_; }
  std::string Take() { return std::move(out_); }

 private:
  void Tag(int field, int type) { AppendVarint(out_, static_cast<uint64_t>(field) << 3 | type); }
  std::string out_;
};

class WireReader {
 public:
  explicit WireReader(std::string_view in) : in_(in) {}
  // Moves to the next field; false at the end, or where the input is no message (then !ok()).
  bool Next();
  bool ok() const { return ok_; }
  int field() const { return field_; }
  bool is_bytes() const { return type_ == 2; }
  // Of the current field; zero or empty when it is of another kind.
  uint64_t varint() const { return type_ == 0 ? number_ : 0; }
  int64_t integer() const { return static_cast<int64_t>(varint()); }
  uint32_t fixed32() const { return type_ == 5 ? static_cast<uint32_t>(number_) : 0; }
  uint64_t fixed64() const { return type_ == 1 ? number_ : 0; }
  float as_float() const;
  double as_double() const;
  std::string_view bytes() const { return type_ == 2 ? bytes_ : std::string_view(); }
  std::string text() const { return std::string(bytes()); }

 private:
  std::string_view in_, bytes_;
  uint64_t number_ = 0;
  int field_ = 0, type_ = 0;
  bool ok_ = true;
};

}  // namespace tensh
