// What arrays and scalars can do, as table rows shared by methods (a.sum()) and functions
// (np.sum(a)): the implementation takes the array and the rest of the arguments. Interpreter's
// thread.
#pragma once

#include <span>

#include "shell/np/array.h"
#include "shell/np/reduce.h"
#include "shell/values/native.h"
#include "shell/values/ndarray.h"
#include "shell/values/type.h"

namespace tensh::shell::np {

// `a` is the array; args[first] is the first argument after it.
using Method = Value (*)(const Array& a, Args& args, size_t first);

Array SelfArray(const Value& self);  // an ndarray's or a scalar's
template <Method M>
Value AsMethod(Args& args) {
  return M(SelfArray(args.self()), args, 0);
}
template <Method M>
Value AsFunction(Args& args) {
  return M(ToArray(args[0]), args, 1);
}

// Sized, so that NdArray's type table is a constant.
constexpr size_t kArrayMethodCount = 48;
constexpr size_t kArrayPropertyCount = 12;
extern const FunctionRow kArrayMethods[kArrayMethodCount];
extern const PropertyRow kArrayProperties[kArrayPropertyCount];

// Operators with numpy's conversions; both operands are numbers, arrays or lists.
Value BinaryValues(BinaryOp op, const Value& a, const Value& b);
Value UnaryValues(UnaryOp op, const Value& v);

// Arguments.
Extents ShapeArgument(const Value& v);        // 3, (2, 3), np.array([2, 3])
Axes AxesArgument(const Value& v, int rank);  // None, 1, (0, 1)
int AxisArgument(const Value& v, int rank);   // one axis; -1 for None
int DTypeArgument(const Value& v);            // 0 for None; TypeError when it is none
void StoreOut(const Value& out, const Array& result);

// Shared by methods and functions.
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
Value SortedMethod(const Array&, Args&, size_t);  // np.sort: a sorted copy
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

Array ReshapeOrdered(const Array& a, Dims dims, const Value& order);  // order: "C" or "F"
Array TransposeBy(const Array& a, const Value& axes);                 // None or (): reversed
Array SqueezeArray(const Array& a, const Value& axis);
Array MatMul(const Array& a, const Array& b);
Array Dot(const Array& a, const Array& b);
Array Round(const Array& a, int64_t decimals);
Array Sort(const Array& a, int axis);
Array ArgSort(const Array& a, int axis);
Array Take(const Array& a, const Array& indices, int axis);
Array Repeat(const Array& a, const Array& counts, int axis);
// Joins along an axis that all have.
Array Concatenate(std::span<const Array> parts, int64_t axis);
std::vector<Array> Nonzero(const Array& a);
Value ToList(const Array& a);

}  // namespace tensh::shell::np
