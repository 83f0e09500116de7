// Every op of the registry is complete: its signature parses, its documentation names each input
// and attribute, it has a kernel, an example and a shape function.
#include <gtest/gtest.h>

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
  const OpRegistry& ops = testing::AllOps();
  EXPECT_GE(ops.size(), 115u);
  for (size_t i = 0; i < ops.size(); ++i) {
    const OpDef& op = ops.Get(static_cast<uint16_t>(i));
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
  const OpRegistry& ops = testing::AllOps();
  for (size_t i = 0; i < ops.size(); ++i) {
    const OpDef& op = ops.Get(static_cast<uint16_t>(i));
    EXPECT_FALSE(op.grad && op.no_gradient) << op.name << " has a gradient and says it has none";
  }
}

}  // namespace
}  // namespace tensh
