// Kernels and shape functions of single array ops: values, errors and shared memory.
#include <gtest/gtest.h>

#include "tests/unit/ops/kernel_harness.h"

namespace tensh::test {
namespace {

struct Row {
  const char* op;
  std::vector<Tensor> in;
  std::vector<NamedAttr> attrs;
  std::string want;  // the first output, or "code: message"
};

void RunRows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    std::string text = row.op;
    for (const Tensor& t : row.in) text += " (" + Text(t) + ")";
    EXPECT_EQ(RunText(row.op, row.in, row.attrs), row.want) << text;
  }
}

const Tensor kMatrix = F({2, 3}, {1, 2, 3, 4, 5, 6});

TEST(ArrayOps, StitchedRowsWithoutAnIndexAreZero) {
  RunRows({
      {"DynamicStitch", {I({3}, {0, 0, 2}), F({3}, {1, 2, 3})}, {}, "f32[3] 2 0 3"},
      {"DynamicStitch", {I({2}, {1, 0}), F({2}, {1, 2})}, {}, "f32[2] 2 1"},
      {"DynamicStitch",
       {I({2}, {0, 3}), I({2}, {3, 1}), F({2}, {1, 2}), F({2}, {3, 4})},
       {},
       "f32[4] 1 4 0 3"},
  });
}

TEST(ArrayOps, ShapesAndReshaping) {
  RunRows({
      {"Shape", {kMatrix}, {}, "i32[2] 2 3"},
      {"Shape", {kMatrix}, {{"out_type", DType::kInt64}}, "i64[2] 2 3"},
      {"Size", {kMatrix}, {}, "i32[] 6"},
      {"Rank", {kMatrix}, {}, "i32[] 2"},
      {"Reshape", {kMatrix, I({2}, {3, -1})}, {}, "f32[3,2] 1 2 3 4 5 6"},
      {"Reshape", {F({}, {7}), I({0}, {})}, {}, "f32[] 7"},
      {"Reshape", {F({0, 3}, {}), I({2}, {-1, 3})}, {}, "f32[0,3]"},
      {"Reshape",
       {kMatrix, I({1}, {4})},
       {},
       "3: Input to reshape is a tensor with 6 values, but the requested shape has 4"},
      {"Reshape",
       {kMatrix, I({2}, {-1, -1})},
       {},
       "3: Only one input size may be -1, not both 0 and 1"},
      {"Reshape",
       {kMatrix, I({2}, {-1, 4})},
       {},
       "3: Input to reshape is a tensor with 6 values, but the requested shape requires a multiple "
       "of 4"},
      {"Reshape", {kMatrix, I({1}, {-2})}, {}, "3: Size 0 must be non-negative, not -2"},
      {"ExpandDims", {kMatrix, I({}, {-1})}, {}, "f32[2,3,1] 1 2 3 4 5 6"},
      {"ExpandDims",
       {kMatrix, I({}, {5})},
       {},
       "3: Tried to expand dim index 5 for tensor with 2 dimensions."},
      {"Squeeze", {F({1, 2, 1}, {1, 2})}, {}, "f32[2] 1 2"},
      {"Squeeze", {F({1, 2, 1}, {1, 2})}, {{"squeeze_dims", AttrValue::Ints{-1}}}, "f32[1,2] 1 2"},
      {"Squeeze",
       {kMatrix},
       {{"squeeze_dims", AttrValue::Ints{0}}},
       "3: Can not squeeze dim[0], expected a dimension of 1, got 2"},
  });
}

