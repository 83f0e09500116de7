#include "shell/tensorflow/io/message_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "runtime/base/utf8.h"
#include "runtime/base/wire.h"
#include "shell/python/values/ops.h"
#include "shell/text/float_text.h"

namespace tensh::shell::tf {
namespace {

// Returns true for a character that could move the cursor of a terminal or turn the text around it. Messages come from files
// of strangers.
bool IsUnsafe(int32_t code) {
  return code < 0 || IsControlCode(static_cast<uint32_t>(code)) ||
         TurnsText(static_cast<uint32_t>(code));
}

std::string Escaped(std::string_view text, bool keep_non_ascii) {
  std::string out = "\"";
  bool keep = false;  // the bytes of the current character from 128 on
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    size_t bytes = 1;
    if ((byte & 0xc0) != 0x80) keep = keep_non_ascii && !IsUnsafe(CheckedUtf8(text, i, &bytes));
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '"':
        out += "\\\"";
        break;
      case '\'':
        out += "\\'";
        break;
      case '\\':
        out += "\\\\";
        break;
      default:
        if ((byte >= 32 && byte < 127) || (byte >= 128 && keep)) {
          out += c;
        } else {
          char octal[8];
          std::snprintf(octal, sizeof octal, "\\%03o", byte);
          out += octal;
        }
    }
  }
  return out + "\"";
}

// Returns a number with as few digits as C's printf needs to distinguish it, as str() of a message
// prints it.
template <class T>
std::string ShortText(T number) {
  constexpr int kDigits = std::numeric_limits<T>::digits10;
  constexpr int kMost = std::numeric_limits<T>::max_digits10;
  char text[40];
  const auto wide = static_cast<double>(number);
  std::snprintf(text, sizeof text, "%.*g", kDigits, wide);
  const bool is_exact = std::isnan(number) || static_cast<T>(std::strtod(text, nullptr)) == number;
  if (!is_exact) std::snprintf(text, sizeof text, "%.*g", kMost, wide);
  return std::isnan(number) ? "nan" : text;
}

std::string ScalarText(const MessageField& field, const WireReader& in, TextStyle style) {
  switch (field.kind) {
    case FieldKind::kInt32:
      return std::to_string(static_cast<int32_t>(in.integer()));
    case FieldKind::kInt64:
      return std::to_string(in.integer());
    case FieldKind::kUint32:
      return std::to_string(static_cast<uint32_t>(in.varint()));
    case FieldKind::kUint64:
      return std::to_string(in.varint());
    case FieldKind::kBool:
      return in.varint() ? "true" : "false";
    case FieldKind::kEnum: {
      const std::string name = EnumName(field.values, in.integer());
      return name.empty() ? std::to_string(in.integer()) : name;
    }
    case FieldKind::kFloat:
      if (style == TextStyle::kStr) return ShortText(in.as_float());
      return FloatScalarText(static_cast<double>(in.as_float()), FloatWidth::kSingle);
    case FieldKind::kDouble:
      if (style == TextStyle::kStr) return ShortText(in.as_double());
      return Repr(Value::Float(in.as_double()));
    default:
      return Escaped(in.bytes(), style != TextStyle::kAscii && field.kind == FieldKind::kString);
  }
}

// Prints a packed field with one line per number.
void PrintPacked(const MessageField& field, std::string_view bytes, TextStyle style,
                 const std::string& indent, std::string* out) {
  const bool fixed = field.kind == FieldKind::kFloat || field.kind == FieldKind::kDouble;
  const size_t size = field.kind == FieldKind::kDouble ? 8 : 4;
  while (!bytes.empty()) {
    // Encodes each number as a message with one field, which WireReader can read.
    std::string one(1, static_cast<char>(fixed ? (size == 8 ? 9 : 13) : 8));
    size_t n = fixed ? size : 1;
    while (!fixed && n < bytes.size() && bytes[n - 1] & 0x80) ++n;
    one += bytes.substr(0, n);
    WireReader in(one);
    if (n > bytes.size() || !in.Next()) return;
    *out += indent + field.name + ": " + ScalarText(field, in, style) + "\n";
    bytes.remove_prefix(n);
  }
}

