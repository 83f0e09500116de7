// tf.errors: one exception class a status code, as TensorFlow names them.
#pragma once

#include "shell/client.h"
#include "shell/values/error.h"

namespace tensh::shell::tf {

extern const TypeInfo kOpError;
const TypeInfo& ErrorTypeOf(int code);  // 1-16; others: UnknownError
PyError ErrorFromStatus(const ClientError& error);
// What building a graph raises: ValueError for a bad argument, LookupError for a missing gradient.
PyError BuildErrorFromStatus(const ClientError& error);
PyError OperatorNotAllowed(std::string message);  // a TypeError of its own name
const ModuleDef& ErrorsModule();

}  // namespace tensh::shell::tf