TEST(ArrayOps, TransposingAndReversing) {
  RunRows({
      {"Transpose", {kMatrix, I({2}, {1, 0})}, {}, "f32[3,2] 1 4 2 5 3 6"},
      {"Transpose", {kMatrix, I({2}, {-1, -2})}, {}, "f32[3,2] 1 4 2 5 3 6"},
      {"Transpose", {S({1, 2}, {"a", "b"}), I({2}, {1, 0})}, {}, "str[2,1] a b"},
      {"Transpose", {I({2, 1, 2}, {1, 2, 3, 4}), I({3}, {2, 1, 0})}, {}, "i32[2,1,2] 1 3 2 4"},
      {"Transpose", {kMatrix, I({2}, {0, 0})}, {}, "3: 1 is missing from {0,0}"},
      {"Transpose", {kMatrix, I({2}, {0, 2})}, {}, "3: 2 is out of range [0 .. 2)"},
      {"InvertPermutation", {I({3}, {2, 0, 1})}, {}, "i32[3] 1 2 0"},
      {"InvertPermutation", {I({2}, {0, 0})}, {}, "3: 0 is duplicated in the input."},
      {"ReverseV2", {kMatrix, I({1}, {1})}, {}, "f32[2,3] 3 2 1 6 5 4"},
      {"ReverseV2", {kMatrix, I({2}, {0, -1})}, {}, "f32[2,3] 6 5 4 3 2 1"},
      {"ReverseV2", {kMatrix, I({2}, {1, 1})}, {}, "3: axis 1 specified more than once."},
  });
}

// Every permutation of the axes of a tensor that is large enough for tiling, compared with the
// definition.
TEST(ArrayOps, TransposeOfEveryOrder) {
  const Shape shape({3, 37, 41});
  Tensor x = *Tensor::Make(DType::kInt32, shape);
  for (int i = 0; i < x.num_elements(); ++i) x.data<int32_t>()[i] = i;
  int32_t p[3] = {0, 1, 2};
  do {
    Tensor y = (*RunOp("Transpose", {x, I({3}, {p[0], p[1], p[2]})}))[0];
    int64_t wrong = 0, at[3];
    const int32_t* out = y.data<int32_t>();
    for (at[0] = 0; at[0] < y.dim(0); ++at[0])
      for (at[1] = 0; at[1] < y.dim(1); ++at[1])
        for (at[2] = 0; at[2] < y.dim(2); ++at[2]) {
          int64_t from[3];
          for (int d = 0; d < 3; ++d) from[p[d]] = at[d];
          wrong += *out++ != (from[0] * 37 + from[1]) * 41 + from[2];
        }
    EXPECT_EQ(wrong, 0) << p[0] << p[1] << p[2];
  } while (std::next_permutation(p, p + 3));
}

TEST(ArrayOps, JoiningAndCutting) {
  RunRows({
      {"ConcatV2", {I({1}, {1}), I({2}, {2, 3}), I({}, {0})}, {}, "i32[3] 1 2 3"},
      {"ConcatV2", {kMatrix, F({2, 1}, {8, 9}), I({}, {-1})}, {}, "f32[2,4] 1 2 3 8 4 5 6 9"},
      {"ConcatV2", {F({0, 3}, {}), kMatrix, I({}, {0})}, {}, "f32[2,3] 1 2 3 4 5 6"},
      {"ConcatV2",
       {kMatrix, F({1, 1}, {0}), I({}, {0})},
       {},
       "3: ConcatOp : Dimension 1 in both shapes must be equal: shape[0] = [2,3] vs. shape[1] = "
       "[1,1]"},
      {"ConcatV2",
       {kMatrix, kMatrix, I({}, {5})},
       {},
       "3: ConcatOp : Expected concatenating dimensions in the range [-2, 2), but got 5"},
      {"ConcatOffset", {I({}, {1}), I({2}, {2, 2}), I({2}, {2, 5})}, {}, "i32[2] 0 0"},
      {"Pack", {I({2}, {1, 2}), I({2}, {3, 4})}, {}, "i32[2,2] 1 2 3 4"},
      {"Pack", {I({2}, {1, 2}), I({2}, {3, 4})}, {{"axis", -1}}, "i32[2,2] 1 3 2 4"},
      {"Pack", {S({}, {"x"})}, {}, "str[1] x"},
      {"Pack",
       {I({2}, {1, 2}), I({1}, {3})},
       {},
       "3: Shapes of all inputs must match: values[0].shape = [2] != values[1].shape = [1]"},
      {"Unpack", {kMatrix}, {{"num", 3}, {"axis", 1}}, "f32[2] 1 4"},
      {"Unpack", {kMatrix}, {{"num", 3}}, "3: Input shape axis 0 must equal 3, got shape [2,3]"},
      {"Split", {I({}, {1}), kMatrix}, {{"num_split", 3}}, "f32[2,1] 1 4"},
      {"Split",
       {I({}, {1}), kMatrix},
       {{"num_split", 2}},
       "3: Number of ways to split should evenly divide the split dimension, but got split_dim 1 "
       "(size = 3) and num_split 2"},
      {"SplitV", {kMatrix, I({2}, {2, -1}), I({}, {1})}, {{"num_split", 2}}, "f32[2,2] 1 2 4 5"},
      {"SplitV",
       {kMatrix, I({2}, {-1, -1}), I({}, {1})},
       {{"num_split", 2}},
       "3: There can only be one -1 in the input."},
  });
}

