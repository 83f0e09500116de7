// Tensors as a few characters.
#include "runtime/api/short_value.h"

#include <gtest/gtest.h>

#include <complex>
#include <cstring>

#include "runtime/core/small_types.h"

namespace tensh::api {
namespace {

template <class T>
Tensor Vector(const std::vector<T>& values, DType dtype) {
  auto tensor = Tensor::Make(dtype, Shape({static_cast<int64_t>(values.size())}));
  EXPECT_TRUE(tensor.ok());
  std::copy(values.begin(), values.end(), tensor->template data<T>());
  return *tensor;
}

TEST(ShortValue, ScalarsAreShownInFull) {
  const struct {
    Tensor value;
    const char* text;
  } rows[] = {
      {Tensor::Scalar(3), "3"},          {Tensor::Scalar(0.1f), "0.1"},
      {Tensor::Scalar(2.0f), "2.0"},     {Tensor::Scalar(1.23456789), "1.23456789"},
      {Tensor::Scalar(true), "True"},    {Tensor::Scalar(int64_t{-7}), "-7"},
      {Tensor::Scalar(1e-8f), "1e-08"},  {Tensor::Scalar(std::string("a\"b")), "'a\"b'"},
      {Tensor::Scalar(INFINITY), "inf"}, {Tensor::Scalar(uint8_t{200}), "200"},
  };
  for (const auto& row : rows) EXPECT_EQ(ShortValue(row.value), row.text);
}

TEST(ShortValue, OtherValuesByTheirFirstElements) {
  EXPECT_EQ(ShortValue(Vector<float>({1, -0.811318f, 1e10f}, DType::kFloat)), "[1. -0.8113 1e+10]");
  EXPECT_EQ(ShortValue(Vector<int32_t>({1, 2, 3, 4, 5}, DType::kInt32)), "[1 2 3 4 …]");
  EXPECT_EQ(ShortValue(Vector<bool>({true, false}, DType::kBool)), "[True False]");
  EXPECT_EQ(ShortValue(Vector<float>({}, DType::kFloat)), "[]");
  EXPECT_EQ(ShortValue(Vector<std::complex<float>>({{1, -2}}, DType::kComplex64)), "[(1.-2.j)]");
  EXPECT_EQ(ShortValue(Vector<std::string>({"a text of more than twenty bytes"}, DType::kString)),
            "['a text of more than …']");
  EXPECT_EQ(ShortValue(Vector<uint8_t>({0x3c, 0xc1, 0x7c}, kFloat8E5m2)), "[1. -2.5 inf]");
  EXPECT_EQ(ShortValue(Vector<uint8_t>({0x38, 0x08, 0x7f}, kFloat8E4m3fn)), "[1. 0.01562 nan]");
  EXPECT_EQ(ShortValue(Vector<uint8_t>({7, 0xff}, kInt4)), "[7 -1]");
  EXPECT_EQ(ShortValue(Vector<uint8_t>({7, 0xff}, kUint4)), "[7 15]");
  EXPECT_EQ(ShortValue(Tensor()), "");
}

}  // namespace
}  // namespace tensh::api
