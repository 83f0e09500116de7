// Single neural network kernels.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/ops/kernel_harness.h"

namespace tensh::test {
namespace {

TEST(NnTest, Values) {
  struct Row {
    const char* op;
    std::vector<Tensor> inputs;
    const char* want;
    std::vector<NamedAttr> attrs = {};
  };
  const NamedAttr nchw{"data_format", "NCHW"};
  const Row rows[] = {
      {"BiasAdd", {F({2, 2}, {1, 2, 3, 4}), F({2}, {10, 20})}, "f32[2,2] 11 22 13 24"},
      {"BiasAdd", {F({1, 2, 2}, {1, 2, 3, 4}), F({2}, {10, 20})}, "f32[1,2,2] 11 12 23 24", {nchw}},
      {"BiasAddGrad", {F({2, 2}, {1, 2, 3, 4})}, "f32[2] 4 6"},
      {"BiasAddGrad", {F({1, 2, 2}, {1, 2, 3, 4})}, "f32[2] 3 7", {nchw}},
      {"BiasAdd",
       {F({2}, {1, 2}), F({2}, {1, 2})},
       "3: value must be of rank 2 or more, got shape [2]"},
      {"Softmax", {F({2, 2}, {0, 0, 1000, 1000})}, "f32[2,2] 0.5 0.5 0.5 0.5"},
      {"Softmax", {F({2, 0}, {})}, "f32[2,0]"},
      {"L2Loss", {F({3}, {1, 2, 3})}, "f32[] 7"},
      {"L2Loss", {F({0}, {})}, "f32[] 0"},
      {"Relu6", {F({3}, {-1, 2, 9})}, "f32[3] 0 2 6"},
      {"SparseSoftmaxCrossEntropyWithLogits",
       {F({1, 2}, {0, 0}), L({1}, {2})},
       "3: Received a label value of 2 which is outside the valid range of [0, 2).  Label values: "
       "2"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(RunText(row.op, row.inputs, row.attrs), row.want) << row.op;
    EXPECT_EQ(RunText(row.op, row.inputs, row.attrs, {.forwardable = true}), row.want) << row.op;
  }
}

// Inputs for which kernels once accessed memory outside of their tensors, found by the sweep of
// empty_shapes_test.cc.
TEST(NnTest, OddShapesAndTypes) {
  const NamedAttr nchw{"data_format", "NCHW"}, valid{"padding", "VALID"};
  const NamedAttr strides{"strides", AttrValue::Ints{1, 1, 1, 1}};
  EXPECT_EQ(RunText("BiasAdd", {F({4, 3, 0}, {}), F({3}, {1, 2, 3})}, {nchw}), "f32[4,3,0]");
  EXPECT_EQ(RunText("BiasAdd", {F({2, 0, 2}, {}), F({0}, {})}, {nchw}), "f32[2,0,2]");
  EXPECT_EQ(RunText("Conv2D", {F({1, 1, 1, 0}, {}), F({1, 1, 1, 1}, {1})}, {strides, valid}),
            "3: input depth must be evenly divisible by filter depth: 0 vs 1 (input [1,1,1,0], "
            "filter [1,1,1,1])");
  const Tensor half = *Tensor::Make(DType::kBfloat16, Shape({1}));
  EXPECT_EQ(RunText("FusedBatchNormV3", {F({1, 1, 1, 1}, {1}), half, half, half, half}),
            "3: No OpKernel was registered to support Op '' with these attrs: U is bfloat16, not "
            "float");
  EXPECT_EQ(RunText("CholeskyGrad", {F({1, 1}, {0}), F({1, 1}, {1})}), "f32[1,1] nan");
  // Windows of one channel with a stride over channels: the shape has fewer channels than the input.
  const NamedAttr ksize{"ksize", AttrValue::Ints{1, 1, 1, 1}};
  const NamedAttr over{"strides", AttrValue::Ints{1, 1, 1, 2}};
  const Tensor image = F({1, 1, 1, 4}, {1, 2, 3, 4}), pooled = F({1, 1, 1, 2}, {1, 2});
  const char* refused =
      "12: Depthwise max pooling requires the depth window to evenly divide the input depth and to "
      "equal the depth stride.";
  EXPECT_EQ(RunText("MaxPool", {image}, {ksize, over, valid}), refused);
  EXPECT_EQ(RunText("MaxPoolGrad", {image, pooled, pooled}, {ksize, over, valid}), refused);
  EXPECT_EQ(RunText("MaxPoolV2", {image, I({4}, {1, 1, 1, 1}), I({4}, {1, 1, 1, 2})}, {valid}),
            refused);
}

// Loss and gradient of both cross entropies, compared with the definition in double.
TEST(NnTest, CrossEntropies) {
  for (int64_t n : {1, 2, 10, 33}) {
    const int64_t rows = 3;
    Tensor x = *Tensor::Make(DType::kFloat, Shape({rows, n}));
    Tensor p = *Tensor::Make(DType::kFloat, Shape({rows, n}));
    Tensor label = *Tensor::Make(DType::kInt32, Shape({rows}));
    for (int64_t i = 0; i < rows * n; ++i) {
      x.data<float>()[i] = static_cast<float>(5 * std::sin(static_cast<double>(i)));
      p.data<float>()[i] = 0;
    }
    for (int64_t i = 0; i < rows; ++i) {
      label.data<int32_t>()[i] = static_cast<int32_t>((2 * i) % n);
      p.data<float>()[i * n + (2 * i) % n] = 1;
    }
    const auto dense = *RunOp("SoftmaxCrossEntropyWithLogits", {x, p});
    const auto sparse = *RunOp("SparseSoftmaxCrossEntropyWithLogits", {x, label});
    const auto log_softmax = *RunOp("LogSoftmax", {x});
    const auto softmax = *RunOp("Softmax", {x});
    for (int64_t i = 0; i < rows; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < n; ++j)
        sum += std::exp(static_cast<double>(x.data<float>()[i * n + j]));
      const int64_t hit = (2 * i) % n;
      const double loss = std::log(sum) - x.data<float>()[i * n + hit];
      EXPECT_NEAR(dense[0].data<float>()[i], loss, 1e-5 * (1 + loss));
      EXPECT_NEAR(sparse[0].data<float>()[i], loss, 1e-5 * (1 + loss));
      for (int64_t j = 0; j < n; ++j) {
        const double q = std::exp(static_cast<double>(x.data<float>()[i * n + j])) / sum;
        EXPECT_NEAR(softmax[0].data<float>()[i * n + j], q, 1e-6);
        EXPECT_NEAR(log_softmax[0].data<float>()[i * n + j], std::log(q), 1e-5);
        EXPECT_NEAR(dense[1].data<float>()[i * n + j], q - (j == hit), 1e-6);
        EXPECT_NEAR(sparse[1].data<float>()[i * n + j], q - (j == hit), 1e-6);
      }
    }
  }
}

}  // namespace
}  // namespace tensh::test
