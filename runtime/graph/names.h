#pragma once
// The names of a graph: node names in an arena with a case-insensitive hash index, and TensorFlow's
// unique_name rule. Written under the graph's lock. Get needs no lock for an id that the reader
// holds.
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/graph/chunked.h"

namespace tensh {

// Distinct strings with small ids; id 0 is "". Strings are never removed.
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
  // Stores the name of the next node. The caller has made sure with Find that it is free.
  void Add(std::string_view name);
  std::string_view Get(uint32_t node) const;
  // Returns the node with exactly this name, or UINT32_MAX.
  uint32_t Find(std::string_view name) const;
  // Implements TensorFlow's Graph.unique_name: ignores case and appends _1, _2 …
  std::string Unique(std::string_view name, bool mark_as_used);

  // After Begin, Rollback removes the names that were added since, and End keeps them.
  void Begin();
  void End();
  void Rollback();
  // Removes the names of nodes from `nodes` on (a failed Append).
  void Truncate(uint32_t nodes);
  size_t bytes() const { return arena_bytes_ + where_.bytes() + index_.size() * sizeof(uint32_t); }

 private:
  // A name in the arena: its length, then its bytes.
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
  std::vector<uint32_t> index_ = std::vector<uint32_t>(64);  // Node + 1, or 0.
  uint32_t indexed_ = 0;
  // Number of requests of each lower-case name. A name that only one node has is not kept here.
  std::unordered_map<std::string, int> counts_;
  bool journaling_ = false;
  uint32_t begin_nodes_ = 0;
  // Pairs of a key and its earlier count (0 if absent).
  std::vector<std::pair<std::string, int>> journal_;
};

}  // namespace tensh
