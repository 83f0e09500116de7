// Kernels of floats that have their own loops for each instruction set, compared with those of doubles or with
// a plain loop, on odd extents.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <tuple>

#include "ops/support/isa.h"
#include "ops/support/philox.h"
#include "runtime/core/half.h"
#include "tests/unit/ops/random_floats.h"

namespace tensh::test {
namespace {

class LoopsTest : public testing::TestWithParam<ops::Isa> {
 protected:
  void SetUp() override { ops::LimitIsa(GetParam()); }
  void TearDown() override { ops::LimitIsa(ops::Isa::kAvx512); }
};

// Returns the largest difference between two results, relative to the larger of 1 and the value. NaN only
// equals NaN.
double Distance(const Tensor& wide, const Tensor& t) {
  EXPECT_EQ(wide.shape(), t.shape());
  double most = 0;
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    const double w = wide.data<double>()[i], g = t.data<float>()[i];
    if (w == g || (std::isnan(w) && std::isnan(g))) continue;
    const double d = std::abs(w - g) / std::max(1.0, std::abs(w));
    most = d <= most ? most : d;
    if (std::isnan(d)) return INFINITY;
  }
  return most;
}

// Runs an op with floats and with doubles. Every output must be within the tolerance, and splitting the work
// must not change a bit.
void Compare(const std::string& op, const std::vector<Tensor>& inputs, double tolerance,
             const std::string& text, const std::vector<NamedAttr>& attrs = {}) {
  std::vector<Tensor> wide;
  for (const Tensor& t : inputs) wide.push_back(Doubles(t));
  const auto want = *RunOp(op, wide, attrs), got = *RunOp(op, inputs, attrs);
  Blocks blocks(3);
  const auto split = *RunOp(op, inputs, attrs, {.runner = &blocks});
  for (size_t i = 0; i < want.size(); ++i) {
    if (want[i].dtype() != DType::kDouble) continue;
    EXPECT_LE(Distance(want[i], got[i]), tolerance) << op << " " << text << " output " << i;
    EXPECT_EQ(0, std::memcmp(got[i].raw(), split[i].raw(), static_cast<size_t>(got[i].bytes())))
        << op << " " << text;
  }
}

TEST_P(LoopsTest, Softmax) {
  Random random(1);
  for (const int64_t n : {1, 7, 63, 64, 65, 100, 127, 128, 129, 1000}) {
    Tensor x = random.Floats(Shape({5, n}));
    for (int64_t i = 0; i < x.num_elements(); ++i)
      x.data<float>()[i] *= static_cast<float>(1 + i % 5) * 30;
    Tensor p = random.Floats(Shape({5, n}));
    for (int64_t i = 0; i < p.num_elements(); ++i)
      p.data<float>()[i] = i % 3 ? std::abs(p.data<float>()[i]) : 0;
    const Tensor labels =
        I(Shape({5}), {0, static_cast<int>(n) - 1, static_cast<int>(n / 2), 0, 0});
    for (const float special : {0.0f, -INFINITY, INFINITY, NAN}) {
      const std::string text = StrCat(n, " with ", special);
      if (special != 0) x.data<float>()[2 * n + n / 3] = special;
      Compare("Softmax", {x}, 5e-7, text);
      Compare("LogSoftmax", {x}, 5e-7, text);
      Compare("SoftmaxCrossEntropyWithLogits", {x, p}, 3e-6 * std::sqrt(n), text);
      Compare("SparseSoftmaxCrossEntropyWithLogits", {x, labels}, 1e-6, text,
              {{"Tlabels", DType::kInt32}});
    }
  }
}

// Attention masks set logits to a large negative number; their softmax must be exactly 0.
TEST_P(LoopsTest, MaskedSoftmax) {
  Random random(2);
  Tensor x = random.Floats(Shape({1, 200}));
  for (int64_t i = 0; i < 200; i += 3) x.data<float>()[i] = i % 2 ? -1e9f : -120.0f;
  const Tensor y = (*RunOp("Softmax", {x}))[0];
  for (int64_t i = 0; i < 200; i += 3) EXPECT_EQ(y.data<float>()[i], 0.0f);
  double sum = 0;
  for (int64_t i = 0; i < 200; ++i) sum += y.data<float>()[i];
  EXPECT_NEAR(sum, 1, 1e-6);
}

// Returns a random matrix with a strong diagonal.
Tensor Regular(Random& random, int64_t n) {
  Tensor a = random.Floats(Shape({n, n}));
  for (int64_t i = 0; i < n; ++i) a.data<float>()[i * n + i] += std::sqrt(static_cast<float>(n));
  return a;
}

TEST_P(LoopsTest, LinearAlgebra) {
  Random random(3);
  for (const int64_t n : {47, 48, 49, 63, 64, 65, 100, 131}) {
    const Tensor a = Regular(random, n), b = random.Floats(Shape({n, 9})),
                 wide = random.Floats(Shape({n, 70}));
    Tensor symmetric = *Tensor::Make(DType::kFloat, Shape({n, n}));
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = i == j ? 1 : 0;
        for (int64_t k = 0; k < n; ++k)
          sum += double{a.data<float>()[i * n + k]} * double{a.data<float>()[j * n + k]};
        symmetric.data<float>()[i * n + j] = static_cast<float>(sum);
      }
    Compare("Cholesky", {symmetric}, 2e-5, StrCat(n));
    Compare("MatrixInverse", {a}, 2e-4, StrCat(n));
    Compare("MatrixSolve", {a, wide}, 2e-4, StrCat(n));
    for (const bool adjoint : {false, true}) {
      Compare("MatrixSolve", {a, b}, 2e-4, StrCat(n), {{"adjoint", adjoint}});
      for (const bool lower : {false, true})
        Compare("MatrixTriangularSolve", {symmetric, wide}, 1e-4, StrCat(n),
                {{"adjoint", adjoint}, {"lower", lower}});
    }
    for (const bool full : {false, true})
      for (const Tensor& m :
           {a, random.Floats(Shape({n + 21, n})), random.Floats(Shape({n, n + 21}))})
        Compare("Qr", {m}, 3e-5, StrCat(m.shape()), {{"full_matrices", full}});
  }
}

