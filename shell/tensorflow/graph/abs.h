// tf.abs, shared with the operators of tensors.
#pragma once

#include "shell/tensorflow/graph/op_call.h"

namespace tensh::shell::tf {

// Complex numbers use a separate op with real results.
inline Out AbsOf(GraphObject& g, const Value& v, std::string_view name) {
  NameScope scope(g, name);
  const Out x = Convert(g, v, "x");
  const int dtype = BaseType(g.handle().DType(x));
  if (dtype != TSH_COMPLEX64 && dtype != TSH_COMPLEX128) return Op(g, "Abs", {x}, g.scope);
  OpCall call(g, "ComplexAbs", g.scope);
  call.In(x).Type("Tout", dtype == TSH_COMPLEX64 ? TSH_FLOAT : TSH_DOUBLE);
  return call.Add();
}

}  // namespace tensh::shell::tf
