// Contracts: the text of a row, what breaks it at a kernel's door, and what it says then.
#include "runtime/core/contract.h"

#include <gtest/gtest.h>

#include "runtime/core/op_registry.h"

namespace tensh {
namespace {

Tensor OfShape(const Shape& shape, DType dtype = DType::kFloat) {
  Tensor t = *Tensor::Make(dtype, shape);
  std::memset(t.raw(), 0, t.bytes());
  return t;
}

// What an op with this contract says of one input: "" when nothing.
std::string Says(const std::string& contract, const Tensor& input) {
  OpRegistry r;
  r.Op({.name = "Test", .inputs = "x: T", .attrs = "T: type", .contract = contract});
  const uint32_t in[] = {0};
  return std::string(CheckAtRun(r.Find("Test")->contract, &input, in).message());
}

TEST(Contract, SaysWhatWasGotAndWanted) {
  const Tensor scalar = OfShape({}), vector = OfShape({3}), matrix = OfShape({2, 3}),
               empty = OfShape({0, 3});
  struct Row {
    const char* contract;
    const Tensor& input;
    const char* want;
  };
  const Row rows[] = {
      {"x: scalar", scalar, ""},
      {"x: scalar", vector, "x must be a scalar, got shape [3]"},
      {"x: vector", scalar, "x must be a vector, got shape []"},
      {"x: matrix of 3", matrix, ""},
      {"x: matrix of 4", matrix, "x must be a matrix of 4, got shape [2,3]"},
      {"x: rank 2+", vector, "x must be of rank 2 or more, got shape [3]"},
      {"x: rank 3..4", matrix, "x must be of rank 3 to 4, got shape [2,3]"},
      {"x: rank 0..1", matrix, "x must be of rank 0 to 1, got shape [2,3]"},
      {"x: matrix not empty", empty, "x must not be empty, got shape [0,3]"},
      {"x: scalar at build", vector, ""},
      {"x: scalar at run", vector, "x must be a scalar, got shape [3]"},
  };
  for (const Row& row : rows) EXPECT_EQ(Says(row.contract, row.input), row.want) << row.contract;
}

TEST(Contract, LooksAtValues) {
  Tensor size = OfShape({2}, DType::kInt32);
  size.data<int32_t>()[1] = -1;
  EXPECT_EQ(Says("x: vector >= 0", size), "x[1] must be >= 0, got -1");
  EXPECT_EQ(Says("x: vector >= -1", size), "");
  Tensor rate = OfShape({}, DType::kInt64);
  *rate.data<int64_t>() = 9;
  EXPECT_EQ(Says("x: scalar in 0..8", rate), "x must be in 0..8, got 9");
}

TEST(Contract, KnowsWhichInputsAListIs) {
  OpRegistry r;
  r.Op({.name = "Join",
        .inputs = "parts: N * float, axis: int32",
        .attrs = "N: int >= 1",
        .contract = "parts: rank 1+, axis: scalar"});
  const std::vector<NamedAttr> attrs = {{"N", int64_t{2}}};
  Contract placed;
  ASSERT_TRUE(PlaceContract(*r.Find("Join"), Attrs(attrs), &placed));
  const Tensor slots[] = {OfShape({2}), OfShape({}), OfShape({}, DType::kInt32)};
  const uint32_t in[] = {0, 1, 2}, good[] = {0, 0, 2};
  EXPECT_EQ(CheckAtRun(placed, slots, in).message(),
            "parts[1] must be of rank 1 or more, got shape []");
  EXPECT_TRUE(CheckAtRun(placed, slots, good).ok());
}

}  // namespace
}  // namespace tensh
