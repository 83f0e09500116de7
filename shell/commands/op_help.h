// What the catalogue of ops says, as text.
#pragma once

#include <string>
#include <string_view>

#include "shell/print/json.h"
#include "shell/values/error.h"

namespace tensh::shell {

std::string OpSignature(const Json& op);  // "(x: T, y: T) → z: T"
std::string OpHelp(const Json& op);       // all that `help NAME` prints
// The op of exactly that name or alias; null when there is none.
Json FindOp(std::string_view name);

}  // namespace tensh::shell
