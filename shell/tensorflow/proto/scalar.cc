#include "shell/tensorflow/proto/scalar.h"

#include <cmath>
#include <limits>

#include "runtime/base/utf8.h"
#include "shell/python/values/bigint.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell::tf {
namespace {

constexpr int kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5;

int WireTypeOf(FieldKind kind) {
  switch (kind) {
    case FieldKind::kFloat:
      return kFixed32;
    case FieldKind::kDouble:
      return kFixed64;
    case FieldKind::kString:
    case FieldKind::kBytes:
    case FieldKind::kMessage:
      return kLength;
    default:
      return kVarint;
  }
}

Value FromVarint(FieldKind kind, uint64_t number) {
  switch (kind) {
    case FieldKind::kBool:
      return Value::Bool(number != 0);
    case FieldKind::kUint32:
      return Value::Int(static_cast<uint32_t>(number));
    case FieldKind::kUint64:
      return IntFromU64(number);
    case FieldKind::kInt32:
    case FieldKind::kEnum:
      return Value::Int(static_cast<int32_t>(number));
    default:
      return Value::Int(static_cast<int64_t>(number));
  }
}

uint64_t ToVarint(const Value& number) {
  if (number.is_bool()) return number.as_bool();
  if (number.is_int()) return static_cast<uint64_t>(number.as_int());
  uint64_t large = 0;  // an element of a uint64 field
  IntToU64(number, &large);
  return large;
}

[[noreturn]] void ThrowNotInteger(const Value& value) {
  throw TypeError("'" + TypeName(value) + "' object cannot be interpreted as an integer");
}

[[noreturn]] void ThrowOutOfRange(const Value& value) {
  throw ValueError("Value out of range: " + Repr(value));
}

Value ConvertUint64(const Value& value) {
  if (!IsIndex(value)) ThrowNotInteger(value);
  uint64_t number = 0;
  if (IsBigInt(value) && IntToU64(value, &number)) return value;
  if (IsBigInt(value)) ThrowOutOfRange(value);
  const int64_t small = ToIndex(value);
  if (small < 0) ThrowOutOfRange(value);
  return Value::Int(small);
}

Value ConvertInteger(FieldKind kind, const Value& value) {
  if (kind == FieldKind::kUint64) return ConvertUint64(value);
  if (!IsIndex(value)) ThrowNotInteger(value);
  if (IsBigInt(value)) ThrowOutOfRange(value);
  const int64_t number = ToIndex(value);
  using Int32 = std::numeric_limits<int32_t>;
  const bool fits = kind == FieldKind::kInt64    ? true
                    : kind == FieldKind::kUint32 ? number >= 0 && number <= UINT32_MAX
                                                 : number >= Int32::min() && number <= Int32::max();
  if (!fits) ThrowOutOfRange(value);
  return Value::Int(number);
}

Value ConvertEnum(const MessageField& field, const Value& value) {
  if (!IsStr(value)) return ConvertInteger(FieldKind::kInt32, value);
  if (const auto number = EnumNumber(field.values, StrView(value))) return Value::Int(*number);
  throw ValueError("unknown enum label \"" + std::string(StrView(value)) + "\"");
}

Value ConvertBool(const Value& value) {
  if (value.is_bool()) return value;
  const bool is_number = IsIndex(value) || TypeName(value).starts_with("numpy.bool");
  if (!is_number) ThrowNotInteger(value);
  return Value::Bool(Truth(value));
}

Value ConvertFloat(FieldKind kind, const Value& value) {
  if (IsStr(value) || As<BytesObject>(value) || value.is_none())
    throw TypeError("must be real number, not " + TypeName(value));
  const double number = ToDouble(value);
  if (kind == FieldKind::kDouble) return Value::Float(number);
  constexpr double kLargest = std::numeric_limits<float>::max();
  if (std::abs(number) > kLargest)
    return Value::Float(std::copysign(std::numeric_limits<double>::infinity(), number));
  return Value::Float(static_cast<double>(static_cast<float>(number)));
}

Value ConvertString(const Value& value) {
  if (As<BytesObject>(value)) return CallMethod(value, "decode", {});
  auto* text = As<StrObject>(value);
  if (!text) throw TypeError("bad argument type for built-in operation");
  // A surrogate cannot be encoded.
  if (FindInvalidUtf8(text->view()) != std::string_view::npos) CallMethod(value, "encode", {});
  return &text->type() == &StrObject::kType ? value : MakeStr(text->view());
}

Value ConvertBytes(const Value& value) {
  if (!As<BytesObject>(value)) throw TypeError("expected bytes, " + TypeName(value) + " found");
  return value;
}

std::string_view TextOf(const Value& value) {
  auto* bytes = As<BytesObject>(value);
  return bytes ? std::string_view(bytes->data) : StrView(value);
}

// ---- checks of messages ----

constexpr const char* kCorrupt = "Wire format was corrupt";
constexpr int kDeepest = 100;  // the limit of protocol buffers

bool ArePacked(const MessageField& field, std::string_view numbers) {
  const int type = WireTypeOf(field.kind);
  if (type == kFixed32 || type == kFixed64) return numbers.size() % (type == kFixed32 ? 4 : 8) == 0;
  uint64_t number = 0;
  while (!numbers.empty())
    if (!TakeVarint(numbers, number)) return false;
  return true;
}

const char* WhyInvalidAt(const MessageSchema& schema, std::string_view message, int depth) {
  if (depth > kDeepest) return "Exceeded upb_DecodeOptions_MaxDepth";
  WireReader in(message);
  while (in.Next()) {
    if (in.field() == 0) return kCorrupt;
    const size_t i = schema.Find(in.field());
    if (i >= schema.fields.size() || !in.is_bytes()) continue;
    const MessageField& field = schema.fields[i];
    if (field.kind == FieldKind::kString && FindInvalidUtf8(in.bytes()) != std::string_view::npos)
      return "String field had bad UTF-8";
    if (field.is_message()) {
      if (const char* why = WhyInvalidAt(*field.message, in.bytes(), depth + 1)) return why;
    } else if (!field.is_text() && field.is_repeated() && !ArePacked(field, in.bytes())) {
      return kCorrupt;
    }
  }
  return in.ok() ? nullptr : kCorrupt;
}

}  // namespace

