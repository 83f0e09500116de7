// Flattens the structure of a fetch (nested lists, tuples, named tuples and dicts) for a run, and
// rebuilds it around the results.
#pragma once

#include <vector>

#include "shell/tensorflow/graph/session.h"

namespace tensh::shell::tf {

class FetchPlan {
 public:
  // throws TypeError or ValueError if `fetches` cannot be fetched
  FetchPlan(GraphObject& g, const Value& fetches);
  const std::vector<Out>& fetches() const { return fetches_; }  // without duplicates
  const std::vector<Node>& targets() const { return targets_; }
  // Rebuilds the structure. A tensor that is fed and fetched is returned as the fed array, even if
  // it is a scalar.
  Value Rebuild(const std::vector<TensorHandle>& fetched, const std::vector<Out>& feeds = {}) const;

 private:
  static constexpr int32_t kNothing = -1;  // an operation, whose result is None
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
