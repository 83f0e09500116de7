// The results of the cells of a prompt: the list Out, and the origin of each result for `Out[n]?`.
//
// Only the most recent results are kept. Threads: the interpreter's thread only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shell/python/vm/interp.h"

namespace tensh::shell {

// The origin of a result.
struct ResultOrigin {
  int cell = 0;         // n of Out[n]
  int64_t version = 0;  // of the current graph
  std::string text;     // the fetches and feeds as typed
  std::string seed;     // the seed of the graph, or "" if it was not set
};

class Results {
 public:
  static constexpr size_t kMax = 256;

  // Stores a value in Out[cell], and removes the oldest result if there are too many.
  void Add(Interp& interp, const Value& value, ResultOrigin origin);
  const std::vector<ResultOrigin>& origins() const { return origins_; }  // oldest first

 private:
  std::vector<ResultOrigin> origins_;
};

}  // namespace tensh::shell
