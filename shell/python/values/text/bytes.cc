// The type bytes, and the codecs between bytes and str.
#include <algorithm>

#include "runtime/base/text.h"
#include "shell/python/values/bigint.h"
#include "shell/python/values/collections/iterator.h"
#include "shell/python/values/collections/sequence.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/format.h"
#include "shell/python/values/ops.h"
#include "shell/python/values/text/str_methods.h"

namespace tensh::shell {
namespace {

const std::string& B(const Value& v) { return static_cast<BytesObject*>(v.object())->data; }

std::string BytesRepr(const Value& v) { return QuoteBytes(B(v)); }
int64_t BytesLen(const Value& v) { return static_cast<int64_t>(B(v).size()); }
uint64_t BytesHash(const Value& v) { return std::hash<std::string>()(B(v)) ^ 0x62; }

Value BytesCompare(CompareOp op, const Value& a, const Value& b) {
  auto *x = As<BytesObject>(a), *y = As<BytesObject>(b);
  return x && y ? Compare(op, Value::Int(x->data.compare(y->data)), Value::Int(0))
                : Value::NotImplemented();
}

Value BytesBinary(BinaryOp op, const Value& a, const Value& b, bool reflected) {
  if (op == BinaryOp::kMod && !reflected) return MakeBytes(PercentFormat(B(a), b, true));
  if (op == BinaryOp::kAdd && !reflected && As<BytesObject>(b)) return MakeBytes(B(a) + B(b));
  if (op == BinaryOp::kMul) {
    const Value &data = reflected ? b : a, &times = reflected ? a : b;
    if (!IsIndex(times) || TypeOf(times).len) return Value::NotImplemented();
    std::string out;
    for (size_t n = RepeatCount(times, B(data).size()); n > 0; --n) out += B(data);
    return MakeBytes(std::move(out));
  }
  return Value::NotImplemented();
}

Value ByteAt(const std::string& data, size_t i) {
  return Value::Int(static_cast<unsigned char>(data[i]));
}

Value BytesGetItem(const Value& v, const Value& key) {
  if (auto* slice = As<SliceObject>(key)) {
    int64_t first, last, stride;
    const int64_t n = slice->Indices(BytesLen(v), &first, &last, &stride);
    if (stride == 1)
      return MakeBytes(B(v).substr(static_cast<size_t>(first), static_cast<size_t>(n)));
    std::string out;
    for (int64_t i = 0; i < n; ++i) out += B(v)[static_cast<size_t>(first + i * stride)];
    return MakeBytes(std::move(out));
  }
  if (!IsIndex(key))
    throw TypeError("byte indices must be integers or slices, not " + TypeName(key));
  int64_t i = ToIndex(key);
  if (i < 0) i += BytesLen(v);
  if (i < 0 || i >= BytesLen(v)) throw IndexError("index out of range");
  return ByteAt(B(v), static_cast<size_t>(i));
}

bool BytesContains(const Value& v, const Value& item) {
  if (auto* b = As<BytesObject>(item)) return B(v).find(b->data) != std::string::npos;
  if (IsIndex(item)) {
    const int64_t byte = IsBigInt(item) ? -1 : ToIndex(item);
    if (byte < 0 || byte > 255) throw ValueError("byte must be in range(0, 256)");
    return B(v).find(static_cast<char>(byte)) != std::string::npos;
  }
  throw TypeError("a bytes-like object is required, not '" + TypeName(item) + "'");
}

Value Make(Args& a) {
  if (!a.has(0)) return MakeBytes("");
  if (auto* s = As<StrObject>(a[0])) {
    if (!a.has(1)) throw TypeError("string argument without an encoding");
    return MakeBytes(
        Encode(s->view(), ToText(a[1], "encoding"), a.has(2) ? ToText(a[2], "errors") : "strict"));
  }
  if (As<BytesObject>(a[0])) return a[0];
  if (IsIndex(a[0])) {
    if (IsBigInt(a[0])) throw OverflowError("cannot fit 'int' into an index-sized integer");
    int64_t n = ToIndex(a[0]);
    if (n < 0) throw ValueError("negative count");
    if (n > (1 << 30)) throw MakeError(kMemoryError, "");
    return MakeBytes(std::string(static_cast<size_t>(n), '\0'));
  }
  if (!FindSlot(TypeOf(a[0]), &TypeInfo::iter) && !FindSlot(TypeOf(a[0]), &TypeInfo::getitem)) {
    throw TypeError("cannot convert '" + TypeName(a[0]) + "' object to bytes");
  }
  // Takes the items one by one, so that the iterator keeps the items after an invalid one.
  std::string out;
  Value v;
  for (const Value it = Iter(a[0]); Next(it, &v);) {
    if (out.size() > (1 << 30)) throw MakeError(kMemoryError, "");
    const int64_t byte = IsBigInt(v) ? -1 : ToIndex(v);
    if (byte < 0 || byte > 255) throw ValueError("bytes must be in range(0, 256)");
    out += static_cast<char>(byte);
  }
  return MakeBytes(std::move(out));
}

std::string Widen(std::string_view data) {
  std::string out;
  for (char c : data) AppendUtf8(static_cast<unsigned char>(c), &out);
  return out;
}
Value FromHex(Args& a) {
  std::string out;
  std::string text = ToText(a[0], "fromhex() argument");
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n' || c == '\t'; });
  auto digit = [](char c) {
    return c >= '0' && c <= '9'                 ? c - '0'
           : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                : -1;
  };
  for (size_t i = 0; i < text.size(); i += 2) {
    if (i + 1 >= text.size() || digit(text[i]) < 0 || digit(text[i + 1]) < 0) {
      throw ValueError("non-hexadecimal number found in fromhex() arg at position " +
                       std::to_string(i));
    }
    out += static_cast<char>(digit(text[i]) * 16 + digit(text[i + 1]));
  }
  return MakeBytes(std::move(out));
}

const FunctionRow kMake = {"bytes", "source=..., encoding=..., errors=...", Make};
const FunctionRow kStatics[] = {{"fromhex", "string, /", FromHex}};
std::string NormalCodec(const std::string& name) {
  std::string out;
  for (char c : name) {
    if (c != '-' && c != '_' && c != ' ') out += AsciiLower(c);
  }
  if (out == "utf8" || out == "u8") return "utf-8";
  if (out == "ascii" || out == "usascii" || out == "646") return "ascii";
  if (out == "latin1" || out == "iso88591" || out == "l1") return "latin-1";
  if (out == "utf16" || out == "u16") return "utf-16";
  if (out == "utf16le") return "utf-16-le";
  if (out == "utf16be") return "utf-16-be";
  throw MakeError(kLookupError, "unknown encoding: " + name);
}

bool IsUtf16(const std::string& codec) { return codec.rfind("utf-16", 0) == 0; }

// utf-16 begins with a mark that gives the byte order. Text without a mark is little-endian.
std::string EncodeUtf16(std::string_view text, const std::string& codec) {
  const bool high_first = codec == "utf-16-be";
  std::string out = codec == "utf-16" ? "\xFF\xFE" : "";
  auto put = [&](uint32_t unit) {
    const char low = static_cast<char>(unit & 0xFF), high = static_cast<char>(unit >> 8);
    out += high_first ? high : low;
    out += high_first ? low : high;
  };
  for (size_t i = 0; i < text.size();) {
    const uint32_t c = DecodeUtf8(text, &i);
    if (c < 0x10000) {
      put(c);
    } else {
      put(0xD800 + ((c - 0x10000) >> 10));
      put(0xDC00 + ((c - 0x10000) & 0x3FF));
    }
  }
  return out;
}

std::string DecodeUtf16(std::string_view bytes, std::string codec, const std::string& errors) {
  size_t at = 0;
  if (codec == "utf-16") {
    const std::string_view mark = bytes.substr(0, 2);
    codec = mark == "\xFE\xFF" ? "utf-16-be" : "utf-16-le";
    if (mark == "\xFE\xFF" || mark == "\xFF\xFE") at = 2;
  }
  const bool high_first = codec == "utf-16-be";
  auto unit = [&](size_t i) {
    const auto a = static_cast<unsigned char>(bytes[i]),
               b = static_cast<unsigned char>(bytes[i + 1]);
    return high_first ? a << 8U | b : b << 8U | a;
  };
  std::string out;
  // Handles undecodable bytes: `why` is the message and `size` the number of bytes to skip.
  auto wrong = [&](const char* why, size_t size) {
    if (errors == "strict") {
      const bool one = size == 1;
      char byte[8];
      std::snprintf(byte, sizeof byte, "0x%02x", static_cast<unsigned char>(bytes[at]));
      throw MakeError(kUnicodeDecodeError, "'" + codec + "' codec can't decode " +
                                               (one ? std::string("byte ") + byte : "bytes") +
                                               " in position " + std::to_string(at) +
                                               (one ? "" : "-" + std::to_string(at + size - 1)) +
                                               ": " + why);
    }
    if (errors == "replace") AppendUtf8(0xFFFD, &out);
    at += size;
  };
  while (at < bytes.size()) {
    if (at + 1 == bytes.size()) {
      wrong("truncated data", 1);
      continue;
    }
    const uint32_t c = unit(at);
    if (c < 0xD800 || c > 0xDFFF) {
      AppendUtf8(c, &out);
      at += 2;
    } else if (c > 0xDBFF) {
      wrong("illegal encoding", 2);
    } else if (at + 4 > bytes.size()) {
      wrong("unexpected end of data", bytes.size() - at);
    } else if (const uint32_t low = unit(at + 2); low < 0xDC00 || low > 0xDFFF) {
      wrong("illegal UTF-16 surrogate", 2);
    } else {
      AppendUtf8(0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00), &out);
      at += 4;
    }
  }
  return out;
}

}  // namespace

