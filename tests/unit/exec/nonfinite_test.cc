// Looking for NaN and Inf in tensors of every type that has them.
#include "runtime/exec/nonfinite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

#include "runtime/core/half.h"

namespace tensh {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <class T>
T As(double v) {
  return static_cast<T>(v);
}
template <>
Half As<Half>(double v) {
  return Half(static_cast<float>(v));
}
template <>
Bfloat16 As<Bfloat16>(double v) {
  return Bfloat16(static_cast<float>(v));
}

template <class T>
Tensor Matrix(int64_t rows, int64_t columns, const std::vector<double>& values) {
  Tensor t = *Tensor::Make(kDTypeOf<T>, Shape({rows, columns}));
  for (size_t i = 0; i < values.size(); ++i) t.data<T>()[i] = As<T>(values[i]);
  return t;
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

template <class T>
void ExpectFound() {
  const Tensor t = Matrix<T>(2, 3, {1, -kInf, 0, kNan, kNan, 2});
  const NonFiniteCount count = CountNonFinite(t);
  EXPECT_EQ(count.nan, 2) << Name(t.dtype());
  EXPECT_EQ(count.inf, 1) << Name(t.dtype());
  const std::string nan = LookForNonFinite(t, true, "Log", 0, {});
  const std::string inf = LookForNonFinite(t, false, "Log", 1, {});
  const std::string type(ShortName(t.dtype()));
  EXPECT_TRUE(Has(nan, "\"kind\":\"nan\",\"made\":1,\"index\":[1,0],\"output\":{\"slot\":0,"))
      << nan;
  EXPECT_TRUE(Has(inf, "\"kind\":\"inf\",\"made\":1,\"index\":[0,1],\"output\":{\"slot\":1,"))
      << inf;
  EXPECT_TRUE(Has(nan, "\"type\":\"" + type + "[2,3]\",\"elements\":6,\"nan\":2,\"inf\":1")) << nan;
  EXPECT_TRUE(Has(nan, "nan\"") || Has(nan, "(nan")) << nan;
  EXPECT_TRUE(Has(inf, "\"-inf\"") || Has(inf, "(-inf")) << inf;
}

TEST(NonFinite, AllTypes) {
  ExpectFound<float>();
  ExpectFound<double>();
  ExpectFound<Half>();
  ExpectFound<Bfloat16>();
  ExpectFound<std::complex<float>>();
  ExpectFound<std::complex<double>>();
}

// Bits of integers may look like those of a NaN.
TEST(NonFinite, OtherTypesHaveNone) {
  const Tensor t = Matrix<int32_t>(1, 2, {-1, 0x7fc00000});
  EXPECT_EQ(CountNonFinite(t).nan, 0);
  EXPECT_EQ(CountNonFinite(Tensor()).inf, 0);
  EXPECT_EQ(CountNonFinite(Matrix<float>(0, 3, {})).nan, 0);
  EXPECT_EQ(CountNonFinite(Matrix<float>(1, 3, {3.4e38, -3.4e38, 1e-45})).inf, 0);
}

// The imaginary part counts, and an element with a NaN and an Inf is a NaN.
TEST(NonFinite, PartsOfComplexNumbers) {
  Tensor t = *Tensor::Make(DType::kComplex64, Shape({3}));
  t.data<std::complex<float>>()[0] = {1, static_cast<float>(kNan)};
  t.data<std::complex<float>>()[1] = {static_cast<float>(kInf), static_cast<float>(kNan)};
  t.data<std::complex<float>>()[2] = {0, static_cast<float>(-kInf)};
  EXPECT_EQ(CountNonFinite(t).nan, 2);
  EXPECT_EQ(CountNonFinite(t).inf, 1);
}

// The value of each input is that of the element from which the example was computed.
TEST(NonFinite, InputsAreBroadcast) {
  const Tensor made = Matrix<float>(2, 2, {1, 2, 3, kInf});
  const Tensor row = Matrix<float>(1, 2, {5, 6}), column = Matrix<float>(2, 1, {7, 8});
  const KernelInput inputs[] = {
      {row}, {column}, {Tensor::Scalar(9.f)}, {Matrix<float>(3, 2, {1, 2, 3, 4, 5, kNan})}, {}};
  const std::string sum = LookForNonFinite(made, false, "Add", 0, inputs);
  EXPECT_TRUE(Has(sum, "\"value\":\"6.0\",\"least\":\"5.0\",\"most\":\"6.0\"")) << sum;
  EXPECT_TRUE(Has(sum, "\"value\":\"8.0\"")) << sum;
  EXPECT_TRUE(Has(sum, "\"value\":\"9.0\"")) << sum;
  EXPECT_TRUE(Has(sum, "\"nan\":1,\"inf\":0,\"least\":\"1.0\",\"most\":\"5.0\"},{}]")) << sum;
  EXPECT_TRUE(Has(sum, "\"made\":0")) << "an Inf that comes from a NaN";
  const std::string product = LookForNonFinite(made, false, "MatMul", 0, inputs);
  EXPECT_FALSE(Has(product, "\"value\":\"6.0\"")) << product;
  EXPECT_EQ(LookForNonFinite(made, true, "Add", 0, inputs), "");
}

}  // namespace
}  // namespace tensh
