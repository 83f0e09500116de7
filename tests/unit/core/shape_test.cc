// Shapes: their limits and text form, merging, and broadcasting of partially known shapes.
#include "runtime/core/shape.h"

#include <gtest/gtest.h>

#include "tests/unit/core/rows.h"

namespace tensh {
namespace {

using test::ShapeOf;
using test::Show;

TEST(Shape, MakeChecksDimensionsFromOutside) {
  struct Row {
    std::vector<int64_t> dims;
    bool fully_known;
    const char* want;
  };
  constexpr int64_t kBig = int64_t{1} << 31;
  const Row rows[] = {
      {{}, true, "[]"},
      {{2, 3}, true, "[2,3]"},
      {{0}, true, "[0]"},
      {{-1, 2}, false, "[?,2]"},
      {{1, 1, 1, 1, 1, 1, 1, 1}, true, "[1,1,1,1,1,1,1,1]"},
      {{1, 1, 1, 1, 1, 1, 1, 1, 1},
       true,
       "3: rank 9 is not supported; tensh supports ranks 0 to 8"},
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

TEST(ShapeDeathTest, MoreDimensionsThanSupportedAbort) {
  EXPECT_DEATH(Shape({1, 1, 1, 1, 1, 1, 1, 1, 1}), "rank 9");
  Shape full({1, 1, 1, 1, 1, 1, 1, 1});
  EXPECT_DEATH(full.Append(1), "Append to rank 8");
  Shape unknown = Shape::Unknown();
  EXPECT_DEATH(unknown.Append(1), "Append to rank -1");
}

}  // namespace
}  // namespace tensh
