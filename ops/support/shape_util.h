#pragma once
// Helpers shared by the shape functions, kernels and gradients of array ops: reading shapes and
// indices from tensors, TensorFlow's error messages for mismatched shapes, and gradient values that
// become constants when a shape is static. Stateless.
#include <vector>

#include "runtime/core/op_registry.h"

namespace tensh::ops {

// The types that "number" stands for in a signature. TensorFlow's quantized types have no kernels
// here.
inline constexpr char kNumberTypes[] =
    "{float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, "
    "half, uint32, uint64}";

// Returns element i of a tensor of any integer type.
int64_t IndexAt(const Tensor& t, int64_t i);
// IndexValues returns the elements of an integer tensor.
std::vector<int64_t> IndexValues(const Tensor& t);
bool IsVector(const Tensor& t);
// Return a tensor of shape [n], or a scalar, of type int32 or int64 with the given values.
Tensor IndexVector(DType dtype, std::span<const int64_t> values);
Tensor IndexScalar(DType dtype, int64_t value);

// Returns the shape given by an integer vector. All entries must be >= 0.
Result<Shape> ShapeFromTensor(const Tensor& t);
// Returns the combined knowledge of both shapes, or an error with TensorFlow's wording if they
// contradict each other.
Result<Shape> MergeShapes(const Shape& a, const Shape& b);
// Maps an axis in [-rank, rank) to [0, rank). The error message begins with `what`.
Result<int> CanonicalAxis(int64_t axis, int rank, std::string_view what);
// Returns the shape given by the values of input i, as far as they are known; -1 is an unknown
// extent.
Result<Shape> ShapeInput(ShapeCtx& c, int i);
// Returns the value of scalar input i, or nullopt if it is not known before the step.
std::optional<int64_t> ConstantScalar(ShapeCtx& c, int i);

// Gradient values. Node names are those of TensorFlow's array_ops. They are constants if the shape
// is static.
Out ShapeOf(GradScope& g, Out t, DType out_type = DType::kInt32, std::string_view name = "Shape");
Out RankOf(GradScope& g, Out t, std::string_view name = "Rank");
Out SizeOfTensor(GradScope& g, Out t, std::string_view name = "Size");
Out ConstInts(GradScope& g, std::initializer_list<int64_t> values, std::string_view name,
              DType dtype = DType::kInt32);
Out ConstInt(GradScope& g, int64_t value, std::string_view name, DType dtype = DType::kInt32);
// Return ConcatV2 or Pack of the values along `axis`.
Out Concat(GradScope& g, std::vector<Out> values, Out axis, std::string_view name = "concat");
Out Pack(GradScope& g, std::vector<Out> values, std::string_view name, int64_t axis = 0);
// Returns the sum of all elements, built as reduce_sum builds it.
Out SumAll(GradScope& g, Out t);

}  // namespace tensh::ops
