#pragma once
// The native part of tf.train.Server; the rest is python/cluster.py.
#include <span>

#include "shell/python/values/ops.h"

namespace tensh::shell::tf {

std::span<const FunctionRow> ServerRows();

}  // namespace tensh::shell::tf
