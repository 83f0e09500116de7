#include "runtime/graph/attr_sets.h"

namespace tensh {

uint32_t AttrSets::Add(std::vector<NamedAttr> attrs) {
  storage_.push_back(std::move(attrs));
  sets_.push_back(&storage_.back());
  return sets_.size() - 1;
}

const AttrSets::Resolved* AttrSets::Find(const std::string& key) const {
  auto it = resolved_.find(key);
  return it == resolved_.end() ? nullptr : &it->second;
}

void AttrSets::Remember(std::string key, Resolved resolved) {
  keys_.emplace_back(resolved.set, key);
  resolved_.emplace(std::move(key), std::move(resolved));
}

void AttrSets::Truncate(uint32_t size) {
  while (!keys_.empty() && keys_.back().first >= size) {
    resolved_.erase(keys_.back().second);
    keys_.pop_back();
  }
  while (sets_.size() > size) {
    storage_.pop_back();
    sets_.Truncate(sets_.size() - 1);
  }
}

uint32_t ShapePool::Intern(const Shape& shape) {
  auto dims = shape.dims();
  std::string key(reinterpret_cast<const char*>(dims.data()), dims.size_bytes());
  if (!shape.has_rank()) key = "?";
  if (auto it = ids_.find(key); it != ids_.end()) return it->second;
  storage_.push_back(shape);
  shapes_.push_back(&storage_.back());
  uint32_t id = shapes_.size() - 1;
  ids_.emplace(std::move(key), id);
  return id;
}

}  // namespace tensh