TEST(ArrayOps, Slices) {
  const Tensor v = I({5}, {0, 1, 2, 3, 4});
  auto masks = [](int begin, int end, int ellipsis, int new_axis, int shrink) {
    return std::vector<NamedAttr>{{"begin_mask", begin},
                                  {"end_mask", end},
                                  {"ellipsis_mask", ellipsis},
                                  {"new_axis_mask", new_axis},
                                  {"shrink_axis_mask", shrink}};
  };
  RunRows({
      {"Slice", {kMatrix, I({2}, {0, 1}), I({2}, {2, -1})}, {}, "f32[2,2] 2 3 5 6"},
      {"Slice",
       {kMatrix, I({2}, {0, 0}), I({2}, {3, 1})},
       {},
       "3: Expected size[0] in [0, 2], but got 3"},
      {"Slice",
       {kMatrix, L({2}, {0, -1}), L({2}, {1, 1})},
       {},
       "3: Expected begin[1] in [0, 3], but got -1"},
      {"StridedSlice", {v, I({1}, {1}), I({1}, {4}), I({1}, {2})}, {}, "i32[2] 1 3"},
      {"StridedSlice",
       {v, I({1}, {0}), I({1}, {0}), I({1}, {-1})},
       masks(1, 1, 0, 0, 0),
       "i32[5] 4 3 2 1 0"},
      {"StridedSlice", {v, I({1}, {-2}), I({1}, {99}), I({1}, {1})}, {}, "i32[2] 3 4"},
      {"StridedSlice", {v, I({1}, {3}), I({1}, {1}), I({1}, {1})}, {}, "i32[0]"},
      {"StridedSlice",
       {v, I({1}, {-1}), I({1}, {0}), I({1}, {1})},
       masks(0, 0, 0, 0, 1),
       "i32[] 4"},
      // m[..., None, 1]
      {"StridedSlice",
       {kMatrix, I({3}, {0, 0, 1}), I({3}, {0, 0, 2}), I({3}, {1, 1, 1})},
       masks(0, 0, 1, 2, 4),
       "f32[2,1] 2 5"},
      {"StridedSlice",
       {v, I({1}, {INT32_MIN}), I({1}, {INT32_MAX}), I({1}, {INT32_MAX})},
       {},
       "i32[1] 0"},
      {"StridedSlice",
       {v, L({1}, {INT64_MAX}), L({1}, {INT64_MIN}), L({1}, {INT64_MIN})},
       {},
       "i32[1] 4"},
      {"StridedSlice",
       {v, I({1}, {5}), I({1}, {6}), I({1}, {1})},
       masks(0, 0, 0, 0, 1),
       "3: slice index 5 of dimension 0 out of bounds."},
      {"StridedSlice",
       {v, I({1}, {0}), I({1}, {1}), I({1}, {0})},
       {},
       "3: strides[0] must be non-zero"},
      {"StridedSlice",
       {v, I({2}, {0, 0}), I({2}, {1, 1}), I({2}, {1, 1})},
       masks(0, 0, 3, 0, 0),
       "3: Multiple ellipses in slice spec not allowed"},
      {"StridedSlice",
       {v, I({2}, {0, 0}), I({2}, {1, 1}), I({2}, {1, 1})},
       {},
       "3: Index out of range using input dim 1; input has only 1 dims"},
      {"StridedSliceGrad",
       {I({1}, {5}), I({1}, {4}), I({1}, {0}), I({1}, {-2}), F({2}, {7, 8})},
       {},
       "f32[5] 0 0 8 0 7"},
      {"StridedSliceGrad",
       {I({1}, {5}), I({1}, {0}), I({1}, {1}), I({1}, {1}), F({2}, {7, 8})},
       {},
       "3: shape of dy was [2] instead of [1]"},
  });
}

