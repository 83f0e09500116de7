// Single math kernels: values, broadcasting, memory reuse and errors.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ops/support/isa.h"
#include "tests/unit/ops/kernel_harness.h"

namespace tensh::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr int32_t kIntMin = std::numeric_limits<int32_t>::min();

struct Row {
  const char* op;
  std::vector<Tensor> inputs;
  const char* want;
  std::vector<NamedAttr> attrs = {};
};

void Check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    EXPECT_EQ(RunText(row.op, row.inputs, row.attrs), row.want) << row.op;
    EXPECT_EQ(RunText(row.op, row.inputs, row.attrs, {.forwardable = true}), row.want)
        << row.op << " forwarding";
  }
}

TEST(MathTest, Broadcasting) {
  Check({
      {"AddV2", {F({}, {1}), F({}, {2})}, "f32[] 3"},
      {"AddV2", {F({2}, {1, 2}), F({2}, {2, 3})}, "f32[2] 3 5"},
      {"Sub", {I({}, {10}), I({3}, {1, 2, 3})}, "i32[3] 9 8 7"},
      {"Sub", {I({3}, {1, 2, 3}), I({}, {10})}, "i32[3] -9 -8 -7"},
      {"Sub", {I({2, 2}, {1, 2, 3, 4}), I({2}, {10, 20})}, "i32[2,2] -9 -18 -7 -16"},
      {"Sub", {I({2}, {10, 20}), I({2, 2}, {1, 2, 3, 4})}, "i32[2,2] 9 18 7 16"},
      {"Sub", {I({2, 1}, {10, 20}), I({1, 3}, {1, 2, 3})}, "i32[2,3] 9 8 7 19 18 17"},
      {"Sub", {I({2, 2}, {1, 2, 3, 4}), I({2, 1}, {10, 20})}, "i32[2,2] -9 -8 -17 -16"},
      {"Sub",
       {I({2, 1, 2}, {1, 2, 3, 4}), I({2, 1}, {10, 20})},
       "i32[2,2,2] -9 -8 -19 -18 -7 -6 -17 -16"},
      {"Sub", {I({1, 1}, {5}), I({1}, {3})}, "i32[1,1] 2"},
      {"Sub", {F({0}, {}), F({}, {1})}, "f32[0]"},
      {"Sub", {F({0, 2}, {}), F({3, 1, 1}, {1, 2, 3})}, "f32[3,0,2]"},
      {"Sub", {F({2}, {1, 2}), F({3}, {1, 2, 3})}, "3: Incompatible shapes: [2] vs. [3]"},
      {"Add", {S({2}, {"a", "b"}), S({}, {"c"})}, "str[2] ac bc"},
  });
}

// Every kind of row, compared with a loop of the definition, for sizes around the vector widths.
TEST(MathTest, BroadcastAgainstDefinition) {
  for (int64_t n : {1, 3, 8, 9, 16, 17, 64, 1000}) {
    for (int kind = 0; kind < 5; ++kind) {
      const Shape sx = kind == 1 ? Shape({1, n}) : kind == 3 ? Shape({}) : Shape({3, n});
      const Shape sy = kind == 2 ? Shape({3, 1}) : kind == 4 ? Shape({n}) : Shape({3, n});
      Tensor x = *Tensor::Make(DType::kFloat, sx), y = *Tensor::Make(DType::kFloat, sy);
      for (int64_t i = 0; i < x.num_elements(); ++i) x.data<float>()[i] = static_cast<float>(i + 1);
      for (int64_t i = 0; i < y.num_elements(); ++i) y.data<float>()[i] = static_cast<float>(7 * i);
      auto at = [n](const Tensor& t, int64_t i, int64_t j) {
        const bool rows = t.rank() == 2 && t.dim(0) == 3;
        const bool cols = t.rank() >= 1 && t.dim(t.rank() - 1) == n;
        return t.data<float>()[(rows ? i * (cols ? n : 1) : 0) + (cols ? j : 0)];
      };
      const Tensor z = (*RunOp("Sub", {x, y}))[0];
      ASSERT_EQ(z.shape(), Shape({3, n}));
      for (int64_t i = 0; i < 3; ++i)
        for (int64_t j = 0; j < n; ++j)
          ASSERT_EQ(z.data<float>()[i * n + j], at(x, i, j) - at(y, i, j))
              << "kind " << kind << " n " << n << " at " << i << "," << j;
    }
  }
}

