// UTF-8: encoding, decoding, and malformed input, whose rows are those of the Unicode standard
// (table 3-7 and "U+FFFD Substitution of Maximal Subparts").
#include "runtime/base/utf8.h"

#include <gtest/gtest.h>

namespace tensh {
namespace {

TEST(Utf8, EncodesAndDecodes) {
  struct Row {
    uint32_t code;
    std::string text;
  };
  const Row rows[] = {
      {0, std::string(1, '\0')},
      {0x7f, "\x7f"},
      {0x80, "\xc2\x80"},
      {0x7ff, "\xdf\xbf"},
      {0x800, "\xe0\xa0\x80"},
      {0x20ac, "\xe2\x82\xac"},
      {0xffff, "\xef\xbf\xbf"},
      {0x10000, "\xf0\x90\x80\x80"},
      {0x10ffff, "\xf4\x8f\xbf\xbf"},
  };
  for (const Row& row : rows) {
    std::string text = "a";
    AppendUtf8(row.code, &text);
    EXPECT_EQ(text, "a" + row.text) << row.code;
    size_t at = 1, bytes = 0;
    EXPECT_EQ(DecodeUtf8(text, &at), row.code);
    EXPECT_EQ(at, text.size()) << row.code;
    EXPECT_EQ(CheckedUtf8(text, 1, &bytes), static_cast<int32_t>(row.code));
    EXPECT_EQ(bytes, row.text.size()) << row.code;
    EXPECT_EQ(FindInvalidUtf8(text), std::string::npos) << row.code;
  }
}

TEST(Utf8, KeepsSurrogates) {
  std::string text;
  AppendUtf8(0xd800, &text);
  size_t at = 0;
  EXPECT_EQ(DecodeUtf8(text, &at), 0xd800u);
  EXPECT_EQ(FindInvalidUtf8("a" + text), 1u);
}

TEST(Utf8, MeasuresMalformedInput) {
  struct Row {
    const char* text;
    size_t bytes;  // length of the longest valid beginning
  };
  const Row rows[] = {
      {"\x80", 1},      // a continuation byte alone
      {"\xc0\xaf", 1},  // an overlong slash
      {"\xc2", 1},      // ends too early
      {"\xc2"
       "a",
       1},                      // not continued
      {"\xe0\x80\x80", 1},      // overlong
      {"\xed\xa0\x80", 1},      // a surrogate
      {"\xe2\x82", 2},          // ends too early
      {"\xf0\x90\x80", 3},      // ends too early
      {"\xf0\x80\x80\x80", 1},  // overlong
      {"\xf4\x90\x80\x80", 1},  // above U+10FFFF
      {"\xf5\x80\x80\x80", 1},
      {"\xff", 1},
  };
  for (const Row& row : rows) {
    size_t bytes = 0;
    EXPECT_EQ(CheckedUtf8(row.text, 0, &bytes), -1) << row.text;
    EXPECT_EQ(bytes, row.bytes) << row.text;
    EXPECT_EQ(FindInvalidUtf8("ok" + std::string(row.text)), 2u) << row.text;
  }
}

}  // namespace
}  // namespace tensh
