// Attributes and functions as messages, and values that are known before a run.
#include <gtest/gtest.h>

#include "runtime/base/wire.h"
#include "runtime/graph/attr_message.h"
#include "runtime/graph/function.h"
#include "runtime/graph/graph.h"
#include "tests/support/graph_text.h"

namespace tensh {
namespace {

using test::AllOps;

// ---- attributes ----

TEST(AttrMessage, EveryKindAndBack) {
  using A = AttrValue;
  const FuncAttr plain{"F"};
  const FuncAttr bound{"G", std::make_shared<const std::vector<NamedAttr>>(
                                std::vector<NamedAttr>{{"T", A(DType::kFloat)}})};
  const AttrValue values[] = {A(0),
                              A(-3),
                              A(INT64_MIN),
                              A(0.f),
                              A(1.5f),
                              A(true),
                              A(false),
                              A(DType::kString),
                              A(""),
                              A(std::string("a\0b", 3)),
                              A(Shape()),
                              A(Shape({2, -1})),
                              A(Shape::Unknown()),
                              A(plain),
                              A(bound),
                              A(A::Ints{1, -2, 3}),
                              A(A::Floats{.5f, -0.f}),
                              A(A::Bools{true, false}),
                              A(A::Types{DType::kInt8, DType::kComplex128}),
                              A(A::Strings{"x", "", "yz"}),
                              A(A::Shapes{Shape({1}), Shape::Unknown()}),
                              A(A::Funcs{plain, bound})};
  for (const AttrValue& value : values) {
    const Result<AttrValue> back = DecodeAttr(EncodeAttr(value), nullptr);
    ASSERT_TRUE(back.ok()) << value.ToString() << ": " << back.status().message();
    EXPECT_EQ(back->TypeName(), value.TypeName()) << value.ToString();
    EXPECT_EQ(back->ToString(), value.ToString());
  }
  const auto tensor = DecodeAttr(EncodeAttr(A(Tensor::Scalar(2.5f))), nullptr);
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(*tensor->Find<Tensor>()->data<float>(), 2.5f);
}

// An empty list has no elements that tell its type; the signature of the op does.
TEST(AttrMessage, EmptyListsHaveTheTypeOfTheSignature) {
  const struct {
    AttrKind kind;
    const char* want;
  } rows[] = {{AttrKind::kInt, "list(int)"},       {AttrKind::kFloat, "list(float)"},
              {AttrKind::kBool, "list(bool)"},     {AttrKind::kType, "list(type)"},
              {AttrKind::kString, "list(string)"}, {AttrKind::kShape, "list(shape)"},
              {AttrKind::kFunc, "list(func)"}};
  for (const auto& row : rows) {
    AttrDef def;
    def.kind = row.kind;
    def.is_list = true;
    const auto value = DecodeAttr(EncodeAttr(AttrValue(AttrValue::Ints{})), &def);
    ASSERT_TRUE(value.ok()) << row.want;
    EXPECT_EQ(value->TypeName(), row.want);
  }
}

TEST(AttrMessage, RefusesWhatCannotBeRead) {
  WireWriter type, list, func;
  type.AlwaysInt(6, 999);
  list.AlwaysBytes(1, "\x05");
  std::string nested = "F";
  for (int i = 0; i < 200; ++i) {
    WireWriter entry, value, outer;
    value.AlwaysBytes(10, nested);
    entry.Bytes(1, "f");
    entry.AlwaysBytes(2, value.text());
    outer.AlwaysBytes(2, entry.text());
    nested = outer.Take();
  }
  func.AlwaysBytes(10, nested);
  const struct {
    std::string message;
    const char* says;
  } rows[] = {{"\xff", "the message of the attribute cannot be read"},
              {type.text(), "there is no data type 999"},
              {list.text(), "the message of the attribute cannot be read"},
              {func.text(), "functions nested too deep"}};
  for (const auto& row : rows) {
    const auto value = DecodeAttr(row.message, nullptr);
    ASSERT_FALSE(value.ok()) << row.says;
    EXPECT_EQ(value.status().message(), row.says);
  }
}

// ---- functions ----

// twice(x) = x + x
FunctionSpec Twice() {
  FunctionSpec f;
  f.args = {{"x", DType::kFloat}};
  f.results = {{"y", DType::kFloat, "sum:z:0"}};
  f.nodes = {{"sum", "AddV2", {"x", "x"}, {{"T", AttrValue(DType::kFloat)}}}};
  return f;
}

TEST(FunctionLibrary, DefinesUnderNewNames) {
  FunctionLibrary library(AllOps());
  EXPECT_EQ(library.Message(), "");
  const auto first = library.Define("twice", Twice()), second = library.Define("twice", Twice());
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(*first, "twice_0");
  EXPECT_EQ(*second, "twice_1");
  EXPECT_EQ(library.names(), (std::vector<std::string>{"twice_0", "twice_1"}));
  const Function* f = library.Find("twice_0");
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(f->nodes.size(), 1u);
  EXPECT_EQ(f->rets.at("y"), "sum:z:0");
  EXPECT_EQ(&library.op(f->op.id), &f->op);
  EXPECT_EQ(library.Find("twice_2"), nullptr);
}

TEST(FunctionLibrary, MessagesAndBack) {
  FunctionLibrary library(AllOps()), copy(AllOps());
  ASSERT_TRUE(library.Define("twice", Twice()).ok());
  const std::string message = library.Message();
  ASSERT_TRUE(copy.AddLibrary(message).ok());
  EXPECT_EQ(copy.Message(), message);
  EXPECT_TRUE(copy.AddLibrary(message).ok()) << "the same definition again has no effect";
  EXPECT_EQ(copy.size(), 1u);
  EXPECT_TRUE(copy.Find("twice_0")->SameAs(*library.Find("twice_0")));
}

std::string Gradient(const char* function, const char* gradient) {
  WireWriter entry, out;
  entry.Bytes(1, function);
  entry.Bytes(2, gradient);
  out.AlwaysBytes(2, entry.text());
  return out.Take();
}

std::string Signature(const char* name, const std::string& more = "") {
  WireWriter signature, function, out;
  signature.Bytes(1, name);
  function.AlwaysBytes(1, signature.text() + more);
  out.AlwaysBytes(1, function.text());
  return out.Take();
}

// An argument whose type is that of an attribute.
std::string ArgOfAttr(const char* attr) {
  WireWriter arg, out;
  arg.Bytes(1, "x");
  arg.Bytes(4, attr);
  out.AlwaysBytes(2, arg.text());
  return out.Take();
}

TEST(FunctionLibrary, AddsAllOrNone) {
  FunctionLibrary library(AllOps());
  ASSERT_TRUE(library.AddLibrary(Signature("F") + Gradient("F", "dF")).ok());
  EXPECT_EQ(library.GradientOf("F"), "dF");
  EXPECT_EQ(library.GradientOf("G"), "");
  const std::string g = Signature("G");
  WireWriter other;
  other.Bytes(6, "another doc");
  const struct {
    std::string message;
    const char* says;
  } rows[] = {
      {g + "\xff", "cannot be read"},
      {g + Signature(""), "cannot be read"},
      {g + Signature("Add"), "Cannot add function 'Add' because an op with the same name already"},
      {g + Signature("F", other.text()), "because a different function with the same name already"},
      {g + Signature("H", ArgOfAttr("T")),
       "argument 'x' of function H has the type of an attribute"},
      {g + Gradient("F", "other"),
       "Cannot assign gradient function 'other' to 'F' because it already has gradient function "
       "'dF'"},
  };
  for (const auto& row : rows) {
    const Status status = library.AddLibrary(row.message);
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << row.says;
    EXPECT_NE(status.message().find(row.says), std::string::npos) << status.message();
    EXPECT_EQ(library.names(), std::vector<std::string>{"F"}) << row.says;
  }
  ASSERT_TRUE(library.AddLibrary(g).ok()) << "the name is free";
}

TEST(FunctionLibrary, DropsWhatWasAddedSinceAMark) {
  FunctionLibrary library(AllOps());
  ASSERT_TRUE(library.AddLibrary(Signature("F")).ok());
  const size_t mark = library.Mark();
  ASSERT_TRUE(library.AddLibrary(Signature("G")).ok());
  const Function* dropped = library.Find("G");
  library.DropFrom(mark);
  EXPECT_EQ(library.Find("G"), nullptr);
  EXPECT_EQ(dropped->op.name, "G") << "a reader may still use it";
  EXPECT_EQ(library.Message(), Signature("F"));
  EXPECT_TRUE(library.AddLibrary(Signature("G")).ok());
}

TEST(Functions, AttributesOfACall) {
  OpDef op;
  op.name = "F";
  AttrDef t, n;
  t.name = "T";
  t.kind = AttrKind::kType;
  t.default_value = AttrValue(DType::kFloat);
  n.name = "N";
  n.kind = AttrKind::kInt;
  op.attrs = {t, n};
  ArgDef list;
  list.name = "xs";
  list.number_attr = "N";
  op.inputs = {list};
  const auto bind = [&](std::vector<NamedAttr> given) {
    const auto bound = BindAttrs(op, &given);
    if (!bound.ok()) return std::string(bound.status().message());
    std::string out;
    for (const NamedAttr& attr : *bound) out += attr.name + "=" + attr.value.ToString() + " ";
    return out;
  };
  EXPECT_EQ(bind({{"N", AttrValue(2)}}), "N=2 T=DT_FLOAT ");
  EXPECT_EQ(bind({{"T", AttrValue(DType::kInt8)}, {"N", AttrValue(0)}}), "T=DT_INT8 N=0 ");
  EXPECT_EQ(bind({}), "Attr N is not found from the call of F");
  EXPECT_EQ(bind({{"N", AttrValue("2")}}), "AttrValue of 'N' of F must have type int, got string");
  EXPECT_EQ(bind({{"N", AttrValue(-1)}}), "attribute N of F is -1");
  EXPECT_EQ(bind({{"N", AttrValue(1 << 20)}}), "attribute N of F is 1048576");
}

// ---- known values ----

class KnownValues : public ::testing::Test {
 protected:
  KnownValues() : g_(new Graph(AllOps())) {
    AddConst("two", Tensor::Scalar<int32_t>(2));
    const int32_t dims[] = {4, -1};
    AddConst("dims", Tensor::Vector<int32_t>(dims));
    AddConst("axis", Tensor::Scalar<int32_t>(0));
    Add("Placeholder", "x", {}, {{"dtype", DType::kFloat}, {"shape", Shape({-1, 5})}});
    Add("Placeholder", "full", {}, {{"dtype", DType::kFloat}, {"shape", Shape({3, 5})}});
    Add("Placeholder", "n", {}, {{"dtype", DType::kInt32}, {"shape", Shape()}});
    Add("Placeholder", "v", {}, {{"dtype", DType::kInt32}, {"shape", Shape({3})}});
    Add("Placeholder", "any", {}, {{"dtype", DType::kInt32}, {"shape", Shape::Unknown()}});
  }
  ~KnownValues() override { g_->Unref(); }

