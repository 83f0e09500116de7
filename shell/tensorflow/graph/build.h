// Building blocks for the functions of math, array, nn and train. Each adds nodes to a graph with
// the names that TensorFlow's Python functions give them.
#pragma once

#include <string_view>

#include "shell/tensorflow/graph/op_call.h"

namespace tensh::shell::tf {

// tf.cast. Returns x itself if it already has the type.
Out Cast(GraphObject& g, Out x, int dtype, std::string_view name = "Cast");
Out TrueDiv(GraphObject& g, Out x, Out y, std::string_view name);

// Operators as Python code writes them: x + y, where one side may be a scalar constant.
Out Operator(GraphObject& g, BinaryOp op, const Arg& x, const Arg& y);
inline Out AddOp(GraphObject& g, const Arg& x, const Arg& y) {
  return Operator(g, BinaryOp::kAdd, x, y);
}
inline Out SubOp(GraphObject& g, const Arg& x, const Arg& y) {
  return Operator(g, BinaryOp::kSub, x, y);
}
inline Out MulOp(GraphObject& g, const Arg& x, const Arg& y) {
  return Operator(g, BinaryOp::kMul, x, y);
}

// tf.shape, tf.rank and tf.size. The result is a constant if the shape is fully known.
Out ShapeOf(GraphObject& g, Out x, std::string_view name = "Shape", int out_type = TSH_INT32,
            bool optimize = true);
Out RankOf(GraphObject& g, Out x, std::string_view name = "Rank");
Out Reshape(GraphObject& g, Out x, const Arg& shape, std::string_view name = {});
Out ReshapeTo(GraphObject& g, Out x, std::span<const int64_t> dims);

// tf.zeros and tf.ones. The result is a constant below 1000 elements, and otherwise a Fill node.
Out Filled(GraphObject& g, const Value& shape, double value, int dtype, std::string_view name);
Out FilledLike(GraphObject& g, Out x, double value, int dtype, std::string_view name);
Out ScalarConstant(GraphObject& g, double value, int dtype, std::string_view name = "Const");
TensorHandle ScalarTensor(double value, int dtype);

// tf.reduce_*. If `axis` is None, reduces over all axes.
Out Reduce(GraphObject& g, const char* op, const Value& x, const Value& axis, bool keep_dims,
           std::string_view name);
Out ReduceOut(GraphObject& g, const char* op, Out x, const Value& axis, bool keep_dims,
              std::string_view name = {});

// tf.group and tf.no_op.
Node NoOp(GraphObject& g, std::string_view name);
Node Group(GraphObject& g, std::span<const Node> nodes, std::string_view name);
// Returns the operation that a Tensor, Operation or Variable is or belongs to, or TSH_NO_NODE for
// other values.
Node NodeOf(const Value& v);

// The two seeds of the next random op, computed as in random_seed.get_seed.
struct Seeds {
  int64_t graph = 0, op = 0;
};
Seeds NextSeeds(GraphObject& g, const Value& op_seed);

}  // namespace tensh::shell::tf
