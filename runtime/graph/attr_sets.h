#pragma once
// Attribute sets and shapes of a graph, interned: a million nodes with T=float share one set. Sets
// that hold a tensor are kept one by one. Written under the graph's lock; Get needs none for an id
// the reader holds.
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/core/attr.h"
#include "runtime/graph/chunked.h"

namespace tensh {

class AttrSets {
 public:
  // What a node of one op with given attributes and input types resolves to.
  struct Resolved {
    uint32_t set;
    std::vector<DType> outputs;
  };
  uint32_t Add(std::vector<NamedAttr> attrs);
  Attrs Get(uint32_t id) const { return Attrs(*sets_[id]); }
  uint32_t size() const { return sets_.size(); }
  // Resolutions by key (op, input types, given attributes); null: not seen yet.
  const Resolved* Find(const std::string& key) const;
  void Remember(std::string key, Resolved resolved);
  // Forgets sets from `size` on.
  void Truncate(uint32_t size);

 private:
  std::deque<std::vector<NamedAttr>> storage_;
  Chunked<const std::vector<NamedAttr>*> sets_;
  std::unordered_map<std::string, Resolved> resolved_;
  std::vector<std::pair<uint32_t, std::string>> keys_;  // set → its key, in order
};

class ShapePool {
 public:
  uint32_t Intern(const Shape& shape);
  const Shape* Get(uint32_t id) const { return shapes_[id]; }

 private:
  std::deque<Shape> storage_;
  Chunked<const Shape*> shapes_;
  std::unordered_map<std::string, uint32_t> ids_;  // by the dimensions' bytes
};

}  // namespace tensh
