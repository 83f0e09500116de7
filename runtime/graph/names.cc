#include "runtime/graph/names.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/text.h"

namespace tensh {
namespace {

// Returns eight bytes with the letters A to Z in lower case.
uint64_t LowerEight(uint64_t v) {
  constexpr uint64_t kEach = 0x0101010101010101ull, kHigh = 0x80 * kEach;
  const uint64_t low = v & ~kHigh;
  const uint64_t from_a = low + (0x80 - 'A') * kEach, after_z = low + (0x7f - 'Z') * kEach;
  return v | ((from_a & ~after_z & ~v & kHigh) >> 2);
}

// Returns a hash of the lower-case bytes. Names of a large graph have dozens of bytes, so eight are
// taken at a time.
uint32_t HashIgnoringCase(std::string_view text) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15ull;
  uint64_t h = text.size() * kOdd;
  for (; !text.empty(); text.remove_prefix(std::min<size_t>(text.size(), 8))) {
    uint64_t v = 0;
    std::memcpy(&v, text.data(), std::min<size_t>(text.size(), 8));
    h = (h ^ LowerEight(v)) * kOdd;
    h ^= h >> 29;
  }
  return static_cast<uint32_t>(h ^ (h >> 32));
}

}  // namespace

uint32_t StringPool::Intern(std::string_view text) {
  if (auto it = ids_.find(text); it != ids_.end()) return it->second;
  storage_.emplace_back(text);
  texts_.push_back(&storage_.back());
  uint32_t id = texts_.size() - 1;
  ids_.emplace(storage_.back(), id);
  return id;
}

Names::~Names() = default;

std::string_view Names::Get(uint32_t node) const {
  const Where& w = where_[node];
  return {w.text, w.length};
}

void Names::Add(std::string_view name) {
  size_t needed = name.size() + 1;  // Null-terminated for the C API.
  if (needed > arena_left_) {
    size_t bytes = std::max(needed, kArenaChunk);
    arena_.push_back(std::make_unique_for_overwrite<char[]>(bytes));
    arena_next_ = arena_.back().get();
    arena_left_ = bytes;
    arena_bytes_ += bytes;
  }
  std::memcpy(arena_next_, name.data(), name.size());
  arena_next_[name.size()] = '\0';
  where_.push_back({arena_next_, static_cast<uint32_t>(name.size()), HashIgnoringCase(name)});
  arena_next_ += needed;
  arena_left_ -= needed;
  if ((indexed_ + 1) * 2 > index_.size()) Grow();
  ++indexed_;
  uint32_t node = where_.size() - 1, mask = static_cast<uint32_t>(index_.size() - 1);
  uint32_t slot = where_[node].hash & mask;
  while (index_[slot]) slot = (slot + 1) & mask;
  index_[slot] = node + 1;
  // The name is now in the index, so its count is not needed.
  if (counts_.empty()) return;
  if (auto it = counts_.find(AsciiLower(name)); it != counts_.end() && it->second == 1)
    SetCount(it->first, 0);
}

void Names::Grow() {
  index_.assign(index_.size() * 2, 0);
  uint32_t mask = static_cast<uint32_t>(index_.size() - 1);
  for (uint32_t node = 0; node + 1 < where_.size(); ++node) {
    uint32_t slot = where_[node].hash & mask;
    while (index_[slot]) slot = (slot + 1) & mask;
    index_[slot] = node + 1;
  }
}

uint32_t Names::FindSlot(std::string_view name, uint32_t hash, bool exact) const {
  uint32_t mask = static_cast<uint32_t>(index_.size() - 1);
  for (uint32_t slot = hash & mask; index_[slot]; slot = (slot + 1) & mask) {
    uint32_t node = index_[slot] - 1;
    if (where_[node].hash != hash) continue;
    if (exact ? Get(node) == name : EqualIgnoringCase(Get(node), name)) return slot;
  }
  return UINT32_MAX;
}

uint32_t Names::Find(std::string_view name) const {
  uint32_t slot = FindSlot(name, HashIgnoringCase(name), true);
  return slot == UINT32_MAX ? UINT32_MAX : index_[slot] - 1;
}

bool Names::InUse(const std::string& lower) const {
  return counts_.contains(lower) || FindSlot(lower, HashIgnoringCase(lower), false) != UINT32_MAX;
}

void Names::SetCount(const std::string& lower, int count) {
  auto it = counts_.find(lower);
  if (journaling_) journal_.emplace_back(lower, it == counts_.end() ? 0 : it->second);
  if (count == 0) {
    if (it != counts_.end()) counts_.erase(it);
  } else {
    counts_[lower] = count;
  }
}

std::string Names::Unique(std::string_view name, bool mark_as_used) {
  std::string key = AsciiLower(name);
  auto it = counts_.find(key);
  int count = it != counts_.end() ? it->second : InUse(key) ? 1 : 0;
  if (mark_as_used) SetCount(key, count + 1);
  if (count == 0) return std::string(name);
  int suffix = count;
  std::string candidate;
  do {
    candidate = key + "_" + std::to_string(suffix++);
  } while (InUse(candidate));
  if (mark_as_used) SetCount(candidate, 1);
  return std::string(name) + "_" + std::to_string(suffix - 1);
}

void Names::Begin() {
  journaling_ = true;
  journal_.clear();
  begin_nodes_ = where_.size();
}

void Names::End() {
  journaling_ = false;
  journal_.clear();
}

void Names::Rollback() {
  journaling_ = false;
  for (size_t i = journal_.size(); i-- > 0;) {
    auto& [key, count] = journal_[i];
    if (count == 0)
      counts_.erase(key);
    else
      counts_[key] = count;
  }
  journal_.clear();
  Truncate(begin_nodes_);
}

void Names::Truncate(uint32_t nodes) {
  uint32_t mask = static_cast<uint32_t>(index_.size() - 1);
  for (uint32_t node = where_.size(); node-- > nodes;) {
    uint32_t hole = where_[node].hash & mask;
    while (index_[hole] != node + 1) hole = (hole + 1) & mask;
    // Backward-shift deletion: moves later entries of the run up if their home slot allows it.
    for (uint32_t next = (hole + 1) & mask; index_[next]; next = (next + 1) & mask) {
      uint32_t home = where_[index_[next] - 1].hash & mask;
      if (((next - home) & mask) >= ((next - hole) & mask)) {
        index_[hole] = index_[next];
        hole = next;
      }
    }
    index_[hole] = 0;
    --indexed_;
  }
  where_.Truncate(nodes);
}

}  // namespace tensh
