#include "shell/print/tensor_printer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "shell/client/client.h"

namespace tensh::shell {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

struct Printed {
  std::string str, repr;
};

template <class T>
Printed Print(int dtype, const char* name, std::vector<T> data, std::vector<int64_t> dims,
              PrintOptions o = {}) {
  std::vector<int64_t> strides(dims.size());
  int64_t stride = sizeof(T);
  for (size_t i = dims.size(); i-- > 0; stride *= dims[i]) strides[i] = stride;
  const TensorView v{dtype, dims, strides, data.data(), {}, name};
  return {TensorStr(v, o), TensorRepr(v, o)};
}
Printed Floats(std::vector<float> data, std::vector<int64_t> dims, PrintOptions o = {}) {
  return Print(TSH_FLOAT, "float32", std::move(data), std::move(dims), o);
}
Printed Doubles(std::vector<double> data, std::vector<int64_t> dims, PrintOptions o = {}) {
  return Print(TSH_DOUBLE, "float64", std::move(data), std::move(dims), o);
}

// Each row is the output of numpy 1.26.
TEST(TensorPrinter, FloatRows) {
  const struct {
    std::vector<double> data;
    const char* str;
  } rows[] = {
      {{3, 5}, "[3. 5.]"},
      {{1 / 3., 2 / 3., 1}, "[0.33333333 0.66666667 1.        ]"},
      {{123456789, 1e-3, 1}, "[1.23456789e+08 1.00000000e-03 1.00000000e+00]"},
      {{kInf, -kInf, kNan, 1}, "[ inf -inf  nan   1.]"},
      {{-0.0, 0.5}, "[-0.   0.5]"},
      {{1e-4, 1}, "[1.e-04 1.e+00]"},
      {{1e100, 1}, "[1.e+100 1.e+000]"},
      {{kNan}, "[nan]"},
      {{}, "[]"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(Doubles(row.data, {static_cast<int64_t>(row.data.size())}).str, row.str);
}

TEST(TensorPrinter, SinglesAreShortestForTheirWidth) {
  EXPECT_EQ(Floats({1 / 3.f, 2 / 3.f, 1}, {3}).str, "[0.33333334 0.6666667  1.        ]");
  EXPECT_EQ(Floats({1, 2}, {2}).repr, "array([1., 2.], dtype=float32)");
  EXPECT_EQ(Floats({3}, {}).repr, "array(3., dtype=float32)");
  // A column with exponents is padded with the digits of the exact value.
  EXPECT_EQ(Floats({39.67798f, 123456.78f}, {2}).str, "[3.9677979e+01 1.2345678e+05]");
}

TEST(TensorPrinter, Scalars) {
  const struct {
    float v;
    const char* text;
  } rows[] = {{3, "3.0"},       {0.0001f, "1e-04"},
              {1e16f, "1e+16"}, {16777216, "16777216.0"},
              {-0.0f, "-0.0"},  {1e15f, "1000000000000000.0"},
              {0.1f, "0.1"},    {NAN, "nan"}};
  for (const auto& row : rows) EXPECT_EQ(NumberText(TSH_FLOAT, &row.v), row.text);
  const double d = 0.0001;
  EXPECT_EQ(NumberText(TSH_DOUBLE, &d), "0.0001");
  const float c[2] = {1.5f, -0.0f};
  EXPECT_EQ(NumberText(TSH_COMPLEX64, c), "(1.5-0j)");
}

TEST(TensorPrinter, NestedBlocks) {
  EXPECT_EQ(Floats({1, 2, 3, 4}, {2, 2}).str, "[[1. 2.]\n [3. 4.]]");
  EXPECT_EQ(Floats({1, 2}, {2, 1, 1}).str, "[[[1.]]\n\n [[2.]]]");
  EXPECT_EQ(Doubles({1, 2, 3, 4}, {2, 2}).repr, "array([[1., 2.],\n       [3., 4.]])");
  EXPECT_EQ(Floats({}, {0, 3}).repr, "array([], shape=(0, 3), dtype=float32)");
  EXPECT_EQ(Doubles({}, {0}).repr, "array([], dtype=float64)");
}

TEST(TensorPrinter, LongArraysAreCut) {
  std::vector<int32_t> v(1001);
  for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<int32_t>(i);
  const Printed p = Print(TSH_INT32, "int32", v, {1001});
  EXPECT_EQ(p.str, "[   0    1    2 ...  998  999 1000]");
  EXPECT_EQ(p.repr, "array([   0,    1,    2, ...,  998,  999, 1000], dtype=int32)");
}

TEST(TensorPrinter, IntegersBoolsAndText) {
  EXPECT_EQ(Print<int64_t>(TSH_INT64, "int64", {1, -20, 3}, {3}).repr, "array([  1, -20,   3])");
  EXPECT_EQ(Print<uint8_t>(TSH_BOOL, "bool", {1, 0}, {2}).str, "[ True False]");
  EXPECT_EQ(Print<uint8_t>(TSH_BOOL, "bool", {1, 1}, {2}).str, "[ True  True]");
  EXPECT_EQ(Print<uint64_t>(TSH_UINT64, "uint64", {18446744073709551615u}, {1}).str,
            "[18446744073709551615]");
  const char* words[] = {"b'a'", "b'bc'", "b''"};
  const int64_t dims[] = {3}, strides[] = {1};
  const TensorView v{
      TSH_STRING, dims, strides, nullptr, [&](int64_t i) { return std::string(words[i]); },
      "object"};
  EXPECT_EQ(TensorStr(v, {}), "[b'a' b'bc' b'']");
  EXPECT_EQ(TensorRepr(v, {}), "array([b'a', b'bc', b''], dtype=object)");
}

TEST(TensorPrinter, Options) {
  EXPECT_EQ(Doubles({1 / 3., 2e-9}, {2}, {.precision = 3, .suppress = true}).str, "[0.333 0.   ]");
  EXPECT_EQ(
      Doubles({1 / 3., 1}, {2}, {.precision = 3, .floatmode = PrintOptions::FloatMode::kFixed}).str,
      "[0.333 1.000]");
  EXPECT_EQ(Doubles({1, 2, 3}, {3}, {.linewidth = 8}).str, "[1. 2.\n 3.]");
  EXPECT_EQ(Doubles({1, 2, 3, 4, 5}, {5}, {.threshold = 4, .edgeitems = 1}).str, "[1. ... 5.]");
}

}  // namespace
}  // namespace tensh::shell
