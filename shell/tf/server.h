#pragma once
// The part of tf.train.Server that is not Python (python/cluster.py is the rest).
#include <span>

#include "shell/values/ops.h"

namespace tensh::shell::tf {

std::span<const FunctionRow> ServerRows();

}  // namespace tensh::shell::tf
