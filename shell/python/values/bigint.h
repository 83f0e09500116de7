// Ints that do not fit 64 bits. An IntObject holds one; IntBinary does arithmetic on both kinds of
// int.
//
// Invariant: the value of an IntObject never fits int64, because Normalize converts it back. Equal
// ints therefore have the same representation.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "shell/python/values/type.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

// Limits the digits of an int that is printed or parsed; a longer one is an OverflowError.
constexpr int kMaxIntDigits = 4300;

// Applies an integer operator to ints and bools of any size. Returns NotImplemented if an operand
// is neither.
Value IntBinary(BinaryOp op, const Value& a, const Value& b);
int IntCompare(const Value& a, const Value& b);  // Returns -1, 0 or 1. Both must be ints.
Value IntNegate(const Value& v);
Value IntInvert(const Value& v);
bool IsBigInt(const Value& v);
bool BigNegative(const Value& v);
uint64_t BigHash(const Value& v);
double IntToDouble(const Value& v);             // Throws OverflowError if the value is too large.
int CompareIntFloat(const Value& i, double f);  // `f` must be finite.
Value IntFromDouble(double f);                  // Truncates; `f` must be finite.
// Digits without a prefix, after '-' if negative.
std::string IntToText(const Value& v, int base = 10);
// Implements Python's int(text, base). Returns a null Value if the text is not an int. Base 0 reads
// the base from the prefix.
Value IntFromText(std::string_view text, int base);
int64_t BitLength(const Value& v);
Value IntPowMod(const Value& base, const Value& exponent, const Value& modulus);
Value IntFromU64(uint64_t v);
Value IntFromBytes(std::string_view bytes, bool little, bool is_signed);
// Returns the magnitude of a non-negative int.
std::string IntToBytes(const Value& v, size_t length, bool little);
bool IntToU64(const Value& v, uint64_t* out);
// Returns the exact integer square root of a non-negative int.
Value IntSqrt(const Value& v);
Value IntGcd(const Value& a, const Value& b);
Value IntTrueDivide(const Value& a, const Value& b);

}  // namespace tensh::shell
