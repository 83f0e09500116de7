// Help texts for ops, formatted from the op catalogue.
#pragma once

#include <string>
#include <string_view>

#include "shell/python/values/error.h"
#include "shell/text/json.h"

namespace tensh::shell {

std::string OpSignature(const Json& op);  // "(x: T, y: T) → z: T"
std::string OpHelp(const Json& op);       // the full text of `help NAME`
// Returns the op with this exact name or alias, or null if it does not exist.
Json FindOp(std::string_view name);

}  // namespace tensh::shell
