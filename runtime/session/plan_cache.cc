#include "runtime/session/plan_cache.h"

namespace tensh {

std::shared_ptr<Plan> PlanCache::Find(const Key& key) {
  if (!entries_.empty() && entries_.front().key == key) return entries_.front().plan;
  auto it = index_.find(key);
  if (it == index_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, it->second);
  return it->second->plan;
}

void PlanCache::Add(Key key, std::shared_ptr<Plan> plan) {
  if (index_.contains(key)) return;
  entries_.push_front({key, std::move(plan)});
  index_[std::move(key)] = entries_.begin();
  if (entries_.size() > kMaxPlans) {
    index_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

std::shared_ptr<PartialPlan> PlanCache::FindPartial(const Key& key) const {
  auto it = index_.find(key);
  return it == index_.end() ? nullptr : it->second->partial;
}

void PlanCache::SetPartial(const Key& key, std::shared_ptr<PartialPlan> partial) {
  if (auto it = index_.find(key); it != index_.end()) it->second->partial = std::move(partial);
}

void PlanCache::DropFrom(uint32_t first) {
  for (auto it = entries_.begin(); it != entries_.end();) {
    if (it->plan->stages.max_node < first) {
      ++it;
      continue;
    }
    it->plan->dropped = true;
    index_.erase(it->key);
    it = entries_.erase(it);
  }
}

void PlanCache::Clear() {
  index_.clear();
  entries_.clear();
}

}  // namespace tensh
