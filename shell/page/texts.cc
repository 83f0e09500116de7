#include "shell/page/texts.h"

namespace tensh::shell {

std::string TextOfPage(std::string_view name) {
  for (const PageText& text : PageTexts())
    if (text.name == name) return text.text.str();
  return {};
}

}  // namespace tensh::shell