TEST(ArrayOps, GatheringAndScattering) {
  RunRows({
      {"GatherV2", {kMatrix, I({2}, {1, 0}), I({}, {0})}, {}, "f32[2,3] 4 5 6 1 2 3"},
      {"GatherV2", {kMatrix, I({}, {2}), I({}, {1})}, {}, "f32[2] 3 6"},
      {"GatherV2", {kMatrix, I({2, 1}, {2, 0}), I({}, {1})}, {{"batch_dims", 1}}, "f32[2,1] 3 4"},
      {"GatherV2",
       {kMatrix, I({2, 1}, {0, -1}), I({}, {1})},
       {},
       "3: indices[1,0] = -1 is not in [0, 3)"},
      {"GatherV2", {kMatrix, I({1}, {7}), I({}, {0})}, {}, "3: indices[0] = 7 is not in [0, 2)"},
      {"GatherNd", {kMatrix, I({2, 2}, {0, 0, 1, 2})}, {}, "f32[2] 1 6"},
      {"GatherNd", {kMatrix, I({1, 1}, {1})}, {}, "f32[1,3] 4 5 6"},
      {"GatherNd",
       {kMatrix, I({1, 2}, {0, 9})},
       {},
       "3: indices[0] = [0, 9] does not index into param shape [2,3]"},
      {"ScatterNd", {I({3, 1}, {1, 3, 1}), I({3}, {5, 6, 7}), I({1}, {4})}, {}, "i32[4] 0 12 0 6"},
      {"ScatterNd",
       {I({1, 1}, {5}), I({1}, {1}), I({1}, {3})},
       {},
       "3: indices[0] = [5] does not index into shape [3]"},
      {"DynamicStitch",
       {I({2}, {0, 2}), I({}, {1}), F({2}, {1, 3}), F({}, {2})},
       {{"N", 2}, {"T", DType::kFloat}},
       "f32[3] 1 2 3"},
      {"DynamicStitch",
       {I({1}, {2}), F({1}, {9})},
       {{"N", 1}, {"T", DType::kFloat}},
       "f32[3] 0 0 9"},
      {"UnsortedSegmentSum",
       {kMatrix, I({2}, {2, -1}), I({}, {3})},
       {},
       "f32[3,3] 0 0 0 0 0 0 1 2 3"},
      {"UnsortedSegmentSum",
       {kMatrix, I({2}, {0, 3}), I({}, {3})},
       {},
       "3: segment_ids[1] = 3 is out of range [0, 3)"},
  });
}

