// Tensors as messages: tf.make_tensor_proto and tf.make_ndarray. Stateless. Threads: the
// interpreter's.
#pragma once

#include <span>

#include "shell/python/values/native.h"

namespace tensh::shell::tf {

std::span<const FunctionRow> TensorProtoRows();

}  // namespace tensh::shell::tf
