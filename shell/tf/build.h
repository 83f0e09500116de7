// Small building blocks on outputs of a graph, named as TensorFlow's Python functions name them;
// what the functions of math, array, nn and train are made of.
#pragma once

#include <string_view>

#include "shell/tf/op_call.h"

namespace tensh::shell::tf {

// tf.cast: the same output when it is of the type already.
Out Cast(GraphObject& g, Out x, int dtype, std::string_view name = "Cast");
Out TrueDiv(GraphObject& g, Out x, Out y, std::string_view name);

// Operators as the Python code writes them: x + y, with a scalar constant or an output.
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

// tf.shape, tf.rank, tf.size: constants when all is known.
Out ShapeOf(GraphObject& g, Out x, std::string_view name = "Shape", int out_type = TSH_INT32,
            bool optimize = true);
Out RankOf(GraphObject& g, Out x, std::string_view name = "Rank");
Out Reshape(GraphObject& g, Out x, const Arg& shape, std::string_view name = {});
Out ReshapeTo(GraphObject& g, Out x, std::span<const int64_t> dims);

// tf.zeros and tf.ones: a constant below 1000 elements, else Fill.
Out Filled(GraphObject& g, const Value& shape, double value, int dtype, std::string_view name);
Out FilledLike(GraphObject& g, Out x, double value, int dtype, std::string_view name);
Out ScalarConstant(GraphObject& g, double value, int dtype, std::string_view name = "Const");
TensorHandle ScalarTensor(double value, int dtype);

// tf.reduce_*: `axis` None means all.
Out Reduce(GraphObject& g, const char* op, const Value& x, const Value& axis, bool keep_dims,
           std::string_view name);
Out ReduceOut(GraphObject& g, const char* op, Out x, const Value& axis, bool keep_dims,
              std::string_view name = {});

// tf.group and tf.no_op.
Node NoOp(GraphObject& g, std::string_view name);
Node Group(GraphObject& g, std::span<const Node> nodes, std::string_view name);
// The operation that a Tensor, Operation or Variable is or comes from; TSH_NO_NODE: none of these.
Node NodeOf(const Value& v);

// random_seed.get_seed: the two seeds for the next random op.
struct Seeds {
  int64_t graph = 0, op = 0;
};
Seeds NextSeeds(GraphObject& g, const Value& op_seed);

}  // namespace tensh::shell::tf