TEST(ArrayOps, FillingAndRepeating) {
  RunRows({
      {"Fill", {I({2}, {2, 2}), I({}, {9})}, {}, "i32[2,2] 9 9 9 9"},
      {"Fill", {I({0}, {}), S({}, {"s"})}, {}, "str[] s"},
      {"Fill", {I({1}, {-1}), F({}, {1})}, {}, "3: Dimension -1 must be >= 0"},
      {"Fill",
       {L({2}, {int64_t{1} << 40, int64_t{1} << 40}), F({}, {0})},
       {},
       "3: Shape would have more than 2**62 elements"},
      {"ZerosLike", {S({2}, {"a", "b"})}, {}, "str[2]  "},
      {"OnesLike", {B({2}, {false, true})}, {}, "bool[2] 1 1"},
      {"Tile", {I({2}, {1, 2}), I({1}, {3})}, {}, "i32[6] 1 2 1 2 1 2"},
      {"Tile", {I({2, 1}, {1, 2}), I({2}, {2, 2})}, {}, "i32[4,2] 1 1 2 2 1 1 2 2"},
      {"Tile", {I({2}, {1, 2}), I({1}, {0})}, {}, "i32[0]"},
      {"Tile", {I({2}, {1, 2}), I({1}, {-1})}, {}, "3: Expected multiples[0] >= 0, but got -1"},
      {"BroadcastTo", {I({2, 1}, {1, 2}), I({2}, {2, 3})}, {}, "i32[2,3] 1 1 1 2 2 2"},
      {"BroadcastTo", {kMatrix, I({2}, {4, 3})}, {}, "3: Incompatible shapes: [2,3] vs. [4,3]"},
      {"Pad", {I({1, 2}, {1, 2}), I({2, 2}, {0, 1, 1, 0})}, {}, "i32[2,3] 0 1 2 0 0 0"},
      {"PadV2", {S({1}, {"x"}), I({1, 2}, {1, 1}), S({}, {"-"})}, {}, "str[3] - x -"},
      {"Pad", {I({1}, {1}), I({1, 2}, {1, -1})}, {}, "3: Paddings must be non-negative: 1 -1"},
      {"OneHot",
       {L({3}, {1, -1, 5}), I({}, {2}), F({}, {5}), F({}, {0})},
       {},
       "f32[3,2] 0 5 0 0 0 0"},
      {"OneHot",
       {L({2}, {0, 1}), I({}, {2}), I({}, {1}), I({}, {7})},
       {{"axis", 0}},
       "i32[2,2] 1 7 7 1"},
      {"OneHot",
       {L({1}, {0}), I({}, {-3}), F({}, {1}), F({}, {0})},
       {},
       "3: depth must be non-negative, got: -3"},
      {"Range", {I({}, {3}), I({}, {12}), I({}, {4})}, {}, "i32[3] 3 7 11"},
      {"Range",
       {L({}, {INT64_MIN}), L({}, {INT64_MAX}), L({}, {INT64_MAX})},
       {},
       "i64[3] -9223372036854775808 -1 9223372036854775806"},
      {"Range", {F({}, {1}), F({}, {0}), F({}, {-0.25})}, {}, "f32[4] 1 0.75 0.5 0.25"},
      {"Range", {I({}, {0}), I({}, {5}), I({}, {0})}, {}, "3: Requires delta != 0: 0"},
      {"Range",
       {I({}, {0}), I({}, {5}), I({}, {-1})},
       {},
       "3: Requires start >= limit when delta < 0: 0/5"},
      {"LinSpace", {F({}, {0}), F({}, {1}), I({}, {5})}, {}, "f32[5] 0 0.25 0.5 0.75 1"},
      {"LinSpace", {F({}, {0}), F({}, {1}), I({}, {0})}, {}, "3: Requires num > 0: 0"},
      {"Where", {B({2, 2}, {true, false, false, true})}, {}, "i64[2,2] 0 0 1 1"},
      {"BroadcastGradientArgs", {I({2}, {2, 3}), I({1}, {3})}, {}, "i32[0]"},
      {"BroadcastGradientArgs",
       {I({1}, {2}), I({1}, {3})},
       {},
       "3: Incompatible shapes: [2] vs. [3]"},
      {"Diag", {I({2}, {1, 2})}, {}, "i32[2,2] 1 0 0 2"},
      {"DiagPart", {I({2, 2}, {1, 2, 3, 4})}, {}, "i32[2] 1 4"},
      {"MatrixBandPart",
       {I({2, 3}, {1, 2, 3, 4, 5, 6}), L({}, {0}), L({}, {1})},
       {},
       "i32[2,3] 1 2 0 0 5 6"},
      {"MatrixBandPart",
       {I({2, 2}, {1, 2, 3, 4}), L({}, {INT64_MIN}), L({}, {0})},
       {},
       "i32[2,2] 1 0 3 4"},
  });
}

