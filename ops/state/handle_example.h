#pragma once
// Text for the examples of ops on resource variables. Stateless.
#include <string>
#include <string_view>

#include "runtime/core/strcat.h"

namespace tensh::ops {

// Returns an expression for the handle of a resource variable that a step initializes with `value`
// before it uses the handle.
inline std::string HandleExample(std::string_view value) {
  return StrCat("tf.tuple([(v := tf.Variable(", value,
                ", use_resource=True)).handle], control_inputs=[v.initializer])[0]");
}

}  // namespace tensh::ops