// The largest element of u * diag(s) * v^T - a, and of u^T * u - 1 and v^T * v - 1, relative to the largest of s.
double SvdError(const Tensor& a, const std::vector<Tensor>& out) {
  const int64_t m = a.dim(0), n = a.dim(1), p = std::min(m, n), pu = out[1].dim(1),
                pv = out[2].dim(1);
  const float *s = out[0].data<float>(), *u = out[1].data<float>(), *v = out[2].data<float>();
  double error = 0;
  const auto add = [&](double e) { error = e <= error ? error : e; };
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = a.data<float>()[i * n + j];
      for (int64_t k = 0; k < p; ++k) sum -= double{u[i * pu + k]} * s[k] * v[j * pv + k];
      add(std::abs(sum) / std::max(s[0], 1e-38f));
    }
  for (const auto& [q, rows, columns] : {std::tuple{u, m, pu}, std::tuple{v, n, pv}})
    for (int64_t i = 0; i < columns; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        double sum = i == j ? -1 : 0;
        for (int64_t k = 0; k < rows; ++k) sum += double{q[k * columns + i]} * q[k * columns + j];
        add(std::abs(sum));
      }
  for (int64_t k = 1; k < p; ++k) EXPECT_LE(s[k], s[k - 1]);
  return error;
}

TEST_P(LoopsTest, SingularValues) {
  Random random(9);
  std::vector<Tensor> matrices;
  for (const auto& [m, n] : {std::pair{16, 16}, {17, 50}, {61, 61}, {90, 33}, {64, 128}})
    matrices.push_back(random.Floats(Shape({m, n})));
  Tensor rank2 = random.Floats(Shape({40, 35}));
  for (int64_t i = 2 * 35; i < 40 * 35; ++i)
    rank2.data<float>()[i] = rank2.data<float>()[i % 70] * 0.5f;
  Tensor graded = random.Floats(Shape({40, 40}));
  for (int64_t i = 0; i < 1600; ++i)
    graded.data<float>()[i] *= std::pow(10.0f, static_cast<float>(i % 40) * -0.3f);
  Tensor large = random.Floats(Shape({30, 20})), small = random.Floats(Shape({20, 30}));
  for (int64_t i = 0; i < 600; ++i)
    large.data<float>()[i] *= 1e37f, small.data<float>()[i] *= 1e-30f;
  matrices.insert(matrices.end(), {rank2, graded, large, small});
  for (const auto& [diagonal, other] : {std::pair{0.0f, 0.0f}, {1.0f, 0.0f}, {1.0f, 1.0f}}) {
    Tensor a = *Tensor::Make(DType::kFloat, Shape({20, 20}));
    for (int64_t i = 0; i < 400; ++i) a.data<float>()[i] = i % 21 ? other : diagonal;
    matrices.push_back(a);
  }
  for (const Tensor& a : matrices)
    for (const bool full : {false, true}) {
      const auto out = *RunOp("Svd", {a}, {{"full_matrices", full}});
      EXPECT_LE(SvdError(a, out), 4e-6) << a.shape().ToString() << full;
      const auto want = *RunOp("Svd", {Doubles(a)}, {{"compute_uv", false}});
      const auto got = *RunOp("Svd", {a}, {{"compute_uv", false}});
      for (int64_t i = 0; i < got[0].num_elements(); ++i)
        EXPECT_NEAR(got[0].data<float>()[i], want[0].data<double>()[i],
                    1e-6 * want[0].data<double>()[0])
            << a.shape().ToString();
    }
  graded.data<float>()[7] = INFINITY;
  EXPECT_TRUE(std::isnan((*RunOp("Svd", {graded}))[0].data<float>()[0]));
}