TEST(ArrayOps, Strings) {
  RunRows({
      {"AsString", {F({2}, {1.5, -2})}, {}, "str[2] 1.500000 -2.000000"},
      {"AsString", {F({1}, {1.5})}, {{"shortest", true}}, "str[1] 1.5"},
      {"AsString", {I({1}, {7})}, {{"width", 3}, {"fill", "0"}}, "str[1] 007"},
      {"AsString", {B({2}, {true, false})}, {}, "str[2] true false"},
      {"AsString",
       {I({1}, {7})},
       {{"width", 2000000000}},
       "3: width and precision must be at most 1000, got 2000000000 and -1"},
      {"StringJoin", {S({2}, {"a", "b"}), S({}, {"c"})}, {{"separator", "-"}}, "str[2] a-c b-c"},
  });
}

TEST(ArrayOps, SharingAndForwarding) {
  Tensor x = F({4}, {1, 2, 3, 4});
  EXPECT_TRUE((*RunOp("Identity", {x}))[0].SharesDataWith(x));
  EXPECT_TRUE((*RunOp("Reshape", {x, I({2}, {2, 2})}))[0].SharesDataWith(x));
  EXPECT_TRUE((*RunOp("ExpandDims", {x, I({}, {0})}))[0].SharesDataWith(x));
  EXPECT_FALSE((*RunOp("ZerosLike", {x}, {}, {.forwardable = true}))[0].SharesDataWith(x));
  EXPECT_EQ(Text(x), "f32[4] 1 2 3 4");
}

struct ShapeRow {
  const char* op;
  std::vector<Known> in;
  std::vector<NamedAttr> attrs;
  std::string want;
};

TEST(ArrayOps, InferredShapes) {
  const Known any{Shape::Unknown()}, partial{Shape({-1, 3})}, whole{Shape({2, 3})};
  const Known unknown_index{Shape(), DType::kInt32};
  const std::vector<ShapeRow> rows = {
      {"Reshape", {partial, I({2}, {3, -1})}, {}, "[3,?]"},
      {"Reshape", {whole, I({1}, {-1})}, {}, "[6]"},
      {"Reshape",
       {whole, I({1}, {4})},
       {},
       "3: Cannot reshape a tensor with 6 elements to shape [4] (4 elements)"},
      {"Reshape", {any, Known(Shape({2}), DType::kInt32)}, {}, "<unknown>"},
      {"Transpose", {partial, I({2}, {1, 0})}, {}, "[3,?]"},
      {"ConcatV2", {partial, whole, I({}, {0})}, {}, "[?,3]"},
      {"ConcatV2", {whole, whole, I({}, {0})}, {}, "[4,3]"},
      {"Pack", {partial, any}, {}, "[2,?,3]"},
      {"Unpack", {partial}, {{"num", 3}, {"axis", 1}}, "[?] [?] [?]"},
      {"Split", {I({}, {1}), partial}, {{"num_split", 3}}, "[?,1] [?,1] [?,1]"},
      {"Slice", {partial, I({2}, {0, 1}), I({2}, {-1, -1})}, {}, "[?,2]"},
      {"StridedSlice",
       {partial, I({1}, {0}), I({1}, {1}), I({1}, {1})},
       {{"shrink_axis_mask", 1}},
       "[3]"},
      {"GatherV2", {partial, Known(Shape({5}), DType::kInt32), I({}, {0})}, {}, "[5,3]"},
      {"Tile", {partial, I({2}, {2, 2})}, {}, "[?,6]"},
      {"Fill", {I({2}, {2, 3}), Known(Shape())}, {}, "[2,3]"},
      {"Pad", {partial, I({2, 2}, {1, 1, 1, 1})}, {}, "[?,5]"},
      {"OneHot",
       {Known(Shape({-1}), DType::kInt64), I({}, {4}), Known(Shape()), Known(Shape())},
       {},
       "[?,4]"},
      {"Range", {I({}, {0}), I({}, {10}), I({}, {3})}, {}, "[4]"},
      {"Range", {I({}, {0}), unknown_index, I({}, {3})}, {}, "[?]"},
      {"Squeeze", {Known(Shape({1, -1}))}, {{"squeeze_dims", AttrValue::Ints{0}}}, "[?]"},
  };
  for (const ShapeRow& row : rows)
    EXPECT_EQ(ShapeText(row.op, row.in, row.attrs), row.want) << row.op;
}

}  // namespace
}  // namespace tensh::test
