// Ufuncs that compare two operands or combine their truth values. The result is bool.
#include "shell/numpy/loop_templates.h"
#include "shell/numpy/ufunc.h"

namespace tensh::shell::np {
namespace {

template <class T>
bool Less(T a, T b) {
  if constexpr (kIsComplex<T>)
    return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
  else
    return a < b;
}
struct LessOp {
  template <class T>
  static constexpr bool kFor = true;
  template <class T>
  static bool Do(T a, T b) {
    return Less(a, b);
  }
};
struct LessEqualOp {
  template <class T>
  static constexpr bool kFor = true;
  template <class T>
  static bool Do(T a, T b) {
    return Less(a, b) || a == b;
  }
};
struct GreaterOp {
  template <class T>
  static constexpr bool kFor = true;
  template <class T>
  static bool Do(T a, T b) {
    return Less(b, a);
  }
};
struct GreaterEqualOp {
  template <class T>
  static constexpr bool kFor = true;
  template <class T>
  static bool Do(T a, T b) {
    return Less(b, a) || a == b;
  }
};
struct EqualOp {
  template <class T>
  static constexpr bool kFor = true;
  template <class T>
  static bool Do(T a, T b) {
    return a == b;
  }
};
struct NotEqualOp {
  template <class T>
  static constexpr bool kFor = true;
  template <class T>
  static bool Do(T a, T b) {
    return a != b;
  }
};
struct AndOp {
  template <class T>
  static constexpr bool kFor = true;
  template <class T>
  static bool Do(T a, T b) {
    return a != T{} && b != T{};
  }
};
struct OrOp {
  template <class T>
  static constexpr bool kFor = true;
  template <class T>
  static bool Do(T a, T b) {
    return a != T{} || b != T{};
  }
};
struct XorOp {
  template <class T>
  static constexpr bool kFor = true;
  template <class T>
  static bool Do(T a, T b) {
    return (a != T{}) != (b != T{});
  }
};

constexpr auto kNoOp = BinaryOp::kAdd;
constexpr auto kTest = Resolve::kTest;
constexpr Ufunc kCompare[] = {
    {"less", 2, kTest, Find2<LessOp>, kNoOp, CompareOp::kLt, true, "a < b"},
    {"less_equal", 2, kTest, Find2<LessEqualOp>, kNoOp, CompareOp::kLe, true, "a <= b"},
    {"equal", 2, kTest, Find2<EqualOp>, kNoOp, CompareOp::kEq, true, "a == b"},
    {"not_equal", 2, kTest, Find2<NotEqualOp>, kNoOp, CompareOp::kNe, true, "a != b"},
    {"greater", 2, kTest, Find2<GreaterOp>, kNoOp, CompareOp::kGt, true, "a > b"},
    {"greater_equal", 2, kTest, Find2<GreaterEqualOp>, kNoOp, CompareOp::kGe, true, "a >= b"},
    {"logical_and", 2, kTest, Find2<AndOp>, BinaryOp::kAnd, CompareOp::kEq, false,
     "Test whether both are true."},
    {"logical_or", 2, kTest, Find2<OrOp>, BinaryOp::kOr, CompareOp::kEq, false,
     "Test whether at least one is true."},
    {"logical_xor", 2, kTest, Find2<XorOp>, BinaryOp::kXor, CompareOp::kEq, false,
     "Test whether exactly one is true."},
};

}  // namespace

std::span<const Ufunc> CompareUfuncs() { return kCompare; }

}  // namespace tensh::shell::np
