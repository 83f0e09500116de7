#include "shell/page/texts.h"

#include <gtest/gtest.h>

#include <string>

namespace tensh::shell {
namespace {

TEST(PageTexts, AreFoundByName) {
  for (const char* name :
       {"style", "page", "drawing", "live", "film", "values", "explain", "live_page"})
    EXPECT_FALSE(TextOfPage(name).empty()) << name;
  EXPECT_EQ(TextOfPage("styles"), "");
  EXPECT_EQ(TextOfPage(""), "");
}

// The pages work without a network, and their scripts may stand inside of a page.
TEST(PageTexts, NameNoOtherHost) {
  for (const PageText& text : PageTexts()) {
    std::string rest = text.text.str();
    const std::string svg = "http://www.w3.org/2000/svg";
    for (size_t at; (at = rest.find(svg)) != rest.npos;) rest.erase(at, svg.size());
    EXPECT_EQ(rest.find("//www"), rest.npos) << text.name;
    EXPECT_EQ(rest.find("http"), rest.npos) << text.name;
    if (std::string_view(text.name) != "live_page") {
      EXPECT_EQ(rest.find("</"), rest.npos) << text.name;
    }
  }
}

}  // namespace
}  // namespace tensh::shell
