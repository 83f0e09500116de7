// The text form of protocol buffers, in both directions: the printed form of a GraphDef and the
// content of .pbtxt files. The runtime creates and parses the binary form. Stateless.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "shell/tensorflow/io/message_schema.h"

namespace tensh::shell::tf {

// Prints fields in the order of their numbers, like protocol buffers.
enum class TextStyle : uint8_t {
  kAscii,  // with escapes for other characters, as in files
  kUtf8,
  kStr  // str(message): in UTF-8, with short floats
};
std::string MessageText(const MessageSchema& schema, std::string_view message,
                        TextStyle style = TextStyle::kAscii);
// The treatment of fields that the schema does not contain.
enum class UnknownFields : uint8_t { kSkip, kRefuse };
// Parses a text into a message. Throws ValueError with line and column if the text is not valid.
std::string ParseMessageText(const MessageSchema& schema, std::string_view text,
                             UnknownFields unknown = UnknownFields::kSkip);

}  // namespace tensh::shell::tf
