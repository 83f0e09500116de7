// How numbers and text become characters: repr of floats, the format() mini-language, % formatting
// and str.format. Digits are correctly rounded, as CPython's.
#pragma once

#include <string>
#include <string_view>

#include "shell/values/native.h"
#include "shell/values/value.h"

namespace tensh::shell {

std::string FloatRepr(double d);
// printf-like: kind is one of e E f F g G; `alternate` keeps the point and zeros (#).
std::string FloatDigits(double d, char kind, int precision, bool alternate);

struct FormatSpec {
  std::string fill = " ";
  char align = 0;  // < > = ^, 0: the type's default
  char sign = '-';
  bool alternate = false;
  bool has_sign = false;  // written, be it '-'
  bool zero = false;
  int width = -1;
  char grouping = 0;  // , or _
  int precision = -1;
  char type = 0;
};
FormatSpec ParseFormatSpec(std::string_view text, const std::string& type_name);
std::string FormatInt(const Value& v, std::string_view spec);
std::string FormatDouble(double d, std::string_view spec, const char* type_name = "float");
std::string FormatText(std::string_view text, std::string_view spec,
                       const std::string& type_name = "str");

std::string PercentFormat(std::string_view format, const Value& args, bool bytes = false);
std::string BraceFormat(std::string_view format, const CallArgs& args);
std::string BraceFormatMap(std::string_view format, const Value& mapping);

std::string QuoteStr(std::string_view text, bool ascii_only = false);  // repr of a str
std::string AsciiRepr(const Value& v);          // repr, what is not ASCII escaped
std::string QuoteBytes(std::string_view data);  // repr of bytes

// UTF-8 steps.
size_t CodePoints(std::string_view text);
size_t CodePointOffset(std::string_view text,
                       size_t index);                    // Byte offset of the index-th code point.
uint32_t DecodeUtf8(std::string_view text, size_t* at);  // Steps over one code point.
void AppendUtf8(uint32_t cp, std::string* out);
// Offset of the first byte that is not UTF-8, or npos.
size_t FindInvalidUtf8(std::string_view text);

}  // namespace tensh::shell