const TypeInfo BytesObject::kType = {.name = "bytes",
                                     .methods = kBytesMethods,
                                     .statics = kStatics,
                                     .construct = &kMake,
                                     .repr = BytesRepr,
                                     .hash = BytesHash,
                                     .compare = BytesCompare,
                                     .binary = BytesBinary,
                                     .len = BytesLen,
                                     .getitem = BytesGetItem,
                                     .contains = BytesContains,
                                     .iter = IterBytes};

Value MakeBytes(std::string data) { return New<BytesObject>(std::move(data)); }

namespace {

// Returns a character as an escape in ASCII, such as "\\xe9".
std::string Escaped(uint32_t cp) {
  char buffer[16];
  const char* form = cp < 0x100 ? "\\x%02x" : cp < 0x10000 ? "\\u%04x" : "\\U%08x";
  std::snprintf(buffer, sizeof buffer, form, cp);
  return buffer;
}

}  // namespace

Value Decode(std::string_view bytes, const std::string& encoding, const std::string& errors) {
  const std::string codec = NormalCodec(encoding);
  if (codec == "latin-1") return MakeStr(Widen(bytes));
  if (IsUtf16(codec)) return MakeStr(DecodeUtf16(bytes, codec, errors));
  std::string out;
  for (size_t at = 0; at < bytes.size();) {
    std::string_view rest = bytes.substr(at);
    size_t bad = codec == "utf-8" ? FindInvalidUtf8(rest) : rest.npos;
    if (codec == "ascii") {
      auto it = std::find_if(rest.begin(), rest.end(),
                             [](char c) { return static_cast<unsigned char>(c) >= 128; });
      if (it != rest.end()) bad = static_cast<size_t>(it - rest.begin());
    }
    out += rest.substr(0, bad);
    if (bad == rest.npos) break;
    at += bad;
    if (errors == "strict") {
      char text[160];
      const auto byte = static_cast<unsigned char>(bytes[at]);
      const char* why = codec == "ascii"             ? "ordinal not in range(128)"
                        : byte < 0xC2 || byte > 0xF4 ? "invalid start byte"
                        : at + 1 >= bytes.size()     ? "unexpected end of data"
                                                     : "invalid continuation byte";
      std::snprintf(text, sizeof text, "'%s' codec can't decode byte 0x%02x in position %zu: %s",
                    codec.c_str(), byte, at, why);
      throw MakeError(kUnicodeDecodeError, text);
    }
    if (errors == "replace") AppendUtf8(0xFFFD, &out);
    if (errors == "backslashreplace") out += Escaped(static_cast<unsigned char>(bytes[at]));
    ++at;
  }
  return MakeStr(std::move(out));
}

