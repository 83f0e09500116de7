// Random tensors, built like tf.random_normal and similar functions build them. Initializers use
// them too.
#pragma once

#include "shell/tensorflow/graph/op_call.h"

namespace tensh::shell::tf {

struct RandomSpec {
  Value shape, a, b;  // a, b: mean and standard deviation, or the bounds
  int dtype = TSH_FLOAT;
  Value seed = Value::None();
};

// `op` is RandomStandardNormal or TruncatedNormal.
Out RandomNormal(GraphObject& g, const char* op, std::string_view name, const RandomSpec& spec);
Out RandomUniform(GraphObject& g, std::string_view name, const RandomSpec& spec);

}  // namespace tensh::shell::tf