TEST(MathTest, IntegersWrapAndDivideAsPython) {
  Check({
      {"AddV2", {I({}, {kIntMin}), I({}, {-1})}, "i32[] 2147483647"},
      {"Mul", {I({}, {kIntMin}), I({}, {-1})}, "i32[] -2147483648"},
      {"Neg", {I({}, {kIntMin})}, "i32[] -2147483648"},
      {"Abs", {I({2}, {kIntMin, -3})}, "i32[2] -2147483648 3"},
      {"Square", {I({}, {65536})}, "i32[] 0"},
      {"FloorDiv", {I({4}, {-7, 7, -7, 7}), I({4}, {2, -2, -2, 2})}, "i32[4] -4 -4 3 3"},
      {"FloorMod", {I({4}, {-7, 7, -7, 7}), I({4}, {3, -3, -3, 3})}, "i32[4] 2 -2 -1 1"},
      {"Div", {I({4}, {-7, 7, -7, 7}), I({4}, {2, -2, -2, 2})}, "i32[4] -3 -3 3 3"},
      {"Mod", {I({2}, {-7, 7}), I({2}, {3, -3})}, "i32[2] -1 1"},
      {"FloorDiv", {I({}, {kIntMin}), I({}, {-1})}, "i32[] -2147483648"},
      {"FloorMod", {I({}, {kIntMin}), I({}, {-1})}, "i32[] 0"},
      {"FloorDiv", {I({2}, {1, 2}), I({2}, {1, 0})}, "3: Integer division by zero"},
      {"FloorMod", {I({}, {1}), I({}, {0})}, "3: Integer division by zero"},
      {"FloorDiv", {I({0}, {}), I({1}, {0})}, "i32[0]"},
      {"FloorDiv", {F({2}, {-7, 7}), F({}, {2})}, "f32[2] -4 3"},
      {"FloorMod", {F({2}, {-7, 7}), F({}, {3})}, "f32[2] 2 1"},
      {"Pow", {I({3}, {2, -3, 0}), I({3}, {10, 3, 0})}, "i32[3] 1024 -27 1"},
      {"Pow", {I({}, {2}), I({}, {-1})}, "3: Integers to negative integer powers are not allowed"},
      {"Pow", {F({}, {2}), F({}, {-1})}, "f32[] 0.5"},
  });
}

TEST(MathTest, SpecialValues) {
  Check({
      {"Round", {F({5}, {0.5, 1.5, -2.5, 2.4f, -0.6f})}, "f32[5] 0 2 -2 2 -1"},
      {"Maximum", {F({3}, {kNan, 1, 2}), F({3}, {1, kNan, 3})}, "f32[3] nan nan 3"},
      {"Minimum", {F({3}, {kNan, 1, 2}), F({3}, {1, kNan, 3})}, "f32[3] nan nan 2"},
      {"Relu", {F({4}, {kNan, -1, 2, -kInf})}, "f32[4] nan 0 2 0"},
      {"ReluGrad", {F({3}, {5, 6, 7}), F({3}, {-1, 0, 1})}, "f32[3] 0 0 7"},
      {"Sign", {F({3}, {-2, 0, kInf})}, "f32[3] -1 0 1"},
      {"IsNan", {F({3}, {kNan, 1, kInf})}, "bool[3] 1 0 0"},
      {"IsInf", {F({3}, {kNan, 1, -kInf})}, "bool[3] 0 0 1"},
      {"IsFinite", {F({3}, {kNan, 1, kInf})}, "bool[3] 0 1 0"},
      {"Equal", {F({2}, {kNan, 1}), F({2}, {kNan, 1})}, "bool[2] 0 1"},
      {"NotEqual", {S({2}, {"a", "b"}), S({}, {"a"})}, "bool[2] 0 1"},
      {"Equal",
       {I({2}, {1, 2}), I({3}, {1, 2, 3})},
       "bool[] 0",
       {{"incompatible_shape_error", false}}},
      {"Equal", {I({2}, {1, 2}), I({3}, {1, 2, 3})}, "3: Incompatible shapes: [2] vs. [3]"},
      {"LogicalAnd", {B({2}, {true, false}), B({}, {true})}, "bool[2] 1 0"},
      {"LogicalNot", {B({2}, {true, false})}, "bool[2] 0 1"},
  });
}

