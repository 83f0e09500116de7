#include "shell/commands/base/moves.h"

#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/session/fetch.h"

namespace tensh::shell {

std::vector<Move> ParseMoves(CommandCall& call, std::string_view text) {
  Shell& shell = call.shell();
  std::vector<Move> moves;
  for (const std::string_view piece : SplitCommas(text)) {
    std::string_view left, right;
    if (!SplitAssignment(piece, &left, &right) || left.empty() || right.empty())
      call.Misused("expects NODE=DEVICE, not '" + std::string(piece) + "'");
    const Value value = At(shell, left, [&] { return EvalPiece(shell, left); });
    const Fetch fetch = ToFetch(value);
    if (!fetch) {
      throw TypeError("'" + std::string(left) + "' is not a node of a graph")
          .Hint("`nodes` lists the nodes");
    }
    Move move{fetch.graph, fetch.node, std::string(right)};
    if (move.device == "none") move.device.clear();
    if (!move.device.empty() && move.device[0] != '/') move.device.insert(0, "/");
    moves.push_back(std::move(move));
  }
  if (moves.empty()) call.Misused("expects NODE=DEVICE");
  return moves;
}

}  // namespace tensh::shell
