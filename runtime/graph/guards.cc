#include "runtime/graph/guards.h"

#include <algorithm>

namespace tensh {

GuardId Guards::Intern(Set set) {
  if (set.empty()) return kAlways;
  if (set.size() > kMost) return kUnclear;
  auto [it, added] = ids_.try_emplace(set, static_cast<GuardId>(sets_.size()));
  if (added) sets_.push_back(std::move(set));
  return it->second;
}

GuardId Guards::And(GuardId a, GuardId b) {
  if (a == b || b == kAlways) return a;
  if (a == kAlways) return b;
  if (a == kUnclear || b == kUnclear) return kUnclear;
  Set both;
  std::set_union(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(),
                 std::back_inserter(both));
  return Intern(std::move(both));
}

GuardId Guards::And(GuardId a, const Literal& l) {
  return a == kUnclear ? kUnclear : And(a, Intern({l}));
}

GuardId Guards::LoopPart(GuardId g) {
  Set kept;
  for (const Literal& l : sets_[g])
    if (l.loop) kept.push_back(l);
  return Intern(std::move(kept));
}

GuardId Guards::ArrivalPart(GuardId g) {
  Set kept;
  for (const Literal& l : sets_[g])
    if (l.pred & kArrives) kept.push_back(l);
  return Intern(std::move(kept));
}

GuardId Guards::WithoutArrivals(GuardId g) {
  if (g == kUnclear) return g;
  Set kept;
  for (const Literal& l : sets_[g])
    if (!(l.pred & kArrives)) kept.push_back(l);
  return Intern(std::move(kept));
}

GuardId Guards::Either(GuardId a, GuardId b) {
  if (a == b || a == kAlways || b == kAlways) return a == b ? a : kAlways;
  if (a == kUnclear || b == kUnclear || sets_[a].size() != sets_[b].size()) return kUnclear;
  Set rest;
  int differ = 0;
  for (size_t i = 0; i < sets_[a].size(); ++i) {
    const Literal &x = sets_[a][i], &y = sets_[b][i];
    if (x == y)
      rest.push_back(x);
    else if (x.pred == y.pred && x.loop == y.loop && !x.loop)
      ++differ;
    else
      return kUnclear;
  }
  return differ == 1 ? Intern(std::move(rest)) : kUnclear;
}

bool Guards::Branches(GuardId g) const {
  if (g == kUnclear) return true;
  return std::any_of(sets_[g].begin(), sets_[g].end(), [](const Literal& l) { return !l.loop; });
}

}  // namespace tensh
