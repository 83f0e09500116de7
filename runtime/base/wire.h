#pragma once
// Reading and writing of protocol-buffer messages without the library, for the files of TensorFlow
// (checkpoints, events, records, graphs). WireWriter appends fields to a string. WireReader
// iterates over the fields of one message and refers to its input. Not thread-safe.
//
// libprotobuf itself is used only in the plug-in runtime/dist, whose gRPC services are generated
// from a .proto file. Its start-up time and size are too large for the shell and libtensh.so.
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "runtime/base/crc32c.h"

namespace tensh {

void AppendVarint(std::string& out, uint64_t v);
// Removes a varint from the front of `in`. Returns false if there is none.
bool TakeVarint(std::string_view& in, uint64_t& v);
void AppendFixed32(std::string& out, uint32_t v);
void AppendFixed64(std::string& out, uint64_t v);
uint32_t LoadFixed32(const char* p);
uint64_t LoadFixed64(const char* p);

class WireWriter {
 public:
  // Fields with their default value are omitted as in proto3; the Always… functions write them.
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
  // Writes the field even if it is empty. For messages, and for elements of lists.
  void AlwaysBytes(int field, std::string_view v);
  void BytesHead(int field, size_t size);  // The caller appends the `size` bytes.
  const std::string& text() const { return out_; }
  std::string Take() { return std::move(out_); }

 private:
  void Tag(int field, int type) { AppendVarint(out_, static_cast<uint64_t>(field) << 3 | type); }
  std::string out_;
};

class WireReader {
 public:
  explicit WireReader(std::string_view in) : in_(in) {}
  // Moves to the next field. Returns false at the end, or if the input is not a message; then ok()
  // is false.
  bool Next();
  bool ok() const { return ok_; }
  int field() const { return field_; }
  int type() const { return type_; }  // 0 varint, 1 fixed64, 2 bytes, 5 fixed32
  bool is_bytes() const { return type_ == 2; }
  // The value of the current field; zero or empty if it has another wire type.
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
