#include "shell/session/placements.h"

namespace tensh::shell {

void ApplyMoves(const std::vector<Move>& moves) {
  for (const Move& move : moves) {
    move.graph.SetDevice(move.node, move.device);
  }
}

TrialMoves::TrialMoves(const std::vector<Move>& moves) {
  for (const Move& move : moves)
    before_.push_back({move.graph, move.node, move.graph.Device(move.node)});
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
  for (auto move = before_.rbegin(); move != before_.rend(); ++move)
    // cannot fail, because the request was accepted before
    move->graph.SetDevice(move->node, move->device);
}

}  // namespace tensh::shell
