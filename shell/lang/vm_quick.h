// The short ways of the interpreter loop: arithmetic, comparison and truth of immediates.
#pragma once

#include "shell/values/ops.h"
#include "shell/values/type.h"
#include "shell/values/value.h"

namespace tensh::shell {

// Arithmetic on two immediates, or null when the general way must be taken.
inline bool QuickBinary(BinaryOp op, const Value& a, const Value& b, Value* out) {
  if (a.is_int() && b.is_int()) {
    int64_t r;
    const int64_t x = a.as_int(), y = b.as_int();
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
  double x, y;
  if (a.is_float()) {
    x = a.as_float();
    if (b.is_float())
      y = b.as_float();
    else if (b.is_int())
      y = static_cast<double>(b.as_int());
    else
      return false;
  } else if (a.is_int() && b.is_float()) {
    x = static_cast<double>(a.as_int());
    y = b.as_float();
  } else {
    return false;
  }
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

// 0 or 1, or -1 when the general way must be taken.
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
