// Ints past 64 bits. IntObject holds one; arithmetic on either kind of int goes through IntBinary.
// Invariant: an IntObject's value never fits int64 (Normalize sees to it), so equal ints have one
// form.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "shell/values/type.h"
#include "shell/values/value.h"

namespace tensh::shell {

constexpr int kMaxIntDigits = 4300;  // Printing or reading a longer one is an OverflowError.

// Integer operators on ints and bools of any size; NotImplemented when an operand is neither.
Value IntBinary(BinaryOp op, const Value& a, const Value& b);
int IntCompare(const Value& a, const Value& b);  // -1, 0, 1; both are ints.
Value IntNegate(const Value& v);
Value IntInvert(const Value& v);
bool IsBigInt(const Value& v);
bool BigNegative(const Value& v);
uint64_t BigHash(const Value& v);
double IntToDouble(const Value& v);                    // OverflowError when too large.
int CompareIntFloat(const Value& i, double f);         // `f` is finite.
Value IntFromDouble(double f);                         // Truncates; `f` is finite.
std::string IntToText(const Value& v, int base = 10);  // Digits only, '-' in front.
// Python's int(text, base); null Value when the text is not an int. Base 0 reads the prefix.
Value IntFromText(std::string_view text, int base);
int64_t BitLength(const Value& v);
Value IntPowMod(const Value& base, const Value& exponent, const Value& modulus);
Value IntFromU64(uint64_t v);
Value IntFromBytes(std::string_view bytes, bool little, bool is_signed);
std::string IntToBytes(const Value& v, size_t length,
                       bool little);  // Magnitude of a non-negative int.
bool IntToU64(const Value& v, uint64_t* out);
// Exact integer square root of a non-negative int.
Value IntSqrt(const Value& v);
Value IntGcd(const Value& a, const Value& b);
Value IntTrueDivide(const Value& a, const Value& b);

}  // namespace tensh::shell
