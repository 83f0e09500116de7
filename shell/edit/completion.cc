#include "shell/edit/completion.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "runtime/base/text.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr size_t kGap = 2;
constexpr size_t kWidest = 24;  // A longer candidate is shortened in the middle.

// Shortens the text in the middle, because names often differ at their end.
std::string Shorten(const std::string& text, size_t width) {
  if (TextWidth(text) <= width) return text;
  const size_t tail = width / 2;
  size_t at = text.size();
  while (at > 0 && TextWidth(std::string_view(text).substr(at)) < tail) {
    --at;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  }
  return CutTo(text, width - tail) + text.substr(at);
}

}  // namespace

std::string CommonPrefix(const std::vector<std::string>& candidates) {
  if (candidates.empty()) return "";
  size_t n = candidates[0].size();
  for (const std::string& c : candidates) {
    size_t same = 0;
    while (same < std::min(n, c.size()) && c[same] == candidates[0][same]) ++same;
    n = same;
  }
  while (n > 0 && n < candidates[0].size() &&
         (static_cast<unsigned char>(candidates[0][n]) & 0xC0) == 0x80)
    --n;
  return candidates[0].substr(0, n);
}

void Menu::Open(Completion found, std::string_view typed) {
  found_ = std::move(found);
  open_ = true;
  Filter(typed);
}

void Menu::Filter(std::string_view typed) {
  shown_.clear();
  scroll_ = 0;
  const std::vector<std::string>& all = found_.candidates;
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].starts_with(typed)) shown_.push_back(i);
  const bool any_case = shown_.empty();
  for (size_t i = 0; any_case && i < all.size(); ++i)
    if (ContainsIgnoringCase(all[i], typed)) shown_.push_back(i);
  selected_ = shown_.size();
  open_ = !shown_.empty();
}

void Menu::Move(int by) {
  const size_t n = shown_.size();
  if (n == 0) return;
  if (!has_selection()) {
    selected_ = by > 0 ? 0 : n - 1;
  } else {
    selected_ = (selected_ + n + static_cast<size_t>(by)) % n;
  }
}

void Menu::MoveColumn(int by) {
  if (!has_selection()) return Move(by);
  const size_t columns = (shown_.size() + rows_ - 1) / rows_;
  const size_t row = selected_ % rows_;
  size_t column = (selected_ / rows_ + columns + static_cast<size_t>(by)) % columns;
  if (column * rows_ + row >= shown_.size()) column = by > 0 ? 0 : column - 1;
  selected_ = column * rows_ + row;
}

void Menu::MovePage(int by) {
  if (!has_selection()) return Move(by);
  const size_t column = selected_ / rows_ * rows_;
  const size_t last = std::min(column + rows_, shown_.size()) - 1;
  const size_t page = visible_rows_;
  if (by > 0) {
    selected_ = std::min(selected_ + page, last);
  } else {
    selected_ = selected_ < column + page ? column : selected_ - page;
  }
}

std::vector<StyledLine> Menu::Lines(size_t width, size_t height) {
  size_t widest = 1;
  for (const size_t i : shown_) {
    widest = std::max(widest, std::min(TextWidth(Visible(found_.candidates[i])), kWidest));
    if (widest == kWidest) break;
  }
  widest = std::max<size_t>(1, std::min(widest, width > kGap ? width - kGap : 1));
  const size_t columns = std::max<size_t>(1, width / (widest + kGap));
  rows_ = (shown_.size() + columns - 1) / columns;
  visible_rows_ = std::max<size_t>(1, std::min(rows_, height - 1));
  if (has_selection()) {
    const size_t row = selected_ % rows_;
    scroll_ = std::clamp(scroll_, row < visible_rows_ ? 0 : row - visible_rows_ + 1, row);
  }
  scroll_ = std::min(scroll_, rows_ - visible_rows_);
  std::vector<StyledLine> lines;
  for (size_t row = scroll_; row < scroll_ + visible_rows_; ++row) {
    StyledLine line;
    for (size_t i = row; i < shown_.size(); i += rows_) {
      const std::string text = Shorten(Visible(candidate(i)), widest);
      const bool here = i == selected_;
      line.push_back({Role::kPlain, here ? ">" : " "});
      line.push_back({here ? Role::kSelected : Role::kItem, PadTo(text, widest)});
      line.push_back({Role::kPlain, " "});
    }
    lines.push_back(std::move(line));
  }
  const size_t about = has_selection() ? selected_ : 0;
  const std::string position = has_selection() ? std::to_string(selected_ + 1) + "/" : "";
  std::string note = position + std::to_string(shown_.size());
  if (rows_ > visible_rows_ && !has_selection()) note += ", scroll with the arrows";
  const std::string text = found_.describe && (has_selection() || shown_.size() == 1)
                               ? found_.describe(candidate(about))
                               : "";
  if (has_selection() || !text.empty())
    note += "  " + Visible(candidate(about)) + (text.empty() ? "" : "  " + Visible(text));
  lines.push_back({{Role::kNote, CutTo(" " + note, width)}});
  return lines;
}

}  // namespace tensh::shell
