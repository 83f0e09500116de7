// Element types: the numbers and names of TensorFlow's DataType.
#include "runtime/core/dtype.h"

#include <gtest/gtest.h>

namespace tensh {
namespace {

struct TypeRow {
  int number;  // of types.proto
  const char *name, *signature, *shorthand;
  int64_t size;       // 0: an object
  const char* kinds;  // f: floating, i: integer, c: complex
};
const TypeRow kTypes[] = {
    {1, "float32", "float", "f32", 4, "f"},
    {2, "float64", "double", "f64", 8, "f"},
    {3, "int32", "int32", "i32", 4, "i"},
    {4, "uint8", "uint8", "u8", 1, "i"},
    {5, "int16", "int16", "i16", 2, "i"},
    {6, "int8", "int8", "i8", 1, "i"},
    {7, "string", "string", "str", 0, ""},
    {8, "complex64", "complex64", "c64", 8, "c"},
    {9, "int64", "int64", "i64", 8, "i"},
    {10, "bool", "bool", "bool", 1, ""},
    {11, "qint8", "qint8", "qi8", 1, ""},
    {12, "quint8", "quint8", "qu8", 1, ""},
    {13, "qint32", "qint32", "qi32", 4, ""},
    {14, "bfloat16", "bfloat16", "bf16", 2, "f"},
    {15, "qint16", "qint16", "qi16", 2, ""},
    {16, "quint16", "quint16", "qu16", 2, ""},
    {17, "uint16", "uint16", "u16", 2, "i"},
    {18, "complex128", "complex128", "c128", 16, "c"},
    {19, "float16", "half", "f16", 2, "f"},
    {20, "resource", "resource", "res", 0, ""},
    {21, "variant", "variant", "var", 0, ""},
    {22, "uint32", "uint32", "u32", 4, "i"},
    {23, "uint64", "uint64", "u64", 8, "i"},
    {24, "float8_e5m2", "float8_e5m2", "f8e5", 1, ""},
    {25, "float8_e4m3fn", "float8_e4m3fn", "f8e4", 1, ""},
    {29, "int4", "int4", "i4", 1, ""},
    {30, "uint4", "uint4", "u4", 1, ""},
};

TEST(DType, NumbersNamesAndKinds) {
  for (const TypeRow& row : kTypes) {
    const auto type = static_cast<DType>(row.number);
    const std::string_view kinds = row.kinds;
    EXPECT_EQ(Name(type), row.name);
    EXPECT_EQ(SignatureName(type), row.signature);
    EXPECT_EQ(ShortName(type), row.shorthand);
    EXPECT_EQ(IsPod(type), row.size != 0) << row.name;
    if (row.size) {
      EXPECT_EQ(SizeOf(type), row.size) << row.name;
    }
    EXPECT_GT(SizeOf(type), 0) << row.name;
    EXPECT_EQ(IsFloating(type), kinds == "f") << row.name;
    EXPECT_EQ(IsInteger(type), kinds == "i") << row.name;
    EXPECT_EQ(IsComplex(type), kinds == "c") << row.name;
  }
}

TEST(DType, AReferenceIsTheBaseTypePlusAHundred) {
  for (const TypeRow& row : kTypes) {
    const auto base = static_cast<DType>(row.number), ref = static_cast<DType>(row.number + 100);
    EXPECT_EQ(RefType(base), ref) << row.name;
    EXPECT_EQ(RefType(ref), ref) << row.name;
    EXPECT_EQ(BaseType(ref), base) << row.name;
    EXPECT_EQ(BaseType(base), base) << row.name;
    EXPECT_TRUE(IsRef(ref) && !IsRef(base)) << row.name;
    EXPECT_EQ(Name(ref), std::string(row.name) + "_ref");
    EXPECT_EQ(SizeOf(ref), SizeOf(base)) << row.name;
    EXPECT_EQ(IsInteger(ref), IsInteger(base)) << row.name;
  }
}

TEST(DType, EverySpellingIsRead) {
  for (const TypeRow& row : kTypes) {
    const auto type = static_cast<DType>(row.number);
    for (const char* name : {row.name, row.signature, row.shorthand}) {
      EXPECT_EQ(ParseDType(name), type) << name;
      EXPECT_EQ(ParseDType(std::string(name) + "_ref"), RefType(type)) << name;
    }
  }
  for (const char* bad : {"", "_ref", "float16 ", "Float32", "float128", "int", "invalid", "?",
                          "float32_ref_ref", "qint4"})
    EXPECT_EQ(ParseDType(bad), DType::kInvalid) << bad;
}

TEST(DType, NumbersInBetweenAreNoTypes) {
  for (const int number : {0, 26, 31, 99, 126}) {
    const auto type = static_cast<DType>(number);
    EXPECT_EQ(SizeOf(type), 0) << number;
    EXPECT_EQ(SignatureName(type), "invalid") << number;
    EXPECT_FALSE(IsInteger(type) || IsFloating(type) || IsComplex(type)) << number;
  }
  EXPECT_FALSE(IsPod(DType::kInvalid));
}

TEST(DType, Sets) {
  DTypeSet set;
  EXPECT_TRUE(set.empty());
  EXPECT_FALSE(set.Has(DType::kFloat));
  set.Add(DType::kFloat);
  set.Add(DType::kUint64);
  EXPECT_TRUE(set.Has(DType::kFloat) && set.Has(DType::kUint64));
  EXPECT_TRUE(set.Has(RefType(DType::kFloat)));  // sets are of base types
  EXPECT_FALSE(set.Has(DType::kDouble) || set.empty());
  EXPECT_EQ(set.bits(), 1u << 1 | 1u << 23);
}

}  // namespace
}  // namespace tensh
