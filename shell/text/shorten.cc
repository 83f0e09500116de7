// The part of layout.h that cuts the middle out of names.
#include <algorithm>
#include <map>
#include <set>

#include "shell/text/grapheme.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr size_t kLeastMiddle = 8;  // columns
// more names are not compared with each other, which would take long, so some may look alike
constexpr size_t kManyNames = 2000;
constexpr size_t kRounds = 8, kRoundsOfMany = 1;

// The characters of a name with their widths.
struct Letters {
  explicit Letters(std::string_view name) : text(name) {
    for (size_t at = 0; at < text.size();) {
      const Grapheme next = FirstGrapheme(text.substr(at));
      starts.push_back(at);
      widths.push_back(next.columns);
      at += next.bytes;
    }
    starts.push_back(text.size());
  }
  size_t size() const { return widths.size(); }
  std::string_view Letter(size_t i) const {
    return text.substr(starts[i], starts[i + 1] - starts[i]);
  }

  std::string_view text;
  std::vector<size_t> starts, widths;
};

// A name of which only some characters are shown. Each gap between them is one "…".
class Excerpt {
 public:
  Excerpt(const Letters& name, size_t width)
      : name_(name), room_(width), used_(1), shown_(name.size(), false) {}

  // Shows a character if there is space for it. Returns false otherwise.
  bool Show(size_t i) {
    if (i >= shown_.size()) return false;
    if (shown_[i]) return true;
    const bool left = i == 0 || shown_[i - 1], right = i + 1 == shown_.size() || shown_[i + 1];
    // The character splits the gap around it, or closes it.
    const size_t used = used_ + name_.widths[i] + (left || right ? 0 : 1) - (left && right ? 1 : 0);
    if (used > room_) return false;
    used_ = used;
    return shown_[i] = true;
  }

  std::string Text() const {
    std::string out;
    for (size_t i = 0; i < shown_.size(); ++i) {
      if (shown_[i])
        out += name_.Letter(i);
      else if (i == 0 || shown_[i - 1])
        out += "…";
    }
    return out;
  }

 private:
  const Letters& name_;
  size_t room_, used_;
  std::vector<bool> shown_;
};

// Returns an excerpt with the characters in `musts`, `head` columns of the beginning, and as much
// of the end as fits.
std::string Cut(const Letters& name, size_t head, const std::vector<size_t>& musts, size_t width) {
  Excerpt excerpt(name, width);
  for (const size_t must : musts) excerpt.Show(std::min(must, name.size() - 1));
  size_t begin = 0;
  for (size_t used = 0; begin < name.size(); ++begin) {
    used += name.widths[begin];
    if (used > head || !excerpt.Show(begin)) break;
  }
  for (size_t i = name.size(); i-- > 0;)
    if (!excerpt.Show(i)) break;
  while (excerpt.Show(begin)) ++begin;
  return excerpt.Text();
}

size_t CommonPrefix(const Letters& a, const Letters& b) {
  size_t n = 0;
  while (n < a.size() && n < b.size() && a.Letter(n) == b.Letter(n)) ++n;
  return n;
}

using Rows = std::vector<size_t>;  // indexes of names

// Returns the rows that have the same short form although their names differ.
std::vector<Rows> Collisions(const std::vector<std::string>& names,
                             const std::vector<std::string>& shorts, const Rows& among) {
  std::map<std::string_view, Rows> same;
  for (const size_t row : among) same[shorts[row]].push_back(row);
  std::vector<Rows> found;
  for (auto& [text, group] : same) {
    Rows& rows = group;  // clang 14 does not capture structured bindings
    const auto differs = [&](size_t row) { return names[row] != names[rows[0]]; };
    if (std::any_of(rows.begin(), rows.end(), differs)) found.push_back(std::move(rows));
  }
  return found;
}

// Returns the number of columns to keep at the beginning with which the fewest names look alike. By
// default it is a third, because names in a scope differ at their ends.
size_t BestHead(const std::vector<std::string>& names, const Rows& rows, size_t width) {
  const size_t usual = (width - 1) / 3;
  if (rows.size() > kManyNames) return usual;
  std::vector<Letters> letters;
  std::set<std::string_view> different;
  for (const size_t row : rows)
    if (different.insert(names[row]).second) letters.emplace_back(names[row]);
  size_t best = usual, most = 0;
  const auto attempt = [&](size_t head) {
    std::set<std::string> shorts;
    for (const Letters& name : letters) shorts.insert(Cut(name, head, {}, width));
    if (shorts.size() <= most) return;
    best = head, most = shorts.size();
  };
  attempt(usual);
  for (size_t head = 0; head < width && most < letters.size(); ++head) attempt(head);
  return best;
}

}  // namespace

void ShortenNames(size_t width, std::vector<std::string>* names) {
  std::vector<std::string> shorts = *names;
  Rows cut;
  for (size_t row = 0; row < shorts.size(); ++row) {
    if (TextWidth(shorts[row]) <= width) continue;
    cut.push_back(row);
    if (width < kLeastMiddle) shorts[row] = CutTo(shorts[row], width);
  }
  if (width < kLeastMiddle) return names->swap(shorts);
  const size_t head = cut.empty() ? 0 : BestHead(*names, cut, width);
  std::vector<std::vector<size_t>> musts(names->size());
  for (const size_t row : cut) shorts[row] = Cut(Letters((*names)[row]), head, {}, width);
  // Each round makes one more difference visible between names that look alike.
  std::vector<Rows> alike = Collisions(*names, shorts, cut);
  const size_t rounds = cut.size() > kManyNames ? kRoundsOfMany : kRounds;
  for (size_t round = 0; round < rounds && !alike.empty(); ++round) {
    for (const Rows& rows : alike) {
      const Letters first((*names)[rows[0]]);
      size_t difference = first.size();
      for (const size_t row : rows)
        if ((*names)[row] != (*names)[rows[0]])
          difference = std::min(difference, CommonPrefix(first, Letters((*names)[row])));
      for (const size_t row : rows) {
        musts[row].push_back(difference);
        shorts[row] = Cut(Letters((*names)[row]), head, musts[row], width);
      }
    }
    alike = Collisions(*names, shorts, cut);
  }
  *names = std::move(shorts);
}

}  // namespace tensh::shell
