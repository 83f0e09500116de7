// The text form of protocol buffers, out and in: how print shows a GraphDef, and what .pbtxt files
// hold. Which fields a message has is said by a table; the bytes themselves are the runtime's to
// make and read. Stateless.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tensh::shell::tf {

enum class FieldKind : uint8_t { kInt, kBool, kEnum, kFloat, kDouble, kString, kMessage };
struct MessageSchema;
struct MessageField {
  int number;
  const char* name;
  FieldKind kind;
  const MessageSchema* message = nullptr;
};
struct MessageSchema {
  std::span<const MessageField> fields;
};
const MessageSchema& GraphDefSchema();

// Fields in the order of their numbers, as protocol buffers print.
std::string MessageText(const MessageSchema& schema, std::string_view message);
// The message a text stands for. Fields that the schema does not have are skipped. Throws
// ValueError with line and column where the text is none.
std::string ParseMessageText(const MessageSchema& schema, std::string_view text);

// "DT_FLOAT" of 1, and back; 0: there is no such type.
std::string TypeConstant(int64_t type);
int64_t TypeOfConstant(std::string_view name);

}  // namespace tensh::shell::tf