TEST_P(LoopsTest, EigenvaluesOfSymmetricMatrices) {
  Random random(10);
  for (const int64_t n : {48, 65, 100}) {
    Tensor a = random.Floats(Shape({n, n}));
    float* data = a.data<float>();
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < i; ++j) data[j * n + i] = data[i * n + j];
    const auto out = *RunOp("SelfAdjointEigV2", {a}),
               want = *RunOp("SelfAdjointEigV2", {Doubles(a)});
    EXPECT_LE(Distance(want[0], out[0]), 1e-5);
    const float *e = out[0].data<float>(), *v = out[1].data<float>();
    double error = 0;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = -data[i * n + j], product = i == j ? -1 : 0;
        for (int64_t k = 0; k < n; ++k) {
          sum += double{v[i * n + k]} * e[k] * v[j * n + k];
          product += double{v[k * n + i]} * v[k * n + j];
        }
        error = std::max({error, std::abs(sum) / n, std::abs(product)});
      }
    EXPECT_LE(error, 3e-6) << n;
    data[3 * n + 1] = NAN;
    EXPECT_FALSE(RunOp("SelfAdjointEigV2", {a}).ok());
  }
}

TEST_P(LoopsTest, LuPermutesAndReproduces) {
  Random random(4);
  const int64_t n = 77;
  const Tensor a = random.Floats(Shape({n, n}));
  const auto out = *RunOp("Lu", {a}, {{"output_idx_type", DType::kInt32}});
  const float* lu = out[0].data<float>();
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t k = 0; k <= std::min(i, j); ++k) {
        const double l = k == i ? 1 : double{lu[i * n + k]};
        EXPECT_LE(k == i ? 0 : std::abs(l), 1.0);
        sum += l * double{lu[k * n + j]};
      }
      EXPECT_NEAR(sum, a.data<float>()[out[1].data<int32_t>()[i] * n + j], 2e-5);
    }
}

TEST_P(LoopsTest, SingularMatricesAreRefused) {
  const int64_t n = 60;
  Tensor a = *Tensor::Make(DType::kFloat, Shape({n, n}));
  std::fill_n(a.data<float>(), n * n, 1.0f);
  EXPECT_FALSE(RunOp("MatrixInverse", {a}).ok());
  std::fill_n(a.data<float>(), n * n, -1.0f);
  EXPECT_FALSE(RunOp("Cholesky", {a}).ok());
}

TEST_P(LoopsTest, SortsLikeAStableSort) {
  Random random(5);
  for (const int64_t n : {1000, 1024, 1777, 5000}) {
    Tensor x = random.Floats(Shape({2, n}));
    for (int64_t i = 0; i < 2 * n; ++i)
      x.data<float>()[i] = i % 97 == 0   ? NAN
                           : i % 89 == 0 ? -0.0f
                                         : std::round(x.data<float>()[i] * 50);
    Tensor whole = *Tensor::Make(DType::kInt32, x.shape());
    for (int64_t i = 0; i < 2 * n; ++i)
      whole.data<int32_t>()[i] =
          i % 7 ? static_cast<int32_t>(i * 7919 % 501 - 250) * 8000000 : INT32_MIN;
    for (const int64_t k : {n, n / 2}) {
      auto check = [&]<class T>(const Tensor& t, T) {
        const auto out = *RunOp("TopKV2", {t, I(Shape(), {static_cast<int32_t>(k)})});
        for (int64_t row = 0; row < 2; ++row) {
          const T* in = t.data<T>() + row * n;
          std::vector<int32_t> order(static_cast<size_t>(n));
          std::iota(order.begin(), order.end(), 0);
          std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
            return in[a] == in[a] && (in[b] != in[b] || in[a] > in[b]);
          });
          order.resize(static_cast<size_t>(k));
          const int32_t* got = out[1].data<int32_t>() + row * k;
          EXPECT_EQ(order, std::vector<int32_t>(got, got + k)) << n;
          EXPECT_EQ(0, std::memcmp(&out[0].data<T>()[row * k], &in[order[0]], sizeof(T)));
        }
      };
      check(x, float{});
      check(whole, int32_t{});
    }
  }
}

