// The operators of tf.Tensor. They create nodes with TensorFlow's lower-case names (add, mul,
// truediv, strided_slice). A Variable uses them with its value.
#pragma once

#include "shell/tensorflow/graph/graph.h"

namespace tensh::shell::tf {

Value TensorBinary(BinaryOp op, const Value& a, const Value& b, bool reflected);
Value TensorUnary(UnaryOp op, const Value& v);
Value TensorCompare(CompareOp op, const Value& a, const Value& b);
Value TensorGetItem(const Value& v, const Value& key);
void SetTensorShape(GraphObject& g, Out out, const Value& shape);

}  // namespace tensh::shell::tf
