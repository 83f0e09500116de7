#include "shell/text/packed_text.h"

#include <gtest/gtest.h>

#include "shell/text/deflate.h"

namespace tensh::shell {
namespace {

TEST(PackedText, ExpandsToTheText) {
  constexpr int kRawDeflate = -15;
  for (const size_t length : {size_t{0}, size_t{1}, size_t{5000}, size_t{300000}}) {
    std::string text, packed;
    for (size_t i = 0; i < length; ++i) text += static_cast<char>(i * i >> 3);
    ASSERT_TRUE(Deflate(text, 9, kRawDeflate, &packed));
    EXPECT_EQ((PackedText{packed, text.size()}.str()), text) << length;
  }
}

}  // namespace
}  // namespace tensh::shell