TEST_P(LoopsTest, ArgumentsOfTheExtremum) {
  Random random(9);
  const float inf = INFINITY;
  for (const int64_t n : {1, 63, 64, 65, 200, 1000})
    for (const bool max : {true, false})
      for (const float special : {0.0f, NAN, inf, -inf, 7.0f}) {
        Tensor x = random.Floats(Shape({3, n}));
        for (int64_t i = 0; i < 3 * n; ++i) {
          float& value = x.data<float>()[i];
          value = std::round(value * 40);
          if (special != 0 && i % 3) value = special;
          if (i >= 2 * n) value = i % 2 ? NAN : max ? -inf : inf;  // no row for which a number wins
        }
        const Tensor y = (*RunOp(max ? "ArgMax" : "ArgMin", {x, I(Shape(), {1})},
                                 {{"output_type", DType::kInt64}}))[0];
        for (int64_t row = 0; row < 3; ++row) {
          const float* in = x.data<float>() + row * n;
          int64_t want = 0;
          float best =
              max ? std::numeric_limits<float>::lowest() : std::numeric_limits<float>::max();
          for (int64_t i = 0; i < n; ++i)
            if (max ? in[i] > best : in[i] < best) best = in[i], want = i;
          EXPECT_EQ(y.IntScalar(row), want) << n << " " << special;
        }
      }
}

TEST_P(LoopsTest, PhiloxBlocks) {
  const ops::Philox starts[] = {
      {1, 2}, {3, UINT64_MAX - 20, 7}, {3, UINT32_MAX - 5u, 7}, {5, UINT64_MAX, UINT64_MAX}};
  for (const ops::Philox& start : starts)
    for (const uint64_t stride : {uint64_t{1}, uint64_t{256}}) {
      std::vector<uint32_t> words(4 * 100);
      start.Blocks(100, stride, words.data());
      ops::Philox at = start;
      for (size_t i = 0; i < 100; ++i, at.Skip(stride - 1)) {
        const ops::Philox::Block block = at.Next();
        EXPECT_TRUE(std::equal(block.begin(), block.end(), &words[4 * i])) << i;
      }
    }
}

TEST_P(LoopsTest, NormalPairsHaveTheBitsOfSingleOnes) {
  std::vector<uint32_t> words(2 * 128);
  ops::Philox(11, 12).Blocks(64, 1, words.data());
  words[0] = 0;  // its logarithm would be infinite
  std::vector<float> all(words.size());
  ops::NormalPairs(words.data(), 128, all.data());
  for (size_t i = 0; i < words.size(); i += 2) {
    float pair[2];
    ops::NormalPair(&words[i], pair);
    EXPECT_EQ(0, std::memcmp(pair, &all[i], sizeof pair)) << i;
  }
}

// Every exponent, both signs, and the numbers around those at which rounding changes.
TEST_P(LoopsTest, HalvesAreRoundedAlike) {
  std::vector<uint32_t> bits;
  for (uint32_t high = 0; high < 0x800; ++high)
    for (const uint32_t low :
         {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x2fffu, 0x3000u, 0x7fffffu & 0xfffffu})
      bits.push_back(high << 20 | low);
  Tensor x = *Tensor::Make(DType::kFloat, Shape({static_cast<int64_t>(bits.size())}));
  std::memcpy(x.raw(), bits.data(), bits.size() * 4);
  const Tensor y = (*RunOp("Cast", {x}, {{"DstT", DType::kHalf}}))[0];
  const Tensor z = (*RunOp("Cast", {x}, {{"DstT", DType::kInt32}}))[0];
  for (size_t i = 0; i < bits.size(); ++i) {
    const float f = x.data<float>()[i];
    EXPECT_EQ(y.data<Half>()[i].bits, FloatToHalf(f)) << bits[i];
    const bool fits = f >= -2147483648.0f && f < 2147483648.0f;
    EXPECT_EQ(z.data<int32_t>()[i], fits ? static_cast<int32_t>(f) : INT32_MIN) << f;
  }
}

