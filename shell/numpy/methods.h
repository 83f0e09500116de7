// Operations on arrays and scalars, shared by methods (a.sum()) and functions (np.sum(a)). An
// implementation takes the array and the other arguments. Only the thread that holds the
// interpreter's lock may call them.
#pragma once

#include <span>

#include "shell/numpy/array.h"
#include "shell/numpy/ndarray.h"
#include "shell/numpy/reduce.h"
#include "shell/python/values/native.h"
#include "shell/python/values/type.h"

namespace tensh::shell::np {

// `a` is the array; args[first] is the first argument after it.
using Method = Value (*)(const Array& a, Args& args, size_t first);

Array SelfArray(const Value& self);  // The array of an ndarray or a scalar.
template <Method M>
Value AsMethod(Args& args) {
  return M(SelfArray(args.self()), args, 0);
}
template <Method M>
Value AsFunction(Args& args) {
  return M(ToArray(args[0]), args, 1);
}

// The sizes are declared, so that the type table of NdArray is a constant.
constexpr size_t kArrayMethodCount = 48;
constexpr size_t kArrayPropertyCount = 12;
extern const FunctionRow kArrayMethods[kArrayMethodCount];
extern const PropertyRow kArrayProperties[kArrayPropertyCount];

// Operators with numpy's conversions. Operands are numbers, arrays or lists.
Value BinaryValues(BinaryOp op, const Value& a, const Value& b);
Value UnaryValues(UnaryOp op, const Value& v);

// Conversions of arguments.
bool IsOneIndex(const Value& v);              // True for 3 and np.array(3), not for np.array([3]).
Extents ShapeArgument(const Value& v);        // Accepts 3, (2, 3), np.array([2, 3]).
Axes AxesArgument(const Value& v, int rank);  // Accepts None, 1, (0, 1).
int AxisArgument(const Value& v, int rank);   // Returns one axis; -1 for None.
int DTypeArgument(const Value& v);  // Returns 0 for None; throws TypeError if it is not a dtype.
void StoreOut(const Value& out, const Array& result);

// Implementations shared by methods and functions.
Value SumMethod(const Array&, Args&, size_t);
Value ProdMethod(const Array&, Args&, size_t);
Value MinMethod(const Array&, Args&, size_t);
Value MaxMethod(const Array&, Args&, size_t);
Value AnyMethod(const Array&, Args&, size_t);
Value AllMethod(const Array&, Args&, size_t);
Value MeanMethod(const Array&, Args&, size_t);
Value VarMethod(const Array&, Args&, size_t);
Value StdMethod(const Array&, Args&, size_t);
Value ArgmaxMethod(const Array&, Args&, size_t);
Value ArgminMethod(const Array&, Args&, size_t);
Value CumsumMethod(const Array&, Args&, size_t);
Value CumprodMethod(const Array&, Args&, size_t);
Value PtpMethod(const Array&, Args&, size_t);
Value RoundMethod(const Array&, Args&, size_t);
Value ClipMethod(const Array&, Args&, size_t);
Value SortedMethod(const Array&, Args&, size_t);  // np.sort: returns a sorted copy.
Value ArgsortMethod(const Array&, Args&, size_t);
Value TakeMethod(const Array&, Args&, size_t);
Value RepeatMethod(const Array&, Args&, size_t);
Value SqueezeMethod(const Array&, Args&, size_t);
Value SwapaxesMethod(const Array&, Args&, size_t);
Value NonzeroMethod(const Array&, Args&, size_t);
Value RavelMethod(const Array&, Args&, size_t);
Value CopyMethod(const Array&, Args&, size_t);
Value DotMethod(const Array&, Args&, size_t);
Value DiagonalMethod(const Array&, Args&, size_t);
Value TraceMethod(const Array&, Args&, size_t);
Value SearchSortedMethod(const Array&, Args&, size_t);

Array ReshapeOrdered(const Array& a, Dims dims, const Value& order);  // `order` is "C" or "F".
Array TransposeBy(const Array& a, const Value& axes);  // None or () reverses the axes.
Array SqueezeArray(const Array& a, const Value& axis);
Array MatMul(const Array& a, const Array& b);
Array Dot(const Array& a, const Array& b);
Array Round(const Array& a, int64_t decimals);
Array Sort(const Array& a, int axis);
Array ArgSort(const Array& a, int axis);
Array Take(const Array& a, const Array& indices, int axis);
Array Repeat(const Array& a, const Array& counts, int axis);
// Joins arrays along an axis that all of them have.
Array Concatenate(std::span<const Array> parts, int64_t axis);
std::vector<Array> Nonzero(const Array& a);
Value ToList(const Array& a);

}  // namespace tensh::shell::np
