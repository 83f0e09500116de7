#include "shell/edit/completion.h"

#include <algorithm>

#include "shell/text/layout.h"

namespace tensh::shell {

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

std::string CandidateList(const std::vector<std::string>& candidates, size_t width, size_t lines) {
  constexpr size_t kGap = 2;
  size_t widest = 1;
  for (const std::string& c : candidates) widest = std::max(widest, TextWidth(c));
  const size_t columns = std::max<size_t>(1, (width + kGap) / (widest + kGap));
  const size_t all = (candidates.size() + columns - 1) / columns;
  // The last line shows the number of candidates that did not fit.
  const size_t rows = all <= lines ? all : lines - 1;
  const size_t per_column = all <= lines ? all : rows;
  std::string out;
  for (size_t row = 0; row < rows; ++row) {
    std::string line;
    for (size_t column = 0; column < columns; ++column) {
      const size_t i = column * per_column + row;
      if (i >= candidates.size()) break;
      line = PadTo(line, column * (widest + kGap)) + Visible(candidates[i]);
    }
    out += CutTo(line, width) + "\n";
  }
  const size_t shown = std::min(candidates.size(), rows * columns);
  if (shown < candidates.size())
    out += "… and " + std::to_string(candidates.size() - shown) + " more\n";
  return out;
}

}  // namespace tensh::shell
