// The expressions of `watch` and `break if`, which are evaluated after each step of
// `run … times N`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tensh::shell {

struct Watch {
  std::string text;             // the expression as typed
  std::vector<double> numbers;  // values in the last run that watched it; only for scalars
  bool on = true;               // false if the numbers are only kept for `plot`
};

class Watches {
 public:
  // Watches an expression. If it was watched before, its numbers are kept.
  void Add(std::string_view text);
  // Stops watching an expression. Returns false if it is not watched.
  bool Remove(std::string_view text);
  void RemoveAll();
  // Returns the watch of an expression whose values were kept, or null.
  const Watch* FindNumbers(std::string_view text) const;
  // All watches, including those that are off. A run keeps pointers into this list, which stay
  // valid until the next Add.
  std::vector<Watch>& all() { return watches_; }
  const std::vector<Watch>& all() const { return watches_; }

  // The condition that stops a loop of steps, or "".
  std::string break_condition;

 private:
  std::vector<Watch> watches_;
};

}  // namespace tensh::shell
