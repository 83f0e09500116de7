#include "shell/session/watches.h"

#include <algorithm>

namespace tensh::shell {

void Watches::Add(std::string_view text) {
  const auto known = std::find_if(watches_.begin(), watches_.end(),
                                  [text](const Watch& watch) { return watch.text == text; });
  if (known == watches_.end()) {
    watches_.push_back({.text = std::string(text), .numbers = {}});
  } else {
    known->on = true;
  }
}

bool Watches::Remove(std::string_view text) {
  for (Watch& watch : watches_) {
    if (!watch.on || watch.text != text) continue;
    watch.on = false;
    return true;
  }
  return false;
}

void Watches::RemoveAll() {
  for (Watch& watch : watches_) watch.on = false;
}

const Watch* Watches::FindNumbers(std::string_view text) const {
  for (const Watch& watch : watches_)
    if (watch.text == text && !watch.numbers.empty()) return &watch;
  return nullptr;
}

}  // namespace tensh::shell
