// The primitives of GPU kernels on the fake GPU, with teams of one thread, and with the checks of
// memory accesses and teams of 2, 8 and 32 threads.
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <random>

#include "devices/cuda/cuda_reduce.h"
#include "devices/cuda/cuda_sort.h"
#include "devices/cuda/cuda_view.h"
#include "runtime/core/device/device_moves.h"

namespace tensh::cuda {
namespace {

constexpr int64_t kSizes[] = {0, 1, 31, 32, 33, 1024, 1025, 9000};

// The parameter is the seed of the checks, or -1 for none.
class PrimitivesTest : public testing::TestWithParam<int> {
 protected:
  // The objects that devices refer to live as long as the process.
  void SetUp() override {
#ifndef __SANITIZE_THREAD__
    if (GetParam() >= 0) GTEST_SKIP() << "compiled without a look at each access";
#endif
    if (GetParam() >= 0) ::setenv("TENSH_FAKE_GPU_CHECKS", std::to_string(GetParam()).c_str(), 1);
    auto* driver = new FakeDriver(1, size_t{64} << 20);
    ::unsetenv("TENSH_FAKE_GPU_CHECKS");
    static auto* kept = new std::vector<DeviceFactory*>;
    kept->push_back(NewGpuFactory(*driver).release());
    gpu_ = std::move((*kept->back()->Create({}))[0]);
    context_ = std::make_unique<KernelCtx>(nullptr, gpu_->runner(), nullptr, gpu_->allocator());
    context_->Bind(call_);
  }

  KernelCtx& c() { return *context_; }
  template <class T>
  Tensor Make(int64_t n) {
    return *Tensor::Make(kDTypeOf<T>, Shape({n}), gpu_->allocator());
  }
  template <class T>
  Tensor There(const std::vector<T>& values) {
    return *Tensor::Vector<T>(values).CopyTo(gpu_->allocator());
  }
  template <class T>
  std::vector<T> Back(const Tensor& t) {
    EXPECT_TRUE(gpu_->Sync().ok());
    const Tensor here = *t.CopyTo(HostAllocator());
    return {here.data<T>(), here.data<T>() + here.num_elements()};
  }
  // Small whole numbers, whose sums are exact.
  std::vector<float> Numbers(int64_t n) {
    std::vector<float> values(static_cast<size_t>(n));
    for (float& x : values) x = static_cast<float>(static_cast<int>(random_() % 17) - 8);
    return values;
  }