TEST(MathTest, Casts) {
  const float big = 3e9f;
  Check({
      {"Cast", {F({3}, {1.8f, -1.8f, kNan})}, "i32[3] 1 -1 -2147483648", {{"DstT", DType::kInt32}}},
      {"Cast", {F({2}, {big, -kInf})}, "i32[2] -2147483648 -2147483648", {{"DstT", DType::kInt32}}},
      {"Cast", {I({3}, {0, 2, -1})}, "bool[3] 0 1 1", {{"DstT", DType::kBool}}},
      {"Cast", {B({2}, {true, false})}, "f32[2] 1 0", {{"DstT", DType::kFloat}}},
      {"Cast", {I({2}, {300, -1})}, "u8[2] 44 255", {{"DstT", DType::kUint8}}},
      {"Cast", {F({}, {1e19f})}, "u64[] 9999999980506447872", {{"DstT", DType::kUint64}}},
      {"Cast", {F({1}, {5})}, "f32[1] 5", {{"DstT", DType::kFloat}}},
      {"Cast",
       {S({}, {"1"})},
       "12: Cast string to float is not supported",
       {{"DstT", DType::kFloat}}},
  });
}

TEST(MathTest, Reductions) {
  const Tensor m = F({2, 3}, {1, 2, 3, 4, 5, 6});
  const NamedAttr keep{"keep_dims", true};
  Check({
      {"Sum", {m, I({2}, {0, 1})}, "f32[] 21"},
      {"Sum", {m, I({}, {0})}, "f32[3] 5 7 9"},
      {"Sum", {m, L({1}, {-1})}, "f32[2] 6 15"},
      {"Sum", {m, I({1}, {1})}, "f32[2,1] 6 15", {keep}},
      {"Sum", {m, I({0}, {})}, "f32[2,3] 1 2 3 4 5 6"},
      {"Sum", {F({0, 2}, {}), I({}, {0})}, "f32[2] 0 0"},
      {"Max", {F({0}, {}), I({}, {0})}, "f32[] -inf"},
      {"Min", {I({0}, {}), I({}, {0})}, "i32[] 2147483647"},
      {"Prod", {F({0}, {}), I({}, {0})}, "f32[] 1"},
      {"Max", {F({3}, {1, kNan, 2}), I({}, {0})}, "f32[] nan"},
      {"Mean", {m, I({}, {0})}, "f32[3] 2.5 3.5 4.5"},
      {"Mean", {I({2}, {-1, -2}), I({}, {0})}, "i32[] -1"},
      {"Mean", {F({0}, {}), I({}, {0})}, "f32[] nan"},
      {"Prod", {m, I({1}, {1})}, "f32[2] 6 120"},
      {"Any", {B({2, 2}, {true, false, false, false}), I({}, {1})}, "bool[2] 1 0"},
      {"All", {B({2, 2}, {true, false, true, true}), I({}, {1})}, "bool[2] 0 1"},
      {"Sum", {F({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), I({2}, {0, 2})}, "f32[2] 14 22"},
      {"Sum", {F({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), I({}, {1})}, "f32[2,2] 4 6 12 14"},
      {"Sum", {m, I({}, {2})}, "3: Invalid reduction dimension (2 for input with 2 dimension(s)"},
      {"Sum",
       {m, I({2}, {0, -2})},
       "3: Invalid reduction arguments: Axes contains duplicate dimension: 0"},
      {"ArgMax", {m, I({}, {1})}, "i64[2] 2 2"},
      {"ArgMax", {I({4}, {1, 5, 5, 0}), I({}, {0})}, "i64[] 1"},
      {"ArgMin", {m, I({}, {0})}, "i32[3] 0 0 0", {{"output_type", DType::kInt32}}},
      {"ArgMax", {F({0}, {}), I({}, {0})}, "3: Reduction axis 0 is empty in shape [0]"},
      {"ArgMax", {m, I({}, {2})}, "3: Expected dimension in the range [-2, 2), but got 2"},
  });
}

// Long sums are accurate for every layout.
TEST(MathTest, LongSums) {
  for (int64_t n : {7, 64, 65, 1000, 5000, 100001}) {
    Tensor x = *Tensor::Make(DType::kFloat, Shape({n, 3}));
    double columns[3] = {}, total = 0;
    for (int64_t i = 0; i < 3 * n; ++i) {
      x.data<float>()[i] = static_cast<float>(std::sin(0.1 * static_cast<double>(i)) + 1);
      columns[i % 3] += x.data<float>()[i];
      total += x.data<float>()[i];
    }
    const Tensor all = (*RunOp("Sum", {x, I({2}, {0, 1})}))[0];
    EXPECT_NEAR(*all.data<float>(), total, 1e-6 * total) << n;
    const Tensor by_column = (*RunOp("Sum", {x, I({}, {0})}))[0];
    for (int j = 0; j < 3; ++j)
      EXPECT_NEAR(by_column.data<float>()[j], columns[j], 1e-5 * columns[j]) << n;
  }
}

TEST(MathTest, MatrixProducts) {
  const Tensor a = F({2, 3}, {1, 2, 3, 4, 5, 6});
  const NamedAttr ta{"transpose_a", true}, tb{"transpose_b", true};
  Check({
      {"MatMul", {a, F({3, 1}, {1, 1, 1})}, "f32[2,1] 6 15"},
      {"MatMul", {a, F({1, 3}, {1, 1, 1})}, "f32[2,1] 6 15", {tb}},
      {"MatMul", {a, F({2, 1}, {1, 1})}, "f32[3,1] 5 7 9", {ta}},
      {"MatMul", {a, F({1, 2}, {1, 1})}, "f32[3,1] 5 7 9", {ta, tb}},
      {"MatMul", {F({2, 0}, {}), F({0, 2}, {})}, "f32[2,2] 0 0 0 0"},
      {"MatMul", {F({0, 2}, {}), F({2, 2}, {1, 2, 3, 4})}, "f32[0,2]"},
      {"MatMul", {a, a}, "3: Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]"},
      {"MatMul", {a, F({3}, {1, 1, 1})}, "3: b must be a matrix, got shape [3]"},
      {"BatchMatMulV2",
       {F({2, 1, 2}, {1, 2, 3, 4}), F({2, 2, 1}, {5, 6, 7, 8})},
       "f32[2,1,1] 17 53"},
      {"BatchMatMulV2",
       {F({2, 1, 2}, {1, 2, 3, 4}), F({1, 2}, {5, 6})},
       "f32[2,1,1] 17 39",
       {{"adj_y", true}}},
  });
}

// All types, transpositions and sizes around the tiles, compared with the definition.
template <class T>
void CheckGemm(int64_t m, int64_t n, int64_t k, bool ta, bool tb) {
  Tensor a = *Tensor::Make(kDTypeOf<T>, ta ? Shape({k, m}) : Shape({m, k}));
  Tensor b = *Tensor::Make(kDTypeOf<T>, tb ? Shape({n, k}) : Shape({k, n}));
  for (int64_t i = 0; i < m * k; ++i) a.data<T>()[i] = static_cast<T>(i % 13 - 6);
  for (int64_t i = 0; i < k * n; ++i) b.data<T>()[i] = static_cast<T>(i % 7 - 3);
  const Tensor c = (*RunOp("MatMul", {a, b}, {{"transpose_a", ta}, {"transpose_b", tb}}))[0];
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      T want = 0;
      for (int64_t p = 0; p < k; ++p)
        want += a.data<T>()[ta ? p * m + i : i * k + p] * b.data<T>()[tb ? j * k + p : p * n + j];
      // With small integers, every order of summation is exact.
      ASSERT_EQ(c.data<T>()[i * n + j], want)
          << Name(kDTypeOf<T>) << " " << m << "x" << n << "x" << k << " " << ta << tb;
    }
}

TEST(MathTest, MatrixProductsAgainstDefinition) {
  const int64_t sizes[][3] = {{1, 1, 1},    {3, 5, 7},     {4, 32, 16}, {5, 33, 17},
                              {1, 10, 128}, {70, 40, 300}, {9, 1, 50},  {64, 64, 64}};
  for (const auto& s : sizes)
    for (int t = 0; t < 4; ++t) {
      CheckGemm<float>(s[0], s[1], s[2], t & 1, t & 2);
      CheckGemm<double>(s[0], s[1], s[2], t & 1, t & 2);
      CheckGemm<int32_t>(s[0], s[1], s[2], t & 1, t & 2);
      CheckGemm<int64_t>(s[0], s[1], s[2], t & 1, t & 2);
    }
}

// Sizes for which products of floats use each of their loops, for every instruction set: one row, a few rows, one
// column, all numbers of rows in a tile, rows that are a multiple of a page apart, and several blocks.
TEST(MathTest, LargeProductsAgainstDefinition) {
  const int64_t sizes[][3] = {{1, 300, 201},  {4, 61, 203},    {6, 40, 211},  {300, 1, 203},
                              {7, 43, 700},   {26, 64, 40},    {39, 70, 30},  {64, 17, 60},
                              {200, 1024, 2}, {1024, 33, 140}, {203, 2, 105}, {131, 3, 110}};
  for (const ops::Isa isa : {ops::Isa::kBase, ops::Isa::kAvx2, ops::Isa::kAvx512}) {
    ops::LimitIsa(isa);
    for (const auto& s : sizes)
      for (int t = 0; t < 4; ++t) CheckGemm<float>(s[0], s[1], s[2], t & 1, t & 2);
  }
}

TEST(MathTest, Selection) {
  Check({
      {"Select", {B({}, {true}), I({2}, {1, 2}), I({2}, {3, 4})}, "i32[2] 1 2"},
      {"Select", {B({2}, {true, false}), S({2}, {"a", "b"}), S({2}, {"c", "d"})}, "str[2] a d"},
      {"Select",
       {B({2}, {false, true}), I({2, 2}, {1, 2, 3, 4}), I({2, 2}, {5, 6, 7, 8})},
       "i32[2,2] 5 6 3 4"},
      {"SelectV2", {B({2, 1}, {true, false}), F({2}, {1, 2}), F({}, {9})}, "f32[2,2] 1 2 9 9"},
      {"SelectV2", {B({}, {false}), F({}, {1}), F({2}, {8, 9})}, "f32[2] 8 9"},
      {"ClipByValue", {F({3}, {1, 5, 9}), F({}, {2}), F({}, {6})}, "f32[3] 2 5 6"},
      {"Cumsum", {I({2, 2}, {1, 2, 3, 4}), I({}, {0})}, "i32[2,2] 1 2 4 6"},
      {"Cumprod",
       {I({3}, {2, 3, 4}), I({}, {0})},
       "i32[3] 12 4 1",
       {{"exclusive", true}, {"reverse", true}}},
  });
}

TEST(MathTest, AddNReadsEveryInput) {
  Check({
      {"AddN", {F({2}, {1, 2}), F({2}, {3, 4}), F({2}, {5, 6})}, "f32[2] 9 12"},
      {"AddN", {F({1}, {7})}, "f32[1] 7"},
  });
  const Tensor x = F({2}, {1, 2});
  EXPECT_EQ(RunText("AddN", {x, x, x}, {}, {.forwardable = true}), "f32[2] 3 6");
  EXPECT_EQ(Text(x), "f32[2] 1 2");
}

TEST(MathTest, InferredShapes) {
  struct ShapeRow {
    const char* op;
    std::vector<Known> inputs;
    const char* want;
    std::vector<NamedAttr> attrs = {};
  };
  const Shape unknown = Shape::Unknown();
  const ShapeRow rows[] = {
      {"AddV2", {Shape({2, 1}), Shape({3})}, "[2,3]"},
      {"AddV2", {Shape({-1, 3}), Shape({3})}, "[?,3]"},
      {"AddV2", {Shape({2}), Shape({3})}, "3: Incompatible shapes: [2] vs. [3]"},
      {"MatMul", {Shape({-1, 3}), Shape({3, 4})}, "[?,4]"},
      {"MatMul", {unknown, Shape({3, 4})}, "[?,4]"},
      {"MatMul",
       {Shape({2, 3}), Shape({2, 3})},
       "3: Dimensions must be equal, but are 3 and 2: inner sizes differ, [2,3] x [2,3]"},
      {"Sum", {Shape({2, 3}), I({}, {0})}, "[3]"},
      {"Sum", {Shape({2, 3}), Known(Shape({1}), DType::kInt32)}, "<unknown>"},
      {"Sum", {Shape({2, 3}), I({1}, {-1})}, "[2,1]", {{"keep_dims", true}}},
      {"ArgMax", {Shape({2, 3}), I({}, {1})}, "[2]"},
      {"Select", {Known(Shape({2}), DType::kBool), Shape({-1, 3}), unknown}, "[?,3]"},
      {"BatchMatMulV2", {Shape({5, 2, 3}), Shape({3, 4})}, "[5,2,4]"},
      {"BiasAdd", {Shape({2, -1}), Shape({3})}, "[2,3]"},
      {"AddN", {Shape({-1, 2}), Shape({3, -1})}, "[3,2]"},
      {"SoftmaxCrossEntropyWithLogits", {Shape({-1, 3}), Shape({2, 3})}, "[2] [2,3]"},
  };
  for (const ShapeRow& row : rows)
    EXPECT_EQ(ShapeText(row.op, row.inputs, row.attrs), row.want) << row.op;
}

}  // namespace
}  // namespace tensh::test
