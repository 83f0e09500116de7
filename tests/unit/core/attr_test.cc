// Attributes: their text form, and the attributes of a node that follow from its inputs and its op.
#include "runtime/core/attr.h"

#include <gtest/gtest.h>

#include "runtime/core/run_kernel.h"
#include "tests/unit/core/rows.h"

namespace tensh {
namespace {

using test::Show;

TEST(AttrValue, TypesAndText) {
  const auto inner = std::make_shared<const std::vector<NamedAttr>>(
      std::vector<NamedAttr>{{"T", DType::kFloat}, {"n", 2}});
  struct Row {
    AttrValue value;
    const char *type, *text;
  };
  const Row rows[] = {
      {{}, "none", "none"},
      {3, "int", "3"},
      {int64_t{-9}, "int", "-9"},
      {0.5f, "float", "0.5"},
      {true, "bool", "true"},
      {DType::kFloat, "type", "DT_FLOAT"},
      {DType::kHalf, "type", "DT_HALF"},
      {RefType(DType::kInt32), "type", "DT_INT32_REF"},
      {"text", "string", "\"text\""},
      {Shape({2, -1}), "shape", "[2,?]"},
      {Shape::Unknown(), "shape", "<unknown>"},
      {Tensor::Scalar<float>(1), "tensor", "Tensor<type: float shape: []>"},
      {AttrValue::Ints{1, 2}, "list(int)", "[1, 2]"},
      {AttrValue::Ints{}, "list(int)", "[]"},
      {AttrValue::Floats{0.5f, 2}, "list(float)", "[0.5, 2]"},
      {AttrValue::Bools{true, false}, "list(bool)", "[true, false]"},
      {AttrValue::Types{DType::kInt8, DType::kString}, "list(type)", "[DT_INT8, DT_STRING]"},
      {AttrValue::Strings{"a", "b"}, "list(string)", "[\"a\", \"b\"]"},
      {AttrValue::Shapes{Shape(), Shape({1})}, "list(shape)", "[[], [1]]"},
      {FuncAttr{"body"}, "func", "body"},
      {FuncAttr{"body", inner}, "func", "body[T=DT_FLOAT, n=2]"},
      {AttrValue::Funcs{{"f"}, {"g", inner}}, "list(func)", "[f, g[T=DT_FLOAT, n=2]]"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(row.value.TypeName(), row.type) << row.text;
    EXPECT_EQ(row.value.ToString(), row.text);
  }
  EXPECT_EQ(AttrValue(3).Find<float>(), nullptr);
  EXPECT_EQ(*AttrValue(3).Find<int64_t>(), 3);
}

TEST(Attrs, GettersByName) {
  const std::vector<NamedAttr> list = {{"n", 3}, {"T", DType::kInt8}, {"s", "x"}, {"b", true}};
  const Attrs attrs(list);
  EXPECT_EQ(attrs.Int("n"), 3);
  EXPECT_EQ(attrs.Type("T"), DType::kInt8);
  EXPECT_EQ(attrs.String("s"), "x");
  EXPECT_TRUE(attrs.Bool("b"));
  EXPECT_EQ(attrs.Find("N"), nullptr);
  EXPECT_EQ(Attrs().Find("n"), nullptr);
  EXPECT_TRUE(Attrs().all().empty());
}

TEST(AttrsDeathTest, AGetterOfAnotherTypeAborts) {
  const std::vector<NamedAttr> list = {{"n", 3}};
  EXPECT_DEATH((void)Attrs(list).Float("n"), "attribute n");
  EXPECT_DEATH((void)Attrs(list).Int("m"), "attribute m");
}

// Parses "float,int32_ref" as types; "" is an empty list.
std::vector<DType> TypesIn(std::string text) {
  std::vector<DType> types;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    types.push_back(ParseDType(text.substr(0, comma)));
    EXPECT_NE(types.back(), DType::kInvalid) << text;
    text = comma == text.npos ? "" : text.substr(comma + 1);
  }
  return types;
}

struct ResolveRow {
  const char *inputs, *outputs, *attrs;  // the signature
  const char* types;                     // the inputs of the node
  std::vector<NamedAttr> given;
  const char* want;  // "N=2 T=DT_FLOAT -> float32,…", or the error
};

std::string Resolved(const ResolveRow& row) {
  OpRegistry registry;
  registry.Op({.name = "Op", .inputs = row.inputs, .outputs = row.outputs, .attrs = row.attrs});
  const OpDef& op = *registry.Find("Op");
  const auto resolved = ResolveAttrs(op, TypesIn(row.types), row.given);
  if (!resolved.ok()) return Show(resolved.status());
  std::string text;
  for (const NamedAttr& attr : *resolved) text += attr.name + "=" + attr.value.ToString() + " ";
  text += "->";
  for (const DType type : OutputTypes(op, Attrs(*resolved))) text += " " + Name(type);
  return text;
}

void CheckResolved(const std::vector<ResolveRow>& rows) {
  for (const ResolveRow& row : rows)
    EXPECT_EQ(Resolved(row), row.want) << row.inputs << " | " << row.attrs << " | " << row.types;
}

TEST(ResolveAttrs, TypesAndCountsFollowFromTheInputs) {
  const char* t = "T: {float, int32}";
  CheckResolved({
      {"x: T", "y: T", t, "float", {}, "T=DT_FLOAT -> float32"},
      {"x: T, y: T", "z: bool", t, "int32,int32", {}, "T=DT_INT32 -> bool"},
      {"x: T", "y: T", t, "float_ref", {}, "T=DT_FLOAT -> float32"},  // a reference is read
      {"x: Ref(T)", "y: Ref(T)", t, "float_ref", {}, "T=DT_FLOAT -> float32_ref"},
      {"v: N * T",
       "y: T",
       "N: int >= 1, T: type",
       "half,half,half",
       {},
       "N=3 T=DT_HALF -> float16"},
      {"a: N * T, b: N * T, c: int32",
       "y: N * T",
       "N: int, T: type",
       "half,half,half,half,int32",
       {},
       "N=2 T=DT_HALF -> float16 float16"},
      {"i: int32, v: N * T", "y: T", "N: int, T: type", "int32,bool", {}, "N=1 T=DT_BOOL -> bool"},
      {"args: L",
       "out: L",
       "L: list(type)",
       "half,string",
       {},
       "L=[DT_HALF, DT_STRING] -> float16 string"},
      {"args: L", "", "L: list(type) >= 0", "", {}, "L=[] ->"},
      {"args: L, x: int32",
       "",
       "L: list(type)",
       "half,string,int32",
       {},
       "L=[DT_HALF, DT_STRING] ->"},
      {"",
       "out: L",
       "L: list(type)",
       "",
       {{"L", AttrValue::Types{DType::kBool}}},
       "L=[DT_BOOL] -> bool"},
      {"x: T",
       "y: U",
       "T: type, U: type = float",
       "half",
       {{"U", DType::kInt8}},
       "U=DT_INT8 T=DT_HALF -> int8"},
  });
}

TEST(ResolveAttrs, DefaultsAndAnnotations) {
  CheckResolved({
      {"", "", "a: int = 3, b: bool = true, s: string = 'x'", "", {}, "a=3 b=true s=\"x\" ->"},
      {"", "", "a: int = 3", "", {{"a", 4}}, "a=4 ->"},
      {"", "", "l: list(int) = [1, 2]", "", {}, "l=[1, 2] ->"},
      {"", "", "", "", {{"_class", AttrValue::Strings{"loc:@v"}}}, "_class=[\"loc:@v\"] ->"},
      {"", "", "f: func", "", {{"f", "name"}}, "f=name ->"},  // a function by its name only
      {"", "", "f: list(func)", "", {{"f", AttrValue::Strings{"a", "b"}}}, "f=[a, b] ->"},
  });
}

// The texts for types and counts are those of TensorFlow's op_def_library and node_def_util.
TEST(ResolveAttrs, Errors) {
  const char* t = "T: {float, int32}";
  CheckResolved({
      {"x: T, y: T",
       "",
       t,
       "float,int32",
       {},
       "3: Input 'y' of 'Op' Op has type int32 that does not match expected type of float32."},
      {"x: T",
       "",
       t,
       "int32",
       {{"T", DType::kFloat}},
       "3: Input 'x' of 'Op' Op has type int32 that does not match expected type of float32."},
      {"x: string",
       "",
       "",
       "half",
       {},
       "3: Input 'x' of 'Op' Op has type float16 that does not match expected type of string."},
      {"x: T",
       "",
       t,
       "string",
       {},
       "3: Value for attr 'T' of string is not in the list of allowed values: float32, int32; op: "
       "Op"},
      {"",
       "",
       "m: {'a', 'b'}",
       "",
       {{"m", "c"}},
       "3: Value for attr 'm' of 'c' is not in the list of allowed values: 'a', 'b'; op: Op"},
      {"",
       "",
       "l: list({float})",
       "",
       {{"l", AttrValue::Types{DType::kInt8}}},
       "3: Value for attr 'l' of int8 is not in the list of allowed values: float32; op: Op"},
      {"v: N * T",
       "",
       "N: int >= 2, T: type",
       "half",
       {},
       "3: Value for attr 'N' of 1 must be at least minimum 2; op: Op"},
      {"",
       "",
       "l: list(int) >= 1",
       "",
       {{"l", AttrValue::Ints{}}},
       "3: Value for attr 'l' of 0 must be at least minimum 1; op: Op"},
      {"x: Ref(T)", "", t, "float", {}, "3: Input 'x' of 'Op' Op requires l-value input"},
      {"x: T", "", t, "", {}, "3: Op 'Op' takes 1 input (x), but 0 were given"},
      {"x: T, y: T",
       "",
       t,
       "float,float,float",
       {},
       "3: Op 'Op' takes 2 inputs (x, y), but 3 were given"},
      {"", "", "", "float", {}, "3: Op 'Op' takes 0 inputs, but 1 were given"},
      {"v: N * T, i: int32",
       "",
       "N: int, T: type",
       "",
       {},
       "3: Op 'Op' takes 2 inputs (v, i), but 0 were given"},
      {"args: L",
       "",
       "L: list(type)",
       "half",
       {{"L", AttrValue::Types{DType::kInt8}}},
       "3: Input 'args' of 'Op' Op has types that do not match L"},
      {"", "", "a: int", "", {}, "3: op Op needs attribute 'a' (int)"},
      {"", "", "a: int", "", {{"a", 1}, {"b", 2}}, "3: op Op has no attribute 'b'"},
      {"",
       "",
       "a: int",
       "",
       {{"a", 0.5f}},
       "3: AttrValue of 'a' of op Op must have type int, got float 0.5"},
      {"",
       "",
       "a: list(int)",
       "",
       {{"a", 1}},
       "3: AttrValue of 'a' of op Op must have type list(int), got int 1"},
      {"",
       "out: N * float",
       "N: int",
       "",
       {{"N", 65536}},
       "3: op Op would have 65536 outputs; it may have 0 to 65535 (attribute 'N')"},
      {"",
       "out: N * float",
       "N: int",
       "",
       {{"N", -1}},
       "3: op Op would have -1 outputs; it may have 0 to 65535 (attribute 'N')"},
  });
}

// Attributes of the wrong kind under the names that the inputs are counted with.
TEST(ResolveAttrs, AWrongKindOfAttributeIsAnErrorNotACrash) {
  CheckResolved({
      {"v: N * T",
       "",
       "N: int, T: type",
       "half",
       {{"N", "two"}},
       "3: AttrValue of 'N' of op Op must have type int, got string \"two\""},
      {"x: T",
       "",
       "T: type",
       "half",
       {{"T", 1}},
       "3: AttrValue of 'T' of op Op must have type type, got int 1"},
      {"args: L",
       "",
       "L: list(type)",
       "half",
       {{"L", 1}},
       "3: AttrValue of 'L' of op Op must have type list(type), got int 1"},
      {"",
       "out: N * float",
       "N: int",
       "",
       {{"N", 0.5f}},
       "3: AttrValue of 'N' of op Op must have type int, got float 0.5"},
  });
}

}  // namespace
}  // namespace tensh