  std::mt19937 random_{5};
  std::unique_ptr<Device> gpu_;
  KernelCall call_{};
  std::unique_ptr<KernelCtx> context_;
};

constexpr auto kAdd = [](float a, float b) { return a + b; };

TEST_P(PrimitivesTest, SumsOfRowsAndColumns) {
  for (const int64_t n : kSizes)
    for (const int64_t outs : {1, 5}) {
      const std::vector<float> x = Numbers(n * outs);
      const Tensor there = There(x), rows = Make<float>(outs), columns = Make<float>(outs);
      const auto in = In<float>(there);
      const auto row = Out<float>(rows), column = Out<float>(columns);
      ASSERT_TRUE(ReduceRows<2>(
                      c(), outs, n, 0.0f, [=](int64_t o, int64_t k) { return in[o * n + k]; }, kAdd,
                      [=](int64_t o, float sum) { row[o] = sum; })
                      .ok());
      ASSERT_TRUE(ReduceColumns<4>(
                      c(), outs, n, 0.0f, [=](int64_t o, int64_t k) { return in[k * outs + o]; },
                      kAdd, [=](int64_t o, float sum) { column[o] = sum; })
                      .ok());
      std::vector<float> by_row(static_cast<size_t>(outs)), by_column(by_row);
      for (int64_t i = 0; i < n * outs; ++i) {
        by_row[static_cast<size_t>(i / n)] += x[static_cast<size_t>(i)];
        by_column[static_cast<size_t>(i % outs)] += x[static_cast<size_t>(i)];
      }
      EXPECT_EQ(Back<float>(rows), by_row) << n << " in " << outs;
      EXPECT_EQ(Back<float>(columns), by_column) << n << " in " << outs;
    }
}

TEST_P(PrimitivesTest, ManyShortRows) {
  constexpr int64_t kRows = (1 << 16) + 3;
  if (GetParam() >= 0) GTEST_SKIP() << "takes seconds with so many threads";
  for (const int64_t n : {1, 7}) {
    const std::vector<float> x = Numbers(kRows * n);
    const Tensor there = There(x), sums = Make<float>(kRows);
    const auto in = In<float>(there);
    const auto out = Out<float>(sums);
    ASSERT_TRUE(ReduceRows(
                    c(), kRows, n, 0.0f, [=](int64_t o, int64_t k) { return in[o * n + k]; }, kAdd,
                    [=](int64_t o, float sum) { out[o] = sum; })
                    .ok());
    const std::vector<float> got = Back<float>(sums);
    for (const int64_t row : {int64_t{0}, int64_t{1 << 16}, kRows - 1})
      EXPECT_EQ(got[static_cast<size_t>(row)],
                std::accumulate(x.begin() + row * n, x.begin() + row * n + n, 0.0f));
  }
}

TEST_P(PrimitivesTest, RunningSumsOfRowsAndColumns) {
  for (const int64_t n : kSizes)
    for (const bool columns : {false, true}) {
      constexpr int64_t kRows = 3;
      const std::vector<float> x = Numbers(n * kRows);
      const Tensor there = There(x), before = Make<float>(n * kRows),
                   after = Make<float>(n * kRows);
      const auto in = In<float>(there);
      const auto to = Out<float>(before), past = Out<float>(after);
      const auto at = [=](int64_t row, int64_t k) {
        return columns ? k * kRows + row : row * n + k;
      };
      ASSERT_TRUE(Scan(
                      c(), kRows, n, columns, 0.0f,
                      [=](int64_t row, int64_t k) { return in[at(row, k)]; }, kAdd,
                      [=](int64_t row, int64_t k, float until, float with) {
                        to[at(row, k)] = until;
                        past[at(row, k)] = with;
                      })
                      .ok());
      std::vector<float> until(x.size()), with(x.size());
      for (int64_t row = 0; row < kRows; ++row) {
        float sum = 0;
        for (int64_t k = 0; k < n; ++k) {
          const auto i = static_cast<size_t>(at(row, k));
          until[i] = sum;
          with[i] = sum += x[i];
        }
      }
      EXPECT_EQ(Back<float>(before), until) << n << columns;
      EXPECT_EQ(Back<float>(after), with) << n << columns;
    }
}

TEST_P(PrimitivesTest, PairsAreSortedByKeyAndStayInOrder) {
  for (const int64_t n : kSizes)
    for (const int bits : {3, 40, 64}) {
      Pairs pairs = *Pairs::Make(c(), n);
      std::vector<int64_t> keys(static_cast<size_t>(n)), values(keys.size());
      std::iota(values.begin(), values.end(), 0);
      for (int64_t& key : keys)
        key = static_cast<int64_t>((uint64_t{random_()} << 32 | random_()) & 0xf00000070000000f);
      pairs.keys = There(keys);
      pairs.values = There(values);
      const Pairs sorted = *SortPairs(c(), pairs, bits);
      const uint64_t mask = bits < 64 ? (uint64_t{1} << bits) - 1 : ~uint64_t{0};
      const auto key_of = [&](int64_t i) {
        return static_cast<uint64_t>(keys[static_cast<size_t>(i)]) & mask;
      };
      std::stable_sort(values.begin(), values.end(),
                       [&](int64_t a, int64_t b) { return key_of(a) < key_of(b); });
      EXPECT_EQ(Back<int64_t>(sorted.values), values) << n << " by " << bits;
      for (size_t i = 0; i < values.size(); ++i) values[i] = keys[static_cast<size_t>(values[i])];
      EXPECT_EQ(Back<int64_t>(sorted.keys), values) << n << " by " << bits;
    }
}

// The updates of a row depend on their order. Rows out of range are skipped.
TEST_P(PrimitivesTest, NamedRowsAreUpdatedInTheOrderOfTheIndices) {
  constexpr int64_t kRows = 50;
  for (const int64_t n : {0, 1, 31, 32, 33, 128, 129, 1025})
    for (const int64_t width : {0, 1, 5, 40}) {
      std::vector<int32_t> rows(static_cast<size_t>(n));
      for (int32_t& row : rows) row = static_cast<int32_t>(random_() % 60) - 5;
      const std::vector<float> updates = Numbers(n * width);
      std::vector<float> var = Numbers(kRows * width);
      const Tensor index = There(rows), by = There(updates), there = There(var);
      const auto in = In<float>(by);
      const auto out = Out<float>(there);
      ASSERT_TRUE(
          ForNamedRows(c(), In<int32_t>(index), n, Shape({kRows, width}),
                       [=](int64_t to, int64_t from) { out[to] = out[to] * 0.5f + in[from]; })
              .ok());
      for (int64_t k = 0; k < n; ++k) {
        const int64_t row = rows[static_cast<size_t>(k)];
        for (int64_t j = 0; j < width && row >= 0 && row < kRows; ++j) {
          float& x = var[static_cast<size_t>(row * width + j)];
          x = x * 0.5f + updates[static_cast<size_t>(k * width + j)];
        }
      }
      EXPECT_EQ(Back<float>(there), var) << n << " of " << width;
    }
}

TEST_P(PrimitivesTest, BoxesWithOtherStrides) {
  auto& moves = *dynamic_cast<DeviceMoves*>(gpu_->allocator());
  for (const int64_t rows : {1, 7, 8, 31, 33})
    for (const int64_t columns : {8, 32, 65}) {
      constexpr int64_t kBoxes = 3;
      std::vector<int64_t> x(static_cast<size_t>(kBoxes * rows * columns));
      std::iota(x.begin(), x.end(), 0);
      const Tensor from = There(x);
      // [boxes, rows, columns] → [columns, boxes, rows]
      const int64_t dims[] = {columns, kBoxes, rows};
      const int64_t src[] = {1, rows * columns, columns}, dst[] = {kBoxes * rows, rows, 1};
      for (const int64_t size : {1, 2, 4, 8}) {
        const Tensor to = Make<uint8_t>(from.num_elements() * size);
        moves.CopyBox(c(), size, to.raw(), from.raw(), 3, dims, src, dst);
        const auto got = Back<uint8_t>(to);
        const auto* source = reinterpret_cast<const uint8_t*>(x.data());
        for (int64_t i = 0; i < from.num_elements(); ++i) {
          const int64_t row = i % rows, box = i / rows % kBoxes, column = i / rows / kBoxes;
          const int64_t at = (box * rows + row) * columns + column;
          ASSERT_TRUE(
              std::equal(source + at * size, source + (at + 1) * size, got.begin() + i * size))
              << rows << " by " << columns << " of " << size << " bytes: element " << i;
        }
      }
    }
}

TEST(Divider, QuotientsAndRemainders) {
  std::mt19937_64 random(3);
  std::vector<int64_t> extents = {1,
                                  2,
                                  3,
                                  5,
                                  7,
                                  64,
                                  641,
                                  1000003,
                                  (int64_t{1} << 31) - 1,
                                  int64_t{1} << 31,
                                  (int64_t{1} << 40) + 1};
  for (int k = 0; k < 200; ++k)
    extents.push_back(1 + static_cast<int64_t>(random() >> (1 + random() % 62)));
  for (const int64_t by : extents) {
    const Divider divider(by);
    std::vector<int64_t> indices = {0, 1, by - 1, by, (int64_t{1} << 31) - 1, int64_t{1} << 31};
    for (int k = 0; k < 50; ++k) indices.push_back(static_cast<int64_t>(random() >> (1 + k)));
    for (const int64_t i : indices) {
      int64_t rest = i;
      EXPECT_EQ(divider.Take(rest), i % by) << i << " / " << by;
      EXPECT_EQ(rest, i / by) << i << " / " << by;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Teams, PrimitivesTest, testing::Values(-1, 0, 1, 2));

}  // namespace
}  // namespace tensh::cuda
