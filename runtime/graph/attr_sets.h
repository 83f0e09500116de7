#pragma once
// The interned attribute sets and shapes of a graph: a million nodes with T=float share one set.
// Sets that contain a tensor are not shared.
//
// Written under the graph's lock. Get needs no lock for an id that the reader holds.
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/core/attr.h"
#include "runtime/graph/chunked.h"

namespace tensh {

class AttrSets {
 public:
  // The attribute set and output types of a node, given its op, attributes and input types.
  struct Resolved {
    uint32_t set;
    std::vector<DType> outputs;
  };
  uint32_t Add(std::vector<NamedAttr> attrs);
  Attrs Get(uint32_t id) const { return Attrs(*sets_[id]); }
  uint32_t size() const { return sets_.size(); }
  // Returns the resolution for a key (op, input types, given attributes), or null if it is new.
  const Resolved* Find(const std::string& key) const;
  void Remember(std::string key, Resolved resolved);
  // Removes the sets from `size` on.
  void Truncate(uint32_t size);

 private:
  std::deque<std::vector<NamedAttr>> storage_;
  Chunked<const std::vector<NamedAttr>*> sets_;
  std::unordered_map<std::string, Resolved> resolved_;
  std::vector<std::pair<uint32_t, std::string>> keys_;  // Pairs of a set and its key, in order.
};

// The interned shapes of a graph. Shapes are never removed.
class ShapePool {
 public:
  uint32_t Intern(const Shape& shape);
  const Shape* Get(uint32_t id) const { return shapes_[id]; }

 private:
  std::deque<Shape> storage_;
  Chunked<const Shape*> shapes_;
  std::unordered_map<std::string, uint32_t> ids_;  // By the bytes of the dimensions.
};

}  // namespace tensh
