// Fast paths of the interpreter loop: arithmetic, comparison and truth of values that are stored
// without an object (int, float, bool, None).
#pragma once

#include "shell/python/values/ops.h"
#include "shell/python/values/type.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

inline bool QuickIntBinary(BinaryOp op, int64_t x, int64_t y, Value* out) {
  int64_t r;
  switch (op) {
    case BinaryOp::kAdd:
      if (__builtin_add_overflow(x, y, &r)) return false;
      break;
    case BinaryOp::kSub:
      if (__builtin_sub_overflow(x, y, &r)) return false;
      break;
    case BinaryOp::kMul:
      if (__builtin_mul_overflow(x, y, &r)) return false;
      break;
    case BinaryOp::kMod:
      if (y <= 0) return false;
      r = x % y;
      if (r < 0) r += y;
      break;
    case BinaryOp::kFloorDiv:
      if (y <= 0) return false;
      r = x / y - (x % y < 0);
      break;
    case BinaryOp::kAnd:
      r = x & y;
      break;
    case BinaryOp::kOr:
      r = x | y;
      break;
    case BinaryOp::kXor:
      r = x ^ y;
      break;
    default:
      return false;
  }
  *out = Value::Int(r);
  return true;
}

inline bool QuickFloatBinary(BinaryOp op, double x, double y, Value* out) {
  switch (op) {
    case BinaryOp::kAdd:
      *out = Value::Float(x + y);
      return true;
    case BinaryOp::kSub:
      *out = Value::Float(x - y);
      return true;
    case BinaryOp::kMul:
      *out = Value::Float(x * y);
      return true;
    case BinaryOp::kTrueDiv:
      if (y == 0) return false;
      *out = Value::Float(x / y);
      return true;
    default:
      return false;
  }
}

// Reads a float, or an int as a float. Returns false for other values.
inline bool QuickDouble(const Value& v, double* out) {
  if (v.is_float()) return *out = v.as_float(), true;
  if (v.is_int()) return *out = static_cast<double>(v.as_int()), true;
  return false;
}

// Computes `a op b` for two immediate operands. Returns false if the general path must be taken:
// other types, overflow, or a division by zero.
inline bool QuickBinary(BinaryOp op, const Value& a, const Value& b, Value* out) {
  if (a.is_int() && b.is_int()) return QuickIntBinary(op, a.as_int(), b.as_int(), out);
  double x, y;
  return QuickDouble(a, &x) && QuickDouble(b, &y) && QuickFloatBinary(op, x, y, out);
}

template <class T>
inline bool ByOp(int op, T x, T y) {
  switch (static_cast<CompareOp>(op)) {
    case CompareOp::kLt:
      return x < y;
    case CompareOp::kLe:
      return x <= y;
    case CompareOp::kEq:
      return x == y;
    case CompareOp::kNe:
      return x != y;
    case CompareOp::kGt:
      return x > y;
    case CompareOp::kGe:
      return x >= y;
  }
  return false;
}

// Compares two ints or two floats. Returns 0 or 1, or -1 if the general path must be taken.
inline int QuickCompare(int op, const Value& a, const Value& b) {
  if (a.is_int() && b.is_int()) return ByOp(op, a.as_int(), b.as_int());
  if (a.is_float() && b.is_float()) return ByOp(op, a.as_float(), b.as_float());
  return -1;
}

inline bool QuickTruth(const Value& v) {
  if (v.is_bool() || v.is_int()) return v.as_int() != 0;
  if (v.is_none()) return false;
  return Truth(v);
}

}  // namespace tensh::shell
