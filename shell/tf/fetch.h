// The structure of a fetch (nested lists, tuples, named tuples, dicts) taken apart for a run and
// put together again around what the run gives.
#pragma once

#include <vector>

#include "shell/tf/session.h"

namespace tensh::shell::tf {

class FetchPlan {
 public:
  FetchPlan(GraphObject& g, const Value& fetches);  // TypeError, ValueError for what is no fetch
  const std::vector<Out>& fetches() const { return fetches_; }  // each once
  const std::vector<Node>& targets() const { return targets_; }
  // What is fed comes back as the array it was fed as, a single number too.
  Value Rebuild(const std::vector<TensorHandle>& fetched, const std::vector<Out>& feeds = {}) const;

 private:
  static constexpr int32_t kNothing = -1;  // an operation: None
  void Flatten(const Value& v, int depth);
  void AddLeaf(const Value& v);
  Value Build(const Value& v, size_t* leaf, const std::vector<Value>& values) const;

  GraphObject& g_;
  Value structure_;
  std::vector<int32_t> leaves_;  // in order: index into fetches_, or kNothing
  std::vector<Out> fetches_;
  std::vector<Node> targets_;
};

}  // namespace tensh::shell::tf
