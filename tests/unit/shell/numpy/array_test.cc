#include "shell/numpy/array.h"

#include <gtest/gtest.h>

#include <numeric>

#include "shell/numpy/reduce.h"
#include "shell/numpy/ufunc.h"
#include "shell/python/values/error.h"

namespace tensh::shell::np {
namespace {

Array Counting(std::vector<int64_t> dims) {
  const Array a = Empty(TSH_INT64, dims);
  std::iota(a.writable<int64_t>(), a.writable<int64_t>() + a.size(), 0);
  return a;
}

std::vector<int64_t> Elements(const Array& a) {
  const Array dense = Contiguous(Cast(a, TSH_INT64));
  return {dense.as<int64_t>(), dense.as<int64_t>() + dense.size()};
}
using Ints = std::vector<int64_t>;

TEST(Array, ViewsShareTheBuffer) {
  const Array a = Counting({2, 3});
  const Array column = DropAxis(a, 1, 2);
  EXPECT_EQ(Elements(column), (Ints{2, 5}));
  EXPECT_EQ(Elements(Transposed(a)), (Ints{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(Elements(Sliced(a, 1, 2, -1, 3)), (Ints{2, 1, 0, 5, 4, 3}));
  Assign(column, Zeros(TSH_INT64, {}));
  EXPECT_EQ(Elements(a), (Ints{0, 1, 0, 3, 4, 0}));
}

TEST(Array, ReshapeIsAViewWhenItCanBe) {
  const Array a = Counting({2, 3, 4});
  const int64_t flat[] = {24}, square[] = {6, 4}, rest[] = {4, -1};
  EXPECT_EQ(Reshaped(a, flat).buffer.get(), a.buffer.get());
  EXPECT_EQ(Reshaped(a, square).buffer.get(), a.buffer.get());
  EXPECT_NE(Reshaped(Transposed(a), flat).buffer.get(), a.buffer.get());
  EXPECT_EQ(Elements(Reshaped(Transposed(Counting({2, 2})), std::vector<int64_t>{4})),
            (Ints{0, 2, 1, 3}));
  EXPECT_EQ(Reshaped(a, rest).dim(1), 6);
  // In every second row of a matrix, dimensions cannot be merged, but they can be split.
  const Array rows = Sliced(Counting({4, 6}), 0, 0, 2, 2);
  const int64_t split[] = {2, 2, 3};
  EXPECT_EQ(Reshaped(rows, split).buffer.get(), rows.buffer.get());
  const int64_t wrong[] = {5};
  EXPECT_THROW(Reshaped(a, wrong), PyError);
}

TEST(Array, AHandedOverTensorNeverChanges) {
  const Array a = Counting({3});
  const TensorHandle kept = ToHandle(a);
  Assign(a, Zeros(TSH_INT64, {}));
  EXPECT_EQ(Elements(a), (Ints{0, 0, 0}));
  EXPECT_EQ(kept.data<int64_t>()[2], 2);
  // A view of the array sees the write too.
  const Array b = Counting({4}), view = Sliced(b, 0, 1, 1, 2);
  const TensorHandle held = ToHandle(b);
  Assign(b, Zeros(TSH_INT64, {}));
  EXPECT_EQ(Elements(view), (Ints{0, 0}));
  EXPECT_EQ(held.data<int64_t>()[3], 3);
}

TEST(Array, TensorsOfPartsAreCopies) {
  const Array a = Counting({4});
  const TensorHandle part = ToHandle(Sliced(a, 0, 1, 2, 2));
  EXPECT_EQ(part.elements(), 2);
  EXPECT_EQ(part.data<int64_t>()[1], 3);
}

TEST(Array, OverlappingAssignment) {
  const Array a = Counting({5});
  Assign(Sliced(a, 0, 1, 1, 4), Sliced(a, 0, 0, 1, 4));
  EXPECT_EQ(Elements(a), (Ints{0, 0, 1, 2, 3}));
}

TEST(Array, BadExtents) {
  EXPECT_THROW(Empty(TSH_FLOAT, Ints{-1}), PyError);
  EXPECT_THROW(Empty(TSH_FLOAT, Ints{int64_t{1} << 40, int64_t{1} << 40}), PyError);
  EXPECT_THROW(Empty(TSH_FLOAT, Ints(kMaxRank + 1, 1)), PyError);
}

TEST(Types, Promotion) {
  const struct {
    int a, b, result;
  } rows[] = {{TSH_INT32, TSH_FLOAT, TSH_DOUBLE},
              {TSH_INT16, TSH_FLOAT, TSH_FLOAT},
              {TSH_UINT8, TSH_INT8, TSH_INT16},
              {TSH_UINT64, TSH_INT64, TSH_DOUBLE},
              {TSH_BOOL, TSH_INT8, TSH_INT8},
              {TSH_FLOAT, TSH_COMPLEX64, TSH_COMPLEX64},
              {TSH_DOUBLE, TSH_COMPLEX64, TSH_COMPLEX128},
              {TSH_INT8, TSH_HALF, TSH_HALF},
              {TSH_UINT32, TSH_INT32, TSH_INT64},
              {TSH_INT64, kDTypeUnicode, kDTypeUnicode}};
  for (const auto& row : rows) {
    EXPECT_EQ(Promote(row.a, row.b), row.result) << row.a << " " << row.b;
    EXPECT_EQ(Promote(row.b, row.a), row.result) << row.b << " " << row.a;
  }
}

TEST(Types, ScalarsCountByValue) {
  const int64_t small = 5, large = 300, negative = -1;
  const double half = 0.5, huge = 1e300;
  const auto with = [](int array, int dtype, const void* v) {
    return ResultType({array, false, nullptr}, {dtype, true, v});
  };
  EXPECT_EQ(with(TSH_INT32, TSH_INT64, &small), TSH_INT32);
  EXPECT_EQ(with(TSH_INT8, TSH_INT64, &large), TSH_INT16);
  EXPECT_EQ(with(TSH_UINT8, TSH_INT64, &negative), TSH_INT16);
  EXPECT_EQ(with(TSH_FLOAT, TSH_DOUBLE, &half), TSH_FLOAT);
  EXPECT_EQ(with(TSH_FLOAT, TSH_DOUBLE, &huge), TSH_DOUBLE);
  EXPECT_EQ(with(TSH_INT32, TSH_DOUBLE, &half), TSH_DOUBLE);
}

TEST(Reduce, SumsPairwiseAlongTheInnermostAxis) {
  const int64_t n = 1000;
  const Array a = Empty(TSH_FLOAT, {&n, 1});
  for (int64_t i = 0; i < n; ++i) a.writable<float>()[i] = 0.1f;
  // numpy's result; adding one by one gives 99.99905.
  EXPECT_EQ(*Reduce(Reduction::kSum, a, {}, {}).as<float>(), 100.000015f);
}

TEST(Reduce, AxesInAnyLayout) {
  const Array a = Counting({2, 3});
  Axes first;
  first.all = false;
  first.reduced[0] = true;
  EXPECT_EQ(Elements(Reduce(Reduction::kSum, a, first, {})), (Ints{3, 5, 7}));
  EXPECT_EQ(Elements(Reduce(Reduction::kMax, Transposed(a), first, {})), (Ints{2, 5}));
  EXPECT_EQ(Elements(Reduce(Reduction::kProd, Sliced(a, 1, 2, -1, 2), first, {})), (Ints{10, 4}));
}

TEST(Ufunc, IntegersWrapAndFloorLikePython) {
  const auto number = [](int64_t v) { return Scalar0(TSH_INT64, v); };
  const auto run = [&](BinaryOp op, int64_t a, int64_t b) {
    return *Apply(UfuncOf(op), number(a), number(b)).as<int64_t>();
  };
  EXPECT_EQ(run(BinaryOp::kAdd, INT64_MAX, 1), INT64_MIN);
  EXPECT_EQ(run(BinaryOp::kFloorDiv, -7, 2), -4);
  EXPECT_EQ(run(BinaryOp::kMod, -7, 3), 2);
  EXPECT_EQ(run(BinaryOp::kMod, 7, 0), 0);
  EXPECT_EQ(run(BinaryOp::kFloorDiv, INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(run(BinaryOp::kLShift, 1, 64), 0);
}

}  // namespace
}  // namespace tensh::shell::np
