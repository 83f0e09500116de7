// Contracts: their text form, the inputs that violate them, and the resulting messages.
#include "runtime/core/contract.h"

#include <gtest/gtest.h>

#include "runtime/core/op_registry.h"
#include "tests/unit/core/rows.h"

namespace tensh {
namespace {

using test::ShapeOf;
using test::Show;

Tensor OfShape(const Shape& shape, DType dtype = DType::kFloat) {
  Tensor t = *Tensor::Make(dtype, shape);
  std::memset(t.raw(), 0, t.bytes());
  return t;
}

// Returns the message of an op with this contract for one input, or "" if it is accepted.
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

// Returns a rule as text: "rank 0..254 of 4 in 0..9 not empty run", without the defaults.
std::string Text(const InputRule& rule) {
  std::string text = StrCat(rule.argument, " ", rule.min_rank, "..", rule.max_rank);
  if (rule.last_dim != InputRule::kAny) text += StrCat(" of ", rule.last_dim);
  if (rule.min != INT64_MIN) text += StrCat(" min ", rule.min);
  if (rule.max != INT64_MAX) text += StrCat(" max ", rule.max);
  if (rule.not_empty) text += " not empty";
  if (!rule.at_build) text += " run";
  if (!rule.at_run) text += " build";
  return text;
}

std::string Parsed(const std::string& contract) {
  OpRegistry r;
  r.Op({.name = "Test",
        .inputs = "x: T, y: int32, r: Ref(T)",
        .attrs = "T: type",
        .contract = contract});
  std::string text;
  for (const InputRule& rule : r.Find("Test")->contract)
    text += (text.empty() ? "" : "; ") + Text(rule);
  return text;
}

TEST(Contract, Parsed) {
  struct Row {
    const char *contract, *want;
  };
  const Row rows[] = {
      {"", ""},
      {"x: scalar", "0 0..0"},
      {"x: vector, y: matrix", "0 1..1; 1 2..2"},
      {"y: rank 3", "1 3..3"},
      {"x: rank 1+", "0 1..254"},
      {"x: rank 2..4", "0 2..4"},
      {"x: matrix of 4", "0 2..2 of 4"},
      {"x: rank 4 not empty", "0 4..4 not empty"},
      {"y: vector of 2 in 1..1024", "1 1..1 of 2 min 1 max 1024"},
      {"y: vector >= -1", "1 1..1 min -1"},
      {"y: in -3..-1", "1 0..254 min -3 max -1"},
      {"x: scalar at build", "0 0..0 build"},
      {"x: scalar at run", "0 0..0 run"},
      {"x: not empty at run", "0 0..254 not empty run"},
      {"r: vector", "2 1..1 build"},  // a kernel sees a reference, not the elements
  };
  for (const Row& row : rows) EXPECT_EQ(Parsed(row.contract), row.want) << row.contract;
}

TEST(ContractDeathTest, MalformedTextAborts) {
  struct Row {
    const char *contract, *want;
  };
  const Row rows[] = {
      {"x scalar", "no ':' at 'x scalar' in the contract of Test"},
      {"z: scalar", "no input 'z' for the contract of Test"},
      {"x: scalarly", "'ly' in the contract of Test"},
      {"x: rank a", "number at 'a' in the contract of Test"},
      {"x: rank", "'rank' in the contract of Test"},
      {"x: in 1-2", "no '..' in the contract of Test"},
      {"x: vector of", "'of' in the contract of Test"},
      {"x: vector of 99999999999999999999", "number at '9+' in the contract of Test"},
      {"x: at build scalar", "'scalar' in the contract of Test"},
      {"x: vector, , y: scalar", "no ':' at '' in the contract of Test"},
  };
  for (const Row& row : rows) EXPECT_DEATH(Parsed(row.contract), row.want) << row.contract;
}

// The shape function's view of a node with one input.
class OneInput : public ShapeCtx {
 public:
  OneInput(Shape shape, const Tensor* value) : shape_(shape), value_(value) {}
  int num_inputs() const override { return 1; }
  int num_outputs() const override { return 0; }
  const Shape& in(int) const override { return shape_; }
  DType in_dtype(int) const override { return DType::kInt32; }
  const Tensor* constant(int) override { return value_; }
  Shape ConstantAsShape(int) override { return Shape::Unknown(); }
  Attrs attrs() const override { return {}; }
  void Set(int, const Shape&) override {}

 private:
  Shape shape_;
  const Tensor* value_;
};

// The texts are those of TensorFlow's shape functions.
TEST(Contract, AtBuild) {
  Tensor minus = OfShape({2}, DType::kInt32);
  minus.data<int32_t>()[1] = -1;
  struct Row {
    const char *contract, *shape, *want;
    const Tensor* value = nullptr;
  };
  const Row rows[] = {
      {"x: matrix", "[2,?]", "ok"},
      {"x: matrix", "<unknown>", "ok"},
      {"x: matrix", "[2]",
       "3: Shape must be rank 2 but is rank 1 for input 0, which has shape [2]"},
      {"x: rank 2+", "[2]",
       "3: Shape must be at least rank 2 but is rank 1 for input 0, which has shape [2]"},
      {"x: rank 1..2", "[1,2,3]",
       "3: Shape must be at most rank 2 but is rank 3 for input 0, which has shape [1,2,3]"},
      {"x: matrix of 4", "[2,?]", "ok"},
      {"x: matrix of 4", "[2,5]",
       "3: Dimension must be 4 but is 5 for input 0, which has shape [2,5]"},
      {"x: not empty", "[?,0]", "ok"},  // one extent is not known
      {"x: not empty", "[3,0]", "3: x must not be empty, got shape [3,0]"},
      {"x: vector >= 0", "[2]", "ok"},  // the value is not known
      {"x: vector >= 0", "[2]", "3: x[1] must be >= 0, got -1", &minus},
      {"x: vector in -1..0", "[2]", "ok", &minus},
      {"x: vector in 0..1", "[2]", "3: x[1] must be in 0..1, got -1", &minus},
      {"x: scalar at run", "[2]", "ok"},
  };
  for (const Row& row : rows) {
    OpRegistry r;
    r.Op({.name = "Test", .inputs = "x: int32", .contract = row.contract});
    OneInput node(ShapeOf(row.shape), row.value);
    EXPECT_EQ(Show(CheckAtBuild(r.Find("Test")->contract, node)), row.want)
        << row.contract << " " << row.shape;
  }
}

}  // namespace
}  // namespace tensh
