// What must hold for every op there is: its documentation speaks of all of its parts.
#include <gtest/gtest.h>

#include "tests/unit/ops/kernel_harness.h"

namespace tensh::test {
namespace {

bool IsWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool Mentions(const std::string& text, const std::string& word) {
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !IsWordChar(text[at - 1])) && (end == text.size() || !IsWordChar(text[end])))
      return true;
  }
  return false;
}

TEST(OpDocs, NameEveryInputOutputAndAttribute) {
  for (size_t i = 0; i < Registry().size(); ++i) {
    const OpDef& op = Registry().Get(static_cast<uint16_t>(i));
    EXPECT_FALSE(op.doc.empty()) << op.name;
    for (const ArgDef& arg : op.inputs)
      EXPECT_TRUE(Mentions(op.doc, arg.name)) << op.name << " input " << arg.name;
    for (const AttrDef& attr : op.attrs)
      EXPECT_TRUE(Mentions(op.doc, attr.name)) << op.name << " attribute " << attr.name;
  }
}

TEST(OpDocs, EveryOpHasAShapeFunctionAndAKernel) {
  for (size_t i = 0; i < Registry().size(); ++i) {
    const OpDef& op = Registry().Get(static_cast<uint16_t>(i));
    EXPECT_NE(op.shape, nullptr) << op.name;
    EXPECT_FALSE(op.kernels.empty()) << op.name;
    EXPECT_FALSE(op.grad && op.no_gradient) << op.name;
  }
}

}  // namespace
}  // namespace tensh::test
