// UnicodeDecode, UnicodeEncode and UnicodeTranscode: conversion between encodings and code points.
#include <algorithm>

#include "ops/op_file.h"
#include "ops/support/shape_util.h"
#include "runtime/base/utf8.h"

namespace tensh::ops {
namespace {

enum class Encoding { kUtf8, kUtf16Be, kUtf16Le, kUtf32Be, kUtf32Le, kAscii, kLatin1 };

Result<Encoding> ParseEncoding(std::string_view name) {
  std::string plain;
  for (char c : name)
    if (c != '-' && c != '_' && c != ' ')
      plain += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  static constexpr std::pair<std::string_view, Encoding> kNames[] = {
      {"UTF8", Encoding::kUtf8},       {"UTF16BE", Encoding::kUtf16Be},
      {"UTF16LE", Encoding::kUtf16Le}, {"UTF32BE", Encoding::kUtf32Be},
      {"UTF32LE", Encoding::kUtf32Le}, {"USASCII", Encoding::kAscii},
      {"ASCII", Encoding::kAscii},     {"ISO88591", Encoding::kLatin1},
      {"LATIN1", Encoding::kLatin1}};
  for (const auto& [known, encoding] : kNames)
    if (plain == known) return encoding;
  return InvalidArgument("Could not create converter for input encoding: ", name,
                         "; there are UTF-8, UTF-16-BE, UTF-16-LE, UTF-32-BE, UTF-32-LE, US-ASCII "
                         "and ISO-8859-1");
}

constexpr int32_t kBad = -1;

uint32_t Byte(std::string_view s, size_t i) { return static_cast<unsigned char>(s[i]); }
bool IsSurrogate(uint32_t c) { return c >= 0xD800 && c <= 0xDFFF; }

int32_t NextUtf16(std::string_view s, size_t i, bool big, size_t* bytes) {
  const auto unit = [&](size_t at) {
    return big ? Byte(s, at) << 8 | Byte(s, at + 1) : Byte(s, at + 1) << 8 | Byte(s, at);
  };
  *bytes = std::min<size_t>(2, s.size() - i);
  if (*bytes < 2) return kBad;
  const uint32_t first = unit(i);
  if (!IsSurrogate(first)) return static_cast<int32_t>(first);
  if (first >= 0xDC00 || i + 4 > s.size()) return kBad;
  const uint32_t second = unit(i + 2);
  if (second < 0xDC00 || second > 0xDFFF) return kBad;
  *bytes = 4;
  return static_cast<int32_t>(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00));
}

int32_t NextUtf32(std::string_view s, size_t i, bool big, size_t* bytes) {
  *bytes = std::min<size_t>(4, s.size() - i);
  if (*bytes < 4) return kBad;
  uint32_t code = 0;
  for (size_t k = 0; k < 4; ++k) code = code << 8 | Byte(s, big ? i + k : i + 3 - k);
  return code > 0x10FFFF || IsSurrogate(code) ? kBad : static_cast<int32_t>(code);
}

int32_t Next(Encoding encoding, std::string_view s, size_t i, size_t* bytes) {
  *bytes = 1;
  switch (encoding) {
    case Encoding::kUtf8:
      return CheckedUtf8(s, i, bytes);
    case Encoding::kUtf16Be:
    case Encoding::kUtf16Le:
      return NextUtf16(s, i, encoding == Encoding::kUtf16Be, bytes);
    case Encoding::kUtf32Be:
    case Encoding::kUtf32Le:
      return NextUtf32(s, i, encoding == Encoding::kUtf32Be, bytes);
    case Encoding::kAscii:
      return Byte(s, i) < 0x80 ? static_cast<int32_t>(Byte(s, i)) : kBad;
    case Encoding::kLatin1:
      return static_cast<int32_t>(Byte(s, i));
  }
  return kBad;
}

void AppendUnit(std::string* out, uint32_t value, int bytes) {
  while (bytes-- > 0) *out += static_cast<char>(value >> (8 * bytes) & 0xFF);
}

void Append(Encoding encoding, uint32_t code, std::string* out) {
  if (encoding == Encoding::kUtf32Be) return AppendUnit(out, code, 4);
  if (encoding == Encoding::kUtf16Be) {
    if (code < 0x10000) return AppendUnit(out, code, 2);
    AppendUnit(out, 0xD800 + ((code - 0x10000) >> 10), 2);
    return AppendUnit(out, 0xDC00 + ((code - 0x10000) & 0x3FF), 2);
  }
  AppendUtf8(code, out);
}

struct UnicodeState : KernelState {
  Encoding in = Encoding::kUtf8, out = Encoding::kUtf8;
  enum Errors { kReplace, kIgnore, kStrict } errors = kReplace;
  int32_t replacement = 0xFFFD;
  bool controls = false;  // true if control characters are replaced too
};

Result<std::unique_ptr<KernelState>> PrepareUnicode(PrepareCtx& c) {
  auto state = std::make_unique<UnicodeState>();
  if (const AttrValue* in = c.attrs().Find("input_encoding")) {
    TENSH_ASSIGN(state->in, ParseEncoding(*in->Find<std::string>()));
  }
  if (const AttrValue* out = c.attrs().Find("output_encoding")) {
    TENSH_ASSIGN(state->out, ParseEncoding(*out->Find<std::string>()));
  }
  if (const AttrValue* controls = c.attrs().Find("replace_control_characters"))
    state->controls = *controls->Find<bool>();
  const std::string& errors = c.attrs().String("errors");
  state->errors = errors == "strict"   ? UnicodeState::kStrict
                  : errors == "ignore" ? UnicodeState::kIgnore
                                       : UnicodeState::kReplace;
  const int64_t replacement = c.attrs().Int("replacement_char");
  if (replacement < 0 || replacement > 0x10FFFF || IsSurrogate(static_cast<uint32_t>(replacement)))
    return InvalidArgument("replacement_char out of unicode codepoint range");
  state->replacement = static_cast<int32_t>(replacement);
  return std::unique_ptr<KernelState>(std::move(state));
}

// Calls fn(code point, offset) for each character of s that is kept.
template <class Fn>
Status ForEachCharacter(const UnicodeState& state, std::string_view s, Fn fn) {
  for (size_t i = 0, bytes = 0; i < s.size(); i += bytes) {
    int32_t code = Next(state.in, s, i, &bytes);
    if (code == kBad) {
      if (state.errors == UnicodeState::kStrict)
        return InvalidArgument("Invalid formatting on input string");
      if (state.errors == UnicodeState::kIgnore) continue;
      code = state.replacement;
    } else if (state.controls && code < 0x20) {
      code = state.replacement;
    }
    fn(code, static_cast<int64_t>(i));
  }
  return {};
}

template <bool kOffsets>
Status Decode(KernelCtx& c) {
  const Tensor& in = c.in(0);
  const auto& state = c.state<UnicodeState>();
  std::vector<int32_t> codes;
  std::vector<int64_t> starts, splits = {0};
  for (const std::string& s : in.flat<std::string>()) {
    TENSH_RETURN_IF_ERROR(ForEachCharacter(state, s, [&](int32_t code, int64_t at) {
      codes.push_back(code);
      if (kOffsets) starts.push_back(at);
    }));
    splits.push_back(static_cast<int64_t>(codes.size()));
  }
  if (c.out_dtype(0) == DType::kInt32 && splits.back() > INT32_MAX)
    return InvalidArgument("too many characters for int32 splits");
  c.SetOutput(0, IndexVector(c.out_dtype(0), splits));
  c.SetOutput(1, Tensor::Vector<int32_t>(codes));
  if (kOffsets) c.SetOutput(2, Tensor::Vector<int64_t>(starts));
  return {};
}

Status Transcode(KernelCtx& c) {
  const Tensor& in = c.in(0);
  const auto& state = c.state<UnicodeState>();
  TENSH_OUTPUT(out, c.Output(0, in.shape()));
  for (int64_t i = 0; i < in.num_elements(); ++i) {
    std::string text;
    TENSH_RETURN_IF_ERROR(ForEachCharacter(
        state, in.data<std::string>()[i],
        [&](int32_t code, int64_t) { Append(state.out, static_cast<uint32_t>(code), &text); }));
    out->data<std::string>()[i] = std::move(text);
  }
  return {};
}

Status Encode(KernelCtx& c) {
  const Tensor &codes = c.in(0), &splits = c.in(1);
  const auto& state = c.state<UnicodeState>();
  const std::vector<int64_t> at = IndexValues(splits);
  if (at.empty()) return InvalidArgument("Input_splits should contain elements, but was given 0.");
  if (at[0] != 0) return InvalidArgument("First value in input_splits must be zero, got ", at[0]);
  for (size_t i = 1; i < at.size(); ++i)
    if (at[i] < at[i - 1])
      return InvalidArgument("Values in input_splits must be equal or in ascending order.");
  if (at.back() != codes.num_elements())
    return InvalidArgument(
        "Last value in input_splits must be equal to the length of "
        "input_values, got ",
        at.back(), " and ", codes.num_elements());
  TENSH_OUTPUT(out, c.Output(0, Shape({static_cast<int64_t>(at.size()) - 1})));
  for (size_t row = 0; row + 1 < at.size(); ++row) {
    std::string text;
    for (int64_t k = at[row]; k < at[row + 1]; ++k) {
      int32_t code = codes.data<int32_t>()[k];
      if (code < 0 || code > 0x10FFFF || IsSurrogate(static_cast<uint32_t>(code))) {
        if (state.errors == UnicodeState::kStrict)
          return InvalidArgument("Code point is out of range for Unicode, or a noncharacter.");
        if (state.errors == UnicodeState::kIgnore) continue;
        code = state.replacement;
      }
      Append(state.out, static_cast<uint32_t>(code), &text);
    }
    out->data<std::string>()[row] = std::move(text);
  }
  return {};
}

Status DecodeShape(ShapeCtx& c) {
  const bool known = c.in(0).IsFullyKnown();
  c.Set(0, Shape({known ? c.in(0).num_elements() + 1 : -1}));
  for (int i = 1; i < c.num_outputs(); ++i) c.Set(i, Shape({-1}));
  return {};
}

Status EncodeShape(ShapeCtx& c) {
  const int64_t n = c.in(1).has_rank() ? c.in(1)[0] : -1;
  if (n == 0) return InvalidArgument("Input_splits should contain elements, but was given 0.");
  c.Set(0, Shape({n < 0 ? -1 : n - 1}));
  return {};
}

constexpr char kErrors[] =
    " errors: malformed text is replaced by replacement_char (replace), dropped (ignore), or an "
    "error (strict).";
constexpr char kControls[] = " replace_control_characters: also replace characters below 32.";
constexpr char kReplace[] =
    "errors: {'strict', 'replace', 'ignore'} = 'replace', replacement_char: int = 65533, "
    "replace_control_characters: bool = false";
constexpr char kSplits[] = ", Tsplits: {int32, int64} = int64";

}  // namespace

