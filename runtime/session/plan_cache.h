#pragma once
// A cache of compiled plans, keyed by run signature: the ids of feeds, fetches and targets.
//
// A plan stays valid when the graph grows, because nodes are never changed after they are added.
// The least recently used plan is evicted when there are more than kMaxPlans. A rollback drops the
// plans that use a removed node.
//
// Not thread-safe: guarded by the session's lock. Plans are shared, so a step may keep one that was
// evicted.
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/exec/plan.h"

namespace tensh {

struct PartialPlan;

class PlanCache {
 public:
  using Key = std::vector<uint32_t>;
  static constexpr size_t kMaxPlans = 4096;

  std::shared_ptr<Plan> Find(const Key& key);
  void Add(Key key, std::shared_ptr<Plan> plan);
  // Returns the compiled partial run of a cached plan, or null if it was never set up.
  std::shared_ptr<PartialPlan> FindPartial(const Key& key) const;
  // Does nothing if the plan is no longer cached.
  void SetPartial(const Key& key, std::shared_ptr<PartialPlan> partial);
  // Drops the plans that use a node from `first` on.
  void DropFrom(uint32_t first);
  void Clear();
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Key key;
    std::shared_ptr<Plan> plan;
    std::shared_ptr<PartialPlan> partial = {};
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      uint64_t h = 14695981039346656037ull;
      for (uint32_t k : key) h = (h ^ k) * 1099511628211ull;
      return h;
    }
  };
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<Key, std::list<Entry>::iterator, Hash> index_;
};

}  // namespace tensh
