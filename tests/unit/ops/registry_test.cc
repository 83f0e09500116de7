// Checks that every registered op is complete: its signature parses, its documentation names each
// input and attribute, and it has a kernel, an example and a shape function.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "tests/support/graph_text.h"

namespace tensh {
namespace {

bool NamesWord(const std::string& text, const std::string& word) {
  auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    bool begins = at == 0 || !is_word(text[at - 1]);
    bool ends = at + word.size() == text.size() || !is_word(text[at + word.size()]);
    if (begins && ends) return true;
  }
  return false;
}

TEST(Registry, EveryOpIsComplete) {
  const OpRegistry& ops = test::AllOps();
  EXPECT_GE(ops.All().size(), 900u);
  for (const OpDef* found : ops.All()) {
    const OpDef& op = *found;
    SCOPED_TRACE(op.name);
    EXPECT_NE(op.shape, nullptr) << "no shape function";
    EXPECT_FALSE(op.kernels.empty()) << "no kernel";
    EXPECT_FALSE(op.examples.empty()) << "no example";
    for (const ArgDef& arg : op.inputs)
      EXPECT_TRUE(NamesWord(op.doc, arg.name)) << "the doc does not name input " << arg.name;
    for (const AttrDef& attr : op.attrs)
      EXPECT_TRUE(NamesWord(op.doc, attr.name)) << "the doc does not name attribute " << attr.name;
  }
}

TEST(Registry, EveryOpSaysHowItsGradientIs) {
  const OpRegistry& ops = test::AllOps();
  for (const OpDef* found : ops.All()) {
    const OpDef& op = *found;
    EXPECT_FALSE(op.grad && op.no_gradient) << op.name << " has a gradient and says it has none";
  }
}

bool Has(const std::vector<ArgDef>& args, DType type) {
  return std::any_of(args.begin(), args.end(), [&](const ArgDef& a) { return a.type == type; });
}

TEST(Registry, TheFactsFitTheSignature) {
  const OpRegistry& ops = test::AllOps();
  for (const OpDef* found : ops.All()) {
    const OpDef& op = *found;
    SCOPED_TRACE(op.name);
    if (op.elementwise != Elementwise::kNo) {
      EXPECT_EQ(op.outputs.size(), 1u);
    }
    if (op.variable_type) {
      EXPECT_NE(op.FindAttr(op.variable_type), nullptr) << "no attribute " << op.variable_type;
      EXPECT_TRUE(Has(op.inputs, DType::kResource)) << "no input is a handle";
    }
    EXPECT_LE(op.first_call_input, op.inputs.size());
    if (const OpDef* ref = ops.Find("Ref" + op.name)) {
      EXPECT_EQ(ref->role, op.role) << "differs from the variant for references";
    }
    const bool bound = op.role == OpRole::kVarHandle || op.role == OpRole::kVariable;
    EXPECT_TRUE(!bound || (op.never_waits && op.FindAttr("shared_name") && op.FindAttr("dtype")));
  }
}

TEST(Registry, KnowsOpsByTheirRole) {
  struct Row {
    const char* op;
    OpRole role;
    Elementwise elementwise;
    const char* variable_type;
  };
  const Row kRows[] = {
      {"Const", OpRole::kConst, Elementwise::kNo, ""},
      {"Variable", OpRole::kVariable, Elementwise::kNo, ""},
      {"VariableV2", OpRole::kVariable, Elementwise::kNo, ""},
      {"PlaceholderV2", OpRole::kPlaceholder, Elementwise::kNo, ""},
      {"RefNextIteration", OpRole::kNextIteration, Elementwise::kNo, ""},
      {"_HostRecv", OpRole::kRecv, Elementwise::kNo, ""},
      {"ReadVariableOp", OpRole::kReadVariable, Elementwise::kNo, "dtype"},
      {"AssignAddVariableOp", OpRole::kOrdinary, Elementwise::kNo, "dtype"},
      {"ResourceApplyAdam", OpRole::kOrdinary, Elementwise::kNo, "T"},
      {"ResourceScatterNdAdd", OpRole::kOrdinary, Elementwise::kNo, "T"},
      {"ApplyAdam", OpRole::kOrdinary, Elementwise::kNo, ""},
      {"Neg", OpRole::kOrdinary, Elementwise::kSameShape, ""},
      {"Select", OpRole::kOrdinary, Elementwise::kSameShape, ""},
      {"SelectV2", OpRole::kOrdinary, Elementwise::kBroadcast, ""},
      {"ClipByValue", OpRole::kOrdinary, Elementwise::kBroadcast, ""},
      {"Maximum", OpRole::kOrdinary, Elementwise::kBroadcast, ""},
      {"BiasAdd", OpRole::kOrdinary, Elementwise::kRowBias, ""},
      {"MatMul", OpRole::kOrdinary, Elementwise::kNo, ""},
  };
  const OpRegistry& ops = test::AllOps();
  for (const Row& r : kRows) {
    const OpDef* op = ops.Find(r.op);
    ASSERT_NE(op, nullptr) << r.op;
    EXPECT_EQ(op->role, r.role) << r.op;
    EXPECT_EQ(ops.RoleOf(r.op), r.role) << r.op;
    EXPECT_EQ(op->elementwise, r.elementwise) << r.op;
    EXPECT_STREQ(op->variable_type ? op->variable_type : "", r.variable_type) << r.op;
  }
  EXPECT_EQ(ops.RoleOf("NoSuchOp"), OpRole::kOrdinary);
}

}  // namespace
}  // namespace tensh
