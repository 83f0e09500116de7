// Random tensors as tf.random_normal and its kin build them, for initializers too.
#pragma once

#include "shell/tf/op_call.h"

namespace tensh::shell::tf {

struct RandomSpec {
  Value shape, a, b;  // a, b: mean and deviation, or the bounds
  int dtype = TSH_FLOAT;
  Value seed = Value::None();
};

// `op`: RandomStandardNormal or TruncatedNormal.
Out RandomNormal(GraphObject& g, const char* op, std::string_view name, const RandomSpec& spec);
Out RandomUniform(GraphObject& g, std::string_view name, const RandomSpec& spec);

}  // namespace tensh::shell::tf
