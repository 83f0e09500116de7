#pragma once
// What shape functions, kernels and gradients of array ops share: reading shapes and indices out of
// tensors, TensorFlow's texts for shapes that do not fit, and gradient pieces that are constants
// when a shape is static. Stateless.
#include <vector>

#include "runtime/core/op_registry.h"

namespace tensh::ops {

// Types a signature calls numbers; the quantised ones of TensorFlow have no kernels here.
inline constexpr char kNumberTypes[] =
    "{float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, "
    "half, uint32, uint64}";

// Element i of a tensor of any integer type.
int64_t IndexAt(const Tensor& t, int64_t i);
// The elements of an integer tensor.
std::vector<int64_t> IndexValues(const Tensor& t);
bool IsVector(const Tensor& t);
// A tensor of shape [n] (or []), of type int32 or int64, with these values.
Tensor IndexVector(DType dtype, std::span<const int64_t> values);
Tensor IndexScalar(DType dtype, int64_t value);

// The shape an integer vector spells, every entry >= 0.
Result<Shape> ShapeFromTensor(const Tensor& t);
// What both say together, with TensorFlow's texts when they contradict.
Result<Shape> MergeShapes(const Shape& a, const Shape& b);
// axis in [-rank, rank) as 0 … rank-1. `what` starts the message.
Result<int> CanonicalAxis(int64_t axis, int rank, std::string_view what);
// The shape that input i spells, as far as it is known: -1 is an unknown dimension.
Result<Shape> ShapeInput(ShapeCtx& c, int i);
// The known value of scalar input i; nothing when it is not known.
std::optional<int64_t> ConstantScalar(ShapeCtx& c, int i);

// Gradient pieces, named as array_ops names them: constants where the shape is static.
Out ShapeOf(GradScope& g, Out t, DType out_type = DType::kInt32, std::string_view name = "Shape");
Out RankOf(GradScope& g, Out t, std::string_view name = "Rank");
Out SizeOfTensor(GradScope& g, Out t, std::string_view name = "Size");
Out ConstInts(GradScope& g, std::initializer_list<int64_t> values, std::string_view name,
              DType dtype = DType::kInt32);
Out ConstInt(GradScope& g, int64_t value, std::string_view name, DType dtype = DType::kInt32);
// ConcatV2 of values along axis.
Out Concat(GradScope& g, std::vector<Out> values, Out axis, std::string_view name = "concat");
Out Pack(GradScope& g, std::vector<Out> values, std::string_view name, int64_t axis = 0);
// All of the elements' sum, as reduce_sum builds it.
Out SumAll(GradScope& g, Out t);

}  // namespace tensh::ops
