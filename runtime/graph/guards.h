#pragma once
// When a node runs, as far as the graph tells: a conjunction of predicates with the branch taken.
// Guards are interned: equal ones have equal ids. Used while flow is analysed, in one thread.
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace tensh {

using GuardId = uint32_t;
inline constexpr GuardId kAlways = 0;
inline constexpr GuardId kUnclear = 1;  // no conjunction says it: only the step can tell

// Marks the predicate that a value which comes from elsewhere is there at all.
inline constexpr uint32_t kArrives = 1u << 31;

struct Literal {
  uint32_t pred;  // the value that decides, as an id
  uint32_t loop;  // the frame whose LoopCond it is; 0: a branch
  bool branch;
  auto operator<=>(const Literal&) const = default;
};

class Guards {
 public:
  using Set = std::vector<Literal>;  // sorted
  Guards() { sets_.resize(2); }
  const Set& Get(GuardId g) const { return sets_[g]; }
  GuardId Intern(Set set);
  GuardId And(GuardId a, GuardId b);
  GuardId And(GuardId a, const Literal& l);
  // Only what LoopConds decide.
  GuardId LoopPart(GuardId g);
  // Only what arrivals decide; only what they do not.
  GuardId ArrivalPart(GuardId g);
  GuardId WithoutArrivals(GuardId g);
  // What a Merge of two values knows: the rest when they differ in one predicate only.
  GuardId Either(GuardId a, GuardId b);
  // Whether a branch, and not only a LoopCond, decides.
  bool Branches(GuardId g) const;

 private:
  static constexpr size_t kMost = 64;  // literals; more are unclear
  std::vector<Set> sets_;
  std::map<Set, GuardId> ids_;
};

}  // namespace tensh
