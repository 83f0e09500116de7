#pragma once
// The condition under which a node runs, as far as the graph shows it: a conjunction of predicates
// with the branch taken. Guards are interned, so equal guards have equal ids. They are used by one
// thread while control flow is analysed.
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace tensh {

using GuardId = uint32_t;
inline constexpr GuardId kAlways = 0;
inline constexpr GuardId kUnclear = 1;  // Not a conjunction; only the step can decide it.

// Marks the predicate that a value from outside arrives at all.
inline constexpr uint32_t kArrives = 1u << 31;

struct Literal {
  uint32_t pred;  // Id of the value that decides.
  uint32_t loop;  // The frame if the value is its LoopCond; 0 for a branch.
  bool branch;
  auto operator<=>(const Literal&) const = default;
};

class Guards {
 public:
  using Set = std::vector<Literal>;  // Sorted.
  Guards() { sets_.resize(2); }
  const Set& Get(GuardId g) const { return sets_[g]; }
  GuardId Intern(Set set);
  GuardId And(GuardId a, GuardId b);
  GuardId And(GuardId a, const Literal& l);
  // Returns only the literals of LoopConds.
  GuardId LoopPart(GuardId g);
  // Return only the literals of arrivals, and only the others.
  GuardId ArrivalPart(GuardId g);
  GuardId WithoutArrivals(GuardId g);
  // Returns the guard of a Merge of two values: if they differ in one predicate only, what they
  // have in common.
  GuardId Either(GuardId a, GuardId b);
  // Returns true if a branch is among the deciding predicates, not only LoopConds.
  bool Branches(GuardId g) const;

 private:
  static constexpr size_t kMost = 64;  // Limits the literals; a longer conjunction is unclear.
  std::vector<Set> sets_;
  std::map<Set, GuardId> ids_;
};

}  // namespace tensh
