#include "shell/numpy/types.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "shell/python/values/error.h"

namespace tensh::shell::np {
namespace {

constexpr TypeRow kTypes[] = {
    {TSH_BOOL, "bool", Kind::kBool, 1, "|b1", '?'},
    {TSH_UINT8, "uint8", Kind::kUnsigned, 1, "|u1", 'B'},
    {TSH_UINT16, "uint16", Kind::kUnsigned, 2, "<u2", 'H'},
    {TSH_UINT32, "uint32", Kind::kUnsigned, 4, "<u4", 'I'},
    {TSH_UINT64, "uint64", Kind::kUnsigned, 8, "<u8", 'L'},
    {TSH_INT8, "int8", Kind::kSigned, 1, "|i1", 'b'},
    {TSH_INT16, "int16", Kind::kSigned, 2, "<i2", 'h'},
    {TSH_INT32, "int32", Kind::kSigned, 4, "<i4", 'i'},
    {TSH_INT64, "int64", Kind::kSigned, 8, "<i8", 'l'},
    {TSH_HALF, "float16", Kind::kFloat, 2, "<f2", 'e'},
    {TSH_BFLOAT16, "bfloat16", Kind::kFloat, 2, "<V2", 'E'},
    {TSH_FLOAT, "float32", Kind::kFloat, 4, "<f4", 'f'},
    {TSH_DOUBLE, "float64", Kind::kFloat, 8, "<f8", 'd'},
    {TSH_COMPLEX64, "complex64", Kind::kComplex, 8, "<c8", 'F'},
    {TSH_COMPLEX128, "complex128", Kind::kComplex, 16, "<c16", 'D'},
    {kDTypeBytes, "bytes", Kind::kText, 0, "|S", 'S'},
    {kDTypeUnicode, "str", Kind::kText, 0, "<U", 'U'},
    {TSH_STRING, "object", Kind::kObject, 0, "|O", 'O'},
    {kDTypeObject, "object", Kind::kObject, 0, "|O", 'O'},
};

struct Alias {
  std::string_view name;
  int dtype;
};
constexpr Alias kAliases[] = {
    {"bool_", TSH_BOOL},        {"bool8", TSH_BOOL},         {"int", TSH_INT64},
    {"int_", TSH_INT64},        {"long", TSH_INT64},         {"intp", TSH_INT64},
    {"longlong", TSH_INT64},    {"intc", TSH_INT32},         {"short", TSH_INT16},
    {"byte", TSH_INT8},         {"ubyte", TSH_UINT8},        {"ushort", TSH_UINT16},
    {"uint", TSH_UINT64},       {"uintc", TSH_UINT32},       {"float", TSH_DOUBLE},
    {"float_", TSH_DOUBLE},     {"double", TSH_DOUBLE},      {"single", TSH_FLOAT},
    {"half", TSH_HALF},         {"complex", TSH_COMPLEX128}, {"complex_", TSH_COMPLEX128},
    {"csingle", TSH_COMPLEX64}, {"cdouble", TSH_COMPLEX128}, {"object", kDTypeObject},
    {"O", kDTypeObject},        {"unicode", kDTypeUnicode},  {"string", kDTypeBytes},
};

int OfKind(Kind kind, int size) {
  for (const TypeRow& row : kTypes)
    if (row.kind == kind && row.size == size && row.dtype != TSH_BFLOAT16) return row.dtype;
  return TSH_DOUBLE;  // Reached if a signed type of 16 bytes would be needed.
}

// Returns the size of the float type that numpy uses for integers of this size.
int FloatSizeFor(const TypeRow& t) {
  if (t.kind == Kind::kFloat) return t.size;
  return t.size == 1 ? 2 : t.size == 2 ? 4 : 8;
}

int PromoteNumbers(const TypeRow& low, const TypeRow& high) {
  if (low.kind == Kind::kBool) return high.dtype;
  if (low.kind == high.kind) {
    if (low.size == high.size) return TSH_FLOAT;  // half with bfloat16.
    return low.size > high.size ? low.dtype : high.dtype;
  }
  switch (high.kind) {
    case Kind::kSigned:
      return high.size > low.size ? high.dtype : OfKind(Kind::kSigned, low.size * 2);
    case Kind::kFloat:
      return FloatSizeFor(low) > high.size ? OfKind(Kind::kFloat, FloatSizeFor(low)) : high.dtype;
    default:
      return 2 * FloatSizeFor(low) > high.size ? TSH_COMPLEX128 : high.dtype;
  }
}

template <class T>
T Load(const void* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

int64_t SignedValue(int dtype, const void* p) {
  switch (dtype) {
    case TSH_INT8:
      return Load<int8_t>(p);
    case TSH_INT16:
      return Load<int16_t>(p);
    case TSH_INT32:
      return Load<int32_t>(p);
    default:
      return Load<int64_t>(p);
  }
}

uint64_t UnsignedValue(int dtype, const void* p) {
  switch (dtype) {
    case TSH_UINT8:
      return Load<uint8_t>(p);
    case TSH_UINT16:
      return Load<uint16_t>(p);
    case TSH_UINT32:
      return Load<uint32_t>(p);
    default:
      return Load<uint64_t>(p);
  }
}

int MinUnsigned(uint64_t v, bool* signed_too) {
  const int size = v <= 0xff ? 1 : v <= 0xffff ? 2 : v <= 0xffffffff ? 4 : 8;
  *signed_too = v >> (8 * size - 1) == 0;
  return OfKind(Kind::kUnsigned, size);
}

int MinSigned(int64_t v) {
  return v >= -128 ? TSH_INT8 : v >= -32768 ? TSH_INT16 : v >= INT32_MIN ? TSH_INT32 : TSH_INT64;
}

int MinFloat(double v, int dtype) {
  const double a = std::fabs(v);
  if (!std::isfinite(v) || a < 65000) return TSH_HALF;
  if (a < 3.4e38) return dtype == TSH_HALF ? TSH_HALF : TSH_FLOAT;
  return TSH_DOUBLE;
}

int MinComplex(std::complex<double> v) {
  const auto fits = [](double x) { return !std::isfinite(x) || std::fabs(x) < 3.4e38; };
  return fits(v.real()) && fits(v.imag()) ? TSH_COMPLEX64 : TSH_COMPLEX128;
}

}  // namespace

const TypeRow* FindType(int dtype) {
  for (const TypeRow& row : kTypes)
    if (row.dtype == dtype) return &row;
  return nullptr;
}

const TypeRow& GetType(int dtype) {
  if (const TypeRow* row = FindType(dtype)) return *row;
  throw TypeError(std::string("numpy has no arrays of type ") + tsh_dtype_name(dtype));
}

int TypeByName(std::string_view name) {
  for (const TypeRow& row : kTypes) {
    const std::string_view code = row.code;
    if (name == row.name || name == code || name == code.substr(1) ||
        (name.size() == 1 && name[0] == row.letter)) {
      return row.dtype == TSH_STRING ? kDTypeObject : row.dtype;
    }
  }
  for (const Alias& alias : kAliases)
    if (alias.name == name) return alias.dtype;
  if (!name.empty() && (name[0] == '=' || name[0] == '<' || name[0] == '|'))
    return TypeByName(name.substr(1));
  const bool sized = name.size() > 1 && name.find_first_not_of("0123456789", 1) == name.npos;
  if (sized && name[0] == 'U') return kDTypeUnicode;
  if (sized && name[0] == 'S') return kDTypeBytes;
  return 0;
}

int64_t ItemSize(int dtype) {
  const TypeRow* row = FindType(dtype);
  return row ? row->size : 0;
}

Kind KindOf(int dtype) {
  const TypeRow* row = FindType(dtype);
  return row ? row->kind : Kind::kObject;
}

bool HasBytes(int dtype) { return ItemSize(dtype) != 0; }

bool IsText(int dtype) {
  return dtype == TSH_STRING || dtype == kDTypeUnicode || dtype == kDTypeBytes;
}

int Promote(int a, int b) {
  if (a == b) return a;
  const TypeRow* low = &GetType(a);
  const TypeRow* high = &GetType(b);
  if (low->kind > high->kind) std::swap(low, high);
  if (high->kind == Kind::kObject) return kDTypeObject;
  if (high->kind == Kind::kText) return low->kind == Kind::kText ? kDTypeUnicode : high->dtype;
  return PromoteNumbers(*low, *high);
}

int Category(int dtype) {
  switch (KindOf(dtype)) {
    case Kind::kBool:
      return 0;
    case Kind::kUnsigned:
    case Kind::kSigned:
      return 1;
    case Kind::kFloat:
    case Kind::kComplex:
      return 2;
    default:
      return 3;
  }
}

int MinScalarType(int dtype, const void* element, bool* signed_too) {
  *signed_too = false;
  switch (KindOf(dtype)) {
    case Kind::kUnsigned:
      return MinUnsigned(UnsignedValue(dtype, element), signed_too);
    case Kind::kSigned: {
      const int64_t v = SignedValue(dtype, element);
      return v < 0 ? MinSigned(v) : MinUnsigned(static_cast<uint64_t>(v), signed_too);
    }
    case Kind::kFloat:
      if (dtype == TSH_HALF || dtype == TSH_BFLOAT16) return dtype;
      return MinFloat(
          dtype == TSH_FLOAT ? static_cast<double>(Load<float>(element)) : Load<double>(element),
          dtype);
    case Kind::kComplex:
      return dtype == TSH_COMPLEX64 ? dtype : MinComplex(Load<std::complex<double>>(element));
    default:
      return dtype;
  }
}

int ResultType(const Operand& a, const Operand& b) {
  if (a.scalar == b.scalar) return Promote(a.dtype, b.dtype);
  const Operand& array = a.scalar ? b : a;
  const Operand& scalar = a.scalar ? a : b;
  if (Category(scalar.dtype) > Category(array.dtype) || Category(scalar.dtype) == 3)
    return Promote(a.dtype, b.dtype);
  bool signed_too = false;
  int least = MinScalarType(scalar.dtype, scalar.value, &signed_too);
  // With a signed array, a small positive integer has the signed type of its size.
  if (signed_too && KindOf(array.dtype) != Kind::kUnsigned)
    least = OfKind(Kind::kSigned, static_cast<int>(ItemSize(least)));
  return Promote(array.dtype, least);
}

}  // namespace tensh::shell::np