TENSH_OPS(strings_unicode) {
  r.Op({.name = "UnicodeDecode",
        .inputs = "input: string",
        .outputs = "row_splits: Tsplits, char_values: int32",
        .attrs = StrCat("input_encoding: string, ", kReplace, kSplits),
        .doc = StrCat("Decodes strings to code points. input are the strings, in input_encoding; "
                      "char_values are all code points; row_splits, of type Tsplits, are the start "
                      "offsets of the strings, followed by the end.",
                      kErrors, kControls),
        .shape = DecodeShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.UnicodeDecode(input=['hé'], input_encoding='UTF-8')[1]",
                      "[104 233]"}}})
      .CpuAny(Decode<false>, PrepareUnicode);
  r.Op({.name = "UnicodeDecodeWithOffsets",
        .inputs = "input: string",
        .outputs = "row_splits: Tsplits, char_values: int32, char_to_byte_starts: int64",
        .attrs = StrCat("input_encoding: string, ", kReplace, kSplits),
        .doc = StrCat("Decodes strings to code points. input are the strings, in input_encoding; "
                      "char_values are all code points; row_splits, of type Tsplits, are the start "
                      "offsets of the strings, followed by the end; char_to_byte_starts are the "
                      "start offsets of the characters within their string.",
                      kErrors, kControls),
        .shape = DecodeShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.UnicodeDecodeWithOffsets(input=['éh'], input_encoding='UTF-8')"
                      "[2]",
                      "[0 2]"}}})
      .CpuAny(Decode<true>, PrepareUnicode);
  r.Op({.name = "UnicodeTranscode",
        .inputs = "input: string",
        .outputs = "output: string",
        .attrs = StrCat("input_encoding: string, output_encoding: {'UTF-8', 'UTF-16-BE', "
                        "'UTF-32-BE'}, ",
                        kReplace),
        .doc = StrCat("Converts strings to another encoding: input is in input_encoding, output in "
                      "output_encoding.",
                      kErrors, kControls),
        .shape = SameAsInput<0>,
        .no_gradient = true,
        .examples = {{"tf.strings.unicode_transcode('hi', 'UTF-8', 'UTF-16-BE')",
                      "b'\\x00h\\x00i'"}}})
      .CpuAny(Transcode, PrepareUnicode);
  r.Op({.name = "UnicodeEncode",
        .inputs = "input_values: int32, input_splits: Tsplits",
        .outputs = "output: string",
        .attrs = StrCat("errors: {'ignore', 'replace', 'strict'} = 'replace', output_encoding: "
                        "{'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}, replacement_char: int = 65533",
                        kSplits),
        .doc = StrCat("Encodes strings from code points. input_values are the code points; "
                      "input_splits, of type Tsplits, are the start offsets of the strings, "
                      "followed by the end; output are the strings in output_encoding.",
                      kErrors),
        .contract = "input_values: vector, input_splits: vector",
        .shape = EncodeShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.UnicodeEncode(input_values=[104, 105], "
                      "input_splits=tf.constant([0, 2], tf.int64), output_encoding='UTF-8')",
                      "[b'hi']"}}})
      .CpuAny(Encode, PrepareUnicode);
}

}  // namespace tensh::ops
