// Shapes: their limits and text form, merging, and broadcasting of partially known shapes.
#include "runtime/core/shape.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/core/rows.h"

namespace tensh {
namespace {

using test::ShapeOf;
using test::Show;

TEST(Shape, MakeChecksDimensionsFromOutside) {
  struct Row {
    std::vector<int64_t> dims;
    bool fully_known;
    std::string want;
  };
  constexpr int64_t kBig = int64_t{1} << 31;
  const Row rows[] = {
      {{}, true, "[]"},
      {{2, 3}, true, "[2,3]"},
      {{0}, true, "[0]"},
      {{-1, 2}, false, "[?,2]"},
      {{1, 1, 1, 1, 1, 1, 1, 1}, true, "[1,1,1,1,1,1,1,1]"},
      {{2, 1, 1, 1, 1, 1, 1, 1, 3}, true, "[2,1,1,1,1,1,1,1,3]"},
      {std::vector<int64_t>(255, 1), true,
       "3: rank 255 is not supported; tensh supports ranks 0 to 254"},
      {std::vector<int64_t>(61, 2), true, Shape(std::vector<int64_t>(61, 2)).ToString()},
      {std::vector<int64_t>(62, 2), true, "3: Shape would have more than 2**62 elements"},
      {{-1}, true, "3: Dimension -1 must be >= 0"},
      {{3, -2}, false, "3: Dimension -2 must be >= -1"},
      {{INT64_MIN}, false, "3: Dimension -9223372036854775808 must be >= -1"},
      {{kBig, kBig / 2}, true, "[2147483648,1073741824]"},
      {{kBig, kBig}, true, "3: Shape would have more than 2**62 elements"},
      {{kBig, -1, kBig}, false, "3: Shape would have more than 2**62 elements"},
      {{kBig, kBig, 4}, true, "3: Shape would have more than 2**62 elements"},  // 2^64 is 0
      {{INT64_MAX}, true, "3: Shape would have more than 2**62 elements"},
      {{0, kBig}, true, "[0,2147483648]"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(Show(Shape::Make(row.dims, row.fully_known)), row.want)
        << ::testing::PrintToString(row.dims) << row.fully_known;
}

TEST(Shape, RankAndElements) {
  struct Row {
    const char* shape;
    int rank;
    bool fully_known;
    int64_t elements;  // if fully known
  };
  const Row rows[] = {{"[]", 0, true, 1},         {"[3]", 1, true, 3},  {"[2,3,4]", 3, true, 24},
                      {"[2,0,4]", 3, true, 0},    {"[?]", 1, false, 0}, {"[2,?]", 2, false, 0},
                      {"<unknown>", -1, false, 0}};
  for (const Row& row : rows) {
    const Shape shape = ShapeOf(row.shape);
    EXPECT_EQ(shape.ToString(), row.shape);
    EXPECT_EQ(shape.rank(), row.rank) << row.shape;
    EXPECT_EQ(shape.has_rank(), row.rank >= 0) << row.shape;
    EXPECT_EQ(static_cast<int>(shape.dims().size()), std::max(row.rank, 0)) << row.shape;
    EXPECT_EQ(shape.IsFullyKnown(), row.fully_known) << row.shape;
    if (row.fully_known) {
      EXPECT_EQ(shape.num_elements(), row.elements) << row.shape;
    }
  }
  EXPECT_EQ(Shape::UnknownOfRank(2), ShapeOf("[?,?]"));
  EXPECT_EQ(Shape::UnknownOfRank(0), ShapeOf("[]"));
}

TEST(Shape, UnknownEqualsOnlyUnknown) {
  const char* shapes[] = {"<unknown>", "[]", "[?]", "[2]", "[2,2]", "[2,?]", "[1]"};
  for (const char* a : shapes)
    for (const char* b : shapes)
      EXPECT_EQ(ShapeOf(a) == ShapeOf(b), std::string_view(a) == b) << a << " " << b;
}

TEST(Shape, Merge) {
  struct Row {
    const char *a, *b, *want;
  };
  const Row rows[] = {
      {"[]", "[]", "[]"},
      {"[2,?]", "[?,3]", "[2,3]"},
      {"[2,?]", "[2,?]", "[2,?]"},
      {"<unknown>", "[1]", "[1]"},
      {"[?,4]", "<unknown>", "[?,4]"},
      {"<unknown>", "<unknown>", "<unknown>"},
      {"[0]", "[?]", "[0]"},
      {"[1]", "[2]", "3: Shapes [1] and [2] are not compatible"},
      {"[?]", "[]", "3: Shapes [?] and [] are not compatible"},
      {"[2,?]", "[3,4]", "3: Shapes [2,?] and [3,4] are not compatible"},
  };
  for (const Row& row : rows) {
    const Shape a = ShapeOf(row.a), b = ShapeOf(row.b);
    EXPECT_EQ(Show(Shape::Merge(a, b)), row.want) << row.a << " " << row.b;
    EXPECT_EQ(a.IsCompatibleWith(b), Shape::Merge(a, b).ok()) << row.a << " " << row.b;
    EXPECT_EQ(b.IsCompatibleWith(a), a.IsCompatibleWith(b)) << row.a << " " << row.b;
    if (const auto merged = Shape::Merge(b, a); merged.ok()) {
      EXPECT_EQ(merged->ToString(), row.want) << row.b << " " << row.a;
    }
  }
}

// The first rows are the examples of numpy's documentation. For unknown extents, the results are
// those of TensorFlow's BroadcastBinaryOpOutputShapeFn.
TEST(Shape, Broadcast) {
  struct Row {
    const char *a, *b, *want;
  };
  const Row rows[] = {
      {"[256,256,3]", "[3]", "[256,256,3]"},
      {"[8,1,6,1]", "[7,1,5]", "[8,7,6,5]"},
      {"[5,4]", "[1]", "[5,4]"},
      {"[15,3,5]", "[15,1,5]", "[15,3,5]"},
      {"[15,3,5]", "[3,1]", "[15,3,5]"},
      {"[3]", "[4]", "3: Incompatible shapes: [3] vs. [4]"},
      {"[2,1]", "[8,4,3]", "3: Incompatible shapes: [2,1] vs. [8,4,3]"},
      {"[]", "[2]", "[2]"},
      {"[]", "[]", "[]"},
      {"[0]", "[1]", "[0]"},
      {"[0]", "[]", "[0]"},
      {"[0]", "[2]", "3: Incompatible shapes: [0] vs. [2]"},
      {"<unknown>", "[5]", "<unknown>"},
      {"<unknown>", "<unknown>", "<unknown>"},
      {"[?]", "[5]", "[5]"},
      {"[?]", "[1]", "[?]"},
      {"[?]", "[0]", "[?]"},
      {"[?]", "[?]", "[?]"},
      {"[?,3]", "[3]", "[?,3]"},
      {"[?,3]", "[?]", "[?,3]"},
      {"[2,?]", "[?,1]", "[2,?]"},
      {"[?,2]", "[3,?,1]", "[3,?,2]"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Show(BroadcastShapes(ShapeOf(row.a), ShapeOf(row.b))), row.want)
        << row.a << " " << row.b;
    if (const auto back = BroadcastShapes(ShapeOf(row.b), ShapeOf(row.a)); back.ok()) {
      EXPECT_EQ(back->ToString(), row.want) << row.b << " " << row.a;
    }
  }
}

// ---- many dimensions ----

static_assert(sizeof(Shape) == 72);  // one for each tensor and each attribute that is a shape

const int kRanks[] = {-1, 0, 1, 7, 8, 9, 10, 16, 17, 32, 64, 65, 128, 129, 253, 254};

// Dimension i has extent seed + i; -1 makes a shape of unknown rank.
Shape Counting(int rank, int64_t seed = 1) {
  if (rank < 0) return Shape::Unknown();
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.Append(seed + i);
  return shape;
}

void ExpectCounting(const Shape& shape, int rank, int64_t seed = 1) {
  ASSERT_EQ(shape.rank(), rank);
  for (int i = 0; i < rank; ++i) ASSERT_EQ(shape[i], seed + i) << rank;
}

TEST(ShapeOfAnyRank, MadeAndAppended) {
  for (const int rank : kRanks) {
    const Shape shape = Counting(rank);
    ExpectCounting(shape, rank);
    EXPECT_EQ(shape.has_rank(), rank >= 0);
    if (rank < 0) continue;
    const std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
    EXPECT_EQ(static_cast<int>(dims.size()), rank);
    EXPECT_EQ(Shape(dims), shape);
    const Shape unknown = Shape::UnknownOfRank(rank);
    EXPECT_EQ(unknown.rank(), rank);
    EXPECT_EQ(unknown.IsFullyKnown(), rank == 0);
    if (rank == Shape::kMaxRank) continue;
    Shape longer = shape;
    longer.Append(rank + 1);
    ExpectCounting(longer, rank + 1);
    ExpectCounting(shape, rank);
  }
}

TEST(ShapeOfAnyRank, CopiedMovedAndAssigned) {
  for (const int from : kRanks)
    for (const int to : kRanks) {
      const Shape source = Counting(from);
      Shape copy = source, assigned = Counting(to, 1000), moved = Counting(to, 1000);
      assigned = source;
      moved = std::move(copy);
      ExpectCounting(assigned, from);
      ExpectCounting(moved, from);
      copy = Counting(to, 7);  // a shape that was moved from can be used again
      ExpectCounting(copy, to, 7);
      const Shape made(std::move(moved));
      ExpectCounting(made, from);
      if (from > 0) assigned.set_dim(from - 1, -1);
      ExpectCounting(source, from);  // shares nothing with its copies
      EXPECT_EQ(assigned == source, from <= 0);
    }
  for (const int rank : kRanks) {
    Shape shape = Counting(rank);
    Shape& same = shape;
    shape = same;
    ExpectCounting(shape, rank);
    shape = std::move(same);
    ExpectCounting(shape, rank);
  }
}

TEST(ShapeOfAnyRank, MergedAndBroadcast) {
  for (const int rank : {8, 9, 64, 254}) {
    const Shape full = Counting(rank);
    Shape even = full, odd = full, ones = full;
    for (int i = 0; i < rank; ++i) {
      (i % 2 ? even : odd).set_dim(i, -1);
      if (i % 2) ones.set_dim(i, 1);
    }
    EXPECT_EQ(*Shape::Merge(even, odd), full);
    EXPECT_EQ(*Shape::Merge(Shape::Unknown(), full), full);
    Shape other = full;
    other.set_dim(rank - 1, 2000);
    EXPECT_FALSE(full.IsCompatibleWith(other));
    EXPECT_FALSE(Shape::Merge(full, other).ok());
    EXPECT_FALSE(Shape::Merge(full, Counting(rank - 1)).ok());
    EXPECT_EQ(*BroadcastShapes(full, ones), full);
    EXPECT_EQ(*BroadcastShapes(ones, full), full);
    EXPECT_EQ(*BroadcastShapes(full, Shape({rank})), full);
    EXPECT_EQ(*BroadcastShapes(Shape(), full), full);
    EXPECT_FALSE(BroadcastShapes(full, other).ok());
  }
}

TEST(Shape, CountElements) {
  struct Row {
    std::vector<int64_t> dims;
    bool fits;
    int64_t elements;
  };
  constexpr int64_t kBig = int64_t{1} << 31;
  std::vector<int64_t> alternating;
  for (int i = 0; i < 254; ++i) alternating.push_back(i % 3 ? 1 : 2);
  const Row rows[] = {{{}, true, 1},
                      {{2, 3}, true, 6},
                      {{kBig, kBig / 2}, true, int64_t{1} << 61},
                      {{kBig, kBig}, false, 0},
                      {{kBig, kBig, 4}, false, 0},  // 2^64 is 0
                      {{0, kBig}, true, 0},
                      {{0, kBig, kBig}, false, 0},  // too many extents for a loop
                      {std::vector<int64_t>(61, 2), true, int64_t{1} << 61},
                      {std::vector<int64_t>(128, 2), false, 0},
                      {alternating, false, 0}};
  for (const Row& row : rows) {
    int64_t elements = -1;
    const Shape shape(row.dims);
    EXPECT_EQ(shape.CountElements(&elements), row.fits) << shape.ToString();
    if (row.fits) {
      EXPECT_EQ(elements, row.elements) << shape.ToString();
    }
  }
}

TEST(ShapeDeathTest, MoreDimensionsThanSupportedAbort) {
  EXPECT_DEATH(Shape(std::vector<int64_t>(255, 1)), "rank 255");
  Shape full(std::vector<int64_t>(254, 1));
  EXPECT_DEATH(full.Append(1), "Append to rank 254");
  Shape unknown = Shape::Unknown();
  EXPECT_DEATH(unknown.Append(1), "Append to rank -1");
}

}  // namespace
}  // namespace tensh
