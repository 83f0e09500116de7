// tf.errors: one exception class per status code, with TensorFlow's names.
#pragma once

#include "shell/client/client.h"
#include "shell/python/values/error.h"

namespace tensh::shell::tf {

extern const TypeInfo kOpError;
const TypeInfo& ErrorTypeOf(int code);  // for codes 1-16; UnknownError for others
PyError ErrorFromStatus(const ClientError& error);
// Returns the exception for an error in building a graph: ValueError for a bad argument, or
// LookupError for a missing gradient.
PyError BuildErrorFromStatus(const ClientError& error);
PyError OperatorNotAllowed(std::string message);  // a subclass of TypeError
// From now on a failed call of the runtime throws these (client.h).
void RaiseClientErrors();

}  // namespace tensh::shell::tf
