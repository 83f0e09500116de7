// Ints beyond 64 bits, without the interpreter: text in any base, arithmetic, comparison, bytes.
#include "shell/python/values/bigint.h"

#include <gtest/gtest.h>

#include <cmath>

#include "shell/python/values/error.h"

namespace tensh::shell {
namespace {

Value Int(std::string_view text) {
  Value v = IntFromText(text, 0);
  EXPECT_FALSE(v.is_null()) << text;
  return v;
}

TEST(BigInt, Arithmetic) {
  const struct {
    const char* a;
    BinaryOp op;
    const char* b;
    const char* want;
  } rows[] = {
      {"9223372036854775807", BinaryOp::kAdd, "1", "9223372036854775808"},
      {"-9223372036854775808", BinaryOp::kAdd, "-9223372036854775808", "-18446744073709551616"},
      {"18446744073709551615", BinaryOp::kAdd, "18446744073709551615", "36893488147419103230"},
      {"-18446744073709551616", BinaryOp::kAdd, "18446744073709551616", "0"},
      {"0", BinaryOp::kAdd, "1180591620717411303424", "1180591620717411303424"},
      {"-9223372036854775808", BinaryOp::kSub, "1", "-9223372036854775809"},
      {"18446744073709551616", BinaryOp::kSub, "1", "18446744073709551615"},
      {"340282366920938463463374607431768211456", BinaryOp::kSub,
       "340282366920938463463374607431768211455", "1"},
      {"0", BinaryOp::kSub, "-9223372036854775808", "9223372036854775808"},
      {"9223372036854775807", BinaryOp::kMul, "9223372036854775807",
       "85070591730234615847396907784232501249"},
      {"-9223372036854775808", BinaryOp::kMul, "-9223372036854775808",
       "85070591730234615865843651857942052864"},
      {"4294967296", BinaryOp::kMul, "2147483648", "9223372036854775808"},
      {"-717897987691852588770249", BinaryOp::kMul, "2954312706550833698643",
       "-2120895147045314119491609587512844743630072107"},
      {"1267650600228229401496703205376", BinaryOp::kMul, "0", "0"},
      {"10000000000000000000000000", BinaryOp::kMul, "-1", "-10000000000000000000000000"},
      {"-9223372036854775808", BinaryOp::kFloorDiv, "-1", "9223372036854775808"},
      {"-9223372036854775808", BinaryOp::kMod, "-1", "0"},
      {"340282366920938463463374607431768211456", BinaryOp::kFloorDiv, "18446744073709551615",
       "18446744073709551617"},
      {"340282366920938463463374607431768211456", BinaryOp::kMod, "18446744073709551615", "1"},
      {"-340282366920938463463374607431768211456", BinaryOp::kFloorDiv, "3",
       "-113427455640312821154458202477256070486"},
      {"-340282366920938463463374607431768211456", BinaryOp::kMod, "3", "2"},
      {"340282366920938463463374607431768211456", BinaryOp::kFloorDiv, "-3",
       "-113427455640312821154458202477256070486"},
      {"340282366920938463463374607431768211456", BinaryOp::kMod, "-3", "-2"},
      {"-1000000000000000000000000000000", BinaryOp::kFloorDiv, "-7",
       "142857142857142857142857142857"},
      {"-1000000000000000000000000000000", BinaryOp::kMod, "-7", "-1"},
      {"5", BinaryOp::kFloorDiv, "1180591620717411303424", "0"},
      {"5", BinaryOp::kMod, "1180591620717411303424", "5"},
      {"-5", BinaryOp::kFloorDiv, "1180591620717411303424", "-1"},
      {"-5", BinaryOp::kMod, "1180591620717411303424", "1180591620717411303419"},
      {"79228162514264337593543950335", BinaryOp::kFloorDiv, "4294967296", "18446744073709551615"},
      {"79228162514264337593543950335", BinaryOp::kMod, "4294967296", "4294967295"},
      {"10000000000000000000000000000000000000000", BinaryOp::kFloorDiv, "100000000000000000001",
       "99999999999999999999"},
      {"10000000000000000000000000000000000000000", BinaryOp::kMod, "100000000000000000001", "1"},
      {"340282366920938463463374607431768211455", BinaryOp::kFloorDiv, "18446744073709551619",
       "18446744073709551613"},
      {"340282366920938463463374607431768211455", BinaryOp::kMod, "18446744073709551619", "8"},
      {"2", BinaryOp::kPow, "63", "9223372036854775808"},
      {"-2", BinaryOp::kPow, "63", "-9223372036854775808"},
      {"2", BinaryOp::kPow, "64", "18446744073709551616"},
      {"-3", BinaryOp::kPow, "41", "-36472996377170786403"},
      {"10", BinaryOp::kPow, "30", "1000000000000000000000000000000"},
      {"7", BinaryOp::kPow, "0", "1"},
      {"-1", BinaryOp::kPow, "1001", "-1"},
      {"0", BinaryOp::kPow, "5", "0"},
      {"1", BinaryOp::kLShift, "62", "4611686018427387904"},
      {"1", BinaryOp::kLShift, "63", "9223372036854775808"},
      {"-1", BinaryOp::kLShift, "63", "-9223372036854775808"},
      {"-1", BinaryOp::kLShift, "64", "-18446744073709551616"},
      {"3", BinaryOp::kLShift, "100", "3802951800684688204490109616128"},
      {"1180591620717411303424", BinaryOp::kLShift, "64",
       "21778071482940061661655974875633165533184"},
      {"1180591620717411303424", BinaryOp::kRShift, "3", "147573952589676412928"},
      {"-1180591620717411303425", BinaryOp::kRShift, "3", "-147573952589676412929"},
      {"1180591620717411303424", BinaryOp::kRShift, "71", "0"},
      {"-1180591620717411303424", BinaryOp::kRShift, "71", "-1"},
      {"-1", BinaryOp::kRShift, "100", "-1"},
      {"340282366920938463481821351505477763072", BinaryOp::kRShift, "64", "18446744073709551617"},
      {"1180591620717411303429", BinaryOp::kAnd, "7", "5"},
      {"1180591620717411303429", BinaryOp::kOr, "7", "1180591620717411303431"},
      {"1180591620717411303429", BinaryOp::kXor, "7", "1180591620717411303426"},
      {"-1", BinaryOp::kAnd, "1180591620717411303424", "1180591620717411303424"},
      {"-1", BinaryOp::kOr, "1180591620717411303424", "-1"},
      {"-1", BinaryOp::kXor, "1180591620717411303424", "-1180591620717411303425"},
      {"-1180591620717411303424", BinaryOp::kAnd, "2361183241434822606847",
       "1180591620717411303424"},
      {"-1180591620717411303424", BinaryOp::kOr, "2361183241434822606847", "-1"},
      {"-1180591620717411303424", BinaryOp::kXor, "2361183241434822606847",
       "-1180591620717411303425"},
      {"-1180591620717411303424", BinaryOp::kAnd, "-36893488147419103232",
       "-1180591620717411303424"},
      {"-1180591620717411303424", BinaryOp::kOr, "-36893488147419103232", "-36893488147419103232"},
      {"-1180591620717411303424", BinaryOp::kXor, "-36893488147419103232",
       "1143698132569992200192"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(IntToText(IntBinary(row.op, Int(row.a), Int(row.b))), row.want)
        << row.a << " op " << static_cast<int>(row.op) << " " << row.b;
  }
}

// The invariant of IntObject: a value that fits 64 bits has no object.
TEST(BigInt, SmallResultsAreSmall) {
  EXPECT_FALSE(IsBigInt(Int("9223372036854775807")));
  EXPECT_TRUE(IsBigInt(Int("9223372036854775808")));
  EXPECT_FALSE(IsBigInt(Int("-9223372036854775808")));
  EXPECT_TRUE(IsBigInt(Int("-9223372036854775809")));
  EXPECT_FALSE(IsBigInt(IntBinary(BinaryOp::kSub, Int("9223372036854775808"), Int("1"))));
  EXPECT_FALSE(IsBigInt(IntBinary(BinaryOp::kRShift, Int("0x10000000000000000"), Int("2"))));
  EXPECT_FALSE(IsBigInt(IntNegate(Int("9223372036854775808"))));
  EXPECT_TRUE(IsBigInt(IntNegate(Int("-9223372036854775808"))));
}

TEST(BigInt, TextInEveryBase) {
  const struct {
    const char* text;
    int base;
    int to;
    const char* want;  // "" if the text is not an int.
  } rows[] = {
      {"0", 10, 10, "0"},
      {"-0", 10, 10, "0"},
      {"  42 ", 10, 10, "42"},
      {"ffffffffffffffffffff", 16, 10, "1208925819614629174706175"},
      {"-123456789012345678901234567890", 10, 16, "-18ee90ff6c373e0ee4e3f0ad2"},
      {"340282366920938463463374607431768211456", 10, 2,
       "1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
       "00000000000000000000000000000000000000"},
      {"zz", 36, 10, "1295"},
      {"0b101", 0, 10, "5"},
      {"0B1_0", 2, 10, "2"},
      {"0o777", 8, 10, "511"},
      {"0xDEADBEEFDEADBEEFDEADBEEF", 0, 10, "68915718021581205938132336367"},
      {"1_000_000_000_000_000_000_000", 10, 16, "3635c9adc5dea00000"},
      {"+5", 10, 10, "5"},
      {"", 10, 10, ""},
      {"-", 10, 10, ""},
      {"1__0", 10, 10, ""},
      {"_1", 10, 10, ""},
      {"1_", 10, 10, ""},
      {"0x", 16, 10, ""},
      {"0_x1", 0, 10, ""},
      {"012", 0, 10, ""},
      {"000", 0, 10, "0"},
      {"12", 2, 10, ""},
      {"1 2", 10, 10, ""},
      {"--1", 10, 10, ""},
      {"1.0", 10, 10, ""},
      {"9223372036854775808", 10, 8, "1000000000000000000000"},
  };
  for (const auto& row : rows) {
    const Value v = IntFromText(row.text, row.base);
    EXPECT_EQ(v.is_null() ? "" : IntToText(v, row.to), row.want) << row.text << " " << row.base;
  }
}

TEST(BigInt, Compares) {
  const char* const ascending[] = {
      "-0x100000000000000000000", "-9223372036854775809", "-9223372036854775808",   "-1", "0",
      "9223372036854775807",      "9223372036854775808",  "0x100000000000000000000"};
  for (size_t i = 0; i < std::size(ascending); ++i) {
    for (size_t j = 0; j < std::size(ascending); ++j) {
      EXPECT_EQ(IntCompare(Int(ascending[i]), Int(ascending[j])), (i > j) - (i < j))
          << ascending[i] << " " << ascending[j];
    }
  }
  EXPECT_EQ(CompareIntFloat(Int("9007199254740993"), 9007199254740992.0), 1);
  EXPECT_EQ(CompareIntFloat(Int("18446744073709551616"), 0x1p64), 0);
  EXPECT_EQ(CompareIntFloat(Int("-18446744073709551617"), -0x1p64), -1);
  EXPECT_EQ(CompareIntFloat(Int("0"), -0.0), 0);
}

TEST(BigInt, DoublesRoundToEven) {
  const struct {
    const char* text;
    double want;
  } rows[] = {{"9007199254740993", 9007199254740992.0},
              {"9007199254740995", 9007199254740996.0},
              {"18446744073709551615", 0x1p64},
              {"0x80000000000000000000000000000400", 0x1p127},
              {"0x80000000000000000000000000000401", 0x1p127},
              {"0x80000000000004000000000000000000", 0x1p127},
              {"0x80000000000004000000000000000001", 0x1.0000000000001p127},
              {"-9223372036854775809", -0x1p63}};
  for (const auto& row : rows) EXPECT_EQ(IntToDouble(Int(row.text)), row.want) << row.text;
  EXPECT_THROW(IntToDouble(IntBinary(BinaryOp::kLShift, Int("1"), Int("1024"))), PyError);
  EXPECT_EQ(IntToText(IntFromDouble(1e22)), "10000000000000000000000");
  EXPECT_EQ(IntToText(IntFromDouble(-0x1p63)), "-9223372036854775808");
  EXPECT_EQ(IntToText(IntFromDouble(-1.9)), "-1");
}

TEST(BigInt, Functions) {
  const Value big = Int("0x123456789abcdef0123456789");
  EXPECT_EQ(BitLength(big), 97);
  EXPECT_EQ(BitLength(Int("-256")), 9);
  EXPECT_EQ(BitLength(Int("0")), 0);
  EXPECT_EQ(IntToText(IntInvert(Int("9223372036854775808"))), "-9223372036854775809");
  EXPECT_EQ(IntToText(IntPowMod(Int("3"), Int("1000"), Int("1000000007"))), "56888193");
  EXPECT_EQ(IntToText(IntPowMod(Int("3"), Int("5"), Int("-7"))), "-2");
  EXPECT_EQ(IntToText(IntGcd(Int("1208925819614629174706176"), Int("-36"))), "4");
  EXPECT_EQ(IntToText(IntGcd(Int("0"), Int("0"))), "0");
  EXPECT_EQ(IntToText(IntSqrt(Int("1000000000000000000000000000001"))), "1000000000000000");
  EXPECT_EQ(IntToText(IntFromU64(UINT64_MAX)), "18446744073709551615");
  uint64_t u = 0;
  EXPECT_TRUE(IntToU64(Int("18446744073709551615"), &u));
  EXPECT_EQ(u, UINT64_MAX);
  EXPECT_FALSE(IntToU64(Int("18446744073709551616"), &u));
  EXPECT_FALSE(IntToU64(Int("-1"), &u));
  EXPECT_EQ(IntToText(IntFromBytes(std::string_view("\xff\x00", 2), false, false)), "65280");
  EXPECT_EQ(IntToText(IntFromBytes(std::string_view("\xff\x00", 2), false, true)), "-256");
  EXPECT_EQ(IntToText(IntFromBytes(std::string(9, '\xff'), true, true)), "-1");
  EXPECT_EQ(IntToText(IntFromBytes(std::string(9, '\xff'), true, false)), "4722366482869645213695");
  EXPECT_EQ(IntToBytes(Int("0x010203"), 4, true), std::string("\x03\x02\x01\x00", 4));
  EXPECT_EQ(IntToBytes(Int("0x010203"), 4, false), std::string("\x00\x01\x02\x03", 4));
}

}  // namespace
}  // namespace tensh::shell
