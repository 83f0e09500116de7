// Device requests on trial, as in `explain X with add=/cpu:1, mul=/cpu:0`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/client/client.h"
#include "shell/commands/command.h"

namespace tensh::shell {

struct Move {
  GraphHandle graph;
  tsh_node node = TSH_NO_NODE;
  std::string device;
};

// Throws if a part of the text is not NODE=DEVICE.
std::vector<Move> ParseMoves(CommandCall& call, std::string_view text);
void ApplyMoves(const std::vector<Move>& moves);

// Applies the moves while it exists.
class WhatIf {
 public:
  WhatIf(CommandCall& call, std::string_view text);
  ~WhatIf();
  WhatIf(const WhatIf&) = delete;
  WhatIf& operator=(const WhatIf&) = delete;

 private:
  std::vector<Move> before_;
};

}  // namespace tensh::shell