constexpr size_t kMaxDepth = 100;

std::string KeyOf(std::string_view entry) {
  WireReader in(entry);
  while (in.Next())
    if (in.field() == 1) return in.type() == 2 ? in.text() : std::to_string(in.integer());
  return {};
}

// Returns true if the value is one that a message does not print: zero or empty, in a field that has
// it unless it is set. Only str(message) prints such keys and values of maps.
bool IsUnset(const MessageSchema& schema, const MessageField& field, const WireReader& in,
             TextStyle style) {
  const bool is_entry = *schema.name == '\0' && style == TextStyle::kStr;
  return field.label == FieldLabel::kSingular && !is_entry && in.varint() == 0 &&
         in.fixed32() == 0 && in.fixed64() == 0 && in.bytes().empty();
}

class Printer {
 public:
  explicit Printer(TextStyle style) : style_(style) {}

  // Protocol buffers print fields in the order of their numbers. Values of one field stay in the
  // order of the message, and maps are sorted by key.
  void Print(const MessageSchema& schema, std::string_view message, const std::string& indent) {
    const int set = schema.oneof ? LastOfOneof(schema, message) : 0;
    for (const MessageField& field : schema.fields) {
      if (field.is_oneof() && field.number != set) continue;
      if (field.is_message())
        PrintMessages(field, message, indent);
      else
        PrintScalars(schema, field, message, indent);
    }
  }

  std::string Take() { return std::move(out_); }

 private:
  // Returns the number of the member that is set: the last one in the message.
  static int LastOfOneof(const MessageSchema& schema, std::string_view message) {
    int last = 0;
    WireReader in(message);
    while (in.Next()) {
      const size_t i = schema.Find(in.field());
      if (i < schema.fields.size() && schema.fields[i].is_oneof()) last = in.field();
    }
    return last;
  }

  void PrintScalars(const MessageSchema& schema, const MessageField& field,
                    std::string_view message, const std::string& indent) {
    std::string last;  // of a field that is not repeated
    WireReader in(message);
    while (in.Next()) {
      if (in.field() != field.number) continue;
      if (in.type() == 2 && !field.is_text()) {
        PrintPacked(field, in.bytes(), style_, indent, &out_);
        continue;
      }
      const bool is_unset = IsUnset(schema, field, in, style_);
      last = is_unset ? "" : indent + field.name + ": " + ScalarText(field, in, style_) + "\n";
      if (field.is_repeated()) out_ += last;
    }
    if (!field.is_repeated()) out_ += last;
  }

  void PrintMessages(const MessageField& field, std::string_view message,
                     const std::string& indent) {
    std::vector<std::string_view> found;
    WireReader in(message);
    while (in.Next())
      if (in.field() == field.number) found.push_back(in.bytes());
    std::string merged;
    if (field.is_single() && found.size() > 1) {  // The parts of one message.
      for (const std::string_view part : found) merged += part;
      found = {merged};
    }
    if (field.is_map())
      std::stable_sort(found.begin(), found.end(),
                       [](auto a, auto b) { return KeyOf(a) < KeyOf(b); });
    for (size_t i = 0; i < found.size(); ++i) {
      // The last entry with a key replaces those before it.
      const bool replaced =
          field.is_map() && i + 1 < found.size() && KeyOf(found[i]) == KeyOf(found[i + 1]);
      if (!replaced) PrintMessage(field, found[i], indent);
    }
  }

  void PrintMessage(const MessageField& field, std::string_view message,
                    const std::string& indent) {
    out_ += indent + field.name + " {\n";
    const bool is_deep = indent.size() / 2 >= kMaxDepth;
    if (!is_deep) Print(*field.message, message, indent + "  ");
    out_ += indent + "}\n";
  }

  const TextStyle style_;
  std::string out_;
};

}  // namespace

std::string MessageText(const MessageSchema& schema, std::string_view message, TextStyle style) {
  Printer printer(style);
  printer.Print(schema, message, "");
  return printer.Take();
}

}  // namespace tensh::shell::tf
