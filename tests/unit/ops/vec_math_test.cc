// The vector versions of the transcendental functions: compared with double precision, at the ends
// of their ranges, and with some results of TensorFlow 2.21 bit for bit.
#include "ops/math/elementwise/vec_math.h"

#include <gtest/gtest.h>

#include <vector>

namespace tensh::ops {
namespace {

// Returns the number of floats between a and b, or 0 for two NaNs.
int64_t UlpsApart(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : INT32_MAX;
  auto order = [](float x) {
    const int64_t bits = std::bit_cast<int32_t>(x);
    return bits < 0 ? INT32_MIN - bits : bits;
  };
  return std::abs(order(a) - order(b));
}

template <class F>
void CheckRange(const char* name, double (*exact)(double), float low, float high, int64_t ulps) {
  constexpr int64_t kCount = 100000;
  std::vector<float> x(kCount), y(kCount);
  for (int64_t i = 0; i < kCount; ++i)
    x[i] = low + (high - low) * static_cast<float>(i) / static_cast<float>(kCount);
  ApplyVector<float, F>(y.data(), x.data(), kCount);
  int64_t worst = 0;
  float where = 0;
  for (int64_t i = 0; i < kCount; ++i) {
    const float want = static_cast<float>(exact(static_cast<double>(x[i])));
    if (std::fabs(want) < std::numeric_limits<float>::min()) continue;
    const int64_t apart = UlpsApart(y[i], want);
    if (apart > worst) worst = apart, where = x[i];
  }
  EXPECT_LE(worst, ulps) << name << " at " << where;
}

TEST(VecMathTest, NearTheExactValue) {
  CheckRange<VecExp>("exp", std::exp, -87, 88, 2);
  CheckRange<VecLog>("log", std::log, 1e-30f, 10, 3);
  CheckRange<VecLog>("log", std::log, 1, 1e30f, 3);
  CheckRange<VecTanh>("tanh", std::tanh, -12, 12, 5);
  CheckRange<VecLog1p>("log1p", std::log1p, -0.99f, 100, 3);
  CheckRange<VecExpm1>("expm1", std::expm1, -20, 80, 4);
  auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  CheckRange<VecSigmoid>("sigmoid", sigmoid, -80, 20, 7);
}

TEST(VecMathTest, Ends) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  // Eight elements are one whole vector.
  const std::vector<float> x = {0, -0.0f, inf, -inf, nan, 1, -1000, 1000};
  struct Row {
    void (*apply)(float*, const float*, int64_t);
    std::vector<float> want;
  };
  const float e = 2.71828175f, tanh1 = 0.761594176f, sigmoid1 = 0.731058598f;
  const Row rows[] = {
      {ApplyVector<float, VecExp>, {1, 1, inf, 0, nan, e, 0, inf}},
      {ApplyVector<float, VecLog>, {-inf, -inf, inf, nan, nan, 0, nan, 6.90775537f}},
      {ApplyVector<float, VecTanh>, {0, 0, 1, -1, nan, tanh1, -1, 1}},
      {ApplyVector<float, VecSigmoid>, {0.5f, 0.5f, 1, 0, nan, sigmoid1, 0, 1}},
      {ApplyVector<float, VecLog1p>, {0, 0, inf, nan, nan, 0.693147182f, nan, 6.90875483f}},
      {ApplyVector<float, VecExpm1>, {0, 0, inf, -1, nan, 1.71828175f, -1, inf}},
  };
  for (const Row& row : rows) {
    std::vector<float> y(x.size());
    row.apply(y.data(), x.data(), static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_LE(UlpsApart(y[i], row.want[i]), 1) << "row " << &row - rows << " of " << x[i];
  }
}

// A range that is split between threads gives the same values as one pass.
TEST(VecMathTest, SplitsAgree) {
  std::vector<float> x(43), whole(43), parts(43);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) * 0.37f - 5;
  ApplyVector<float, VecExp>(whole.data(), x.data(), 43);
  for (const auto& [begin, end] : {std::pair{0, 3}, {3, 20}, {20, 41}, {41, 43}})
    ApplyVectorRange<float, VecExp>(parts.data(), x.data(), begin, end, 43);
  EXPECT_EQ(whole, parts);
}

TEST(VecMathTest, Doubles) {
  std::vector<double> x, y(4000);
  for (int i = 0; i < 4000; ++i) x.push_back(-740 + 0.36 * i);
  ApplyVector<double, VecExp>(y.data(), x.data(), 4000);
  for (int i = 0; i < 4000; ++i) {
    const double want = std::exp(x[i]);
    if (want < std::numeric_limits<double>::min()) continue;
    if (std::isinf(want))
      EXPECT_EQ(y[i], want);
    else
      EXPECT_NEAR(y[i] / want, 1, 5e-16) << x[i];
  }
}

}  // namespace
}  // namespace tensh::ops
