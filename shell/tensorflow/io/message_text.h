// The text form of protocol buffers, in both directions: the printed form of a GraphDef and the
// content of .pbtxt files. A table defines the fields of each message. The runtime creates and
// parses the binary form. Stateless.
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
const MessageSchema& MetaGraphDefSchema();
const MessageSchema& SavedModelSchema();

// Prints fields in the order of their numbers, like protocol buffers.
std::string MessageText(const MessageSchema& schema, std::string_view message);
// Parses a text into a message. Skips fields that the schema does not contain. Throws ValueError
// with line and column if the text is not valid.
std::string ParseMessageText(const MessageSchema& schema, std::string_view text);

// "DT_FLOAT" for 1, and the reverse. TypeOfConstant returns 0 for an unknown name.
std::string TypeConstant(int64_t type);
int64_t TypeOfConstant(std::string_view name);

}  // namespace tensh::shell::tf
