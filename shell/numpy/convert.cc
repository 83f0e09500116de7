#include "shell/numpy/convert.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <optional>

#include "runtime/base/text.h"
#include "shell/numpy/element.h"
#include "shell/numpy/ndarray.h"
#include "shell/python/values/bigint.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell::np {
namespace {

template <class T>
Value NumberValue(T v) {
  if constexpr (std::is_same_v<T, bool>)
    return Value::Bool(v);
  else if constexpr (std::is_same_v<T, uint64_t>)
    return IntFromU64(v);
  else if constexpr (std::is_integral_v<T>)
    return Value::Int(v);
  else if constexpr (kIsComplex<T>)
    return MakeComplex(v.real(), v.imag());
  else
    return Value::Float(static_cast<double>(static_cast<float>(v)));
}
template <>
Value NumberValue(double v) {
  return Value::Float(v);
}

double ParseFloat(std::string_view text, const Value& shown) {
  std::string_view s = tensh::Trim(text);
  const bool minus = !s.empty() && s[0] == '-';
  if (!s.empty() && (s[0] == '-' || s[0] == '+')) s.remove_prefix(1);
  double v = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
  const bool signed_twice = !s.empty() && (s[0] == '-' || s[0] == '+');
  if (s.empty() || signed_twice || end != s.data() + s.size() ||
      error == std::errc::invalid_argument)
    throw ValueError("could not convert string to float: " + Repr(shown));
  return minus ? -v : v;
}

bool TextOf(const Value& v, std::string_view* text) {
  if (IsStr(v)) return *text = StrView(v), true;
  if (auto* b = As<BytesObject>(v)) return *text = b->data, true;
  return false;
}

[[noreturn]] void NotANumber(int dtype, const Value& v) {
  if (Sequence(v) || As<NdArray>(v)) throw ValueError("setting an array element with a sequence.");
  // That of a tensor says why it has no elements.
  if (const Value method = FindAttr(v, Intern("__array__")); !method.is_null()) Call(method, {});
  const char* name = IsIntKind(dtype) ? "int() argument must be a string, a bytes-like object or a "
                                        "real number, not '"
                                      : "float() argument must be a string or a real number, not '";
  throw TypeError(name + TypeName(v) + "'");
}

// A number in the widest representation of its kind.
struct Number {
  enum Form : uint8_t { kInt, kUnsigned, kReal, kComplex } form;
  int64_t i = 0;
  uint64_t u = 0;
  double re = 0, im = 0;
};

std::optional<Number> NumberFromObject(int dtype, const Value& v) {
  if (auto* c = As<ComplexObject>(v)) return Number{Number::kComplex, 0, 0, c->re, c->im};
  if (IsBigInt(v)) {
    uint64_t u = 0;
    if (Category(dtype) == 2) return Number{Number::kReal, 0, 0, IntToDouble(v), 0};
    if (KindOf(dtype) == Kind::kUnsigned && IntToU64(v, &u)) return Number{Number::kUnsigned, 0, u};
    throw OverflowError("Python int too large to convert to C long");
  }
  if (auto* a = As<NdArray>(v)) {
    if (a->array.size() != 1 || a->array.rank != 0) return std::nullopt;
    return NumberFromObject(dtype, PythonElement(a->array, a->array.offset));
  }
  std::string_view text;
  if (TextOf(v, &text)) {
    if (!IsIntKind(dtype) && dtype != TSH_BOOL)
      return Number{Number::kReal, 0, 0, ParseFloat(text, v), 0};
    const Value i = IntFromText(text, 10);
    if (i.is_null() || !i.is_int())
      throw ValueError("invalid literal for int() with base 10: " + Repr(v));
    return Number{Number::kInt, i.as_int()};
  }
  if (IsIndex(v)) return Number{Number::kInt, ToIndex(v)};
  if (FindSlot(TypeOf(v), &TypeInfo::to_float)) return Number{Number::kReal, 0, 0, ToDouble(v), 0};
  return std::nullopt;
}

Number ReadNumber(int dtype, const Value& v) {
  switch (v.tag()) {
    case Value::Tag::kBool:
      return {Number::kInt, v.as_bool() ? 1 : 0};
    case Value::Tag::kInt:
      return {Number::kInt, v.as_int()};
    case Value::Tag::kFloat:
      return {Number::kReal, 0, 0, v.as_float(), 0};
    case Value::Tag::kObject:
      if (const std::optional<Number> n = NumberFromObject(dtype, v)) return *n;
      break;
    default:
      break;
  }
  NotANumber(dtype, v);
}

template <class T>
T ToElement(const Number& n, const Value& v) {
  switch (n.form) {
    case Number::kInt:
      return Convert<T>(n.i);
    case Number::kUnsigned:
      return Convert<T>(n.u);
    case Number::kReal:
      if (std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::isfinite(n.re)) {
        if (std::isnan(n.re)) throw ValueError("cannot convert float NaN to integer");
        throw OverflowError("cannot convert float infinity to integer");
      }
      return Convert<T>(n.re);
    case Number::kComplex:
      if constexpr (!kIsComplex<T>) {
        throw TypeError(std::string(std::is_integral_v<T> ? "int" : "float") +
                        "() argument must be a string or a real number, not '" + TypeName(v) + "'");
      }
      return Convert<T>(std::complex<double>(n.re, n.im));
  }
  return T{};
}

std::string TextElement(const Value& v) {
  std::string_view text;
  if (TextOf(v, &text)) return std::string(text);
  if (auto* a = As<NdArray>(v); a && a->array.rank == 0)
    return TextElement(PythonElement(a->array, a->array.offset));
  return Str(v);
}

int64_t TextWidth(const Array& a) {
  const TensorHandle& t = a.buffer->tensor();
  constexpr size_t kLong = 10'000;  // Characters that take longer than looking for Ctrl-C.
  int64_t width = 1;
  for (int64_t i = 0; i < t.elements(); ++i) {
    const std::string_view s = t.string_at(i);
    if (s.size() > kLong) PollInterrupt();
    width = std::max(width, a.dtype == kDTypeUnicode ? CodePoints(std::string(s))
                                                     : static_cast<int64_t>(s.size()));
  }
  return width;
}

}  // namespace

