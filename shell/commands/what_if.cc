// Trial placements: parsing, application and restoration of device requests.

#include "shell/commands/what_if.h"

#include "shell/commands/bridge.h"
#include "shell/commands/run_request.h"
#include "shell/commands/shell.h"
#include "shell/commands/words.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {

std::vector<Move> ParseMoves(CommandCall& call, std::string_view text) {
  Shell& shell = call.shell();
  std::vector<Move> moves;
  for (const std::string_view piece : SplitCommas(text)) {
    std::string_view left, right;
    if (!SplitAssignment(piece, &left, &right) || left.empty() || right.empty())
      call.Misused("expects NODE=DEVICE, not '" + std::string(piece) + "'");
    const Value value = At(shell, left, [&] { return EvalPiece(shell, left); });
    const bridge::Fetch fetch =
        bridge::AsFetch(IsStr(value) ? bridge::FindByName(StrView(value)) : value);
    if (fetch.kind == bridge::Fetch::Kind::kNeither) {
      throw TypeError("'" + std::string(left) + "' is not a node of a graph")
          .Hint("nodes lists the nodes");
    }
    Move move{fetch.graph,
              fetch.kind == bridge::Fetch::Kind::kTensor ? fetch.output.node : fetch.node,
              std::string(right)};
    if (move.device == "none") move.device.clear();
    if (!move.device.empty() && move.device[0] != '/') move.device.insert(0, "/");
    moves.push_back(std::move(move));
  }
  if (moves.empty()) call.Misused("expects NODE=DEVICE");
  return moves;
}

void ApplyMoves(const std::vector<Move>& moves) {
  for (const Move& move : moves) {
    Status status;
    tsh_node_set_device(move.graph.get(), move.node, move.device.c_str(), status);
    status.Check();
  }
}

WhatIf::WhatIf(CommandCall& call, std::string_view text) {
  const std::vector<Move> moves = ParseMoves(call, text);
  for (const Move& move : moves) {
    before_.push_back({move.graph, move.node, tsh_node_device(move.graph.get(), move.node)});
  }
  try {
    ApplyMoves(moves);
  } catch (...) {
    ApplyMoves(before_);
    throw;
  }
}

WhatIf::~WhatIf() {
  // Restores in reverse order, so that a node that was moved twice gets its original device.
  for (auto move = before_.rbegin(); move != before_.rend(); ++move) {
    Status status;
    tsh_node_set_device(move->graph.get(), move->node, move->device.c_str(), status);
  }
}

}  // namespace tensh::shell
