// The Python classes of messages: tf.GraphDef, tf.NodeDef, tf.AttrValue.ListValue. Each is made from
// its schema when it is first used, and lives as long as the process. Threads: the interpreter's.
#pragma once

#include <string>
#include <string_view>

#include "shell/python/values/error.h"
#include "shell/python/values/type.h"
#include "shell/tensorflow/io/message_schema.h"

namespace tensh::shell::tf {

const TypeInfo& MessageType(const MessageSchema& schema);
inline Value MessageClass(const MessageSchema& schema) { return TypeValue(MessageType(schema)); }
// Returns the class as errors show it: "<class 'tensorflow.core.framework.node_def_pb2.NodeDef'>".
std::string MessageClassText(const MessageSchema& schema);
std::string FullName(const MessageSchema& schema);  // "tensorflow.NodeDef"

// Sets the fields of a new message from a dict.
void InitMessage(const Value& message, const Value& fields);
// Returns an argument of a constructor as a message: it may be a message or a dict of its fields.
Value MessageFrom(const MessageSchema& schema, const Value& value);

PyError DecodeError(const MessageSchema& schema, std::string_view what);

}  // namespace tensh::shell::tf
