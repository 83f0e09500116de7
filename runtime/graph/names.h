#pragma once
// Names of a graph: node names in an arena with a hash index that ignores case, and TensorFlow's
// unique_name rule. Written under the graph's lock; Get needs none for an id the reader holds.
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/graph/chunked.h"

namespace tensh {

// Distinct strings with small ids; id 0 is "". Never forgets.
class StringPool {
 public:
  StringPool() { Intern(""); }
  uint32_t Intern(std::string_view text);
  std::string_view Get(uint32_t id) const { return *texts_[id]; }

 private:
  std::deque<std::string> storage_;
  Chunked<const std::string*> texts_;
  std::unordered_map<std::string_view, uint32_t> ids_;
};

class Names {
 public:
  ~Names();
  // Stores the name of the next node. The caller has checked with Find that it is free.
  void Add(std::string_view name);
  std::string_view Get(uint32_t node) const;
  // The node of exactly this name, or UINT32_MAX.
  uint32_t Find(std::string_view name) const;
  // TensorFlow's Graph.unique_name: case is ignored, then _1, _2 ….
  std::string Unique(std::string_view name, bool mark_as_used);

  // Begin … then Rollback forgets what came since, or End keeps it.
  void Begin();
  void End();
  void Rollback();
  // Forgets the names of nodes from `nodes` on (a failed Append).
  void Truncate(uint32_t nodes);
  size_t bytes() const { return arena_bytes_ + where_.bytes() + index_.size() * sizeof(uint32_t); }

 private:
  // A name in the arena: length, then bytes.
  struct Where {
    const char* text;
    uint32_t length;
    uint32_t hash;
  };
  static constexpr size_t kArenaChunk = size_t{1} << 18;
  bool InUse(const std::string& lower) const;
  void SetCount(const std::string& lower, int count);
  uint32_t FindSlot(std::string_view name, uint32_t hash, bool exact) const;
  void Grow();

  Chunked<Where> where_;  // by node
  std::vector<std::unique_ptr<char[]>> arena_;
  char* arena_next_ = nullptr;
  size_t arena_left_ = 0, arena_bytes_ = 0;
  std::vector<uint32_t> index_ = std::vector<uint32_t>(64);  // node + 1, or 0
  uint32_t indexed_ = 0;
  // Lower-case names that were asked for: how often. A name that only one node has is not kept
  // here.
  std::unordered_map<std::string, int> counts_;
  bool journaling_ = false;
  uint32_t begin_nodes_ = 0;
  std::vector<std::pair<std::string, int>> journal_;  // key, count before (0: absent)
};

}  // namespace tensh