Value PythonElement(const Array& a, int64_t offset) {
  if (a.objects) return a.objects->items[static_cast<size_t>(offset)];
  if (IsText(a.dtype)) {
    std::string text(a.string_at(offset));
    return a.dtype == kDTypeUnicode ? MakeStr(std::move(text)) : MakeBytes(std::move(text));
  }
  const char* p = a.buffer->data() + offset;
  Value v;
  WithType(a.dtype, [&]<class T>() { v = NumberValue(*reinterpret_cast<const T*>(p)); });
  return v;
}

Value ScalarElement(const Array& a, int64_t offset) {
  if (!HasBytes(a.dtype)) return PythonElement(a, offset);
  return MakeScalar(a.dtype, a.buffer->data() + offset);
}

void StoreElement(const Array& a, int64_t offset, const Value& v) {
  if (a.objects) {
    a.objects->items[static_cast<size_t>(offset)] = v;
    return;
  }
  if (IsText(a.dtype)) return a.SetString(offset, TextElement(v));
  const Number n = ReadNumber(a.dtype, v);
  char* p = a.WritableData() - a.offset + offset;
  WithType(a.dtype, [&]<class T>() { *reinterpret_cast<T*>(p) = ToElement<T>(n, v); });
}

Array CastThroughValues(const Array& a, int dtype) {
  Array out = Empty(dtype, a.dims());
  const bool same_text = IsText(a.dtype) && IsText(dtype);
  const int64_t unit = out.unit();
  int64_t to = 0;
  ForEachOffset(a, [&](int64_t at) {
    if (same_text) {
      out.SetString(to, std::string(a.string_at(at)));
    } else {
      // A number becomes text by its own str(), which depends on its width.
      const bool from_number = HasBytes(a.dtype) && IsText(dtype);
      StoreElement(out, to, from_number ? ScalarElement(a, at) : PythonElement(a, at));
    }
    to += unit;
  });
  return out;
}

std::string DTypeReprName(const Array& a) {
  if (a.dtype == kDTypeUnicode) return "'<U" + std::to_string(TextWidth(a)) + "'";
  if (a.dtype == kDTypeBytes) return "'|S" + std::to_string(TextWidth(a)) + "'";
  return GetType(a.dtype).name;
}

TensorView MakeView(const Array& a) {
  TensorView v{a.dtype, a.dims(), a.strides(), nullptr, {}, DTypeReprName(a)};
  if (HasBytes(a.dtype)) {
    v.data = a.data();
  } else {
    v.text = [&a](int64_t at) {
      const Value element = PythonElement(a, a.offset + at);
      const std::string text = Repr(element);
      return As<ListObject>(element) ? "list(" + text + ")" : text;
    };
  }
  return v;
}

int ElementType(const Value& v) {
  switch (v.tag()) {
    case Value::Tag::kBool:
      return TSH_BOOL;
    case Value::Tag::kInt:
      return TSH_INT64;
    case Value::Tag::kFloat:
      return TSH_DOUBLE;
    case Value::Tag::kObject:
      break;
    default:
      return kDTypeObject;
  }
  if (NpScalar* s = AsScalar(v)) return s->dtype();
  if (IsStr(v)) return kDTypeUnicode;
  if (As<BytesObject>(v)) return kDTypeBytes;
  if (As<ComplexObject>(v)) return TSH_COMPLEX128;
  uint64_t u = 0;
  if (IsBigInt(v) && IntToU64(v, &u)) return TSH_UINT64;
  return kDTypeObject;
}

}  // namespace tensh::shell::np
