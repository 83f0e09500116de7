// numpy's elementwise functions: a row each, with the rule that picks the type it computes in, and
// the inner loop of each type. Results follow numpy 1.x promotion; + - * / sqrt are IEEE to the
// bit, integers wrap. Interpreter's thread.
#pragma once

#include <string>
#include <string_view>

#include "shell/np/array.h"
#include "shell/values/type.h"

namespace tensh::shell::np {

// Which type a function computes in, from the promoted type of its operands.
enum class Resolve : uint8_t {
  kSame,    // that type
  kFloat,   // integers become the float that holds them
  kDivide,  // integers become float64
  kBits,    // integers and bools only
  kTest,    // that type; the result is bool
};

struct Ufunc {
  const char* name;  // "add"
  int inputs;
  Resolve resolve;
  InnerLoop (*loop)(int dtype);  // null: not for this type
  BinaryOp op;                   // binary ones: the operator on objects
  CompareOp compare;             // comparisons: the operator on objects
  bool is_compare = false;
  const char* doc = "";
};

const Ufunc* FindUfunc(std::string_view name);
const Ufunc& UfuncOf(BinaryOp op);
const Ufunc& UfuncOf(CompareOp op);

// Broadcast and computed; a new C-order array.
Array Apply(const Ufunc& f, const Array& a);
Array Apply(const Ufunc& f, const Array& a, const Array& b);
// a op= b into a's own elements. UFuncTypeError when the result's type does not go into a's.
void ApplyInplace(const Ufunc& f, const Array& a, const Array& b);
// `**`: power with numpy's short cuts for exponents 2, 1, 0.5 and -1.
Array Power(const Array& a, const Array& b);
// np.can_cast(from, to, 'same_kind').
bool CanCastSameKind(int from, int to);

extern const TypeInfo kUfuncTypeError, kAxisError;

// The loops, by file.
std::span<const Ufunc> ArithmeticUfuncs();
std::span<const Ufunc> CompareUfuncs();
std::span<const Ufunc> UnaryUfuncs();

}  // namespace tensh::shell::np