std::string Encode(std::string_view text, const std::string& encoding, const std::string& errors) {
  const std::string codec = NormalCodec(encoding);
  if (codec == "utf-8") return std::string(text);
  if (IsUtf16(codec)) return EncodeUtf16(text, codec);
  const uint32_t limit = codec == "ascii" ? 128 : 256;
  std::string out;
  size_t position = 0;
  for (size_t i = 0; i < text.size(); ++position) {
    uint32_t cp = DecodeUtf8(text, &i);
    if (cp < limit) {
      out += static_cast<char>(cp);
    } else if (errors == "strict") {
      size_t last = position, after = i;
      for (; after < text.size() && DecodeUtf8(text, &after) >= limit;) ++last;
      if (last > position) {
        throw MakeError(kUnicodeEncodeError,
                        "'" + codec + "' codec can't encode characters in position " +
                            std::to_string(position) + "-" + std::to_string(last) +
                            ": ordinal not in range(" + std::to_string(limit) + ")");
      }
      throw MakeError(kUnicodeEncodeError,
                      "'" + codec + "' codec can't encode character '" + Escaped(cp) +
                          "' in position " + std::to_string(position) + ": ordinal not in range(" +
                          std::to_string(limit) + ")");
    } else if (errors == "replace") {
      out += '?';
    } else if (errors == "backslashreplace") {
      out += Escaped(cp);
    } else if (errors == "xmlcharrefreplace") {
      out += "&#" + std::to_string(cp) + ";";
    }
  }
  return out;
}

}  // namespace tensh::shell
