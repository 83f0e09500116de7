// Convolutions and batch normalization of floats, for every instruction set. The loops of floats are
// compared with those of doubles, which share no code with them, on random extents. Inputs end where
// memory ends, and the work is split at random.
#include <gtest/gtest.h>

#include <cmath>

#include "ops/support/isa.h"
#include "tests/unit/ops/random_floats.h"

namespace tensh::test {
namespace {

using Ints = AttrValue::Ints;

Tensor Sizes(const Shape& shape) {
  Tensor t = *Tensor::Make(DType::kInt32, Shape({shape.rank()}));
  for (int i = 0; i < shape.rank(); ++i) t.data<int32_t>()[i] = static_cast<int32_t>(shape[i]);
  return t;
}

// A convolution at random, with or without a filter for each channel.
struct Case {
  Shape in, filter;
  std::vector<NamedAttr> attrs;
  std::string text;
  bool grouped = false;

  Case(Random& random, bool depthwise, bool volume) {
    const std::vector<int64_t> channels = {1, 2, 3, 4, 5, 7, 8, 11, 16, 17, 24, 31, 32, 33, 49, 65};
    in = filter = Shape();
    in.Append(random.Between(0, 8) ? random.Between(1, 3) : 0);
    const int spatial = volume ? 3 : 2;
    for (int i = 0; i < spatial; ++i) in.Append(random.Between(1, volume ? 6 : 17));
    for (int i = 0; i < spatial; ++i) filter.Append(random.Between(1, volume ? 3 : 6));
    const int64_t c = random.OneOf(channels);
    grouped = !depthwise && !volume && random.Between(0, 5) == 0;
    const int64_t groups = grouped ? random.Between(2, 3) : 1;
    in.Append(c * groups);
    filter.Append(c);
    filter.Append(depthwise ? random.OneOf({1, 1, 1, 2, 3})
                            : groups * random.OneOf({1, 2, 5, 8, 10, 16, 31, 48, 70}));
    Ints strides{1}, dilations{1}, pads{0, 0};
    const int64_t stride = random.OneOf({1, 1, 2, 3, 7});
    for (int i = 0; i < spatial; ++i) {
      strides.push_back(depthwise ? stride : random.OneOf({1, 1, 2, 3}));
      dilations.push_back(random.OneOf({1, 1, 1, 2, 3}));
      for (int k = 0; k < 2; ++k) pads.push_back(random.Between(0, 4));
    }
    for (Ints* list : {&strides, &dilations}) list->push_back(1);
    pads.insert(pads.end(), {0, 0});
    const char* padding =
        volume || random.Between(0, 2) ? (random.Between(0, 1) ? "SAME" : "VALID") : "EXPLICIT";
    attrs = {{"strides", strides}, {"dilations", dilations}, {"padding", padding}};
    if (*padding == 'E') attrs.push_back({"explicit_paddings", pads});
    text = StrCat(in, " * ", filter, " ", padding);
    for (const Ints* list : {&strides, &dilations, &pads}) {
      text += " [";
      for (const int64_t n : *list) text += StrCat(" ", n);
      text += " ]";
    }
  }
};

// Returns the number of products that each element of a result sums up.
double Terms(const Tensor& result, double products) {
  return result.num_elements() ? products / static_cast<double>(result.num_elements()) : 0;
}

// Runs an op with floats, on one thread and in blocks, and with doubles. Returns the result.
Tensor Check(const std::string& op, const Case& a, std::vector<Tensor> inputs, double products) {
  std::vector<Tensor> wide;
  for (const Tensor& t : inputs) wide.push_back(Doubles(t));
  const Result<std::vector<Tensor>> want = RunOp(op, wide, a.attrs);
  const Result<std::vector<Tensor>> got = RunOp(op, inputs, a.attrs);
  EXPECT_EQ(want.ok(), got.ok()) << op << " " << a.text;
  if (!want.ok() || !got.ok()) return {};
  const Tensor &x = (*want)[0], &y = (*got)[0];
  EXPECT_EQ(x.shape(), y.shape());
  const double tolerance = 1e-6 + 2e-7 * std::sqrt(Terms(x, products)) * 4;
  int64_t wrong = 0;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    const double w = x.data<double>()[i], g = y.data<float>()[i];
    wrong += !(w == g || std::abs(w - g) <= tolerance * std::max(1.0, std::abs(w)) ||
               (std::isnan(w) && std::isnan(g)));
  }
  EXPECT_EQ(wrong, 0) << op << " " << a.text << ", of " << x.num_elements() << " elements";
  for (const int64_t count : {2, 5}) {
    Blocks blocks(count);
    const auto split = *RunOp(op, inputs, a.attrs, {.runner = &blocks});
    EXPECT_EQ(0, std::memcmp(y.raw(), split[0].raw(), static_cast<size_t>(y.num_elements()) * 4))
        << op << " " << a.text << " in " << count << " blocks";
  }
  return y;
}

void CheckConvolution(Random& random, bool depthwise, bool volume) {
  const Case a(random, depthwise, volume);
  const std::string op = depthwise ? "DepthwiseConv2dNative" : volume ? "Conv3D" : "Conv2D";
  const std::string suffix = volume ? "V2" : "";
  Tensor x = random.Floats(a.in);
  const Tensor filter = random.Floats(a.filter);
  const Result<std::vector<Tensor>> made = RunOp(op, {x, filter}, a.attrs);
  if (!made.ok()) return;  // no window fits
  const Tensor y = (*made)[0];
  const double products =
      static_cast<double>(y.num_elements() * filter.num_elements()) /
      static_cast<double>(depthwise ? filter.dim(2) : filter.dim(filter.rank() - 1)) /
      static_cast<double>(depthwise ? filter.dim(3) : 1);
  Check(op, a, {x, filter}, products);
  if (!a.grouped) {
    const Tensor dy = random.Floats(y.shape());
    Check(op + "BackpropInput" + suffix, a, {Sizes(a.in), filter, dy}, products);
    Check(op + "BackpropFilter" + suffix, a, {x, Sizes(a.filter), dy}, products);
  }
  if (!x.num_elements()) return;
  x.data<float>()[random.Between(0, x.num_elements() - 1)] = std::nanf("");
  Check(op, a, {x, filter}, products);
}

class ConvTest : public testing::TestWithParam<ops::Isa> {
 protected:
  void SetUp() override { ops::LimitIsa(GetParam()); }
  void TearDown() override { ops::LimitIsa(ops::Isa::kAvx512); }
};

TEST_P(ConvTest, Images) {
  Random random(1);
  for (int i = 0; i < 100; ++i) CheckConvolution(random, false, false);
}

TEST_P(ConvTest, Depthwise) {
  Random random(2);
  for (int i = 0; i < 100; ++i) CheckConvolution(random, true, false);
}

TEST_P(ConvTest, Volumes) {
  Random random(3);
  for (int i = 0; i < 40; ++i) CheckConvolution(random, false, true);
}

// Filters of 3 x 3 and 5 x 5 for images with many channels, and long ones of three rows, which are
// computed by Winograd's algorithm, and of integers, whose sums are exact.
TEST_P(ConvTest, Winograd) {
  Random random(5);
  for (int i = 0; i < 8; ++i) {
    Case a(random, false, false);
    const int64_t channels = random.OneOf({16, 32}), outputs = random.OneOf({16, 48, 80});
    const int64_t size = i < 4 || i > 5 ? 3 : 5, width = i > 5 ? random.Between(5, 9) : size;
    const int64_t rows = random.Between(2 * size + 3, 15);
    a.in = Shape({random.Between(1, 2), rows, random.Between(rows + 4, 30), channels});
    a.filter = Shape({size, width, channels, outputs});
    const Ints pads{0, 0, random.Between(0, 3), random.Between(0, 3), 1, 0, 0, 0};
    a.attrs = {{"strides", Ints{1, 1, 1, 1}}, {"padding", i % 3 ? "SAME" : "EXPLICIT"}};
    if (i % 3 == 0) a.attrs.push_back({"explicit_paddings", pads});
    a.text = StrCat(a.in, " * ", a.filter);
    Tensor x = random.Floats(a.in), filter = random.Floats(a.filter);
    const Tensor y = (*RunOp("Conv2D", {x, filter}, a.attrs))[0];
    const Tensor dy = random.Floats(y.shape());
    const auto pixels = static_cast<double>(y.num_elements()) / static_cast<double>(outputs);
    const double products = pixels * static_cast<double>(filter.num_elements());
    Check("Conv2D", a, {x, filter}, products);
    Check("Conv2DBackpropInput", a, {Sizes(a.in), filter, dy}, products);
    Check("Conv2DBackpropFilter", a, {x, Sizes(a.filter), dy}, products);
    const float bad = i % 2 ? std::nanf("") : INFINITY;
    x.data<float>()[random.Between(0, x.num_elements() - 1)] = bad;
    Check("Conv2D", a, {x, filter}, products);
    Check("Conv2DBackpropFilter", a, {x, Sizes(a.filter), dy}, products);
    for (Tensor* t : {&x, &filter})
      for (float& f : t->flat<float>()) f = std::isfinite(f) ? std::round(f * 60) : 0;
    const Tensor whole = Check("Conv2D", a, {x, filter}, products);
    const Tensor want = (*RunOp("Conv2D", {Doubles(x), Doubles(filter)}, a.attrs))[0];
    for (int64_t k = 0; k < want.num_elements(); ++k)
      ASSERT_EQ(want.data<double>()[k], whole.data<float>()[k]) << a.text << " at " << k;
  }
}

// A sum over so many elements that the filter is packed in several blocks.
TEST_P(ConvTest, DeepSums) {
  Random random(4);
  for (const int64_t channels : {513, 700, 1030}) {
    Case a(random, false, false);
    a.in = Shape({1, 3, 4, channels});
    a.filter = Shape({2, 2, channels, 19});
    a.attrs = {{"strides", Ints{1, 1, 1, 1}}, {"padding", "SAME"}};
    a.text = StrCat(channels);
    const Tensor x = random.Floats(a.in), filter = random.Floats(a.filter);
    const double products = 12.0 * 19 * 4 * static_cast<double>(channels);
    const Tensor y = Check("Conv2D", a, {x, filter}, products);
    Check("Conv2DBackpropInput", a, {Sizes(a.in), filter, y}, products * 20);
    Check("Conv2DBackpropFilter", a, {x, Sizes(a.filter), y}, products * 20);
  }
}

// Pools, with NaN and equal elements.
TEST_P(ConvTest, Pools) {
  Random random(6);
  for (int i = 0; i < 60; ++i) {
    Case a(random, false, false);
    const int64_t c = random.Between(1, 70);
    a.in = Shape({2, random.Between(1, 12), random.Between(1, 12), c});
    const int64_t rows = random.Between(1, 4), columns = random.Between(1, 4);
    a.attrs = {{"ksize", Ints{1, rows, columns, 1}},
               {"strides", Ints{1, random.Between(1, 3), random.Between(1, 3), 1}},
               {"padding", random.Between(0, 1) ? "SAME" : "VALID"}};
    a.text = StrCat(a.in, " ", rows, "x", columns);
    Tensor x = random.Floats(a.in);
    for (int64_t k = 0; k < x.num_elements(); ++k)
      x.data<float>()[k] = std::round(x.data<float>()[k] * 3);
    x.data<float>()[random.Between(0, x.num_elements() - 1)] = std::nanf("");
    const Result<std::vector<Tensor>> made = RunOp("MaxPool", {x}, a.attrs);
    if (!made.ok()) continue;
    const Tensor dy = random.Floats((*made)[0].shape());
    Check("MaxPool", a, {x}, 0);
    Check("MaxPoolGrad", a, {x, (*made)[0], dy}, 0);
    Check("AvgPool", a, {x}, 0);
    Check("AvgPoolGrad", a, {Sizes(a.in), dy}, 0);
  }
}

// MaxPool3D, compared with the maximum of each window. NaN is smaller than every number.
TEST_P(ConvTest, VolumePools) {
  Random random(7);
  for (const int64_t channels : {1, 5, 8, 16, 27, 48}) {
    Tensor x = random.Floats(Shape({2, 3, 4, 5, channels}));
    x.data<float>()[random.Between(0, x.num_elements() - 1)] = std::nanf("");
    const std::vector<NamedAttr> attrs = {
        {"ksize", Ints{1, 2, 3, 2, 1}}, {"strides", Ints{1, 1, 1, 2, 1}}, {"padding", "VALID"}};
    const Tensor y = (*RunOp("MaxPool3D", {x}, attrs))[0];
    ASSERT_EQ(y.shape(), Shape({2, 2, 2, 2, channels}));
    for (int64_t i = 0; i < y.num_elements(); ++i) {
      const int64_t c = i % channels, q = i / channels % 2, r = i / channels / 2 % 2,
                    slab = i / channels / 4, plane = slab / 2 * 3 + slab % 2;
      float most = -INFINITY;
      for (int64_t k = 0; k < 12; ++k) {
        const int64_t row = (plane + k / 6) * 4 + r + k / 2 % 3, column = 2 * q + k % 2;
        most = std::fmax(most, x.data<float>()[(row * 5 + column) * channels + c]);
      }
      ASSERT_EQ(most, y.data<float>()[i]) << channels << " channels, element " << i;
    }
  }
}

// Batch normalization, compared with its definition in double. Large means must not cancel digits.
TEST_P(ConvTest, BatchNorm) {
  Random random(5);
  for (const int64_t channels : {1, 3, 16, 19, 70})
    for (const int64_t rows : {1, 5, 37, 1200}) {
      const Shape shape({1, rows, 1, channels}), vector({channels});
      Tensor x = random.Floats(shape);
      const double far = 50;
      for (int64_t i = 0; i < x.num_elements(); ++i) x.data<float>()[i] += static_cast<float>(far);
      const Tensor scale = random.Floats(vector), offset = random.Floats(vector);
      const Tensor none = *Tensor::Make(DType::kFloat, Shape({0}));
      const Tensor dy = random.Floats(shape);
      Blocks blocks(3);
      const auto y = *RunOp("FusedBatchNorm", {x, scale, offset, none, none}, {{"epsilon", 1e-3f}},
                            {.runner = &blocks});
      const auto grad = *RunOp("FusedBatchNormGrad", {dy, x, scale, y[3], y[4]},
                               {{"epsilon", 1e-3f}}, {.runner = &blocks});
      for (int64_t k = 0; k < channels; ++k) {
        auto at = [&](const Tensor& t, int64_t row) {
          return static_cast<double>(t.data<float>()[row * channels + k]);
        };
        double mean = 0, variance = 0, sum = 0, product = 0;
        const double n = static_cast<double>(rows);
        for (int64_t i = 0; i < rows; ++i) mean += at(x, i) / n;
        for (int64_t i = 0; i < rows; ++i) variance += (at(x, i) - mean) * (at(x, i) - mean) / n;
        for (int64_t i = 0; i < rows; ++i) {
          sum += at(dy, i);
          product += at(dy, i) * (at(x, i) - mean);
        }
        EXPECT_NEAR(at(y[3], 0), mean, 1e-6 * far);
        EXPECT_NEAR(at(y[4], 0), variance, 1e-5);
        const double r = 1 / std::sqrt(variance + 1e-3), s = at(scale, 0);
        EXPECT_NEAR(at(grad[1], 0), product * r, 1e-3 * (1 + std::abs(product * r)));
        EXPECT_NEAR(at(grad[2], 0), sum, 1e-5 * n);
        for (int64_t i = 0; i < rows; ++i) {
          const double d = at(x, i) - mean;
          EXPECT_NEAR(at(y[0], i), d * r * s + at(offset, 0), 1e-4 * r);
          EXPECT_NEAR(at(grad[0], i), s * r * (at(dy, i) - sum / n - d * r * r * product / n),
                      1e-4 * r);
        }
      }
    }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, ConvTest,
                         testing::Values(ops::Isa::kBase, ops::Isa::kAvx2, ops::Isa::kAvx512));

}  // namespace
}  // namespace tensh::test
