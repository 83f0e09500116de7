// The methods and nodes that differ between resource variables and reference variables.
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/op_call.h"
#include "shell/tensorflow/graph/types/on_device.h"
#include "shell/tensorflow/graph/variable.h"

namespace tensh::shell::tf {
namespace {

Out AddRead(const VariableObject& var) {
  GraphObject& g = var.graph();
  OpCall call(g, "ReadVariableOp");
  call.In(var.Reference()).Type("dtype", BaseType(var.DType()));
  const Out read = call.Add();
  g.handle().NarrowShape(read, var.Shape());
  return read;
}

}  // namespace

bool& ResourceByDefault() {
  static bool by_default = false;
  return by_default;
}

Out VariableObject::Read() const { return is_resource_ ? AddRead(*this) : Snapshot(); }

Value UpdateResource(VariableObject& var, const char* op, const Value& value, std::string_view name,
                     bool read_value) {
  GraphObject& g = var.graph();
  ConvertOptions options;
  options.dtype = BaseType(var.DType());
  const Out by = Convert(g, value, "Const", options);
  const Node node = OpCall(g, op, name).In(var.Reference()).In(by).AddNode();
  if (!read_value) return g.Operation(node);
  ControlScope after(g, {node});
  return g.Tensor(AddRead(var));
}

}  // namespace tensh::shell::tf
