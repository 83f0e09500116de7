// Scalar fields of messages as values of the language: their encoding, and the conversion of values
// that a program stores in them. Error messages are those of google.protobuf. Stateless.
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/wire.h"
#include "shell/python/values/value.h"
#include "shell/tensorflow/io/message_schema.h"
#include "shell/tensorflow/proto/reverse_writer.h"

namespace tensh::shell::tf {

// Returns true if the wire type of the current field is that of one value of this kind.
bool Fits(const MessageField& field, const WireReader& in);
Value ReadScalar(const MessageField& field, const WireReader& in);
// Removes a number from the front of a packed field. Returns null at the end, and if the rest is
// not a number.
Value TakePacked(const MessageField& field, std::string_view* numbers);
void WriteScalar(const MessageField& field, const Value& value, ReverseWriter* out);
void AppendPacked(const MessageField& field, const Value& value, std::string* out);

Value DefaultOf(const MessageField& field);
bool IsDefault(const Value& scalar);
// Throws what an assignment to the field throws for a value of a wrong type.
Value ConvertScalar(const MessageField& field, const Value& value);

// Returns "" if the bytes are a message of the schema, as are the messages in it; otherwise what is
// wrong. The time depends on the number of fields, not on the size of texts and tensors.
std::string WhyInvalid(const MessageSchema& schema, std::string_view message);

}  // namespace tensh::shell::tf
