// Changes of requested devices, permanent or on trial.
#pragma once

#include <string>
#include <vector>

#include "shell/client/client.h"

namespace tensh::shell {

// A request of a device for a node. "" removes the request.
struct Move {
  GraphHandle graph;
  tsh_node node = TSH_NO_NODE;
  std::string device;
};

// Applies the moves in order. Throws if a device name is malformed; the earlier moves then remain.
void ApplyMoves(const std::vector<Move>& moves);

// Applies moves during its life, as in `explain X with add=/cpu:1, mul=/cpu:0`: all of them, or
// none if one fails.
class TrialMoves {
 public:
  explicit TrialMoves(const std::vector<Move>& moves);
  ~TrialMoves();
  TrialMoves(const TrialMoves&) = delete;
  TrialMoves& operator=(const TrialMoves&) = delete;

 private:
  void Restore() const;

  std::vector<Move> before_;
};

}  // namespace tensh::shell