  void Add(const char* op, const char* name, const std::vector<const char*>& inputs,
           std::vector<NamedAttr> attrs = {}) {
    std::vector<Output> from;
    for (const char* input : inputs) from.push_back({g_->Find(input), 0});
    const NodeSpec spec{op, name, "", from, {}, attrs};
    const auto added = g_->Append({&spec, 1});
    ASSERT_TRUE(added.ok()) << added.status().message();
  }
  void AddConst(const char* name, Tensor value) {
    const DType dtype = value.dtype();
    Add("Const", name, {}, {{"dtype", dtype}, {"value", std::move(value)}});
  }
  // Returns "CONSTANT as SHAPE" of an int32 value.
  std::string Known(const char* name) {
    const ValueId v = test::Value(*g_, name);
    const Tensor value = g_->Constant(v);
    std::string out;
    for (int64_t i = 0; value && i < value.num_elements(); ++i)
      out += StrCat(i ? " " : "", value.IntScalar(i));
    return StrCat(value ? out : "?", " as ", g_->ConstantAsShape(v).ToString());
  }
  Graph* g_;
};

TEST_F(KnownValues, OfConstantsAndStaticShapes) {
  Add("Shape", "shape_x", {"x"});
  Add("Shape", "shape_full", {"full"});
  Add("Size", "size_full", {"full"});
  Add("Size", "size_x", {"x"});
  Add("Rank", "rank_x", {"x"});
  Add("AddV2", "four", {"two", "two"});
  Add("Pack", "pack", {"two", "n", "four"}, {{"N", AttrValue(3)}});
  Add("ConcatV2", "concat", {"shape_x", "dims", "axis"}, {{"N", AttrValue(2)}});
  Add("Identity", "identity", {"shape_x"});
  Add("Cast", "cast", {"shape_x"}, {{"DstT", DType::kInt64}});
  const struct {
    const char *name, *want;
  } rows[] = {
      {"two", "2 as [2]"},          {"dims", "4 -1 as [4,?]"},      {"four", "4 as [4]"},
      {"shape_x", "? as [?,5]"},    {"shape_full", "3 5 as [3,5]"}, {"size_full", "15 as [15]"},
      {"size_x", "? as <unknown>"}, {"rank_x", "2 as [2]"},         {"pack", "? as [2,?,4]"},
      {"concat", "? as [?,5,4,?]"}, {"identity", "? as [?,5]"},     {"cast", "? as [?,5]"},
      {"n", "? as <unknown>"},      {"v", "? as [?,?,?]"},  // Only the length is known.
      {"any", "? as <unknown>"},
  };
  for (const auto& row : rows) EXPECT_EQ(Known(row.name), row.want) << row.name;
}

// A chain that is too long, or a value that is too large, is not computed when a node is added.
TEST_F(KnownValues, HaveLimits) {
  std::string last = "two";
  for (int i = 0; i < 20; ++i) {
    const std::string next = StrCat("neg", i);
    Add("Neg", next.c_str(), {last.c_str()});
    last = next;
  }
  EXPECT_EQ(Known("neg5"), "2 as [2]");
  EXPECT_EQ(Known("neg19").substr(0, 1), "?");
  const std::vector<int32_t> many(2000, 1);
  AddConst("many", Tensor::Vector<int32_t>(many));
  Add("Neg", "neg_many", {"many"});
  EXPECT_EQ(Known("neg_many").substr(0, 1), "?");
}

}  // namespace
}  // namespace tensh