bool Fits(const MessageField& field, const WireReader& in) {
  return in.type() == WireTypeOf(field.kind);
}

Value ReadScalar(const MessageField& field, const WireReader& in) {
  switch (field.kind) {
    case FieldKind::kFloat:
      return Value::Float(static_cast<double>(in.as_float()));
    case FieldKind::kDouble:
      return Value::Float(in.as_double());
    case FieldKind::kString:
      return MakeStr(in.bytes());
    case FieldKind::kBytes:
      return MakeBytes(in.text());
    default:
      return FromVarint(field.kind, in.varint());
  }
}

Value TakePacked(const MessageField& field, std::string_view* numbers) {
  const int type = WireTypeOf(field.kind);
  if (type == kVarint) {
    uint64_t number = 0;
    return TakeVarint(*numbers, number) ? FromVarint(field.kind, number) : Value();
  }
  const size_t size = type == kFixed32 ? 4 : 8;
  if (type == kLength || numbers->size() < size) return Value();
  double number = 0;
  if (size == 4) {
    float single;
    std::memcpy(&single, numbers->data(), size);
    number = static_cast<double>(single);
  } else {
    std::memcpy(&number, numbers->data(), size);
  }
  numbers->remove_prefix(size);
  return Value::Float(number);
}

void WriteScalar(const MessageField& field, const Value& value, ReverseWriter* out) {
  if (field.is_text()) return out->Bytes(field.number, TextOf(value));
  WireWriter number;
  if (field.kind == FieldKind::kFloat)
    number.AlwaysFloat(field.number, static_cast<float>(value.as_float()));
  else if (field.kind == FieldKind::kDouble)
    number.AlwaysDouble(field.number, value.as_float());
  else
    number.AlwaysInt(field.number, static_cast<int64_t>(ToVarint(value)));
  out->Raw(number.text());
}

void AppendPacked(const MessageField& field, const Value& value, std::string* out) {
  if (field.kind == FieldKind::kFloat) {
    const auto number = static_cast<float>(value.as_float());
    out->append(reinterpret_cast<const char*>(&number), sizeof number);
  } else if (field.kind == FieldKind::kDouble) {
    const double number = value.as_float();
    out->append(reinterpret_cast<const char*>(&number), sizeof number);
  } else {
    AppendVarint(*out, ToVarint(value));
  }
}

Value DefaultOf(const MessageField& field) {
  switch (field.kind) {
    case FieldKind::kBool:
      return Value::Bool(false);
    case FieldKind::kFloat:
    case FieldKind::kDouble:
      return Value::Float(0);
    case FieldKind::kString:
      return MakeStr("");
    case FieldKind::kBytes:
      return MakeBytes("");
    default:
      return Value::Int(0);
  }
}

bool IsDefault(const Value& scalar) {
  if (scalar.is_float()) return scalar.as_float() == 0 && !std::signbit(scalar.as_float());
  if (scalar.is_object()) return !IsBigInt(scalar) && TextOf(scalar).empty();
  return scalar.is_bool() ? !scalar.as_bool() : scalar.as_int() == 0;
}

Value ConvertScalar(const MessageField& field, const Value& value) {
  switch (field.kind) {
    case FieldKind::kBool:
      return ConvertBool(value);
    case FieldKind::kEnum:
      return ConvertEnum(field, value);
    case FieldKind::kFloat:
    case FieldKind::kDouble:
      return ConvertFloat(field.kind, value);
    case FieldKind::kString:
      return ConvertString(value);
    case FieldKind::kBytes:
      return ConvertBytes(value);
    default:
      return ConvertInteger(field.kind, value);
  }
}

std::string WhyInvalid(const MessageSchema& schema, std::string_view message) {
  const char* why = WhyInvalidAt(schema, message, 0);
  return why ? why : "";
}

}  // namespace tensh::shell::tf