TEST_P(LoopsTest, Selections) {
  Random random(6);
  for (const int64_t n : {1, 8, 9, 33, 100}) {
    const Shape shape({3, n});
    const Tensor a = random.Floats(shape), b = random.Floats(shape), one = random.Floats(Shape());
    Tensor cond = *Tensor::Make(DType::kBool, shape);
    for (int64_t i = 0; i < 3 * n; ++i) cond.data<bool>()[i] = a.data<float>()[i] > 0;
    struct Case {
      const char* op;
      Tensor t, e;
    };
    for (const Case& c : {Case{"Select", a, b}, Case{"SelectV2", a, b}, Case{"SelectV2", one, b},
                          Case{"SelectV2", a, one}, Case{"SelectV2", one, one}}) {
      const Tensor y = (*RunOp(c.op, {cond, c.t, c.e}))[0];
      for (int64_t i = 0; i < 3 * n; ++i) {
        const Tensor& from = cond.data<bool>()[i] ? c.t : c.e;
        EXPECT_EQ(y.data<float>()[i], from.data<float>()[from.rank() ? i : 0]);
      }
    }
    for (const char* op : {"LeakyRelu", "LeakyReluGrad"}) {
      const bool back = std::string(op) != "LeakyRelu";
      const Tensor y =
          (*RunOp(op, back ? std::vector{b, a} : std::vector{a}, {{"alpha", 0.3f}}))[0];
      for (int64_t i = 0; i < 3 * n; ++i) {
        const float x = a.data<float>()[i], dy = back ? b.data<float>()[i] : x;
        EXPECT_EQ(y.data<float>()[i], x > 0 ? dy : dy * 0.3f);
      }
    }
  }
}

TEST_P(LoopsTest, Segments) {
  Random random(7);
  for (const int64_t run : {1, 8, 9, 64, 77}) {
    const Tensor x = random.Floats(Shape({7, run})), ids = I(Shape({7}), {0, 0, 0, 2, 2, 5, 5});
    for (const char* op : {"SegmentSum", "SegmentMean", "SegmentMax", "SegmentProd"})
      Compare(op, {x, ids}, 1e-6, StrCat(run), {{"Tindices", DType::kInt32}});
    const Tensor wide_ids = L(Shape({7}), {0, 0, 0, 2, 2, 5, 5});
    Compare("SegmentSum", {x, wide_ids}, 1e-6, StrCat(run), {{"Tindices", DType::kInt64}});
  }
}

TEST_P(LoopsTest, UniqueNumbers) {
  Random random(8);
  const int64_t n = 3000;
  Tensor x = random.Floats(Shape({n}));
  for (int64_t i = 0; i < n; ++i)
    x.data<float>()[i] = i % 100 == 0 ? NAN : std::round(x.data<float>()[i] * 300);
  for (const DType index : {DType::kInt32, DType::kInt64}) {
    const auto out = *RunOp("UniqueWithCounts", {x}, {{"out_idx", index}});
    std::vector<float> found;
    std::vector<int64_t> count;
    for (int64_t i = 0; i < n; ++i) {
      const float value = x.data<float>()[i];
      size_t at = 0;
      while (at < found.size() && found[at] != value) ++at;
      if (at == found.size()) {
        found.push_back(value);
        count.push_back(0);
      }
      ++count[at];
      EXPECT_EQ(out[1].IntScalar(i), static_cast<int64_t>(at));
    }
    ASSERT_EQ(out[0].num_elements(), static_cast<int64_t>(found.size()));
    EXPECT_EQ(0, std::memcmp(out[0].raw(), found.data(), found.size() * 4));
    for (size_t i = 0; i < count.size(); ++i)
      EXPECT_EQ(out[2].IntScalar(static_cast<int64_t>(i)), count[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, LoopsTest,
                         testing::Values(ops::Isa::kBase, ops::Isa::kAvx2, ops::Isa::kAvx512));

}  // namespace
}  // namespace tensh::test
