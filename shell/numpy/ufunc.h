// numpy's elementwise functions. Each row has the rule that selects the type to compute in, and the
// inner loop for each type. Result types follow the promotion of numpy 1.x. + - * / and sqrt are
// exact to the bit as IEEE 754 requires; integers wrap. Only the thread that holds the
// interpreter's lock may call them.
#pragma once

#include <string>
#include <string_view>

#include "shell/numpy/array.h"
#include "shell/python/values/type.h"

namespace tensh::shell::np {

// The rule that selects the type to compute in, given the promoted type of the operands.
enum class Resolve : uint8_t {
  kSame,    // The promoted type.
  kFloat,   // Integers become the float type that holds them.
  kDivide,  // Integers become float64.
  kBits,    // Integers and bools only.
  kTest,    // The promoted type; the result is bool.
};

struct Ufunc {
  const char* name;  // "add"
  int inputs;
  Resolve resolve;
  InnerLoop (*loop)(int dtype);  // Returns null if the type is not supported.
  BinaryOp op;                   // The operator applied to objects by binary functions.
  CompareOp compare;             // The operator applied to objects by comparisons.
  bool is_compare = false;
  const char* doc = "";
};

const Ufunc* FindUfunc(std::string_view name);
const Ufunc& UfuncOf(BinaryOp op);
const Ufunc& UfuncOf(CompareOp op);

// Broadcast the operands and compute a new array in C order.
Array Apply(const Ufunc& f, const Array& a);
Array Apply(const Ufunc& f, const Array& a, const Array& b);
// Computes a op= b in place. Throws UFuncTypeError if the result cannot be cast to the type of `a`.
void ApplyInplace(const Ufunc& f, const Array& a, const Array& b);
// Implements `**` with numpy's shortcuts for the exponents 2, 1, 0.5 and -1.
Array Power(const Array& a, const Array& b);
// Implements np.can_cast(from, to, 'same_kind').
bool CanCastSameKind(int from, int to);

extern const TypeInfo kUfuncTypeError, kAxisError;

// The tables, one for each file.
std::span<const Ufunc> ArithmeticUfuncs();
std::span<const Ufunc> CompareUfuncs();
std::span<const Ufunc> UnaryUfuncs();

}  // namespace tensh::shell::np
