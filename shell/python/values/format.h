// Conversion of numbers and text to characters: repr of floats, the format() mini-language, %
// formatting and str.format. Digits are correctly rounded, as in CPython.
//
// Errors are thrown as ValueError or TypeError with CPython's messages.
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/utf8.h"
#include "shell/python/values/native.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

std::string FloatRepr(double d);
// printf-like: `kind` is one of e E f F g G. `alternate` keeps the point and trailing zeros (#).
std::string FloatDigits(double d, char kind, int precision, bool alternate);

// A parsed specification of the format() mini-language.
struct FormatSpec {
  std::string fill = " ";
  char align = 0;  // One of < > = ^; 0 means the default of the type.
  char sign = '-';
  bool alternate = false;
  bool has_sign = false;  // True if a sign option was written, including '-'.
  bool zero = false;
  bool no_negative_zero = false;  // The option z: a number that rounds to -0 is written as 0.
  int width = -1;
  char grouping = 0;  // ',' or '_'; 0 means no grouping.
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

std::string QuoteStr(std::string_view text, bool ascii_only = false);  // repr of a str.
std::string AsciiRepr(const Value& v);          // repr with all characters outside ASCII escaped.
std::string QuoteBytes(std::string_view data);  // repr of bytes.

// Functions on UTF-8, besides those of runtime/base/utf8.h.
size_t CodePoints(std::string_view text);
// Returns the byte offset of the index-th code point.
size_t CodePointOffset(std::string_view text, size_t index);

}  // namespace tensh::shell
