// Switches between the behavior of TensorFlow 1 and 2.
#include "shell/python/values/error.h"
#include "shell/tensorflow/graph/rows.h"
#include "shell/tensorflow/graph/variable.h"

namespace tensh::shell::tf {
namespace {

Value Nothing(Args&) { return Value::None(); }

Value Resources(Args& a) {
  ResourceByDefault() = a.row().data != nullptr;
  return Value::None();
}

const FunctionRow kRows[] = {
    {"disable_v2_behavior", "", Nothing, "Does nothing: this is TensorFlow 1."},
    {"disable_eager_execution", "", Nothing, "Does nothing: this is TensorFlow 1."},
    {"disable_v2_tensorshape", "", Nothing, "Does nothing: this is TensorFlow 1."},
    {"disable_control_flow_v2", "", Nothing, "Does nothing: this is TensorFlow 1."},
    {"executing_eagerly", "", [](Args&) { return Value::Bool(false); },
     "Returns False, because eager execution is not supported."},
    {"enable_eager_execution", "*args, **kwargs",
     [](Args&) -> Value {
       throw RuntimeError(
           "Eager execution is not part of tensh: it runs graphs, as TensorFlow 1 does.");
     },
     "Not available."},
    {"enable_resource_variables", "", Resources,
     "tf.Variable makes resource variables from now on.", "on"},
    {"disable_resource_variables", "", Resources, "tf.Variable makes reference variables."},
};

}  // namespace

std::span<const FunctionRow> BehaviorRows() { return kRows; }

}  // namespace tensh::shell::tf
