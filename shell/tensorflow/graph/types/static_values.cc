// Queries about a value that need no run: whether it is a tensor, its type, its constant value.
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/arrays.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/rows.h"
#include "shell/tensorflow/graph/variable.h"

namespace tensh::shell::tf {
namespace {

Value IsTensor(Args& a) {
  return Value::Bool(As<TensorObject>(a[0]) != nullptr || As<VariableObject>(a[0]) != nullptr);
}

Value AsDType(Args& a) { return DTypeValue(ToDType(a[0])); }

Value GetStaticValue(Args& a) {
  auto* t = As<TensorObject>(a[0]);
  if (!t) throw TypeError("Expected a tf.Tensor, got " + Repr(a[0]));
  TensorHandle value = t->graph().handle().Constant(t->out());
  return value ? ToValue(value) : Value::None();
}

const FunctionRow kRows[] = {
    {"is_tensor", "x", IsTensor, "Returns true if the value is a tensor."},
    {"contrib_is_tensor", "x", IsTensor, "Returns true if the value is a tensor."},
    {"as_dtype", "type_value", AsDType, "The element type that a value names."},
    {"get_static_value", "tensor, partial=False", GetStaticValue,
     "The value, if known before any run."},
};

}  // namespace

std::span<const FunctionRow> StaticValueRows() { return kRows; }

}  // namespace tensh::shell::tf
