// The module _wire: the wire format of protocol buffers, for messages that are written in Python
// (shell/tensorflow/python/io/wire_format.py).
#include "runtime/base/wire.h"

#include <string>

#include "shell/python/modules/modules.h"
#include "shell/python/values/bigint.h"
#include "shell/python/values/collections/iterator.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

constexpr int kVarint = 0, kEightBytes = 1, kBytes = 2, kFourBytes = 5;  // the wire types

// Negative numbers are written as 64 bits.
uint64_t Bits(const Value& v) {
  uint64_t bits;
  return IntToU64(v, &bits) ? bits : static_cast<uint64_t>(ToIndex(v));
}

const std::string& MessageBytes(const Value& v) {
  const auto* bytes = As<BytesObject>(v);
  if (bytes == nullptr)
    throw TypeError("a bytes-like object is required, not '" + TypeName(v) + "'");
  return bytes->data;
}

[[noreturn]] void ThrowParseError() { throw ValueError("Error parsing message"); }

uint64_t Taken(std::string_view* in) {
  uint64_t v;
  if (!TakeVarint(*in, v)) ThrowParseError();
  return v;
}

Value Varint(Args& a) {
  std::string out;
  AppendVarint(out, Bits(a[0]));
  return MakeBytes(std::move(out));
}

Value Varints(Args& a) {
  std::string out;
  for (const Value& v : ToVector(a[0])) AppendVarint(out, Bits(v));
  return MakeBytes(std::move(out));
}

// Arguments: number, value (an int, a str or bytes).
Value Field(Args& a) {
  const auto key = static_cast<uint64_t>(ToIndex(a[0])) << 3;
  std::string out;
  std::string_view text;
  if (IsInt(a[1])) {
    AppendVarint(out, key | kVarint);
    AppendVarint(out, Bits(a[1]));
    return MakeBytes(std::move(out));
  }
  if (const auto* str = As<StrObject>(a[1])) {
    text = str->view();
  } else {
    text = MessageBytes(a[1]);
  }
  AppendVarint(out, key | kBytes);
  AppendVarint(out, text.size());
  out += text;
  return MakeBytes(std::move(out));
}

// Returns the numbers of packed varints, of which the highest bit is the sign.
Value Integers(Args& a) {
  std::string_view in = MessageBytes(a[0]);
  std::vector<Value> out;
  while (!in.empty()) out.push_back(Value::Int(static_cast<int64_t>(Taken(&in))));
  return MakeList(std::move(out));
}

// Iterates over (number, value) of the fields of a message, or of those with one number.
class FieldIterator : public Iterator {
 public:
  static const TypeInfo kType;
  FieldIterator(Value message, int64_t only)
      : Iterator(kType), message_(std::move(message)), in_(MessageBytes(message_)), only_(only) {}
  void DropRefs() override {
    in_ = {};
    message_ = Value();
  }

  bool Step(Value* out) override {
    while (!in_.empty()) {
      const uint64_t key = Taken(&in_);
      const auto number = static_cast<int64_t>(key >> 3);
      const bool wanted = only_ < 0 || number == only_;
      Value value;
      if ((key & 7) == kVarint) {
        value = IntFromU64(Taken(&in_));
      } else {
        const std::string_view bytes = TakeBytes(static_cast<int>(key & 7));
        if (wanted) value = MakeBytes(std::string(bytes));
      }
      if (!wanted) continue;
      *out = MakeTuple({Value::Int(number), std::move(value)});
      return true;
    }
    return false;
  }

 private:
  std::string_view TakeBytes(int kind) {
    if (kind != kBytes && kind != kEightBytes && kind != kFourBytes) ThrowParseError();
    const uint64_t size = kind == kBytes ? Taken(&in_) : kind == kEightBytes ? 8 : 4;
    if (size > in_.size()) ThrowParseError();
    const std::string_view bytes = in_.substr(0, size);
    in_.remove_prefix(size);
    return bytes;
  }

  Value message_;
  std::string_view in_;  // the rest of the message
  int64_t only_;         // -1 for all fields
};
const TypeInfo FieldIterator::kType = IteratorType("fields");

// Arguments: data, only.
Value Fields(Args& a) { return New<FieldIterator>(a[0], a[1].is_none() ? -1 : ToIndex(a[1])); }

const FunctionRow kRows[] = {{"varint", "n, /", Varint},
                             {"varints", "values, /", Varints},
                             {"field", "number, value, /", Field},
                             {"integers", "data, /", Integers},
                             {"fields", "data, only=None, /", Fields}};

}  // namespace

const ModuleDef kWireModule = {.name = "_wire", .functions = kRows};

}  // namespace tensh::shell
