#include "shell/session/placements.h"

namespace tensh::shell {

void ApplyMoves(const std::vector<Move>& moves) {
  for (const Move& move : moves) {
    Status status;
    tsh_node_set_device(move.graph.get(), move.node, move.device.c_str(), status);
    status.Check();
  }
}

TrialMoves::TrialMoves(const std::vector<Move>& moves) {
  for (const Move& move : moves)
    before_.push_back({move.graph, move.node, tsh_node_device(move.graph.get(), move.node)});
  try {
    ApplyMoves(moves);
  } catch (...) {
    Restore();
    throw;
  }
}

TrialMoves::~TrialMoves() { Restore(); }

// Restores in reverse order, so that a node that was moved twice gets its original device.
void TrialMoves::Restore() const {
  for (auto move = before_.rbegin(); move != before_.rend(); ++move) {
    Status status;
    tsh_node_set_device(move->graph.get(), move->node, move->device.c_str(), status);
  }
}

}  // namespace tensh::shell
